use measure::{Done, StepStart, Tally};
use proptest::prelude::*;
use record::{
    BlockOperation, BlockOperations, CacheState, FailureKind, IoKind, Latency, Load, LoadModel, LoadStage,
    LoadStageKind, NodeEvent, NodeEventKind, NodeRun, Pace, RandomBlocks, Rate, SignedNanos, Slices, StatementRun,
    Storage, TransactionType,
};

use super::*;
use crate::distribution::{decoded, tests::stored};
use crate::fixture::{blocks_run, io_run};
use crate::load::fixture::Machine;

const SECOND: u64 = 1_000_000_000;

/// A run of ten seconds whose latencies have no values.
fn run(test: &str, jobs: u32) -> Run {
    Run { service: Latency::default(), response: Latency::default(), ..crate::fixture::run(test, jobs) }
}

/// A step that one of several agents did.
#[derive(Clone, Copy, Debug)]
struct Step {
    agent: usize,
    /// From the end of the step before it to its end.
    gap_ns: u64,
    service_ns: u64,
    late_ns: u64,
    failed: bool,
}

/// Steps of `agents` agents, up to `gap_ns` apart.
fn steps(agents: usize, gap_ns: u64) -> impl Strategy<Value = Vec<Step>> {
    let step = (0..agents, 0..gap_ns, 1u64..20 * SECOND, 0u64..SECOND, prop::bool::weighted(0.1));
    let step = step.prop_map(|(agent, gap_ns, service_ns, late_ns, failed)| Step {
        agent,
        gap_ns,
        service_ns: service_ns >> (gap_ns % 30),
        late_ns,
        failed,
    });
    prop::collection::vec(step, 1..120)
}

/// Counts in `tally`, which started at `start`, a step that ended at `ended`.
fn count(tally: &mut Tally, step: &Step, ended: u64) {
    let begun = ended.saturating_sub(step.service_ns);
    let due = begun.saturating_sub(step.late_ns);
    let turn = StepStart { number: 0, due: Nanos(due), begun: Nanos(begun), was_idle: due < begun };
    let done = Done { operations: 2, rows: 3, transactions: 1, bytes: step.gap_ns, ..Done::default() };
    tally.record(&turn, Nanos(ended), if step.failed { &FAILED } else { &done });
}

static FAILED: Done = Done {
    operations: 0,
    rows: 0,
    transactions: 0,
    bytes: 0,
    failure: Some(FailureKind::Deadlock),
    retries: 2,
    stream: 0,
    paused: Nanos(0),
    over: false,
};

/// The run of `jobs` jobs that `tally` has counted.
fn counted(tally: &Tally, jobs: u32) -> Run {
    Run {
        window_ns: tally.window(),
        totals: tally.totals(),
        service: tally.service().latency(),
        response: tally.response().latency(),
        seconds: tally.seconds().to_vec(),
        slices: tally.slices(),
        ..run("T611", jobs)
    }
}

/// `steps` counted by one process, and by each agent for itself; agent i starts `late(i)` after the first moment.
fn whole_and_parts(agents: usize, steps: &[Step], late: impl Fn(usize) -> u64) -> (Run, Vec<Run>) {
    // No step began before the window did.
    let origin = 100 * SECOND;
    let mut whole = Tally::new(Nanos(origin), 100_000);
    let mut parts: Vec<Tally> = (0..agents).map(|agent| Tally::new(Nanos(origin + late(agent)), 100_000)).collect();
    let last = (0..agents).map(&late).max().unwrap_or(0);
    let mut ended = origin + last;
    for step in steps {
        ended += step.gap_ns;
        count(&mut whole, step, ended);
        count(&mut parts[step.agent], step, ended);
    }
    let parts = parts.iter().map(|tally| counted(tally, 1)).collect();
    (counted(&whole, agents as u32), parts)
}

fn parts<'a>(runs: &'a [Run], offset: impl Fn(usize) -> i64) -> Vec<AgentPart<'a>> {
    let start = |at| AgentStart { offset_ns: SignedNanos(offset(at)), clock_error_ns: Nanos(1_000) };
    let part = |(at, run): (usize, &'a Run)| AgentPart { agent: "a", host_threads: 2, start: start(at), run };
    runs.iter().enumerate().map(part).collect()
}

