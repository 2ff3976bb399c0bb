//! The records of a directory.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use record::{Record, Status, Timestamp};
use serde::Deserialize;

use crate::directory::{FILE_PREFIX, is_record_name};
use crate::error::{Error, Result};
use crate::fold::{Folded, Numbered};
use crate::gather::{Fields, Reading, VERSION_FIELD, all_processors, gather};
use crate::possible;
use crate::read::{READ, open};

/// Bytes of a file in which is looked whether it was a record.
const BEGIN_BYTES: u64 = 4096;

/// A file that is a record, or should be one.
#[derive(Debug)]
pub struct Entry {
    /// Where it lies.
    pub path: PathBuf,
    /// What it holds, or why it cannot be read.
    pub content: Result<Summary>,
}

/// What a record is about, in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Its name.
    pub id: String,
    /// When it was begun.
    pub started_at: Timestamp,
    /// How far it came.
    pub status: Status,
    /// The version of dbdyno that wrote it.
    pub tool: String,
    /// The engine and its version; absent where only probes were run.
    pub engine: Option<String>,
    /// Codes of the tests in the plan, in ascending order.
    pub tests: Vec<String>,
    /// Runs that are in it.
    pub runs: usize,
    /// Runs that were planned.
    pub runs_planned: usize,
}

/// A run that is counted and not looked at.
#[derive(Deserialize)]
struct Counted {
    number: u32,
}

impl Numbered for Counted {
    fn number(&self) -> u32 {
        self.number
    }

    /// Of a line as dbdyno writes it, the number alone. One with zero bytes was not written as a whole.
    fn glimpse(line: &[u8]) -> Option<Counted> {
        let number = line.strip_prefix(b"{\"run\":{\"number\":")?;
        let digits = number.iter().position(|byte| !byte.is_ascii_digit())?;
        let number = std::str::from_utf8(&number[..digits]).ok()?.parse().ok()?;
        let is_whole = line.ends_with(b"}}\n") && memchr::memchr(0, line).is_none();
        is_whole.then_some(Counted { number })
    }
}

impl Summary {
    /// The summary of the record at `path`. Its runs are counted and not looked at.
    fn read(path: &Path) -> Result<Summary> {
        let file = open(path, &READ)?;
        // Other files are read meanwhile.
        let reading = Reading { fields: Fields::NoSeries, workers: 1, look: &|_: &mut Counted| Ok(()) };
        let (Folded { record, runs, .. }, _) = gather(path, &file, &reading)?;
        // A date that is none cannot be put in order.
        possible::date("started_at", &record.started_at)
            .map_err(|reason| Error::Impossible { path: path.to_owned(), reason })?;
        Ok(Summary { runs: runs.len(), ..Summary::of(&record) })
    }

    /// The summary of `record`.
    pub fn of(record: &Record) -> Summary {
        let tests: BTreeSet<&String> = record.plan.runs.iter().map(|run| &run.test).collect();
        Summary {
            id: record.id.clone(),
            started_at: record.started_at.clone(),
            status: record.status,
            tool: record.tool.version.clone(),
            engine: record.engine.as_ref().map(|engine| format!("{} {}", engine.title, engine.version)),
            tests: tests.into_iter().cloned().collect(),
            runs: record.runs.len(),
            runs_planned: record.plan.runs.len(),
        }
    }
}

impl fmt::Display for Entry {
    /// One line: the file, when it was begun, how far it came, how many runs of which tests, the engine, the version of
    /// dbdyno. Of a broken one, why it is broken.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let summary = match &self.content {
            Ok(summary) => summary,
            Err(error) => return write!(formatter, "{}  broken: {error}", self.path.display()),
        };
        let status = match summary.status {
            Status::Running => "unfinished",
            Status::Finished => "finished",
            Status::Interrupted => "interrupted",
            Status::Failed => "failed",
        };
        let (path, started_at) = (self.path.display(), &summary.started_at);
        let engine = summary.engine.as_deref().unwrap_or("probes only");
        let (runs, planned, tool) = (summary.runs, summary.runs_planned, &summary.tool);
        write!(formatter, "{path}  {started_at}  {status:<11}  {runs}/{planned} runs  {engine}  dbdyno {tool}  ")?;
        match summary.tests.as_slice() {
            [] => write!(formatter, "no tests"),
            tests @ ([_] | [_, _] | [_, _, _]) => write!(formatter, "{}", tests.join(" ")),
            [first, .., last] => write!(formatter, "{} tests, {first} to {last}", summary.tests.len()),
        }
    }
}

/// The records of `directory` (not of directories below it), the newest first, broken ones last. A JSON file of
/// another name that is no record at all, nor was one before it was damaged, is somebody else's and not listed, nor is a
/// record that was exported.
///
/// # Errors
/// [`Error::List`] where the directory itself cannot be read; a broken file is an [`Entry`].
pub fn list(directory: &Path) -> Result<Vec<Entry>> {
    let paths = candidates(directory)?;
    let next = AtomicUsize::new(0);
    let work = || {
        let mut entries = Vec::new();
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            entries.extend(entry(path));
        }
        entries
    };
    let mut entries: Vec<Entry> = thread::scope(|scope| {
        let workers: Vec<_> = (0..all_processors()).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
    });
    entries.sort_by(|one, other| begun(other).cmp(&begun(one)).then_with(|| one.path.cmp(&other.path)));
    Ok(entries)
}

/// The files of `directory` that may be records by their names.
fn candidates(directory: &Path) -> Result<Vec<PathBuf>> {
    let refused = |cause| Error::List { path: directory.to_owned(), cause };
    let mut paths = Vec::new();
    for entry in fs::read_dir(directory).map_err(refused)? {
        let path = entry.map_err(refused)?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if name.is_some_and(|name| !name.starts_with('.') && is_record_name(name)) {
            paths.push(path);
        }
    }
    Ok(paths)
}

/// The entry of a file; none where it is somebody else's.
fn entry(path: &Path) -> Option<Entry> {
    let ours = path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(FILE_PREFIX));
    match Summary::read(path) {
        // An export lies beside its record.
        Err(Error::NotARecord { .. } | Error::ReadTarget { .. } | Error::Document { .. }) if !ours => None,
        Err(Error::Truncated { .. }) if !ours && !was_a_record(path) => None,
        content => Some(Entry { path: path.to_owned(), content }),
    }
}

/// Whether a file that is cut in its first line begins as a record does.
fn was_a_record(path: &Path) -> bool {
    let mut begin = Vec::new();
    let read = File::open(path).and_then(|file| file.take(BEGIN_BYTES).read_to_end(&mut begin));
    read.is_ok() && begin.windows(VERSION_FIELD.len()).any(|part| part == VERSION_FIELD)
}

/// When the record was begun; `None`, which is the least, for a broken one.
fn begun(entry: &Entry) -> Option<&Timestamp> {
    entry.content.as_ref().ok().map(|summary| &summary.started_at)
}
