//! The list of an archive.

use std::collections::BTreeMap;

use model::archive::{ARCHIVE_TESTS, ArchiveEntry, ArchiveFilter, ArchiveOrigin, Shown};
use record::{Note, Preset, Record, SCHEMA_VERSION, Status};
use serde_json::{Value, json};
use tables::archive::{ARCHIVE_FIGURES, ArchiveRow, columns};

use super::place::{Place, encoded};
use crate::document::{Block, Cell, Column, Document, Field, Form, Pick, Row, Section, Table, Text, Tone, drawn_by};
use crate::summary::results;
use crate::verdict::verdict_cell;
use crate::view::View;
use crate::words::{dop_text, list as comma_list, plural, preset, status};

/// The form that compares what is checked.
const COMPARE: &str = "compare";

/// What the columns are, in a sentence.
const ABOUT: &str = "The best rate of six tests, from the bare machine to the whole database, each with the verdict on \
                     the test. Figures are comparable as far as a comparison says so; what was published has no verdict.";

/// An entry of the list.
#[derive(Clone, Copy)]
pub struct Listed<'a> {
    /// What it is found by.
    pub id: &'a str,
    /// Its figures.
    pub entry: &'a ArchiveEntry,
    /// The record; absent for a published system.
    pub record: Option<&'a Record>,
    /// What somebody noted about it.
    pub note: Option<&'a Note>,
    /// What the record before it on the same host and target is found by.
    pub before: Option<&'a str>,
}

/// A file that should be a record and cannot be read.
#[derive(Clone, Copy)]
pub struct Unread<'a> {
    /// Its name.
    pub file: &'a str,
    /// Why.
    pub reason: &'a str,
}

/// A page of the list.
pub struct ListView<'a> {
    /// Where it is.
    pub place: Place,
    /// The directory, as it was named.
    pub directory: &'a str,
    /// What is looked for.
    pub filter: &'a ArchiveFilter,
    /// The entries of this page.
    pub listed: Vec<Listed<'a>>,
    /// How many there are on all pages.
    pub found: usize,
    /// This page and the last one, counted from 1.
    pub pages: (usize, usize),
    /// The engines that can be chosen.
    pub engines: Vec<&'a str>,
    /// The hosts that can be chosen.
    pub hosts: Vec<&'a str>,
    /// The tags that can be chosen.
    pub tags: Vec<&'a str>,
    /// The tests that have histories, with the number of records.
    pub histories: &'a BTreeMap<String, usize>,
    /// Files that cannot be read.
    pub unread: Vec<Unread<'a>>,
}

/// The list as a page.
pub fn list(view: &ListView<'_>) -> Document {
    let sections = vec![
        Section::new("records", "Records", records(view)),
        Section::new("unread", "Files that cannot be read", unread(&view.unread)),
        Section::new("histories", "Histories", histories(view)),
    ];
    let count = if view.found == 1 { "1 entry".to_owned() } else { format!("{} entries", view.found) };
    Document {
        subtitle: format!("{count} of {}", view.directory),
        foot: vec![drawn_by()],
        ..Document::new("dbdyno: records", sections)
    }
    .with_ways(view.place.ways())
}

fn records(view: &ListView<'_>) -> Vec<Block> {
    let is_served = view.place.is_served();
    let mut blocks = Vec::new();
    blocks.extend(is_served.then(|| Block::Form(filter(view))));
    if view.listed.is_empty() {
        blocks.push(Block::text("Nothing is found. `dbdyno run` makes a record."));
        return blocks;
    }
    blocks.extend(is_served.then(|| Block::Form(compare())));
    blocks.push(Block::Table(table(view)));
    blocks.extend(pages(view).map(Block::Text));
    blocks.push(Block::aside(ABOUT));
    blocks
}

/// The form that finds entries.
fn filter(view: &ListView<'_>) -> Form {
    let any = |words: &str| (String::new(), words.to_owned());
    let some = |any: (String, String), values: &[&str]| {
        std::iter::once(any).chain(values.iter().map(|value| ((*value).to_owned(), (*value).to_owned()))).collect()
    };
    let presets = Preset::ALL.map(preset);
    let shown = [("", "all"), ("measured", "records"), ("published", "published systems")];
    let wanted = view.filter;
    let mut fields = vec![
        Field::Line { name: "text", label: "Words", value: wanted.text.clone() },
        Field::One {
            name: "engine",
            label: "Engine",
            values: some(any("any engine"), &view.engines),
            chosen: wanted.engine.clone(),
        },
        Field::One {
            name: "host",
            label: "Host",
            values: some(any("any host"), &view.hosts),
            chosen: wanted.host.clone(),
        },
        Field::One {
            name: "preset",
            label: "Preset",
            values: some(any("any preset"), &presets),
            chosen: wanted.preset.map_or("", preset).to_owned(),
        },
        Field::One {
            name: "shown",
            label: "Show",
            values: shown.map(|(value, words)| (value.to_owned(), words.to_owned())).to_vec(),
            chosen: shown_word(wanted.shown).to_owned(),
        },
    ];
    if !view.tags.is_empty() || !wanted.tag.is_empty() {
        fields.push(Field::One {
            name: "tag",
            label: "Tag",
            values: some(any("any tag"), &view.tags),
            chosen: wanted.tag.clone(),
        });
    }
    Form { id: "filter", action: view.place.list(), is_post: false, fields, button: "Find" }
}

