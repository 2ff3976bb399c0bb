//! Files as a run wants to find them, and what is in them.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use flate2::{Compression, write::DeflateEncoder};
use record::{BufferContent, Bytes, Layout, Ratio};

use super::address::Region;
use super::content::{self, Found, Stamper};
use super::memory::Memory;
use super::permutation::{Permutation, mix};

/// What is read or written at a time.
const PIECE: usize = 1 << 20;
/// A sample is so many pieces of so many bytes.
const SAMPLES: u64 = 64;
const SAMPLE_BYTES: u64 = 16 << 10;
const BLOCK: usize = 4096;

/// Makes the file at `path`, which must not be there, `size` long and in the state `layout`. What is written carries
/// the marks of `writer`, in units of `unit`; `progress` hears how many bytes are done.
///
/// # Errors
/// Where the file cannot be made, there is no space, or `interrupt` was raised (`Interrupted`).
pub fn lay_out(
    path: &Path,
    size: Bytes,
    layout: Layout,
    unit: Bytes,
    writer: u64,
    interrupt: &AtomicBool,
    progress: &dyn Fn(Bytes),
) -> io::Result<()> {
    let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
    match layout {
        Layout::Empty => Ok(()),
        Layout::Sparse => file.set_len(size.0),
        Layout::Allocated => {
            rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, size.0)?;
            Ok(file.sync_all()?)
        }
        Layout::Written => {
            // Space first: a file system that is too full says so at once.
            match rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, size.0) {
                Err(rustix::io::Errno::OPNOTSUPP) | Ok(()) => {}
                Err(error) => return Err(error.into()),
            }
            write_all(path, &file, size, Stamper::new(unit, writer), interrupt, progress)
        }
    }
}

fn write_all(
    path: &Path,
    file: &File,
    size: Bytes,
    stamper: Stamper,
    interrupt: &AtomicBool,
    progress: &dyn Fn(Bytes),
) -> io::Result<()> {
    let direct = open_direct(path, true).ok();
    let unit = stamper.unit();
    let piece = (PIECE / unit * unit).max(unit);
    let mut memory = Memory::new(piece)?;
    let buffer = memory.slice(0, piece);
    content::fill(buffer, &BufferContent::Random, mix(stamper.writer));
    let mut bodies = stamper.bodies(buffer);
    let mut at = 0;
    while at < size.0 {
        if interrupt.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let length = (piece as u64).min(size.0 - at) as usize;
        stamper.stamp(&mut buffer[..length], &mut bodies, at, 0);
        let aligned = at.is_multiple_of(BLOCK as u64) && length.is_multiple_of(BLOCK);
        match direct.as_ref().filter(|_| aligned) {
            Some(direct) => direct.write_all_at(&buffer[..length], at)?,
            None => file.write_all_at(&buffer[..length], at)?,
        }
        at += length as u64;
        progress(Bytes(at));
    }
    file.sync_all()
}

/// Past the page cache.
fn open_direct(path: &Path, write: bool) -> io::Result<File> {
    OpenOptions::new().read(true).write(write).custom_flags(libc::O_DIRECT).open(path)
}

/// What a sample of a file says of its content.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Size after deflating over size before; 1 at most.
    pub compressed: Ratio,
    /// Share of blocks of 4 KiB that are equal to an earlier one of the sample.
    pub repeated: Ratio,
}

/// A mebibyte of `region` of the file at `path`, from places all over it. Of a file that was not written as a whole,
/// `in_part`, places that nobody wrote yet are left out.
///
/// # Errors
/// Where it cannot be read.
pub fn sample(path: &Path, region: Region, in_part: bool, seed: u64) -> io::Result<Option<Sample>> {
    let pieces = region.length / SAMPLE_BYTES;
    if pieces == 0 {
        return Ok(None);
    }
    let file = open_direct(path, false).or_else(|_| File::open(path))?;
    let mut memory = Memory::new(SAMPLE_BYTES as usize)?;
    let buffer = memory.slice(0, SAMPLE_BYTES as usize);
    let places = Permutation::new(pieces, seed);
    let mut blocks = std::collections::HashSet::new();
    let (mut before, mut after, mut equal, mut count) = (0u64, 0u64, 0u64, 0u64);
    for place in 0..pieces.min(SAMPLES) {
        let at = (region.offset + places.at(place) * SAMPLE_BYTES).next_multiple_of(BLOCK as u64);
        if file.read_exact_at(buffer, at).is_err() {
            continue;
        }
        if in_part && buffer.iter().all(|byte| *byte == 0) {
            continue;
        }
        for block in buffer.chunks(BLOCK) {
            count += 1;
            equal += u64::from(!blocks.insert(block.to_vec()));
        }
        let mut encoder = DeflateEncoder::new(Counted(0), Compression::fast());
        io::Write::write_all(&mut encoder, buffer)?;
        before += SAMPLE_BYTES;
        after += encoder.finish()?.0;
    }
    Ok((count > 0).then(|| Sample {
        compressed: Ratio((after as f64 / before as f64).min(1.0)),
        repeated: Ratio(equal as f64 / count as f64),
    }))
}

