//! Well-formed records with impossible values.

use std::fs;

use dbdyno_store::{Error, list, read, read_without_series};
use proptest::prelude::*;
use record::{
    AgentRun, Arrival, BlockOperation, BlockOperations, CacheState, Dop, Latency, LayerLatency, LoopLocation,
    MeasuringPoint, Nanos, NodeEvent, NodeEventKind, NodeRun, Outcome, Pace, RandomBlocks, Ratio, Record, Run,
    Timestamp, Totals, Trace, Until, Variation,
};
use tempfile::tempdir;

use crate::file::lines;
use crate::sample;

/// Why the record is refused, without its path; none if it is valid.
pub fn reason(record: &Record) -> Option<String> {
    let directory = tempdir().unwrap();
    let path = directory.path().join("r.jsonl");
    fs::write(&path, lines(record)).unwrap();
    match read(&path) {
        Ok(_) => None,
        Err(Error::Impossible { reason, .. }) => Some(reason),
        Err(other) => panic!("{other}"),
    }
}

/// Why a changed record is refused.
pub fn error_of(change: impl FnOnce(&mut Record)) -> String {
    let mut record = sample::full();
    assert_eq!(reason(&record), None);
    change(&mut record);
    reason(&record).expect("an error")
}

#[test]
fn thing_value_and_limit_are_named() {
    assert_eq!(error_of(|record| record.runs[1].dop.jobs = 0), "run 2 (T311): jobs 0, minimum 1");
    assert_eq!(error_of(|record| record.runs[0].dop.nodes = 0), "run 1 (T311): nodes 0, minimum 1");
    assert_eq!(
        error_of(|record| record.plan.runs[2].dop.threads = 0),
        "run 3 of the plan (T311): threads 0, minimum 1"
    );
    assert_eq!(error_of(|record| record.plan.repeats = 0), "repeats 0, minimum 1");
    assert_eq!(
        error_of(|record| record.runs[0].window_ns = Nanos(0)),
        "run 1 (T311): steps 23 in window_ns 0, which is impossible"
    );
    let date = |text: &str| Timestamp(text.to_owned());
    assert_eq!(
        error_of(|record| record.started_at = date("2026-13-31T12:00:00Z")),
        "started_at \"2026-13-31T12:00:00Z\" is not a date such as 2026-01-31T12:00:00.000Z"
    );
    assert!(error_of(|record| record.ended_at = Some(date("soon"))).starts_with("ended_at \"soon\" is not a date"));
    assert!(
        error_of(|record| record.runs[3].started_at = date(""))
            .starts_with("run 4 (T311): started_at \"\" is not a date")
    );
    assert_eq!(error_of(|record| record.instrument.loop_step_ns = -1.5), "loop_step_ns -1.5, minimum 0");
    let rate = Pace::Rate { steps_per_second: 0.0 };
    assert_eq!(error_of(|record| record.plan.pace = rate), "steps_per_second 0: a rate must be above 0");
    let paced = Some(Variation::Paced { pace: rate, one_thread_per_core: false });
    assert_eq!(
        error_of(|record| record.plan.runs[1].variation = paced),
        "run 2 of the plan (T311): steps_per_second 0: a rate must be above 0"
    );
    let share = |share| Some(Variation::ShareOfCapacity { share });
    assert_eq!(
        error_of(|record| record.runs[0].variation = share(0.0)),
        "run 1 (T311): a variation with share 0: a share must be above 0"
    );
    let until = Until { level: "p99=5ms".to_owned(), arrival: Arrival::Poisson, tolerance: Ratio(1.5) };
    assert_eq!(error_of(|record| record.plan.until = Some(until.clone())), "tolerance 1.5 is not a share from 0 to 1");
    assert_eq!(error_of(|record| record.engine.as_mut().unwrap().nodes = 0), "nodes of the engine 0, minimum 1");
    assert_eq!(error_of(|record| record.data_sets[0].jobs = 0), "table dbdyno_small: jobs 0, minimum 1");
}

