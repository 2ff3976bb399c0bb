//! The latency table as comma-separated values: one line per row, unaccounted part and layer without a source.

use model::{LatencyLayer, LayerMethod, LayerRow, LayerTable};
use record::{MeasuringPoint, OperationClass, Record};

use super::words::id;
use super::{LayersQuestion, Line, lines, tables};
use crate::csv::line;

const HEADS: [&str; 28] = [
    "record",
    "run",
    "plain_run",
    "tracing_cost_ratio",
    "test",
    "nodes",
    "jobs",
    "threads",
    "steps",
    "layer",
    "measuring_point",
    "kind",
    "class",
    "name",
    "count",
    "total_ns",
    "per_step_ns",
    "mean_ns",
    "p50_ns",
    "p90_ns",
    "p99_ns",
    "max_ns",
    "fan_out",
    "method",
    "period_ns",
    "source",
    "below",
    "missing",
];

/// The latency tables of `record` that `question` is about as comma-separated values (RFC 4180, UTF-8) under one line of
/// heads; what is not known is empty.
///
/// # Errors
/// What is wrong with the question, in words.
pub fn layers_csv(record: &Record, question: &LayersQuestion) -> Result<String, String> {
    let mut text = String::new();
    line(&mut text, HEADS.into_iter());
    for table in tables(record, question)? {
        for cells in lines(&table).iter().map(|line| cells(&table, line)) {
            let head = head(record, &table);
            line(&mut text, head.iter().chain(&cells).map(String::as_str));
        }
    }
    Ok(text)
}

fn head(record: &Record, table: &LayerTable) -> Vec<String> {
    let repeat = table.repeat;
    let cost = repeat.and_then(|repeat| repeat.cost);
    vec![
        record.id.clone(),
        table.run.to_string(),
        repeat.map(|repeat| repeat.plain_run.to_string()).unwrap_or_default(),
        cost.map(|cost| cost.change.0.to_string()).unwrap_or_default(),
        table.test.clone(),
        table.dop.nodes.to_string(),
        table.dop.jobs.to_string(),
        table.dop.threads.to_string(),
        table.steps.to_string(),
    ]
}

/// What stands in a line behind its head.
#[derive(Default)]
struct Cells {
    kind: &'static str,
    class: &'static str,
    name: String,
    figures: [String; 9],
    method: String,
    period_ns: String,
    source: String,
    below: &'static str,
    missing: String,
}

fn cells(table: &LayerTable, line: &Line<'_>) -> Vec<String> {
    let (point, cells) = match line {
        Line::Row(layer, row) => (layer.point, of_row(row)),
        Line::Nothing(layer) => (layer.point, nothing(layer)),
        Line::Unaccounted(layer, part) => {
            let total_ns = part.per_step_ns * table.steps as f64;
            let mut figures = <[String; 9]>::default();
            (figures[1], figures[2]) = (total_ns.to_string(), part.per_step_ns.to_string());
            let below = point_word(part.below);
            (layer.point, Cells { kind: "unaccounted", figures, below, ..Cells::default() })
        }
        Line::Missing(layer) => {
            let missing = layer.missing.as_ref().map(|missing| missing.reason.clone()).unwrap_or_default();
            (layer.point, Cells { kind: "missing", missing, ..Cells::default() })
        }
    };
    let begin = [id(point), point_word(point), cells.kind, cells.class].map(str::to_owned);
    let end = [cells.method, cells.period_ns, cells.source, cells.below.to_owned(), cells.missing];
    begin.into_iter().chain([cells.name]).chain(cells.figures).chain(end).collect()
}

fn nothing(layer: &LatencyLayer) -> Cells {
    let mut figures = <[String; 9]>::default();
    (figures[0], figures[2]) = ("0".to_owned(), layer.per_step_ns.unwrap_or(0.0).to_string());
    Cells { kind: "row", figures, ..Cells::default() }
}

fn of_row(row: &LayerRow) -> Cells {
    let (method, period_ns) = match row.method {
        LayerMethod::Timed => ("timed", String::new()),
        LayerMethod::Mean => ("mean", String::new()),
        LayerMethod::Sampled { period_ns } => ("sampled", period_ns.0.to_string()),
    };
    let quantiles = row.quantiles;
    let time = |time: Option<record::Nanos>| time.map(|time| time.0.to_string()).unwrap_or_default();
    let figure = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    Cells {
        kind: "row",
        class: row.class.map(class_word).unwrap_or_default(),
        name: row.name.clone(),
        figures: [
            row.count.map(|count| count.to_string()).unwrap_or_default(),
            row.total_ns.to_string(),
            row.per_step_ns.to_string(),
            figure(row.mean_ns()),
            time(quantiles.map(|quantiles| quantiles.p50_ns)),
            time(quantiles.and_then(|quantiles| quantiles.p90_ns)),
            time(quantiles.and_then(|quantiles| quantiles.p99_ns)),
            time(quantiles.map(|quantiles| quantiles.max_ns)),
            figure(row.fan_out),
        ],
        method: method.to_owned(),
        period_ns,
        source: row.source.clone(),
        ..Cells::default()
    }
}

/// A measuring point as it stands in a record.
fn point_word(point: MeasuringPoint) -> &'static str {
    match point {
        MeasuringPoint::ClientResponse => "client_response",
        MeasuringPoint::ClientService => "client_service",
        MeasuringPoint::DatabaseTime => "database_time",
        MeasuringPoint::Wait => "wait",
        MeasuringPoint::SystemCall => "system_call",
        MeasuringPoint::Block => "block",
        MeasuringPoint::Device => "device",
    }
}

/// A class as it stands in a record.
fn class_word(class: OperationClass) -> &'static str {
    match class {
        OperationClass::Step => "step",
        OperationClass::Read => "read",
        OperationClass::Write => "write",
        OperationClass::LogWrite => "log_write",
        OperationClass::LogSync => "log_sync",
        OperationClass::Sync => "sync",
        OperationClass::Flush => "flush",
        OperationClass::Discard => "discard",
    }
}