fn values(slices: &Slices) -> u64 {
    slices.responses.iter().map(|text| decoded(text).map_or(0, |histogram| histogram.len())).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn values_split_over_agents_and_merged_equal_the_whole(
        (agents, steps) in (1usize..9, 20u32..33).prop_flat_map(|(agents, bits)| (Just(agents), steps(agents, 1 << bits))),
        begun in -5_000i64..5_000,
    ) {
        let (whole, runs) = whole_and_parts(agents, &steps, |_| 0);
        let merged = merged(&parts(&runs, |_| begun)).unwrap();
        prop_assert_eq!(&merged.totals, &whole.totals);
        prop_assert_eq!(&merged.service, &whole.service);
        prop_assert_eq!(&merged.response, &whole.response);
        prop_assert_eq!(&merged.seconds, &whole.seconds);
        prop_assert_eq!(&merged.slices, &whole.slices);
        prop_assert_eq!((merged.window_ns, merged.dop), (whole.window_ns, whole.dop));
    }

    #[test]
    fn a_late_start_moves_seconds_and_slices(
        (agents, steps) in (1usize..6).prop_flat_map(|agents| (Just(agents), steps(agents, SECOND / 20))),
        late in prop::collection::vec(0u64..6, 6),
    ) {
        let first = late[..agents].iter().min().copied().unwrap_or(0);
        let after = |agent: usize| (late[agent] - first) * SECOND;
        let (whole, runs) = whole_and_parts(agents, &steps, after);
        let merged = merged(&parts(&runs, |agent| after(agent) as i64 - 77)).unwrap();
        // An agent without a step has one empty second at its start.
        let end = whole.seconds.len();
        prop_assert_eq!(&merged.seconds[..end], &whole.seconds[..]);
        prop_assert!(merged.seconds[end..].iter().all(|second| *second == record::Second::default()));
        prop_assert_eq!((&merged.slices, merged.window_ns), (&whole.slices, whole.window_ns));
    }

    #[test]
    fn no_offset_loses_a_value(
        (agents, steps) in (1usize..6, 20u32..33).prop_flat_map(|(agents, bits)| (Just(agents), steps(agents, 1 << bits))),
        offsets in prop::collection::vec(-3_000_000_000i64..90_000_000_000, 6),
    ) {
        let (whole, runs) = whole_and_parts(agents, &steps, |_| 0);
        let merged = merged(&parts(&runs, |agent| offsets[agent])).unwrap();
        prop_assert_eq!((&merged.totals, &merged.response), (&whole.totals, &whole.response));
        prop_assert_eq!(merged.seconds.iter().map(|second| second.steps).sum::<u64>(), whole.totals.steps);
        let sum = |run: &Run| run.seconds.iter().map(|second| second.service_ns_sum.0).sum::<u64>();
        prop_assert_eq!(sum(&merged), sum(&whole));
        prop_assert_eq!(merged.slices.as_ref().map_or(0, values), whole.response.count);
        prop_assert!(merged.slices.is_none_or(|slices| slices.responses.len() <= 64));
        let begun = offsets[..agents].iter().min().unwrap();
        let end = (0..agents).map(|agent| offsets[agent] + runs[agent].window_ns.0 as i64).max().unwrap();
        prop_assert_eq!(merged.window_ns, Nanos((end - begun) as u64));
    }

    #[test]
    fn counts_of_any_size_add_up_to_what_fits(
        numbers in prop::collection::vec(prop::collection::vec(said(), 60), 2..4),
        offsets in prop::collection::vec(prop_oneof![-9_i64..9, Just(i64::MIN), Just(i64::MAX), any::<i64>()], 4),
        kind in 0..4_u8,
    ) {
        let runs: Vec<Run> = numbers.iter().map(|numbers| of_numbers(kind, numbers)).collect();
        let Ok(merged) = merged(&parts(&runs, |at| offsets[at])) else { return Ok(()) };
        let sum = |of: fn(&Run) -> u64| runs.iter().map(of).fold(0, u64::saturating_add);
        let totals = &merged.totals;
        prop_assert_eq!(totals.steps, sum(|run| run.totals.steps));
        prop_assert_eq!(totals.operations, sum(|run| run.totals.operations));
        prop_assert_eq!(totals.bytes.map(|bytes| bytes.0), Some(sum(|run| run.totals.bytes.map_or(0, |bytes| bytes.0))));
        prop_assert_eq!(totals.failures.values().next().copied(), Some(sum(|run| run.totals.failures[&FailureKind::Deadlock])));
        prop_assert_eq!(merged.nodes[0].totals.rows, sum(|run| run.nodes[0].totals.rows));
        prop_assert_eq!(merged.commits_expected, Some(sum(|run| run.commits_expected.unwrap_or(0))));
        let jobs = runs.iter().map(|run| run.dop.jobs).fold(0, u32::saturating_add);
        prop_assert_eq!((merged.dop.jobs, merged.events[0].jobs), (jobs, jobs));
        if let (Some(load), Some(blocks)) = (&merged.load, &merged.blocks) {
            prop_assert_eq!(load.rows, sum(|run| run.load.as_ref().map_or(0, |load| load.rows)));
            prop_assert_eq!(blocks.operations[0].rows, sum(|run| run.blocks.as_ref().map_or(0, |all| all.operations[0].rows)));
        }
        if let Some(storage) = &merged.storage {
            let of = |run: &Run| run.storage.as_ref().map_or(0, |storage| storage.streams[0].bytes.0);
            prop_assert_eq!(storage.streams[0].bytes.0, sum(of));
        }
        // What is made of them is a number, too.
        let (rates, sums) = (agent_rates(&merged), device_readings(&merged, &[]));
        prop_assert!(rates.is_none_or(|rates| rates.own_windows.0.is_finite()));
        prop_assert_eq!(sums[1].values["device_read_bytes"], sum(|run| run.readings[1].values["device_read_bytes"]));
    }
}

