//! The levels of a storage calibration: which load is measured next, and which one is the result.
//!
//! First the highest load that meets the latency bound is searched ([`Search`]), until higher loads give no more. Then the
//! fastest levels are measured again, since one measurement may be an outlier, and the lowest of those that are about as
//! fast is the best: the others only have longer queues. It is measured until it has seven runs. Its figures are those of
//! all its runs, the first ones included, so that there is no selection by result.

use std::collections::BTreeMap;

use crate::group::middle;
use crate::search::{Answer, Search, Step};

/// The search ends when the levels on both sides of the bound are within this ratio.
const TOLERANCE: f64 = 0.1;

/// Number of the fastest levels that are measured again before one of them is chosen.
const CANDIDATES: usize = 3;

/// Measurements of each of them in addition to those of the search.
const CANDIDATE_REPEATS: usize = 2;

/// Measurements at the best level, those of the search included.
const REPEATS: usize = 7;

/// A higher level with less than this gain over the best one so far is past the knee.
const GAIN_MIN: f64 = 1.02;

/// The search ends after this many levels in a row past the knee.
const PAST_KNEE_MAX: usize = 3;

/// Of levels with at least this share of the highest rate, the lowest is the best.
const BEST_SHARE: f64 = 0.98;

/// One run at a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelRun {
    /// I/Os in flight.
    pub level: u32,
    /// I/Os per second.
    pub rate: f64,
    /// Whether it met the bound; None without one, and where not known.
    pub kept: Option<bool>,
    /// Whether it counts: an invalid run does not.
    pub is_valid: bool,
}

/// The median; the lower one of two.
fn median_low(mut rates: Vec<f64>) -> Option<f64> {
    rates.sort_by(f64::total_cmp);
    middle(&rates).copied()
}

/// Whether the bound is met by `runs`: by more than half of those of which it is known. None where it is of none.
pub(crate) fn is_kept(runs: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let known: Vec<bool> = runs.flatten().collect();
    let met = known.iter().filter(|kept| **kept).count();
    (!known.is_empty()).then_some(2 * met > known.len())
}

/// The level of the result among `runs`: of those whose valid runs do not miss the bound, that with most runs, which the
/// calibration chose; invalid runs count as runs, since it is not the level that makes them invalid. With equal numbers it
/// is the fastest. Where all miss the bound, the same of all. None without a valid run.
pub fn result_level(runs: &[LevelRun]) -> Option<u32> {
    let mut levels: BTreeMap<u32, Vec<LevelRun>> = BTreeMap::new();
    runs.iter().for_each(|run| levels.entry(run.level).or_default().push(*run));
    let rank = |runs: &[LevelRun]| {
        let valid = || runs.iter().filter(|run| run.is_valid);
        let rate = median_low(valid().map(|run| run.rate).collect())?;
        Some((is_kept(valid().map(|run| run.kept)) != Some(false), runs.len(), rate))
    };
    let ranked = levels.iter().filter_map(|(level, runs)| Some((*level, rank(runs)?)));
    let best = ranked.reduce(|best, other| if other.1 > best.1 { other } else { best });
    best.map(|(level, _)| level)
}

/// What is measured next.
#[derive(Clone, Debug, PartialEq)]
enum Stage {
    /// The next level of the search.
    Search,
    /// The fastest levels again.
    Candidates {
        queue: Vec<u32>,
    },
    /// The best level, so many times.
    Best {
        level: u32,
        left: usize,
    },
    Done,
}

/// A calibration in progress.
#[derive(Clone, Debug, PartialEq)]
pub struct CalibrationSearch {
    search: Search,
    levels: Levels,
    stage: Stage,
}

impl CalibrationSearch {
    /// A calibration from one I/O in flight per disk up to `highest`.
    pub fn new(disks: u32, highest: u32) -> CalibrationSearch {
        let search = Search::whole(disks.clamp(1, highest), highest, TOLERANCE);
        CalibrationSearch { search, levels: Levels::default(), stage: Stage::Search }
    }

    /// The I/Os in flight to measure next; None at the end.
    pub fn next(&self) -> Option<u32> {
        match &self.stage {
            Stage::Search => match self.search.next() {
                Step::Measure(level) => Some(level.round() as u32),
                Step::Done(_) => None,
            },
            Stage::Candidates { queue } => queue.first().copied(),
            Stage::Best { level, left } => (*left > 0).then_some(*level),
            Stage::Done => None,
        }
    }

    /// Records a run at `level`: its rate, and whether it met the bound; None where that is not known.
    pub fn record(&mut self, level: u32, rate: f64, kept: Option<bool>) {
        self.levels.tried.push((level, rate, kept == Some(true)));
        match &mut self.stage {
            Stage::Search => {
                self.search.record(f64::from(level), kept);
                self.end_search();
            }
            Stage::Candidates { queue } => {
                queue.remove(0);
                if queue.is_empty() {
                    self.begin_best();
                }
            }
            Stage::Best { left, .. } => *left = left.saturating_sub(1),
            Stage::Done => {}
        }
    }

