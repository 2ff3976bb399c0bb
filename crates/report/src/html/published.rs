//! The page of a published system: its figures as published, with caveats.

use maud::{Markup, html};
use model::scalability::{LoadPoint, scalability};
use model::{Fact, FactTable, Origin, PriceBook, Remark, System, SystemPoint, SystemTest};
use record::{Nanos, Ratio};

use super::price;
use super::runs::{bytes, rate, span};
use super::throughput::{fit_note, fitted};
use crate::chart::{Axis, Figures, LineChart, Point, Role, Scale, Series};
use crate::document::Diagram;
use crate::fact::fact_text;
use crate::figure::{UNKNOWN, number, percent_digits};
use crate::layout::clean;
use crate::render::page::gallery;
use crate::render::page::{Cell, Column, Row, Table, facts};
use crate::render::page::{Page, PageOptions, Section};
use crate::system::{best, median_rate, n_of, workers};
use crate::system::{invalid_run_text, remark_text};
use crate::words::{unit, unit_per_second};

/// The page of `system`, as [`super::html()`] for a record. Only the prices of `options` are used; without any, the
/// published ones.
pub fn system_html(system: &System, options: &PageOptions<'_>) -> String {
    let book = options.prices.or(system.price.as_ref());
    let page = Page {
        title: clean(&system.title),
        subtitle: origin(&system.origin),
        lead: remarks(&system.remarks),
        sections: vec![
            Section::new("key", "Key performance metrics", key(system, book)),
            Section::new("throughput", "Throughput over degree of parallelism", curves(system)),
            Section::new("runs", "Runs", runs(system)),
            Section::new("tables", "Other published figures", tables(&system.tables)),
            Section::new("claims", "Claims", claims(system)),
            Section::new("platform", "Platform and settings", platform(&system.facts)),
            Section::new("source", "Source", source(system)),
        ],
        foot: html! { p { "Drawn by dbdyno " (env!("CARGO_PKG_VERSION")) " from figures that dbdyno did not measure." } },
    };
    page.html()
}

fn origin(origin: &Origin) -> String {
    match origin {
        Origin::Published { year, .. } => format!("published {year}; not measured by dbdyno"),
        Origin::Measured { started_at, version, .. } => format!("measured {started_at} by dbdyno {version}"),
    }
}

fn source(system: &System) -> Markup {
    let text = match &system.origin {
        Origin::Published { year, source } => format!("{} ({year})", clean(source)),
        Origin::Measured { started_at, version, .. } => format!("measured by dbdyno {version}, {started_at}"),
    };
    html! { p { (text) } }
}

/// Contradictions and other caveats.
fn remarks(remarks: &[Remark]) -> Markup {
    html! {
        @if !remarks.is_empty() {
            div class="note warn" {
                p { strong { "Caveats" } }
                ul { @for remark in remarks { li { (clean(&remark_text(remark))) } } }
            }
        }
    }
}

const KEY: [Column; 7] = [
    Column::text("test"),
    Column::text("title"),
    Column::text("unit"),
    Column::figures("least parallel"),
    Column::figures("best"),
    Column::text("at"),
    Column::figures("service time"),
];

fn key(system: &System, book: Option<&PriceBook>) -> Markup {
    let mut table = Table::new("sheet", "Best published figure of each test", &KEY);
    table.rows = system.tests.iter().filter_map(key_row).collect();
    let rates = system.tests.iter().filter_map(|test| Some((test.code.as_str(), test.unit, best(test)?.1)));
    html! {
        div class="sheet" { (table.html()) }
        @if let Some(book) = book { (price::price(book, &rates.collect::<Vec<_>>())) }
    }
}

fn key_row(test: &SystemTest) -> Option<Row> {
    let (point, per_second) = best(test)?;
    let first = median_rate(test.points.first()?);
    let about = html! {
        (clean(&test.title))
        @if let Some(note) = &test.note { span class="aside" { (clean(note)) } }
    };
    Some(Row::new(vec![
        Cell::text(clean(&test.code)),
        Cell::Markup(about),
        Cell::text(unit_per_second(test.unit)),
        Cell::Figure(first.map_or_else(|| UNKNOWN.to_owned(), number), first),
        Cell::Figure(number(per_second), Some(per_second)),
        Cell::text(at(test, point)),
        service(point),
    ]))
}

