//! One figure over records of the same test on the same platform, with its change points.

mod html;
mod series;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use model::{ChangePoint, Line, Point};
use record::{Bytes, Nanos, Preset, Ratio, Record, Run};

use crate::fact::{condition_text, pace_text};
use crate::figure::{UNKNOWN, chance, duration, number, percent, three_digits, volume};
use crate::layout::{Align, Head, Table, bar, clean, cut, paragraph, section, wrap};
use crate::style::{Ink, Style};
use crate::view::line as csv_line;
use crate::words::{dop, list, plural, preset, unit_per_second};

pub use html::history_html;
pub use series::HistoryEntry;
use series::{Look, Series, look};

/// Characters of a bar.
const BAR_WIDTH: usize = 24;

/// Characters of the name of a record.
const NAME_MAX: usize = 44;

/// The figure of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Operations per second, in the unit of the test.
    Throughput,
    /// The 0.99 quantile of the service time.
    P99,
    /// Share of the ceiling in the same record.
    Efficiency,
}

/// The query of a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryQuery {
    /// The code of the test.
    pub test: String,
    /// At how many jobs; absent: at the degree of parallelism with the highest throughput.
    pub jobs: Option<u32>,
    /// Which figure.
    pub metric: Metric,
}

/// The entry of `record` for `query`; none where it has no plain run of the test at that degree of parallelism.
pub fn history_entry(mut record: Record, query: &HistoryQuery) -> Option<HistoryEntry> {
    if let Some(jobs) = query.jobs {
        record.runs.retain(|run| run.test != query.test || run.dop.jobs == jobs);
    }
    let sheet = model::sheet(&record);
    let line = sheet.lines.iter().find(|line| line.test == query.test)?;
    let best = line.best.as_ref();
    let is_plain = |run: &&Run| run.test == query.test && run.variation.is_none();
    let is_shown = |run: &&Run| best.is_some_and(|best| best.run == run.number);
    let mut plain = record.runs.iter().filter(is_plain);
    let shown = plain.clone().find(is_shown).or_else(|| plain.next());
    let engine = record.engine.as_ref();
    Some(HistoryEntry {
        platform: platform(&record, shown.and_then(|run| run.data_bytes)),
        durability: engine.map_or_else(String::new, |engine| engine.durability.clone()),
        conditions: shown.map(|run| conditions(&record, run)).unwrap_or_default(),
        is_smoke: record.plan.preset == Preset::Smoke,
        title: line.title.clone(),
        unit: unit_per_second(line.unit),
        record: record.id.clone(),
        started_at: record.started_at.clone(),
        at: best.map_or_else(String::new, |best| at(line, best)),
        value: best.and_then(|best| value(best, query.metric)).filter(|value| value.is_finite()),
        version: engine.map_or_else(String::new, |engine| engine.version.clone()),
    })
}

/// The conditions that separate `run` from runs of other series.
fn conditions(record: &Record, run: &Run) -> BTreeMap<String, String> {
    // Parameters of a probe only control its length.
    let parameters = model::parameters(run).into_iter().filter(|_| !run.kind.is_probe());
    let parameters = parameters.map(|(name, number)| (name, number.to_string()));
    let threads = if record.plan.one_thread_per_core { "one per core" } else { "all" };
    let common = [("pace", pace_text(run.pace)), ("hardware threads", threads.to_owned())];
    let of_kind = model::conditions(run);
    let named = of_kind.iter().map(condition_text).chain(common).map(|(name, value)| (name.to_owned(), value));
    parameters.chain(named).collect()
}

fn platform(record: &Record, data: Option<Bytes>) -> String {
    let engine = record.engine.as_ref().map_or("no engine", |engine| &engine.title);
    let host = record.host.host_name.as_deref().unwrap_or("an unnamed host");
    let nodes = record.engine.as_ref().map_or(1, |engine| engine.nodes);
    let parts = [
        Some(format!("{engine} on {host}")),
        (nodes > 1).then(|| plural(nodes.into(), "node")),
        Some(format!("preset {}", preset(record.plan.preset))),
        data.map(|size| format!("{} of data", volume(size))),
    ];
    list(parts.into_iter().flatten())
}

fn at(line: &Line, point: &Point) -> String {
    point.in_flight.map_or_else(|| dop(point.dop, line.sweep), |in_flight| in_flight.to_string())
}

fn value(point: &Point, metric: Metric) -> Option<f64> {
    match metric {
        Metric::Throughput => Some(point.operations_per_second.0),
        Metric::P99 => point.service?.p99_ns.map(|time| time.0 as f64),
        Metric::Efficiency => point.ceiling.as_ref().map(|limit| limit.efficiency.0),
    }
}

