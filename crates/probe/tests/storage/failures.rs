//! Failed I/Os are counted; a hundred consecutive failures abort the run.

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::AtomicBool;

use dbdyno_probe::storage::{Region, lay_out};
use record::{Bytes, Coverage, IoJob, IoKind, Layout, SyncEvery};
use tempfile::TempDir;

use crate::bench::{BLOCK, Bench, LONG, MODES, in_order, reading, run_on, writing};

/// A file system of one mebibyte, unmounted on drop.
struct Small {
    directory: TempDir,
}

impl Small {
    /// None for a user without the right to mount.
    #[expect(clippy::print_stderr, reason = "a skipped test is reported")]
    fn mount() -> Option<Small> {
        let directory = tempfile::tempdir().unwrap();
        let mount =
            Command::new("mount").args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"]).arg(directory.path()).output();
        if mount.is_ok_and(|output| output.status.success()) {
            return Some(Small { directory });
        }
        // SAFETY: has no preconditions.
        let root = unsafe { libc::geteuid() } == 0;
        assert!(!root, "a small file system could not be mounted");
        eprintln!("skipped: a full file system needs root to mount it");
        None
    }

    fn file(&self, size: u64) -> PathBuf {
        let path = self.directory.path().join("file");
        lay_out(&path, Bytes(size), Layout::Sparse, Bytes(BLOCK), 7, &AtomicBool::new(false), &|_| ()).unwrap();
        path
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        // The kernel closes the files of a ring some time after the ring.
        let _ = Command::new("umount").arg("-l").arg(self.directory.path()).status();
    }
}

#[test]
fn a_full_file_system_ends_the_run_after_a_hundred_failures() {
    for mode in MODES {
        full_file_system(&writing(mode, 1), IoKind::Write);
    }
}

#[test]
fn commits_that_fail_end_the_run_as_well() {
    for mode in MODES {
        let sync_every = Some(SyncEvery { writes: 1, data_only: true });
        full_file_system(&IoJob { sync_every, commit: true, ..writing(mode, 1) }, IoKind::Commit);
    }
}

fn full_file_system(job: &IoJob, kind: IoKind) {
    if let Some(small) = Small::mount() {
        let size = 1_000 * BLOCK;
        let path = small.file(size);
        let job = IoJob { direct: false, ..in_order(job.clone()) };
        let ran = run_on(&path, &job, LONG, &[Region { offset: 0, length: size }]);
        // A mebibyte, with the one that was written before the window.
        assert!((255..=256).contains(&ran.operations(kind)), "{ran:?}");
        assert_eq!(ran.failures(kind), 99, "the hundredth ends the run: {}", ran.mode);
        let message = ran.broken.unwrap().message;
        for word in ["job job", "100 consecutive I/Os failed", "No space left on device"] {
            assert!(message.contains(word), "no {word:?} in {message:?}");
        }
    }
}

#[test]
fn failures_between_successes_end_nothing() {
    let Some(small) = Small::mount() else { return };
    // Half of the region fits: about every second write fails, never a hundred consecutive ones.
    let size = 512 * BLOCK;
    let path = small.file(size);
    let fill = IoJob { direct: false, ..in_order(writing(MODES[0], 1)) };
    run_on(&path, &fill, LONG, &[Region { offset: 0, length: size / 2 }]);
    let job = IoJob { direct: false, coverage: Coverage::Free, loops: 4, ..writing(MODES[0], 4) };
    let ran = run_on(&path, &job, LONG, &[Region { offset: 0, length: size }]);
    assert_eq!(ran.broken, None);
    let (done, failed) = (ran.operations(IoKind::Write), ran.failures(IoKind::Write));
    assert_eq!(done + failed, 2_048);
    assert!(failed.abs_diff(1_024) < 150, "{failed} of 2048");
    assert_eq!(ran.tallies[0].service().count(), done, "failed I/Os have no latency");
    assert!(ran.accounts[0].first_failure.clone().unwrap().contains("No space left on device"));
}

#[test]
fn reads_beyond_the_end_are_short_and_count_as_failures() {
    for mode in MODES {
        let bench = Bench::new(64 * BLOCK);
        let region = Region { offset: 0, length: 80 * BLOCK };
        let ran = bench.run_lanes(&in_order(reading(mode, 1)), LONG, &[region]);
        assert_eq!((ran.operations(IoKind::Read), ran.failures(IoKind::Read)), (64, 16), "{}", ran.mode);
        assert_eq!(ran.accounts[0].short, 16, "{}", ran.mode);
        let failure = ran.accounts[0].first_failure.clone().unwrap();
        assert!(failure.contains(&format!("0 bytes of {BLOCK} at {}", 64 * BLOCK)), "{failure}");
    }
}
