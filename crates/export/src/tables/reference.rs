//! Published systems: tables of their own, so that nobody takes their figures for measured ones.

use model::{Cell, Origin, PriceKind, Remark, System, SystemPoint};
use record::{Nanos, Rate};

use super::word;
use crate::error::Result;
use crate::table::{Column, Kind, Table, Taker, Value};

/// All tables. Rows of different tables belong together by `reference`.
pub(crate) const TABLES: &[Table<System>] = &[
    Table { name: "reference_points", columns: || POINTS.to_vec(), rows: points },
    Table { name: "reference_facts", columns: || FACTS.to_vec(), rows: facts },
    Table { name: "reference_figures", columns: || FIGURES.to_vec(), rows: figures },
    Table { name: "reference_claims", columns: || CLAIMS.to_vec(), rows: claims },
    Table { name: "reference_prices", columns: || PRICES.to_vec(), rows: prices },
    Table { name: "reference_remarks", columns: || REMARKS.to_vec(), rows: remarks },
];

/// The first column of each.
const REFERENCE: Column = ("reference", Kind::Text);
const TEST: Column = ("test", Kind::Text);

const POINTS: [Column; 31] = [
    REFERENCE,
    ("year", Kind::Count),
    ("source", Kind::Text),
    TEST,
    ("title", Kind::Text),
    ("layer", Kind::Text),
    ("unit", Kind::Text),
    ("nodes", Kind::Count),
    ("jobs", Kind::Count),
    ("threads", Kind::Count),
    ("in_flight", Kind::Count),
    ("per_second", Kind::Number),
    ("operations_per_second", Kind::Number),
    ("rows_per_second", Kind::Number),
    ("transactions_per_second", Kind::Number),
    ("bytes_per_second", Kind::Number),
    ("cpu_busy_ratio", Kind::Number),
    ("reads_per_second", Kind::Number),
    ("writes_per_second", Kind::Number),
    ("read_bytes_per_second", Kind::Number),
    ("write_bytes_per_second", Kind::Number),
    ("redo_bytes_per_second", Kind::Number),
    ("service_ns_p50", Kind::Count),
    ("service_ns_p99", Kind::Count),
    ("service_ns_mean", Kind::Count),
    ("service_ns_at_most", Kind::Count),
    ("time_ns", Kind::Count),
    ("data_bytes", Kind::Count),
    ("changes", Kind::Truth),
    ("sweep", Kind::Text),
    ("note", Kind::Text),
];

fn points(system: &System, take: Taker<'_>) -> Result<()> {
    let (year, source) = published(system);
    for test in &system.tests {
        for point in &test.points {
            let mut row: Vec<Value<'_>> = vec![
                (&system.name).into(),
                year.into(),
                source.into(),
                (&test.code).into(),
                (&test.title).into(),
                test.layer.map_or(Value::Empty, word),
                word(test.unit),
            ];
            row.extend(figures_of(point));
            row.extend([
                test.data_bytes.map(|bytes| bytes.0).into(),
                test.changes.into(),
                word(test.sweep),
                test.note.as_ref().into(),
            ]);
            take(&row)?;
        }
    }
    Ok(())
}

/// Degree of parallelism, rate, and the columns of the published tables.
fn figures_of(point: &SystemPoint) -> [Value<'static>; 20] {
    let (dop, columns) = (point.degree.dop, &point.columns);
    let rate = |rate: Option<Rate>| Value::from(rate.map(|rate| rate.0));
    let time = |time: Option<Nanos>| Value::from(time.map(|time| time.0));
    [
        dop.nodes.into(),
        dop.jobs.into(),
        dop.threads.into(),
        point.degree.in_flight.into(),
        rate(point.median()),
        rate(columns.operations_per_second),
        rate(columns.rows_per_second),
        rate(columns.transactions_per_second),
        rate(columns.bytes_per_second),
        columns.cpu_busy.map(|share| share.0).into(),
        rate(columns.reads_per_second),
        rate(columns.writes_per_second),
        rate(columns.read_bytes_per_second),
        rate(columns.write_bytes_per_second),
        rate(columns.redo_bytes_per_second),
        time(columns.service_p50_ns),
        time(columns.service_p99_ns),
        time(columns.service_mean_ns),
        time(columns.service_at_most_ns),
        time(columns.time_ns),
    ]
}

