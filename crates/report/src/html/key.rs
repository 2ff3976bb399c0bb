//! The key performance metrics: tiles, the platform in a few lines, and the spec sheet.

use maud::{Markup, html};
use model::{Headline, LatencyName, Line, MAIN_TESTS, MainResult, Point, PriceBook, Quantiles, Sheet};
use record::{EngineInventory, HostInventory, Record, Unit, Verdict};

use super::price::{BestRate, price};
use crate::database_state::states_at_begin;
use crate::figure::{UNKNOWN, duration, megabytes, memory, number, percent, three_digits};
use crate::fleet::{agents, server_hosts, storage_hosts};
use crate::inventory::{durability, engine_line, engine_sizes, storage_line, topology};
use crate::layout::clean;
use crate::network::network_path;
use crate::plan::settings;
use crate::render::page::{Cell, Column, Row, Table, facts};
use crate::screen::share;
use crate::summary::{at_once, bound_text, headline_text, large_reads, limit_of, result_name};
use crate::text::{ByNumber, asides, by_number, data_reads, instrument, repeats, settled, started, title, unrepeated};
use crate::verdict::{row_class, word};
use crate::words::{LAYERS, dop, dop_text, list, unit_per_second};

/// Tiles at the top of the page.
const TILES_MAX: usize = 4;

/// The sheet of all tests in short, and the cost of throughput.
pub(super) fn results(record: &Record, sheet: &Sheet, prices: Option<&PriceBook>) -> Markup {
    if record.runs.is_empty() {
        return html! { p { "No run is finished." } };
    }
    html! {
        @if !sheet.lines.is_empty() { (short(sheet)) }
        @if let Some(book) = prices { (price(book, &best(sheet))) }
    }
}

/// The best rate of each test.
fn best(sheet: &Sheet) -> Vec<BestRate<'_>> {
    let rate = |line: &'_ Line| line.best.as_ref().map(|best| best.operations_per_second.0);
    sheet.lines.iter().filter_map(|line| Some((line.test.as_str(), line.unit, rate(line)?))).collect()
}

/// The main results of the record, large.
pub(super) fn tiles(record: &Record, sheet: &Sheet) -> Markup {
    let found = model::summary(record).results;
    let has_other = found.iter().any(|result| !matches!(result, MainResult::Best(_)));
    let known = |code: &&str| sheet.lines.iter().find(|line| line.test == **code && line.best.is_some());
    let mut lines: Vec<&Line> = MAIN_TESTS.iter().filter_map(known).take(TILES_MAX).collect();
    let results = found.iter().filter_map(|result| match result {
        MainResult::Best(line) => Some(&**line),
        MainResult::Search(_) | MainResult::Calibration(_) | MainResult::Proof(_) => None,
    });
    if lines.is_empty() {
        lines = results.collect();
    }
    html! {
        @if has_other || !lines.is_empty() {
            ul class="tiles" {
                @for result in &found { (other_tile(result)) }
                @for line in lines.iter().filter(|_| !has_other) {
                    @if let Some(best) = &line.best { li class=(row_class(line.verdict)) { (tile(record, line, best)) } }
                }
            }
        }
    }
}