    fn end_search(&mut self) {
        let is_over = match self.search.next() {
            _ if self.levels.are_past_knee() => true,
            Step::Measure(_) => false,
            // Fewer I/Os in flight than disks may meet what one per disk does not.
            Step::Done(Answer::NotEvenLowest { not_kept }) if not_kept > 1.0 => {
                self.search = Search::whole(1, not_kept as u32 - 1, TOLERANCE);
                false
            }
            Step::Done(_) => true,
        };
        if is_over {
            let queue = self.levels.fastest().repeat(CANDIDATE_REPEATS);
            let is_empty = queue.is_empty();
            self.stage = Stage::Candidates { queue };
            if is_empty {
                self.begin_best();
            }
        }
    }

    fn begin_best(&mut self) {
        self.stage = match self.levels.best() {
            None => Stage::Done,
            Some(level) => {
                let done = self.levels.tried.iter().filter(|(one, ..)| *one == level).count();
                Stage::Best { level, left: REPEATS.saturating_sub(done) }
            }
        };
    }
}

/// The measurements so far: I/Os in flight, I/Os per second, and whether the bound was met.
#[derive(Clone, Debug, Default, PartialEq)]
struct Levels {
    tried: Vec<(u32, f64, bool)>,
}

impl Levels {
    /// The levels that met the bound, each with its median rate (the lower one of two).
    fn medians(&self) -> Vec<(u32, f64)> {
        let mut levels: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        self.kept().for_each(|(level, rate)| levels.entry(level).or_default().push(rate));
        levels.into_iter().filter_map(|(level, rates)| Some((level, median_low(rates)?))).collect()
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

    /// The levels that a calibration of a device measures, with its bound met up to `limit` in flight.
    fn measured(limit: u32) -> Vec<u32> {
        let mut search = CalibrationSearch::new(1, 256);
        let mut levels = Vec::new();
        while let Some(level) = search.next() {
            levels.push(level);
            search.record(level, f64::from(level) / (f64::from(level) + 16.0), Some(level <= limit));
        }
        levels
    }

    #[test]
    fn the_best_level_is_measured_seven_times_at_the_end() {
        let levels = measured(64);
        assert_eq!(levels[..9], [1, 2, 4, 8, 16, 32, 64, 128, 128]);
        let best = *levels.last().unwrap();
        assert_eq!(levels.iter().filter(|level| **level == best).count(), REPEATS, "{levels:?}");
        assert!((57..=64).contains(&best), "{levels:?}");
        assert!(measured(0).iter().all(|level| *level == 1), "even one in flight misses the bound: {:?}", measured(0));
    }

    #[test]
    fn fewer_in_flight_than_disks_may_meet_the_bound() {
        let mut search = CalibrationSearch::new(8, 256);
        let mut levels = Vec::new();
        while let Some(level) = search.next() {
            levels.push(level);
            search.record(level, f64::from(level), Some(level <= 4));
        }
        assert_eq!((levels[0], levels.last()), (8, Some(&4)), "{levels:?}");
    }

    fn run(level: u32, rate: f64, kept: bool, is_valid: bool) -> LevelRun {
        LevelRun { level, rate, kept: Some(kept), is_valid }
    }

    #[test]
    fn a_level_that_most_runs_miss_is_no_result_even_where_that_with_the_median_rate_met_the_bound() {
        let lucky = [(90.0, false), (95.0, false), (100.0, true), (105.0, false), (110.0, true)];
        let lucky = lucky.map(|(rate, kept)| run(64, rate, kept, true));
        let slower = [run(48, 80.0, true, true), run(48, 81.0, true, true)];
        assert_eq!(result_level(&[&lucky[..], &slower].concat()), Some(48));
        assert_eq!(result_level(&lucky), Some(64), "there is no other");
        assert_eq!(is_kept(lucky.iter().map(|run| run.kept)), Some(false));
        assert_eq!((is_kept([None].into_iter()), is_kept([Some(true), Some(false)].into_iter())), (None, Some(false)));
    }

    #[test]
    fn disturbed_runs_at_the_chosen_level_do_not_make_another_one_the_result() {
        let chosen = (0..7).map(|at| run(64, 100.0, true, at < 2));
        let others = (0..3).map(|_| run(32, 70.0, true, true));
        let runs: Vec<LevelRun> = chosen.chain(others).collect();
        assert_eq!(result_level(&runs), Some(64));
        let none: Vec<LevelRun> = runs.iter().map(|run| LevelRun { is_valid: false, ..*run }).collect();
        assert_eq!(result_level(&none), None);
    }
}
