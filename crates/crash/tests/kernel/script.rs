//! The programs: what each does before its log begins and after it, and what is promised of that.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{FallocateFlags, fallocate, syncfs};
use rustix::mm::{MapFlags, MsyncFlags, ProtFlags, mmap, msync, munmap};

/// O_DSYNC, as Linux numbers it.
const O_DSYNC: i32 = 0o10_000;

/// Bytes of a file that is longer than a block.
const LONG: usize = 20_000;

/// Bytes of a block of a file system, at most.
const BLOCK: usize = 4096;

/// A program.
pub(crate) struct Script {
    pub(crate) name: &'static str,
    /// What it does that is on stable storage as a whole.
    pub(crate) prepare: fn(&Path) -> io::Result<()>,
    /// What it does then.
    pub(crate) act: fn(&Path) -> io::Result<()>,
    /// Whether what calls promise is kept.
    pub(crate) promised: fn(&Path) -> bool,
    /// Whether what they do not promise is gone; absent where nothing is left open.
    pub(crate) lost: Option<fn(&Path) -> bool>,
}

pub(crate) const SCRIPTS: &[Script] = &[
    Script {
        name: "create, write, fsync",
        prepare: nothing,
        act: |at| created(at, "a", b"new")?.sync_all(),
        promised: |at| holds(at, "a", b"new"),
        lost: None,
    },
    Script {
        name: "create, write",
        prepare: nothing,
        act: |at| created(at, "a", b"new").map(drop),
        promised: |_| true,
        lost: Some(|at| !at.join("a").exists()),
    },
    Script {
        name: "create, write, fdatasync",
        prepare: nothing,
        act: |at| created(at, "a", &[7; LONG])?.sync_data(),
        promised: |at| holds(at, "a", &[7; LONG]),
        lost: None,
    },
    Script {
        name: "create in a new directory, fsync of the file and of both directories",
        prepare: nothing,
        act: |at| {
            fs::create_dir(at.join("d"))?;
            created(at, "d/a", b"new")?.sync_all()?;
            synced_directory(&at.join("d"))?;
            synced_directory(at)
        },
        promised: |at| holds(at, "d/a", b"new"),
        lost: None,
    },
    Script {
        name: "rename over a file, fsync of the directory",
        prepare: two_files,
        act: |at| {
            fs::rename(at.join("b"), at.join("a"))?;
            synced_directory(at)
        },
        promised: |at| holds(at, "a", b"new") && !at.join("b").exists(),
        lost: None,
    },
    Script {
        name: "rename over a file",
        prepare: two_files,
        act: |at| fs::rename(at.join("b"), at.join("a")),
        promised: |at| holds(at, "a", b"new") || holds(at, "a", b"old"),
        lost: Some(|at| holds(at, "a", b"old") && holds(at, "b", b"new")),
    },
    Script {
        name: "write to a file opened with O_DSYNC",
        prepare: nothing,
        act: |at| {
            let path = at.join("a");
            OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(true)
                .custom_flags(O_DSYNC)
                .open(path)?
                .write_all(b"new")
        },
        promised: |at| holds(at, "a", b"new"),
        lost: None,
    },
    Script {
        name: "append, fsync, append",
        prepare: |at| created(at, "a", b"old").map(drop),
        act: |at| {
            let mut file = OpenOptions::new().append(true).open(at.join("a"))?;
            file.write_all(b"new")?;
            file.sync_data()?;
            file.write_all(b"late")
        },
        promised: |at| fs::read(at.join("a")).is_ok_and(|found| found.starts_with(b"oldnew")),
        lost: Some(|at| holds(at, "a", b"oldnew")),
    },
    Script {
        name: "overwrite",
        prepare: long_file,
        act: |at| written(at)?.write_all_at(&[2; LONG], 0),
        promised: |at| {
            let is_either = |found: Vec<u8>| found.len() == LONG && found.iter().all(|byte| matches!(byte, 1 | 2));
            fs::read(at.join("a")).is_ok_and(is_either)
        },
        lost: Some(|at| holds(at, "a", &[1; LONG])),
    },
    Script {
        name: "overwrite, sync_file_range, which flushes no disk",
        prepare: long_file,
        act: |at| {
            let file = written(at)?;
            file.write_all_at(&[2; LONG], 0)?;
            // SAFETY: the descriptor is open; the call has no pointers.
            let answer = unsafe { libc::sync_file_range(file.as_raw_fd(), 0, 0, WRITE_AND_WAIT) };
            if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
        },
        promised: |at| fs::read(at.join("a")).is_ok_and(|found| found.len() == LONG),
        lost: Some(|at| holds(at, "a", &[1; LONG])),
    },
    Script {
        name: "truncate, fsync",
        prepare: long_file,
        act: |at| {
            let file = written(at)?;
            file.set_len(10)?;
            file.sync_all()
        },
        promised: |at| holds(at, "a", &[1; 10]),
        lost: None,
    },
    Script {
        name: "truncate",
        prepare: long_file,
        act: |at| written(at)?.set_len(10),
        promised: |at| {
            // The rest of the last block may be zeroed before the size is changed.
            let is_kept = |(place, byte): (usize, &u8)| *byte == 1 || *byte == 0 && (10..BLOCK).contains(&place);
            let is_old = |found: Vec<u8>| found.len() == LONG && found.iter().enumerate().all(is_kept);
            holds(at, "a", &[1; 10]) || fs::read(at.join("a")).is_ok_and(is_old)
        },
        lost: Some(|at| holds(at, "a", &[1; LONG])),
    },
    Script {
        name: "fallocate, write inside, fdatasync",
        prepare: nothing,
        act: |at| {
            let file = created(at, "a", b"")?;
            fallocate(&file, FallocateFlags::empty(), 0, LONG as u64)?;
            file.write_all_at(b"new", 9_000)?;
            file.sync_data()
        },
        promised: |at| {
            let is_whole = |found: Vec<u8>| found.len() == LONG && found[9_000..9_003] == *b"new" && found[0] == 0;
            fs::read(at.join("a")).is_ok_and(is_whole)
        },
        lost: None,
    },
    Script {
        name: "mmap, change, msync",
        prepare: long_file,
        act: |at| mapped(at, true),
        promised: |at| holds(at, "a", &[2; LONG]),
        lost: None,
    },
    Script {
        name: "mmap, change",
        prepare: long_file,
        act: |at| mapped(at, false),
        promised: |at| fs::read(at.join("a")).is_ok_and(|found| found.len() == LONG),
        lost: Some(|at| holds(at, "a", &[1; LONG])),
    },
    Script {
        name: "remove",
        prepare: two_files,
        act: |at| fs::remove_file(at.join("a")),
        promised: |at| holds(at, "b", b"new"),
        lost: Some(|at| holds(at, "a", b"old")),
    },
    Script {
        name: "remove, fsync of the directory",
        prepare: two_files,
        act: |at| {
            fs::remove_file(at.join("a"))?;
            synced_directory(at)
        },
        promised: |at| !at.join("a").exists() && holds(at, "b", b"new"),
        lost: None,
    },
    Script {
        name: "two files, syncfs",
        prepare: nothing,
        act: |at| {
            created(at, "a", b"one")?;
            created(at, "b", &[7; LONG])?;
            Ok(syncfs(File::open(at)?)?)
        },
        promised: |at| holds(at, "a", b"one") && holds(at, "b", &[7; LONG]),
        lost: None,
    },
];

