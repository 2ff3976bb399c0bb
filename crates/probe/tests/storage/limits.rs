//! What ends a lane.

use record::{Bytes, IoJob, IoKind, Nanos};

use crate::bench::{BLOCK, Bench, LONG, MODES, reading, writing};

#[test]
fn an_amount_of_bytes() {
    let bench = Bench::new(100 * BLOCK);
    for mode in MODES {
        let ran = bench.run(&writing(mode, 7), LONG);
        assert_eq!(ran.tallies[0].totals().bytes, Some(Bytes(100 * BLOCK)), "{}", ran.mode);
    }
}

#[test]
fn a_count_of_ios_even_where_the_region_is_smaller() {
    let bench = Bench::new(16 * BLOCK);
    for mode in MODES {
        let job = IoJob { io_count: Some(50), time_based: true, ..reading(mode, 4) };
        let ran = bench.run(&job, LONG);
        assert_eq!((ran.operations(IoKind::Read), ran.log.len()), (50, 50), "{}", ran.mode);
    }
}

#[test]
fn a_time() {
    let bench = Bench::new(64 * BLOCK);
    for mode in MODES {
        let job = IoJob { loops: 1_000_000, ..reading(mode, 4) };
        let ran = bench.run(&job, Nanos(100_000_000));
        let window = ran.tallies[0].window();
        assert!(window >= Nanos(90_000_000) && window < Nanos(5_000_000_000), "{window:?}, {}", ran.mode);
    }
}

#[test]
fn the_first_limit_that_is_reached() {
    let bench = Bench::new(64 * BLOCK);
    for mode in MODES {
        let ran = bench.run(&IoJob { io_count: Some(1_000), ..reading(mode, 4) }, LONG);
        assert_eq!(ran.operations(IoKind::Read), 64, "bytes, {}", ran.mode);
        let ran = bench.run(&IoJob { io_count: Some(63), ..reading(mode, 4) }, LONG);
        assert_eq!(ran.operations(IoKind::Read), 63, "the count, {}", ran.mode);
    }
}
