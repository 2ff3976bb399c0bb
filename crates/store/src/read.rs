//! Reading of records.

use std::collections::BTreeSet;
use std::fs::{self, File, FileType, OpenOptions};
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

use record::{Line, Record, Run};
use serde::Deserialize;

use crate::error::{Error, Result};
use crate::fold::{Folded, Numbered};
use crate::parse::{Fields, Reading, all_processors, parse_file};
use crate::validate::{self, Requirement};

/// Maximum size of a record: several times that of a record of a hundred thousand runs.
pub const RECORD_BYTES_MAX: u64 = 8 << 30;

/// Reads the record at `path`. If it is being written, or its writer was killed, its complete lines are read.
///
/// # Errors
/// [`Error::Newer`] for a record of a later version, [`Error::Document`] for one that is a single document;
/// [`Error::NotARecord`], [`Error::Truncated`] where not even the first line is complete, [`Error::Damaged`] with the
/// position; [`Error::Impossible`] for an impossible value; [`Error::Read`] with the error of the operating system.
pub fn read(path: &Path) -> Result<Record> {
    read_with(path, &|_| {})
}

/// As [`read`], and calls `thin` with each run as soon as it is read, on any thread and in any order, to drop what is
/// not needed: a record of a hundred thousand runs may not fit in memory.
///
/// # Errors
/// As [`read`].
pub fn read_with(path: &Path, thin: &(dyn Fn(&mut Run) + Sync)) -> Result<Record> {
    Ok(read_fields(path, &open(path, &READ)?, Fields::All, thin)?.0)
}

/// As [`read_with`], without time series: the seconds of a run are empty and its slices absent. They are not parsed,
/// which halves the time.
///
/// # Errors
/// As [`read`].
pub fn read_without_series(path: &Path, thin: &(dyn Fn(&mut Run) + Sync)) -> Result<Record> {
    Ok(read_fields(path, &open(path, &READ)?, Fields::NoSeries, &bare(thin))?.0)
}

/// As [`read_without_series`], but the runs whose numbers `wanted` selects are complete: they are read again from their
/// offsets.
///
/// # Errors
/// As [`read`].
pub fn read_in_detail(
    path: &Path,
    thin: &(dyn Fn(&mut Run) + Sync),
    wanted: &dyn Fn(&Record) -> BTreeSet<u32>,
) -> Result<Record> {
    let file = open(path, &READ)?;
    let (mut record, Contents { spans, .. }) = read_fields(path, &file, Fields::NoSeries, &bare(thin))?;
    let wanted = wanted(&record);
    for (run, span) in record.runs.iter_mut().zip(spans).filter(|(run, _)| wanted.contains(&run.number)) {
        *run = run_at(&file, &span).map_err(|cause| Error::Read { path: path.to_owned(), cause })?;
    }
    Ok(record)
}

/// Drops the series of a run, and applies `thin`.
fn bare(thin: &(dyn Fn(&mut Run) + Sync)) -> impl Fn(&mut Run) + Sync {
    move |run| {
        (run.seconds, run.slices) = (Vec::new(), None);
        thin(run);
    }
}

/// A run, and its requirement of the record, which is determined before the run is reduced.
#[derive(Deserialize)]
#[serde(from = "Box<Run>")]
struct ReadRun {
    run: Box<Run>,
    requirement: Requirement,
}

impl From<Box<Run>> for ReadRun {
    fn from(run: Box<Run>) -> ReadRun {
        ReadRun { requirement: Requirement::of(&run), run }
    }
}

impl Numbered for ReadRun {
    fn number(&self) -> u32 {
        self.run.number
    }
}

/// Offsets of the lines of a record in its file.
pub(crate) struct Contents {
    /// Byte range of each run.
    pub(crate) spans: Vec<Range<u64>>,
    /// Length up to the end of the last complete line.
    pub(crate) whole_bytes: u64,
}

/// The record in `file`, which was opened at `path`, each of its runs thinned.
pub(crate) fn read_fields(
    path: &Path,
    file: &File,
    fields: Fields,
    thin: &(dyn Fn(&mut Run) + Sync),
) -> Result<(Record, Contents)> {
    let check = |kept: &mut ReadRun| {
        validate::run(&kept.run)?;
        thin(&mut kept.run);
        Ok(())
    };
    let (Folded { mut record, runs, .. }, whole_bytes) =
        parse_file(path, file, &Reading { fields, workers: all_processors(), check: &check })?;
    validate::rest(&record)
        .and_then(|()| runs.iter().try_for_each(|(_, kept)| kept.requirement.check(&record, &kept.run)))
        .map_err(|reason| Error::Impossible { path: path.to_owned(), reason })?;
    let spans = runs.iter().map(|(span, _)| span.clone()).collect();
    record.runs = runs.into_iter().map(|(_, kept)| *kept.run).collect();
    Ok((record, Contents { spans, whole_bytes }))
}

/// The run in the byte range `span` of `file`.
fn run_at(file: &File, span: &Range<u64>) -> io::Result<Run> {
    let changed = || io::Error::other("it was changed while it was read");
    let mut text = vec![0; usize::try_from(span.end - span.start).map_err(|_| changed())?];
    file.read_exact_at(&mut text, span.start)?;
    match serde_json::from_slice(&text) {
        Ok(Line::Run::<Box<Run>>(run)) if validate::run(&run).is_ok() => Ok(*run),
        _ => Err(changed()),
    }
}

/// Options for reading.
pub(crate) const READ: fn(&mut OpenOptions) = |options| {
    options.read(true);
};

/// Opens a file that may be a record.
pub(crate) fn open(path: &Path, how: &dyn Fn(&mut OpenOptions)) -> Result<File> {
    let refused = |cause| Error::Read { path: path.to_owned(), cause };
    // Checked before opening: opening a pipe without a writer would block.
    let metadata = fs::metadata(path).map_err(refused)?;
    if !metadata.is_file() {
        return Err(Error::ReadTarget { path: path.to_owned(), kind: kind_of(metadata.file_type()) });
    }
    if metadata.len() > RECORD_BYTES_MAX {
        let (size_bytes, limit_bytes) = (metadata.len(), RECORD_BYTES_MAX);
        return Err(Error::TooLarge { path: path.to_owned(), size_bytes, limit_bytes });
    }
    let mut options = OpenOptions::new();
    how(&mut options);
    options.open(path).map_err(refused)
}

/// The kind of a path that is not a file, with article.
pub(crate) fn kind_of(kind: FileType) -> &'static str {
    if kind.is_dir() { "a directory" } else { "a device or pipe" }
}