/// Start the writes, and wait for them.
const WRITE_AND_WAIT: u32 =
    libc::SYNC_FILE_RANGE_WAIT_BEFORE | libc::SYNC_FILE_RANGE_WRITE | libc::SYNC_FILE_RANGE_WAIT_AFTER;

fn nothing(_: &Path) -> io::Result<()> {
    Ok(())
}

fn two_files(at: &Path) -> io::Result<()> {
    created(at, "a", b"old")?;
    created(at, "b", b"new").map(drop)
}

fn long_file(at: &Path) -> io::Result<()> {
    created(at, "a", &[1; LONG]).map(drop)
}

fn created(at: &Path, name: &str, bytes: &[u8]) -> io::Result<File> {
    let mut file = File::create(at.join(name))?;
    file.write_all(bytes)?;
    Ok(file)
}

fn written(at: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).open(at.join("a"))
}

fn synced_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

fn holds(at: &Path, name: &str, bytes: &[u8]) -> bool {
    fs::read(at.join(name)).is_ok_and(|found| found == bytes)
}

/// Changes all bytes of the long file in memory.
fn mapped(at: &Path, is_synced: bool) -> io::Result<()> {
    let file = written(at)?;
    // SAFETY: the file is as long as the mapping, nobody shortens it, and no reference outlives the mapping.
    unsafe {
        let start = mmap(std::ptr::null_mut(), LONG, ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED, &file, 0)?;
        std::ptr::write_bytes(start.cast::<u8>(), 2, LONG);
        if is_synced {
            msync(start, LONG, MsyncFlags::SYNC)?;
        }
        munmap(start, LONG)?;
    }
    Ok(())
}
