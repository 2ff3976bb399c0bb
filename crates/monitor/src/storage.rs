//! Storage that is watched beside the database on it: direct reads and flushed writes in a file of its own.
//!
//! The same requests as those of the storage probes of a record, one at a time. A device that hangs cannot be asked to stop:
//! its thread waits, and every intended start is missed.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{fs, io};

use engine::{Error, Kind, Result};
use model::promise::Operation;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use record::Nanos;
use rustix::fs::OFlags;

use crate::probe::{Answer, Refused, Timed};
use crate::prober::{Burst, Prober, Probing};
use crate::starts::Effort;

/// Its file, in the directory that is named.
const FILE_NAME: &str = "dbdyno-monitor.blocks";
/// What the file begins with: it is ours.
const MARK: &[u8; 16] = b"dbdyno-monitor 1";
/// Bytes of a request, those of the storage probes.
const BLOCK_BYTES: usize = 8 << 10;
/// Blocks of the file, 64 MiB.
const BLOCKS: u64 = 8 << 10;
/// Reads in a burst.
const READS: usize = 64;
/// Writes in a burst, each with its flush.
const SYNCS: usize = 8;

/// A block where direct requests may read and write it.
#[repr(C, align(4096))]
struct Block([u8; BLOCK_BYTES]);

/// A file that is open.
struct Storage {
    file: File,
    path: PathBuf,
    block: Box<Block>,
    /// The next block that is written, as a log recycles its files.
    next: u64,
    random: Xoshiro256PlusPlus,
}

/// Opens the file in `directory`, and writes every block of it if it is not there.
///
/// # Errors
/// `Usage` where the directory cannot hold it, where a file of that name is none of dbdyno's, or where the file system takes
/// no direct requests; `Space` where it is full.
pub fn open_storage(directory: &Path, seed: u64) -> Result<Prober> {
    let path = directory.join(FILE_NAME);
    let refused = |error: io::Error| refused(&path, &error);
    let mut block = Box::new(Block([0; BLOCK_BYTES]));
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let file = opened(&path).map_err(refused)?;
    let is_new = file.metadata().map_err(refused)?.len() == 0;
    if !is_new {
        file.read_exact_at(&mut block.0, 0).map_err(refused)?;
    }
    // The first block is written last: without it an earlier start was killed before the file was whole.
    if block.0.iter().all(|byte| *byte == 0) {
        fill(&file, &mut block, &mut random).map_err(|error| {
            let _ = if is_new { fs::remove_file(&path) } else { Ok(()) };
            refused(error)
        })?;
    } else if !block.0.starts_with(MARK) {
        let error = Error::new(Kind::Usage, format!("{} is not a file of dbdyno", path.display()));
        return Err(error.hint("give another directory"));
    }
    Ok(Prober::new(Storage { file, block, next: 1, random, path }))
}

fn opened(path: &Path) -> io::Result<File> {
    let flags = (OFlags::DIRECT | OFlags::NOFOLLOW).bits().cast_signed();
    OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).custom_flags(flags).open(path)
}

/// Writes every block: a block that was never written is answered without the device.
fn fill(file: &File, block: &mut Block, random: &mut Xoshiro256PlusPlus) -> io::Result<()> {
    for number in (0..BLOCKS).rev() {
        random.fill_bytes(&mut block.0);
        if number == 0 {
            block.0[..MARK.len()].copy_from_slice(MARK);
        }
        file.write_all_at(&block.0, number * BLOCK_BYTES as u64)?;
    }
    file.sync_all()
}

fn refused(path: &Path, error: &io::Error) -> Error {
    let shown = path.display();
    let (kind, hint) = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            (Kind::Space, "free 64 MiB, or give another directory")
        }
        io::ErrorKind::InvalidInput => {
            (Kind::Usage, "give a directory on a file system with direct I/O, such as ext4 or XFS")
        }
        _ => (Kind::Usage, "give a directory on the storage of the database that this user may write to"),
    };
    Error::new(kind, format!("storage file {shown} cannot be used: {error}")).hint(hint)
}

