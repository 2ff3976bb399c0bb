//! Reads a file or pipe in blocks of complete lines.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use memchr::{memchr, memchr_iter, memrchr};

use crate::compression::Compression;
use crate::decoder::decoder;

/// Maximum length of a line, in bytes without the line feed. A longer one is a reject.
pub const LINE_BYTES_MAX: usize = 1 << 20;

/// Bytes per read while skipping a line that is too long.
const SKIP_BYTES: usize = 64 << 10;

/// Bytes per read: few enough to be still cached when their lines are counted.
const READ_BYTES: usize = 256 << 10;

/// A block of complete lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// The lines, each with a line feed, which is added if the last line of a file has none.
    pub bytes: Vec<u8>,
    /// Number of the first line in its file, from 1.
    pub first_line: u64,
    /// Whether the last line is longer than [`LINE_BYTES_MAX`]: it is truncated to one byte more. The parser rejects
    /// it; blocks that are sent without parsing must not contain it.
    pub cut: bool,
}

/// A block being read.
#[derive(Default)]
struct BlockBuffer {
    /// The filled bytes, followed by undefined ones.
    bytes: Vec<u8>,
    filled: usize,
    /// Line feeds in the filled bytes.
    lines: u64,
}

impl BlockBuffer {
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

    /// Adds `size` filled bytes.
    fn add(&mut self, size: usize) {
        let start = self.filled;
        self.filled += size;
        self.lines += memchr_iter(b'\n', &self.bytes[start..self.filled]).count() as u64;
    }
}

/// Reads blocks of complete lines, which do not depend on the sizes of the reads.
pub struct LineReader {
    input: Box<dyn Read + Send>,
    input_bytes: Arc<AtomicU64>,
    compression: Compression,
    block_bytes: usize,
    /// Bytes after the last block: the start of a line, or more after a line that was too long.
    rest: Vec<u8>,
    next_line: u64,
    at_end: bool,
}

impl LineReader {
    /// Reads lines of `input` in blocks of at most `block_bytes`, or of one longer line.
    ///
    /// # Errors
    /// If memory cannot be allocated.
    pub fn open(input: Box<dyn Read + Send>, compression: Compression, block_bytes: usize) -> io::Result<LineReader> {
        let (input, input_bytes) = decoder(input, compression)?;
        Ok(LineReader {
            input,
            input_bytes,
            compression,
            block_bytes: block_bytes.max(1),
            rest: Vec::new(),
            next_line: 1,
            at_end: false,
        })
    }

    /// The next block, read into `memory`, whose content is dropped: reuse costs less than new memory. None at the end.
    ///
    /// # Errors
    /// If the input cannot be read, or is truncated or damaged, with the position in bytes and lines.
    pub fn next_in(&mut self, memory: Vec<u8>) -> io::Result<Option<Lines>> {
        let mut block = BlockBuffer { bytes: memory, filled: 0, lines: 0 };
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
            if self.at_end {
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
        // All line feeds are in the block.
        self.next_line += block.lines;
        block.bytes.truncate(block.filled);
        Ok(Some(Lines { bytes: block.bytes, first_line, cut }))
    }

    /// Bytes read from the file.
    pub fn input_bytes(&self) -> u64 {
        self.input_bytes.load(Ordering::Relaxed)
    }

    /// Reads until `wanted` bytes of `block` are filled, or to the end.
    fn fill(&mut self, block: &mut BlockBuffer, wanted: usize) -> io::Result<()> {
        if !self.at_end {
            block.bytes.reserve_exact(wanted.saturating_sub(block.bytes.len()));
        }
        while !self.at_end && block.filled < wanted {
            let end = wanted.min(block.filled + READ_BYTES);
            block.make_room(end);
            let read = self.input.read(&mut block.bytes[block.filled..end]);
            match read {
                Ok(0) => self.at_end = true,
                Ok(read) => block.add(read),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.broken(error)),
            }
        }
        Ok(())
    }

    /// Skips the rest of a line.
    fn skip_line(&mut self) -> io::Result<()> {
        while !self.at_end {
            let mut skipped = BlockBuffer::default();
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
            (compression, io::ErrorKind::UnexpectedEof) => format!("{compression} data are truncated"),
            (compression, _) => format!("{compression} data are damaged ({error})"),
        };
        let (bytes, line) = (self.input_bytes(), self.next_line);
        io::Error::new(error.kind(), format!("{what} after {bytes} bytes of the file, at or after line {line}"))
    }
}

#[cfg(test)]
mod tests;
