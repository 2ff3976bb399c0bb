//! The runs of a plan, one after the other. Each is written when it is over.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use record::{NodeEventKind, PlannedRun, Run};

use super::test::{measure_one, not_started};
use crate::bench::Bench;
use crate::item::Item;
use crate::kind::io::ProbeFiles;
use crate::recorder::Recorder;
use crate::run::keep;
use crate::{Error, Event, Interrupt, Result, data};

/// Every run of the plan that is not in the record yet, test by test.
pub(crate) fn run_all(bench: &Bench<'_>, record: &mut Recorder, items: &[Item<'_>]) -> Result<()> {
    let done: BTreeSet<u32> = record.runs.iter().map(|run| run.number).collect();
    let todo: Vec<PlannedRun> =
        bench.plan.runs.iter().filter(|planned| !done.contains(&planned.number)).cloned().collect();
    record.runs.iter().for_each(|run| remember_flush(bench, run));
    record.runs.iter().for_each(|run| bench.sources.capacities.remember(run));
    let mut loaded = false;
    let mut storage = ProbeFiles::default();
    for group in todo.chunk_by(|one, next| one.test == next.test) {
        let Some(item) = items.iter().find(|item| item.code() == group[0].test).copied() else {
            return Err(Error::user(format!("test {} of the plan is not known", group[0].test)));
        };
        if !loaded && matches!(item, Item::Test(_)) {
            // Probes first and on an empty machine: loading leaves dirty pages behind.
            storage.clear();
            load(bench, record, &todo, items)?;
            loaded = true;
        }
        run_group(bench, record, item, group, &mut storage)?;
    }
    Ok(())
}

/// Loads what the tests of `todo` need and is not there yet, and notes it in the record.
pub(crate) fn load(bench: &Bench<'_>, record: &mut Recorder, todo: &[PlannedRun], items: &[Item<'_>]) -> Result<()> {
    data::load(bench, todo, items)?.into_iter().try_for_each(|set| record.add_data_set(set))
}

/// The sweep of one test. A test that fails is no reason to stop; an engine that is gone is.
pub(crate) fn run_group(
    bench: &Bench<'_>,
    record: &mut Recorder,
    item: Item<'_>,
    group: &[PlannedRun],
    storage: &mut ProbeFiles,
) -> Result<()> {
    let stage = bench.stage();
    let on_stage = match item {
        Item::Test(test) => stage.as_ref().map(|stage| (test, stage)),
        Item::Probe(_) => None,
    };
    let set_up = on_stage.map_or(Ok(()), |(test, stage)| workload::set_up(test, stage).map_err(Error::from));
    let mut one = |planned: &PlannedRun, record: &mut Recorder| {
        let run = match &set_up {
            Ok(()) => measure_one(bench, planned, item, storage)?,
            Err(error) => not_started(bench, planned, item, error),
        };
        remember_flush(bench, &run);
        bench.sources.capacities.remember(&run);
        let is_lost = run.events.iter().any(|event| event.kind == NodeEventKind::Lost);
        let failure = keep(bench, record, run)?;
        if failure.is_some() || is_lost { still_there(bench) } else { Ok(()) }
    };
    let result = group.iter().try_for_each(|planned| one(planned, record));
    // The node that takes writes may be another one by now.
    if let (Item::Test(test), Some(stage)) = (item, bench.stage())
        && let Err(error) = workload::tear_down(test, &stage)
        && result.is_ok()
    {
        bench
            .listener
            .on_event(&Event::Note(&format!("what test {} created could not be removed: {error}", test.code)));
    }
    result
}

/// Notes how long a commit of the probe takes with one job: commits of the engine are held against it.
fn remember_flush(bench: &Bench<'_>, run: &Run) {
    let on_it = bench.subject.is_some_and(|subject| subject.on_probed_device);
    if run.test == probe::COMMIT && run.dop.jobs == 1 && on_it && !model::is_invalid(run) {
        bench.sources.flush_probe_ns.store(run.service.p50_ns.0, Ordering::Relaxed);
    }
}

/// How long nodes that are left may take to agree that they are enough.
const AGREED: Duration = Duration::from_secs(30);

/// Whether the engine answers; the sampler goes on with new sessions, because its own may be what was lost. Of several
/// nodes, those that do not answer are done without.
fn still_there(bench: &Bench<'_>) -> Result<()> {
    let Some(subject) = bench.subject else { return Ok(()) };
    let mut last = None;
    for place in subject.nodes.left().collect::<Vec<usize>>() {
        let node = &bench.sources.nodes[place];
        let alone = subject.nodes.counts().0 == 1;
        if let Err(error) = if alone { node.reconnect() } else { patiently(bench.interrupt, || node.reconnect()) } {
            subject.nodes.lose(place);
            if !alone {
                bench.listener.on_event(&Event::Note(&format!("{} is gone: {error}", subject.nodes.called(place))));
            }
            last = Some(error);
        }
    }
    if let Err(error) = subject.nodes.hold() {
        bench.listener.on_event(&Event::Note(&format!("the schema could not be claimed on another node: {error}")));
    }
    match last.filter(|_| !subject.nodes.can_go_on()) {
        Some(error) => Err(Error::environment(format!("the engine is gone: {}", error.message))
            .hint("what was measured is in the record; go on with --resume")),
        None if !subject.nodes.can_go_on() => Err(Error::environment("no node is left that takes writes")
            .hint("what was measured is in the record; go on with --resume")),
        None => Ok(()),
    }
}

/// Tries `attempt` again and again, for as long as nodes may take to agree. A node that does not even answer is gone.
fn patiently(interrupt: &Interrupt, attempt: impl Fn() -> engine::Result<()>) -> engine::Result<()> {
    let begun = Instant::now();
    loop {
        match attempt() {
            Err(error)
                if error.kind != engine::Kind::Unreachable && begun.elapsed() < AGREED && !interrupt.is_raised() =>
            {
                std::thread::sleep(Duration::from_millis(200));
            }
            result => return result,
        }
    }
}
