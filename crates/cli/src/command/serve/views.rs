//! The pages of the server: those of `report`, `compare` and `history`, and of the list that leads to them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::archive::choices;
use model::history::{HistoryQuery, history_entry};
use model::{PriceBook, System};
use record::Record;
use report::{ListView, Listed, LiveRecord, Place, SideView, Unread};
use run::{Error, Fault, Result};
use serve::{
    Depth, Item, ListPage, LiveItem, Medium, PlanQuery, Problem, ProblemKind, Rendered, Snapshot, Source, Views,
};

use super::planning;
use crate::command::{compare, report::read_for_page};
use crate::page::sheet_of;
use crate::subject::{self, unreadable};

/// The pages of the records in a directory.
pub struct RecordViews {
    directory: String,
}

impl RecordViews {
    /// Those of `directory`.
    pub fn new(directory: &Path) -> RecordViews {
        RecordViews { directory: directory.display().to_string() }
    }
}

impl Views for RecordViews {
    fn list(&self, page: &ListPage<'_>) -> String {
        let snapshot = page.snapshot;
        let (engines, hosts) = choices(snapshot.items.iter().map(|item| &item.entry));
        let tags: BTreeSet<&str> = snapshot.notes.values().flat_map(|note| &note.tags).map(String::as_str).collect();
        // Only records without the six figures are shown with their results.
        let is_bare = |item: &Arc<Item>| item.entry.figures.iter().all(Option::is_none);
        let records: Vec<Option<Record>> =
            page.items.iter().map(|item| is_bare(item).then(|| item.record()).flatten()).collect();
        let view = ListView {
            place: place(page.medium, Depth::Root),
            directory: &self.directory,
            filter: page.filter,
            listed: with_records(page.items, &records, snapshot),
            found: page.found,
            pages: page.pages,
            engines: engines.into_iter().collect(),
            hosts: hosts.into_iter().collect(),
            tags: tags.into_iter().collect(),
            histories: &snapshot.histories,
            unread: unread(snapshot),
        };
        report::list(&view).html()
    }

    fn list_json(&self, snapshot: &Snapshot) -> String {
        let listed: Vec<Listed<'_>> = snapshot.items.iter().map(|item| listed(item, snapshot)).collect();
        report::archive_json(&listed, &unread(snapshot))
    }

    fn record(&self, item: &Item, medium: Medium) -> Rendered {
        let document = match &item.source {
            Source::Published(system) => report::system(system, None),
            Source::Record { path, .. } => {
                let record = read_for_page(path).map_err(|error| problem_of(error, path))?;
                sheet_of(&record, path, None, None)
            }
        };
        Ok(document.with_ways(place(medium, Depth::Below).ways()).html())
    }

    fn record_json(&self, item: &Item) -> Rendered {
        match &item.source {
            Source::Published(system) => {
                Err(Problem::refused(format!("{} was published and is no record\nhint: see its page", system.name)))
            }
            Source::Record { path, .. } => {
                let record = store::read(path).map_err(unreadable).map_err(|error| problem_of(error, path))?;
                Ok(report::json(&record))
            }
        }
    }

    fn compare(&self, items: &[Arc<Item>]) -> Rendered {
        let words: Vec<String> = items.iter().map(|item| words(item)).collect();
        let document = compare::document(&words).map_err(|error| problem_among(error, items))?;
        Ok(document.with_ways(Place::Served.ways()).html())
    }

    fn history(&self, query: &HistoryQuery, records: &mut dyn Iterator<Item = Record>, medium: Medium) -> Rendered {
        let entries: Vec<_> = records.filter_map(|record| history_entry(record, query)).collect();
        if entries.is_empty() {
            return Err(Problem::refused(format!("no record here has a plain run of test {}", query.test)));
        }
        let depth = if medium == Medium::File { Depth::Below } else { Depth::Root };
        Ok(report::history(entries, query).with_ways(place(medium, depth).ways()).html())
    }

    fn side(&self, items: &[Arc<Item>], tests: &[String]) -> Rendered {
        let (systems, prices) = systems(items).map_err(|error| problem_among(error, items))?;
        let ids: Vec<String> = items.iter().map(|item| item.id.clone()).collect();
        let view = SideView { ids: &ids, systems: &systems, prices: &prices, tests };
        Ok(report::side(&view).html())
    }

