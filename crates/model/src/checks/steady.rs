//! Whether the rate was steady.
//!
//! Of a run of storage: whether its preconditioning came to a steady state, by the rule of SNIA over its last five
//! rounds. Of every other run: what `steadiness` says of its seconds, and which of them are steady at which rate. The
//! figures of a run are those of the whole window: where these are not the steady ones, to the margin, it is a warning.
//! Nothing is said of a run that is too short to ask; that it is has a check of its own.

use record::{Check, Finding, Rate, Run, Storage, Verdict};

use super::{finding, percent, plural};
use crate::delta::per_second;
use crate::rules::RULES;
use crate::snia::snia;
use crate::steadiness::{Steadiness, SteadyVerdict, steadiness};

pub(super) fn check(run: &Run) -> Option<Finding> {
    match &run.storage {
        Some(storage) => preconditioned(storage),
        None => steady(run),
    }
}

fn steady(run: &Run) -> Option<Finding> {
    let found = steadiness(run);
    let (word, reason) = (found.verdict.word(), &found.reason);
    let verdict = match found.verdict {
        SteadyVerdict::TooShort => return None,
        SteadyVerdict::Steady | SteadyVerdict::WarmupCut | SteadyVerdict::Slowdown => return counted(run, &found),
        SteadyVerdict::Drifting | SteadyVerdict::NotSteady => Verdict::Warn,
        SteadyVerdict::Inconclusive => Verdict::Unknown,
    };
    finding(Check::Steady, verdict, format!("{word}: {reason}"))
}

/// The steady seconds of `run` with their rate; a warning where the whole window has another one.
fn counted(run: &Run, found: &Steadiness) -> Option<Finding> {
    let (begin, end) = (found.counted.start + 1, found.counted.end);
    let whole = per_second(run, run.totals.operations)
        .filter(|whole| (whole.0 - found.rate).abs() > RULES.steadiness_margin * found.rate);
    let also = whole.map(|whole| format!(", the whole window gives {}", rate_words(whole)));
    let rate = rate_words(Rate(found.rate));
    finding(
        Check::Steady,
        if whole.is_some() { Verdict::Warn } else { Verdict::Pass },
        format!(
            "{}: steady from second {begin} to {end} at {rate} per second{}; {}",
            found.verdict.word(),
            also.unwrap_or_default(),
            found.reason
        ),
    )
}

/// `81.2 k`, `1.04 M`, `950`: three significant digits.
fn rate_words(Rate(rate): Rate) -> String {
    let prefixes = [(999.5e6, 1e9, " G"), (999.5e3, 1e6, " M"), (999.5, 1e3, " k")];
    let (unit, prefix) =
        prefixes.into_iter().find(|(from, ..)| rate >= *from).map_or((1.0, ""), |(_, unit, prefix)| (unit, prefix));
    let value = rate / unit;
    match value {
        _ if value < 9.995 => format!("{value:.2}{prefix}"),
        _ if value < 99.95 => format!("{value:.1}{prefix}"),
        _ => format!("{value:.0}{prefix}"),
    }
}

fn preconditioned(storage: &Storage) -> Option<Finding> {
    let rounds = &storage.rounds;
    let rates: Vec<f64> = rounds.iter().map(|round| round.operations_per_second.0).collect();
    if rates.is_empty() {
        return None;
    }
    let count = plural(rates.len() as u64, "round");
    let Some(found) = snia(&rates) else {
        return finding(
            Check::Steady,
            Verdict::Warn,
            format!("{count} of preconditioning; a steady state needs {} with I/O in them", RULES.steady_rounds),
        );
    };
    let figures = format!(
        "the last {} of {count} differ by {}, limit {}, and their trend changes by {}, limit {}",
        RULES.steady_rounds,
        percent(found.range),
        percent(RULES.steady_range_max),
        percent(found.rise),
        percent(RULES.steady_rise_max)
    );
    match found.steady {
        true => finding(Check::Steady, Verdict::Pass, figures),
        false => finding(Check::Steady, Verdict::Warn, format!("not steady: {figures}")),
    }
}

#[cfg(test)]
mod tests {
    use record::{IoKind, Nanos, Rate, Round, Second};