fn shown_word(shown: Shown) -> &'static str {
    match shown {
        Shown::All => "",
        Shown::Measured => "measured",
        Shown::Published => "published",
    }
}

/// The form of the check boxes.
fn compare() -> Form {
    let values = vec![
        ("compare".to_owned(), "compare, the first is the base".to_owned()),
        ("side".to_owned(), "put side by side".to_owned()),
    ];
    let as_what = Field::One { name: "as", label: "What is checked", values, chosen: "compare".to_owned() };
    Form { id: COMPARE, action: "compare".to_owned(), is_post: false, fields: vec![as_what], button: "Show" }
}

fn table(view: &ListView<'_>) -> Table {
    let rows = view.listed.iter().map(|listed| ArchiveRow { entry: listed.entry, tags: tags(listed) });
    let keys = ["started_at", "host", "engine", "preset"];
    let has_fleet =
        view.listed.iter().any(|listed| matches!(listed.entry.origin, ArchiveOrigin::Measured { agents: Some(_), .. }));
    let has_tags = view.listed.iter().any(|listed| !tags(listed).is_empty());
    let figures = ARCHIVE_FIGURES.iter().flat_map(|(figure, _, _, verdict)| [*figure, *verdict]);
    let (fleet, tagged) = (has_fleet.then_some("agents"), has_tags.then_some("tags"));
    let keys: Vec<&str> = keys.into_iter().chain(figures).chain(["target"]).chain(fleet).chain(tagged).collect();
    let mut table =
        with_verdicts(View::of(columns()).only(&keys)).table("list", "Records and published systems", rows, tone);
    // The first column names the entry and leads to it; beside it is the check box, which so is seen on a telephone, too.
    let has_before = view.listed.iter().any(|listed| listed.before.is_some());
    for (row, listed) in table.rows.iter_mut().zip(&view.listed) {
        row.cells[0] = Cell::Text(Text::link(moment(listed.entry), view.place.record(listed.id)));
        row.notes = notes(listed);
        if has_before {
            let comparison = |before| Text::link("against it", view.place.comparison(before, listed.id));
            row.cells.insert(1, Cell::Text(listed.before.map_or_else(Text::default, comparison)));
        }
        if view.place.is_served() {
            let label = format!("compare {}", listed.entry.name);
            let pick = Pick { form: COMPARE, name: "id", value: listed.id.to_owned(), label };
            row.cells.insert(1, Cell::Pick(pick));
            row.cells.push(Cell::Text(Text::link("note", view.place.note(listed.id))));
        }
    }
    if has_before {
        table.columns.insert(1, Column::text("the one before"));
    }
    if view.place.is_served() {
        table.columns.insert(1, Column::text("compare"));
        table.columns.push(Column::text("notes"));
    }
    table
}

/// When it was measured, to the second, or published.
fn moment(entry: &ArchiveEntry) -> String {
    match &entry.origin {
        ArchiveOrigin::Measured { started_at, .. } => {
            started_at.0.chars().take("2026-01-31T12:00:00".len()).collect::<String>().replace('T', " ")
        }
        ArchiveOrigin::Published { year } => format!("published {year}"),
    }
}

/// Verdicts as words in their role.
fn with_verdicts<'a>(view: View<ArchiveRow<'a>>) -> View<ArchiveRow<'a>> {
    fn cell<const PLACE: usize>(row: &ArchiveRow<'_>) -> Cell {
        let verdict = row.entry.figures[PLACE].and_then(|figure| figure.verdict);
        verdict.map_or_else(Cell::empty, verdict_cell)
    }
    let cells: [fn(&ArchiveRow<'a>) -> Cell; ARCHIVE_TESTS.len()] = [
        |row| cell::<0>(row),
        |row| cell::<1>(row),
        |row| cell::<2>(row),
        |row| cell::<3>(row),
        |row| cell::<4>(row),
        |row| cell::<5>(row),
    ];
    ARCHIVE_FIGURES
        .into_iter()
        .zip(cells)
        .fold(view, |view, ((_, group, _, key), cell)| view.words(key, (group, "verdict"), cell))
}

fn tags<'a>(listed: &Listed<'a>) -> &'a [String] {
    listed.note.map_or(&[], |note| note.tags.as_slice())
}

fn tone(row: &ArchiveRow<'_>) -> Tone {
    if row.entry.is_published() { Tone::Aside } else { Tone::Plain }
}

