//! Layout of files before a run, and sampling and verification of their content.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use flate2::{Compression, write::DeflateEncoder};
use record::{BufferContent, Bytes, Layout, Ratio};

use super::address::Region;
use super::content::{self, Stamper, UnitState};
use super::generations::{Generations, Held};
use super::memory::Memory;
use super::permutation::{Permutation, mix};

/// Size of one read or write.
const CHUNK: usize = 1 << 20;
/// Number and size of the reads of a sample.
const SAMPLES: u64 = 64;
const SAMPLE_BYTES: u64 = 16 << 10;
const BLOCK: usize = 4096;

/// Creates the file at `path`, which must not exist, with `size` and `layout`. Written data are stamped by `writer` in
/// units of `unit`; `progress` is called with the bytes written so far.
///
/// # Errors
/// If the file cannot be created, there is no space, or `interrupt` is set (`Interrupted`).
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
            // Allocate first: a full file system fails at once.
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
    let chunk = (CHUNK / unit * unit).max(unit);
    let mut memory = Memory::new(chunk)?;
    let buffer = memory.slice(0, chunk);
    content::fill(buffer, &BufferContent::Random, mix(stamper.writer));
    let mut bodies = stamper.bodies(buffer);
    let mut at = 0;
    while at < size.0 {
        if interrupt.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let length = (chunk as u64).min(size.0 - at) as usize;
        stamper.stamp(&mut buffer[..length], &mut bodies, at, |_| 0);
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

/// Opens for direct I/O.
fn open_direct(path: &Path, write: bool) -> io::Result<File> {
    OpenOptions::new().read(true).write(write).custom_flags(libc::O_DIRECT).open(path)
}

/// Properties of the content of a file, from a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Deflated size over original size; 1 at most.
    pub compressed: Ratio,
    /// Share of 4 KiB blocks that are equal to an earlier one of the sample.
    pub repeated: Ratio,
}

/// Samples one MiB of `region` of the file at `path` at random offsets. In a file that is written only `in_part`,
/// blocks of zeros are skipped.
///
/// # Errors
/// If the file cannot be read.
pub fn sample(path: &Path, region: Region, in_part: bool, seed: u64) -> io::Result<Option<Sample>> {
    let count = region.length / SAMPLE_BYTES;
    if count == 0 {
        return Ok(None);
    }
    let file = open_direct(path, false).or_else(|_| File::open(path))?;
    let mut memory = Memory::new(SAMPLE_BYTES as usize)?;
    let buffer = memory.slice(0, SAMPLE_BYTES as usize);
    let positions = Permutation::new(count, seed);
    let mut blocks = std::collections::HashSet::new();
    let (mut before, mut after, mut equal, mut total) = (0u64, 0u64, 0u64, 0u64);
    for index in 0..count.min(SAMPLES) {
        let at = (region.offset + positions.at(index) * SAMPLE_BYTES).next_multiple_of(BLOCK as u64);
        if file.read_exact_at(buffer, at).is_err() {
            continue;
        }
        if in_part && buffer.iter().all(|byte| *byte == 0) {
            continue;
        }
        for block in buffer.chunks(BLOCK) {
            total += 1;
            equal += u64::from(!blocks.insert(block.to_vec()));
        }
        let mut encoder = DeflateEncoder::new(Counted(0), Compression::fast());
        io::Write::write_all(&mut encoder, buffer)?;
        before += SAMPLE_BYTES;
        after += encoder.finish()?.0;
    }
    Ok((total > 0).then(|| Sample {
        compressed: Ratio((after as f64 / before as f64).min(1.0)),
        repeated: Ratio(equal as f64 / total as f64),
    }))
}

/// Counts the bytes written to it.
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

/// Result of verifying a whole region.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Units with the expected content.
    pub right: u64,
    /// Damaged units.
    pub corrupt: u64,
    /// Units with earlier content: a write of this invocation is missing.
    pub stale: u64,
    /// Units that dbdyno did not write and should have written.
    pub foreign: u64,
    /// Units of this invocation of whose write it is not known whether it is the last one.
    pub unknown: u64,
    /// Units that no write of this invocation has reached, with content of others.
    pub unwritten: u64,
    /// Offset of the first unit that is wrong.
    pub first: Option<u64>,
}

