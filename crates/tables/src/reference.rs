//! Published systems: separate tables, so that their figures are not mistaken for measured ones.

use model::{Cell, Claim, Fact, Origin, PriceBook, PriceItem, PriceKind, Remark, System, SystemPoint, SystemTest};

use crate::column::{Column, Kind, Row};
use crate::value::Value;

/// A part of a published system.
pub struct Published<'a, T> {
    system: &'a System,
    of: T,
}

impl<T> Row for Published<'_, T> {}

/// `columns` after the name of the system.
fn behind_name<'a, T, const N: usize>(columns: [Column<Published<'a, T>>; N]) -> Vec<Column<Published<'a, T>>> {
    let mut all = vec![Column::fact("reference", Kind::Text, |of: &Published<'a, T>| (&of.system.name).into())];
    all.extend(columns);
    all
}

/// The points of its tests.
pub fn points(system: &System) -> impl Iterator<Item = Published<'_, (&SystemTest, &SystemPoint)>> {
    let points = system.tests.iter().flat_map(|test| test.points.iter().map(move |point| (test, point)));
    points.map(move |of| Published { system, of })
}

/// The columns of [`points`]: degree of parallelism, rate, and the columns of the published tables.
pub fn point_columns<'a>() -> Vec<Column<Published<'a, (&'a SystemTest, &'a SystemPoint)>>> {
    type Figure<'a> = Column<Published<'a, (&'a SystemTest, &'a SystemPoint)>>;
    behind_name([
        Figure::fact("year", Kind::Count, |of| match of.system.origin {
            Origin::Published { year, .. } => year.into(),
            Origin::Measured { .. } => Value::Absent,
        }),
        Figure::fact("source", Kind::Text, |of| match &of.system.origin {
            Origin::Published { source, .. } => source.into(),
            Origin::Measured { .. } => Value::Absent,
        }),
        Figure::fact("test", Kind::Text, |of| (&of.of.0.code).into()),
        Figure::fact("title", Kind::Text, |of| (&of.of.0.title).into()),
        Figure::fact("layer", Kind::Text, |of| of.of.0.layer.map_or(Value::Absent, Value::word)),
        Figure::fact("unit", Kind::Text, |of| Value::word(of.of.0.unit)),
        Figure::fact("nodes", Kind::Count, |of| of.of.1.degree.dop.nodes.into()),
        Figure::fact("jobs", Kind::Count, |of| of.of.1.degree.dop.jobs.into()),
        Figure::fact("threads", Kind::Count, |of| of.of.1.degree.dop.threads.into()),
        Figure::fact("in_flight", Kind::Count, |of| of.of.1.degree.in_flight.into()),
        Figure::fact("per_second", Kind::PerSecond, |of| of.of.1.median().into()),
        Figure::fact("operations_per_second", Kind::PerSecond, |of| of.of.1.columns.operations_per_second.into()),
        Figure::fact("rows_per_second", Kind::PerSecond, |of| of.of.1.columns.rows_per_second.into()),
        Figure::fact("transactions_per_second", Kind::PerSecond, |of| of.of.1.columns.transactions_per_second.into()),
        Figure::fact("bytes_per_second", Kind::BytesPerSecond, |of| of.of.1.columns.bytes_per_second.into()),
        Figure::fact("cpu_busy_ratio", Kind::Ratio, |of| of.of.1.columns.cpu_busy.into()),
        Figure::fact("reads_per_second", Kind::IoPerSecond, |of| of.of.1.columns.reads_per_second.into()),
        Figure::fact("writes_per_second", Kind::IoPerSecond, |of| of.of.1.columns.writes_per_second.into()),
        Figure::fact("read_bytes_per_second", Kind::BytesPerSecond, |of| of.of.1.columns.read_bytes_per_second.into()),
        Figure::fact("write_bytes_per_second", Kind::BytesPerSecond, |of| {
            of.of.1.columns.write_bytes_per_second.into()
        }),
        Figure::fact("redo_bytes_per_second", Kind::BytesPerSecond, |of| of.of.1.columns.redo_bytes_per_second.into()),
        Figure::fact("service_ns_p50", Kind::Nanoseconds, |of| {
            of.of.1.columns.service.map(|times| times.p50_ns).into()
        }),
        Figure::fact("service_ns_p99", Kind::Nanoseconds, |of| {
            of.of.1.columns.service.and_then(|times| times.p99_ns).into()
        }),
        Figure::fact("service_ns_p999", Kind::Nanoseconds, |of| {
            of.of.1.columns.service.and_then(|times| times.p999_ns).into()
        }),
        Figure::fact("service_ns_mean", Kind::Nanoseconds, |of| of.of.1.columns.service_mean_ns.into()),
        Figure::fact("service_ns_at_most", Kind::Nanoseconds, |of| of.of.1.columns.service_at_most_ns.into()),
        Figure::fact("time_ns", Kind::Nanoseconds, |of| of.of.1.columns.time_ns.into()),
        Figure::fact("data_bytes", Kind::Bytes, |of| of.of.0.data_bytes.into()),
        Figure::fact("changes", Kind::Flag, |of| of.of.0.changes.into()),
        Figure::fact("sweep", Kind::Text, |of| Value::word(of.of.0.sweep)),
        Figure::fact("note", Kind::Text, |of| of.of.0.note.as_ref().into()),
    ])
}

