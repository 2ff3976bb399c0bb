//! Lines of a file or pipe, in blocks of whole lines.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use memchr::{memchr, memchr_iter, memrchr};

use crate::compression::Compression;
use crate::decoder::decoder;

/// Longest line, in bytes without its end. A longer one is a reject.
pub const LINE_BYTES_MAX: usize = 1 << 20;

/// Bytes that are read at once to get past a line that is too long.
const SKIP_BYTES: usize = 64 << 10;

/// Bytes that are read at once: few enough that they are still near when their lines are counted.
const READ_BYTES: usize = 256 << 10;

/// A block of whole lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// The lines, each with a line feed at its end; the last one of a file too where the file has none there.
    pub bytes: Vec<u8>,
    /// Number of the first of them in its file, from 1.
    pub first_line: u64,
    /// Whether the last of them was longer than [`LINE_BYTES_MAX`]: then it is that long and one byte, and the rest of
    /// it is gone. The parser rejects it; bytes that are sent without being parsed must not hold it.
    pub cut: bool,
}

/// A block that is being read.
#[derive(Default)]
struct Filling {
    /// What is filled, and memory behind it that holds anything.
    bytes: Vec<u8>,
    filled: usize,
    /// Line feeds in what is filled.
    lines: u64,
}

impl Filling {
    fn make_room(&mut self, size: usize) {
        if self.bytes.len() < size {
            self.bytes.resize(size, 0);
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        let end = self.filled + bytes.len();
        self.make_room(end);
        self.bytes[self.filled..end].copy_from_slice(bytes);
        self.add(bytes.len());
    }

    /// So many bytes more are filled.
    fn add(&mut self, size: usize) {
        let begin = self.filled;
        self.filled += size;
        self.lines += memchr_iter(b'\n', &self.bytes[begin..self.filled]).count() as u64;
    }
}

/// Reads whole lines. Equal inputs give equal blocks, whatever pieces the input comes in.
pub struct LineReader {
    input: Box<dyn Read + Send>,
    input_bytes: Arc<AtomicU64>,
    compression: Compression,
    block_bytes: usize,
    /// What follows the last block: the beginning of a line, or more than that behind a line that was too long.
    rest: Vec<u8>,
    next_line: u64,
    ended: bool,
}

impl LineReader {
    /// Reads lines of `input` in blocks of at most `block_bytes`, longer only where one line is.
    ///
    /// # Errors
    /// Where memory is short.
    pub fn open(input: Box<dyn Read + Send>, compression: Compression, block_bytes: usize) -> io::Result<LineReader> {
        let (input, input_bytes) = decoder(input, compression)?;
        Ok(LineReader {
            input,
            input_bytes,
            compression,
            block_bytes: block_bytes.max(1),
            rest: Vec::new(),
            next_line: 1,
            ended: false,
        })
    }

    /// The next block, read into `memory`, whose content is forgotten: that of a block that is done costs less than new
    /// one. None at the end.
    ///
    /// # Errors
    /// Where the input cannot be read, or is cut off or damaged: the error says after how many bytes and lines.
    pub fn next_in(&mut self, memory: Vec<u8>) -> io::Result<Option<Lines>> {
        let mut block = Filling { bytes: memory, filled: 0, lines: 0 };
        block.push(&self.rest);
        self.rest.clear();
        let mut searched = 0;
        let mut wanted = self.block_bytes;
        let mut cut = false;
        loop {
            self.fill(&mut block, wanted)?;
            if let Some(end) = memrchr(b'\n', &block.bytes[searched..block.filled]) {
                let end = searched + end + 1;
                self.rest.extend_from_slice(&block.bytes[end..block.filled]);
                block.filled = end;
                break;
            }
            if self.ended {
                if block.filled == 0 {
                    return Ok(None);
                }
                block.push(b"\n");
                break;
            }
            if block.filled > LINE_BYTES_MAX {
                cut = true;
                block.filled = LINE_BYTES_MAX + 1;
                block.push(b"\n");
                self.skip_line()?;
                break;
            }
            searched = block.filled;
            wanted = (2 * block.filled).min(LINE_BYTES_MAX + 1);
        }
        let first_line = self.next_line;
        // Behind the last line feed of the block there is none.
        self.next_line += block.lines;
        block.bytes.truncate(block.filled);
        Ok(Some(Lines { bytes: block.bytes, first_line, cut }))
    }

    /// Bytes that were read, as they lie in the file.
    pub fn input_bytes(&self) -> u64 {
        self.input_bytes.load(Ordering::Relaxed)
    }

    /// Reads until as many bytes of `block` are filled as `wanted`, or to the end.
    fn fill(&mut self, block: &mut Filling, wanted: usize) -> io::Result<()> {
        if !self.ended {
            block.bytes.reserve_exact(wanted.saturating_sub(block.bytes.len()));
        }
        while !self.ended && block.filled < wanted {
            let end = wanted.min(block.filled + READ_BYTES);
            block.make_room(end);
            let read = self.input.read(&mut block.bytes[block.filled..end]);
            match read {
                Ok(0) => self.ended = true,
                Ok(read) => block.add(read),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.broken(error)),
            }
        }
        Ok(())
    }

    /// Reads on behind the end of a line that is not wanted.
    fn skip_line(&mut self) -> io::Result<()> {
        while !self.ended {
            let mut skipped = Filling::default();
            self.fill(&mut skipped, SKIP_BYTES)?;
            let skipped = &skipped.bytes[..skipped.filled];
            if let Some(end) = memchr(b'\n', skipped) {
                self.rest.extend_from_slice(&skipped[end + 1..]);
                break;
            }
        }
        Ok(())
    }

    fn broken(&self, error: io::Error) -> io::Error {
        let what = match (self.compression, error.kind()) {
            (Compression::Plain, _) => return error,
            (compression, io::ErrorKind::UnexpectedEof) => format!("{compression} data are cut off"),
            (compression, _) => format!("{compression} data are damaged ({error})"),
        };
        let (bytes, line) = (self.input_bytes(), self.next_line);
        io::Error::new(error.kind(), format!("{what} after {bytes} bytes of the file, at or behind line {line}"))
    }
}

#[cfg(test)]
mod tests;