/// Counts what is written to it.
struct Counted(u64);

impl io::Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What a check of a whole region found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Units that hold what they should.
    pub right: u64,
    /// Units that do not.
    pub corrupt: u64,
    /// Units that hold what stood there before: a write of this invocation is missing.
    pub stale: u64,
    /// Units that dbdyno never wrote.
    pub foreign: u64,
    /// Where the first one is that is not right.
    pub first: Option<u64>,
}

/// Reads `region` of the file at `path` and checks every unit of it, each from a write of `writer`; where all of it was
/// `rewritten` since the file was made, what it was made with is stale.
///
/// # Errors
/// Where it cannot be read, or `interrupt` was raised.
pub fn verify(
    path: &Path,
    region: Region,
    unit: Bytes,
    (writer, rewritten): (u64, bool),
    interrupt: &AtomicBool,
) -> io::Result<Verified> {
    let file = open_direct(path, false).or_else(|_| File::open(path))?;
    let plain = File::open(path)?;
    let stamper = Stamper::new(unit, writer).since(u64::from(rewritten));
    let piece = (PIECE as u64 / unit.0 * unit.0).max(unit.0);
    let mut memory = Memory::new(piece as usize)?;
    let mut verified = Verified::default();
    let mut at = region.offset;
    let end = region.offset + region.length;
    while at < end {
        if interrupt.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let length = piece.min(end - at) as usize;
        let buffer = memory.slice(0, length);
        if file.read_exact_at(buffer, at).is_err() {
            plain.read_exact_at(buffer, at)?;
        }
        for (found, place) in stamper.look(buffer, at).zip(0..) {
            match found {
                Found::Right => verified.right += 1,
                Found::Corrupt => verified.corrupt += 1,
                Found::Stale => verified.stale += 1,
                Found::Foreign => verified.foreign += 1,
            }
            if found != Found::Right && verified.first.is_none() {
                verified.first = Some(at + place * unit.0);
            }
        }
        at += length as u64;
    }
    Ok(verified)
}

#[cfg(test)]
mod tests {
    use super::*;

    static NEVER: AtomicBool = AtomicBool::new(false);
    const UNIT: Bytes = Bytes(4096);

    fn made(size: u64, layout: Layout) -> (tempfile::TempDir, std::path::PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        lay_out(&path, Bytes(size), layout, UNIT, 7, &NEVER, &|_| ()).unwrap();
        (directory, path)
    }

    #[test]
    fn a_written_file_is_all_there_and_cannot_be_compressed() {
        let size = 5 * 1024 * 1024 + 8192;
        let (_directory, path) = made(size, Layout::Written);
        let region = Region { offset: 0, length: size };
        let verified = verify(&path, region, UNIT, (7, false), &NEVER).unwrap();
        assert_eq!(verified, Verified { right: size / 4096, ..Verified::default() });
        let sample = sample(&path, region, false, 3).unwrap().unwrap();
        assert!(sample.compressed.0 > 0.98, "{sample:?}");
        assert_eq!(sample.repeated, Ratio(0.0));
    }

    #[test]
    fn one_damaged_byte_is_found() {
        let (_directory, path) = made(1 << 20, Layout::Written);
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        file.write_all_at(b"x", 300_000).unwrap();
        let verified = verify(&path, Region { offset: 0, length: 1 << 20 }, UNIT, (7, false), &NEVER).unwrap();
        assert_eq!((verified.right, verified.corrupt, verified.first), (255, 1, Some(300_000 / 4096 * 4096)));
    }

    #[test]
    fn a_sparse_file_is_foreign_and_all_alike() {
        let (_directory, path) = made(1 << 20, Layout::Sparse);
        let region = Region { offset: 0, length: 1 << 20 };
        assert_eq!(verify(&path, region, UNIT, (7, false), &NEVER).unwrap().foreign, 256);
        let sample = sample(&path, region, false, 3).unwrap().unwrap();
        assert!(sample.compressed.0 < 0.05 && sample.repeated.0 > 0.99, "{sample:?}");
    }

    #[test]
    fn an_interrupt_ends_the_writing() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let error = lay_out(&path, Bytes(1 << 30), Layout::Written, UNIT, 7, &AtomicBool::new(true), &|_| ());
        assert_eq!(error.unwrap_err().kind(), io::ErrorKind::Interrupted);
    }

    #[test]
    fn a_file_that_is_there_is_not_touched() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        std::fs::write(&path, "mine").unwrap();
        assert!(lay_out(&path, Bytes(4096), Layout::Written, UNIT, 7, &NEVER, &|_| ()).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"mine");
    }
}
