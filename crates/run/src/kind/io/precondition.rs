//! Preconditioning as in SNIA's performance test specification: the region is written twice from end to end, then the
//! jobs run in rounds until five rounds in a row are steady.

use record::{Amount, Blocks, Bytes, IoJob, IoMix, IoOrder, IoPhase, Nanos, Outcome, Round, Run};

use super::geometry::smallest_block;
use super::phase::measure_phase;
use super::phase_context::{PhaseContext, PhaseRun};
use crate::bench::Bench;
use crate::{Error, Event, Result};

/// The most rounds; more do not make it steady.
const ROUNDS_MAX: usize = 25;
/// Number of passes over the region.
const FILLS: u32 = 2;
/// Block size of these passes.
const FILL_BYTES: Bytes = Bytes(128 << 10);

/// Preconditions the files of `phase`; returns the rounds.
pub(crate) fn precondition(
    bench: &Bench<'_>,
    context: &mut PhaseContext<'_>,
    phase: &IoPhase,
    number: u32,
    length: Nanos,
) -> Result<Vec<Round>> {
    let phase_run = |test: &str| PhaseRun { test: test.to_owned(), preparing: true, ..PhaseRun::of(phase) };
    bench.listener.on_event(&Event::Note("preconditioning: writing the region twice"));
    done(&measure_phase(bench, context, &filling(phase), number, phase_run("fill"))?)?;
    let mut rounds: Vec<Round> = Vec::new();
    while rounds.len() < ROUNDS_MAX {
        let mut jobs = phase.jobs.clone();
        for job in &mut jobs {
            (job.time_based, job.run_time, job.ramp_time) = (true, Some(length), Nanos(0));
        }
        let run =
            measure_phase(bench, context, &IoPhase { name: phase.name.clone(), jobs }, number, phase_run("round"))?;
        done(&run)?;
        let rate = model::row(&run).operations_per_second.unwrap_or_default();
        rounds.push(Round { length_ns: run.window_ns, operations_per_second: rate });
        let rates: Vec<f64> = rounds.iter().map(|round| round.operations_per_second.0).collect();
        if model::snia(&rates).is_some_and(|found| found.steady) {
            break;
        }
    }
    Ok(rounds)
}

/// A failure of the preconditioning ends the measurement.
fn done(run: &Run) -> Result<()> {
    match &run.outcome {
        Outcome::Done => Ok(()),
        Outcome::Failed { message } => Err(Error::environment(format!("preconditioning failed: {message}"))),
    }
}

/// The regions of `phase`, written from end to end.
pub(crate) fn filling(phase: &IoPhase) -> IoPhase {
    IoPhase { name: "fill".to_owned(), jobs: phase.jobs.iter().map(filling_job).collect() }
}

fn filling_job(job: &IoJob) -> IoJob {
    let alike =
        job.offset_increment == Amount::Bytes(Bytes(0)) && job.files.iter().all(|name| !name.contains("$jobnum"));
    // A size that is not a multiple of the large block is filled in blocks of the job.
    let multiple = |amount: Option<Amount>| match amount {
        Some(Amount::Bytes(bytes)) => bytes.0 % FILL_BYTES.0 == 0,
        Some(Amount::Share(_)) => false,
        None => true,
    };
    let large = multiple(job.size) && multiple(job.file_size.map(Amount::Bytes)) && multiple(Some(job.offset));
    let block = if large { FILL_BYTES } else { Bytes(smallest_block(job)) };
    IoJob {
        name: job.name.clone(),
        mix: IoMix::WRITE,
        order: IoOrder::SEQUENTIAL,
        write_blocks: Blocks::all(block),
        depth: 8,
        clones: if alike { 1 } else { job.clones },
        files: job.files.clone(),
        layout: job.layout,
        file_size: job.file_size,
        offset: job.offset,
        offset_increment: job.offset_increment,
        size: job.size,
        loops: FILLS,
        direct: job.direct,
        mode: job.mode,
        ring: job.ring,
        content: job.content.clone(),
        ..IoJob::default()
    }
}
