//! The records of a directory.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use record::{Record, Status, Timestamp};

use crate::directory::FILE_PREFIX;
use crate::error::{Error, Result};
use crate::read::read;

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
    /// The engine and its version; absent where only probes were run.
    pub engine: Option<String>,
    /// Codes of the tests in the plan, in ascending order.
    pub tests: Vec<String>,
    /// Runs that are in it.
    pub runs: usize,
    /// Runs that were planned.
    pub runs_planned: usize,
}

impl Summary {
    /// The summary of `record`.
    pub fn of(record: &Record) -> Summary {
        let tests: BTreeSet<&str> = record.plan.runs.iter().map(|run| run.test.as_str()).collect();
        Summary {
            id: record.id.clone(),
            begun_at: record.begun_at.clone(),
            status: record.status,
            engine: record.engine.as_ref().map(|engine| format!("{} {}", engine.title, engine.version)),
            tests: tests.into_iter().map(str::to_owned).collect(),
            runs: record.runs.len(),
            runs_planned: record.plan.runs.len(),
        }
    }
}

impl fmt::Display for Entry {
    /// One line: the file, when it was begun, how far it came, how many runs of which tests, the engine. Of a broken
    /// one, why it is broken.
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
        let (runs, planned) = (summary.runs, summary.runs_planned);
        write!(formatter, "{path}  {begun_at}  {status:<11}  {runs}/{planned} runs  {engine}  ")?;
        match summary.tests.as_slice() {
            [] => write!(formatter, "no tests"),
            tests @ ([_] | [_, _] | [_, _, _]) => write!(formatter, "{}", tests.join(" ")),
            [first, .., last] => write!(formatter, "{} tests, {first} to {last}", summary.tests.len()),
        }
    }
}

/// The records of `directory` (not of directories below it), the newest first, broken ones last. A JSON file of
/// another name that is no record at all is somebody else's and not listed.
///
/// # Errors
/// [`Error::List`] where the directory itself cannot be read; a broken file is an [`Entry`].
pub fn list(directory: &Path) -> Result<Vec<Entry>> {
    let refused = |cause| Error::List { path: directory.to_owned(), cause };
    let mut entries = Vec::new();
    for entry in fs::read_dir(directory).map_err(refused)? {
        let path = entry.map_err(refused)?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if name.starts_with('.') || !name.ends_with(".json") {
            continue;
        }
        let ours = name.starts_with(FILE_PREFIX);
        match read(&path) {
            Err(
                Error::NotARecord { .. } | Error::NotJson { .. } | Error::Truncated { .. } | Error::ReadTarget { .. },
            ) if !ours => {}
            content => entries.push(Entry { content: content.map(|record| Summary::of(&record)), path }),
        }
    }
    entries.sort_by(|one, other| begun(other).cmp(&begun(one)).then_with(|| one.path.cmp(&other.path)));
    Ok(entries)
}

/// When the record was begun; `None`, which is the least, for a broken one.
fn begun(entry: &Entry) -> Option<&Timestamp> {
    entry.content.as_ref().ok().map(|summary| &summary.begun_at)
}
