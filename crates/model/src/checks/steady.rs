//! Whether the rate was steady.
//!
//! For storage runs: whether preconditioning reached a steady state, by the rule of SNIA over the last five rounds. For
//! other runs: the result of `steadiness`, with the steady seconds and their rate. The figures of a run are of the
//! whole window; it is a warning where these differ from the steady ones by more than the margin. Too short runs are
//! left to the check of window length.

use record::evidence::{SniaRule, Steady};
use record::{Evidence, Finding, Rate, Ratio, Run, SteadyRate, SteadyVerdict, Storage, Verdict};

use super::finding;
use crate::delta::per_second;
use crate::rules::RULES;
use crate::snia::snia;
use crate::steadiness::{Steadiness, steadiness};

pub(super) fn check(run: &Run) -> Option<Finding> {
    match &run.storage {
        Some(storage) => preconditioned(storage),
        None => steady(run),
    }
}

fn steady(run: &Run) -> Option<Finding> {
    let found = steadiness(run);
    let counted = found.verdict.is_steady().then(|| counted(run, &found));
    let verdict = match found.verdict {
        SteadyVerdict::TooShort => return None,
        SteadyVerdict::Drifting | SteadyVerdict::NotSteady => Verdict::Warn,
        SteadyVerdict::Inconclusive => Verdict::Unknown,
        _ if counted.as_ref().is_some_and(|counted| counted.window_rate.is_some()) => Verdict::Warn,
        SteadyVerdict::Steady | SteadyVerdict::WarmupCut | SteadyVerdict::Slowdown => Verdict::Pass,
    };
    finding(verdict, Evidence::Steady(Steady::Window { verdict: found.verdict, reason: found.reason, counted }))
}

/// The steady seconds of `run` with their rate, and that of the whole window where it differs.
fn counted(run: &Run, found: &Steadiness) -> SteadyRate {
    let differs = |whole: &Rate| (whole.0 - found.rate).abs() > RULES.steadiness_margin * found.rate;
    SteadyRate {
        first_second: found.counted.start as u64 + 1,
        last_second: found.counted.end as u64,
        rate: Rate(found.rate),
        window_rate: per_second(run, run.totals.operations).filter(differs),
    }
}

fn preconditioned(storage: &Storage) -> Option<Finding> {
    let rates: Vec<f64> = storage.rounds.iter().map(|round| round.operations_per_second.0).collect();
    if rates.is_empty() {
        return None;
    }
    let found = snia(&rates);
    let rule = found.map(|found| SniaRule {
        range: Ratio(found.range),
        range_max: Ratio(RULES.steady_range_max),
        rise: Ratio(found.rise),
        rise_max: Ratio(RULES.steady_rise_max),
    });
    let verdict = if found.is_some_and(|found| found.steady) { Verdict::Pass } else { Verdict::Warn };
    let (rounds, rounds_needed) = (rates.len() as u64, RULES.steady_rounds as u64);
    finding(verdict, Evidence::Steady(Steady::Rounds { rounds, rounds_needed, rule }))
}

#[cfg(test)]
mod tests {
    use record::{IoKind, Nanos, Round, Second, SteadyReason};

    use super::*;
    use crate::fixture::{io_run, run, storage};
    use crate::simulation::Simulation;

