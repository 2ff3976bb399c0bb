//! A record on one screen: its summary, the sheet of its kind, warnings, and the next commands.

use model::{Capacities, Line, QUICK_TESTS, Sheet};
use record::{Dop, HostInventory, PlanSubject, Preset, Record, Status, Sweep, Verdict};

use super::sheet::title;
use super::{findings, head, next};
use crate::figure::{UNKNOWN, memory, number, percent, time};
use crate::inventory::{durability_word, engine_line, storage_place};
use crate::layout::{Align, Head, Page, Table, clean, cut, paragraph, section, spaced};
use crate::limit::limit_word;
use crate::plan::runs;
use crate::style::{Ink, Style};
use crate::words::{LAYERS, MARKS, dop, list, mark, plural, unit_per_second};
use crate::{blocks, load, load_curve, storage, streams, summary};

/// Column of the texts of the head.
const INDENT: usize = 12;

/// Rows of a sheet, at most; of more tests those of preset `quick` and those without a result are shown.
const ROWS_MAX: usize = 26;

/// Warnings that are shown, at most.
const WARNINGS_MAX: usize = 2;

/// The width from which a sheet has all its columns.
const WIDTH_ALL: usize = 78;

/// Which parts of a record a short text has, and where the record is.
#[derive(Clone, Copy, Debug)]
pub struct ShortText<'a> {
    /// The path of the record.
    pub path: &'a str,
    /// The path of its page, if there is one.
    pub page: Option<&'a str>,
    /// Only the summary and the sheet: no warnings and no next commands.
    pub only_sheet: bool,
}

/// The most important of `record` for `width` columns (at least 60 are used); [`text`](super::text) has the rest.
pub fn short_text(record: &Record, shown: &ShortText<'_>, style: Style, width: usize) -> String {
    let mut page = Page::new(&format!("dbdyno: {}", subject(record)), style, width);
    let width = page.width;
    page.extend(platform(record, width));
    page.extend(head::warning_lines(record, style, width));
    page.part("SUMMARY", summary::lines(record, width));
    if record.runs.is_empty() {
        page.part("", vec!["no run is finished".to_owned()]);
    }
    for (title, body) in sheets(record, style, width) {
        page.part(title, body);
    }
    if !shown.only_sheet {
        page.part("WARNINGS", warnings(record, style, width));
        page.part("", last_lines(record, shown, width));
    }
    page.end()
}

/// What was measured where, for the title.
pub(crate) fn subject(record: &Record) -> String {
    let host = record.host.host_name.as_deref().unwrap_or("an unnamed host");
    let engine = record.engine.as_ref().map_or("no engine", |engine| engine.title.as_str());
    match record.plan.subject() {
        PlanSubject::Io => format!("storage of {host}"),
        PlanSubject::Catalogue if record.engine.is_none() => format!("probes on {host}"),
        PlanSubject::Catalogue => format!("{engine} on {host}"),
        PlanSubject::Blocks => format!("random blocks through {engine} on {host}"),
        PlanSubject::Load => format!("bulk load into {engine} on {host}"),
        PlanSubject::Streams => format!("files kept in {engine} on {host}"),
    }
}

