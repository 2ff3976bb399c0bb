//! The objectives of a user, a TOML file.
//!
//! ```toml
//! objective = "99.5 %"        # share of bursts that are to be good; default 99 %
//! days      = 28              # over so many days, 28 or 30; default 30
//!
//! [read]                      # 32 rows by primary key
//! threshold = "1.5ms"         # of the slowest statement; default three times the p99 of the baseline
//!
//! [commit]                    # the update of one row
//! threshold = "10ms"
//!
//! [scan]                      # of the table of the monitor, 1000 rows; without a threshold only errors are bad
//! threshold = "5ms"
//!
//! [lag]                       # of a replica behind the node that takes writes; default 10 s
//! threshold = "2s"
//!
//! [storage-read]              # 64 direct reads of 8 KiB
//! threshold = "1ms"
//!
//! [storage-sync]              # 8 writes of 8 KiB with their flush
//! threshold = "10ms"
//! ```
//!
//! That some node of a cluster takes writes has the same objective, and no threshold.

use std::collections::BTreeMap;

use base::{Wrong, quantity};
use model::promise::{Baseline, Objective, Operation, Promise, threshold};
use record::{Nanos, Ratio};
use serde::Deserialize;

/// Shortest and longest threshold: 1 µs and 1 min.
const THRESHOLD_NS: std::ops::RangeInclusive<u64> = 1_000..=60_000_000_000;

/// Objectives, and thresholds in place of those of the baseline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slo {
    /// The objective of all operations.
    pub objective: Objective,
    /// Thresholds by operation.
    pub thresholds: BTreeMap<Operation, Nanos>,
}

/// The default threshold of a replica: there is no test that it could be taken from.
const LAG: Nanos = Nanos(10_000_000_000);

#[derive(Deserialize)]
struct File {
    objective: Option<String>,
    days: Option<u32>,
    /// By the names of the operations.
    #[serde(flatten)]
    operations: BTreeMap<String, OperationFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OperationFile {
    threshold: String,
}

impl Slo {
    /// The operations that objectives are written for: those of a database, and others that have a threshold here.
    pub fn operations(&self) -> Vec<Operation> {
        let is_meant =
            |operation: &Operation| Operation::OF_WRITER.contains(operation) || self.thresholds.contains_key(operation);
        Operation::ALL.into_iter().filter(is_meant).collect()
    }

    /// The promise of `operation`: a threshold of the file, or else that of the baseline.
    pub fn promise(&self, operation: Operation, baseline: Option<&Baseline>) -> Promise {
        let figure = baseline.and_then(|baseline| {
            let figures = baseline.figures.iter();
            figures.filter(|figure| figure.operation == operation).max_by_key(|figure| figure.p99_ns)
        });
        let default = figure.map(|figure| threshold(figure.p99_ns)).or((operation == Operation::Lag).then_some(LAG));
        Promise {
            operation,
            threshold_ns: self.thresholds.get(&operation).copied().or(default),
            baseline_p50_ns: figure.map(|figure| figure.p50_ns),
            objective: self.objective,
        }
    }
}

/// The objectives in `text`, the content of a file that errors call `shown`.
///
/// # Errors
/// Names what is wrong, with the limit and a hint.
pub fn slo(text: &str, shown: &str) -> Result<Slo, Wrong> {
    let file: File = toml::from_str(text).map_err(|error| Wrong {
        message: format!("{shown}: {}", error.message()),
        hint: "give objective, days, and a threshold under [read], [commit] or another operation".to_owned(),
    })?;
    let objective = Objective {
        good_ratio: file.objective.map_or(Ok(Objective::default().good_ratio), |text| good_ratio(&text))?,
        window_days: file.days.map_or(Ok(Objective::default().window_days), window_days)?,
    };
    let mut thresholds = BTreeMap::new();
    for (word, OperationFile { threshold }) in file.operations {
        let operation = Operation::of_word(&word).filter(|operation| operation.is_timed());
        let operation = operation.ok_or_else(|| unknown(shown, &word))?;
        let thing = format!("threshold of {}", operation.word());
        thresholds.insert(operation, Nanos(quantity::time_ns_within(&thing, &threshold, THRESHOLD_NS)?));
    }
    Ok(Slo { objective, thresholds })
}

fn unknown(shown: &str, word: &str) -> Wrong {
    let timed = Operation::ALL.into_iter().filter(|operation| operation.is_timed());
    let words = timed.map(Operation::word).collect::<Vec<&str>>().join(", ");
    Wrong {
        message: format!("{shown}: {word} is not an operation with a threshold"),
        hint: format!("use one of {words}"),
    }
}

fn good_ratio(text: &str) -> Result<Ratio, Wrong> {
    let wrong = |what| Wrong::new("objective", text, what, "write it as \"99 %\" or \"99.9 %\"");
    match quantity::share(text) {
        None => Err(wrong("is not a share in percent")),
        Some(share) if (0.5..=0.999_99).contains(&share) => Ok(Ratio(share)),
        Some(_) => Err(wrong("is not from 50 % to 99.999 %")),
    }
}

fn window_days(days: u32) -> Result<u32, Wrong> {
    match days {
        28 | 30 => Ok(days),
        _ => Err(Wrong::new("days", &days.to_string(), "is not 28 or 30", "use 28 for whole weeks, or 30")),
    }
}

#[cfg(test)]
mod tests {
    use model::promise::BaselineFigure;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_file_is_read_and_an_empty_one_has_the_defaults() {
        assert_eq!(slo("", "slo.toml"), Ok(Slo::default()));
        let found = slo("objective = \"99.5 %\"\ndays = 28\n[read]\nthreshold = \"1.5ms\"\n", "slo.toml").unwrap();
        assert!((found.objective.good_ratio.0 - 0.995).abs() < 1e-12 && found.objective.window_days == 28);
        assert_eq!(found.thresholds, BTreeMap::from([(Operation::Read, Nanos(1_500_000))]));
    }

