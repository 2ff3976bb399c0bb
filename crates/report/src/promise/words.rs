//! Words of a promise: what is promised, what an alert rests on, what limited an incident.

use std::collections::BTreeMap;

use model::promise::{
    AlertChange, AlertEvidence, Control, Drift, DriftCause, DriftReference, Incident, Month, Operation, Outcome,
    Promise,
};
use record::Ratio;

use crate::figure::{duration, percent, three_digits};
use crate::words::{list, plural};

/// What is promised of an operation, in a line.
pub fn promise_text(promise: &Promise) -> String {
    let objective = promise.objective;
    let what = match promise.operation {
        Operation::Read => "of bursts of 32 rows by primary key",
        Operation::Commit => "of updates of one row, with their commit",
        Operation::Scan => "of scans of 1000 rows",
        Operation::Lag => "of looks at what the node that takes writes has committed",
        Operation::Writer => "of looks at whether any node takes writes",
        Operation::StorageRead => "of bursts of 64 direct reads of 8 KiB",
        Operation::StorageSync => "of bursts of 8 writes of 8 KiB with their flush",
    };
    let within = match promise.threshold_ns {
        Some(threshold) => format!("within {}, and without an error", duration(threshold)),
        None => "without an error; no time is promised".to_owned(),
    };
    let (share, days) = (exact_percent(objective.good_ratio), objective.window_days);
    format!("{share} {what} in {days} days, {within}")
}

/// A share of good events in percent: what is close to all of them is told from all, as 99.95 % is from 100 %.
pub(super) fn exact_percent(Ratio(share): Ratio) -> String {
    // Towards what is missing: only all is 100 %.
    format!("{} %", (share * 1e5 + 1e-6).floor() / 1e3)
}

/// What an alert rests on where it begins, as a sentence; that it is over where it ends.
pub fn alert_text(change: &AlertChange) -> String {
    match &change.raised {
        None => "over".to_owned(),
        Some(AlertEvidence::Outcomes(found)) => {
            let count = found.values().sum::<u32>();
            let counts = found.iter().map(|(outcome, count)| (*outcome, u64::from(*count))).collect();
            let subject = if change.operation == Operation::Writer { "no node takes writes: " } else { "" };
            format!("{subject}{count} in a row are bad: {}", outcomes(&counts))
        }
        Some(AlertEvidence::Burn(burn)) => format!(
            "the budget is used {} times too fast, and {} times now: {} of {} are bad",
            three_digits(burn.long_rate),
            three_digits(burn.short_rate),
            burn.long.bad,
            burn.long.valid()
        ),
        Some(AlertEvidence::Drift(drift)) => drift_text(drift),
    }
}

fn drift_text(drift: &Drift) -> String {
    let against = match drift.reference {
        DriftReference::Baseline => "the baseline",
        DriftReference::SameHour => "the same hours of the last four weeks",
    };
    let [slower, least] = [drift.ratio, drift.ratio_min].map(|ratio| percent(Ratio(ratio.0 - 1.0)));
    let hours = plural(drift.hours.into(), "hour");
    let found = format!("medians of {hours} are {slower} above {against}, at least {least}");
    match drift.cause {
        DriftCause::Database => format!("{found}; the host of the monitor did not drift"),
        DriftCause::ClientHost { control, ratio } => {
            let control = match control {
                Control::Processor => "arithmetic",
                Control::Timer => "the lateness of timers",
                Control::Loopback => "a round trip over loopback",
            };
            let by = percent(Ratio(ratio.0 - 1.0));
            format!("{found}; the host of the monitor drifted, not the database: {control} takes {by} longer there")
        }
    }
}

/// What became of bad events: `2 timed out, 7 missed`.
pub(super) fn outcomes(counts: &BTreeMap<Outcome, u64>) -> String {
    list(counts.iter().map(|(outcome, count)| format!("{count} {}", outcome.word())))
}

