//! 23 I/Os are 23: requested, counted, logged, and seen by the block layer.

use dbdyno_probe::storage::Region;
use record::{BlockShare, Blocks, Bytes, Coverage, IoJob, IoKind, IoMix, Nanos, Pace, Ratio};

use crate::bench::{BLOCK, Bench, LONG, MODES, in_order, reading, writing};

const SIZE: u64 = 512 * BLOCK;

#[test]
fn requested_counted_logged_and_seen_by_the_block_layer() {
    let bench = Bench::new(SIZE);
    for mode in MODES {
        let job = IoJob { io_count: Some(23), ..reading(mode, 8) };
        let ran = bench.run(&job, LONG);
        assert_eq!(ran.broken, None);
        assert_eq!((ran.operations(IoKind::Read), ran.failures(IoKind::Read)), (23, 0), "{}", ran.mode);
        assert_eq!(ran.log.len(), 23);
        assert_eq!(ran.tallies[0].totals().bytes, Some(Bytes(23 * BLOCK)));
        assert_eq!(ran.device_bytes, (23 * BLOCK, 0), "{}", ran.mode);
        let job = IoJob { io_count: Some(23), ..writing(mode, 8) };
        let ran = bench.run(&job, LONG);
        assert_eq!((ran.operations(IoKind::Write), ran.log.len()), (23, 23), "{}", ran.mode);
        assert_eq!(ran.device_bytes, (0, 23 * BLOCK), "{}", ran.mode);
    }
}

#[test]
fn the_requested_mode_is_the_mode_in_effect() {
    let bench = Bench::new(SIZE);
    let modes = MODES.map(|mode| bench.run(&IoJob { io_count: Some(1), ..reading(mode, 2) }, LONG).mode);
    assert!(modes[0].starts_with("io_uring, registered files, registered buffers"), "{}", modes[0]);
    assert_eq!(modes[1], "pread and pwrite");
}

#[test]
fn every_block_is_read_once_before_one_is_read_again() {
    let bench = Bench::new(SIZE);
    for mode in MODES {
        let job = IoJob { loops: 2, ..reading(mode, 16) };
        let ran = bench.run(&job, LONG);
        assert_eq!(ran.operations(IoKind::Read), 2 * 512, "{}", ran.mode);
        // The log is in the order of completion: those of the first round may end after some of the second.
        let mut counts = vec![0; 512];
        ran.log.iter().for_each(|mark| counts[(mark.offset / BLOCK) as usize] += 1);
        assert!(counts.iter().all(|count| *count == 2), "{}", ran.mode);
        let in_order = ran.log.windows(2).filter(|pair| pair[1].offset == pair[0].offset + BLOCK).count();
        assert!(in_order < 30, "random order: {in_order} of {}", ran.log.len());
    }
}

#[test]
fn sequential_io_goes_from_one_end_to_the_other_and_begins_again() {
    let bench = Bench::new(SIZE);
    for mode in MODES {
        let ran = bench.run(&IoJob { loops: 2, ..in_order(reading(mode, 1)) }, LONG);
        assert_eq!(ran.log.len(), 2 * 512);
        for pair in ran.log.windows(2) {
            assert_eq!(pair[1].offset, (pair[0].offset + BLOCK) % SIZE, "{}", ran.mode);
        }
    }
}

#[test]
fn no_more_than_the_depth_is_in_flight_and_all_of_it_is_used() {
    let bench = Bench::new(SIZE);
    for mode in MODES {
        for depth in [1, 3, 32] {
            let job = IoJob { coverage: Coverage::Free, ..reading(mode, depth) };
            let ran = bench.run(&IoJob { loops: 4, ..job }, LONG);
            let allowed = if mode == MODES[1] { 1 } else { i64::from(depth) };
            assert!(ran.in_flight_max() <= allowed, "{} of {allowed}, {}", ran.in_flight_max(), ran.mode);
            assert!(ran.in_flight_max() * 4 >= allowed, "{} of {allowed}, {}", ran.in_flight_max(), ran.mode);
        }
    }
}

