//! Tables of published figures.

use model::{FactTable, System, SystemPoint, SystemTest};
use record::{Nanos, Rate, Ratio};

use crate::chart::Figures;
use crate::document::{Bar, BarRole, Cell, Column, Row, Table};
use crate::figure::{UNKNOWN, duration, megabytes, nanos, number, percent_digits};
use crate::system::{best, invalid_run_text, median_rate};
use crate::times;
use crate::words::{self, unit_per_second};

/// The best figure of each test.
pub(super) fn best_of_each(system: &System) -> Table {
    let columns = vec![
        Column::text("test"),
        Column::text("title"),
        Column::text("unit"),
        Column::figure("least\nparallel"),
        Column::figure("best"),
        Column::text("at"),
        Column::figure("service\ntime"),
    ];
    let row = |test: &SystemTest| {
        let (point, per_second) = best(test)?;
        Some(Row::new(vec![
            Cell::text(&*test.code),
            Cell::text(&*test.title),
            Cell::text(unit_per_second(test.unit)),
            Cell::figure(median_rate(test.points.first()?), number),
            Cell::figure(Some(per_second), number),
            Cell::text(at(test, point)),
            service(point).unwrap_or_else(unknown),
        ]))
    };
    let table = Table::new("sheet", "Best published figure of each test", columns);
    Table { flexible: Some(1), ..table.with(system.tests.iter().filter_map(row)) }
}

/// The degree of parallelism of a point of `test`.
fn at(test: &SystemTest, point: &SystemPoint) -> String {
    match point.degree.in_flight {
        Some(in_flight) => format!("{in_flight} in flight"),
        None => words::dop(point.degree.dop, test.sweep),
    }
}

/// The median or the mean.
fn known_time(point: &SystemPoint) -> Option<Nanos> {
    point.columns.service.map(|times| times.p50_ns).or(point.columns.service_mean_ns)
}

/// The median, the mean, or an upper bound.
pub(super) fn service_time(point: &SystemPoint) -> Option<Nanos> {
    known_time(point).or(point.columns.service_at_most_ns)
}

/// A quantile of the service time beside the median, where it is shown.
fn quantile(point: &SystemPoint, key: &str) -> Option<Cell> {
    let quantile = times::tail().find(|quantile| quantile.key == key)?;
    span(point.columns.service.as_ref().and_then(quantile.of))
}

fn service(point: &SystemPoint) -> Option<Cell> {
    let is_bound = known_time(point).is_none();
    let shown = |time| if is_bound { format!("<= {}", duration(time)) } else { duration(time) };
    service_time(point).map(|time| Cell::Figure(shown(time), Some(time.0 as f64)))
}

fn unknown() -> Cell {
    Cell::figure(None, number)
}

/// A column of points, with its cell where it is known.
type PointColumn = (Column, fn(&SystemPoint) -> Option<Cell>);

/// The first so many columns are degrees of parallelism, 1 where they are not published.
const DEGREES: usize = 4;

fn columns() -> Vec<PointColumn> {
    const IO: &str = "I/O";
    vec![
        (Column::figure("#N"), |point| more_than_one(point.degree.dop.nodes)),
        (Column::figure("#J"), |point| more_than_one(point.degree.dop.jobs)),
        (Column::figure("#T"), |point| more_than_one(point.degree.dop.threads)),
        (Column::figure("I/Os in\nflight"), |point| point.degree.in_flight.map(|count| Cell::count(count.into()))),
        (Column::figure("rate"), |point| per_second(rate_of(point))),
        (Column::figure("ops/s"), |point| other_rate(point, point.columns.operations_per_second)),
        (Column::figure("rows/s"), |point| other_rate(point, point.columns.rows_per_second)),
        (Column::figure("tx/s"), |point| other_rate(point, point.columns.transactions_per_second)),
        (Column::figure("MB/s"), |point| bytes(point.columns.bytes_per_second)),
        (Column::figure("CPU\n%"), |point| {
            point.columns.cpu_busy.map(|busy| Cell::figure(Some(busy.0), |busy| percent_digits(Ratio(busy))))
        }),
        (Column::figure("read\nIOPS").in_group(IO), |point| per_second(point.columns.reads_per_second)),
        (Column::figure("write\nIOPS").in_group(IO), |point| per_second(point.columns.writes_per_second)),
        (Column::figure("read\nMB/s").in_group(IO), |point| bytes(point.columns.read_bytes_per_second)),
        (Column::figure("write\nMB/s").in_group(IO), |point| bytes(point.columns.write_bytes_per_second)),
        (Column::figure("log\nMB/s"), |point| bytes(point.columns.redo_bytes_per_second)),
        (Column::figure("service\ntime"), service),
        (Column::figure("p90"), |point| quantile(point, "p90")),
        (Column::figure("p99"), |point| quantile(point, "p99")),
        (Column::figure("p99.9"), |point| quantile(point, "p999")),
        (Column::figure("time"), |point| span(point.columns.time_ns)),
        (Column::text("invalid"), |point| {
            let why = point.invalid.iter().map(invalid_run_text).collect::<Vec<_>>().join("; ");
            (!why.is_empty()).then(|| Cell::text(why))
        }),
    ]
}

fn more_than_one(count: u32) -> Option<Cell> {
    (count > 1).then(|| Cell::count(count.into()))
}

/// The rate of the test itself.
fn rate_of(point: &SystemPoint) -> Option<Rate> {
    median_rate(point).map(Rate).or(point.columns.operations_per_second)
}