/// A count as an agent says it: any number, often one of the largest.
fn said() -> impl Strategy<Value = u64> {
    prop_oneof![0..99_u64, (0..3_u64).prop_map(|less| u64::MAX - less), any::<u64>()]
}

/// A run whose counts are `numbers`, in turn.
fn of_numbers(kind: u8, numbers: &[u64]) -> Run {
    let mut numbers = numbers.iter().copied().cycle();
    let mut next = || numbers.next().unwrap_or(0);
    let totals = Totals {
        steps: next(),
        operations: next(),
        rows: next(),
        transactions: next(),
        bytes: Some(Bytes(next())),
        unfinished: next(),
        retried: next(),
        retries: next(),
        failures: [(FailureKind::Deadlock, next())].into(),
    };
    let second = record::Second {
        steps: next(),
        operations: next(),
        rows: next(),
        failures: next(),
        service_ns_sum: Nanos(next()),
        response_ns_sum: Nanos(next()),
        ..record::Second::default()
    };
    let mut one = run("T611", next() as u32);
    (one.window_ns, one.commits_expected, one.seconds) = (Nanos(next()), Some(next()), vec![second; 3]);
    one.slices = (next() % 2 == 0).then(|| Slices { width_ns: Nanos(1 << (next() % 64)), responses: Vec::new() });
    let (kind_of_event, name, message) = (NodeEventKind::Lost, "h".to_owned(), "gone".to_owned());
    one.events =
        vec![NodeEvent { at_ns: Nanos(next()), node: 1, name, kind: kind_of_event, jobs: one.dop.jobs, message }];
    let latency = Latency::default;
    let (service, response, seconds) = (latency(), latency(), one.seconds.clone());
    let (jobs, readings) = (next() as u32 | 1, Vec::new());
    let statement =
        StatementRun { line: 1, text: "select 1".to_owned(), failures: next(), retries: next(), service: latency() };
    let (name, of_type) = ("read.sql".to_owned(), (latency(), latency()));
    one.transaction_types = vec![TransactionType {
        name,
        weight: 1,
        role: None,
        per_minute: Some("NOPM".to_owned()),
        totals: totals.clone(),
        service: of_type.0,
        response: of_type.1,
        statements: vec![statement],
    }];
    one.nodes = vec![NodeRun { node: 1, jobs, totals: totals.clone(), service, response, seconds, readings }];
    one.totals = totals;
    let read =
        |bytes| record::Reading { values: [("device_read_bytes".to_owned(), bytes)].into(), ..Default::default() };
    one.readings = vec![read(0), read(next())];
    if kind & 1 == 1 {
        let mut storage = io_run("F1", IoKind::Read, 2).storage.unwrap();
        let stream = &mut storage.streams[0];
        (stream.service, stream.response, stream.window_ns) = (latency(), latency(), Nanos(next()));
        (stream.operations, stream.bytes, stream.short, stream.failures) = (next(), Bytes(next()), next(), next());
        (stream.clones, stream.slots, stream.verified, stream.corrupt) = (next() as u32, next() as u32, next(), next());
        one.storage = Some(storage);
    }
    if kind & 2 == 2 {
        let stage = LoadStage {
            kind: LoadStageKind::Send,
            threads: next() as u32,
            busy_ns: Nanos(next()),
            cpu_ns: Some(Nanos(next())),
            bytes: Bytes(next()),
        };
        let loaded =
            Load { rows: next(), batches: next(), flat_bytes: Bytes(next()), stages: vec![stage], ..load(1, &[]) };
        one.load = Some(Box::new(loaded));
        let (operation, steps, rows) = (BlockOperation::Read, next(), next());
        let operations = vec![BlockOperations { operation, steps, rows, service: latency() }];
        one.blocks = Some(Box::new(RandomBlocks { operations, ..*blocks_run(CacheState::Preloaded).blocks.unwrap() }));
    }
    one
}

