//! The key performance metrics: tiles, the platform in a few lines, and the spec sheet.

use maud::{Markup, html};
use model::{Limit, Line, MAIN_TESTS, Point, PriceBook, Sheet};
use record::{EngineInventory, HostInventory, Record, Unit, Verdict};

use super::price::{BestRate, price};
use super::table::{Cell, Column, Row, Table, facts};
use crate::figure::{UNKNOWN, duration, memory, number, percent, three_digits};
use crate::inventory::{durability, engine_line, engine_sizes, storage_line, topology};
use crate::layout::clean;
use crate::plan::settings;
use crate::text::{ByNumber, asides, by_number, data_reads, instrument, repeats, started, title, unrepeated};
use crate::words::{LAYERS, dop, list, unit_per_second};

/// Tiles at the top of the page.
const TILES_MAX: usize = 8;

/// The tiles, the platform, the sheet of all tests, and the cost of throughput.
pub(super) fn key(record: &Record, sheet: &Sheet, prices: Option<&PriceBook>) -> Markup {
    if record.runs.is_empty() {
        return html! { p { "No run is finished." } (facts(&platform(record))) };
    }
    html! {
        (tiles(sheet))
        (facts(&platform(record)))
        (table(record, sheet))
        @if let Some(book) = prices { (price(book, &best(sheet))) }
    }
}

/// The best rate of each test.
fn best(sheet: &Sheet) -> Vec<BestRate<'_>> {
    let rate = |line: &'_ Line| line.best.as_ref().map(|best| best.operations_per_second.0);
    sheet.lines.iter().filter_map(|line| Some((line.test.as_str(), line.unit, rate(line)?))).collect()
}

fn tiles(sheet: &Sheet) -> Markup {
    let known = |code: &&str| sheet.lines.iter().find(|line| line.test == **code && line.best.is_some());
    let mut lines: Vec<&Line> = MAIN_TESTS.iter().filter_map(known).take(TILES_MAX).collect();
    if lines.is_empty() {
        lines = sheet.lines.iter().filter(|line| line.best.is_some()).take(TILES_MAX).collect();
    }
    html! {
        @if !lines.is_empty() {
            ul class="tiles" { @for line in lines { @if let Some(best) = &line.best { li { (tile(line, best)) } } } }
        }
    }
}

fn tile(line: &Line, best: &Point) -> Markup {
    let (rate, unit) = match line.unit {
        Unit::Byte => (number(best.operations_per_second.0 / 1e6), "MB/s"),
        unit => (number(best.operations_per_second.0), unit_per_second(unit)),
    };
    let how = [
        Some(format!("at {}", dop(best.dop, line.sweep))),
        best.service.and_then(|service| Some(format!("p99 {}", duration(service.p99_ns?)))),
        repeats(best, line.unit),
        best.ceiling.as_ref().map(share),
    ];
    html! {
        span class="what" { (line.test) " " (clean(title(line))) }
        span class="much" { (rate) " " small { (unit) } }
        span class="how" { (list(how.into_iter().flatten())) }
        @if line.verdict != Verdict::Pass { span class="how" { (super::verdict::word(line.verdict)) } }
    }
}

/// The share of a ceiling, and whether the probe is no bound.
fn share(limit: &Limit) -> String {
    let no_bound = if limit.is_exceeded() { ": no bound" } else { "" };
    format!("{} of {}{no_bound}", percent(limit.efficiency), limit.probe)
}

/// The platform and the measurement, in a few lines.
pub(super) fn platform(record: &Record) -> Vec<(String, String)> {
    let mut facts = machine(&record.host);
    let mut fact = |name: &str, value: String| facts.push((name.to_owned(), value));
    match &record.engine {
        Some(engine) => engine_facts(engine, &mut fact),
        None => fact("engine", "none: probes only".to_owned()),
    }
    data_reads(record).into_iter().for_each(|reads| fact("reads", reads));
    fact("measured", format!("{}, {}", started(record), settings(&record.plan)));
    fact("dbdyno", instrument(record));
    facts
}

fn engine_facts(engine: &EngineInventory, fact: &mut impl FnMut(&str, String)) {
    fact("engine", list([Some(engine_line(engine)), engine_sizes(engine)].into_iter().flatten()));
    fact("commits", durability(engine));
}

