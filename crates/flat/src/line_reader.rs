//! Reads a file or pipe in blocks of complete lines.

use std::io::{self, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use memchr::{memchr, memchr_iter, memrchr};

use crate::beginning;
use crate::compression::Compression;
use crate::counted::FileCounts;
use crate::decoder::decoder;
use crate::gzip_members::TrailingGarbage;
use crate::layout::{LINE_BYTES_MAX, Layout};
use crate::quoted::{Quoting, RowEnds};

/// Bytes per read while skipping a line that is too long.
const SKIP_BYTES: usize = 64 << 10;

/// Bytes per read: few enough to be still cached when their lines are counted.
const READ_BYTES: usize = 256 << 10;

/// Bytes per read of the beginning of a file.
const BEGINNING_BYTES: usize = 64 << 10;

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

/// Reads blocks of complete lines, which do not depend on the sizes of the reads. Where quotes are read, a line feed within
/// them ends no line.
pub struct LineReader {
    input: Box<dyn Read + Send>,
    counts: Arc<FileCounts>,
    compression: Compression,
    block_bytes: usize,
    quoting: Option<Quoting>,
    has_byte_order_mark: bool,
    /// Bytes after the last block: the start of a line, or more after a line that was too long.
    rest: Vec<u8>,
    next_line: u64,
    at_end: bool,
}

impl LineReader {
    /// Reads lines of `input`, which has `layout`, in blocks of at most `block_bytes`, or of one longer line. A byte order
    /// mark of UTF-8 is left out.
    ///
    /// # Errors
    /// A [`BeginningError`](crate::BeginningError) if `input` does not begin as a file of `layout`; errors of reading it.
    pub fn open(
        input: Box<dyn Read + Send>,
        compression: Compression,
        block_bytes: usize,
        layout: &Layout,
    ) -> io::Result<LineReader> {
        let (input, counts) = decoder(input, compression)?;
        let mut reader = LineReader {
            input,
            counts,
            compression,
            block_bytes: block_bytes.max(1),
            quoting: layout.quoting(),
            has_byte_order_mark: false,
            rest: Vec::new(),
            next_line: 1,
            at_end: false,
        };
        let (mut beginning, is_all) = reader.beginning()?;
        let mark_length = beginning::mark_length(&beginning);
        beginning::check(&beginning[mark_length..], is_all, layout)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        reader.has_byte_order_mark = mark_length > 0;
        beginning.drain(..mark_length);
        let input = std::mem::replace(&mut reader.input, Box::new(io::empty()));
        reader.input = Box::new(Cursor::new(beginning).chain(input));
        Ok(reader)
    }

    /// The first bytes, which are read again: with the first line, unless it is too long, or all of them.
    fn beginning(&mut self) -> io::Result<(Vec<u8>, bool)> {
        let mut bytes = Vec::new();
        loop {
            let known = bytes.len();
            bytes.resize(known + BEGINNING_BYTES, 0);
            let read = loop {
                match self.input.read(&mut bytes[known..]) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    read => break read.map_err(|error| self.broken(error))?,
                }
            };
            bytes.truncate(known + read);
            let has_line = memchr(b'\n', &bytes[known..]).is_some() && self.has_row(&bytes);
            if read == 0 || has_line || bytes.len() > LINE_BYTES_MAX {
                return Ok((bytes, read == 0));
            }
        }
    }

    /// Whether `bytes`, the first of a file, which have a line feed, have a whole row.
    fn has_row(&self, bytes: &[u8]) -> bool {
        let row_ends = self.quoting.map(RowEnds::new);
        row_ends.is_none_or(|mut ends| ends.last_in(&bytes[beginning::mark_length(bytes)..], false).is_some())
    }

    /// The next block, read into `memory`, whose content is dropped: reuse costs less than new memory. None at the end.
    ///
    /// # Errors
    /// If the input cannot be read, or is truncated or damaged, with the position in bytes and lines; where quotes are read,
    /// also if a quote is not closed or a row is too long.
    pub fn next_in(&mut self, memory: Vec<u8>) -> io::Result<Option<Lines>> {
        let mut block = BlockBuffer { bytes: memory, filled: 0, lines: 0 };
        block.push(&self.rest);
        self.rest.clear();
        let mut row_ends = self.quoting.map(RowEnds::new);
        let mut searched = 0;
        let mut wanted = self.block_bytes;
        let mut cut = false;
        loop {
            self.fill(&mut block, wanted)?;
            let filled = &block.bytes[..block.filled];
            let end = match &mut row_ends {
                None => memrchr(b'\n', &filled[searched..]).map(|end| searched + end + 1),
                Some(ends) => ends.last_in(filled, self.at_end),
            };
            if let Some(end) = end {
                self.rest.extend_from_slice(&filled[end..]);
                if self.quoting.is_some() {
                    // Those of a quote that is still open.
                    block.lines -= memchr_iter(b'\n', &self.rest).count() as u64;
                }
                block.filled = end;
                break;
            }
            if let Some(ends) = &row_ends {
                self.check_row(filled, ends.open())?;
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
        self.counts.bytes.load(Ordering::Relaxed)
    }

    /// Whether the file begins with a byte order mark, which is no part of its first line.
    pub fn has_byte_order_mark(&self) -> bool {
        self.has_byte_order_mark
    }

    /// Zero bytes behind the last member of a gzip file, which are padding; known at the end.
    pub fn padding_bytes(&self) -> u64 {
        self.counts.padding_bytes.load(Ordering::Relaxed)
    }

    /// Checks the start of a row with quotes that has no end yet; `open` is the offset of a quote that is not closed.
    fn check_row(&self, row: &[u8], open: Option<usize>) -> io::Result<()> {
        let within = match row.len() > LINE_BYTES_MAX {
            true => format!("within {LINE_BYTES_MAX} bytes"),
            false if self.at_end && open.is_some() => "by the end of the file".to_owned(),
            false => return Ok(()),
        };
        let message = match open {
            Some(quote) => {
                let line = self.next_line + memchr_iter(b'\n', &row[..quote]).count() as u64;
                format!(
                    "the quote that opens in line {line} is not closed {within}; hint: close it, or load quotes as \
                     content with quote = \"none\" in the layout"
                )
            }
            None => format!("the row that begins in line {} does not end {within}", self.next_line),
        };
        Err(io::Error::new(io::ErrorKind::InvalidData, message))
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
        let is_garbage = error.get_ref().is_some_and(|error| error.is::<TrailingGarbage>());
        let what = match (self.compression, error.kind()) {
            (Compression::Plain, _) => return error,
            _ if is_garbage => return error,
            (compression, io::ErrorKind::UnexpectedEof) => format!("{compression} data are truncated"),
            (compression, _) => format!("{compression} data are damaged ({error})"),
        };
        let (bytes, line) = (self.input_bytes(), self.next_line);
        io::Error::new(error.kind(), format!("{what} after {bytes} bytes of the file, at or after line {line}"))
    }
}

#[cfg(test)]
mod tests;