#[test]
fn histograms_with_more_values_than_one_can_have_are_refused() {
    let with = |counts: &[(u64, u64)]| {
        let mut histogram = hdrhistogram::Histogram::<u64>::new_with_bounds(1, 86_400_000_000_000, 3).unwrap();
        counts.iter().for_each(|(value, count)| histogram.record_n(*value, *count).unwrap());
        let (histogram, count) = (crate::distribution::encoded(&histogram), histogram.len());
        Run { service: Latency { count, histogram, ..Latency::default() }, ..run("T611", 1) }
    };
    let most = i64::MAX as u64;
    let merged = |runs: &[Run]| merged(&parts(runs, |_| 0)).map(|run| run.service.count);
    assert_eq!(merged(&[with(&[(5, most)])]), Ok(most));
    assert_eq!(merged(&[with(&[(5, most - 1)]), with(&[(5, 1)])]), Ok(most));
    for other in [5, 7] {
        let error = merged(&[with(&[(5, most)]), with(&[(other, 3)])]).unwrap_err();
        assert_eq!(error, MergeError::TooManyValues { agent: "a".to_owned(), found: 3, limit: most });
    }
    let unreadable = MergeError::Unreadable { agent: "a".to_owned() };
    assert_eq!(merged(&[with(&[(5, most), (7, most)])]), Err(unreadable));
}

#[test]
fn the_merged_run_names_its_parts() {
    let runs = [run("T611", 3), Run { jobs_ended_separately: true, ..run("T611", 1) }];
    let mut both = parts(&runs, |at| at as i64 * 5_000 - 1_000);
    (both[1].agent, both[1].host_threads) = ("b", 7);
    let merged = merged(&both).unwrap();
    assert_eq!((merged.dop.jobs, merged.jobs_ended_separately, merged.title.as_str()), (4, true, "a test"));
    let named: Vec<_> = merged.agents.iter().map(|of| (of.agent.as_str(), of.jobs, of.host_threads)).collect();
    assert_eq!(named, [("a", 3, 2), ("b", 1, 7)]);
    assert_eq!(merged.agents[1].start.offset_ns, SignedNanos(4_000));
    assert_eq!((&merged.agents[0].totals, &merged.agents[0].seconds), (&runs[0].totals, &runs[0].seconds));
    assert_eq!((start_spread(&merged), merged.window_ns), (Some(Nanos(5_000)), Nanos(10 * SECOND + 5_000)));
    assert!(merged.readings.is_empty() && merged.findings.is_empty());
}