fn machine(host: &HostInventory) -> Vec<(String, String)> {
    let kernel = &host.kernel;
    let clock = host.cpu.clock_mhz_max.or(host.cpu.clock_mhz).map(|clock| format!("{:.2} GHz", clock / 1000.0));
    let virtualisation = host.virtualisation.as_ref().map(|kind| format!("virtualised ({kind})"));
    let lines = [
        ("host", list([host.host_name.clone(), host.product.clone(), virtualisation].into_iter().flatten())),
        ("processors", list([host.cpu.model.clone(), clock, Some(topology(&host.cpu))].into_iter().flatten())),
        ("memory", memory(host.memory.total_bytes)),
        ("storage", storage_line(host)),
        (
            "kernel",
            list(
                [Some(format!("{} {}", kernel.release, kernel.architecture)), kernel.operating_system.clone()]
                    .into_iter()
                    .flatten(),
            ),
        ),
    ];
    let known = |text: String| if text.trim().is_empty() { "unknown".to_owned() } else { text };
    lines.into_iter().map(|(name, value)| (name.to_owned(), known(value))).collect()
}

const COLUMNS: [Column; 11] = [
    Column::text("test"),
    Column::text("title"),
    Column::text("unit"),
    Column::figures("1 job"),
    Column::figures("best"),
    Column::text("at"),
    Column::figures("gain"),
    Column::figures("p50"),
    Column::figures("p99"),
    Column::figures("% of ceiling"),
    Column::text("verdict"),
];

/// The spec sheet: one line per test, by layer.
fn table(record: &Record, sheet: &Sheet) -> Markup {
    let mut table = Table::new("sheet", "Spec sheet: one line per test", &COLUMNS);
    table.spans = vec![("", 3), ("throughput", 4), ("service time", 2), ("", 2)];
    let runs = by_number(record);
    for (layer, head) in LAYERS {
        let mut lines = sheet.lines.iter().filter(|line| line.layer == layer).peekable();
        table.rows.extend(lines.peek().map(|_| Row::group(head)));
        table.rows.extend(lines.map(|line| row(&runs, line)));
    }
    html! {
        div class="sheet" { (table.html()) }
        p class="muted" {
            "1 job: throughput of one job, or one thread where threads are varied. Gain: best over 1 job. % of \
             ceiling: share of the result of a probe of the same record. MB are 10⁶ bytes. Invalid: no result."
            @if let Some(note) = unrepeated(sheet) { " " strong { (note) "." } }
        }
    }
}

fn row(runs: &ByNumber<'_>, line: &Line) -> Row {
    let figure = |point: Option<&Point>| {
        let rate = point.map(|point| point.operations_per_second.0);
        Cell::Figure(rate.map_or_else(|| UNKNOWN.to_owned(), number), rate)
    };
    let best = line.best.as_ref();
    let service = best.and_then(|best| best.service);
    let time = |nanos: Option<record::Nanos>| {
        Cell::Figure(nanos.map_or_else(|| UNKNOWN.to_owned(), duration), nanos.map(|nanos| nanos.0 as f64))
    };
    let efficiency = best.and_then(|best| best.ceiling.as_ref()).map(|limit| limit.efficiency);
    let about = html! {
        (clean(title(line)))
        @for aside in asides(runs, line) { span class="aside" { (clean(&aside)) } }
    };
    let cells = vec![
        Cell::text(&*line.test),
        Cell::Markup(about),
        Cell::text(unit_per_second(line.unit)),
        figure(line.speed.as_ref()),
        figure(best),
        Cell::text(best.map_or_else(String::new, |best| dop(best.dop, line.sweep))),
        Cell::Figure(line.scalability.map_or_else(|| UNKNOWN.to_owned(), three_digits), line.scalability),
        time(service.map(|service| service.p50_ns)),
        time(service.and_then(|service| service.p99_ns)),
        Cell::Figure(efficiency.map_or_else(|| UNKNOWN.to_owned(), percent), efficiency.map(|ratio| ratio.0)),
        Cell::Markup(super::verdict::word(line.verdict)),
    ];
    Row { class: if line.is_invalid() { "invalid" } else { "" }, cells }
}
