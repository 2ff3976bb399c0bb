//! A phase that agents carry out, each on files and devices of its own host: what they are asked for, and the run that
//! their results become.

use std::path::PathBuf;

use record::{IoPart, IoPhase, JobShare, Outcome, Part, PartKind, PlannedRun, Run};

use super::phase_context::{PhaseContext, PhaseRun, clones};
use crate::Error;
use crate::bench::Bench;
use crate::fleet::{carry_out, plan_of_agents};
use crate::hands::Fleet;

/// Has the agents of `fleet` carry out `phase`, each all of its jobs, and fills in what they counted. A run that they do not
/// carry out has failed.
pub(super) fn drive_agents(
    bench: &Bench<'_>,
    run: &mut Run,
    fleet: &dyn Fleet,
    context: &PhaseContext<'_>,
    phase: &IoPhase,
    phase_run: PhaseRun,
) {
    // Also a run without any result is one of storage.
    run.storage = Some(Box::default());
    let parts = parts(bench, run, context, phase, &phase_run);
    let left = fleet.agents() as usize;
    let carried_out = if parts.len() > left {
        Err(Error::environment(format!("it needs {} agents, and {left} are left", parts.len())))
    } else {
        carry_out(bench, run, fleet, (&parts, &[]), Vec::new(), &|| ()).map(drop)
    };
    if phase_run.preparing {
        // Such a run is in no record, and nothing is to be collected of it.
        fleet.release();
    }
    if let Some(storage) = &mut run.storage {
        (storage.bound, storage.rounds) = (phase_run.bound, phase_run.rounds);
    }
    if let Err(error) = carried_out {
        run.outcome = Outcome::Failed { message: error.to_string() };
    }
}

/// The parts of `run`, which is of `phase`: each agent carries out all of its jobs, at the pace of `phase_run` if they keep
/// one together.
fn parts(bench: &Bench<'_>, run: &Run, context: &PhaseContext<'_>, phase: &IoPhase, phase_run: &PhaseRun) -> Vec<Part> {
    let count = clones(phase).max(1);
    let agents = run.dop.jobs / count;
    let mut phase = phase.clone();
    if let Some(pace) = phase_run.pace {
        phase.jobs.iter_mut().for_each(|job| job.pace = pace.times(1.0 / f64::from(agents)));
    }
    let planned = PlannedRun {
        number: run.number,
        ..PlannedRun::new(&run.test, run.kind.clone(), record::Dop { jobs: count, ..run.dop })
    };
    let wanted = context.of_agents.cloned().unwrap_or_default();
    let names = |paths: &[PathBuf]| paths.iter().map(|path| path.display().to_string()).collect();
    let io = IoPart {
        plan: wanted.plan,
        phase,
        writer: context.writer,
        seed: context.seed,
        devices: names(&wanted.permission.devices),
        destroy: names(&wanted.permission.destroy),
    };
    // What prepares a run has its number, and must never be taken for it: it is of no record, and agents keep nothing of it.
    let record = if phase_run.preparing { "" } else { bench.record };
    let part = |agent: u32| Part {
        record: record.to_owned(),
        nodes: Vec::new(),
        plan: plan_of_agents(bench.plan, run),
        planned: planned.clone(),
        share: JobShare { first: agent * count, count, all: run.dop.jobs },
        kind: PartKind::Io(Box::new(io.clone())),
    };
    (0..agents).map(part).collect()
}
