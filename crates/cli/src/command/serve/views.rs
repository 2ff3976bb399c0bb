//! The pages of the server: those of `report`, `compare` and `history`, and of the list that leads to them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::archive::choices;
use model::history::history_entry;
use model::{PriceBook, System};
use record::Record;
use report::{HistoryNow, ListView, Listed, LiveRecord, LiveView, Place, SideView, Unread};
use run::{Error, Fault, Result};
use serve::{
    Depth, HistoryPage, Item, ListPage, LiveItem, Medium, PlanQuery, Problem, ProblemKind, Rendered, Snapshot, Source,
    Views,
};

use super::histories::Histories;
use super::planning;
use super::running::Runner;
use crate::command::{compare, report::read_for_page};
use crate::page::sheet_named;
use crate::subject::{self, unreadable};

/// The pages of the records in a directory.
pub struct RecordViews {
    /// What the directory is called.
    directory: String,
    /// The histories of monitors in it.
    histories: Histories,
    /// What carries out runs; absent where none may be started.
    runner: Option<Arc<Runner>>,
    /// Whether records are called by the names of their files alone.
    hides_paths: bool,
}

impl RecordViews {
    /// Those of `directory`.
    pub fn new(directory: &Path) -> RecordViews {
        RecordViews {
            directory: directory.display().to_string(),
            histories: Histories::new(directory),
            runner: None,
            hides_paths: false,
        }
    }

    /// The same with the runs of `runner`.
    pub fn with_runner(self, runner: Option<Arc<Runner>>) -> RecordViews {
        RecordViews { runner, ..self }
    }

    /// Those of a directory whose place is nobody's business.
    pub fn without_paths(directory: &Path) -> RecordViews {
        RecordViews { directory: "records".to_owned(), hides_paths: true, ..RecordViews::new(directory) }
    }

    /// What the file at `path` is called.
    fn shown(&self, path: &Path) -> String {
        match path.file_name().filter(|_| self.hides_paths) {
            Some(name) => name.to_string_lossy().into_owned(),
            None => path.display().to_string(),
        }
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
            listed: with_records(page, &records),
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
                sheet_named(&record, path, &self.shown(path), None, None)
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

    fn compare(&self, items: &[Arc<Item>], medium: Medium) -> Rendered {
        let words: Vec<String> = items.iter().map(|item| words(item)).collect();
        let document = compare::document(&words).map_err(|error| problem_among(error, items))?;
        Ok(document.with_ways(place(medium, depth_of(medium)).ways()).html())
    }

    fn history(&self, page: &HistoryPage<'_>, records: &mut dyn Iterator<Item = Record>) -> Rendered {
        let query = page.query;
        let entries: Vec<_> = records.filter_map(|record| history_entry(record, query)).collect();
        if entries.is_empty() {
            return Err(Problem::refused(format!("no record here has a plain run of test {}", query.test)));
        }
        let place = place(page.medium, depth_of(page.medium));
        let document = report::history(entries, query).with_ways(place.ways());
        Ok(match page.medium {
            Medium::Served => report::history_choice(document, query, page.hosts, page.host).html(),
            Medium::File => document.html(),
        })
    }

    fn side(&self, items: &[Arc<Item>], tests: &[String]) -> Rendered {
        let (systems, prices) = systems(items).map_err(|error| problem_among(error, items))?;
        let ids: Vec<String> = items.iter().map(|item| item.id.clone()).collect();
        let view = SideView { ids: &ids, systems: &systems, prices: &prices, tests };
        Ok(report::side(&view).html())
    }

    fn plan(&self, query: &PlanQuery, may_be_made: bool) -> Rendered {
        let listed = self.runner.as_ref().map(|runner| runner.targets());
        planning::plan(query, may_be_made, listed).map(|document| document.html()).map_err(|error| problem(&error))
    }

    fn live(&self, items: &[LiveItem]) -> [String; 2] {
        let records: Vec<LiveRecord<'_>> = items.iter().map(live_record).collect();
        let histories = self.histories.now();
        let histories: Vec<HistoryNow<'_>> = histories
            .iter()
            .map(|(file, read)| HistoryNow {
                file,
                is_written: read.is_written,
                targets: read.targets.as_deref().map_err(String::as_str),
            })
            .collect();
        let run = self.runner.as_ref().and_then(|runner| runner.now());
        let document = report::live(&LiveView {
            directory: &self.directory,
            records: &records,
            histories: &histories,
            may_run: self.runner.is_some(),
            run: run.as_ref(),
        });
        [document.html(), document.content()]
    }

    fn month(&self, history: &str, target: &str, month: &str) -> Rendered {
        let month = self.histories.month(history, target, month).map_err(|error| problem(&error))?;
        Ok(report::month(&month).with_ways(Place::Served.ways()).html())
    }

    fn note(&self, item: &Item, snapshot: &Snapshot, can_be_changed: bool) -> String {
        report::note_page(&listed(item, snapshot), can_be_changed).html()
    }

    fn problem(&self, message: &str, medium: Medium, depth: Depth) -> String {
        report::problem(message, place(medium, depth)).html()
    }

    fn history_file(&self, test: &str) -> String {
        report::file_name(test)
    }
}

/// Where comparisons and histories are: their queries are at the root, their files in folders.
fn depth_of(medium: Medium) -> Depth {
    if medium == Medium::File { Depth::Below } else { Depth::Root }
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
    Listed { id: &item.id, entry: &item.entry, record: None, note: snapshot.notes.get(&item.id), before: None }
}

/// The items of `page` with those of `records` that are there, and with what is before each.
fn with_records<'a>(page: &ListPage<'a>, records: &'a [Option<Record>]) -> Vec<Listed<'a>> {
    let snapshot = page.snapshot;
    let of = |(item, record): (&'a Arc<Item>, &'a Option<Record>)| {
        let place = snapshot.place(item).filter(|place| *place < page.compared_max);
        let before = place.and_then(|place| snapshot.before(place)).map(|before| before.id.as_str());
        Listed { record: record.as_ref(), before, ..listed(item, snapshot) }
    };
    page.items.iter().zip(records).map(of).collect()
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