    fn says(rates: &[f64]) -> Option<(Verdict, Option<SniaRule>)> {
        let mut run = io_run("io", IoKind::Write, 1);
        let round = |rate: &f64| Round { length_ns: Nanos::SECOND, operations_per_second: Rate(*rate) };
        storage(&mut run).rounds = rates.iter().map(round).collect();
        check(&run).map(|finding| match finding.evidence {
            Evidence::Steady(Steady::Rounds { rule, .. }) => (finding.verdict, rule),
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn the_last_five_rounds_decide() {
        let (verdict, rule) = says(&[900.0, 100.0, 98.0, 100.0, 104.0, 102.0]).unwrap();
        let thousandths = |ratio: Ratio| (ratio.0 * 1e3).round();
        let rule = rule.map(|rule| [rule.range, rule.range_max, rule.rise, rule.rise_max].map(thousandths));
        assert_eq!((verdict, rule), (Verdict::Pass, Some([60.0, 200.0, 40.0, 100.0])));
        let (verdict, rule) = says(&[900.0, 100.0, 98.0, 100.0, 104.0]).unwrap();
        assert!(verdict == Verdict::Warn && rule.is_some());
        assert_eq!(says(&[100.0; 4]), Some((Verdict::Warn, None)));
        assert_eq!(says(&[]), None);
    }

    /// A run whose seconds had so many operations.
    fn seconds(rates: impl IntoIterator<Item = u64>) -> Run {
        let mut run = run("T611", 1);
        let second = run.seconds.first().copied().unwrap_or_default();
        run.seconds = rates.into_iter().map(|operations| Second { operations, ..second }).collect();
        run.window_ns = Nanos(run.seconds.len() as u64 * Nanos::SECOND.0);
        run.totals.operations = run.seconds.iter().map(|second| second.operations).sum();
        run
    }

    /// A level with small uncorrelated noise.
    fn level(mean: u64, length: usize) -> impl Iterator<Item = u64> {
        (0..length).map(move |at| mean + [0, 7, 2, 9, 4, 1, 8, 3, 6, 5, 0][at * at % 11] * mean / 1_000)
    }

    fn window(run: &Run) -> (Verdict, SteadyVerdict, SteadyReason, Option<SteadyRate>) {
        let found = check(run).unwrap();
        match found.evidence {
            Evidence::Steady(Steady::Window { verdict, reason, counted }) => (found.verdict, verdict, reason, counted),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_ordinary_run_has_its_steady_seconds() {
        // First and last second, their rate, and that of the window.
        let counted = |run: &Run| {
            let (verdict, word, _, counted) = window(run);
            let counted = counted.map(|found| {
                let rates = (found.rate.0.round(), found.window_rate.map(|rate| rate.0.round()));
                (found.first_second, found.last_second, rates)
            });
            (verdict, word, counted)
        };
        assert_eq!(
            counted(&seconds(level(5_000, 300))),
            (Verdict::Pass, SteadyVerdict::Steady, Some((1, 300, (5_024.0, None))))
        );
        assert_eq!(
            counted(&seconds(level(3_000, 50).chain(level(5_000, 250)))),
            (Verdict::Warn, SteadyVerdict::WarmupCut, Some((51, 300, (5_024.0, Some(4_689.0)))))
        );
        let (verdict, word, found) = counted(&seconds(level(4_000, 20).chain(level(5_000, 480))));
        assert_eq!((verdict, word), (Verdict::Pass, SteadyVerdict::WarmupCut), "hardly changes the whole: {found:?}");
        assert_eq!(found.map(|(first, last, _)| (first, last)), Some((21, 500)));
        let (verdict, word, reason, counted) = window(&seconds(level(5_000, 220).chain(level(3_000, 80))));
        assert_eq!((verdict, word, counted), (Verdict::Warn, SteadyVerdict::NotSteady, None));
        assert_eq!(reason, SteadyReason::LastLevelShort { from_second: 220, to_second: 300 });
    }

    #[test]
    fn a_drift_is_a_warning_that_counts_nothing() {
        // Depending on noise, change points take a rise of 5 % for two levels.
        let found = (0..20).find_map(|seed| {
            let noise = Simulation::new(seed).noise(300, 0.0, 1.0, 0.05);
            let rising = noise.iter().zip(0..).map(|(noise, at)| (noise * (5_000.0 + 0.8 * f64::from(at))) as u64);
            let (verdict, _, reason, counted) = window(&seconds(rising));
            matches!(reason, SteadyReason::Drifting { rises: true, .. }).then_some((verdict, counted))
        });
        assert_eq!(found, Some((Verdict::Warn, None)));
    }

    #[test]
    fn a_short_run_is_left_to_a_check_of_its_own() {
        assert_eq!(check(&seconds(level(5_000, 59))), None);
    }
}