/// The history in `entries` for `width` columns (at least 60 are used): for each series a line per record with value
/// and bar, the changes between them, and the verdict.
pub fn history(entries: Vec<HistoryEntry>, query: &HistoryQuery, style: Style, width: usize) -> String {
    let width = crate::page_width(width);
    let title = wrap(&clean(&headline(&entries, query)), width);
    let mut lines: Vec<String> = title.iter().map(|line| style.paint(line, Ink::Head)).collect();
    let look = look(entries);
    lines.extend(method(&look).map(|text| wrap(&text, width)).into_iter().flatten());
    for series in look.series {
        lines.extend([String::new(), section(&cut(&clean(&series.platform), width), style, width)]);
        for part in [&series.durability, &series.apart].into_iter().filter(|part| !part.is_empty()) {
            lines.extend(paragraph("", 2, &clean(part), width));
        }
        let warning = series.warning().map(|warning| paragraph("", 2, &format!("warning: {warning}"), width));
        lines.extend(warning.into_iter().flatten().map(|line| style.paint(&line, Ink::Warning)));
        lines.extend(table(&series, query.metric, style, width));
        lines.extend(paragraph("", 2, &verdict(&series), width));
    }
    style.encoded(lines.join("\n") + "\n")
}

/// Test, figure and degree of parallelism, in one line.
fn headline(entries: &[HistoryEntry], query: &HistoryQuery) -> String {
    let first = entries.first();
    let title = first.map_or_else(String::new, |entry| format!(": {}", entry.title));
    let unit = first.map_or("", |entry| entry.unit);
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

const HEADS: [Head; 5] = [
    (&["started"], Align::Left),
    (&["record"], Align::Left),
    (&["value"], Align::Right),
    (&["at"], Align::Left),
    (&[""], Align::Left),
];

fn table(series: &Series, metric: Metric, style: Style, width: usize) -> Vec<String> {
    let most = series.entries.iter().filter_map(|entry| entry.value).fold(0.0, f64::max);
    let mut table = Table::new(&HEADS, &[]);
    for entry in &series.entries {
        let minute: String = entry.started_at.0.chars().take("2026-01-31T12:00".len()).collect();
        let (value, ink) = match entry.value {
            Some(value) => (shown(value, metric), None),
            None if entry.at.is_empty() => ("invalid".to_owned(), Some(Ink::Invalid)),
            None => (UNKNOWN.to_owned(), None),
        };
        let bar = entry.value.map_or_else(String::new, |value| bar(value, most, BAR_WIDTH));
        table.push(
            vec![minute.replace('T', " "), cut(&clean(&entry.record), NAME_MAX), value, entry.at.clone(), bar],
            ink,
        );
    }
    let mut lines = table.lines(style, width);
    let heads = lines.len() - series.entries.len();
    // From the last one on, so that the indexes of the others stay valid.
    for index in (0..series.entries.len()).rev() {
        if let Some(change) = series.change_before(index) {
            lines.insert(
                heads + index,
                style.paint(&cut(&format!("── {}", changed(series, index, change)), width), Ink::Warning),
            );
        }
    }
    lines
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
    let before = series.valued.iter().rev().find(|valued| **valued < index).copied().unwrap_or_default();
    let (earlier, later) = (&series.entries[before], &series.entries[index]);
    let by = match change.before {
        0.0 => format!("changed from 0 to {}", three_digits(change.after)),
        before => format!("changed by {:+.1} %", (change.after / before - 1.0) * 100.0),
    };
    let version = match earlier.version == later.version {
        true => String::new(),
        false => format!("; version {} before, {} after", clean(&earlier.version), clean(&later.version)),
    };
    let (one, other) = (clean(&earlier.record), clean(&later.record));
    format!("{by} between {one} and {other} (p {}){version}", chance("<=", change.p_value_max))
}

/// What p means, and for how many series it was corrected; nothing where no series is long enough for a change.
fn method(look: &Look) -> Option<String> {
    let Look { series, tested } = look;
    let is_long = |series: &Series| series.valued.len() >= series.values_needed;
    series.iter().any(is_long).then(|| {
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
        _ if values < series.values_needed => {
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
        let label = series.label();
        for (index, entry) in series.entries.iter().enumerate() {
            let change = series.change_before(index);
            let value = entry.value.map_or_else(String::new, |value| value.to_string());
            let ratio = change.filter(|change| change.before != 0.0);
            let ratio = ratio.map_or_else(String::new, |change| (change.after / change.before - 1.0).to_string());
            let chance = change.map_or_else(String::new, |change| change.p_value_max.to_string());
            let cells = [&label, &query.test, metric, &entry.record, &entry.started_at.0, &entry.at];
            csv_line(&mut text, cells.into_iter().chain([&*value, &*ratio, &*chance]));
        }
    }
    text
}
