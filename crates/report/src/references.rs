//! Published systems on a terminal: the list of them, and the sheet of one with the columns of its own report.

use model::{Cell, FactTable, Origin, PriceBook, System, SystemPoint, SystemTest};
use record::{Nanos, Rate};

use crate::fact::fact_text;
use crate::figure::{UNKNOWN, duration, megabytes, number, percent_digits};
use crate::layout::{Align, Head, Page, Table, bar, clean, cut, folded, paragraph, wrap};
use crate::price;
use crate::style::{Ink, Style};
use crate::system::remark_text;
use crate::system::{best, median_rate};
use crate::words::{list, unit_per_second};

/// Columns of the label of a paragraph.
const LEFT: usize = 12;

/// Characters of a bar.
const BAR_WIDTH: usize = 10;

/// Characters of a cell of a table of published figures.
const CELL_MAX: usize = 24;

/// One entry for each of `systems`: name, year, title, source and the tests that it has.
pub fn references(systems: &[System], width: usize) -> String {
    let width = crate::page_width(width);
    let mut lines = Vec::new();
    for system in systems {
        let codes = list(system.tests.iter().map(|test| clean(&test.code)));
        let (year, source) = match &system.origin {
            Origin::Published { year, source } => (year.to_string(), source.as_str()),
            Origin::Measured { .. } => (String::new(), ""),
        };
        lines.push(cut(&format!("{}  {year}  {}", clean(&system.name), clean(&system.title)), width));
        lines.extend(paragraph("    source", LEFT, source, width));
        lines.extend(paragraph("    tests", LEFT, &codes, width));
    }
    lines.push(String::new());
    let note =
        "none of these was measured by dbdyno; show one with dbdyno report NAME, compare by name with dbdyno compare";
    lines.extend(wrap(note, width));
    lines.join("\n") + "\n"
}

/// The sheet of a published system for `width` columns (at least 60 are used): source, contradictions, platform,
/// prices, and every test with the columns of its own report. `prices` replace the published ones.
pub fn system_text(system: &System, prices: Option<&PriceBook>, style: Style, width: usize) -> String {
    let mut page = Page::new(&format!("{} ({})", system.title, system.name), style, width);
    let width = page.width;
    page.extend([String::new()]);
    if let Origin::Published { year, source } = &system.origin {
        page.extend(paragraph("source", LEFT, &format!("{source} ({year}); not measured by dbdyno"), width));
    }
    let remarks = page.paragraphs("!", 3, system.remarks.iter().map(remark_text));
    page.part("CAVEATS", remarks.into_iter().map(|line| style.paint(&line, Ink::Warning)).collect());
    let facts = system.facts.iter().map(|fact| format!("{}: {}", fact.name, fact_text(&fact.value)));
    page.part("PLATFORM AND SETTINGS", page.paragraphs("", 3, facts));
    page.part("CLAIMED, NOT MEASURED", claims(system, width));
    let book = prices.or(system.price.as_ref());
    page.part("PRICES", book.map(|book| costs(system, book, width)).unwrap_or_default());
    for test in &system.tests {
        let unit = unit_per_second(test.unit);
        let title = clean(&format!("{} {} [{unit}]", test.code, test.title));
        page.part(&cut(&title, width - 2), points(test, style, width));
    }
    for table in &system.tables {
        page.part(&cut(&clean(&table.title), width - 2), published(table, style, width));
    }
    page.end()
}

fn claims(system: &System, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for claim in &system.claims {
        let bytes = claim.bytes_per_second.map(|rate| format!(" ({} MB/s)", megabytes(Some(rate.0))));
        let rate = format!("{}{} at N = {}", number(claim.rate.0), bytes.unwrap_or_default(), claim.n);
        lines.extend(paragraph("", 3, &format!("{} {rate}: {}", claim.test, claim.text), width));
    }
    if !lines.is_empty() {
        let note = format!("whether the measurements support it: dbdyno model scale {}", clean(&system.name));
        lines.extend(paragraph("", 3, &note, width));
    }
    lines
}

fn costs(system: &System, book: &PriceBook, width: usize) -> Vec<String> {
    let mut lines = paragraph("total", LEFT, &price::total(book), width);
    for test in &system.tests {
        let text = best(test).and_then(|(_, rate)| price::per_rate(book, test.unit, rate));
        lines.extend(text.iter().flat_map(|text| paragraph(&clean(&test.code), LEFT, text, width)));
    }
    lines
}

/// One column of the published tables.
type PointColumn = (Head, fn(&SystemPoint) -> Option<String>);

