//! Calibration: the highest load at which a latency is met, and its rate, as DBMS_RESOURCE_MANAGER.CALIBRATE_IO
//! determines them.

use model::{Bound, CalibrationSearch, MAX_IOPS, MAX_MBPS};
use record::{Blocks, Bytes, IoJob, IoPhase, IoPlan, Nanos, Outcome, Run};

use super::phase::measure_phase;
use super::phase_context::{PhaseContext, PhaseRun};
use crate::Result;
use crate::bench::Bench;
use crate::recorder::Recorder;
use crate::run::keep;

/// The most I/Os in flight: no current device needs more.
const IN_FLIGHT_MAX: u32 = 1_024;
/// The same for large blocks.
const LARGE_IN_FLIGHT_MAX: u32 = 256;
/// The two phases of a calibration: small random reads, then large ones, in one file of `size` (none for the device or
/// existing file `file`).
pub fn calibration_phases(file: &str, size: Option<Bytes>, block: Bytes, large: Bytes, window: Nanos) -> IoPlan {
    let phase =
        |name: &str, block| IoPhase { name: name.to_owned(), jobs: vec![reading(name, file, size, block, window)] };
    IoPlan { phases: vec![phase(MAX_IOPS, block), phase(MAX_MBPS, large)], ..IoPlan::default() }
}

fn reading(name: &str, file: &str, size: Option<Bytes>, block: Bytes, window: Nanos) -> IoJob {
    IoJob {
        name: name.to_owned(),
        read_blocks: Blocks::all(block),
        files: vec![file.to_owned()],
        file_size: size,
        time_based: true,
        run_time: Some(window),
        ramp_time: Nanos(window.0 / 10),
        ..IoJob::default()
    }
}

/// Calibrates with both phases of `plan`. Every measurement is added to `record`.
pub(crate) fn calibrate(
    bench: &Bench<'_>,
    context: &mut PhaseContext<'_>,
    plan: &IoPlan,
    bound: &Bound,
    disks: u32,
    record: &mut Recorder,
) -> Result<()> {
    let mut number = 0;
    for phase in &plan.phases {
        // The latency bound applies to reads of database blocks.
        let (highest, bound) = match phase.name.as_str() {
            MAX_MBPS => (LARGE_IN_FLIGHT_MAX, None),
            _ => (IN_FLIGHT_MAX, Some(bound)),
        };
        let mut one = |level: u32| {
            number += 1;
            let phase = loaded(phase, level, bench.processors.len() as u32);
            let bound = bound.map(ToString::to_string);
            measure_phase(bench, context, &phase, number, PhaseRun { bound, ..PhaseRun::of(&phase) })
        };
        let mut search = CalibrationSearch::new(disks, highest);
        while let Some(level) = search.next() {
            let run = one(level)?;
            let rate = model::row(&run).operations_per_second.map_or(0.0, |rate| rate.0);
            search.record(level, rate, kept(&run, bound));
            keep(bench, record, run)?;
        }
    }
    Ok(())
}

/// Whether `run` met `bound`; None where that is not known.
fn kept(run: &Run, bound: Option<&Bound>) -> Option<bool> {
    match bound {
        // A run that is invalid because of its surroundings still locates the bound.
        Some(bound) => model::meets_bound(run).or_else(|| bound.met_by(&run.service)),
        None => (run.outcome == Outcome::Done).then_some(true),
    }
}

/// `phase` with `level` I/Os in flight, spread over the processors.
fn loaded(phase: &IoPhase, level: u32, processors: u32) -> IoPhase {
    let mut phase = phase.clone();
    for job in &mut phase.jobs {
        // One thread can keep a device busy; more are used only if each has enough I/Os in flight.
        job.clones = (level / 32).clamp(1, processors.max(1));
        job.depth = level.div_ceil(job.clones);
    }
    phase
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_is_spread_over_processors_only_where_it_is_large() {
        let plan = calibration_phases("file", Some(Bytes::GIB), Bytes(8192), Bytes::MIB, Nanos::SECOND);
        let spread = |level| {
            let job = &loaded(&plan.phases[0], level, 4).jobs[0];
            (job.clones, job.depth)
        };
        assert_eq!([1, 32, 64, 256].map(spread), [(1, 1), (1, 32), (2, 32), (4, 64)]);
    }
}
