//! A record on one screen: its summary, the sheet of its kind, warnings, and the next commands.

use model::{
    Capacities, Cause, ClaimBasis, Headline, LatencyName, Line, MAIN_TESTS, Proof, QUICK_TESTS, Sheet, limit_basis,
};
use record::{Dop, PlanSubject, Record, Sweep};

use super::sheet::title;
use super::{findings, head};
use crate::document::{self, Extent};
use crate::figure::{UNKNOWN, duration, number, percent, time};
use crate::fleet::{agents, server_hosts, storage_hosts};
use crate::inventory::{durability_word, engine_line, machine_line};
use crate::layout::{
    Align, COMMAND_INDENT, Head, Page, Table, clean, command, cut, first_warnings, labelled_word, paragraph, section,
    spaced,
};
use crate::limit::{limit_word, proof_of};
use crate::network::network_path;
use crate::pipeline::{self, PIPELINES};
use crate::plan::runs;
use crate::platform_proof;
use crate::render::terminal::Terminal;
use crate::screen::{ShortText, next_command};
use crate::shell_word::shell_word;
use crate::style::{Ink, Style};
use crate::verdict::{LEGEND as MARKS, mark};
use crate::words::{LAYERS, dop, list, plural, unit_per_second};
use crate::{blocks, html, load, load_curve, screen, storage, streams, summary};

/// Column of the texts of the head.
const INDENT: usize = 12;

/// Lines of a text of [`WIDTH_USUAL`] columns, as far as rows of the sheet and warnings can be left out.
const LINES_MAX: usize = 64;

/// Columns of a terminal; a narrower text has as many lines more as its paragraphs take.
const WIDTH_USUAL: usize = 80;

/// Rows of a sheet, at most; see [`rows`].
const ROWS_MAX: usize = 26;

/// Rows that are never left out: the tests of preset `quick` and the two main probes of storage.
const ROWS_MIN: usize = 11;

/// Warnings that are shown, at most.
const WARNINGS_MAX: usize = 2;

/// The lines around warnings: a blank one and the heading.
const WARNINGS_FRAME: usize = 2;

/// The meaning of the columns of ceilings and limits, and of a limit in parentheses.
const LEGEND: &str = "ceil.: share of bare machine; limit: estimate, * measured; (limit): none full";

/// The mark of a limit that runs with less of it showed.
const MEASURED: &str = "*";

/// The meaning of `resp.`, where a rate or a think time was given.
const RESPONSE: &str = "resp.: response time, from the intended start; other latencies are service times";

/// The width from which a sheet has all its columns.
const WIDTH_ALL: usize = 78;

/// The most important of `record` for `width` columns (at least 60 are used); [`text`](super::text) has the rest.
pub fn short_text(record: &Record, shown: &ShortText<'_>, style: Style, width: usize) -> String {
    if record.plan.subject() == PlanSubject::Catalogue && record.plan.until.is_none() {
        return screen::text(record, shown, style, width);
    }
    let head_and_sheet = |rows_max| head_and_sheet(record, rows_max, style, width);
    let mut page = head_and_sheet(ROWS_MAX);
    let (warnings, last) = match shown.only_sheet {
        true => (Vec::new(), Vec::new()),
        false => (warnings(record, style, page.width), last_lines(record, shown, page.width)),
    };
    // A blank line before the last ones; at least a line that counts the warnings.
    let last_height = if last.is_empty() { 0 } else { last.len() + 1 };
    let warnings_height_min = if warnings.is_empty() { 0 } else { WARNINGS_FRAME + 1 };
    let lines_max = LINES_MAX * WIDTH_USUAL.max(page.width) / page.width;
    let excess = |page: &Page| (page.height() + warnings_height_min + last_height).saturating_sub(lines_max);
    let over = excess(&page);
    if over > 0 && record.plan.subject() == PlanSubject::Catalogue {
        let mut rows_max = rows(&model::sheet(record), ROWS_MAX).len().saturating_sub(over).max(ROWS_MIN);
        page = head_and_sheet(rows_max);
        // One line more says how many rows are left out.
        while excess(&page) > 0 && rows_max > ROWS_MIN {
            rows_max -= 1;
            page = head_and_sheet(rows_max);
        }
    }
    let warnings_height_max = lines_max.saturating_sub(page.height() + WARNINGS_FRAME + last_height);
    page.part("WARNINGS", first_warnings(&warnings, WARNINGS_MAX, warnings_height_max));
    page.part("", last);
    page.end()
}

