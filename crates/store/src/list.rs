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

use crate::error::{Error, Result};
use crate::fold::{Folded, Numbered};
use crate::name::{FILE_PREFIX, is_record_name};
use crate::parse::{Fields, Reading, VERSION_FIELD, all_processors, parse_file};
use crate::read::{READ, open};
use crate::validate;

/// Bytes at the start of a file that decide whether it was a record.
const START_BYTES: u64 = 4096;

/// A file that is a record, or should be one.
#[derive(Debug)]
pub struct Entry {
    /// Its path.
    pub path: PathBuf,
    /// Its summary, or why it cannot be read.
    pub content: Result<Summary>,
}

/// Summary of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Its name.
    pub id: String,
    /// Its start.
    pub started_at: Timestamp,
    /// Its status.
    pub status: Status,
    /// The version of dbdyno that wrote it.
    pub tool: String,
    /// The engine and its version; absent if only probes were run.
    pub engine: Option<String>,
    /// Codes of the tests in the plan, in ascending order.
    pub tests: Vec<String>,
    /// Number of runs.
    pub runs: usize,
    /// Number of planned runs.
    pub runs_planned: usize,
}

/// A run that is only counted.
#[derive(Deserialize)]
struct Counted {
    number: u32,
}

impl Numbered for Counted {
    fn number(&self) -> u32 {
        self.number
    }

    /// Reads only the number, from a line as written by dbdyno. A line with zero bytes is incomplete.
    fn peek(line: &[u8]) -> Option<Counted> {
        let number = line.strip_prefix(b"{\"run\":{\"number\":")?;
        let digits = number.iter().position(|byte| !byte.is_ascii_digit())?;
        let number = std::str::from_utf8(&number[..digits]).ok()?.parse().ok()?;
        let is_complete = line.ends_with(b"}}\n") && memchr::memchr(0, line).is_none();
        is_complete.then_some(Counted { number })
    }
}

impl Summary {
    /// The summary of the record at `path`. Its runs are only counted.
    fn read(path: &Path) -> Result<Summary> {
        let file = open(path, &READ)?;
        // One worker: other files are read in parallel.
        let reading = Reading { fields: Fields::NoSeries, workers: 1, check: &|_: &mut Counted| Ok(()) };
        let (Folded { record, runs, .. }, _) = parse_file(path, &file, &reading)?;
        // An invalid date cannot be sorted.
        validate::date("started_at", &record.started_at)
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
    /// One line: file, start, status, runs, engine, version of dbdyno, tests; or why it cannot be read.
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

/// The records of `directory` (without subdirectories), the newest first, damaged ones last. Files with other names
/// that are not records, and exported records, are not listed.
///
/// # Errors
/// [`Error::List`] where the directory itself cannot be read; a damaged file is an [`Entry`].
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
    entries.sort_by(|one, other| start(other).cmp(&start(one)).then_with(|| one.path.cmp(&other.path)));
    Ok(entries)
}

/// The files of `directory` that may be records by their names, in no order.
///
/// # Errors
/// [`Error::List`] where the directory cannot be read.
pub fn candidates(directory: &Path) -> Result<Vec<PathBuf>> {
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

/// The entry of a file; none if it is not a record.
fn entry(path: &Path) -> Option<Entry> {
    let content = Summary::read(path);
    let is_listed = content.as_ref().err().is_none_or(|error| should_be_a_record(path, error));
    is_listed.then(|| Entry { path: path.to_owned(), content })
}

/// Whether the file at `path`, which cannot be read for `error`, should be a record: it has the name of one, or was
/// one. Exports are often in the same directory.
pub fn should_be_a_record(path: &Path, error: &Error) -> bool {
    let has_prefix = path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(FILE_PREFIX));
    match error {
        Error::NotARecord { .. } | Error::ReadTarget { .. } | Error::Document { .. } => has_prefix,
        Error::Truncated { .. } => has_prefix || was_a_record(path),
        _ => true,
    }
}

/// Whether a file that is truncated in its first line starts like a record.
fn was_a_record(path: &Path) -> bool {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(START_BYTES).read_to_end(&mut bytes));
    read.is_ok() && bytes.windows(VERSION_FIELD.len()).any(|part| part == VERSION_FIELD)
}

/// The start of the record; `None`, which sorts first, for a damaged one.
fn start(entry: &Entry) -> Option<&Timestamp> {
    entry.content.as_ref().ok().map(|summary| &summary.started_at)
}
