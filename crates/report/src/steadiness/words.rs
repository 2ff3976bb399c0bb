//! Whether a rate was steady, in words.

use record::evidence::SniaRule;
use record::{SteadyClass, SteadyRate, SteadyReason, SteadyUncertainty, SteadyVerdict, Verdict};

use crate::figure::percent;
use crate::words::plural;

/// The verdict with its reason, and the steady seconds with their rate.
pub(crate) fn window_text(verdict: SteadyVerdict, reason: &SteadyReason, counted: Option<&SteadyRate>) -> String {
    let (word, why) = (verdict.word(), reason_text(reason));
    let Some(counted) = counted else { return format!("{word}: {why}") };
    let SteadyRate { first_second, last_second, rate, window_rate } = counted;
    let rate = rate_text(rate.0);
    let window = window_rate.map(|rate| format!(", the whole window gives {}", rate_text(rate.0))).unwrap_or_default();
    format!("{word}: steady from second {first_second} to {last_second} at {rate} per second{window}; {why}")
}

/// The reason of a verdict.
pub(crate) fn reason_text(reason: &SteadyReason) -> String {
    match reason {
        SteadyReason::TooShort { seconds, seconds_min } => {
            format!("{} of the window; steadiness needs {seconds_min}", plural(*seconds, "whole second"))
        }
        SteadyReason::NothingDone { seconds, of_seconds } => {
            format!("no operations in the last {seconds} of {of_seconds} s")
        }
        SteadyReason::LastLevelShort { from_second, to_second } => format!(
            "the last level starts after {from_second} s and lasts {} s, less than half of the {to_second} s",
            to_second.saturating_sub(*from_second)
        ),
        SteadyReason::Drifting { rises, drift, drift_min, seconds, margin } => format!(
            "the rate {} by {} over {seconds} s, by at least {} with probability 0.975; up to {} counts as steady",
            if *rises { "rises" } else { "falls" },
            percent(*drift),
            percent(*drift_min),
            percent(*margin)
        ),
        SteadyReason::Steady { cut_seconds, class, drift_max, seconds, checkpoints } => {
            let cut = match class {
                _ if *cut_seconds == 0 => String::new(),
                SteadyClass::Flat => format!("a disturbance within the first {cut_seconds} s is cut; "),
                SteadyClass::Warmup => format!("the first {cut_seconds} s are cut, the rate was lower; "),
                SteadyClass::Slowdown => format!(
                    "the first {cut_seconds} s are cut, the rate was higher: exhausted credits, a full cache or heat; "
                ),
            };
            let checkpoints = match checkpoints {
                Some(0) => "; there was no checkpoint within the window",
                _ => "",
            };
            format!("{cut}no drift of more than {} over {seconds} s{checkpoints}", percent(*drift_max))
        }
        SteadyReason::Inconclusive { doubts } => doubts.iter().map(uncertainty_text).collect::<Vec<_>>().join("; "),
    }
}

fn uncertainty_text(uncertainty: &SteadyUncertainty) -> String {
    match uncertainty {
        SteadyUncertainty::WideDrift { drift_max, limit } => format!(
            "a drift of up to {} cannot be excluded, limit {}: a longer run may decide",
            percent(*drift_max),
            percent(*limit)
        ),
        SteadyUncertainty::FewCycles { period_seconds, seconds, cycles_min } => format!(
            "the rate oscillates with a period of about {period_seconds} s, and {seconds} s hold fewer than {cycles_min} periods"
        ),
        SteadyUncertainty::FewCheckpoints { checkpoints, cut_seconds, of_seconds, checkpoints_min } => {
            let cut = match cut_seconds {
                0 => String::new(),
                cut => format!(" and its first {cut} of {of_seconds} s are cut"),
            };
            let checkpoints = plural(*checkpoints, "checkpoint");
            format!("the window holds {checkpoints} of the engine{cut}; {checkpoints_min} are needed for three cycles")
        }
        SteadyUncertainty::FewIndependentSeconds { seconds, independent_seconds, independent_seconds_min } => format!(
            "seconds are autocorrelated: {seconds} s are equivalent to {independent_seconds:.0} independent ones, and \
             {independent_seconds_min} are needed"
        ),
    }
}

/// The result of the SNIA rule for the last rounds of preconditioning.
pub(crate) fn rounds_text(verdict: Verdict, rounds: u64, rounds_needed: u64, rule: Option<&SniaRule>) -> String {
    let count = plural(rounds, "round");
    let Some(rule) = rule else {
        return format!("{count} of preconditioning; a steady state needs {rounds_needed} with I/O");
    };
    let figures = format!(
        "the last {rounds_needed} of {count} differ by {}, limit {}, and their trend changes by {}, limit {}",
        percent(rule.range),
        percent(rule.range_max),
        percent(rule.rise),
        percent(rule.rise_max)
    );
    if verdict == Verdict::Pass { figures } else { format!("not steady: {figures}") }
}

/// `81.2 k`, `1.04 M`, `950`: three significant digits.
fn rate_text(rate: f64) -> String {
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

#[cfg(test)]
mod tests {
    use super::rate_text;

    #[test]
    fn rates_have_three_digits() {
        let shown = [0.0, 9.994, 9.996, 999.4, 999.6, 81_234.0, 999_600.0, 1.04e6, 2.5e12].map(rate_text);
        assert_eq!(shown, ["0.00", "9.99", "10.0", "999", "1.00 k", "81.2 k", "1.00 M", "1.04 M", "2500 G"]);
    }
}
