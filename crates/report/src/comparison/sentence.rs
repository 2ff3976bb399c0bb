//! The sentences of a comparison: reasons of verdicts, why systems are not comparable, warnings, findings of a gate.

use model::{
    ComparisonVerdict, ComparisonWarning, ControlDrift, Durability, Evidence, Interval, RULES, Reason, VerdictBasis,
    VerdictReason, ViolationFound,
};
use record::{Finding, Ratio};

use crate::fact::{condition_text, pace_text, size_text};
use crate::figure::{chance, percent};
use crate::finding::finding_text;
use crate::inventory::durability_word;
use crate::system::invalid_run_text;
use crate::words::plural;

/// How two systems were measured.
pub(super) fn evidence_text(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Paired { .. } => "paired",
        Evidence::Unpaired { .. } => "unpaired: environment drift not controlled",
        Evidence::Single => "single run: repeatability unknown",
        Evidence::Published => "published",
    }
}

/// The suffix ` (unpaired)` of a sentence, or nothing.
fn mark(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Unpaired { .. } => " (unpaired)",
        Evidence::Paired { .. } | Evidence::Single | Evidence::Published => "",
    }
}

/// Why a verdict is what it is, in a clause.
pub(super) fn verdict_reason_text(reason: &VerdictReason) -> String {
    let margin = percent(Ratio(reason.margin));
    let text = match reason.basis {
        VerdictBasis::NoInterval { needed } => no_interval(reason.evidence, needed),
        VerdictBasis::Within(interval) => format!("90 % interval {} within the margin of {margin}", span(interval)),
        VerdictBasis::IncludesEqual(interval) => {
            format!("95 % interval {} includes 0 and exceeds the margin of {margin}", span(interval))
        }
        VerdictBasis::NotSignificant { alone, interval, p_adjusted, tests } => {
            let shown = match alone {
                ComparisonVerdict::Equivalent => {
                    format!("90 % interval {} within the margin of {margin}", span(interval))
                }
                ComparisonVerdict::Faster | ComparisonVerdict::Slower => {
                    format!("95 % interval {} beyond the margin of {margin}", span(interval))
                }
                ComparisonVerdict::Inconclusive => format!("95 % interval {}", span(interval)),
            };
            format!(
                "{shown}, but adjusted p (Holm, {}) {} is above {}",
                plural(tests as u64, "test"),
                chance("=", p_adjusted),
                RULES.significance
            )
        }
        VerdictBasis::Beyond(interval) => format!("95 % interval {} beyond the margin of {margin}", span(interval)),
        VerdictBasis::IncludesMargin(interval) => {
            let word = if interval.low > 1.0 { "faster" } else { "slower" };
            format!("{word}, size uncertain: 95 % interval {} includes the margin of {margin}", span(interval))
        }
    };
    text + mark(reason.evidence)
}

fn no_interval(evidence: Evidence, needed: Option<u64>) -> String {
    match (evidence, needed) {
        (Evidence::Paired { pairs }, Some(needed)) => {
            format!("{} give no 95 % interval; {needed} are needed", plural(pairs as u64, "pair"))
        }
        (Evidence::Unpaired { base, other }, Some(needed)) => {
            let given = plural(other as u64, "repeat");
            format!("{base} and {given} give no 95 % interval; {needed} and {needed} are needed")
        }
        (_, None) | (Evidence::Single | Evidence::Published, _) => evidence_text(evidence).to_owned(),
    }
}

/// `+1.0 % to +2.3 %`.
fn span(interval: Interval) -> String {
    let signed = |ratio: f64| format!("{:+.1} %", (ratio - 1.0) * 100.0);
    format!("{} to {}", signed(interval.low), signed(interval.high))
}

