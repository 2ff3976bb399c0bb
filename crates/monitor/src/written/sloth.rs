//! Objectives in the form of sloth (`prometheus/v1`), which makes rules of Prometheus of them. It reads no `openslo/v1`.

use model::promise::{Objective, Operation};

use super::rounded;

/// The objectives of `operations`.
pub fn sloth(objective: Objective, operations: &[Operation]) -> String {
    let objectives = operations.iter().map(|operation| one(objective, *operation));
    objectives.fold(HEAD.to_owned(), |text, one| text + &one)
}

const HEAD: &str = "# Written by `dbdyno monitor slo --form sloth`.
version: prometheus/v1
service: database
slos:
";

fn one(objective: Objective, operation: Operation) -> String {
    let word = operation.word();
    let rate =
        |counter: &str| format!("sum(rate(dbdyno_probe_{counter}_total{{operation=\"{word}\"}}[{{{{.window}}}}]))");
    let (total, good) = (rate("events"), rate("good"));
    let name: String = word.split('-').map(super::capitalized).collect();
    format!(
        "- name: dbdyno-{word}
  objective: {percent}
  description: Bursts of the benchmark's own operations that are answered without an error and within the threshold.
  sli:
    events:
      error_query: {total} - {good}
      total_query: {total}
  alerting:
    name: Dbdyno{name}Burn
    page_alert:
      labels:
        severity: page
    ticket_alert:
      labels:
        severity: ticket
",
        percent = rounded(objective.good_ratio.0 * 100.0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operation_has_an_objective_in_percent_and_names_of_its_own() {
        let text = sloth(Objective::default(), &Operation::ALL);
        assert_eq!(text.matches("objective: 99\n").count(), Operation::ALL.len(), "{text}");
        assert!(text.contains("name: DbdynoStorageReadBurn\n") && text.contains("{operation=\"storage-read\"}"));
    }
}
