//! Proof of the limit of a test: the test is run again in pairs, with all of the limiting resource and with a fifth
//! less.
//!
//! After all plain runs, at the best degree of parallelism of each test. The run with the whole resource is the
//! control: each run with less is next to one, so that changes of the machine in between are not the cause. `model`
//! decides what is reduced; here it is reduced, and restored in any case.

mod io_counter;
mod reduction;

use model::{Capacities, Limiter, Line, Perturbation, RULES};
use record::{Outcome, PlannedRun, Ratio, Record, Run, Unproved, UnprovedReason, Variation};

use self::io_counter::IoCounter;
use self::reduction::{Reduction, Refusal};
use crate::bench::Bench;
use crate::item::Item;
use crate::kind::catalogue::{load, run_group};
use crate::kind::io::ProbeFiles;
use crate::recorder::Recorder;
use crate::{Event, Listener, Result};

/// The share of a control.
const ALL: f64 = 1.0;

/// A test that is to be run with less of a resource.
struct Candidate<'i> {
    item: Item<'i>,
    /// The planned run of its best run.
    plain: PlannedRun,
    /// Label: test and degree of parallelism.
    label: String,
    limiter: Limiter,
    perturbation: Perturbation,
    /// Pairs of a control and a run with less that earlier invocations completed.
    pairs_done: u32,
}

impl Candidate<'_> {
    /// The entry for a limit that could not be tried.
    fn unproved(&self, reason: UnprovedReason) -> Unproved {
        Unproved { test: self.plain.test.clone(), dop: self.plain.dop, reason }
    }
}

/// Runs each test of `items` again, at its best degree of parallelism, with all and with less of its limiting resource,
/// and reports the effect. A resource that cannot be reduced is reported, and does not end the invocation.
pub(crate) fn prove_all(bench: &Bench<'_>, record: &mut Recorder, items: &[Item<'_>]) -> Result<()> {
    let (candidates, unproved) = candidates(record, items, bench.listener);
    record.set_unproved(unproved)?;
    if candidates.is_empty() {
        return Ok(());
    }
    let plain: Vec<PlannedRun> = candidates.iter().map(|one| one.plain.clone()).collect();
    load(bench, record, &plain, items)?;
    for one in &candidates {
        for repeat in one.pairs_done + 1..=pairs(record) {
            if let Err(reason) = prove(&mut ProofContext { bench, record: &mut *record, one, repeat })? {
                bench.listener.on_event(&Event::NotProved { label: &one.label, limiter: None, reason: &reason });
                let unproved = record.unproved.iter().cloned().chain([one.unproved(reason)]).collect();
                record.set_unproved(unproved)?;
                break;
            }
        }
        if let Some(proof) = model::proofs(record).into_iter().rev().find(|proof| proof.test == one.plain.test) {
            bench.listener.on_event(&Event::Proved { label: &one.label, proof: &proof });
        }
    }
    Ok(())
}

/// Number of pairs: as many as repeats, and at least as many as a proof needs.
fn pairs(record: &Record) -> u32 {
    record.plan.repeats.max(u32::try_from(RULES.proof_pairs_min).unwrap_or(u32::MAX))
}

/// The trial of one candidate.
struct ProofContext<'a, 'b, 'i> {
    bench: &'a Bench<'b>,
    record: &'a mut Recorder,
    one: &'a Candidate<'i>,
    repeat: u32,
}

/// A control run, and one with less. The inner result tells whether the resource could be reduced.
fn prove(context: &mut ProofContext<'_, '_, '_>) -> Result<std::result::Result<(), UnprovedReason>> {
    let (bench, one) = (context.bench, context.one);
    // Checked before the control is measured.
    if one.perturbation != Perturbation::ArrivalRate
        && let Err(refusal) = reduction::roots(bench)
    {
        return Ok(Err(refusal.into()));
    }
    let io_counter = match one.perturbation {
        Perturbation::DeviceIo(_) => match IoCounter::start(bench) {
            Ok(io_counter) => Some(io_counter),
            Err(refusal) => return Ok(Err(refusal.into())),
        },
        Perturbation::Processors { .. } | Perturbation::ArrivalRate => None,
    };
    let control = match &io_counter {
        Some(io_counter) => io_counter.during(|| context.measure(ALL))?,
        None => context.measure(ALL)?,
    };
    let counted = io_counter.and_then(|io_counter| io_counter.end(control.as_ref()?, bench.origin));
    let Some(control) = control else { return Ok(Err(Refusal::new("the control run has no result").into())) };
    let reduced = model::perturbation(&control, &one.limiter, Ratio(RULES.proof_share))
        .and_then(|perturbation| Ok(Reduction::apply(bench, &perturbation, counted)?));
    let (reduction, share) = match reduced {
        Ok(reduced) => reduced,
        Err(reason) => return Ok(Err(reason)),
    };
    let measured = context.measure(share);
    // Restored before anything else, and before an error is returned.
    let restored = reduction.restore();
    match measured?.is_some() {
        true => Ok(restored.map_err(UnprovedReason::from)),
        false => Ok(Err(restored.err().unwrap_or_else(|| Refusal::new("the run with less has no result")).into())),
    }
}