const COLUMNS: [PointColumn; 17] = [
    ((&["#N"], Align::Right), |point| more_than_one(point.degree.dop.nodes)),
    ((&["#J"], Align::Right), |point| more_than_one(point.degree.dop.jobs)),
    ((&["#T"], Align::Right), |point| more_than_one(point.degree.dop.threads)),
    ((&["I/Os in", "flight"], Align::Right), |point| point.degree.in_flight.map(|count| count.to_string())),
    ((&["rows/s"], Align::Right), |point| plain(point.columns.rows_per_second)),
    ((&["ops/s"], Align::Right), |point| plain(point.columns.operations_per_second)),
    ((&["tx/s"], Align::Right), |point| plain(point.columns.transactions_per_second)),
    ((&["MB/s"], Align::Right), |point| bytes(point.columns.bytes_per_second)),
    ((&["CPU", "%"], Align::Right), |point| point.columns.cpu_busy.map(percent_digits)),
    ((&["read", "IOPS"], Align::Right), |point| plain(point.columns.reads_per_second)),
    ((&["write", "IOPS"], Align::Right), |point| plain(point.columns.writes_per_second)),
    ((&["read", "MB/s"], Align::Right), |point| bytes(point.columns.read_bytes_per_second)),
    ((&["write", "MB/s"], Align::Right), |point| bytes(point.columns.write_bytes_per_second)),
    ((&["redo", "MB/s"], Align::Right), |point| bytes(point.columns.redo_bytes_per_second)),
    ((&["service", "time"], Align::Right), service),
    ((&["p99"], Align::Right), |point| point.columns.service_p99_ns.map(duration)),
    ((&["time"], Align::Right), |point| point.columns.time_ns.map(duration)),
];

/// The columns of which one may be the rate of the test itself.
const COUNTED: [fn(&SystemPoint) -> Option<f64>; 5] = [
    |point| point.columns.operations_per_second.map(|rate| rate.0),
    |point| point.columns.rows_per_second.map(|rate| rate.0),
    |point| point.columns.transactions_per_second.map(|rate| rate.0),
    |point| point.columns.write_bytes_per_second.map(|rate| rate.0),
    |point| point.columns.read_bytes_per_second.map(|rate| rate.0),
];

/// A degree of parallelism, absent where it is 1.
fn more_than_one(count: u32) -> Option<String> {
    (count > 1).then(|| count.to_string())
}

fn plain(rate: Option<Rate>) -> Option<String> {
    rate.map(|rate| number(rate.0))
}

fn bytes(rate: Option<Rate>) -> Option<String> {
    rate.map(|rate| megabytes(Some(rate.0)))
}

/// The median, the mean, or an upper bound.
fn service(point: &SystemPoint) -> Option<String> {
    let columns = &point.columns;
    let most = |most: Nanos| format!("<= {}", duration(most));
    columns.service_p50_ns.or(columns.service_mean_ns).map(duration).or(columns.service_at_most_ns.map(most))
}

/// The points with the columns that any of them has; the rate first where no column shows it, and as bars.
fn points(test: &SystemTest, style: Style, width: usize) -> Vec<String> {
    let rates: Vec<Option<f64>> = test.points.iter().map(median_rate).collect();
    let most = rates.iter().flatten().copied().fold(0.0, f64::max);
    let is_used = |(_, cell): &&PointColumn| test.points.iter().any(|point| cell(point).is_some());
    let used: Vec<&PointColumn> = COLUMNS.iter().filter(is_used).collect();
    let degrees = used.iter().take_while(|column| is_degree(column)).count();
    let is_shown = COUNTED.iter().any(|of| test.points.iter().all(|point| of(point) == median_rate(point)));
    let mut heads: Vec<Head> = used.iter().map(|(head, _)| *head).collect();
    if !is_shown {
        heads.insert(degrees, (&["rate"], Align::Right));
    }
    heads.push((&[""], Align::Left));
    let mut table = Table::new(&heads, &[]);
    for (point, rate) in test.points.iter().zip(&rates) {
        let mut cells: Vec<String> = used
            .iter()
            .map(|column| (column.1)(point).unwrap_or_else(|| if is_degree(column) { "1" } else { UNKNOWN }.to_owned()))
            .collect();
        if !is_shown {
            cells.insert(degrees, rate.map_or_else(|| UNKNOWN.to_owned(), number));
        }
        cells.push(rate.map_or_else(String::new, |rate| bar(rate, most, BAR_WIDTH)));
        table.push(cells, None);
    }
    let mut lines = table.lines(style, width);
    let note = test.note.iter().flat_map(|note| paragraph("", 3, note, width));
    lines.extend(note.map(|line| style.paint(&line, Ink::Aside)));
    lines
}

fn is_degree(column: &PointColumn) -> bool {
    matches!(column.0.0, ["#N"] | ["#J"] | ["#T"] | ["I/Os in", "flight"])
}

fn published(table: &FactTable, style: Style, width: usize) -> Vec<String> {
    let cell = |cell: &Cell| match cell {
        Cell::Number(value) => plain_number(*value),
        Cell::Text(text) => cut(&clean(text), CELL_MAX),
        Cell::Absent => UNKNOWN.to_owned(),
    };
    let mut rows: Vec<Vec<String>> = vec![table.columns.iter().map(|head| cut(&clean(head), CELL_MAX)).collect()];
    rows.extend(table.rows.iter().map(|row| row.iter().map(cell).collect()));
    let widths: Vec<usize> = (0..table.columns.len())
        .map(|column| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0))
        .collect();
    let parts = folded(&widths, 2, width);
    let mut lines = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let padded: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        for (columns, indent) in &parts {
            let cells = padded.get(columns.clone()).unwrap_or_default().join("  ");
            let line = cut(format!("{:indent$}{cells}", "").trim_end(), width);
            lines.push(if index == 0 { style.paint(&line, Ink::Head) } else { line });
        }
    }
    lines
}

/// A number as it was published, without a prefix.
fn plain_number(value: f64) -> String {
    crate::chart::Figures::Plain.text(value)
}
