//! One write of ten thousand that the storage acknowledges and does not carry out is found, however the data are verified.

use dbdyno_probe::storage::Region;
use record::{Bytes, Coverage, IoJob, IoKind, IoMix, IoMode, Verification};

use crate::bench::{BLOCK, Bench, LONG, MODES, reading, writing};
use crate::contents::verified;

const WRITES: u64 = 10_000;
/// Few enough that each is written many times.
const BLOCKS: u64 = 256;

fn whole() -> [Region; 1] {
    [Region { offset: 0, length: BLOCKS * BLOCK }]
}

fn all(bench: &Bench, job: &IoJob) -> u64 {
    let ran = bench.run(&IoJob { verification: Verification::OnRead, ..job.clone() }, LONG);
    let account = &ran.accounts[0];
    assert_eq!((account.verified + account.stale, account.corrupt, account.unknown), (BLOCKS, 0, 0), "{}", ran.mode);
    assert_eq!(ran.failures(IoKind::Read), account.stale, "a stale block is a failed read");
    account.stale
}

/// Passes over the file.
fn overwriting(mode: IoMode) -> IoJob {
    IoJob { coverage: Coverage::Full, io_count: Some(WRITES), loops: 100, ..writing(mode, 8) }
}

#[test]
fn in_the_same_job_after_its_writes() {
    for mode in MODES {
        let bench = Bench::new(BLOCKS * BLOCK);
        let ran = bench.run_losing(&overwriting(mode), WRITES - 1, &whole());
        assert_eq!(ran.operations(IoKind::Write), WRITES, "{}: acknowledged as the others", ran.mode);
        let found = verified(&bench);
        assert_eq!((found.right, found.stale, found.corrupt), (BLOCKS - 1, 1, 0), "{}", ran.mode);
        assert!(found.first.is_some());
    }
}

#[test]
fn by_reads_of_a_later_section_in_any_order() {
    for mode in MODES {
        let bench = Bench::new(BLOCKS * BLOCK);
        bench.run_losing(&overwriting(mode), WRITES - 1, &whole());
        let sequential = IoJob { order: record::IoOrder::SEQUENTIAL, ..reading(mode, 8) };
        assert_eq!(all(&bench, &reading(mode, 8)), 1, "random");
        assert_eq!(all(&bench, &sequential), 1, "sequential");
        // What is written again is right again.
        bench.run(&IoJob { coverage: Coverage::Full, ..writing(mode, 8) }, LONG);
        assert_eq!(all(&bench, &sequential), 0);
    }
}

#[test]
fn the_first_write_after_the_layout() {
    for mode in MODES {
        let bench = Bench::new(BLOCKS * BLOCK);
        bench.run_losing(&IoJob { coverage: Coverage::Full, ..writing(mode, 8) }, 100, &whole());
        assert_eq!(all(&bench, &reading(mode, 8)), 1, "what was laid out is there");
        assert_eq!(verified(&bench).stale, 1);
    }
}

#[test]
fn among_reads_and_writes_at_the_same_time() {
    for mode in MODES {
        let bench = Bench::new(BLOCKS * BLOCK);
        let half = IoMix { read: record::Ratio(0.5), write: record::Ratio(0.5), trim: record::Ratio(0.0) };
        let mixed = IoJob {
            mix: half,
            coverage: Coverage::Free,
            io_count: Some(2 * WRITES),
            loops: 1_000,
            verification: Verification::OnRead,
            ..writing(mode, 8)
        };
        let ran = bench.run(&mixed, LONG);
        let account = ran.accounts.iter().find(|account| account.verified > 0).unwrap();
        assert_eq!((account.corrupt, account.stale), (0, 0), "{}: no write is lost", ran.mode);
        assert!(account.verified > 50 * account.unknown, "{account:?}");
        // About half of the lost writes are read, by the job itself or after it, before they are written again.
        let found = (0..8).filter(|lost| {
            let ran = bench.run_losing(&mixed, WRITES / 2 + lost, &whole());
            let stale: u64 = ran.accounts.iter().map(|account| account.stale).sum();
            assert_eq!(verified(&bench).corrupt, 0);
            stale + verified(&bench).stale > 0
        });
        assert!(found.count() > 0, "{mode:?}");
    }
}

#[test]
fn of_several_jobs_on_one_file() {
    for mode in MODES {
        let bench = Bench::new(BLOCKS * BLOCK);
        let regions = [whole()[0]; 4];
        let job = IoJob { coverage: Coverage::Full, ..writing(mode, 8) };
        let ran = bench.run_lanes(&job, LONG, &regions);
        assert_eq!(ran.operations(IoKind::Write), 4 * BLOCKS);
        assert_eq!(all(&bench, &reading(mode, 8)), 0, "{}: whichever was the last", ran.mode);
        // Two jobs share the file, each with a half.
        let half = BLOCKS / 2 * BLOCK;
        let halves = [Region { offset: 0, length: half }, Region { offset: half, length: half }];
        bench.run_losing(&IoJob { coverage: Coverage::Full, ..writing(mode, 8) }, 77, &halves);
        assert_eq!((all(&bench, &reading(mode, 8)), verified(&bench).stale), (2, 2), "one of each");
    }
}

#[test]
fn of_blocks_of_several_units() {
    for mode in MODES {
        let bench = Bench::new(BLOCKS * BLOCK);
        let large = record::Blocks::all(Bytes(4 * BLOCK));
        let job = IoJob { coverage: Coverage::Full, write_blocks: large, ..writing(mode, 8) };
        bench.run_losing(&job, 3, &whole());
        assert_eq!((all(&bench, &reading(mode, 8)), verified(&bench).stale), (4, 4));
    }
}