#[test]
fn nodes_have_the_jobs_of_all_agents_and_a_loss_is_one_event() {
    let node = |number: u32, jobs: u32, values: &[u64]| NodeRun {
        node: number,
        jobs,
        totals: Totals { steps: values.len() as u64, ..Totals::default() },
        service: stored(values),
        response: stored(values),
        seconds: vec![record::Second { steps: values.len() as u64, ..Default::default() }],
        readings: vec![record::Reading::default()],
    };
    let lost = |at: u64, jobs: u32| NodeEvent {
        at_ns: Nanos(at),
        node: 2,
        name: "h2".to_owned(),
        kind: NodeEventKind::Lost,
        jobs,
        message: "gone".to_owned(),
    };
    let with = |nodes: Vec<NodeRun>, events: Vec<NodeEvent>| Run { nodes, events, ..run("T611", 2) };
    let gone = NodeEvent { kind: NodeEventKind::Gone, ..lost(0, 0) };
    let runs = [
        with(vec![node(1, 1, &[5]), node(2, 1, &[7, 9])], vec![lost(3 * SECOND, 1), gone]),
        with(vec![node(1, 0, &[]), node(2, 2, &[11])], vec![lost(SECOND, 2)]),
    ];
    let merged = merged(&parts(&runs, |at| at as i64 * SECOND as i64)).unwrap();
    let found: Vec<_> = merged
        .nodes
        .iter()
        .map(|node| (node.node, node.jobs, node.totals.steps, node.service.count, node.response.max_ns.0))
        .collect();
    assert_eq!(found, [(1, 1, 1, 1, 5), (2, 3, 3, 3, 11)]);
    let steps: Vec<u64> = merged.nodes[1].seconds.iter().map(|second| second.steps).collect();
    assert_eq!(steps, [2, 1], "the second agent started a second later");
    assert!(merged.nodes.iter().all(|node| node.readings.is_empty()), "the coordinator reads them");
    let [event] = merged.events.as_slice() else { panic!("{:?}", merged.events) };
    assert_eq!((event.at_ns, event.jobs, event.node), (Nanos(2 * SECOND), 3, 2), "when the first noticed it");
}

/// Storage runs of two agents, the second of which does `change`.
fn of_storage(change: impl Fn(&mut Run)) -> Result<Run, MergeError> {
    let mut one = Run { pace: Pace::Rate { steps_per_second: 100.0 }, ..io_run("F1", IoKind::Read, 2) };
    (one.service, one.response) = (Latency::default(), Latency::default());
    let stream = &mut one.storage.as_mut().unwrap().streams[0];
    (stream.service, stream.response, stream.pace) = (stored(&[5, 7]), stored(&[5, 9]), one.pace);
    (stream.operations, stream.bytes, stream.failures) = (1_000, Bytes(8_192_000), 1);
    let mut other = one.clone();
    change(&mut other);
    let runs = [one, other];
    let mut both = parts(&runs, |at| at as i64 * 1_000);
    both[1].agent = "b";
    merged(&both)
}

#[test]
fn the_io_of_agents_is_that_of_all_threads_on_the_files_of_all_hosts() {
    let run = of_storage(|run| {
        let storage = run.storage.as_mut().unwrap();
        (storage.generator_per_second, storage.scheduling_delay_ns_max) = (Some(Rate(5.0)), Some(Nanos(9_000_000)));
        storage.modes.push("pread".to_owned());
        let stream = &mut storage.streams[0];
        (stream.service, stream.first_failure) = (stored(&[11]), Some("EIO".to_owned()));
    })
    .unwrap();
    let storage = run.storage.unwrap();
    let stream = &storage.streams[0];
    assert_eq!((run.dop.jobs, stream.clones, stream.slots, stream.depth), (4, 4, 4, 1));
    assert_eq!((run.pace.rate(), stream.pace.rate()), (Some(200.0), Some(200.0)));
    assert_eq!((stream.operations, stream.bytes, stream.failures), (2_000, Bytes(16_384_000), 2));
    assert_eq!((stream.service.count, stream.service.max_ns, stream.response.count), (3, Nanos(11), 4));
    assert_eq!(stream.window_ns, Nanos(10 * SECOND + 1_000), "from the first start to the last end");
    assert_eq!(stream.first_failure.as_deref(), Some("agent b: EIO"));
    assert_eq!((storage.generator_per_second, storage.modes.len()), (Some(Rate(5.0)), 2));
    assert_eq!(storage.scheduling_delay_ns_max, Some(Nanos(9_000_000)), "the longest");
    let files: Vec<_> = storage.files.iter().map(|file| (file.agent.as_deref(), file.path.as_str())).collect();
    assert_eq!(files, [(Some("a"), "/data/file"), (Some("b"), "/data/file")]);
}

