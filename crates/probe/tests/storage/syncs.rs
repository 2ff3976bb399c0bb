//! Syncs and commits: the requested number, each at its position.

use record::{Bytes, IoJob, IoKind, Nanos, OpenSync, SyncEvery};

use crate::bench::{BLOCK, Bench, LONG, MODES, Ran, in_order, reading, writing};

const SIZE: u64 = 64 * BLOCK;

fn every(writes: u32, data_only: bool) -> Option<SyncEvery> {
    Some(SyncEvery { writes, data_only })
}

#[test]
fn a_sync_after_every_fourth_write() {
    let bench = Bench::new(SIZE);
    for mode in MODES {
        for data_only in [true, false] {
            let job = IoJob { sync_every: every(4, data_only), io_count: Some(42), ..writing(mode, 1) };
            let ran = bench.run(&job, LONG);
            assert_eq!(ran.broken, None);
            assert_eq!((ran.operations(IoKind::Write), ran.operations(IoKind::Sync)), (42, 10), "{}", ran.mode);
            let syncs = ran.log.iter().enumerate().filter(|(_, mark)| mark.size_bytes == Bytes(0));
            let positions: Vec<usize> = syncs.map(|(position, _)| position).collect();
            assert!(positions.into_iter().eq((1..=10).map(|number| number * 5 - 1)), "{}", ran.mode);
        }
    }
}

#[test]
fn with_several_in_flight_there_are_as_many_syncs() {
    let bench = Bench::new(SIZE);
    for mode in MODES {
        let job = IoJob { sync_every: every(4, true), io_count: Some(42), ..writing(mode, 8) };
        let ran = bench.run(&job, LONG);
        assert_eq!((ran.operations(IoKind::Write), ran.operations(IoKind::Sync)), (42, 10), "{}", ran.mode);
        assert!(ran.in_flight_max() <= 8);
    }
}

#[test]
fn a_commit_is_a_write_and_its_sync_with_one_latency() {
    let bench = Bench::new(SIZE);
    for mode in MODES {
        let job = IoJob { sync_every: every(1, true), commit: true, io_count: Some(23), ..in_order(writing(mode, 1)) };
        let ran = bench.run(&job, LONG);
        assert_eq!(ran.kinds, [IoKind::Commit]);
        assert_eq!((ran.operations(IoKind::Commit), ran.log.len()), (23, 23), "{}", ran.mode);
        assert_eq!(ran.tallies[0].totals().bytes, Some(Bytes(23 * BLOCK)));
        assert!(ran.log.windows(2).all(|pair| pair[1].offset == pair[0].offset + BLOCK), "{}", ran.mode);
    }
}

#[test]
fn commits_several_at_once() {
    let bench = Bench::new(SIZE);
    let job = IoJob { sync_every: every(1, false), commit: true, ..writing(MODES[0], 8) };
    let ran = bench.run(&job, LONG);
    assert_eq!((ran.operations(IoKind::Commit), ran.failures(IoKind::Commit)), (64, 0), "{}", ran.mode);
    assert!(ran.in_flight_max() <= 8);
}

#[test]
fn writes_that_are_durable_by_themselves_are_commits() {
    let bench = Bench::new(SIZE);
    for mode in MODES {
        for open_sync in [OpenSync::Dsync, OpenSync::WriteDsync] {
            let job = IoJob { open_sync, commit: true, io_count: Some(23), ..writing(mode, 1) };
            let ran = bench.run(&job, LONG);
            assert_eq!((ran.kinds.as_slice(), ran.operations(IoKind::Commit)), (&[IoKind::Commit][..], 23));
            assert_eq!(ran.failures(IoKind::Commit), 0, "{}: {:?}", ran.mode, ran.accounts);
        }
    }
}

fn has_a_sync_at_the_end(ran: &Ran) {
    assert_eq!(ran.operations(IoKind::Sync), 1, "{}", ran.mode);
    let (last, others) = ran.log.split_last().unwrap();
    assert_eq!(last.size_bytes, Bytes(0), "{}", ran.mode);
    assert!(others.iter().all(|mark| mark.end_ns <= last.start_ns), "nothing is in flight: {}", ran.mode);
}

#[test]
fn a_sync_at_the_end_follows_all_writes() {
    let bench = Bench::new(SIZE);
    for mode in MODES {
        let ran = bench.run(&IoJob { end_sync: true, ..writing(mode, 8) }, LONG);
        assert_eq!(ran.operations(IoKind::Write), 64);
        has_a_sync_at_the_end(&ran);
    }
}

#[test]
fn a_sync_at_the_end_of_a_time_based_job() {
    let bench = Bench::new(SIZE);
    for mode in MODES {
        let job = IoJob { end_sync: true, time_based: true, ..writing(mode, 4) };
        let ran = bench.run(&job, Nanos(50_000_000));
        assert!(ran.operations(IoKind::Write) > 0);
        has_a_sync_at_the_end(&ran);
    }
}

#[test]
fn a_job_of_reads_has_no_syncs() {
    let bench = Bench::new(SIZE);
    for mode in MODES {
        let ran = bench.run(&IoJob { sync_every: every(1, true), ..reading(mode, 4) }, LONG);
        assert_eq!((ran.kinds.as_slice(), ran.log.len()), (&[IoKind::Read][..], 64), "{}", ran.mode);
    }
}