/// The published service time: the median, the mean, or an upper bound.
fn service(point: &SystemPoint) -> Cell {
    let columns = &point.columns;
    let plain = columns.service_p50_ns.or(columns.service_mean_ns);
    match (plain, columns.service_at_most_ns) {
        (Some(time), _) => span(time),
        (None, Some(most)) => Cell::Figure(format!("≤ {}", crate::figure::duration(most)), Some(most.0 as f64)),
        (None, None) => Cell::Figure(UNKNOWN.to_owned(), None),
    }
}

fn at(test: &SystemTest, point: &SystemPoint) -> String {
    match point.degree.in_flight {
        Some(in_flight) => format!("{in_flight} in flight"),
        None => crate::words::dop(point.degree.dop, test.sweep),
    }
}

fn curves(system: &System) -> Markup {
    let drawn = system.tests.iter().filter(|test| test.points.len() > 1).enumerate();
    gallery(&drawn.map(|(index, test)| curve(index, system, test)).collect::<Vec<Diagram>>())
}

fn curve(index: usize, system: &System, test: &SystemTest) -> Diagram {
    let rates = |point: &SystemPoint| Some(LoadPoint::new(n_of(point), median_rate(point)?));
    let found = scalability(&test.points.iter().filter_map(rates).collect::<Vec<LoadPoint>>());
    let points = test.points.iter().filter_map(|point| Some(Point::new(n_of(point), median_rate(point)?)));
    let mut series =
        vec![Series::new(format!("published, {}", unit_per_second(test.unit)), Role::Measured, points.collect())];
    series.extend(found.as_ref().and_then(fitted));
    series.extend(ideal(test));
    let claims = system.claims.iter().filter(|claim| claim.test == test.code);
    let claims: Vec<Point> =
        claims.map(|claim| Point::new(f64::from(claim.n), claim.rate.0).noted(clean(&claim.text))).collect();
    if !claims.is_empty() {
        series.push(Series::new("claimed, not measured", Role::Claim, claims));
    }
    let times: Vec<Point> =
        test.points.iter().filter_map(|point| Some(Point::new(n_of(point), time_of(point)?.0 as f64))).collect();
    let lower = (!times.is_empty()).then(|| Axis::new("service time", Scale::FromZero, Figures::Nanos));
    series.extend(lower.as_ref().map(|_| Series::new("service time", Role::Other, times).below()));
    let chart = LineChart {
        lower,
        ..LineChart::new(
            format!("{} {}", clean(&test.code), clean(&test.title)),
            format!("Published throughput at {} degrees of parallelism.", test.points.len()),
            Axis::new(workers(test), Scale::Log2, Figures::Plain),
            Axis::new(format!("{}s per second", unit(test.unit)), Scale::FromZero, Figures::Rate),
            series,
        )
    };
    let note = found.as_ref().map(|found| fit_note(found, test.unit, workers(test))).unwrap_or_default();
    Diagram { note, ..Diagram::new(format!("throughput-{}", index + 1), chart) }
}

fn time_of(point: &SystemPoint) -> Option<Nanos> {
    point.columns.service_p50_ns.or(point.columns.service_mean_ns).or(point.columns.service_at_most_ns)
}

fn ideal(test: &SystemTest) -> Option<Series> {
    let first = test.points.first()?;
    let (n, rate) = (n_of(first), median_rate(first)?);
    let points = test.points.iter().map(|point| Point::new(n_of(point), rate * n_of(point) / n));
    Some(Series::new("ideal", Role::Ideal, points.collect()))
}

const RUNS: [Column; 16] = [
    Column::text("test"),
    Column::figures("#N"),
    Column::figures("#J"),
    Column::figures("#T"),
    Column::text("unit"),
    Column::figures("ops"),
    Column::figures("rows"),
    Column::figures("CPU %"),
    Column::figures("read IOPS"),
    Column::figures("write IOPS"),
    Column::figures("read MB/s"),
    Column::figures("write MB/s"),
    Column::figures("redo MB/s"),
    Column::figures("service time"),
    Column::figures("time"),
    Column::text("invalid"),
];

fn runs(system: &System) -> Markup {
    let mut table = Table::new("runs-table", "All published points in the columns of the reports", &RUNS);
    table.spans = vec![("", 5), ("per second", 2), ("", 1), ("physical I/O", 4), ("", 4)];
    table.sortable = true;
    table.rows = system.tests.iter().flat_map(|test| test.points.iter().map(move |point| run(test, point))).collect();
    html! { div class="compact" { (table.html()) } }
}

