//! Whether what limits a test is what limits it: the test is run again in pairs, with all of that and with a fifth less.
//!
//! After all plain runs, at the best degree of parallelism of each test. The run with all of it is the control: each run
//! with less stands next to one, so that what the machine did in between is no cause. What is to be taken away is decided by
//! `model`; here it is taken, and given back whatever happens.

mod counting;
mod taking;

use model::{Attribution, Capacities, Limiter, Line, Perturbation, RULES};
use record::{Outcome, PlannedRun, Ratio, Record, Run, Unproved, Variation};

use self::counting::Counting;
use self::taking::{Refusal, Taking};
use crate::bench::Bench;
use crate::item::Item;
use crate::kind::catalogue::{load, run_group};
use crate::kind::io::ProbeFiles;
use crate::recorder::Recorder;
use crate::{Event, Result};

/// The share of a control.
const ALL: f64 = 1.0;

/// A test that is to be run with less of something.
struct Suspicion<'i> {
    item: Item<'i>,
    /// The line of the plan of its best run.
    plain: PlannedRun,
    /// Its test and degree of parallelism, as they are spoken of.
    called: String,
    /// What limits it, as a clause.
    gist: String,
    limiter: Limiter,
    perturbation: Perturbation,
    /// Pairs of a control and a run with less that an earlier invocation came to.
    tried: u32,
}

impl Suspicion<'_> {
    /// That it could not be tried.
    fn unproved(&self, refusal: &Refusal) -> Unproved {
        Unproved {
            test: self.plain.test.clone(),
            dop: self.plain.dop,
            limit: Some(self.gist.clone()),
            reason: refusal.to_string(),
        }
    }
}

/// Runs each test of `items` again, at its best degree of parallelism, with all and with less of what limits it there,
/// and says what that did. What cannot be taken away is said, and is no reason to stop.
///
/// # Errors
/// As for all runs.
pub(crate) fn prove_all(bench: &Bench<'_>, record: &mut Recorder, items: &[Item<'_>]) -> Result<()> {
    let note = |text: &str| bench.listener.on_event(&Event::Note(text));
    let (suspicions, unproved) = suspicions(record, items, &note);
    record.set_unproved(unproved)?;
    if suspicions.is_empty() {
        return Ok(());
    }
    let plain: Vec<PlannedRun> = suspicions.iter().map(|one| one.plain.clone()).collect();
    load(bench, record, &plain, items)?;
    for one in &suspicions {
        for repeat in one.tried + 1..=pairs(record) {
            if let Err(refusal) = prove(&mut ProofContext { bench, record: &mut *record, one, repeat })? {
                note(&format!("{}: not proved: {refusal}", one.called));
                let unproved = record.unproved.iter().cloned().chain([one.unproved(&refusal)]).collect();
                record.set_unproved(unproved)?;
                break;
            }
        }
        if let Some(proof) = model::proofs(record).into_iter().rev().find(|proof| proof.test == one.plain.test) {
            note(&format!("{}: {}", one.called, proof.sentence()));
        }
    }
    Ok(())
}

/// How many pairs are tried: as many as there are repeats, and no fewer than a cause needs.
fn pairs(record: &Record) -> u32 {
    record.plan.repeats.max(u32::try_from(RULES.proof_pairs_min).unwrap_or(u32::MAX))
}

/// Where one suspicion is tried.
struct ProofContext<'a, 'b, 'i> {
    bench: &'a Bench<'b>,
    record: &'a mut Recorder,
    one: &'a Suspicion<'i>,
    repeat: u32,
}

