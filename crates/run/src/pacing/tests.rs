//! Runs and plans that tests of pacing share.

use record::{Dop, Layer, Nanos, Outcome, Pace, Placement, Plan, Preset, Run, Sweep, Timestamp, Totals, Unit};

/// A plain run of a second.
pub(crate) fn finished(test: &str, jobs: u32, steps: u64) -> Run {
    Run {
        kind: record::RunKind::Test,
        number: 1,
        test: test.to_owned(),
        title: String::new(),
        layer: Layer::Server,
        unit: Unit::Row,
        sweep: Sweep::Jobs,
        dop: Dop::jobs(jobs),
        variation: None,
        pace: Pace::AsFastAsPossible,
        ceiling: None,
        cache_fit: None,
        data_reads: None,
        data_bytes: None,
        commits_expected: None,
        changes: false,
        parameters: Default::default(),
        started_at: Timestamp::default(),
        window_ns: Nanos::SECOND,
        outcome: Outcome::Done,
        totals: Totals { steps, operations: steps, ..Totals::default() },
        service: Default::default(),
        response: Default::default(),
        seconds: Vec::new(),
        slices: None,
        readings: Vec::new(),
        jobs_ended_apart: false,
        foreign_load: None,
        nodes: Vec::new(),
        events: Vec::new(),
        storage: None,
        activity: None,
        trace: None,
        blocks: None,
        load: None,
        streams: None,
        findings: Vec::new(),
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
        pace: Pace::AsFastAsPossible,
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