impl Probing for Storage {
    fn operations(&self) -> &'static [Operation] {
        &Operation::OF_STORAGE
    }

    fn burst(&mut self, effort: Effort, _is_fresh: bool) -> Burst {
        let (reads, syncs) = if effort == Effort::Full { (READS, SYNCS) } else { (1, 1) };
        let read = self.timed(Operation::StorageRead, reads, Storage::read);
        let sync = self.timed(Operation::StorageSync, syncs, Storage::write);
        Burst { answers: vec![read, sync], fresh: None, trouble: None }
    }

    fn close(self: Box<Self>, removes: bool) -> Result<()> {
        match removes {
            true => fs::remove_file(&self.path).map_err(|error| refused(&self.path, &error)),
            false => Ok(()),
        }
    }
}

impl Storage {
    fn timed(&mut self, operation: Operation, count: usize, request: fn(&mut Storage) -> io::Result<()>) -> Answer {
        let mut times: Vec<Nanos> = Vec::with_capacity(count);
        for _ in 0..count {
            let begin = Instant::now();
            if let Err(error) = request(self) {
                return Answer { operation, statements: 0, result: Err(Refused::Failed(error.to_string())) };
            }
            times.push(begin.elapsed().into());
        }
        times.sort_unstable();
        let timed = Timed { slowest_ns: times[count - 1], median_ns: times[count / 2] };
        Answer { operation, statements: 0, result: Ok(timed) }
    }

    fn read(&mut self) -> io::Result<()> {
        let number = self.random.next_u64() % BLOCKS;
        self.file.read_exact_at(&mut self.block.0, number * BLOCK_BYTES as u64)
    }

    fn write(&mut self) -> io::Result<()> {
        // What is there already would be spared by storage that removes duplicates.
        self.random.fill_bytes(&mut self.block.0[..64]);
        self.file.write_all_at(&self.block.0, self.next * BLOCK_BYTES as u64)?;
        self.file.sync_data()?;
        // The first block keeps the mark.
        self.next = 1 + self.next % (BLOCKS - 1);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a disk: a directory of temporary files may be memory, which takes no direct requests.
    fn directory() -> tempfile::TempDir {
        tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap()
    }

    #[test]
    fn a_burst_reads_and_writes_its_own_file_and_goes_on_with_it() {
        let directory = directory();
        let path = directory.path().join(FILE_NAME);
        for removes in [false, true] {
            let prober = open_storage(directory.path(), 3).unwrap();
            assert_eq!(path.metadata().unwrap().len(), BLOCKS * BLOCK_BYTES as u64);
            assert_eq!(prober.operations(), Operation::OF_STORAGE);
            let mut probing = prober.into_probing();
            for effort in [Effort::Full, Effort::OneStatement] {
                let burst = probing.burst(effort, false);
                let times = burst.answers.iter().map(|answer| answer.result.as_ref().unwrap().slowest_ns);
                assert!(times.clone().count() == 2 && times.min().unwrap().0 > 1_000);
            }
            probing.close(removes).unwrap();
            assert_eq!(path.exists(), !removes);
        }
    }

    #[test]
    fn a_file_of_others_is_refused_and_stays_as_it_is() {
        let directory = directory();
        let path = directory.path().join(FILE_NAME);
        fs::write(&path, vec![7; 2 * BLOCK_BYTES]).unwrap();
        let error = open_storage(directory.path(), 3).unwrap_err();
        assert!(error.message.ends_with("is not a file of dbdyno"), "{error:?}");
        assert!(fs::read(&path).unwrap().iter().all(|byte| *byte == 7));
        let missing = open_storage(&directory.path().join("none"), 3).unwrap_err();
        assert!(missing.hint.is_some(), "{missing:?}");
    }
}