/// A control, and the same with less. The inner result is whether there was something to take away.
fn prove(context: &mut ProofContext<'_, '_, '_>) -> Result<std::result::Result<(), Refusal>> {
    let (bench, one) = (context.bench, context.one);
    // Nothing is measured where nothing may be taken away.
    if one.perturbation != Perturbation::ArrivalRate
        && let Err(refusal) = taking::roots(bench)
    {
        return Ok(Err(refusal));
    }
    let counting = match one.perturbation {
        Perturbation::DeviceIo(_) => match Counting::begin(bench) {
            Ok(counting) => Some(counting),
            Err(refusal) => return Ok(Err(refusal)),
        },
        Perturbation::Processors { .. } | Perturbation::ArrivalRate => None,
    };
    let control = match &counting {
        Some(counting) => counting.during(|| context.measure(ALL))?,
        None => context.measure(ALL)?,
    };
    let counted = counting.and_then(|counting| counting.end(control.as_ref()?, bench.origin));
    let Some(control) = control else { return Ok(Err(Refusal::new("the run that had all of it gave no result"))) };
    let taken = model::perturbation(&control, &one.limiter, Ratio(RULES.proof_share))
        .map_err(Refusal::new)
        .and_then(|perturbation| Taking::of(bench, &perturbation, counted));
    let (taking, share) = match taken {
        Ok(taken) => taken,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let measured = context.measure(share);
    // Given back before anything else, and before an error is told.
    let given_back = taking.give_back();
    match measured?.is_some() {
        true => Ok(given_back),
        false => Ok(given_back.and(Err(Refusal::new("the run with less gave no result")))),
    }
}

impl ProofContext<'_, '_, '_> {
    /// A run with `share` of the resource; none where it gave no result.
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

/// Takes those runs out of the plan of `record` that were to prove something and did not come to it: what is tried is
/// decided anew. Whether there were any.
///
/// # Errors
/// Where the record cannot be written.
pub(crate) fn forget_untried(record: &mut Recorder) -> Result<bool> {
    record.unplan_runs(|planned, runs| {
        let is_done = |run: &Run| run.number == planned.number && run.outcome == Outcome::Done;
        is_perturbed(planned.variation) && !runs.iter().any(is_done)
    })
}

fn is_perturbed(variation: Option<Variation>) -> bool {
    matches!(variation, Some(Variation::Perturbed { .. }))
}

/// What is to be tried, in the order of the sheet, and what cannot be. The rest is said.
fn suspicions<'i>(record: &Record, items: &[Item<'i>], note: &dyn Fn(&str)) -> (Vec<Suspicion<'i>>, Vec<Unproved>) {
    let capacities = Capacities::of(record);
    let lines = model::sheet(record).lines;
    let tests = lines.iter().filter(|line| !line.is_probe);
    let (mut suspicions, mut unproved) = (Vec::new(), Vec::new());
    for found in tests.filter_map(|line| suspicion(record, &capacities, line, items, note)) {
        match found {
            Ok(suspicion) => suspicions.push(suspicion),
            Err(refused) => unproved.push(refused),
        }
    }
    (suspicions, unproved)
}

fn suspicion<'i>(
    record: &Record,
    capacities: &Capacities,
    line: &Line,
    items: &[Item<'i>],
    note: &dyn Fn(&str),
) -> Option<std::result::Result<Suspicion<'i>, Unproved>> {
    let best = line.best.as_ref()?;
    let run = record.runs.iter().find(|run| run.number == best.run)?;
    let proofs = model::proofs(record);
    let proof = proofs.iter().find(|proof| proof.test == run.test && proof.dop == run.dop);
    let tried = proof.map_or(0, |proof| u32::try_from(proof.pairs).unwrap_or(u32::MAX));
    if tried >= pairs(record) {
        return None;
    }
    let called = called(run);
    let unproved = |limit: Option<String>, reason: &str| {
        Some(Err(Unproved { test: run.test.clone(), dop: run.dop, limit, reason: reason.to_owned() }))
    };
    let Some(Attribution { limiter, gist, .. }) = capacities.attribute(run) else {
        let reason = "nothing is known of what limits it";
        note(&format!("{called}: not proved: {reason}"));
        return unproved(None, reason);
    };
    let item = *items.iter().find(|item| item.code() == line.test)?;
    let plain = record.plan.runs.iter().find(|planned| planned.number == run.number)?.clone();
    match model::perturbation(run, &limiter, Ratio(RULES.proof_share)) {
        Ok(perturbation) => Some(Ok(Suspicion { item, plain, called, gist, limiter, perturbation, tried })),
        Err(reason) => {
            note(&format!("{called}: {gist}; cannot be perturbed: {reason}"));
            unproved(Some(gist), &reason)
        }
    }
}

fn called(run: &Run) -> String {
    let nodes = if run.dop.nodes > 1 { format!(" N{}", run.dop.nodes) } else { String::new() };
    match run.sweep {
        record::Sweep::Jobs => format!("{} J{}{nodes}", run.test, run.dop.jobs),
        record::Sweep::Threads => format!("{} T{}{nodes}", run.test, run.dop.threads),
    }
}
