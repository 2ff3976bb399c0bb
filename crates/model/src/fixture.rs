//! Runs and records for tests: small, valid, and the same every time.

use std::collections::BTreeMap;

use record::{
    Bytes, Dop, EngineInventory, HostInventory, Instrument, Latency, Layer, Location, Nanos, Outcome, Pace, Placement,
    Plan, Preset, Reading, Record, Run, Second, Status, Sweep, Timestamp, Tool, Totals, Unit,
};

/// A reading `at` seconds after the beginning.
pub(crate) fn reading(at: u64, values: &[(&str, u64)]) -> Reading {
    let values = values.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    Reading { at_ns: Nanos(at * 1_000_000_000), values }
}

/// Ten seconds of a closed loop that nothing disturbs: `jobs` jobs of 1000 steps/s each, one row and one transaction
/// per step.
pub(crate) fn run(test: &str, jobs: u32) -> Run {
    let each = u64::from(jobs) * 1_000;
    let second = Second {
        steps: each,
        operations: each,
        rows: each,
        failures: 0,
        service_ns_sum: Nanos(each * 1_000_000),
        service_ns_max: Nanos(2_000_000),
        response_ns_sum: Nanos(each * 1_000_000),
        response_ns_max: Nanos(2_000_000),
    };
    let latency = latency(each * 10, 1_000_000);
    Run {
        number: 1,
        test: test.to_owned(),
        title: "a test".to_owned(),
        layer: Layer::Server,
        unit: Unit::Row,
        sweep: Sweep::Jobs,
        dop: Dop::jobs(jobs),
        pace: Pace::AsFastAsPossible,
        ceiling: None,
        cache_fit: None,
        data_bytes: None,
        commits_expected: None,
        changes: true,
        parameters: BTreeMap::new(),
        begun_at: Timestamp::default(),
        window_ns: Nanos(10_000_000_000),
        outcome: Outcome::Done,
        totals: Totals {
            steps: each * 10,
            operations: each * 10,
            rows: each * 10,
            transactions: each * 10,
            ..Totals::default()
        },
        service: latency.clone(),
        response: latency,
        seconds: vec![second; 10],
        readings: vec![reading(0, &[]), reading(10, &[])],
        findings: Vec::new(),
    }
}

/// `count` values around `mean_ns`, none above twice of it.
pub(crate) fn latency(count: u64, mean_ns: u64) -> Latency {
    Latency {
        count,
        min_ns: Nanos(mean_ns / 2),
        mean_ns: Nanos(mean_ns),
        p50_ns: Nanos(mean_ns),
        p90_ns: Nanos(mean_ns * 3 / 2),
        p99_ns: Nanos(mean_ns * 19 / 10),
        p999_ns: Nanos(mean_ns * 2),
        max_ns: Nanos(mean_ns * 2),
        histogram: String::new(),
    }
}

/// The same run with counters that rose by so much from the first reading to the last.
pub(crate) fn counted(mut run: Run, deltas: &[(&str, u64)]) -> Run {
    let last = run.readings.len() - 1;
    for (name, delta) in deltas {
        run.readings[0].values.insert((*name).to_owned(), 1_000);
        run.readings[last].values.insert((*name).to_owned(), 1_000 + delta);
    }
    run
}

/// The same run with its operations, in every place, `factor` times as many.
pub(crate) fn faster(mut run: Run, factor: u64) -> Run {
    run.totals.operations *= factor;
    run.seconds.iter_mut().for_each(|second| second.operations *= factor);
    run
}

/// An engine on this host, behind a socket, durable.
pub(crate) fn engine() -> EngineInventory {
    EngineInventory {
        name: "engine".to_owned(),
        title: "Engine".to_owned(),
        version: "1".to_owned(),
        location: Location::UnixSocket,
        nodes: 1,
        encryption: None,
        throwaway: true,
        block_bytes: Some(Bytes(8_192)),
        cache_bytes: Some(Bytes::MIB.times(128)),
        durable: Some(true),
        durability: "every commit waits for the log".to_owned(),
        settings: Vec::new(),
    }
}

/// An instrument with a loop of 50 ns and 200 ns with a test.
pub(crate) fn instrument() -> Instrument {
    Instrument { loop_step_ns: 50.0, null_engine_step_ns: 200.0, ..Instrument::default() }
}

/// A finished record of these runs, numbered in order.
pub(crate) fn record(runs: Vec<Run>) -> Record {
    let runs = runs.into_iter().zip(1..).map(|(run, number)| Run { number, ..run }).collect();
    Record {
        schema_version: record::SCHEMA_VERSION,
        id: String::new(),
        tool: Tool::default(),
        begun_at: Timestamp::default(),
        ended_at: None,
        status: Status::Finished,
        reason: None,
        plan: plan(),
        host: HostInventory::default(),
        engine: Some(engine()),
        instrument: instrument(),
        data_sets: Vec::new(),
        runs,
    }
}

fn plan() -> Plan {
    Plan {
        target: String::new(),
        directory: String::new(),
        preset: Preset::Quick,
        window_ns: Nanos::SECOND,
        warm_up_ns: Nanos(0),
        steps: None,
        seed: 1,
        placement: Placement::Kernel,
        pace: Pace::AsFastAsPossible,
        small_rows: 1,
        large_rows: 1,
        runs: Vec::new(),
        skipped: Vec::new(),
        test_files: Vec::new(),
    }
}