/// Its published facts.
pub fn facts(system: &System) -> impl Iterator<Item = Published<'_, &Fact>> {
    system.facts.iter().map(move |of| Published { system, of })
}

/// The columns of [`facts`].
pub fn fact_columns<'a>() -> Vec<Column<Published<'a, &'a Fact>>> {
    type Figure<'a> = Column<Published<'a, &'a Fact>>;
    behind_name([
        Figure::fact("about", Kind::Text, |of| format!("{:?}", of.of.group).to_lowercase().into()),
        Figure::fact("name", Kind::Text, |of| (&of.of.name).into()),
        Figure::fact("value", Kind::Text, |of| of.of.value.text().into()),
    ])
}

/// A cell of a published table: title, row number from 1, column name.
type TableCell<'a> = (&'a str, u64, &'a String, &'a Cell);

/// The cells of the published tables that are not points of a test.
pub fn figures(system: &System) -> impl Iterator<Item = Published<'_, TableCell<'_>>> {
    let rows = system.tables.iter().flat_map(|table| table.rows.iter().zip(1_u64..).map(move |row| (table, row)));
    let cells = rows.flat_map(|(table, (row, number))| {
        let cells = table.columns.iter().zip(row);
        cells.map(move |(column, cell)| (table.title.as_str(), number, column, cell))
    });
    cells.map(move |of| Published { system, of })
}

/// The columns of [`figures`].
pub fn figure_columns<'a>() -> Vec<Column<Published<'a, TableCell<'a>>>> {
    type Figure<'a> = Column<Published<'a, TableCell<'a>>>;
    behind_name([
        Figure::fact("table", Kind::Text, |of| of.of.0.into()),
        Figure::fact("row", Kind::Count, |of| of.of.1.into()),
        Figure::fact("column", Kind::Text, |of| of.of.2.into()),
        Figure::fact("number", Kind::Number, |of| match of.of.3 {
            Cell::Number(number) => (*number).into(),
            Cell::Text(_) | Cell::Absent => Value::Absent,
        }),
        Figure::fact("text", Kind::Text, |of| match of.of.3 {
            Cell::Text(text) => text.into(),
            Cell::Number(_) | Cell::Absent => Value::Absent,
        }),
    ])
}

/// Its claims.
pub fn claims(system: &System) -> impl Iterator<Item = Published<'_, &Claim>> {
    system.claims.iter().map(move |of| Published { system, of })
}

/// The columns of [`claims`].
pub fn claim_columns<'a>() -> Vec<Column<Published<'a, &'a Claim>>> {
    type Figure<'a> = Column<Published<'a, &'a Claim>>;
    behind_name([
        Figure::fact("test", Kind::Text, |of| (&of.of.test).into()),
        Figure::fact("at", Kind::Count, |of| of.of.n.into()),
        Figure::fact("per_second", Kind::PerSecond, |of| of.of.rate.into()),
        Figure::fact("bytes_per_second", Kind::BytesPerSecond, |of| of.of.bytes_per_second.into()),
        Figure::fact("text", Kind::Text, |of| (&of.of.text).into()),
    ])
}

/// Its prices.
pub fn prices(system: &System) -> impl Iterator<Item = Published<'_, (&PriceBook, &PriceItem)>> {
    let items = system.price.iter().flat_map(|book| book.items.iter().map(move |item| (book, item)));
    items.map(move |of| Published { system, of })
}

/// The columns of [`prices`].
pub fn price_columns<'a>() -> Vec<Column<Published<'a, (&'a PriceBook, &'a PriceItem)>>> {
    type Figure<'a> = Column<Published<'a, (&'a PriceBook, &'a PriceItem)>>;
    behind_name([
        Figure::fact("currency", Kind::Text, |of| (&of.of.0.currency).into()),
        Figure::fact("date", Kind::Text, |of| (&of.of.0.date).into()),
        Figure::fact("source", Kind::Text, |of| (&of.of.0.source).into()),
        Figure::fact("years", Kind::Count, |of| of.of.0.years.into()),
        Figure::fact("item", Kind::Text, |of| (&of.of.1.name).into()),
        Figure::fact("paid", Kind::Text, |of| match of.of.1.kind {
            PriceKind::Once => "once".into(),
            PriceKind::PerCore { core_factor } => format!("once per core, core factor {core_factor}").into(),
            PriceKind::PerYear => "per year".into(),
            PriceKind::PerHour => "per hour".into(),
        }),
        Figure::fact("quantity", Kind::Amount, |of| of.of.1.quantity.into()),
        Figure::fact("list_price", Kind::Amount, |of| of.of.1.list_price.into()),
        Figure::fact("discount_ratio", Kind::Ratio, |of| of.of.1.discount.into()),
    ])
}

/// Contradictions in its figures.
pub fn remarks(system: &System) -> impl Iterator<Item = Published<'_, &String>> {
    let published = system.remarks.iter().filter_map(|remark| match remark {
        Remark::Published { text, .. } => Some(text),
        _ => None,
    });
    published.map(move |of| Published { system, of })
}

/// The columns of [`remarks`].
pub fn remark_columns<'a>() -> Vec<Column<Published<'a, &'a String>>> {
    behind_name([Column::fact("remark", Kind::Text, |of: &Published<'a, &'a String>| of.of.into())])
}
