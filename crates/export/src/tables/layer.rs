//! Latency tables: one row for each line of the table of each run that has one.

use model::{LayerFigure, LayerMethod, LayerTable};
use record::{Nanos, Record};

use super::{RECORD, RUN, TEST, word};
use crate::error::Result;
use crate::table::{Column, Kind, Table, Taker, Value};

const COLUMNS: [Column; 23] = [
    RECORD,
    RUN,
    TEST,
    ("plain_run", Kind::Count),
    ("tracing_cost_ratio", Kind::Number),
    ("steps", Kind::Count),
    ("point", Kind::Text),
    ("kind", Kind::Text),
    ("class", Kind::Text),
    ("name", Kind::Text),
    ("count", Kind::Count),
    ("total_ns", Kind::Number),
    ("per_step_ns", Kind::Number),
    ("mean_ns", Kind::Number),
    ("p50_ns", Kind::Count),
    ("p90_ns", Kind::Count),
    ("p99_ns", Kind::Count),
    ("max_ns", Kind::Count),
    ("fan_out", Kind::Number),
    ("method", Kind::Text),
    ("source", Kind::Text),
    ("below", Kind::Text),
    ("missing", Kind::Text),
];

pub(crate) const TABLE: Table = Table { name: "layers", columns: || COLUMNS.to_vec(), rows };

fn rows(record: &Record, take: Taker<'_>) -> Result<()> {
    let tables = model::LayerTables::of(record);
    for table in record.runs.iter().filter_map(|run| tables.own_table(run)) {
        for line in &model::layer_lines(&table) {
            let row: Vec<Value<'_>> =
                head(record, &table).into_iter().chain(figures(&model::layer_figure(&table, line))).collect();
            debug_assert_eq!(row.len(), COLUMNS.len());
            take(&row)?;
        }
    }
    Ok(())
}

fn head<'a>(record: &'a Record, table: &'a LayerTable) -> [Value<'a>; 6] {
    let repeat = table.repeat;
    [
        Value::from(&record.id),
        table.run.into(),
        Value::from(&table.test),
        repeat.map(|repeat| repeat.plain_run).into(),
        repeat.and_then(|repeat| repeat.cost).map(|cost| cost.change.0).into(),
        table.steps.into(),
    ]
}

fn figures<'a>(of: &LayerFigure<'a>) -> [Value<'a>; 17] {
    let method = of.method.map(|method| match method {
        LayerMethod::Timed => "timed",
        LayerMethod::Mean => "mean",
        LayerMethod::Sampled { .. } => "sampled",
    });
    let quantiles = of.quantiles;
    let time = |time: Option<Nanos>| Value::from(time.map(|time| time.0));
    [
        word(of.point),
        of.kind.into(),
        of.class.map_or(Value::Empty, word),
        of.name.into(),
        of.count.into(),
        of.total_ns.into(),
        of.per_step_ns.into(),
        of.mean_ns.into(),
        time(quantiles.map(|quantiles| quantiles.p50_ns)),
        time(quantiles.and_then(|quantiles| quantiles.p90_ns)),
        time(quantiles.and_then(|quantiles| quantiles.p99_ns)),
        time(quantiles.map(|quantiles| quantiles.max_ns)),
        of.fan_out.into(),
        method.into(),
        of.source.into(),
        of.below.map_or(Value::Empty, word),
        of.missing.into(),
    ]
}
