//! Calibration: the highest load at which a latency is met, and its rate, as DBMS_RESOURCE_MANAGER.CALIBRATE_IO
//! determines them.

use std::collections::BTreeMap;

use model::{Answer, Bound, MAX_IOPS, MAX_MBPS, Search, Step};
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
/// The search ends when the levels on both sides of the bound are within this ratio.
const TOLERANCE: f64 = 0.1;
/// Number of the fastest levels that are measured again before one of them is chosen, because one measurement may be an
/// outlier.
const CANDIDATES: usize = 3;
/// Measurements of each of them in addition to those of the search.
const CANDIDATE_REPEATS: usize = 2;
/// Measurements at the best level, those of the search included.
const REPEATS: usize = 7;
/// A higher level with less than this gain over the best one so far is past the knee.
const GAIN_MIN: f64 = 1.02;
/// The search ends after this many levels in a row past the knee.
const PAST_KNEE_MAX: usize = 3;
/// Of levels with at least this share of the highest rate, the lowest is the best: the others only have longer queues.
const BEST_SHARE: f64 = 0.98;

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
///
/// # Errors
/// Those of a run.
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
        let mut search = Search::whole(disks.clamp(1, highest), highest, TOLERANCE);
        let mut levels = Levels::default();
        loop {
            let level = match search.next() {
                Step::Measure(level) => level,
                // Fewer I/Os in flight than disks may meet what one per disk does not.
                Step::Done(Answer::NotEvenLowest { not_kept }) if not_kept > 1.0 => {
                    search = Search::whole(1, not_kept as u32 - 1, TOLERANCE);
                    continue;
                }
                Step::Done(_) => break,
            };
            let level = level.round() as u32;
            let run = one(level)?;
            search.record(f64::from(level), levels.add(level, &run, bound));
            keep(bench, record, run)?;
            if levels.are_past_knee() {
                break;
            }
        }
        for level in levels.fastest().repeat(CANDIDATE_REPEATS) {
            let run = one(level)?;
            levels.add(level, &run, bound);
            keep(bench, record, run)?;
        }
        let Some(level) = levels.best() else { continue };
        let done = levels.tried.iter().filter(|(one, ..)| *one == level).count();
        for _ in done..REPEATS {
            keep(bench, record, one(level)?)?;
        }
    }
    Ok(())
}

/// The measurements so far: I/Os in flight, I/Os per second, and whether the bound was met.
#[derive(Debug, Default)]
struct Levels {
    tried: Vec<(u32, f64, bool)>,
}

impl Levels {
    /// Adds `run` at `level`, and returns whether it met the bound.
    fn add(&mut self, level: u32, run: &Run, bound: Option<&Bound>) -> Option<bool> {
        let rate = model::row(run).operations_per_second.map_or(0.0, |rate| rate.0);
        let kept = match bound {
            // A run that is invalid because of its surroundings still locates the bound.
            Some(bound) => model::meets_bound(run).or_else(|| bound.met_by(&run.service)),
            None => (run.outcome == Outcome::Done).then_some(true),
        };
        self.tried.push((level, rate, kept == Some(true)));
        kept
    }

    /// The levels that met the bound, each with its median rate (the lower one of two).
    fn medians(&self) -> Vec<(u32, f64)> {
        let mut levels: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        self.kept().for_each(|(level, rate)| levels.entry(level).or_default().push(rate));
        let median = |mut rates: Vec<f64>| {
            rates.sort_by(f64::total_cmp);
            rates[(rates.len() - 1) / 2]
        };
        levels.into_iter().map(|(level, rates)| (level, median(rates))).collect()
    }

    /// The levels with the highest rates so far, ascending.
    fn fastest(&self) -> Vec<u32> {
        let mut medians = self.medians();
        medians.sort_by(|one, other| other.1.total_cmp(&one.1));
        let mut levels: Vec<u32> = medians.into_iter().take(CANDIDATES).map(|(level, _)| level).collect();
        levels.sort_unstable();
        levels
    }

    fn kept(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.tried.iter().filter(|(.., kept)| *kept).map(|(level, rate, _)| (*level, *rate))
    }

    /// The lowest level with about the highest rate.
    fn best(&self) -> Option<u32> {
        let medians = self.medians();
        // A level that was measured once is not compared with levels that were measured again.
        let tried = |level: u32| self.kept().filter(|(one, _)| *one == level).count();
        let most_tried = medians.iter().map(|(level, _)| tried(*level)).max().unwrap_or(0);
        let sure = |(level, _): &&(u32, f64)| tried(*level) > CANDIDATE_REPEATS || most_tried <= CANDIDATE_REPEATS;
        let sure: Vec<&(u32, f64)> = medians.iter().filter(sure).collect();
        let most = sure.iter().map(|(_, rate)| *rate).fold(0.0, f64::max);
        sure.iter().filter(|(_, rate)| *rate >= most * BEST_SHARE).map(|(level, _)| *level).min()
    }

    /// Whether the last levels had no gain over those before them.
    fn are_past_knee(&self) -> bool {
        let kept: Vec<(u32, f64)> = self.kept().collect();
        let Some(cut) = kept.len().checked_sub(PAST_KNEE_MAX).filter(|cut| *cut > 0) else { return false };
        let (before, last) = kept.split_at(cut);
        let most = before.iter().map(|(_, rate)| *rate).fold(0.0, f64::max);
        let highest = before.iter().map(|(level, _)| *level).max().unwrap_or(0);
        last.iter().all(|(level, rate)| *level > highest && *rate <= most * GAIN_MIN)
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
    fn the_lowest_of_the_levels_that_give_most_is_the_best() {
        let tried = vec![(1, 10.0, true), (8, 50.0, true), (32, 99.0, true), (64, 100.0, true), (128, 120.0, false)];
        let levels = Levels { tried };
        assert_eq!(levels.best(), Some(32), "what does not keep the bound does not count");
        assert_eq!(levels.fastest(), [8, 32, 64]);
        assert_eq!(Levels::default().best(), None);
    }

    #[test]
    fn one_lucky_measurement_does_not_make_a_level_the_best() {
        let mut tried = vec![(16, 90.0, true), (32, 140.0, true), (64, 100.0, true), (128, 99.0, true)];
        for (level, rate) in [(32, 80.0), (64, 101.0), (128, 100.0), (32, 82.0), (64, 100.0), (128, 98.0)] {
            tried.push((level, rate, true));
        }
        assert_eq!(Levels { tried }.best(), Some(64));
    }

    #[test]
    fn levels_without_a_gain_are_past_the_knee() {
        let mut levels = Levels { tried: vec![(1, 50.0, true), (2, 100.0, true), (4, 101.0, true), (8, 90.0, true)] };
        assert!(!levels.are_past_knee(), "two of them only");
        levels.tried.push((16, 90.0, true));
        assert!(levels.are_past_knee());
    }

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