/// What a file has to hold.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    /// Bytes of a unit.
    pub unit: Bytes,
    /// The number of this invocation.
    pub writer: u64,
    /// Whether it wrote all of the file in advance.
    pub is_laid_out: bool,
    /// Whether all of the region was written again since the layout.
    pub is_rewritten: bool,
    /// Which writes the units may hold, if that is known.
    pub generations: Option<&'a Generations>,
}

/// Reads `region` of the file at `path` and verifies every unit against what is `expected`.
///
/// # Errors
/// If the file cannot be read, or `interrupt` is set.
pub fn verify(path: &Path, region: Region, expected: &Expected<'_>, interrupt: &AtomicBool) -> io::Result<Verified> {
    let file = open_direct(path, false).or_else(|_| File::open(path))?;
    let plain = File::open(path)?;
    let unit = expected.unit;
    let stamper = Stamper::new(unit, expected.writer).since(u64::from(expected.is_rewritten));
    let generations = expected.generations.filter(|map| map.unit() == unit.0);
    let held = |at: u64| generations.map_or(Held::UNKNOWN, |map| map.held(at));
    let chunk = (CHUNK as u64 / unit.0 * unit.0).max(unit.0);
    let mut memory = Memory::new(chunk as usize)?;
    let mut verified = Verified::default();
    let mut at = region.offset;
    let end = region.offset + region.length;
    while at < end {
        if interrupt.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let length = chunk.min(end - at) as usize;
        let buffer = memory.slice(0, length);
        if file.read_exact_at(buffer, at).is_err() {
            plain.read_exact_at(buffer, at)?;
        }
        for (state, index) in stamper.verify(buffer, at, |offset| (held(offset), held(offset))).zip(0..) {
            let offset = at + index * unit.0;
            let is_ours = expected.is_laid_out || expected.is_rewritten || held(offset).is_written();
            verified.count(state, is_ours, offset);
        }
        at += length as u64;
    }
    Ok(verified)
}

impl Verified {
    /// Adds the counts of another region.
    pub fn add(&mut self, other: &Verified) {
        self.right += other.right;
        self.corrupt += other.corrupt;
        self.stale += other.stale;
        self.foreign += other.foreign;
        self.unknown += other.unknown;
        self.unwritten += other.unwritten;
        self.first = self.first.or(other.first);
    }

    fn count(&mut self, state: UnitState, is_ours: bool, offset: u64) {
        let count = match state {
            UnitState::Valid => &mut self.right,
            UnitState::Unknown => &mut self.unknown,
            UnitState::Corrupt => &mut self.corrupt,
            UnitState::Stale if is_ours => &mut self.stale,
            UnitState::Foreign if is_ours => &mut self.foreign,
            UnitState::Stale | UnitState::Foreign => &mut self.unwritten,
        };
        *count += 1;
        let is_wrong = is_ours && matches!(state, UnitState::Stale | UnitState::Foreign) || state == UnitState::Corrupt;
        if is_wrong && self.first.is_none() {
            self.first = Some(offset);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static NEVER: AtomicBool = AtomicBool::new(false);
    const UNIT: Bytes = Bytes(4096);

    /// A file that was laid out and not written since.
    fn expected(map: &Generations) -> Expected<'_> {
        Expected { unit: UNIT, writer: 7, is_laid_out: true, is_rewritten: false, generations: Some(map) }
    }

    fn map(size: u64) -> Generations {
        Generations::new(Bytes(size), UNIT, Bytes(1 << 20))
    }

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
        let verified = verify(&path, region, &expected(&map(size)), &NEVER).unwrap();
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
        let verified = verify(&path, Region { offset: 0, length: 1 << 20 }, &expected(&map(1 << 20)), &NEVER).unwrap();
        assert_eq!((verified.right, verified.corrupt, verified.first), (255, 1, Some(300_000 / 4096 * 4096)));
    }

    #[test]
    fn a_sparse_file_is_foreign_and_all_alike() {
        let (_directory, path) = made(1 << 20, Layout::Sparse);
        let region = Region { offset: 0, length: 1 << 20 };
        assert_eq!(verify(&path, region, &expected(&map(1 << 20)), &NEVER).unwrap().foreign, 256);
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
