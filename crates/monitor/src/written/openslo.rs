//! Objectives in the form of OpenSLO v1, as strict as its readers: a ratio of two counters, occurrences, a rolling
//! window, the indicator in place.

use model::promise::{Objective, Operation};

use super::rounded;

/// The objective of each of `operations`, over 28 and over 30 days.
pub fn openslo(objective: Objective, operations: &[Operation]) -> String {
    let windows = [28, 30];
    let all = operations.iter().flat_map(|operation| windows.map(|days| one(objective, *operation, days)));
    all.collect::<Vec<String>>().join("---\n")
}

fn one(objective: Objective, operation: Operation, days: u32) -> String {
    let word = operation.word();
    format!(
        r#"apiVersion: openslo/v1
kind: SLO
metadata:
  name: dbdyno-{word}-{days}d
  displayName: {word} keeps its promise
spec:
  service: database
  description: Bursts of the benchmark's own operations that are answered without an error and within the threshold.
  indicator:
    metadata:
      name: dbdyno-{word}
    spec:
      ratioMetric:
        counter: true
        good:
          metricSource:
            type: Prometheus
            spec:
              query: sum(dbdyno_probe_good_total{{operation="{word}"}})
        total:
          metricSource:
            type: Prometheus
            spec:
              query: sum(dbdyno_probe_events_total{{operation="{word}"}})
  timeWindow:
  - duration: {days}d
    isRolling: true
  budgetingMethod: Occurrences
  objectives:
  - displayName: good bursts
    target: {target}
"#,
        target = rounded(objective.good_ratio.0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operation_has_two_windows_and_no_indicator_elsewhere() {
        let text = openslo(Objective::default(), &Operation::OF_WRITER);
        assert_eq!(text.matches("apiVersion: openslo/v1").count(), 6);
        assert_eq!((text.matches("duration: 28d").count(), text.matches("duration: 30d").count()), (3, 3));
        assert!(!text.contains("indicatorRef") && !text.contains("thresholdMetric"));
        assert!(text.contains("target: 0.99\n"), "{text}");
    }
}