/// Machine and engine in a sentence.
pub(crate) fn platform_sentence(record: &Record) -> String {
    let engine = record.engine.as_ref().map(|engine| list([engine_line(engine), durability_word(engine)]));
    [Some(machine(&record.host)), engine].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Machine, engine, time and extent of the measurement.
fn platform(record: &Record, width: usize) -> Vec<String> {
    let mut lines = paragraph("machine", INDENT, &machine(&record.host), width);
    if let Some(engine) = &record.engine {
        let facts = list([engine_line(engine), durability_word(engine)]);
        lines.extend(paragraph("engine", INDENT, &facts, width));
    }
    let extent = match record.plan.subject() {
        PlanSubject::Catalogue => runs(&record.plan),
        PlanSubject::Blocks => format!("{} of {}", plural(record.runs.len() as u64, "run"), blocks::extent(record)),
        PlanSubject::Io | PlanSubject::Load | PlanSubject::Streams => plural(record.runs.len() as u64, "run"),
    };
    lines.extend(paragraph("measured", INDENT, &format!("{}, {extent}", started(record)), width));
    lines
}

/// Start time to the minute; a status other than finished is among the warnings.
fn started(record: &Record) -> String {
    head::started(record).trim_end_matches(", finished").to_owned()
}

/// Processors, memory and storage in a sentence.
fn machine(host: &HostInventory) -> String {
    let model = host.cpu.model.clone().unwrap_or_else(|| "processors".to_owned());
    let processors = format!("{} x {model}", host.cpu.threads);
    let virtualised = host.virtualisation.clone();
    let limits = host.cgroup.cpu_quota.map(|quota| format!("limit of {} processors", number(quota)));
    let memory = memory(host.memory.total_bytes);
    list([Some(processors), virtualised, limits, Some(memory), Some(storage_place(host))].into_iter().flatten())
}

/// The tables with the results of this kind of record.
fn sheets(record: &Record, style: Style, width: usize) -> Vec<storage::Part> {
    let table = |table: Table| if table.is_empty() { Vec::new() } else { table.lines(style, width) };
    match record.plan.subject() {
        PlanSubject::Catalogue if record.runs.is_empty() => Vec::new(),
        PlanSubject::Catalogue => {
            let mut parts = vec![("", sheet(record, style, width))];
            // The answer of a search is the summary.
            if record.plan.until.is_none() {
                parts.extend(load_curve::parts(record, style, width));
            }
            parts
        }
        PlanSubject::Io => storage::short(record, style, width),
        PlanSubject::Blocks => vec![("SLOB-STYLE SUMMARY", table(blocks::line(record)))],
        PlanSubject::Load => vec![("RATES", table(load::rates(record)))],
        PlanSubject::Streams => vec![("RATES", table(streams::rates(record)))],
    }
}

/// One line for each test, by layer, and the legend.
fn sheet(record: &Record, style: Style, width: usize) -> Vec<String> {
    let whole = model::sheet(record);
    let (shown, hidden) = rows(&whole);
    let (body, heads) = table(record, &shown, width);
    let mut rows = body.lines(style, width);
    let mut lines: Vec<String> = rows.drain(..heads.min(rows.len())).collect();
    let mut rows = rows.into_iter();
    for (layer, name) in LAYERS {
        let count = shown.iter().filter(|line| line.layer == layer).count();
        lines.extend((count > 0).then(|| section(name, style, width)));
        lines.extend(rows.by_ref().take(count));
    }
    if hidden > 0 {
        lines.push(format!("and {} (--details)", plural(hidden as u64, "more test")));
    }
    let mut legend = vec![MARKS];
    if shown.iter().any(|line| line.best.as_ref().is_some_and(|best| best.ceiling.is_some())) {
        legend.push("C, M, S: bare CPU, memory, storage; ceil.: share of what these reach");
    }
    lines.extend(legend.iter().flat_map(|text| spaced(text, 0, width)).map(|line| style.paint(&line, Ink::Aside)));
    lines
}

/// The rows of a sheet that are shown, and how many are not.
fn rows(sheet: &Sheet) -> (Vec<&Line>, usize) {
    let matters = |line: &&Line| line.best.is_none() || QUICK_TESTS.contains(&line.test.as_str());
    let mut shown: Vec<&Line> = sheet.lines.iter().collect();
    if shown.len() > ROWS_MAX && shown.iter().any(matters) {
        shown.retain(matters);
    }
    shown.truncate(ROWS_MAX);
    let place = |line: &&Line| LAYERS.iter().position(|(layer, _)| *layer == line.layer);
    shown.sort_by_key(place);
    let hidden = sheet.lines.len() - shown.len();
    (shown, hidden)
}

/// The table of the rows, and the lines of its headings.
fn table(record: &Record, lines: &[&Line], width: usize) -> (Table, usize) {
    let wide = width >= WIDTH_ALL;
    let limits = Limits::of(record);
    let has_limit = wide && lines.iter().any(|line| !limits.word(record, line).is_empty());
    let heads: [(Head, bool); 10] = [
        ((&["test"], Align::Left), true),
        ((&[""], Align::Left), true),
        ((&["unit"], Align::Left), true),
        ((&["1 job"], Align::Right), wide),
        ((&["best"], Align::Right), true),
        ((&["jobs"], Align::Right), true),
        ((&["p99"], Align::Right), true),
        ((&["ceil."], Align::Right), wide),
        ((&["limit"], Align::Left), has_limit),
        ((&[""], Align::Left), true),
    ];
    let cells: Vec<Vec<String>> = lines.iter().map(|line| cells(record, line, &limits)).collect();
    let widest = |index: usize| {
        let heading = heads[index].0.0[0].chars().count();
        cells.iter().map(|cells| cells[index].chars().count()).max().unwrap_or(0).max(heading)
    };
    let others: usize =
        (0..heads.len()).filter(|index| *index != 1 && heads[*index].1).map(|index| widest(index) + 1).sum();
    let title_width = width.saturating_sub(others).max(8);
    let kept: Vec<Head> = heads.iter().filter(|(_, is_shown)| *is_shown).map(|(head, _)| *head).collect();
    let mut table = Table::new(&kept, &[]);
    for (line, mut cells) in lines.iter().zip(cells) {
        cells[1] = cut(&cells[1], title_width);
        let shown = cells.into_iter().zip(&heads).filter(|(_, (_, is_shown))| *is_shown).map(|(cell, _)| cell);
        let ink = if line.is_invalid() { Some(Ink::Invalid) } else { Ink::of(line.verdict) };
        table.push(shown.collect(), ink);
    }
    (table, 1)
}

/// The jobs of a run, in a column of that name: `4`; `2 thr` are two threads of one session, `2x8` eight jobs on two nodes.
fn workers(of: Dop, sweep: Sweep) -> String {
    match of {
        Dop { nodes: 1, jobs, .. } if sweep == Sweep::Jobs => jobs.to_string(),
        Dop { nodes: 1, jobs: 1, threads } => format!("{threads} thr"),
        Dop { nodes, jobs, .. } if sweep == Sweep::Jobs => format!("{nodes}x{jobs}"),
        _ => dop(of, sweep),
    }
}

fn cells(record: &Record, line: &Line, limits: &Limits) -> Vec<String> {
    let best = line.best.as_ref();
    let rate = |point: &model::Point| number(point.operations_per_second.0);
    let verdict = match best {
        None => Verdict::Fail,
        Some(_) if line.gains_beyond_its_workers() => line.verdict.max(Verdict::Warn),
        Some(_) => line.verdict,
    };
    vec![
        cut(&clean(&line.test), INDENT),
        clean(title(line)),
        unit_per_second(line.unit).to_owned(),
        line.speed.as_ref().map_or_else(|| UNKNOWN.to_owned(), rate),
        best.map_or_else(|| UNKNOWN.to_owned(), rate),
        best.map_or_else(String::new, |best| workers(best.dop, line.sweep)),
        time(best.and_then(|best| best.service).and_then(|service| service.p99_ns)),
        best.and_then(|best| best.ceiling.as_ref()).map_or_else(String::new, |limit| percent(limit.efficiency)),
        limits.word(record, line),
        mark(verdict).to_owned(),
    ]
}

/// The limits of the best runs.
struct Limits {
    capacities: Capacities,
}

impl Limits {
    fn of(record: &Record) -> Limits {
        Limits { capacities: Capacities::of(record) }
    }

    /// The limit of the best run of `line` in a word; empty for a probe, and where nothing is known.
    fn word(&self, record: &Record, line: &Line) -> String {
        let best = line.best.as_ref().filter(|_| !line.is_probe);
        let run = best.and_then(|best| record.runs.iter().find(|run| run.number == best.run));
        let found = run.and_then(|run| self.capacities.attribute(run));
        found.map_or_else(String::new, |found| limit_word(&found).to_owned())
    }
}

fn warnings(record: &Record, style: Style, width: usize) -> Vec<String> {
    match record.plan.subject() {
        PlanSubject::Io => storage::main_warnings(record, WARNINGS_MAX, style, width),
        _ => findings::main_findings(record, WARNINGS_MAX, style, width),
    }
}

/// Tests without a run, the paths, and the commands that lead on.
fn last_lines(record: &Record, shown: &ShortText<'_>, width: usize) -> Vec<String> {
    let skipped = list(record.plan.skipped.iter().map(|skipped| clean(&skipped.test)));
    let mut lines = match skipped.is_empty() {
        true => Vec::new(),
        false => paragraph("skipped", next::INDENT, &format!("{skipped} (why: --details)"), width),
    };
    lines.extend(next::labelled("record", &clean(shown.path), width));
    lines.extend(shown.page.into_iter().flat_map(|page| next::labelled("page", &clean(page), width)));
    let word = next::word(shown.path);
    lines.extend(next::command("details", "dbdyno report", &word, "--details", width));
    let (label, verb, operand) = next_command(record, &word);
    lines.extend(next::command(label, verb, &operand, "", width));
    lines
}

/// The next useful command for the record `word`: to finish it, to measure with windows that hold, or to compare. A label,
/// the verb with its options, and an operand.
fn next_command(record: &Record, word: &str) -> (&'static str, &'static str, String) {
    let plan = &record.plan;
    let is_catalogue = plan.subject() == PlanSubject::Catalogue;
    let is_unfinished = record.status != Status::Finished || record.runs.len() < plan.runs.len();
    match plan.preset {
        _ if is_unfinished && is_catalogue => ("resume", "dbdyno run --resume", word.to_owned()),
        Preset::Smoke | Preset::Quick if is_catalogue && plan.until.is_none() => {
            let target = format!("--target {}", next::word(&plan.target));
            ("next", "dbdyno run --preset standard --repeats 6", target)
        }
        _ if plan.subject() == PlanSubject::Io && model::calibration(record).is_none() && plan.until.is_none() => {
            ("next", "dbdyno calibrate", String::new())
        }
        _ => ("next", "dbdyno compare", format!("{word} OTHER.jsonl")),
    }
}