/// A record of a run with five jobs on two of three nodes, the last of which was lost before.
fn spread() -> Record {
    let mut record = sample::full();
    let third = record.nodes[1].clone();
    record.nodes.push(third);
    record.engine.as_mut().unwrap().nodes = 3;
    let run = &mut record.runs[0];
    run.dop = Dop { nodes: 2, ..Dop::jobs(5) };
    let totals =
        |part: u64| Totals { steps: part, operations: part, rows: part, transactions: part, ..Totals::default() };
    let node = |node: u32, jobs: u32, part: u64| NodeRun { node, jobs, totals: totals(part), ..run.nodes[0].clone() };
    run.nodes = vec![node(1, 3, 40), node(2, 2, 2)];
    run.totals = totals(42);
    run.agents.clear();
    run.transaction_types.clear();
    let gone = NodeEvent { at_ns: Nanos(0), node: 3, kind: NodeEventKind::Gone, jobs: 0, ..run.events[0].clone() };
    run.events.insert(0, gone);
    record
}

/// Why the changed run of [`spread`] is refused, without its name; empty if it is valid.
fn of_nodes(change: impl FnOnce(&mut Run)) -> String {
    let mut record = spread();
    change(&mut record.runs[0]);
    let reason = reason(&record).unwrap_or_default();
    reason.strip_prefix("run 1 (T311): ").unwrap_or(&reason).to_owned()
}

#[test]
fn totals_of_nodes_add_up_to_those_of_the_run() {
    assert_eq!(of_nodes(|_| {}), "");
    assert_eq!(of_nodes(|run| drop(run.nodes.pop())), "1 nodes are listed, the run has 2");
    assert_eq!(of_nodes(|run| run.nodes[1].node = 1), "node 1 occurs twice");
    assert_eq!(of_nodes(|run| run.nodes[1].node = 0), "node 0: number 0, minimum 1");
    assert_eq!(of_nodes(|run| run.nodes[1].node = 4), "node 4, the record has nodes 3");
    assert_eq!(of_nodes(|run| run.nodes[1].jobs = 3), "jobs of the nodes are 6 in total, the run has 5");
    assert_eq!(
        of_nodes(|run| run.nodes[0].totals.rows = u64::MAX),
        "rows of the nodes are 18446744073709551617 in total, the run has 42"
    );
    for name in ["steps", "operations", "transactions"] {
        let error = of_nodes(|run| match name {
            "steps" => run.totals.steps += 1,
            "operations" => run.totals.operations += 1,
            _ => run.totals.transactions += 1,
        });
        assert_eq!(error, format!("{name} of the nodes are 42 in total, the run has 43"));
    }
    let missing = "results per node are missing, but the record lists its nodes";
    assert_eq!(of_nodes(|run| run.nodes.clear()), missing);
    let failed = |run: &mut Run| run.outcome = Outcome::Failed { message: "it was aborted".to_owned() };
    assert_eq!(
        of_nodes(|run| (failed(run), run.nodes.clear()).1),
        "",
        "it may have been aborted before the nodes started"
    );
    assert_eq!(of_nodes(|run| (run.totals = Totals::default(), run.nodes.clear()).1), "", "nothing was done");
    let mut old = spread();
    (old.nodes, old.runs[0].nodes) = (Vec::new(), Vec::new());
    assert_eq!(reason(&old), None, "it lists no nodes at all");
    old.engine = None;
    assert_eq!(reason(&old).unwrap(), "run 1 (T311): event of node 3, the record has nodes 1");
}

