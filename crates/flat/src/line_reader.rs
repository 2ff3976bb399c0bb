//! Lines of a file or pipe, in blocks of whole lines.

use std::io::{self, Read};
use std::sync::Arc;
use std::time::Instant;

use memchr::{memchr, memchr_iter, memrchr};

use crate::compression::Compression;
use crate::decoder::{Meter, decoder};

/// Longest line, in bytes without its end. A longer one is a reject.
pub const LINE_BYTES_MAX: usize = 1 << 20;

/// Bytes that are read at once to get past a line that is too long.
const SKIP_BYTES: u64 = 64 << 10;

/// Whole lines.
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

/// Reads whole lines. Equal inputs give equal blocks, whatever pieces the input comes in.
pub struct LineReader {
    input: Box<dyn Read + Send>,
    meter: Arc<Meter>,
    compression: Compression,
    block_bytes: usize,
    /// What follows the last block: the beginning of a line, or more than that behind a line that was too long.
    rest: Vec<u8>,
    next_line: u64,
    ended: bool,
    /// In the decoder, the time of reading included.
    decoder_ns: u64,
}

impl LineReader {
    /// Reads lines of `input` in blocks of at most `block_bytes`, longer only where one line is.
    ///
    /// # Errors
    /// Where memory is short.
    pub fn open(input: Box<dyn Read + Send>, compression: Compression, block_bytes: usize) -> io::Result<LineReader> {
        let (input, meter) = decoder(input, compression)?;
        Ok(LineReader {
            input,
            meter,
            compression,
            block_bytes: block_bytes.max(1),
            rest: Vec::new(),
            next_line: 1,
            ended: false,
            decoder_ns: 0,
        })
    }

    /// The next block; none at the end.
    ///
    /// # Errors
    /// Where the input cannot be read, or is cut off or damaged: the error says after how many bytes and lines.
    #[expect(clippy::should_implement_trait, reason = "an iterator of results would hide that an error is the end")]
    pub fn next(&mut self) -> io::Result<Option<Lines>> {
        let mut bytes = std::mem::take(&mut self.rest);
        let mut searched = 0;
        let mut wanted = self.block_bytes;
        let mut cut = false;
        loop {
            self.fill(&mut bytes, wanted)?;
            if let Some(end) = memrchr(b'\n', &bytes[searched..]) {
                self.rest.extend_from_slice(&bytes[searched + end + 1..]);
                bytes.truncate(searched + end + 1);
                break;
            }
            if self.ended {
                if bytes.is_empty() {
                    return Ok(None);
                }
                bytes.push(b'\n');
                break;
            }
            if bytes.len() > LINE_BYTES_MAX {
                cut = true;
                bytes.truncate(LINE_BYTES_MAX + 1);
                bytes.push(b'\n');
                self.skip_line()?;
                break;
            }
            searched = bytes.len();
            wanted = (2 * bytes.len()).min(LINE_BYTES_MAX + 1);
        }
        let first_line = self.next_line;
        self.next_line += memchr_iter(b'\n', &bytes).count() as u64;
        Ok(Some(Lines { bytes, first_line, cut }))
    }

    /// Time in which the input was read, waiting for it included.
    pub fn read_ns(&self) -> u64 {
        self.meter.ns()
    }

    /// Time in which it was decompressed.
    pub fn decompress_ns(&self) -> u64 {
        match self.compression {
            Compression::Plain => 0,
            _ => self.decoder_ns.saturating_sub(self.meter.ns()),
        }
    }

    /// Bytes that were read, as they lie in the file.
    pub fn input_bytes(&self) -> u64 {
        self.meter.bytes()
    }

    /// Reads until `bytes` holds as many as `wanted`, or to the end.
    fn fill(&mut self, bytes: &mut Vec<u8>, wanted: usize) -> io::Result<()> {
        let missing = wanted.saturating_sub(bytes.len());
        if self.ended || missing == 0 {
            return Ok(());
        }
        bytes.reserve_exact(missing);
        let begun = Instant::now();
        let read = (&mut self.input).take(missing as u64).read_to_end(bytes);
        self.decoder_ns += begun.elapsed().as_nanos() as u64;
        self.ended = read.map_err(|error| self.broken(error))? < missing;
        Ok(())
    }

    /// Reads on behind the end of a line that is not wanted.
    fn skip_line(&mut self) -> io::Result<()> {
        while !self.ended {
            let mut skipped = Vec::new();
            self.fill(&mut skipped, SKIP_BYTES as usize)?;
            if let Some(end) = memchr(b'\n', &skipped) {
                self.rest = skipped.split_off(end + 1);
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
