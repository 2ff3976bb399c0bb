//! The members of a gzip file, and what follows the last one, as gzip itself treats it: zeros up to the end are padding
//! (of tapes and block devices), anything else is garbage.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use flate2::bufread::GzDecoder;

use crate::counted::{Counted, FileCounts};

/// First bytes of a member (RFC 1952).
const MAGIC_NUMBER: [u8; 2] = [0x1F, 0x8B];

/// Bytes behind the last member of a gzip file that are neither a member nor padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{length} {} of garbage behind the last gzip member, from byte {start} of the file on; the data before are complete; \
     hint: `head -c {start}` keeps them",
    if *length == 1 { "byte" } else { "bytes" }
)]
pub(crate) struct TrailingGarbage {
    /// Offset in the file, from 0.
    pub(crate) start: u64,
    pub(crate) length: u64,
}

/// The input of one member: bytes that were read to see what follows the last member, then the file.
type Input = Chain<Cursor<Vec<u8>>, File>;

/// A file, or nothing while a decoder is given the next member.
struct File(Option<BufReader<Counted>>);

impl Read for File {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.as_mut().map_or(Ok(0), |file| file.read(into))
    }
}

impl BufRead for File {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.0.as_mut().map_or(Ok(&[]), BufRead::fill_buf)
    }

    fn consume(&mut self, bytes: usize) {
        if let Some(file) = &mut self.0 {
            file.consume(bytes);
        }
    }
}

/// Decompresses all members.
pub(crate) struct GzipMembers {
    decoder: GzDecoder<Input>,
    counts: Arc<FileCounts>,
    at_end: bool,
}

impl GzipMembers {
    /// The members of `file`, whose bytes are counted in `counts`.
    pub(crate) fn new(file: BufReader<Counted>, counts: Arc<FileCounts>) -> GzipMembers {
        GzipMembers { decoder: GzDecoder::new(input(Vec::new(), Some(file))), counts, at_end: false }
    }

    /// Goes to the next member; false at the end of the file.
    fn next_member(&mut self) -> io::Result<bool> {
        // The next member keeps the memory of this one.
        let (_, File(file)) = self.decoder.reset(input(Vec::new(), None)).into_inner();
        let Some(mut file) = file else { return Ok(false) };
        let start = self.counts.bytes.load(Ordering::Relaxed).saturating_sub(file.buffer().len() as u64);
        let zeros = skip_zeros(&mut file)?;
        let mut first = Vec::with_capacity(MAGIC_NUMBER.len());
        (&mut file).take(MAGIC_NUMBER.len() as u64).read_to_end(&mut first)?;
        match first.as_slice() {
            [] => {
                self.counts.padding_bytes.fetch_add(zeros, Ordering::Relaxed);
                Ok(false)
            }
            // A magic number that is cut is a member that is cut.
            bytes if zeros == 0 && MAGIC_NUMBER.starts_with(bytes) => {
                self.decoder.reset(input(first, Some(file)));
                Ok(true)
            }
            bytes => {
                let length = zeros + bytes.len() as u64 + io::copy(&mut file, &mut io::sink())?;
                Err(io::Error::new(io::ErrorKind::InvalidData, TrailingGarbage { start, length }))
            }
        }
    }
}

impl Read for GzipMembers {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while !self.at_end {
            let read = self.decoder.read(into)?;
            if read > 0 || into.is_empty() {
                return Ok(read);
            }
            self.at_end = !self.next_member()?;
        }
        Ok(0)
    }
}

fn input(first: Vec<u8>, file: Option<BufReader<Counted>>) -> Input {
    Cursor::new(first).chain(File(file))
}

/// Skips zero bytes; returns their number.
fn skip_zeros(file: &mut impl BufRead) -> io::Result<u64> {
    let mut skipped = 0;
    loop {
        let bytes = file.fill_buf()?;
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        let is_over = zeros < bytes.len() || bytes.is_empty();
        file.consume(zeros);
        skipped += zeros as u64;
        if is_over {
            return Ok(skipped);
        }
    }
}