fn published(system: &System) -> (Option<u32>, &str) {
    match &system.origin {
        Origin::Published { year, source } => (Some(*year), source),
        Origin::Measured { .. } => (None, ""),
    }
}

const FACTS: [Column; 4] = [REFERENCE, ("about", Kind::Text), ("name", Kind::Text), ("value", Kind::Text)];

fn facts(system: &System, take: Taker<'_>) -> Result<()> {
    for fact in &system.facts {
        let about = format!("{:?}", fact.group).to_lowercase();
        take(&[(&system.name).into(), about.into(), (&fact.name).into(), (&fact.value).into()])?;
    }
    Ok(())
}

const FIGURES: [Column; 6] = [
    REFERENCE,
    ("table", Kind::Text),
    ("row", Kind::Count),
    ("column", Kind::Text),
    ("number", Kind::Number),
    ("text", Kind::Text),
];

/// The cells of the published tables that are no points of a test, one by one.
fn figures(system: &System, take: Taker<'_>) -> Result<()> {
    for table in &system.tables {
        for (row, number) in table.rows.iter().zip(1_u64..) {
            for (column, cell) in table.columns.iter().zip(row) {
                let (figure, text): (Value<'_>, Value<'_>) = match cell {
                    Cell::Number(figure) => ((*figure).into(), Value::Empty),
                    Cell::Text(text) => (Value::Empty, text.into()),
                    Cell::Absent => (Value::Empty, Value::Empty),
                };
                take(&[(&system.name).into(), (&table.title).into(), number.into(), column.into(), figure, text])?;
            }
        }
    }
    Ok(())
}

const CLAIMS: [Column; 6] = [
    REFERENCE,
    TEST,
    ("at", Kind::Count),
    ("per_second", Kind::Number),
    ("bytes_per_second", Kind::Number),
    ("text", Kind::Text),
];

fn claims(system: &System, take: Taker<'_>) -> Result<()> {
    for claim in &system.claims {
        take(&[
            (&system.name).into(),
            (&claim.test).into(),
            claim.n.into(),
            claim.rate.0.into(),
            claim.bytes_per_second.map(|rate| rate.0).into(),
            (&claim.text).into(),
        ])?;
    }
    Ok(())
}

const PRICES: [Column; 10] = [
    REFERENCE,
    ("currency", Kind::Text),
    ("date", Kind::Text),
    ("source", Kind::Text),
    ("years", Kind::Count),
    ("item", Kind::Text),
    ("paid", Kind::Text),
    ("quantity", Kind::Number),
    ("list_price", Kind::Number),
    ("discount_ratio", Kind::Number),
];

fn prices(system: &System, take: Taker<'_>) -> Result<()> {
    let Some(book) = &system.price else { return Ok(()) };
    for item in &book.items {
        let paid = match item.kind {
            PriceKind::Once => "once".to_owned(),
            PriceKind::PerCore { core_factor } => format!("once per core, core factor {core_factor}"),
            PriceKind::PerYear => "per year".to_owned(),
            PriceKind::PerHour => "per hour".to_owned(),
        };
        take(&[
            (&system.name).into(),
            (&book.currency).into(),
            (&book.date).into(),
            (&book.source).into(),
            book.years.into(),
            (&item.name).into(),
            paid.into(),
            item.quantity.into(),
            item.list_price.into(),
            item.discount.0.into(),
        ])?;
    }
    Ok(())
}

const REMARKS: [Column; 2] = [REFERENCE, ("remark", Kind::Text)];

/// What contradicts itself in the figures.
fn remarks(system: &System, take: Taker<'_>) -> Result<()> {
    let mut published = system.remarks.iter().filter_map(|remark| match remark {
        Remark::Published { text, .. } => Some(text),
        _ => None,
    });
    published.try_for_each(|text| take(&[(&system.name).into(), text.into()]))
}