impl ProofContext<'_, '_, '_> {
    /// A run with `share` of the resource; none if it has no result.
    fn measure(&mut self, share: f64) -> Result<Option<Run>> {
        let number = 1 + self.record.plan.runs.iter().map(|planned| planned.number).max().unwrap_or(0);
        let variation = Some(Variation::Perturbed { resource: self.one.perturbation.resource(), share });
        let planned = PlannedRun { number, repeat: self.repeat, variation, ..self.one.plain.clone() };
        self.record.plan_run(planned.clone())?;
        let storage = &mut ProbeFiles::default();
        run_group(self.bench, self.record, self.one.item, &[planned], storage)?;
        let run = self.record.runs.iter().find(|run| run.number == number);
        Ok(run.filter(|run| !model::is_invalid(run)).cloned())
    }
}

/// Removes from the plan of `record` the proof runs that were not completed: what is tried is decided again. Returns
/// whether there were any.
pub(crate) fn remove_unfinished(record: &mut Recorder) -> Result<bool> {
    record.unplan_runs(|planned, runs| {
        let is_done = |run: &Run| run.number == planned.number && run.outcome == Outcome::Done;
        is_perturbed(planned.variation) && !runs.iter().any(is_done)
    })
}

fn is_perturbed(variation: Option<Variation>) -> bool {
    matches!(variation, Some(Variation::Perturbed { .. }))
}

/// The candidates, in the order of the sheet, and what cannot be tried. The reasons are reported.
fn candidates<'i>(record: &Record, items: &[Item<'i>], listener: &dyn Listener) -> (Vec<Candidate<'i>>, Vec<Unproved>) {
    let capacities = Capacities::of(record);
    let lines = model::sheet(record).lines;
    let tests = lines.iter().filter(|line| !line.is_probe);
    let (mut candidates, mut unproved) = (Vec::new(), Vec::new());
    for found in tests.filter_map(|line| candidate(record, &capacities, line, items, listener)) {
        match found {
            Ok(candidate) => candidates.push(candidate),
            Err(refused) => unproved.push(refused),
        }
    }
    (candidates, unproved)
}

fn candidate<'i>(
    record: &Record,
    capacities: &Capacities,
    line: &Line,
    items: &[Item<'i>],
    listener: &dyn Listener,
) -> Option<std::result::Result<Candidate<'i>, Unproved>> {
    let best = line.best.as_ref()?;
    let run = record.runs.iter().find(|run| run.number == best.run)?;
    let proofs = model::proofs(record);
    let proof = proofs.iter().find(|proof| proof.test == run.test && proof.dop == run.dop);
    let pairs_done = proof.map_or(0, |proof| u32::try_from(proof.pairs).unwrap_or(u32::MAX));
    if pairs_done >= pairs(record) {
        return None;
    }
    let label = label(run);
    let unproved = |limiter: Option<&Limiter>, reason: UnprovedReason| {
        listener.on_event(&Event::NotProved { label: &label, limiter, reason: &reason });
        Some(Err(Unproved { test: run.test.clone(), dop: run.dop, reason }))
    };
    let Some(limiter) = capacities.attribute(run).map(|attribution| attribution.limiter) else {
        return unproved(None, UnprovedReason::UnknownLimit);
    };
    let item = *items.iter().find(|item| item.code() == line.test)?;
    let plain = record.plan.runs.iter().find(|planned| planned.number == run.number)?.clone();
    match model::perturbation(run, &limiter, Ratio(RULES.proof_share)) {
        Ok(perturbation) => Some(Ok(Candidate { item, plain, label, limiter, perturbation, pairs_done })),
        Err(reason) => unproved(Some(&limiter), reason),
    }
}

fn label(run: &Run) -> String {
    let nodes = if run.dop.nodes > 1 { format!(" N{}", run.dop.nodes) } else { String::new() };
    match run.sweep {
        record::Sweep::Jobs | record::Sweep::Agents { .. } => format!("{} J{}{nodes}", run.test, run.dop.jobs),
        record::Sweep::Threads => format!("{} T{}{nodes}", run.test, run.dop.threads),
    }
}