fn run(test: &SystemTest, point: &SystemPoint) -> Row {
    let (dop, columns) = (point.degree.dop, &point.columns);
    let count = |value: u32| Cell::Figure(value.to_string(), Some(f64::from(value)));
    let per_second = median_rate(point).map(record::Rate).or(columns.operations_per_second);
    let busy = columns.cpu_busy;
    Row::new(vec![
        Cell::text(clean(&test.code)),
        count(dop.nodes),
        count(dop.jobs),
        count(dop.threads),
        Cell::text(unit_per_second(test.unit).trim_end_matches("/s")),
        rate(per_second),
        rate(columns.rows_per_second),
        Cell::Figure(busy.map_or_else(|| UNKNOWN.to_owned(), percent_digits), busy.map(|Ratio(ratio)| ratio)),
        rate(columns.reads_per_second),
        rate(columns.writes_per_second),
        bytes(columns.read_bytes_per_second),
        bytes(columns.write_bytes_per_second),
        bytes(columns.redo_bytes_per_second),
        service(point),
        columns.time_ns.map_or_else(|| Cell::Figure(UNKNOWN.to_owned(), None), span),
        Cell::text(clean(&point.invalid.iter().map(invalid_run_text).collect::<Vec<_>>().join("; "))),
    ])
}

fn claims(system: &System) -> Markup {
    let columns = [
        Column::text("test"),
        Column::figures("at N"),
        Column::figures("claimed per second"),
        Column::text("source text"),
    ];
    let mut table = Table::new("claims-table", "Claimed and not measured", &columns);
    table.rows = system
        .claims
        .iter()
        .map(|claim| {
            Row::new(vec![
                Cell::text(clean(&claim.test)),
                Cell::Figure(claim.n.to_string(), Some(f64::from(claim.n))),
                Cell::Figure(number(claim.rate.0), Some(claim.rate.0)),
                Cell::text(clean(&claim.text)),
            ])
        })
        .collect();
    html! {
        (table.html())
        @if !system.claims.is_empty() {
            p { code { "dbdyno model scale " (clean(&system.name)) } " checks whether the measurements support the claim." }
        }
    }
}

fn platform(all: &[Fact]) -> Markup {
    let pairs: Vec<(String, String)> =
        all.iter().map(|fact| (clean(&fact.name), clean(&fact_text(&fact.value)))).collect();
    html! { @if !pairs.is_empty() { (facts(&pairs)) } }
}

/// Tables of figures that are not points of a test; those that are curves are also drawn.
fn tables(tables: &[FactTable]) -> Markup {
    html! {
        @for (index, table) in tables.iter().enumerate() {
            h3 { (clean(&table.title)) }
            @if let Some(chart) = drawn(index, table) { (chart.html()) }
            div class="scroll" role="group" tabindex="0" aria-labelledby={ "table-" (index) } {
                table {
                    caption id={ "table-" (index) } { "Figures: " (clean(&table.title)) }
                    thead { tr { @for head in &table.columns { th scope="col" { (clean(head)) } } } }
                    tbody { @for row in &table.rows { tr { @for cell in row { (published(cell)) } } } }
                }
            }
        }
    }
}

fn published(cell: &model::Cell) -> Markup {
    match cell {
        model::Cell::Number(value) => html! { td class="figure" { (Figures::Plain.text(*value)) } },
        model::Cell::Text(text) => html! { td { (clean(text)) } },
        model::Cell::Absent => html! { td { (UNKNOWN) } },
    }
}

/// The columns of `table` as curves over its first one.
fn drawn(index: usize, table: &FactTable) -> Option<Diagram> {
    let value = |cell: Option<&model::Cell>| match cell {
        Some(model::Cell::Number(value)) => *value,
        _ => f64::NAN,
    };
    let series = table.columns.iter().enumerate().skip(1).map(|(column, head)| {
        let points = table.rows.iter().map(|row| Point::new(value(row.first()), value(row.get(column))));
        Series::new(clean(head), Role::Measured, points.collect())
    });
    let chart = LineChart::new(
        clean(&table.title),
        format!("{} points of each curve, as published.", table.rows.len()),
        Axis::new(clean(table.columns.first()?), Scale::Linear, Figures::Plain),
        Axis::new("as named at each curve", Scale::FromZero, Figures::Plain),
        series.collect(),
    );
    table.curves.then(|| Diagram::new(format!("curve-{}", index + 1), chart))
}