fn per_second(rate: Option<Rate>) -> Option<Cell> {
    rate.map(|rate| Cell::figure(Some(rate.0), number))
}

/// A rate that is not that of the test itself.
fn other_rate(point: &SystemPoint, rate: Option<Rate>) -> Option<Cell> {
    per_second(rate.filter(|_| rate != rate_of(point)))
}

fn bytes(rate: Option<Rate>) -> Option<Cell> {
    rate.map(|rate| Cell::figure(Some(rate.0), |rate| megabytes(Some(rate))))
}

fn span(span: Option<Nanos>) -> Option<Cell> {
    span.map(|span| Cell::figure(Some(span.0 as f64), nanos))
}

/// The columns that any of `points` has, and the cells of each point.
fn figures(points: &[&SystemPoint]) -> (Vec<Column>, Vec<Vec<Cell>>) {
    let is_used = |(_, (_, cell)): &(usize, PointColumn)| points.iter().any(|point| cell(point).is_some());
    let used: Vec<(usize, PointColumn)> = columns().into_iter().enumerate().filter(is_used).collect();
    let absent = |index: usize, column: &Column| match (index < DEGREES, column.is_figure) {
        (true, _) => Cell::count(1),
        (false, true) => unknown(),
        (false, false) => Cell::empty(),
    };
    let cells = |point: &&SystemPoint| {
        used.iter().map(|(index, (column, cell))| cell(point).unwrap_or_else(|| absent(*index, column))).collect()
    };
    let cells = points.iter().map(cells).collect();
    (used.into_iter().map(|(_, (column, _))| column).collect(), cells)
}

/// The points of one test, with their rates as bars.
pub(super) fn of_test(index: usize, test: &SystemTest) -> Table {
    let (mut columns, cells) = figures(&test.points.iter().collect::<Vec<_>>());
    let most = test.points.iter().filter_map(median_rate).fold(0.0, f64::max);
    columns.push(Column::text(""));
    let rows = cells.into_iter().zip(&test.points).map(|(mut cells, point)| {
        let share = median_rate(point).filter(|_| most > 0.0).map(|rate| rate / most);
        let bar = |share| Cell::Bar(Bar { from: 0.0, to: share, role: BarRole::Own });
        cells.push(share.map_or_else(Cell::empty, bar));
        Row::new(cells)
    });
    let caption = format!("{} {} [{}]", test.code, test.title, unit_per_second(test.unit));
    Table::new(format!("points-{}", index + 1), caption, columns).with(rows)
}

/// The points of all tests.
pub(super) fn of_all(system: &System) -> Table {
    let points: Vec<(&SystemTest, &SystemPoint)> =
        system.tests.iter().flat_map(|test| test.points.iter().map(move |point| (test, point))).collect();
    let (columns, cells) = figures(&points.iter().map(|(_, point)| *point).collect::<Vec<_>>());
    let columns = [Column::text("test"), Column::text("unit")].into_iter().chain(columns).collect();
    let rows = points.iter().zip(cells).map(|((test, _), cells)| {
        let unit = unit_per_second(test.unit).trim_end_matches("/s");
        Row::new([Cell::text(&*test.code), Cell::text(unit)].into_iter().chain(cells).collect())
    });
    let caption = "All published points in the columns of the reports";
    Table { is_sortable: true, ..Table::new("runs-table", caption, columns).with(rows) }
}

/// What is claimed and was not measured.
pub(super) fn claims(system: &System) -> Table {
    let has_bytes = system.claims.iter().any(|claim| claim.bytes_per_second.is_some());
    let mut columns = vec![Column::text("test"), Column::text("at N"), Column::text("claimed per second")];
    columns.extend(has_bytes.then(|| Column::text("MB/s")));
    columns.push(Column::text("source text"));
    let row = |claim: &model::Claim| {
        let mut cells =
            vec![Cell::text(&*claim.test), Cell::count(claim.n.into()), Cell::figure(Some(claim.rate.0), number)];
        cells.extend(has_bytes.then(|| bytes(claim.bytes_per_second).unwrap_or_else(unknown)));
        cells.push(Cell::text(&*claim.text));
        Row::new(cells)
    };
    let table = Table::new("claims-table", "Claimed and not measured", columns).with(system.claims.iter().map(row));
    Table { is_labelled: true, ..table }
}

/// Figures that are not points of a test.
pub(super) fn other(index: usize, table: &FactTable) -> Table {
    let is_figure = |column: usize| {
        let mut cells = table.rows.iter().filter_map(|row| row.get(column));
        let has_value = cells.clone().any(|cell| matches!(cell, model::Cell::Number(_)));
        has_value && cells.all(|cell| !matches!(cell, model::Cell::Text(_)))
    };
    let column = |(index, head): (usize, &String)| Column {
        head: head.clone().into(),
        is_figure: is_figure(index),
        ..Column::text("")
    };
    let cell = |cell: &model::Cell| match cell {
        model::Cell::Number(value) => Cell::figure(Some(*value), |value| Figures::Plain.text(value)),
        model::Cell::Text(text) => Cell::text(&**text),
        model::Cell::Absent => Cell::text(UNKNOWN),
    };
    let columns = table.columns.iter().enumerate().map(column).collect();
    let rows = table.rows.iter().map(|row| Row::new(row.iter().map(cell).collect()));
    Table::new(format!("table-{}", index + 1), &*table.title, columns).with(rows)
}