/// What one of two agents, the second of which changes it, has loaded.
fn load(rows: u64, stages: &[(LoadStageKind, u64)]) -> Load {
    let stage = |(kind, busy_ns): &(LoadStageKind, u64)| LoadStage {
        kind: *kind,
        threads: 2,
        busy_ns: Nanos(*busy_ns),
        cpu_ns: (*busy_ns != 9).then_some(Nanos(1)),
        bytes: Bytes(10),
    };
    let machine = Machine::SMALL.run(LoadModel::default(), 2, false).load.unwrap();
    Load { rows, flat_bytes: Bytes(rows * 75), batches: 3, stages: stages.iter().map(stage).collect(), ..*machine }
}

#[test]
fn the_shares_of_agents_in_a_load_add() {
    use LoadStageKind::{Parse, Read, Send};
    let loads = [load(100, &[(Read, 5), (Send, 7)]), load(40, &[(Send, 9), (Parse, 1)])];
    let runs =
        loads.map(|load| Run { data_bytes: Some(load.flat_bytes), load: Some(Box::new(load)), ..run("L100", 2) });
    let merged = merged(&parts(&runs, |_| 0)).unwrap();
    let load = merged.load.unwrap();
    assert_eq!(
        (load.rows, load.batches, load.flat_bytes, merged.data_bytes),
        (140, 6, Bytes(10_500), Some(Bytes(10_500)))
    );
    let stages: Vec<_> = load.stages.iter().map(|stage| (stage.kind, stage.threads, stage.busy_ns.0)).collect();
    assert_eq!(stages, [(Read, 2, 5), (Send, 4, 16), (Parse, 2, 1)]);
    assert_eq!(load.stages[1].cpu_ns, None, "one agent does not know it");
}

#[test]
fn the_operations_of_agents_on_blocks_add_by_kind() {
    use BlockOperation::{Read, Update};
    let blocks = |operations: &[(BlockOperation, &[u64])]| {
        let of = |(operation, values): &(BlockOperation, &[u64])| BlockOperations {
            operation: *operation,
            steps: values.len() as u64,
            rows: 4,
            service: stored(values),
        };
        Some(Box::new(RandomBlocks {
            operations: operations.iter().map(of).collect(),
            ..*blocks_run(CacheState::Preloaded).blocks.unwrap()
        }))
    };
    let runs = [blocks(&[(Read, &[5, 7])]), blocks(&[(Update, &[3]), (Read, &[11])])];
    let runs = runs.map(|blocks| Run { blocks, commits_expected: Some(2), ..run("B100", 1) });
    let merged = merged(&parts(&runs, |_| 0)).unwrap();
    let operations = merged.blocks.unwrap().operations;
    let told: Vec<_> = operations.iter().map(|of| (of.operation, of.steps, of.rows, of.service.max_ns.0)).collect();
    assert_eq!(told, [(Read, 3, 8, 11), (Update, 1, 4, 3)]);
    assert_eq!(merged.commits_expected, Some(4));
}

#[test]
fn other_io_is_no_part_of_the_run() {
    let refused = |change: fn(&mut Storage)| {
        let run = of_storage(|run| change(run.storage.as_mut().unwrap()));
        assert_eq!(run.unwrap_err().to_string(), "agent b delivered a part of another run: 1 (F1)");
    };
    refused(|storage| storage.streams.clear());
    refused(|storage| storage.streams[0].job = "other".to_owned());
    refused(|storage| storage.streams[0].kind = IoKind::Write);
    assert!(of_storage(|_| ()).is_ok());
}

#[test]
fn a_run_fails_with_any_of_its_parts() {
    let failed = Run { outcome: Outcome::Failed { message: "no route".to_owned() }, ..run("T611", 1) };
    let runs = [run("T611", 1), failed];
    let message = "agent a: no route".to_owned();
    assert_eq!(merged(&parts(&runs, |_| 0)).unwrap().outcome, Outcome::Failed { message });
}