/// What an incident of `month` was limited by, as far as the other operations tell.
pub(super) fn limited_by(month: &Month, incident: &Incident) -> &'static str {
    match month.operations_beside(incident)[..] {
        [Operation::Commit] => "reads kept their promise meanwhile: the log, or what it is written to",
        [Operation::Read] => "commits and scans kept their promise meanwhile: what reads alone need",
        [Operation::Scan] => "reads and commits kept their promise meanwhile: what scans alone need",
        [Operation::Lag] => "it reads well meanwhile: what brings the log to it, or replays it there",
        [Operation::Writer] => "the nodes themselves, or what decides which of them takes writes",
        [Operation::StorageRead] => "flushed writes kept their promise meanwhile: what reads alone need",
        [Operation::StorageSync] => "reads kept their promise meanwhile: what flushes alone need",
        [Operation::StorageRead, Operation::StorageSync] => "the device, or the way to it",
        [Operation::Read, Operation::Commit, Operation::Scan] | [Operation::Read, Operation::Lag] => {
            "every operation at once: the server, its host, or the way to it"
        }
        _ => "several operations at once, and others not",
    }
}

#[cfg(test)]
mod tests {
    use model::promise::{Alert, Burn, Counts, UnixMillis};
    use record::Nanos;

    use super::*;

    fn text(raised: Option<AlertEvidence>) -> String {
        let at = UnixMillis(0);
        alert_text(&AlertChange { at, operation: Operation::Read, alert: Alert::Down, since: at, raised })
    }

    #[test]
    fn evidence_is_a_sentence() {
        let outcomes = BTreeMap::from([(Outcome::TimedOut, 1), (Outcome::Missed, 2)]);
        let raised = Some(AlertEvidence::Outcomes(outcomes));
        assert_eq!(text(raised.clone()), "3 in a row are bad: 1 timed out, 2 missed");
        let at = UnixMillis(0);
        let of_cluster = AlertChange { at, operation: Operation::Writer, alert: Alert::Down, since: at, raised };
        assert!(alert_text(&of_cluster).starts_with("no node takes writes: 3 in a row"));
        let long = Counts { good: 102, bad: 18, unknown: 5 };
        let burn = Burn { long, long_rate: 15.0, short_rate: 100.0 };
        let burn = text(Some(AlertEvidence::Burn(burn)));
        assert_eq!(burn, "the budget is used 15.0 times too fast, and 100 times now: 18 of 120 are bad");
        let drift = |cause| Drift {
            ratio: Ratio(1.2),
            ratio_min: Ratio(1.15),
            hours: 12,
            reference: DriftReference::SameHour,
            cause,
        };
        let from_database = text(Some(AlertEvidence::Drift(drift(DriftCause::Database))));
        assert!(from_database.starts_with("medians of 12 hours are 20 % above the same hours"), "{from_database}");
        let cause = DriftCause::ClientHost { control: Control::Timer, ratio: Ratio(1.3) };
        let from_client = text(Some(AlertEvidence::Drift(drift(cause))));
        assert!(from_client.contains("the host of the monitor drifted, not the database"), "{from_client}");
        assert_eq!(text(None), "over");
    }

    #[test]
    fn only_all_is_a_hundred_percent() {
        let of = |share: f64| exact_percent(Ratio(share));
        assert_eq!([of(1.0), of(0.999_999_9), of(0.995), of(0.99)], ["100 %", "99.999 %", "99.5 %", "99 %"]);
    }

    #[test]
    fn a_promise_is_a_line() {
        let promise = Promise {
            operation: Operation::Commit,
            threshold_ns: Some(Nanos(1_500_000)),
            baseline_p50_ns: None,
            objective: Default::default(),
        };
        let line = promise_text(&promise);
        assert_eq!(
            line,
            "99 % of updates of one row, with their commit in 30 days, within 1.50 ms, and without an error"
        );
    }
}
