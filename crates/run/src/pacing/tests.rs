//! Runs and plans that tests of pacing share.

use record::{Dop, Layer, Nanos, Pace, Plan, PlannedRun, Preset, Run, RunKind, Timestamp, Totals, Unit};

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
        window_ns: Nanos::SECOND,
        seed: 42,
        until: Some(until),
        ..Plan::new(String::new(), String::new(), Preset::Quick)
    }
}