#[test]
fn parts_that_do_not_add_are_refused() {
    let with = |change: fn(&mut Run)| {
        let mut other = run("T611", 1);
        let values = stored(&[5, 7]);
        (other.service, other.response) = (values.clone(), values);
        let first = other.clone();
        change(&mut other);
        let runs = [first, other];
        merged(&parts(&runs, |_| 0)).map_err(|error| error.to_string()).err()
    };
    let coarse = |values: &[u64]| {
        let mut histogram = hdrhistogram::Histogram::<u64>::new_with_bounds(1, 86_400_000_000_000, 1).unwrap();
        values.iter().for_each(|value| histogram.saturating_record(*value));
        crate::distribution::latency_of(&histogram)
    };
    assert_eq!(with(|_| ()), None);
    assert_eq!(with(|run| run.service = Latency::default()), None, "a part without values");
    assert_eq!(merged(&[]).unwrap_err(), MergeError::NoParts);
    assert_eq!(with(|run| run.number = 2).unwrap(), "agent a delivered a part of another run: 2 (T611)");
    assert_eq!(
        with(|run| run.storage = io_run("F1", IoKind::Read, 1).storage).unwrap(),
        "agent a delivered a part of another run: 1 (T611)"
    );
    assert_eq!(with(|run| run.service.histogram.truncate(9)).unwrap(), "a histogram of agent a cannot be decoded");
    assert_eq!(with(|run| run.response.count = 3).unwrap(), "a histogram of agent a has 2 values; 3 were counted");
    let mut runs = [Run { service: stored(&[5]), ..run("T611", 1) }, Run { service: coarse(&[5]), ..run("T611", 1) }];
    assert_eq!(
        merged(&parts(&runs, |_| 0)).unwrap_err(),
        MergeError::OtherBuckets { agent: "a".to_owned(), digits: 1, expected_digits: 3 }
    );
    runs[1].service = stored(&[5]);
    let width = |width_ns| Some(Slices { width_ns: Nanos(width_ns), responses: Vec::new() });
    (runs[0].slices, runs[1].slices) = (width(100), width(300));
    assert_eq!(
        merged(&parts(&runs, |_| 0)).unwrap_err().to_string(),
        "slices of agent a are 300 ns wide, which is 100 ns times no power of two"
    );
    runs[1].slices = width(0);
    assert!(matches!(merged(&parts(&runs, |_| 0)), Err(MergeError::OtherWidth { .. })));
    let days = |at: usize| at as i64 * 90_000 * SECOND as i64;
    assert_eq!(
        merged(&parts(&runs, days)).unwrap_err().to_string(),
        "agent a started 90000.000 s after the first one; the limit is 86400 s"
    );
}

#[test]
fn the_two_rates_differ_where_an_agent_starts_late() {
    let runs = [run("T611", 1), run("T611", 1)];
    let together = agent_rates(&merged(&parts(&runs, |_| 0)).unwrap()).unwrap();
    assert_eq!((together.own_windows, together.common_seconds), (Rate(2_000.0), Some(Rate(2_000.0))));
    assert_eq!(
        (together.gap.map(|gap| gap.0), together.first_done_ns, together.last_done_ns.0),
        (Some(0.0), Nanos(10 * SECOND), 10 * SECOND)
    );
    // The first agent is twice as fast while it is alone.
    let mut fast = runs.clone();
    fast[0].seconds[..4].iter_mut().for_each(|second| second.operations *= 2);
    fast[0].totals.operations += 4_000;
    let apart = agent_rates(&merged(&parts(&fast, |at| at as i64 * 4 * SECOND as i64)).unwrap()).unwrap();
    assert_eq!((apart.own_windows, apart.common_seconds), (Rate(2_400.0), Some(Rate(2_000.0))));
    assert!((apart.gap.unwrap().0 - 400.0 / 2_400.0).abs() < 1e-12);
    assert_eq!((apart.first_done_ns, apart.last_done_ns), (Nanos(10 * SECOND), Nanos(14 * SECOND)));
    let no_common = merged(&parts(&runs, |at| at as i64 * 10 * SECOND as i64)).unwrap();
    assert_eq!(agent_rates(&no_common).unwrap().common_seconds, None);
    assert_eq!((agent_rates(&runs[0]), start_spread(&runs[0])), (None, None), "no fleet");
}