    #[test]
    fn what_is_wrong_is_named_with_a_hint() {
        for (text, word) in [
            ("objective = \"100 %\"", "objective 100 % is not from 50 %"),
            ("objective = \"most\"", "is not a share"),
            ("days = 31", "days 31 is not 28 or 30"),
            ("[read]\nthreshold = \"soon\"", "threshold of read soon"),
            ("[read]\nthreshold = \"2min\"", "threshold of read 2min"),
            ("[write]\nthreshold = \"1ms\"", "write is not an operation with a threshold"),
            ("[writer]\nthreshold = \"1ms\"", "writer is not an operation with a threshold"),
            ("objective = ", "slo.toml: "),
        ] {
            let error = slo(text, "slo.toml").unwrap_err();
            assert!(error.message.contains(word) && !error.hint.is_empty(), "{text}: {error:?}");
        }
    }

    #[test]
    fn a_threshold_of_the_file_comes_before_that_of_the_baseline() {
        let figure = |operation| BaselineFigure {
            operation,
            test: "T611".to_owned(),
            p50_ns: Nanos(100_000),
            p99_ns: Nanos(400_000),
        };
        let baseline = Baseline {
            record: "r".to_owned(),
            engine: None,
            figures: vec![figure(Operation::Read), figure(Operation::Commit)],
        };
        let slo = slo("[commit]\nthreshold = \"7ms\"", "slo.toml").unwrap();
        let of = |operation| slo.promise(operation, Some(&baseline));
        assert_eq!(of(Operation::Read).threshold_ns, Some(Nanos(1_200_000)));
        assert_eq!(of(Operation::Commit).threshold_ns, Some(Nanos(7_000_000)));
        assert_eq!(of(Operation::Commit).baseline_p50_ns, Some(Nanos(100_000)));
        assert_eq!(of(Operation::Scan).threshold_ns, None);
    }

    proptest! {
        #[test]
        fn no_text_panics_and_what_is_read_is_within_its_limits(
            text in "(objective|days|threshold|\\[read\\]|[ =\"%\\.0-9a-z\n]){0,12}"
        ) {
            if let Ok(found) = slo(&text, "slo.toml") {
                prop_assert!((0.5..1.0).contains(&found.objective.good_ratio.0));
                prop_assert!(found.thresholds.values().all(|threshold| THRESHOLD_NS.contains(&threshold.0)));
            }
        }

        #[test]
        fn thresholds_in_range_are_read_as_they_are_written(microseconds in 1u64..60_000_000) {
            let text = format!("[scan]\nthreshold = \"{microseconds}us\"");
            prop_assert_eq!(slo(&text, "slo.toml").unwrap().thresholds[&Operation::Scan], Nanos(microseconds * 1_000));
        }
    }
}