#[test]
fn jobs_and_totals_of_agents_add_up_to_those_of_the_run() {
    let of_agents = |change: fn(&mut Run)| {
        let mut record = spread();
        let run = &mut record.runs[0];
        let agent = |name: &str, jobs: u32, node: usize| AgentRun {
            agent: name.to_owned(),
            jobs,
            totals: run.nodes[node].totals.clone(),
            ..sample::full().runs[0].agents[0].clone()
        };
        run.agents = vec![agent("a", 3, 0), agent("b", 2, 1)];
        change(run);
        let reason = reason(&record).unwrap_or_default();
        reason.strip_prefix("run 1 (T311): ").unwrap_or(&reason).to_owned()
    };
    assert_eq!(of_agents(|_| {}), "");
    assert_eq!(of_agents(|run| run.agents[1].agent = "a".to_owned()), "agent a occurs twice");
    assert_eq!(of_agents(|run| run.agents[1].agent.clear()), "an agent without a name");
    assert_eq!(of_agents(|run| run.agents[1].jobs = 0), "agent b: jobs 0, minimum 1");
    assert_eq!(of_agents(|run| run.agents[1].jobs = 3), "jobs of the agents are 6 in total, the run has 5");
    assert_eq!(
        of_agents(|run| run.agents[0].totals.transactions += 1),
        "transactions of the agents are 43 in total, the run has 42"
    );
    let damaged = of_agents(|run| run.agents[0].service.histogram.truncate(9));
    assert!(damaged.starts_with("agent a: service histogram cannot be decoded"), "{damaged}");
}

#[test]
fn types_of_transactions_add_up_to_the_run() {
    let of_types = |change: fn(&mut Run)| {
        let mut record = sample::full();
        change(&mut record.runs[0]);
        let reason = reason(&record).unwrap_or_default();
        reason.strip_prefix("run 1 (T311): ").unwrap_or(&reason).to_owned()
    };
    assert_eq!(of_types(|_| {}), "");
    let more = "steps of the types of transactions are 24 in total, the run has 23";
    assert_eq!(of_types(|run| run.transaction_types[0].totals.steps += 1), more);
    let damaged = of_types(|run| run.transaction_types[0].statements[0].service.histogram.truncate(9));
    assert!(damaged.starts_with("type read.sql: service of a statement histogram cannot be decoded"), "{damaged}");
}

#[test]
fn events_of_nodes_and_rates_are_checked() {
    assert_eq!(of_nodes(|run| run.dop.nodes = 4).as_str(), "2 nodes are listed, the run has 4");
    assert_eq!(
        of_nodes(|run| (run.dop.nodes, run.nodes, run.events) = (4, Vec::new(), Vec::new())),
        "nodes 4, the record has nodes 3"
    );
    assert_eq!(of_nodes(|run| run.events[0].node = 0), "node of an event 0, minimum 1");
    assert_eq!(of_nodes(|run| run.events[0].node = 7), "event of node 7, the record has nodes 3");
    assert_eq!(of_nodes(|run| run.events[1].jobs = 6), "event of node 2: jobs 6, the run has 5");
    let limit = 86_401_000_000_123;
    assert_eq!(of_nodes(|run| run.events[1].at_ns = Nanos(limit)), "");
    assert_eq!(
        of_nodes(|run| run.events[1].at_ns = Nanos(limit + 1)),
        format!("event of node 2: at_ns {}, the limit is one day after the window, {limit}", limit + 1)
    );
    assert_eq!(
        error_of(|record| (record.runs[0].window_ns, record.runs[0].totals.operations) = (Nanos(1), 1_000_000_001)),
        "run 1 (T311): operations 1000000001 in window_ns 1, 1000000000000000000 per second is the maximum"
    );
    assert_eq!(
        error_of(|record| (record.runs[0].window_ns, record.runs[0].totals.steps) = (Nanos(1), 10_001)),
        "run 1 (T311): steps 10001 in window_ns 1, 10000000000000 per second is the maximum"
    );
}