/// What else is known of an entry: its name, that it is not finished, the results of a record that has none of the six figures,
/// and what somebody noted.
fn notes(listed: &Listed<'_>) -> Vec<String> {
    let mut notes = vec![listed.entry.name.clone()];
    match &listed.entry.origin {
        ArchiveOrigin::Measured { status: Status::Finished, .. } => {}
        ArchiveOrigin::Measured { status: of, runs, runs_planned, .. } => {
            notes.push(format!("{}: {runs} of {runs_planned} runs", status(*of)));
        }
        ArchiveOrigin::Published { .. } => notes.push("published, not measured by dbdyno".to_owned()),
    }
    if listed.entry.figures.iter().all(Option::is_none) {
        notes.extend(listed.record.into_iter().flat_map(results));
    }
    notes.extend(listed.note.map(|note| note.text.clone()).filter(|text| !text.is_empty()));
    notes
}

/// Links to the other pages of a long list.
fn pages(view: &ListView<'_>) -> Option<Text> {
    let (page, last) = view.pages;
    if last < 2 {
        return None;
    }
    let to = |page: usize| format!("{}?{}page={page}", view.place.list(), query(view.filter));
    let mut text = Text::from(format!("Page {page} of {last}. "));
    for (words, other) in [("Newer", page.checked_sub(1)), ("Older", page.checked_add(1))] {
        if let Some(other) = other.filter(|other| (1..=last).contains(other)) {
            text.0.extend(Text::link(words, to(other)).0);
            text = text.plain(" ");
        }
    }
    Some(text)
}

/// The filter as the beginning of a query.
fn query(filter: &ArchiveFilter) -> String {
    let fields = [
        ("text", filter.text.as_str()),
        ("engine", &filter.engine),
        ("host", &filter.host),
        ("preset", filter.preset.map_or("", preset)),
        ("tag", &filter.tag),
        ("shown", shown_word(filter.shown)),
    ];
    let set = fields.into_iter().filter(|(_, value)| !value.is_empty());
    set.map(|(name, value)| format!("{name}={}&", encoded(value))).collect()
}

fn unread(unread: &[Unread<'_>]) -> Vec<Block> {
    let columns = vec![Column::text("file"), Column::text("why")];
    let row = |of: &Unread<'_>| Row::new(vec![Cell::text(of.file), Cell::text(of.reason)]).in_tone(Tone::Invalid);
    vec![Table::new("unread-files", "", columns).with(unread.iter().map(row)).into()]
}

fn histories(view: &ListView<'_>) -> Vec<Block> {
    let entry = |(test, count): (&String, &usize)| {
        let text = Text::link(test.as_str(), view.place.history(test));
        text.plain(format!(" in {}", plural(*count as u64, "record")))
    };
    let several: Vec<Text> = view.histories.iter().filter(|(_, count)| **count > 1).map(entry).collect();
    if several.is_empty() {
        return Vec::new();
    }
    vec![
        Block::aside("The throughput of a test from record to record on the same platform, and where it changed."),
        Block::List(several),
    ]
}

/// The entries of a list as JSON text: rates per second, with the verdict as a record has it.
pub fn archive_json(listed: &[Listed<'_>], unread: &[Unread<'_>]) -> String {
    let figure = |(test, figure): (&str, &Option<model::archive::ArchiveFigure>)| {
        let figure = (*figure)?;
        let at = figure.at.map(|(degree, sweep)| match degree.in_flight {
            Some(count) => format!("{count} in flight"),
            None => dop_text(degree.dop, sweep),
        });
        let value = json!({
            "per_second": figure.per_second, "unit": figure.unit, "at": at, "verdict": figure.verdict,
        });
        Some((test.to_owned(), value))
    };
    let entry = |listed: &Listed<'_>| {
        let entry = listed.entry;
        let figures = ARCHIVE_TESTS.into_iter().zip(&entry.figures).filter_map(figure);
        let mut value = json!({
            "id": listed.id, "name": entry.name, "engine": entry.engine, "tests": entry.tests,
            "figures": figures.collect::<serde_json::Map<_, _>>(),
            "tags": tags(listed), "note": listed.note.map_or("", |note| note.text.as_str()),
        });
        let origin = match &entry.origin {
            ArchiveOrigin::Measured { started_at, preset, agents, status, runs, runs_planned } => json!({
                "started_at": started_at, "host": entry.host, "target": entry.target, "preset": preset,
                "agents": agents, "status": status, "runs": runs, "runs_planned": runs_planned,
            }),
            ArchiveOrigin::Published { year } => json!({ "published": year }),
        };
        if let (Value::Object(value), Value::Object(origin)) = (&mut value, origin) {
            value.extend(origin);
        }
        value
    };
    let listed: Vec<Value> = listed.iter().map(entry).collect();
    let unread: Vec<Value> = unread.iter().map(|of| json!({ "file": of.file, "reason": of.reason })).collect();
    format!("{:#}\n", json!({ "schema_version": SCHEMA_VERSION, "records": listed, "unread": unread }))
}

/// The kinds of what an entry is, in a line: host, engine, preset.
pub(super) fn about(entry: &ArchiveEntry) -> String {
    let preset_word = match entry.origin {
        ArchiveOrigin::Measured { preset: of, .. } => format!("preset {}", preset(of)),
        ArchiveOrigin::Published { year } => format!("published {year}"),
    };
    comma_list([entry.host.clone(), entry.engine.clone(), preset_word])
}
