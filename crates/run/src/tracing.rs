//! Traced repeats: runs during which kernel events are counted, beside the plain runs, whose figures are not affected.

use std::path::Path;

use engine::{Node, Processes};
use record::{Plan, PlannedRun, Preset, Run, Trace, TracerKind, Variation};
use trace::{Refused, Scope, Tracer};

use crate::item::Item;
use crate::nodes::Nodes;
use crate::{Request, Tracing};

/// What is traced by default: nothing in a smoke test, which only shows that everything works, in as little time as
/// possible. A requested tracer implies tracing.
fn requested(request: &Request) -> Tracing {
    let of_preset = match request.setup.preset {
        // A run of half an hour is not repeated for that.
        Preset::Smoke | Preset::Soak if request.tracer.is_none() => Tracing::None,
        Preset::Smoke | Preset::Quick | Preset::Standard | Preset::Publish | Preset::Soak => Tracing::One,
    };
    // A rate search adds runs of its own.
    if request.until.is_some() { Tracing::None } else { request.trace.unwrap_or(of_preset) }
}

/// What is traced for `request`: tests in `items` with I/O or commits, on the engine at `nodes`.
pub(crate) fn detect(request: &Request, items: &[Item<'_>], nodes: Option<&Nodes>) -> Result<Tracing, Box<Trace>> {
    let wanted = requested(request);
    match nodes.filter(|_| items.iter().any(Item::is_traceable) && wanted != Tracing::None) {
        Some(nodes) => start(nodes, request.tracer).map(|_tracer| wanted),
        None => Ok(Tracing::None),
    }
}

/// The trace of the plain runs of `plan`, which says why they have none. None if the plan has traced repeats, or none
/// are wanted.
pub(crate) fn untraced(
    request: &Request,
    plan: &Plan,
    items: &[Item<'_>],
    nodes: Option<&Nodes>,
) -> Option<Box<Trace>> {
    let has_some = plan.runs.iter().any(|run| run.variation == Some(Variation::Traced));
    if has_some { None } else { detect(request, items, nodes).err() }
}

/// The note for a user who requested traced repeats that are impossible.
pub(crate) fn note(request: &Request, untraced: &Trace) -> Option<String> {
    let is_asked_for = request.trace.is_some() || request.tracer.is_some();
    let missing = untraced.missing.first().filter(|_| is_asked_for)?;
    Some(format!("tracing is not possible: {}; hint: {}", missing.reason, missing.hint))
}

/// Adds the traced repeats of the tests for which `traceable` is true: after the last run of the test, where the state
/// of the machine is the same; after all rounds, if there are several. One repeat is enough: its figure is not
/// compared. [`Tracing::All`] shows what tracing costs: each round has traced and plain runs next to each other.
pub(crate) fn add_repeats(
    runs: &mut Vec<PlannedRun>,
    repeats: u32,
    tracing: Tracing,
    traceable: &dyn Fn(&str) -> bool,
) {
    if tracing == Tracing::All && repeats > 1 {
        *runs = runs.drain(..).flat_map(|run| beside_traced(run, traceable)).collect();
        return;
    }
    let plain = |run: &&PlannedRun| run.variation.is_none() && run.repeat == 1 && traceable(&run.test);
    let mut traced: Vec<PlannedRun> = Vec::new();
    for run in runs.iter().filter(plain).filter(|_| tracing != Tracing::None) {
        let same = |one: &&mut PlannedRun| one.test == run.test && (tracing == Tracing::One || one.dop == run.dop);
        match traced.iter_mut().find(same) {
            Some(one) => one.dop = one.dop.min(run.dop),
            None => traced.push(PlannedRun { variation: Some(Variation::Traced), ..run.clone() }),
        }
    }
    for run in traced {
        let last = runs.iter().rposition(|other| other.test == run.test).filter(|_| repeats <= 1);
        runs.insert(last.map_or(runs.len(), |last| last + 1), run);
    }
}

/// `run` and its traced repeat, if it has one: the repeat is first in every other round, so that changes from one run
/// to the next, such as a growing log, are not attributed to tracing.
fn beside_traced(run: PlannedRun, traceable: &dyn Fn(&str) -> bool) -> Vec<PlannedRun> {
    if run.variation.is_some() || !traceable(&run.test) {
        return vec![run];
    }
    let traced = PlannedRun { variation: Some(Variation::Traced), ..run.clone() };
    if run.repeat.is_multiple_of(2) { vec![traced, run] } else { vec![run, traced] }
}

/// The tracer of `run`, not started, if it is a traced repeat; the requested one, if any. If the kernel does not permit
/// it any more, the run records that and continues.
pub(crate) fn tracer(run: &mut Run, nodes: &Nodes, tracer: Option<TracerKind>) -> Option<Tracer> {
    if run.variation != Some(Variation::Traced) {
        return None;
    }
    start(nodes, tracer).map_err(|trace| run.trace = Some(trace)).ok()
}

/// Removes what a killed invocation left in the tracer of the kernel; returns what was removed.
pub fn clean_up_tracing() -> Vec<String> {
    trace::clean_up()
}

/// Traces everything that can be seen of the engine at `nodes`, with the tracer that is `wanted`.
fn start(nodes: &Nodes, wanted: Option<TracerKind>) -> Result<Tracer, Box<Trace>> {
    let roots = match nodes.processes() {
        Processes::InProcess => vec![std::process::id()],
        Processes::Local(roots) => roots,
        Processes::Remote => Vec::new(),
    };
    let counted = |directory: &Path| Some(host::Counters::new(directory).device()?.name.clone());
    let scope = Scope { roots, device: nodes.first().data_directory().and_then(counted) };
    let started = match wanted {
        // Nothing is traced with these: the counters are read in any case.
        Some(TracerKind::Counters | TracerKind::Engine) => Err(Refused::unwanted()),
        wanted => Tracer::start(&scope, wanted),
    };
    started.map_err(|refused| Box::new(refused.trace(scope.device.is_some())))
}

/// A node with statement timing on, which is too expensive for plain runs; it is switched off when this is dropped.
pub(crate) struct StatementTiming<'a> {
    node: &'a dyn Node,
}

impl<'a> StatementTiming<'a> {
    /// For a traced run on one node: of several, one might not be ours, and a sum without it is invalid. A server that
    /// refuses is not timed: its database time is then missing.
    pub(crate) fn begin(run: &Run, nodes: &'a Nodes, node_indexes: &[usize]) -> Option<StatementTiming<'a>> {
        let [node_index] = node_indexes else { return None };
        let is_traced = run.variation == Some(Variation::Traced);
        let node = nodes.at(*node_index);
        (is_traced && node.time_statements(true).is_ok()).then_some(StatementTiming { node })
    }
}

impl Drop for StatementTiming<'_> {
    fn drop(&mut self) {
        // Statement timing that stays on after a failure affects only a temporary server.
        let _ = self.node.time_statements(false);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use record::Dop;

    use super::*;

    fn run(test: &str, jobs: u32, repeat: u32) -> PlannedRun {
        PlannedRun {
            kind: record::RunKind::of_code(test),
            number: 0,
            test: test.to_owned(),
            dop: Dop::jobs(jobs),
            repeat,
            variation: None,
        }
    }

    fn added(runs: &[PlannedRun], repeats: u32, tracing: Tracing) -> Vec<(String, u32, bool)> {
        let mut runs = runs.to_vec();
        add_repeats(&mut runs, repeats, tracing, &|test| test != "T611");
        runs.into_iter().map(|run| (run.test, run.dop.jobs, run.variation == Some(Variation::Traced))).collect()
    }

    fn expected(runs: &[(&str, u32, bool)]) -> Vec<(String, u32, bool)> {
        runs.iter().map(|(test, jobs, traced)| ((*test).to_owned(), *jobs, *traced)).collect()
    }

    #[test]
    fn a_traced_repeat_follows_its_test_at_the_lowest_degree_or_at_every_one() {
        let runs = [run("T311", 1, 1), run("T311", 2, 1), run("T611", 1, 1), run("T716", 4, 1)];
        let plain = [("T311", 1, false), ("T311", 2, false)];
        let rest = [("T611", 1, false), ("T716", 4, false), ("T716", 4, true)];
        assert_eq!(added(&runs, 1, Tracing::One), expected(&[&plain[..], &[("T311", 1, true)], &rest].concat()));
        let both = [("T311", 1, true), ("T311", 2, true)];
        assert_eq!(added(&runs, 1, Tracing::All), expected(&[&plain[..], &both, &rest].concat()));
        assert_eq!(added(&runs, 1, Tracing::None).len(), 4);
    }

    #[test]
    fn of_rounds_there_is_one_traced_repeat_after_all_of_them() {
        let runs = [run("T311", 2, 1), run("T311", 1, 1), run("T311", 1, 2), run("T311", 2, 2)];
        assert_eq!(added(&runs, 2, Tracing::One)[4..], expected(&[("T311", 1, true)]));
    }

    #[test]
    fn where_all_are_traced_each_round_has_a_pair_and_every_other_one_begins_with_the_traced_run() {
        let runs = [run("T311", 2, 1), run("T611", 1, 1), run("T611", 1, 2), run("T311", 2, 2)];
        let first = [("T311", 2, false), ("T311", 2, true), ("T611", 1, false)];
        let second = [("T611", 1, false), ("T311", 2, true), ("T311", 2, false)];
        assert_eq!(added(&runs, 2, Tracing::All), expected(&[first, second].concat()));
    }

    proptest! {
        #[test]
        fn plain_runs_stay_in_their_order(
            jobs in prop::collection::vec((0usize..4, 1u32..9), 0..30), repeats in 1u32..4, all in any::<bool>(),
        ) {
            let of = |(test, jobs): &(usize, u32)| run(["T311", "T611", "T716", "T721"][*test], *jobs, 1);
            let plain: Vec<PlannedRun> = jobs.iter().map(of).collect();
            let mut runs = plain.clone();
            let tracing = if all { Tracing::All } else { Tracing::One };
            add_repeats(&mut runs, repeats, tracing, &|test| test != "T611");
            let left: Vec<PlannedRun> = runs.iter().filter(|run| run.variation.is_none()).cloned().collect();
            prop_assert_eq!(&left, &plain);
            for traced in runs.iter().filter(|run| run.variation.is_some()) {
                let plain = left.iter().any(|run| (&run.test, run.dop) == (&traced.test, traced.dop));
                prop_assert!(plain && traced.test != "T611", "{:?} repeats no plain run", traced);
            }
        }
    }
}
