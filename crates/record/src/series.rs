//! Time series of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Nanos;

/// Totals of one second of the window, of all jobs; the last second may be shorter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Second {
    /// Steps that ended in this second.
    pub steps: u64,
    /// Operations of these steps.
    pub operations: u64,
    /// Rows of these steps.
    pub rows: u64,
    /// Steps that failed.
    pub failures: u64,
    /// Sum of the service times of the steps that ended in this second.
    pub service_ns_sum: Nanos,
    /// The longest of them.
    pub service_ns_max: Nanos,
    /// Sum of the response times of the steps that ended in this second.
    pub response_ns_sum: Nanos,
    /// The longest of them.
    pub response_ns_max: Nanos,
}

/// Response times over time (in a closed loop, the service times): the window in slices of equal width, of which the
/// last may be shorter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Slices {
    /// Width of a slice.
    pub width_ns: Nanos,
    /// All values of each slice as an HdrHistogram: V2 format, deflated, base64; nanoseconds, one significant digit (16
    /// buckets per octave).
    pub responses: Vec<String>,
}

/// A series of seconds as stored: one column per member, all of the same length. A column that equals another one is
/// omitted.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Columns {
    /// Steps that ended in each second.
    steps: Vec<u64>,
    /// Operations; omitted if equal to the steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    operations: Option<Vec<u64>>,
    /// Rows; omitted if equal to the operations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rows: Option<Vec<u64>>,
    /// Failed steps; omitted if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failures: Option<Vec<u64>>,
    /// Sums of the service times.
    service_ns_sum: Vec<Nanos>,
    /// The longest service times.
    service_ns_max: Vec<Nanos>,
    /// Sums of the response times; omitted if equal to the service times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    response_ns_sum: Option<Vec<Nanos>>,
    /// The longest response times; omitted if equal to the longest service times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    response_ns_max: Option<Vec<Nanos>>,
}

impl Columns {
    fn of(seconds: &[Second]) -> Columns {
        fn column<T: PartialEq>(
            seconds: &[Second],
            of: impl Fn(&Second) -> T,
            implied: impl Fn(&Second) -> T,
        ) -> Option<Vec<T>> {
            let is_implied = seconds.iter().all(|second| of(second) == implied(second));
            (!is_implied).then(|| seconds.iter().map(of).collect())
        }
        Columns {
            steps: seconds.iter().map(|second| second.steps).collect(),
            operations: column(seconds, |second| second.operations, |second| second.steps),
            rows: column(seconds, |second| second.rows, |second| second.operations),
            failures: column(seconds, |second| second.failures, |_| 0),
            service_ns_sum: seconds.iter().map(|second| second.service_ns_sum).collect(),
            service_ns_max: seconds.iter().map(|second| second.service_ns_max).collect(),
            response_ns_sum: column(seconds, |second| second.response_ns_sum, |second| second.service_ns_sum),
            response_ns_max: column(seconds, |second| second.response_ns_max, |second| second.service_ns_max),
        }
    }

    /// The seconds.
    fn seconds(&self) -> Result<Vec<Second>, String> {
        let length = self.steps.len();
        let lengths = [
            ("operations", self.operations.as_ref().map(Vec::len)),
            ("rows", self.rows.as_ref().map(Vec::len)),
            ("failures", self.failures.as_ref().map(Vec::len)),
            ("service_ns_sum", Some(self.service_ns_sum.len())),
            ("service_ns_max", Some(self.service_ns_max.len())),
            ("response_ns_sum", self.response_ns_sum.as_ref().map(Vec::len)),
            ("response_ns_max", self.response_ns_max.as_ref().map(Vec::len)),
        ];
        if let Some((name, Some(found))) = lengths.into_iter().find(|(_, found)| found.is_some_and(|n| n != length)) {
            return Err(format!("{name} has {found} seconds and steps {length}"));
        }
        let (operations, rows) = (self.operations.as_ref().unwrap_or(&self.steps), self.rows.as_ref());
        let (sums, longest) = (&self.service_ns_sum, &self.service_ns_max);
        let second = |at: usize| Second {
            steps: self.steps[at],
            operations: operations[at],
            rows: rows.unwrap_or(operations)[at],
            failures: self.failures.as_ref().map_or(0, |failures| failures[at]),
            service_ns_sum: sums[at],
            service_ns_max: longest[at],
            response_ns_sum: self.response_ns_sum.as_ref().unwrap_or(sums)[at],
            response_ns_max: self.response_ns_max.as_ref().unwrap_or(longest)[at],
        };
        Ok((0..length).map(second).collect())
    }
}

/// Seconds as [`Columns`].
pub(crate) mod columns {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Columns, Second};

    pub(crate) fn serialize<S: Serializer>(seconds: &[Second], serializer: S) -> Result<S::Ok, S::Error> {
        Columns::of(seconds).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Second>, D::Error> {
        Columns::deserialize(deserializer)?.seconds().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(steps: u64) -> Second {
        let (sum, longest) = (Nanos(steps * 100), Nanos(150));
        Second {
            steps,
            operations: steps,
            rows: steps,
            failures: 0,
            service_ns_sum: sum,
            service_ns_max: longest,
            response_ns_sum: sum,
            response_ns_max: longest,
        }
    }

    #[test]
    fn a_closed_loop_of_single_rows_needs_three_columns() {
        let seconds = [second(7), second(9)];
        let columns = Columns::of(&seconds);
        assert!(columns.operations.is_none() && columns.rows.is_none() && columns.failures.is_none());
        assert!(columns.response_ns_sum.is_none() && columns.response_ns_max.is_none());
        assert_eq!(columns.seconds().unwrap(), seconds);
    }

    #[test]
    fn a_difference_in_one_second_needs_a_column() {
        let odd = Second {
            operations: 14,
            rows: 15,
            failures: 1,
            response_ns_sum: Nanos(1),
            response_ns_max: Nanos(2),
            ..second(7)
        };
        let seconds = [second(7), odd];
        let columns = Columns::of(&seconds);
        assert_eq!(columns.rows.as_deref(), Some(&[7, 15][..]));
        assert_eq!(columns.seconds().unwrap(), seconds);
    }

    #[test]
    fn columns_of_different_lengths_are_no_series() {
        let columns = Columns { steps: vec![1, 2], ..Columns::default() };
        assert_eq!(columns.seconds().unwrap_err(), "service_ns_sum has 0 seconds and steps 2");
    }
}
