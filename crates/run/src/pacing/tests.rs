//! Runs and plans that tests of pacing share.

use record::{Dop, Layer, Nanos, Pace, Placement, Plan, PlannedRun, Preset, Run, RunKind, Timestamp, Totals, Unit};

/// A plain run of a second.
pub(crate) fn finished(test: &str, jobs: u32, steps: u64) -> Run {
    let planned = PlannedRun::new(test, RunKind::Test, Dop::jobs(jobs));
    Run {
        number: 1,
        layer: Layer::Server,
        unit: Unit::Row,
        window_ns: Nanos::SECOND,
        totals: Totals { steps, operations: steps, ..Totals::default() },
        ..Run::new(&planned, Pace::Unthrottled, Timestamp::default())
    }
}

/// A plan of no runs that searches.
pub(crate) fn searching(until: record::Until) -> Plan {
    Plan {
        target: String::new(),
        directory: String::new(),
        preset: Preset::Quick,
        window_ns: Nanos::SECOND,
        warm_up_ns: Nanos(0),
        steps: None,
        seed: 42,
        placement: Placement::Kernel,
        pace: Pace::Unthrottled,
        until: Some(until),
        one_thread_per_core: false,
        small_rows: 0,
        large_rows: 0,
        repeats: 1,
        paired: None,
        runs: Vec::new(),
        skipped: Vec::new(),
        test_files: Vec::new(),
        io: None,
    }
}