/// The tiles of a search or a calibration; nothing for the best run of a test.
fn other_tile(result: &MainResult) -> Markup {
    let tile = |what: &str, much: String, unit: &str, how: String| {
        html! {
            li {
                span class="what" { (what) }
                span class="much" { (much) " " small { (unit) } }
                span class="how" { (how) }
            }
        }
    };
    match result {
        MainResult::Best(_) => Markup::default(),
        MainResult::Search(found) => {
            let of = found.test.as_ref().map(|(code, title)| format!("{} {}: ", clean(code), clean(title)));
            let what = format!("{}{}", of.unwrap_or_default(), limit_of(&found.level));
            let unit = if found.test.is_some() { "steps/s" } else { "I/Os per second" };
            let interval = found.interval.map(|(low, high)| format!("95 % {} to {}", number(low.0), number(high.0)));
            let confirmed = if found.is_confirmed { "confirmed" } else { "not confirmed" };
            let how = list([interval, Some(confirmed.to_owned())].into_iter().flatten());
            tile(&what, found.rate.map_or_else(|| "none".to_owned(), |rate| number(rate.0)), unit, how)
        }
        MainResult::Proof(found) => {
            let (what, much, how) = crate::platform_proof::tile(found);
            tile(&what, much, "", how)
        }
        MainResult::Calibration(found) => {
            let bound = bound_text(found);
            let how = list([Some(format!("{} in flight", found.in_flight)), bound].into_iter().flatten());
            let small = format!("random reads of {}", memory(found.block_bytes));
            html! {
                (tile(&small, number(found.max_iops.median), "IOPS", how))
                @if let Some(large) = &found.max_mbps {
                    (tile(&large_reads(found), megabytes(Some(large.median * 1e6)), "MB/s",
                        found.large_in_flight.map_or_else(String::new, |count| format!("{count} in flight"))))
                }
                (tile("latency at the maximum", duration(found.latency.mean_ns), "mean",
                    found.latency.p99_ns.map_or_else(String::new, |p99| format!("p99 {}", duration(p99)))))
            }
        }
    }
}

