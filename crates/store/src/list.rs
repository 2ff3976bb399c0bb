//! The records of a directory.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use record::{Record, SCHEMA_VERSION, Status, Timestamp, Tool};
use serde::Deserialize;

use crate::directory::FILE_PREFIX;
use crate::error::{Error, Result};
use crate::gather::{REST_BYTES_MAX, Survey, survey};
use crate::possible;
use crate::read::{NO_VERSION, Version, open, read};

/// The field that every record begins with.
const VERSION_FIELD: &[u8] = b"\"schema_version\"";

/// Bytes that it is looked for in.
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
    pub begun_at: Timestamp,
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

/// What a summary needs of a record.
#[derive(Deserialize)]
struct Head {
    schema_version: u32,
    id: String,
    tool: Tool,
    begun_at: Timestamp,
    status: Status,
    plan: PlanHead,
    engine: Option<EngineHead>,
}

#[derive(Deserialize)]
struct PlanHead {
    runs: Vec<PlannedHead>,
}

#[derive(Deserialize)]
struct PlannedHead {
    test: String,
}

#[derive(Deserialize)]
struct EngineHead {
    title: String,
    version: String,
}

impl Summary {
    /// The summary of the record at `path`. Its runs are counted and not looked at.
    fn read(path: &Path) -> Result<Summary> {
        let (file, _) = open(path)?;
        let foreign = |reason: String| Err(Error::NotARecord { path: path.to_owned(), reason });
        match survey(file) {
            Survey::Foreign => {
                return foreign(format!("it is not an object with at most {REST_BYTES_MAX} bytes beside runs"));
            }
            Survey::Broken => (),
            Survey::Whole(runs, text) => {
                if let Ok(head) = serde_json::from_slice::<Head>(&text)
                    && head.schema_version == SCHEMA_VERSION
                    && possible::date("begun_at", &head.begun_at).is_ok()
                {
                    return Ok(head.summary(runs));
                }
                if let Ok(Version { schema_version: None }) = serde_json::from_slice(&text) {
                    return foreign(NO_VERSION.to_owned());
                }
            }
        }
        // Of another version, or broken, or of no date by which it could be put in order.
        read(path).map(|record| Summary::of(&record))
    }

    /// The summary of `record`.
    pub fn of(record: &Record) -> Summary {
        let planned = record.plan.runs.iter().map(|run| PlannedHead { test: run.test.clone() }).collect();
        let engine = record.engine.as_ref();
        let head = Head {
            schema_version: record.schema_version,
            id: record.id.clone(),
            tool: record.tool.clone(),
            begun_at: record.begun_at.clone(),
            status: record.status,
            plan: PlanHead { runs: planned },
            engine: engine.map(|engine| EngineHead { title: engine.title.clone(), version: engine.version.clone() }),
        };
        head.summary(record.runs.len())
    }
}

impl Head {
    fn summary(self, runs: usize) -> Summary {
        let runs_planned = self.plan.runs.len();
        let tests: BTreeSet<String> = self.plan.runs.into_iter().map(|run| run.test).collect();
        Summary {
            id: self.id,
            begun_at: self.begun_at,
            status: self.status,
            tool: self.tool.version,
            engine: self.engine.map(|engine| format!("{} {}", engine.title, engine.version)),
            tests: tests.into_iter().collect(),
            runs,
            runs_planned,
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
        let (path, begun_at) = (self.path.display(), &summary.begun_at);
        let engine = summary.engine.as_deref().unwrap_or("probes only");
        let (runs, planned, tool) = (summary.runs, summary.runs_planned, &summary.tool);
        write!(formatter, "{path}  {begun_at}  {status:<11}  {runs}/{planned} runs  {engine}  dbdyno {tool}  ")?;
        match summary.tests.as_slice() {
            [] => write!(formatter, "no tests"),
            tests @ ([_] | [_, _] | [_, _, _]) => write!(formatter, "{}", tests.join(" ")),
            [first, .., last] => write!(formatter, "{} tests, {first} to {last}", summary.tests.len()),
        }
    }
}

/// The records of `directory` (not of directories below it), the newest first, broken ones last. A JSON file of
/// another name that is no record at all, nor was one before it was damaged, is somebody else's and not listed.
///
/// # Errors
/// [`Error::List`] where the directory itself cannot be read; a broken file is an [`Entry`].
pub fn list(directory: &Path) -> Result<Vec<Entry>> {
    let paths = candidates(directory)?;
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut entries = Vec::new();
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            entries.extend(entry(path));
        }
        entries
    };
    let mut entries: Vec<Entry> = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
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
        if name.is_some_and(|name| !name.starts_with('.') && name.ends_with(".json")) {
            paths.push(path);
        }
    }
    Ok(paths)
}

/// The entry of a file; none where it is somebody else's.
fn entry(path: &Path) -> Option<Entry> {
    let ours = path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(FILE_PREFIX));
    match Summary::read(path) {
        Err(Error::NotARecord { .. } | Error::ReadTarget { .. }) if !ours => None,
        Err(Error::NotJson { .. } | Error::Truncated { .. }) if !ours && !was_a_record(path) => None,
        content => Some(Entry { path: path.to_owned(), content }),
    }
}

/// Whether a file that is not JSON begins as a record does.
fn was_a_record(path: &Path) -> bool {
    let mut begin = Vec::new();
    let read = File::open(path).and_then(|file| file.take(BEGIN_BYTES).read_to_end(&mut begin));
    read.is_ok() && begin.windows(VERSION_FIELD.len()).any(|part| part == VERSION_FIELD)
}

/// When the record was begun; `None`, which is the least, for a broken one.
fn begun(entry: &Entry) -> Option<&Timestamp> {
    entry.content.as_ref().ok().map(|summary| &summary.begun_at)
}
