//! The runs of a plan, one after the other. Each is written when it has ended.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use record::{DataSet, NodeEventKind, PlannedRun, Run};
use workload::Test;

use super::test::measure_one;
use crate::bench::Bench;
use crate::hands::Fleet;
use crate::item::{self, Item};
use crate::kind::io::ProbeFiles;
use crate::recorder::Recorder;
use crate::run::{keep, not_started};
use crate::{Error, Event, Interrupt, Result, data};

/// All runs of the plan that are not in the record yet, test by test.
pub(crate) fn run_all(bench: &Bench<'_>, record: &mut Recorder, items: &[Item<'_>]) -> Result<()> {
    let done: BTreeSet<u32> = record.runs.iter().map(|run| run.number).collect();
    let todo: Vec<PlannedRun> =
        bench.plan.runs.iter().filter(|planned| !done.contains(&planned.number)).cloned().collect();
    record.runs.iter().for_each(|run| record_flush_latency(bench, run));
    record.runs.iter().for_each(|run| bench.sources.capacities.add(run));
    let mut loaded = false;
    let mut storage = ProbeFiles::default();
    for group in todo.chunk_by(|one, next| one.test == next.test) {
        let item = item::find(items, &group[0].test)?;
        if !loaded && matches!(item, Item::Test(_)) {
            // Probes are first, on an idle machine: loading leaves dirty pages.
            storage.clear();
            load(bench, record, &todo, items)?;
            loaded = true;
        }
        run_group(bench, record, item, group, &mut storage)?;
    }
    Ok(())
}

/// Loads the tables that the tests of `todo` need, and adds them to the record.
pub(crate) fn load(bench: &Bench<'_>, record: &mut Recorder, todo: &[PlannedRun], items: &[Item<'_>]) -> Result<()> {
    data::load(bench, todo, items)?.into_iter().try_for_each(|set| record.add_data_set(set))
}

/// The sweep of one test. A failed test does not end the invocation; a lost engine does.
pub(crate) fn run_group(
    bench: &Bench<'_>,
    record: &mut Recorder,
    item: Item<'_>,
    group: &[PlannedRun],
    storage: &mut ProbeFiles,
) -> Result<()> {
    let set_up = match item {
        Item::Test(test) => set_up(bench, test),
        Item::Probe(_) => Ok(Vec::new()),
    };
    if bench.interrupt.is_raised() {
        return Err(Error::interrupted());
    }
    let set_up = match set_up {
        Ok(loaded) => Ok(loaded.into_iter().try_for_each(|set| record.add_data_set(set))?),
        Err(error) => Err(error),
    };
    let mut one = |planned: &PlannedRun, record: &mut Recorder| {
        let run = match &set_up {
            Ok(()) => measure_one(bench, planned, item, storage)?,
            Err(error) => not_started(bench, planned, item, error),
        };
        record_flush_latency(bench, &run);
        bench.sources.capacities.add(&run);
        let is_lost = run.events.iter().any(|event| event.kind == NodeEventKind::Lost);
        let failure = keep(bench, record, run)?;
        if failure.is_some() || is_lost { check_engine(bench) } else { Ok(()) }
    };
    let result = group.iter().try_for_each(|planned| one(planned, record));
    // The node that takes writes may have changed.
    if let Item::Test(test) = item {
        for test in [test].into_iter().chain(bench.loads_beside.iter().map(|beside| beside.test)) {
            let removed = bench.databases().iter().try_for_each(|context| workload::tear_down(test, context));
            if let Some(error) = removed.err().filter(|_| result.is_ok()) {
                bench.note(&format!("objects of test {} could not be removed: {error}", test.code));
            }
        }
    }
    result
}

/// Does what `test` and the loads beside it need once before its sweep; returns the tables that stay.
fn set_up(bench: &Bench<'_>, test: &Test) -> Result<Vec<DataSet>> {
    let mut loaded = data::set_up(bench, test)?;
    for beside in bench.loads_beside {
        loaded.extend(data::set_up(bench, beside.test)?);
    }
    Ok(loaded)
}

/// Records the commit latency of the probe with one job, with which commits of the engine are compared.
fn record_flush_latency(bench: &Bench<'_>, run: &Run) {
    let on_it = bench.subject.is_some_and(|subject| subject.on_probed_device);
    if run.test == probe::COMMIT && run.dop.jobs == 1 && on_it && !model::is_invalid(run) {
        bench.sources.flush_probe_ns.store(run.service.p50_ns.0, Ordering::Relaxed);
    }
}

/// How long the remaining nodes may take to agree on a new quorum.
const AGREEMENT_TIMEOUT: Duration = Duration::from_secs(30);

/// Checks whether agents and engine answer; the sampler gets new sessions, because its own may be lost. With several nodes,
/// those that do not answer are excluded.
fn check_engine(bench: &Bench<'_>) -> Result<()> {
    bench.hands.fleet().map_or(Ok(()), Fleet::check)?;
    let Some(subject) = bench.subject else { return Ok(()) };
    let mut last = None;
    for node_index in subject.nodes.left().collect::<Vec<usize>>() {
        let node = &bench.sources.nodes[node_index];
        let alone = subject.nodes.counts().0 == 1;
        if let Err(error) = if alone { node.reconnect() } else { with_retries(bench.interrupt, || node.reconnect()) } {
            subject.nodes.lose(node_index);
            if !alone {
                bench.listener.on_event(&Event::Note(&format!("{} is lost: {error}", subject.nodes.label(node_index))));
            }
            last = Some(error);
        }
    }
    if let Err(error) = subject.nodes.move_claim() {
        bench.listener.on_event(&Event::Note(&format!("the schema could not be claimed on another node: {error}")));
    }
    match last.filter(|_| !subject.nodes.has_writer()) {
        Some(error) => Err(Error::environment(format!("the engine is lost: {}", error.message))),
        None if !subject.nodes.has_writer() => Err(Error::environment("no node is left that takes writes")),
        None => Ok(()),
    }
}

/// Repeats `attempt` until the remaining nodes agree, or the timeout ends. An unreachable node is lost.
fn with_retries(interrupt: &Interrupt, attempt: impl Fn() -> engine::Result<()>) -> engine::Result<()> {
    let start = Instant::now();
    loop {
        match attempt() {
            Err(error)
                if error.kind != engine::Kind::Unreachable
                    && start.elapsed() < AGREEMENT_TIMEOUT
                    && !interrupt.is_raised() =>
            {
                std::thread::sleep(Duration::from_millis(200));
            }
            result => return result,
        }
    }
}