/// Why two systems cannot be compared, in a clause.
pub(super) fn reason_text(reason: &Reason) -> String {
    match reason {
        Reason::Units => "different units".to_owned(),
        Reason::Smoke { system } => format!("{system} was measured with preset smoke, which makes no claims"),
        Reason::GivenRate(pace) => {
            format!("both ran at a given rate ({}): compare the response times", pace_text(*pace))
        }
        Reason::Paces([base, other]) => format!("different load: {} and {}", pace_text(*base), pace_text(*other)),
        Reason::TableSizes([base, other]) => {
            let limit = percent(Ratio(RULES.comparable_size_gap));
            format!("table sizes differ by more than {limit}: {} and {}", size_text(*base), size_text(*other))
        }
        Reason::Parameter { name, values: [base, other] } => format!("different {name}: {base} and {other}"),
        Reason::Condition([base, other]) => {
            let ((name, base), (_, other)) = (condition_text(base), condition_text(other));
            format!("different {name}: {base} and {other}")
        }
        Reason::Durability([base, other]) => {
            format!("different durability: {} and {}", durability_text(base), durability_text(other))
        }
        Reason::NoFigure { system } => format!("{system} has no result"),
        Reason::Invalid { system, runs: 1, first } => {
            format!("the run of {system} is invalid ({})", invalid_run_text(first))
        }
        Reason::Invalid { system, runs, first } => {
            format!("all {runs} runs of {system} are invalid ({})", invalid_run_text(first))
        }
    }
}

fn durability_text(durability: &Durability) -> String {
    format!("{} ({})", durability_word(durability), durability.words)
}

/// Why two systems cannot be compared, a clause each.
pub(crate) fn reasons_text(reasons: &[Reason]) -> String {
    reasons.iter().map(reason_text).collect::<Vec<_>>().join("; ")
}

/// The warning of a compared test, in a clause.
pub(super) fn warning_text(warning: &ComparisonWarning) -> String {
    let of_system = |(system, findings): &(String, Vec<Finding>)| {
        format!("{system}: {}", findings.iter().map(finding_text).collect::<Vec<_>>().join(", "))
    };
    match warning {
        ComparisonWarning::Plans(hashes) => {
            let [base, other] = hashes.each_ref().map(|hash| hash.as_deref().unwrap_or("none"));
            format!("the two sides did not run an identical workload: plan {base} and {other}")
        }
        ComparisonWarning::Durability(systems) => {
            let [base, other] = &**systems;
            format!("not the same work, ranked as asked for: {} and {}", durability_text(base), durability_text(other))
        }
        ComparisonWarning::Drift(drift) => drift_text(drift),
        ComparisonWarning::Runs(systems) => systems.iter().map(of_system).collect::<Vec<_>>().join("; "),
    }
}

fn drift_text(drift: &ControlDrift) -> String {
    match drift {
        ControlDrift::Unknown { probe, is_before } => {
            let when = if *is_before { "before the first pair" } else { "after the last pair" };
            format!("control drift unknown: no valid {probe} {when}")
        }
        ControlDrift::AboveLimit { probe, change } => format!(
            "control drift of {}{} from before the first pair to after the last ({probe}); limit {}",
            if *change > 0.0 { "+" } else { "-" },
            percent(Ratio(change.abs())),
            percent(Ratio(RULES.control_probe_change_max))
        ),
    }
}

/// The finding of a gate, in a clause.
pub fn violation_text(found: &ViolationFound) -> String {
    match found {
        ViolationFound::NoVerdict => "nothing was compared: no test has a verdict".to_owned(),
        ViolationFound::NotShared => "the test was not compared: not every system has it".to_owned(),
        ViolationFound::Lacking => "the test was not compared: the system lacks it".to_owned(),
        ViolationFound::Slower { ratio, interval, evidence } => {
            let less = |ratio: f64| format!("{:.1} %", (1.0 - ratio) * 100.0);
            let (most, least) = (less(interval.low), less(interval.high));
            format!("{} slower, 95 % interval {least} to {most}{}", less(*ratio), mark(*evidence))
        }
        ViolationFound::Inconclusive(reason) => verdict_reason_text(reason),
        ViolationFound::Published => "published figures have no verdict".to_owned(),
        ViolationFound::Incomparable(reasons) => reasons_text(reasons),
    }
}

#[cfg(test)]
mod tests {
    use model::Condition;
    use record::{Bytes, LoopLocation, Pace};

    use super::*;

