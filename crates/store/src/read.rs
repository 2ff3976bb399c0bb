//! Reads a record.

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
use crate::gather::{Fields, Reading, all_processors, gather};
use crate::possible::{self, Demand};

/// Bytes of the largest file that is read: some times those of a record of a hundred thousand runs.
pub const RECORD_BYTES_MAX: u64 = 8 << 30;

/// Reads the record at `path`. Of one that is being written, or whose writer was killed, what was complete is read.
///
/// # Errors
/// [`Error::Newer`] for a record of a later version, [`Error::Document`] for one that is a single document;
/// [`Error::NotARecord`], [`Error::Truncated`] where not even the first line is complete, [`Error::Damaged`] with the
/// position; [`Error::Impossible`] where a field has its form and holds what nobody can have measured; [`Error::Read`] with
/// what the operating system said.
pub fn read(path: &Path) -> Result<Record> {
    read_with(path, &|_| {})
}

/// As [`read`], and calls `thin` with each run as soon as it is read, on any thread and in any order, to take out of it
/// what is not needed: of a record of a hundred thousand runs not all of it would fit in memory.
///
/// # Errors
/// As [`read`].
pub fn read_with(path: &Path, thin: &(dyn Fn(&mut Run) + Sync)) -> Result<Record> {
    Ok(read_fields(path, &open(path, &READ)?, Fields::All, thin)?.0)
}

/// As [`read_with`], for who needs nothing of what was kept over time: the seconds of a run come empty and its slices
/// are absent. They are not even looked at, which halves the time.
///
/// # Errors
/// As [`read`].
pub fn read_without_series(path: &Path, thin: &(dyn Fn(&mut Run) + Sync)) -> Result<Record> {
    Ok(read_fields(path, &open(path, &READ)?, Fields::NoSeries, &bare(thin))?.0)
}

/// As [`read_without_series`], but the runs whose numbers `wanted` says of the record come whole: where they lie is known
/// by then, so that it need not be read twice.
///
/// # Errors
/// As [`read`].
pub fn read_in_detail(
    path: &Path,
    thin: &(dyn Fn(&mut Run) + Sync),
    wanted: &dyn Fn(&Record) -> BTreeSet<u32>,
) -> Result<Record> {
    let file = open(path, &READ)?;
    let (mut record, Contents { places, .. }) = read_fields(path, &file, Fields::NoSeries, &bare(thin))?;
    let wanted = wanted(&record);
    for (run, place) in record.runs.iter_mut().zip(places).filter(|(run, _)| wanted.contains(&run.number)) {
        *run = run_at(&file, &place).map_err(|cause| Error::Read { path: path.to_owned(), cause })?;
    }
    Ok(record)
}

/// Takes the series out of a run and whatever else `thin` does.
fn bare(thin: &(dyn Fn(&mut Run) + Sync)) -> impl Fn(&mut Run) + Sync {
    move |run| {
        (run.seconds, run.slices) = (Vec::new(), None);
        thin(run);
    }
}

/// A run, and what it asks of its record, which is found out before anything is taken out of it.
#[derive(Deserialize)]
#[serde(from = "Box<Run>")]
struct Kept {
    run: Box<Run>,
    demand: Demand,
}

impl From<Box<Run>> for Kept {
    fn from(run: Box<Run>) -> Kept {
        Kept { demand: Demand::of(&run), run }
    }
}

impl Numbered for Kept {
    fn number(&self) -> u32 {
        self.run.number
    }
}

/// Where the lines of a record lie in its file.
pub(crate) struct Contents {
    /// Where each run lies.
    pub(crate) places: Vec<Range<u64>>,
    /// Bytes up to the end of the last complete line.
    pub(crate) whole_bytes: u64,
}

/// The record in `file`, which was opened at `path`, each of its runs thinned.
pub(crate) fn read_fields(
    path: &Path,
    file: &File,
    fields: Fields,
    thin: &(dyn Fn(&mut Run) + Sync),
) -> Result<(Record, Contents)> {
    let look = |kept: &mut Kept| {
        possible::run(&kept.run)?;
        thin(&mut kept.run);
        Ok(())
    };
    let (Folded { mut record, runs, .. }, whole_bytes) =
        gather(path, file, &Reading { fields, workers: all_processors(), look: &look })?;
    possible::rest(&record)
        .and_then(|()| runs.iter().try_for_each(|(_, kept)| kept.demand.met(&record, &kept.run)))
        .map_err(|reason| Error::Impossible { path: path.to_owned(), reason })?;
    let places = runs.iter().map(|(place, _)| place.clone()).collect();
    record.runs = runs.into_iter().map(|(_, kept)| *kept.run).collect();
    Ok((record, Contents { places, whole_bytes }))
}

/// The run whose line lies at `place` in `file`.
fn run_at(file: &File, place: &Range<u64>) -> io::Result<Run> {
    let changed = || io::Error::other("it was changed while it was read");
    let mut text = vec![0; usize::try_from(place.end - place.start).map_err(|_| changed())?];
    file.read_exact_at(&mut text, place.start)?;
    match serde_json::from_slice(&text) {
        Ok(Line::Run::<Box<Run>>(run)) if possible::run(&run).is_ok() => Ok(*run),
        _ => Err(changed()),
    }
}

/// How a file is opened that is only read.
pub(crate) const READ: fn(&mut OpenOptions) = |options| {
    options.read(true);
};

/// The file, if it can be a record at all, opened as `how` says.
pub(crate) fn open(path: &Path, how: &dyn Fn(&mut OpenOptions)) -> Result<File> {
    let refused = |cause| Error::Read { path: path.to_owned(), cause };
    // Before it is opened: to open a pipe that nobody writes to would wait for ever.
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

/// What stands where a file should, with its article.
pub(crate) fn kind_of(kind: FileType) -> &'static str {
    if kind.is_dir() { "a directory" } else { "a device or pipe" }
}