fn tile(record: &Record, line: &Line, best: &Point) -> Markup {
    let run = record.runs.iter().find(|run| run.number == best.run);
    let (rate, unit) = match line.unit {
        Unit::Byte => (number(best.operations_per_second.0 / 1e6), "MB/s"),
        _ if best.in_flight.is_some() => (number(best.operations_per_second.0), "IOPS"),
        _ if run.and_then(model::scans).is_some() => (number(best.operations_per_second.0), "scan/s"),
        unit => (number(best.operations_per_second.0), unit_per_second(unit)),
    };
    let how = [
        Some(match best.in_flight {
            Some(count) => format!("{count} in flight"),
            None => format!("with {}", dop_text(best.dop, line.sweep)),
        }),
        best.headline.filter(|found| found.times.p99_ns.is_some()).map(headline_text),
        run.and_then(model::sync_beside).map(|sync| format!("sync p50 {}", duration(sync.service.p50_ns))),
        run.and_then(at_once),
        repeats(best, line.unit),
        best.ceiling.as_ref().map(share),
    ];
    html! {
        span class="what" { (result_name(record, line)) }
        span class="much" { (rate) " " small { (unit) } }
        span class="how" { (list(how.into_iter().flatten())) }
        @if line.verdict >= Verdict::Warn { span class="how" { (word(line.verdict)) } }
    }
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
    settled(record).into_iter().for_each(|settled| fact("settled", settled));
    states_at_begin(record).into_iter().for_each(|states| fact("begin", states));
    server_hosts(record).into_iter().for_each(|host| fact("server on", host));
    storage_hosts(record).into_iter().for_each(|host| fact("stored on", host));
    network_path(record).into_iter().for_each(|path| fact("network", path));
    agents(record).into_iter().for_each(|agents| fact("jobs", agents));
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

const SHORT_COLUMNS: [Column; 9] = [
    Column::text("test"),
    Column::text("title"),
    Column::text("unit"),
    Column::figures("1 job"),
    Column::figures("best"),
    Column::text("with"),
    Column::figures("p99"),
    Column::figures("% of ceiling"),
    Column::text("verdict"),
];

/// The spec sheet in short: one row per test.
fn short(sheet: &Sheet) -> Markup {
    let mut table = Table::new("sheet-short", "Spec sheet: one line per test", &SHORT_COLUMNS);
    for (layer, head) in LAYERS {
        let mut lines = sheet.lines.iter().filter(|line| line.layer == layer).peekable();
        table.rows.extend(lines.peek().map(|_| Row::group(head)));
        table.rows.extend(lines.map(|line| {
            let class = row_class(line.verdict);
            Row { class, cells: short_cells(line) }
        }));
    }
    html! {
        div class="sheet short" { (table.html()) }
        p class="muted" {
            "1 job: throughput of one job or thread. p99: 99 of 100 steps took no longer; response: from the intended start. % of ceiling: share of what the \
             bare machine reaches, as the probes (C, M and S) of this record show."
            @if let Some(note) = unrepeated(sheet) { " " strong { (note) "." } }
        }
    }
}

/// The spec sheet: one line per test, by layer.
pub(super) fn table(record: &Record, sheet: &Sheet) -> Markup {
    if record.runs.is_empty() || sheet.lines.is_empty() {
        return html! { (facts(&platform(record))) };
    }
    let mut table = Table::new("sheet", "Spec sheet: all figures, one line per test", &COLUMNS);
    table.spans = vec![("", 3), ("throughput", 4), ("service time", 2), ("", 2)];
    let runs = by_number(record);
    for (layer, head) in LAYERS {
        let mut lines = sheet.lines.iter().filter(|line| line.layer == layer).peekable();
        table.rows.extend(lines.peek().map(|_| Row::group(head)));
        table.rows.extend(lines.map(|line| row(&runs, line)));
    }
    html! {
        (facts(&platform(record)))
        div class="sheet" { (table.html()) }
        p class="muted" {
            "1 job: throughput of one job, or one thread where threads are varied. Gain: best over 1 job. % of \
             ceiling: share of the result of a probe of the same record. MB are 10⁶ bytes. Invalid: no result."
            @if let Some(note) = unrepeated(sheet) { " " strong { (note) "." } }
        }
    }
}

/// The cells of [`SHORT_COLUMNS`].
fn short_cells(line: &Line) -> Vec<Cell> {
    let best = line.best.as_ref();
    vec![
        Cell::text(&*line.test),
        Cell::text(clean(title(line))),
        Cell::text(unit_per_second(line.unit)),
        rate_cell(line.speed.as_ref()),
        rate_cell(best),
        Cell::text(best.map_or_else(String::new, |best| dop_text(best.dop, line.sweep))),
        headline_cell(best.and_then(|best| best.headline)),
        ceiling_cell(best),
        Cell::Markup(word(line.verdict)),
    ]
}

/// The 0.99 quantile of the latency that stands for a run; a response time by name.
fn headline_cell(found: Option<Headline>) -> Cell {
    match found {
        Some(Headline { name: LatencyName::Response, times: Quantiles { p99_ns: Some(p99), .. } }) => {
            Cell::Figure(format!("response {}", duration(p99)), Some(p99.0 as f64))
        }
        found => time_cell(found.and_then(|found| found.times.p99_ns)),
    }
}

fn rate_cell(point: Option<&Point>) -> Cell {
    let rate = point.map(|point| point.operations_per_second.0);
    Cell::Figure(rate.map_or_else(|| UNKNOWN.to_owned(), number), rate)
}

fn time_cell(span: Option<record::Nanos>) -> Cell {
    Cell::Figure(span.map_or_else(|| UNKNOWN.to_owned(), duration), span.map(|span| span.0 as f64))
}

/// The share of the ceiling.
fn ceiling_cell(best: Option<&Point>) -> Cell {
    let efficiency = best.and_then(|best| best.ceiling.as_ref()).map(|limit| limit.efficiency);
    Cell::Figure(efficiency.map_or_else(|| UNKNOWN.to_owned(), percent), efficiency.map(|ratio| ratio.0))
}

fn row(runs: &ByNumber<'_>, line: &Line) -> Row {
    let best = line.best.as_ref();
    let service = best.and_then(|best| best.service);
    let about = html! {
        (clean(title(line)))
        @for aside in asides(runs, line) { span class="aside" { (clean(&aside)) } }
    };
    let cells = vec![
        Cell::text(&*line.test),
        Cell::Markup(about),
        Cell::text(unit_per_second(line.unit)),
        rate_cell(line.speed.as_ref()),
        rate_cell(best),
        Cell::text(best.map_or_else(String::new, |best| dop(best.dop, line.sweep))),
        Cell::Figure(line.scalability.map_or_else(|| UNKNOWN.to_owned(), three_digits), line.scalability),
        time_cell(service.map(|service| service.p50_ns)),
        time_cell(service.and_then(|service| service.p99_ns)),
        ceiling_cell(best),
        Cell::Markup(word(line.verdict)),
    ];
    Row { class: row_class(line.verdict), cells }
}
