//! A record as one invocation leaves it, made up: round figures of a machine that does not exist.

use record::{
    Check, Evidence, Finding, Instrument, Nanos, Outcome, Pace, Placement, Plan, PlannedRun, Preset, Record, Run,
    SCHEMA_VERSION, Skipped, Status, Timestamp, Tool, Verdict,
};

use crate::data_sample::{data_set, reused};
use crate::finding_sample;
pub use crate::platform_sample::{engine, host};
use crate::run_sample::{SECONDS, run};
use crate::test_sample::SAMPLES;

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn at(text: &str) -> Timestamp {
    Timestamp(text.to_owned())
}

/// A sample of 13 tests at 1, 2 and 4 jobs, three of them with warnings, with one aborted run and one skipped test.
pub fn record() -> Record {
    let mut runs = Vec::new();
    for sample in SAMPLES {
        for (index, dop) in [1, 2, 4].into_iter().enumerate() {
            runs.push(run(runs.len() as u32 + 1, sample, dop, sample.operations_per_second[index]));
        }
    }
    spoil(&mut runs);
    let planned = runs.iter().map(|run| PlannedRun {
        kind: run.kind.clone(),
        number: run.number,
        test: run.test.clone(),
        dop: run.dop,
        repeat: 1,
        variation: None,
    });
    Record {
        schema_version: SCHEMA_VERSION,
        id: "20260131-120000-db1".to_owned(),
        tool: Tool { version: "0.1.0".to_owned(), optimised: true, build: None },
        started_at: at("2026-01-31T12:00:00.000Z"),
        ended_at: Some(at("2026-01-31T12:04:30.000Z")),
        status: Status::Finished,
        reason: None,
        plan: plan(planned.collect()),
        host: host(),
        server_hosts: Default::default(),
        storage_hosts: Default::default(),
        agent_hosts: Default::default(),
        engine: Some(engine()),
        instrument: Instrument {
            clock_source: some("tsc"),
            clock_method: Some(record::ClockMethod::Tsc),
            clock_read_ns: 20.0,
            loop_step_ns: 80.0,
            null_engine_step_ns: 150.0,
            sample_ns: Nanos(200_000),
        },
        nodes: Vec::new(),
        local_round_trips: None,
        unproved: Vec::new(),
        data_sets: vec![data_set("dbdyno_small", 1_000_000, 2_000_000_000), reused("dbdyno_large", 10_000_000)],
        runs,
    }
}

/// Adds warnings to the sample, each of another kind.
fn spoil(runs: &mut [Run]) {
    let mut add = |test: &str, jobs: Option<u32>, finding: Finding| {
        for run in runs.iter_mut().filter(|run| run.test == test && jobs.is_none_or(|jobs| run.dop.jobs == jobs)) {
            run.findings.push(finding.clone());
        }
    };
    let find = |check, verdict| {
        let found = finding_sample::all().into_iter().find(|found| found.check() == check && found.verdict == verdict);
        found.unwrap()
    };
    add("T626", None, find(Check::PageCache, Verdict::Warn));
    add("T611", Some(4), find(Check::ClientShare, Verdict::Warn));
    add("T721", Some(4), find(Check::CommitCount, Verdict::Fail));
    add("T616", None, Finding::new(Verdict::Unknown, Evidence::Steal(None)));
    for (test, thousandths) in [("T331", 12.0), ("T441", 9.0), ("T311", 11.0)] {
        add(test, Some(2), finding_sample::steal(Verdict::Warn, thousandths));
    }
    for run in runs.iter_mut().filter(|run| run.test == "T441" && run.dop.jobs == 4) {
        run.outcome = Outcome::Failed { message: "the server closed the session: out of memory".to_owned() };
    }
    for run in runs.iter_mut().filter(|run| run.test == "T151") {
        run.parameters.insert("n".to_owned(), 30);
    }
}

fn plan(runs: Vec<PlannedRun>) -> Plan {
    Plan {
        target: "local:example".to_owned(),
        directory: "/measured/dbdyno".to_owned(),
        preset: Preset::Quick,
        probe_window_ns: None,
        window_ns: Nanos(SECONDS * 1_000_000_000),
        warm_up_ns: Nanos(500_000_000),
        steps: None,
        seed: 42,
        placement: Placement::Kernel,
        pace: Pace::Unthrottled,
        until: None,
        one_thread_per_core: false,
        small_rows: 1_000_000,
        large_rows: 10_000_000,
        warehouses: None,
        repeats: 1,
        paired: None,
        runs,
        skipped: vec![
            Skipped { test: "T332".to_owned(), reason: "Example SQL has no table compression".to_owned() },
            Skipped { test: "T512".to_owned(), reason: "Example SQL builds an index with one thread".to_owned() },
        ],
        test_files: Vec::new(),
        scripts: None,
        in_kind: None,
        loads_beside: Vec::new(),
        io: None,
        network: None,
        agents: None,
        agent_hosts: Vec::new(),
        jobs_per_agent: None,
        client_threads: None,
        database_per_agent: false,
    }
}