/// Platform, summary, and the sheet with at most `rows_max` rows.
fn head_and_sheet(record: &Record, rows_max: usize, style: Style, width: usize) -> Page {
    let mut page = Page::new(&format!("dbdyno: {}", head::subject(record)), style, width);
    let width = page.width;
    let terminal = Terminal { style, width, extent: Extent::Screen };
    page.extend(terminal.lines(&[screen::answer(record, &html::fitness(record))]));
    page.extend(platform(record, width));
    page.extend(head::warning_lines(record, style, width));
    page.part("SUMMARY", summary::lines_below_answer(record, width));
    if record.runs.is_empty() {
        page.part("", vec!["no run is finished".to_owned()]);
    }
    for (title, body) in sheets(record, rows_max, style, width) {
        page.part(title, body);
    }
    page
}

/// Machine and engine in a sentence.
pub(crate) fn platform_sentence(record: &Record) -> String {
    let engine = record.engine.as_ref().map(|engine| list([engine_line(engine), durability_word(engine)]));
    [Some(machine_line(&record.host)), engine].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Machine, engine, time and extent of the measurement.
fn platform(record: &Record, width: usize) -> Vec<String> {
    let mut lines = paragraph("machine", INDENT, &machine_line(&record.host), width);
    if let Some(engine) = &record.engine {
        let facts = list([engine_line(engine), durability_word(engine)]);
        lines.extend(paragraph("engine", INDENT, &facts, width));
    }
    if let Some(host) = server_hosts(record) {
        lines.extend(paragraph("server on", INDENT, &host, width));
    }
    if let Some(hosts) = storage_hosts(record) {
        lines.extend(paragraph("stored on", INDENT, &hosts, width));
    }
    if let Some(path) = network_path(record) {
        lines.extend(paragraph("network", INDENT, &path, width));
    }
    if let Some(agents) = agents(record) {
        lines.extend(paragraph("jobs", INDENT, &agents, width));
    }
    let extent = match record.plan.subject() {
        PlanSubject::Catalogue => runs(&record.plan),
        PlanSubject::Blocks => format!("{} of {}", plural(record.runs.len() as u64, "run"), blocks::extent(record)),
        PlanSubject::Io | PlanSubject::Proof(_) | PlanSubject::Load | PlanSubject::Streams => {
            plural(record.runs.len() as u64, "run")
        }
    };
    lines.extend(paragraph("measured", INDENT, &format!("{}, {extent}", started(record)), width));
    lines
}

/// Start time to the minute; a status other than finished is among the warnings.
fn started(record: &Record) -> String {
    head::started(record).trim_end_matches(", finished").to_owned()
}

/// The tables with the results of this kind of record.
fn sheets(record: &Record, rows_max: usize, style: Style, width: usize) -> Vec<storage::Part> {
    let table = |table: document::Table| Terminal { style, width, extent: Extent::Screen }.lines(&[table.into()]);
    match record.plan.subject() {
        PlanSubject::Catalogue if record.runs.is_empty() => Vec::new(),
        PlanSubject::Catalogue => {
            let mut parts = vec![("", sheet(record, rows_max, style, width))];
            // The answer of a search is the summary.
            if record.plan.until.is_none() {
                parts.extend(load_curve::parts(record, style, width));
            }
            parts.push((PIPELINES, pipeline::lines(record, style, width)));
            parts
        }
        PlanSubject::Io => storage::short(record, style, width),
        PlanSubject::Proof(_) => {
            let terminal = Terminal { style, width, extent: Extent::Screen };
            vec![(platform_proof::TITLE, terminal.lines(&platform_proof::blocks(record)))]
        }
        PlanSubject::Blocks => vec![("", table(blocks::summary(record)))],
        PlanSubject::Load => vec![("", table(load::rates(record)))],
        PlanSubject::Streams => vec![("", table(streams::rates(record)))],
    }
}

/// One line for each test, by layer, and the legend.
fn sheet(record: &Record, rows_max: usize, style: Style, width: usize) -> Vec<String> {
    let whole = model::sheet(record);
    let shown = rows(&whole, rows_max);
    let (capacities, proofs) = (Capacities::of(record), model::proofs(record));
    let limits: Vec<String> = shown.iter().map(|line| limit(record, &capacities, &proofs, line)).collect();
    let (mut lines, rows) = table(&shown, &limits, width).row_lines(style, width);
    let mut rows = rows.into_iter();
    for (layer, name) in LAYERS {
        let count = shown.iter().filter(|line| line.layer == layer).count();
        lines.extend((count > 0).then(|| section(name, style, width)));
        lines.extend(rows.by_ref().take(count).flatten());
    }
    let hidden = whole.lines.len() - shown.len();
    if hidden > 0 {
        lines.push(format!("and {} (--details)", plural(hidden as u64, "more test")));
    }
    let has_ceiling =
        width >= WIDTH_ALL && shown.iter().any(|line| line.best.as_ref().is_some_and(|best| best.ceiling.is_some()));
    let has_limit = width >= WIDTH_ALL && limits.iter().any(|limit| !limit.is_empty());
    let found = shown.iter().filter_map(|line| line.best.as_ref()?.headline);
    let has_response = found.into_iter().any(|found| found.name == LatencyName::Response);
    let legend = (has_ceiling || has_limit).then_some(LEGEND);
    let legend = [MARKS].into_iter().chain(legend).chain(has_response.then_some(RESPONSE));
    lines.extend(legend.flat_map(|text| spaced(text, 0, width)).map(|line| style.paint(&line, Ink::Aside)));
    lines
}

/// The rows of a sheet that are shown, by layer: where there are more than `most`, those of preset `quick`, tests before
/// probes and main ones first, then those without a result; others only where these are fewer than preset `quick` has.
fn rows(sheet: &Sheet, most: usize) -> Vec<&Line> {
    let is_quick = |line: &Line| QUICK_TESTS.contains(&line.test.as_str());
    let mut shown: Vec<&Line> = sheet.lines.iter().collect();
    if shown.len() > most {
        let (quick, others): (Vec<&Line>, Vec<&Line>) = shown.iter().partition(|line| is_quick(line));
        let (mut probes, tests): (Vec<&Line>, Vec<&Line>) = quick.into_iter().partition(|line| line.is_probe);
        let place = |line: &&Line| MAIN_TESTS.iter().position(|main| *main == line.test).unwrap_or(usize::MAX);
        probes.sort_by_key(place);
        let (failed, others): (Vec<&Line>, Vec<&Line>) = others.into_iter().partition(|line| line.best.is_none());
        let mut kept: Vec<&Line> = tests.into_iter().chain(probes).chain(failed).collect();
        kept.extend(others.into_iter().take(QUICK_TESTS.len().saturating_sub(kept.len())));
        kept.truncate(most);
        shown.retain(|line| kept.iter().any(|kept| std::ptr::eq(*kept, *line)));
    }
    shown.sort_by_key(|line| LAYERS.iter().position(|(layer, _)| *layer == line.layer));
    shown
}

/// The place of the title among the columns.
const TITLE: usize = 1;

/// The table of the rows with their limits.
fn table(lines: &[&Line], limits: &[String], width: usize) -> Table {
    let rows: Vec<Vec<String>> = lines.iter().zip(limits).map(|(line, limit)| cells(line, limit.clone())).collect();
    let wide = width >= WIDTH_ALL;
    let columns: [(Head, bool); 10] = [
        ((&["test"], Align::Left), true),
        ((&[""], Align::Left), true),
        ((&["unit"], Align::Left), true),
        ((&["1 job"], Align::Right), wide),
        ((&["best"], Align::Right), true),
        ((&["jobs"], Align::Right), true),
        ((&["p99"], Align::Right), true),
        ((&["ceil."], Align::Right), wide),
        ((&["limit"], Align::Left), wide && rows.iter().any(|cells| !cells[LIMIT].is_empty())),
        ((&[""], Align::Left), true),
    ];
    let heads: Vec<Head> = columns.iter().filter(|(_, is_shown)| *is_shown).map(|(head, _)| *head).collect();
    let kept = |cells: Vec<String>| {
        cells.into_iter().zip(&columns).filter(|(_, (_, is_shown))| *is_shown).map(|(cell, _)| cell).collect()
    };
    let inks = lines.iter().map(|line| Ink::of(line.verdict));
    Table::fitted(&heads, rows.into_iter().map(kept).zip(inks).collect(), TITLE, width)
}

/// The jobs of a run, in a column of that name: `4`; `2 thr` are two threads of one session, `2x8` eight jobs on two nodes.
fn workers(of: Dop, sweep: Sweep) -> String {
    let sweep = if let Sweep::Agents { .. } = sweep { Sweep::Jobs } else { sweep };
    match of {
        Dop { nodes: 1, jobs, .. } if sweep == Sweep::Jobs => jobs.to_string(),
        Dop { nodes: 1, jobs: 1, threads } => format!("{threads} thr"),
        Dop { nodes, jobs, .. } if sweep == Sweep::Jobs => format!("{nodes}x{jobs}"),
        _ => dop(of, sweep),
    }
}

/// The place of the limit among the cells.
const LIMIT: usize = 8;

fn cells(line: &Line, limit: String) -> Vec<String> {
    let best = line.best.as_ref();
    let rate = |point: &model::Point| number(point.operations_per_second.0);
    vec![
        cut(&clean(&line.test), INDENT),
        clean(title(line)),
        unit_per_second(line.unit).to_owned(),
        line.speed.as_ref().map_or_else(|| UNKNOWN.to_owned(), rate),
        best.map_or_else(|| UNKNOWN.to_owned(), rate),
        best.map_or_else(String::new, |best| workers(best.dop, line.sweep)),
        best.and_then(|best| best.headline).map_or_else(|| UNKNOWN.to_owned(), p99),
        best.and_then(|best| best.ceiling.as_ref()).map_or_else(String::new, |limit| percent(limit.efficiency)),
        limit,
        mark(line.verdict).to_owned(),
    ]
}

/// The 0.99 quantile of the latency that stands for a run; see [`RESPONSE`].
fn p99(found: Headline) -> String {
    match (found.name, found.times.p99_ns) {
        (LatencyName::Response, Some(p99)) => format!("resp. {}", duration(p99)),
        (_, p99) => time(p99),
    }
}

/// The limit of the best run of `line` in a word, marked where it is measured; empty for a probe, and where nothing is known.
fn limit(record: &Record, capacities: &Capacities, proofs: &[Proof], line: &Line) -> String {
    let found = || {
        let best = line.best.as_ref().filter(|_| !line.is_probe)?;
        let run = record.runs.iter().find(|run| run.number == best.run)?;
        let found = capacities.attribute(run)?;
        let proof = proof_of(proofs, &line.test, best.dop);
        Some(match limit_basis(Some(&found), proof) {
            // What was disproved is none.
            _ if proof.is_some_and(|proof| proof.cause == Cause::NotBecause) => "-".to_owned(),
            Some(ClaimBasis::Measured) if proof.is_some() => format!("{}{MEASURED}", limit_word(&found)),
            _ => limit_word(&found),
        })
    };
    found().unwrap_or_default()
}

/// The warnings beside the one of the summary, a paragraph each.
fn warnings(record: &Record, style: Style, width: usize) -> Vec<Vec<String>> {
    match record.plan.subject() {
        PlanSubject::Io | PlanSubject::Proof(_) => storage::main_warnings(record, style, width),
        _ => findings::main_findings(record, style, width),
    }
}

/// Tests without a run, the paths, and the commands that lead on.
fn last_lines(record: &Record, shown: &ShortText<'_>, width: usize) -> Vec<String> {
    let skipped = list(record.plan.skipped.iter().map(|skipped| clean(&skipped.test)));
    let mut lines = match skipped.is_empty() {
        true => Vec::new(),
        false => paragraph("skipped", COMMAND_INDENT, &format!("{skipped} (why: --details)"), width),
    };
    lines.extend(labelled_word("record", &clean(shown.path), width));
    lines.extend(shown.page.into_iter().flat_map(|page| labelled_word("page", &clean(page), width)));
    let word = shell_word(shown.path);
    lines.extend(command("details", "dbdyno report", &word, "--details", width));
    let (label, verb, operand, options) = next_command(record, &word);
    lines.extend(command(label, &verb, &operand, &options, width));
    lines
}