    #[test]
    fn the_reason_of_a_verdict_names_interval_and_margin() {
        let interval = |low: f64, high: f64| Interval { estimate: (low * high).sqrt(), low, high };
        let text = |evidence, basis| verdict_reason_text(&VerdictReason { evidence, margin: 0.02, basis });
        let (paired, unpaired) = (Evidence::Paired { pairs: 10 }, Evidence::Unpaired { base: 3, other: 3 });
        let beyond = VerdictBasis::Beyond(interval(1.03, 1.07));
        assert_eq!(text(paired, beyond), "95 % interval +3.0 % to +7.0 % beyond the margin of 2.0 %");
        assert_eq!(text(unpaired, beyond), "95 % interval +3.0 % to +7.0 % beyond the margin of 2.0 % (unpaired)");
        assert_eq!(
            text(unpaired, VerdictBasis::NoInterval { needed: Some(4) }),
            "3 and 3 repeats give no 95 % interval; 4 and 4 are needed (unpaired)"
        );
        assert_eq!(
            text(Evidence::Paired { pairs: 1 }, VerdictBasis::NoInterval { needed: Some(9) }),
            "1 pair give no 95 % interval; 9 are needed"
        );
        assert_eq!(
            text(Evidence::Single, VerdictBasis::NoInterval { needed: None }),
            "single run: repeatability unknown"
        );
        assert_eq!(
            text(paired, VerdictBasis::IncludesMargin(interval(0.95, 0.99))),
            "slower, size uncertain: 95 % interval -5.0 % to -1.0 % includes the margin of 2.0 %"
        );
        let explained = |alone, low: f64, high: f64| {
            let basis =
                VerdictBasis::NotSignificant { alone, interval: interval(low, high), p_adjusted: 0.06, tests: 3 };
            text(paired, basis)
        };
        assert_eq!(
            explained(ComparisonVerdict::Inconclusive, 1.01, 1.07),
            "95 % interval +1.0 % to +7.0 %, but adjusted p (Holm, 3 tests) = 0.060 is above 0.05"
        );
        assert!(
            explained(ComparisonVerdict::Faster, 1.03, 1.07)
                .starts_with("95 % interval +3.0 % to +7.0 % beyond the margin of 2.0 %, but adjusted p")
        );
        assert!(
            explained(ComparisonVerdict::Equivalent, 0.99, 1.01)
                .starts_with("90 % interval -1.0 % to +1.0 % within the margin of 2.0 %, but adjusted p")
        );
    }

    #[test]
    fn what_was_measured_differently_is_named_with_both_values() {
        let durability = |durable| Durability { durable, words: "by fsync".to_owned(), shown: None };
        let texts = [
            (
                Reason::TableSizes([Bytes::GIB, Bytes(Bytes::GIB.0 * 98 / 100)]),
                "table sizes differ by more than 1.0 %: 1 GiB and 1003.5 MiB",
            ),
            (
                Reason::Paces([Pace::Unthrottled, Pace::Rate { steps_per_second: 100.0 }]),
                "different load: closed loop, unthrottled and 100 steps/s, fixed interval",
            ),
            (
                Reason::Durability([durability(Some(true)), durability(None)]),
                "different durability: durable: settings (by fsync) and of unknown durability (by fsync)",
            ),
            (Reason::Parameter { name: "n".to_owned(), values: [25, 39] }, "different n: 25 and 39"),
            (
                Reason::Condition([true, false].map(|from_device| Condition::Reads { from_device })),
                "different reads: from the device and from the page cache",
            ),
            (
                Reason::Condition([LoopLocation::Client, LoopLocation::Engine].map(Condition::Loop)),
                "different loop: in the client and in the engine",
            ),
            (
                Reason::Condition(["none", "gzip"].map(|source| Condition::Lines(source.to_owned()))),
                "different lines: uncompressed and gzip",
            ),
        ];
        for (reason, text) in texts {
            assert_eq!(reason_text(&reason), text);
        }
    }

    #[test]
    fn warnings_about_a_pair() {
        let probe = || "C11".to_owned();
        let texts = [
            (
                ComparisonWarning::Drift(ControlDrift::AboveLimit { probe: probe(), change: 1.0 }),
                "control drift of +100 % from before the first pair to after the last (C11); limit 5.0 %",
            ),
            (
                ComparisonWarning::Drift(ControlDrift::Unknown { probe: probe(), is_before: false }),
                "control drift unknown: no valid C11 after the last pair",
            ),
            (
                ComparisonWarning::Plans([Some("sha256:1".to_owned()), None]),
                "the two sides did not run an identical workload: plan sha256:1 and none",
            ),
        ];
        for (warning, text) in texts {
            assert_eq!(warning_text(&warning), text);
        }
    }
}