    use super::*;
    use crate::fixture::{io_run, run, storage};
    use crate::simulation::Simulation;

    fn says(rates: &[f64]) -> Option<(Verdict, String)> {
        let mut run = io_run("io", IoKind::Write, 1);
        let round = |rate: &f64| Round { length_ns: Nanos::SECOND, operations_per_second: Rate(*rate) };
        storage(&mut run).rounds = rates.iter().map(round).collect();
        check(&run).map(|finding| (finding.verdict, finding.detail))
    }

    #[test]
    fn the_last_five_rounds_speak() {
        assert_eq!(
            says(&[900.0, 100.0, 98.0, 100.0, 104.0, 102.0]),
            Some((
                Verdict::Pass,
                "the last 5 of 6 rounds differ by 6.0 %, limit 20 %, and their trend changes by 4.0 %, limit 10 %"
                    .to_owned()
            ))
        );
        let (verdict, detail) = says(&[900.0, 100.0, 98.0, 100.0, 104.0]).unwrap();
        assert_eq!(verdict, Verdict::Warn);
        assert!(detail.starts_with("not steady: "), "{detail}");
        assert_eq!(says(&[100.0; 4]).unwrap().0, Verdict::Warn);
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

    #[test]
    fn rates_have_three_digits() {
        let shown =
            [0.0, 9.994, 9.996, 999.4, 999.6, 81_234.0, 999_600.0, 1.04e6, 2.5e12].map(|rate| rate_words(Rate(rate)));
        assert_eq!(shown, ["0.00", "9.99", "10.0", "999", "1.00 k", "81.2 k", "1.00 M", "1.04 M", "2500 G"]);
    }

    /// A level with a small wave on it that no second shares with the next.
    fn level(mean: u64, length: usize) -> impl Iterator<Item = u64> {
        (0..length).map(move |at| mean + [0, 7, 2, 9, 4, 1, 8, 3, 6, 5, 0][at * at % 11] * mean / 1_000)
    }

    #[test]
    fn an_ordinary_run_says_which_of_its_seconds_are_steady() {
        let says = |run: &Run| check(run).map(|finding| (finding.verdict, finding.detail));
        let (verdict, detail) = says(&seconds(level(5_000, 300))).unwrap();
        assert_eq!(verdict, Verdict::Pass, "{detail}");
        assert!(detail.starts_with("STEADY: steady from second 1 to 300 at 5.02 k per second; no drift "), "{detail}");
        let (verdict, detail) = says(&seconds(level(3_000, 50).chain(level(5_000, 250)))).unwrap();
        assert_eq!(verdict, Verdict::Warn, "{detail}");
        let begin = "WARMUP-CUT: steady from second 51 to 300 at 5.02 k per second, the whole window gives 4.69 k; the \
                     first 50 s are cut";
        assert!(detail.starts_with(begin), "{detail}");
        let (verdict, detail) = says(&seconds(level(4_000, 20).chain(level(5_000, 480)))).unwrap();
        assert_eq!(verdict, Verdict::Pass, "a beginning that hardly moves the whole: {detail}");
        assert!(detail.starts_with("WARMUP-CUT: steady from second 21 to 500 at "), "{detail}");
        let (verdict, detail) = says(&seconds(level(5_000, 220).chain(level(3_000, 80)))).unwrap();
        assert_eq!(verdict, Verdict::Warn);
        assert!(detail.starts_with("NOT_STEADY: the last level began after 220 s"), "{detail}");
    }

    #[test]
    fn a_drift_is_a_warning_that_counts_nothing() {
        // Noise decides whether change points take a rise of 5 % for two levels.
        let found = (0..20).find_map(|seed| {
            let noise = Simulation::new(seed).noise(300, 0.0, 1.0, 0.05);
            let rising = noise.iter().zip(0..).map(|(noise, at)| (noise * (5_000.0 + 0.8 * f64::from(at))) as u64);
            check(&seconds(rising)).filter(|found| found.detail.starts_with("DRIFTING: the rate rises by "))
        });
        assert_eq!(found.expect("a drift").verdict, Verdict::Warn);
    }

    #[test]
    fn a_short_run_is_left_to_a_check_of_its_own() {
        assert_eq!(check(&seconds(level(5_000, 59))), None);
    }
}