    fn plan(&self, query: &PlanQuery, may_be_made: bool) -> Rendered {
        planning::plan(query, may_be_made).map(|document| document.html()).map_err(|error| problem(&error))
    }

    fn live(&self, items: &[LiveItem]) -> [String; 2] {
        let records: Vec<LiveRecord<'_>> = items.iter().map(live_record).collect();
        let document = report::live(&records, &self.directory);
        [document.html(), document.content()]
    }

    fn note(&self, item: &Item, snapshot: &Snapshot, can_be_changed: bool) -> String {
        report::note_page(&listed(item, snapshot), can_be_changed).html()
    }

    fn problem(&self, message: &str, depth: Depth) -> String {
        report::problem(message, place(Medium::Served, depth)).html()
    }

    fn history_file(&self, test: &str) -> String {
        report::file_name(test)
    }
}

fn place(medium: Medium, depth: Depth) -> Place {
    match (medium, depth) {
        (Medium::Served, Depth::Root) => Place::Served,
        (Medium::Served, Depth::Below) => Place::ServedBelow,
        (Medium::File, Depth::Root) => Place::File,
        (Medium::File, Depth::Below) => Place::FileBelow,
    }
}

fn listed<'a>(item: &'a Item, snapshot: &'a Snapshot) -> Listed<'a> {
    Listed { id: &item.id, entry: &item.entry, record: None, note: snapshot.notes.get(&item.id) }
}

/// `items` with those of `records` that are there.
fn with_records<'a>(items: &'a [Arc<Item>], records: &'a [Option<Record>], snapshot: &'a Snapshot) -> Vec<Listed<'a>> {
    let of = |(item, record): (&'a Arc<Item>, &'a Option<Record>)| Listed {
        record: record.as_ref(),
        ..listed(item, snapshot)
    };
    items.iter().zip(records).map(of).collect()
}

fn live_record(live: &LiveItem) -> LiveRecord<'_> {
    let (id, entry) = (&live.item.id, &live.item.entry);
    LiveRecord { id, entry, record: &live.record, quiet_seconds: live.quiet_seconds }
}

fn unread(snapshot: &Snapshot) -> Vec<Unread<'_>> {
    snapshot.unread.iter().map(|(file, reason)| Unread { file, reason }).collect()
}

/// By which words an item is named on the command line.
fn words(item: &Item) -> String {
    match &item.source {
        Source::Record { path, .. } => path.display().to_string(),
        Source::Published(system) => system.name.clone(),
    }
}

/// The systems of `items` and the price book of each: a published one, or that beside the record.
fn systems(items: &[Arc<Item>]) -> Result<(Vec<System>, Vec<Option<PriceBook>>)> {
    let words: Vec<String> = items.iter().map(|item| words(item)).collect();
    let systems = compare::systems(&words)?;
    let book = |(item, system): (&Arc<Item>, &System)| match &item.source {
        Source::Record { path, .. } => {
            let beside: PathBuf = path.with_extension("prices.toml");
            beside.is_file().then(|| subject::price_book(&beside)).transpose()
        }
        Source::Published(_) => Ok(system.price.clone()),
    };
    let prices = items.iter().zip(&systems).map(book).collect::<Result<_>>()?;
    Ok((systems, prices))
}

fn problem(error: &Error) -> Problem {
    let kind = match error.fault {
        Fault::User => ProblemKind::Refused,
        Fault::Environment | Fault::Interrupted => ProblemKind::Failed,
    };
    Problem { kind, message: error.to_string() }
}

/// Why the record at `path` has no page: it may have vanished.
fn problem_of(error: Error, path: &Path) -> Problem {
    let kind = if path.exists() { problem(&error).kind } else { ProblemKind::Gone };
    Problem { kind, message: error.to_string() }
}

/// The same of several records.
fn problem_among(error: Error, items: &[Arc<Item>]) -> Problem {
    let is_gone = |item: &Arc<Item>| matches!(&item.source, Source::Record { path, .. } if !path.exists());
    let kind = if items.iter().any(is_gone) { ProblemKind::Gone } else { problem(&error).kind };
    Problem { kind, message: error.to_string() }
}