#[test]
fn a_long_record_is_refused_for_its_nodes_whatever_the_reader_drops() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("dbdyno-r.jsonl");
    let mut record = spread();
    let runs = record.runs.clone();
    record.runs = (1..=600).map(|number| Run { number, ..runs[0].clone() }).collect();
    let thin = |run: &mut Run| (run.nodes, run.events) = (Vec::new(), Vec::new());
    let mut refused = |change: fn(&mut Run)| {
        let kept = record.runs[576].clone();
        change(&mut record.runs[576]);
        fs::write(&path, lines(&record)).unwrap();
        record.runs[576] = kept;
        read_without_series(&path, &thin).err().map(|error| error.to_string())
    };
    assert_eq!(refused(|_| {}), None);
    for (change, words) in [
        ((|run| run.nodes.clear()) as fn(&mut Run), "run 577 (T311): results per node are missing"),
        (|run| run.events[0].node = 4, "run 577 (T311): event of node 4, the record has nodes 3"),
        (|run| run.nodes[0].jobs = 1, "run 577 (T311): jobs of the nodes are 3 in total, the run has 5"),
    ] {
        let error = refused(change).unwrap_or_default();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn latencies_and_histograms_are_checked() {
    let histogram = |text: &str| error_of(|record| record.runs[0].response.histogram = text.to_owned());
    assert!(histogram("HISTFAAA").starts_with("run 1 (T311): response histogram cannot be decoded: it has 6 bytes"));
    assert!(histogram("<script>").contains("cannot be decoded: it is not base64"), "{}", histogram("<script>"));
    assert_eq!(
        error_of(|record| {
            let service = &mut record.runs[0].service;
            (service.count, service.p50_ns, service.p90_ns) = (100, Nanos(1_000), Some(Nanos(3)));
        }),
        "run 1 (T311): service p90_ns 3 is below p50_ns 1000"
    );
    assert_eq!(
        error_of(|record| record.runs[0].service.max_ns = Nanos(0)),
        "run 1 (T311): service max_ns 0 is below min_ns 1"
    );
    let slices = |change: fn(&mut Run)| error_of(|record| change(&mut record.runs[0]));
    assert_eq!(slices(|run| run.slices.as_mut().unwrap().width_ns = Nanos(0)), "run 1 (T311): 2 slices of width_ns 0");
    let error = slices(|run| run.slices.as_mut().unwrap().responses[1] = "x".to_owned());
    assert!(error.starts_with("run 1 (T311): histogram of slice 2 cannot be decoded"), "{error}");
    assert_eq!(
        slices(|run| run.readings[1].at_ns = Nanos(4)),
        "run 1 (T311): the last reading at_ns 4 is before the first at_ns 5"
    );
}

#[test]
fn traces_are_checked() {
    let traced = |change: &dyn Fn(&mut Trace)| {
        error_of(|record| change(record.runs.iter_mut().find_map(|run| run.trace.as_mut()).expect("a traced run")))
    };
    let latency = |change: fn(&mut LayerLatency)| traced(&|trace| change(&mut trace.latencies[0]));
    for (error, words) in [
        (latency(|of: &mut LayerLatency| of.point = MeasuringPoint::Wait), "the kernel does not trace this layer"),
        (latency(|of: &mut LayerLatency| of.point = MeasuringPoint::Device), "which is marked as missing"),
        (latency(|of: &mut LayerLatency| of.latency.count = 0), "count 0: an operation without events must be absent"),
        (latency(|of: &mut LayerLatency| of.latency.mean_ns = Nanos(0)), "is not between min_ns"),
        (latency(|of: &mut LayerLatency| of.latency.histogram = "x".to_owned()), "histogram cannot be decoded"),
        (traced(&|trace| trace.missing[0].point = MeasuringPoint::SystemCall), "which is marked as missing"),
    ] {
        assert!(error.contains("trace of fdatasync at ") && error.contains(words), "{error}");
    }
}

#[test]
fn random_blocks_are_checked() {
    let blocks = |change: &dyn Fn(&mut RandomBlocks)| {
        error_of(|record| {
            let kind = BlockOperations {
                operation: BlockOperation::Read,
                steps: record.runs[0].totals.steps,
                rows: record.runs[0].totals.rows,
                service: Latency::default(),
            };
            let mut blocks = RandomBlocks {
                loop_location: LoopLocation::Client,
                operations_per_step: 1,
                caches: CacheState::Warm,
                cache_bytes: None,
                block_bytes: None,
                page_cached: None,
                blocks_per_schema: 100,
                work_unit: 64,
                operations: vec![kind],
            };
            record.runs[0].blocks = Some(Box::new(blocks.clone()));
            assert_eq!(reason(record), None);
            change(&mut blocks);
            record.runs[0].blocks = Some(Box::new(blocks));
        })
    };
    assert!(blocks(&|blocks| blocks.work_unit = 0).ends_with("work_unit 0, minimum 1"));
    assert!(blocks(&|blocks| blocks.operations_per_step = 0).contains("operations_per_step 0"));
    assert!(blocks(&|blocks| blocks.work_unit = 101).ends_with("work_unit 101, more than blocks_per_schema 100"));
    assert!(blocks(&|blocks| blocks.page_cached = Some(Ratio(1.5))).contains("page_cached 1.5 is not a share"));
    assert!(blocks(&|blocks| blocks.operations[0].steps += 1).contains("steps of the operations are 24 in total"));
    assert!(blocks(&|blocks| blocks.operations[0].rows = u64::MAX).contains("rows of the operations are"));
    let cut = |blocks: &mut RandomBlocks| blocks.operations[0].service.histogram = "x".to_owned();
    assert!(blocks(&cut).contains("service of operations histogram cannot be decoded"));
}

#[test]
fn storage_is_checked() {
    let outcome =
        |change: fn(&mut record::Storage)| error_of(|record| change(record.runs[0].storage.as_mut().unwrap()));
    assert_eq!(
        outcome(|storage| storage.files[0].cached = Some(Ratio(1.5))),
        "run 1 (T311): file /measured/data/data.0: cached 1.5 is not a share from 0 to 1"
    );
    assert_eq!(
        outcome(|storage| storage.streams[0].duty_cycle = Ratio(-0.1)),
        "run 1 (T311): stream data: duty_cycle -0.1 is not a share from 0 to 1"
    );
    let job = |change: fn(&mut record::IoJob)| {
        error_of(|record| change(&mut record.plan.io.as_mut().unwrap().phases[0].jobs[0]))
    };
    assert_eq!(job(|job| job.mix.read = Ratio(2.0)), "I/O job data: read 2 is not a share from 0 to 1");
    assert_eq!(job(|job| job.clones = 0), "I/O job data: clones 0, minimum 1");
}

#[test]
fn a_long_record_is_checked_too_and_a_list_checks_dates() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("dbdyno-r.jsonl");
    let mut record = sample::full();
    let runs = record.runs.clone();
    record.runs = (1..=600).map(|number| Run { number, ..runs[number as usize % runs.len()].clone() }).collect();
    record.runs[576].response.histogram = "HISTFAAA".to_owned();
    fs::write(&path, lines(&record)).unwrap();
    // Also if the reader drops parts of it.
    let bare = read_without_series(&path, &|run| run.response.histogram.clear()).unwrap_err();
    for error in [bare, read(&path).unwrap_err()] {
        assert!(error.to_string().contains("has an impossible value: run 577 (T311): response histogram"), "{error}");
        assert!(error.hint().is_some());
    }
    assert!(list(directory.path()).unwrap()[0].content.is_ok(), "runs are counted there and not looked at");
    record.started_at = Timestamp("yesterday".to_owned());
    fs::write(&path, lines(&record)).unwrap();
    let entry = &list(directory.path()).unwrap()[0];
    assert!(entry.to_string().contains("started_at \"yesterday\" is not a date"), "{entry}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn numbers_are_accepted_or_refused_by_their_limits(
        (jobs, threads, nodes, repeats) in (0u32..3, 0u32..3, 0u32..3, 0u32..3),
        window in 0u64..3,
        steps in 0u64..3,
        cached in -1.0f64..2.0,
        rate in -1.0f64..2.0,
        quantiles in prop::array::uniform4(0u64..4),
    ) {
        let mut record = sample::full();
        record.plan.repeats = repeats;
        let run = &mut record.runs[0];
        (run.dop.jobs, run.dop.threads, run.dop.nodes) = (jobs, threads, nodes);
        // As in older records.
        (run.nodes, record.nodes) = (Vec::new(), Vec::new());
        run.agents.clear();
        run.transaction_types.clear();
        (run.window_ns, run.totals.steps, run.totals.operations) = (Nanos(window), steps, steps);
        run.storage.as_mut().unwrap().files[0].cached = Some(Ratio(cached));
        run.pace = Pace::Poisson { steps_per_second: rate };
        let [p50, p90, p99, p999] = quantiles.map(Nanos);
        run.service.count = 10_000;
        (run.service.p50_ns, run.service.p90_ns, run.service.p99_ns, run.service.p999_ns) =
            (p50, Some(p90), Some(p99), Some(p999));
        let possible = jobs > 0 && threads > 0 && nodes > 0 && repeats > 0
            && (window > 0 || steps == 0)
            && (0.0..=1.0).contains(&cached)
            && rate > 0.0
            && quantiles.is_sorted();
        prop_assert_eq!(reason(&record).is_none(), possible);
    }

    #[test]
    fn nodes_are_accepted_or_refused_by_their_limits(
        parts in prop::collection::vec((0u32..5, 0u32..3, 0u64..3), 0..4),
        (nodes, jobs, steps) in (1u32..5, 1u32..6, 0u64..6),
        (node, ended, late) in (0u32..5, 0u32..6, 0u64..3),
        (is_listed, is_done) in any::<(bool, bool)>(),
    ) {
        let mut record = spread();
        let run = &mut record.runs[0];
        run.dop = Dop { nodes, ..Dop::jobs(jobs) };
        run.totals = Totals { steps, ..Totals::default() };
        let part = |(node, jobs, steps): &(u32, u32, u64)| {
            NodeRun { node: *node, jobs: *jobs, totals: Totals { steps: *steps, ..Totals::default() }, ..run.nodes[0].clone() }
        };
        run.nodes = parts.iter().map(part).collect();
        let day = 86_400_000_000_000;
        let at_ns = Nanos(run.window_ns.0 + day * late / 2 + u64::from(late == 2));
        run.events = vec![NodeEvent { at_ns, node, jobs: ended, ..run.events[0].clone() }];
        if !is_done {
            run.outcome = Outcome::Failed { message: "it was aborted".to_owned() };
        }
        if !is_listed {
            record.nodes.clear();
        }
        let mut numbers: Vec<u32> = parts.iter().map(|part| part.0).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let adds_up = parts.len() == nodes as usize
            && parts.iter().map(|part| part.1).sum::<u32>() == jobs
            && parts.iter().map(|part| part.2).sum::<u64>() == steps;
        let may_lack = parts.is_empty() && (nodes == 1 || !is_listed);
        let possible = numbers.len() == parts.len()
            && numbers.iter().chain([&node, &nodes]).all(|number| (1..=3).contains(number))
            && ended <= jobs
            && late < 2
            && (!is_done || steps == 0 || adds_up || may_lack);
        prop_assert_eq!(reason(&record).is_none(), possible, "{:?}", reason(&record));
    }

    #[test]
    fn a_date_is_accepted_or_refused_without_a_panic(text in "\\PC{0,30}|2026-[0-9]{2}-[0-9]{2}T[0-9]{2}:00:00Z") {
        let mut record = sample::full();
        record.started_at = Timestamp(text.clone());
        let date = text.get(5..7).zip(text.get(8..10)).zip(text.get(11..13));
        let number = |text: &str| text.parse::<u32>().unwrap_or(99);
        match (reason(&record), date) {
            (None, Some(((month, day), hour))) => {
                prop_assert!((1..=12).contains(&number(month)) && (1..=31).contains(&number(day)) && number(hour) < 24);
            }
            (None, None) => prop_assert!(false, "{:?} was taken for a date", text),
            (Some(_), _) => {}
        }
    }
}
