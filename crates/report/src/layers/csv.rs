//! The latency table as comma-separated values: one line per row, unaccounted part and layer without a source.

use model::{LayerFigure, LayerMethod, LayerTable};
use record::{MeasuringPoint, Nanos, OperationClass, Record};

use super::words::{id, rung_word};
use super::{LayersQuestion, tables};
use crate::view::line;
use crate::words::variation;

const HEADS: [&str; 31] = [
    "record",
    "run",
    "plain_run",
    "tracing_cost_ratio",
    "test",
    "nodes",
    "jobs",
    "threads",
    "variation",
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
    "rung",
    "lost_count",
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
        let (head, tail) = (head(record, &table), tail(&table));
        for one in &model::layer_lines(&table) {
            let cells = cells(&model::layer_figure(&table, one));
            line(&mut text, head.iter().chain(&cells).chain(&tail).map(String::as_str));
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
        table.variation.map(variation).unwrap_or_default(),
        table.steps.to_string(),
    ]
}

/// How far down the layers could be seen, and what of it was lost.
fn tail(table: &LayerTable) -> [String; 2] {
    let lost_count = table.rung.map(|_| table.lost_count.to_string());
    [table.rung.map(rung_word).unwrap_or_default().to_owned(), lost_count.unwrap_or_default()]
}

fn cells(of: &LayerFigure<'_>) -> Vec<String> {
    let (method, period_ns) = match of.method {
        None => ("", String::new()),
        Some(LayerMethod::Timed) => ("timed", String::new()),
        Some(LayerMethod::Mean) => ("mean", String::new()),
        Some(LayerMethod::Sampled { period_ns }) => ("sampled", period_ns.0.to_string()),
    };
    let quantiles = of.quantiles;
    let time = |time: Option<Nanos>| time.map(|time| time.0.to_string()).unwrap_or_default();
    let figure = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    vec![
        id(of.point).to_owned(),
        point_word(of.point).to_owned(),
        of.kind.to_owned(),
        of.class.map(class_word).unwrap_or_default().to_owned(),
        of.name.to_owned(),
        of.count.map(|count| count.to_string()).unwrap_or_default(),
        figure(of.total_ns),
        figure(of.per_step_ns),
        figure(of.mean_ns),
        time(quantiles.map(|quantiles| quantiles.p50_ns)),
        time(quantiles.and_then(|quantiles| quantiles.p90_ns)),
        time(quantiles.and_then(|quantiles| quantiles.p99_ns)),
        time(quantiles.map(|quantiles| quantiles.max_ns)),
        figure(of.fan_out),
        method.to_owned(),
        period_ns,
        of.source.to_owned(),
        of.below.map(point_word).unwrap_or_default().to_owned(),
        of.missing.to_owned(),
    ]
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
