//! One figure over records of the same test on the same platform, with its change points.

mod document;
mod series;
#[cfg(test)]
mod tests;

use model::history::{ChangePoint, HistoryEntry, HistoryQuery, Look, Metric, Series};
use record::{Nanos, Ratio};

use crate::figure::{chance, duration, number, percent, three_digits};
use crate::view::line as csv_line;
use crate::words::{plural, unit_per_second};

pub use document::history;
use series::{at, label, look};

/// Test, figure and degree of parallelism, in one line.
fn headline(entries: &[HistoryEntry], query: &HistoryQuery) -> String {
    let first = entries.first();
    let title = first.map_or_else(String::new, |entry| format!(": {}", entry.title));
    let unit = first.map_or("", |entry| unit_per_second(entry.unit));
    let degree =
        query.jobs.map_or_else(|| "the best degree of parallelism".to_owned(), |jobs| plural(jobs.into(), "job"));
    format!("{}{title}: {} at {degree}", query.test, metric(query.metric, unit))
}

fn metric(metric: Metric, unit: &str) -> String {
    match metric {
        Metric::Throughput => format!("throughput in {unit}"),
        Metric::P99 => "0.99 quantile of the service time".to_owned(),
        Metric::Efficiency => "share of the ceiling".to_owned(),
    }
}

fn shown(value: f64, metric: Metric) -> String {
    match metric {
        Metric::Throughput => number(value),
        Metric::P99 => duration(Nanos(value as u64)),
        Metric::Efficiency => percent(Ratio(value)),
    }
}

/// The text of a change, above the entry `index` that it precedes.
fn changed(series: &Series, index: usize, change: &ChangePoint) -> String {
    let later = &series.entries[index];
    let earlier = series.valued_before(index).unwrap_or(later);
    let by = match change.before {
        0.0 => format!("changed from 0 to {}", three_digits(change.after)),
        before => format!("changed by {:+.1} %", (change.after / before - 1.0) * 100.0),
    };
    let version = match earlier.version == later.version {
        true => String::new(),
        false => format!("; version {} before, {} after", earlier.version, later.version),
    };
    let (one, other) = (&earlier.record, &later.record);
    format!("{by} between {one} and {other} (p {}){version}", chance("<=", change.p_value_max))
}

/// What p means, and for how many series it was corrected; nothing where no series is long enough for a change.
fn method(look: &Look) -> Option<String> {
    let Look { series, tested } = look;
    series.iter().any(Series::is_long_enough).then(|| {
        format!(
            "changes by {} permutations of each series; p is an upper bound for {tested} series together (Bonferroni): of 1000 \
             looks at series without a change at most one shows any; every look after another record is one more",
            look.permutations()
        )
    })
}

/// The verdict on a series.
fn verdict(series: &Series) -> String {
    let values = series.valued.len();
    match series.changes.len() {
        _ if !series.is_long_enough() => {
            let values = plural(values as u64, "value");
            format!("{values}: too few to detect a change; at least {} are needed", series.values_needed)
        }
        0 => format!("no change in {values} values"),
        changes => format!("{} in {values} values", plural(changes as u64, "change")),
    }
}

const CSV_HEADS: [&str; 9] =
    ["platform", "test", "metric", "record", "started_at", "at", "value", "change_ratio", "change_p_value_max"];

/// The history as comma-separated values: one line per record, rates per second, times in nanoseconds, shares in
/// [0, 1]. The last two columns are filled where the level changed right before the record: by which ratio of the level
/// before, and at most how likely any of the series would look so without a change, in one look.
pub fn history_csv(entries: Vec<HistoryEntry>, query: &HistoryQuery) -> String {
    let metric = match query.metric {
        Metric::Throughput => "operations_per_second",
        Metric::P99 => "service_ns_p99",
        Metric::Efficiency => "efficiency_ratio",
    };
    let mut text = String::new();
    csv_line(&mut text, CSV_HEADS.into_iter());
    for series in look(entries).series {
        let label = label(&series);
        for (index, entry) in series.entries.iter().enumerate() {
            let change = series.change_before(index);
            let value = entry.value.map_or_else(String::new, |value| value.to_string());
            let ratio = change.filter(|change| change.before != 0.0);
            let ratio = ratio.map_or_else(String::new, |change| (change.after / change.before - 1.0).to_string());
            let chance = change.map_or_else(String::new, |change| change.p_value_max.to_string());
            let cells = [&label, &query.test, metric, &entry.record, &entry.started_at.0, &at(entry)];
            csv_line(&mut text, cells.into_iter().chain([&*value, &*ratio, &*chance]));
        }
    }
    text
}