#[test]
fn lanes_add_up_and_stay_in_their_regions() {
    let bench = Bench::new(SIZE);
    let regions = [0, 1, 2, 3].map(|quarter| Region { offset: quarter * SIZE / 4, length: SIZE / 4 });
    for mode in MODES {
        let ran = bench.run_lanes(&reading(mode, 4), LONG, &regions);
        assert_eq!(ran.operations(IoKind::Read), 512, "{}", ran.mode);
        let mut quarters = [0; 4];
        ran.log.iter().for_each(|mark| quarters[(mark.offset / (SIZE / 4)) as usize] += 1);
        assert_eq!(quarters, [128; 4], "{}", ran.mode);
    }
}

#[test]
fn a_mix_has_its_shares_and_each_kind_its_own_tally() {
    let bench = Bench::new(SIZE);
    let share = |size_bytes, share| BlockShare { size_bytes: Bytes(size_bytes), share: Ratio(share) };
    for mode in MODES {
        let job = IoJob {
            mix: IoMix { read: Ratio(0.7), write: Ratio(0.3), trim: Ratio(0.0) },
            read_blocks: Blocks::Split(vec![share(4096, 0.5), share(8192, 0.5)]),
            coverage: Coverage::Free,
            io_count: Some(2_000),
            loops: 100,
            ..reading(mode, 8)
        };
        let ran = bench.run(&job, LONG);
        let (reads, writes) = (ran.operations(IoKind::Read), ran.operations(IoKind::Write));
        assert_eq!(reads + writes, 2_000, "{}", ran.mode);
        // 1400 on average with a deviation of 20.5: six of them.
        assert!(reads.abs_diff(1_400) < 125, "{reads}, {}", ran.mode);
        let large = ran.logged(IoKind::Read).iter().filter(|mark| mark.size_bytes == Bytes(8192)).count();
        assert!(large.abs_diff(reads as usize / 2) < 125, "{large} of {reads}, {}", ran.mode);
        assert!(ran.logged(IoKind::Write).iter().all(|mark| mark.size_bytes == Bytes(4096)));
        let bytes: u64 = ran.logged(IoKind::Read).iter().map(|mark| mark.size_bytes.0).sum();
        assert_eq!(ran.device_bytes.0, bytes, "{}", ran.mode);
    }
}

#[test]
fn a_rate_is_kept_and_response_times_count_from_the_intended_start() {
    let bench = Bench::new(SIZE);
    for mode in MODES {
        let pace = Pace::Rate { steps_per_second: 500.0 };
        let job = IoJob { pace, time_based: true, ..reading(mode, 8) };
        let ran = bench.run(&job, Nanos(400_000_000));
        assert_eq!(ran.operations(IoKind::Read), 200, "{}", ran.mode);
        assert!(ran.log.iter().all(|mark| mark.due_ns <= mark.start_ns && mark.start_ns < mark.end_ns));
        let mut intended: Vec<u64> = ran.log.iter().map(|mark| mark.due_ns.0).collect();
        intended.sort_unstable();
        assert!(intended.windows(2).all(|pair| pair[1] - pair[0] == 2_000_000), "{}", ran.mode);
    }
}

#[test]
fn the_ramp_time_is_not_counted() {
    let bench = Bench::new(SIZE);
    for mode in MODES {
        let job = IoJob { ramp_time: Nanos(50_000_000), io_count: Some(23), ..reading(mode, 4) };
        let ran = bench.run(&job, LONG);
        assert_eq!((ran.operations(IoKind::Read), ran.log.len()), (23, 23), "{}", ran.mode);
        assert_eq!(ran.device_bytes.0, 23 * BLOCK, "{}", ran.mode);
    }
}

#[test]
fn trimmed_blocks_are_deallocated() {
    for mode in MODES {
        let bench = Bench::new(64 * BLOCK);
        let (all, none) = (Ratio(1.0), Ratio(0.0));
        let job = IoJob { mix: IoMix { read: none, write: none, trim: all }, ..reading(mode, 4) };
        let ran = bench.run(&job, LONG);
        assert_eq!(ran.operations(IoKind::Trim), 64, "{}", ran.mode);
        assert!(std::fs::read(bench.path()).unwrap().iter().all(|byte| *byte == 0));
    }
}
