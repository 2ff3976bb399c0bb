//! Reads a record: the version first, the rest only when the version is known.

use std::collections::BTreeSet;
use std::fs::{self, File, FileType};
use std::io::{BufReader, Read, Seek};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

use record::{Record, Run, SCHEMA_VERSION};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::de::{IoRead, SliceRead};
use serde_json::error::Category;

use crate::error::{Error, Result};
use crate::gather::{gather, run_at};
use crate::migrate::migrate;
use crate::possible;
use crate::split::Fields;

/// Bytes of the largest file that is read: some times those of a record of a hundred thousand runs.
pub const RECORD_BYTES_MAX: u64 = 8 << 30;

/// Bytes of the largest file that is read as one text, which a damaged one is, and one of an older version.
const WHOLE_BYTES_MAX: u64 = 1 << 30;

/// From this size on a record is read run by run.
const LONG_BYTES: u64 = 1 << 20;

/// The one field that every version of the format has.
#[derive(Deserialize)]
pub(crate) struct Version {
    pub(crate) schema_version: Option<u64>,
}

/// What is missing in JSON of somebody else.
pub(crate) const NO_VERSION: &str = "it has no schema_version";

/// Reads the record at `path`, whatever version of the format it is in.
///
/// # Errors
/// [`Error::Newer`] for a record of a later version; [`Error::NotJson`], [`Error::NotARecord`], [`Error::Truncated`],
/// [`Error::Damaged`] with the position, [`Error::DamagedSomewhere`] without; [`Error::Impossible`] where a field has its
/// form and holds what nobody can have measured; [`Error::Read`] with what the operating system said.
pub fn read(path: &Path) -> Result<Record> {
    read_with(path, &|_| {})
}

/// As [`read`], and calls `thin` with each run as soon as it is read, on any thread and in any order, to take out of it
/// what is not needed: of a record of a hundred thousand runs not all of it would fit in memory.
///
/// # Errors
/// As [`read`].
pub fn read_with(path: &Path, thin: &(dyn Fn(&mut Run) + Sync)) -> Result<Record> {
    read_fields(path, Fields::All, thin)
}

/// As [`read_with`], for who needs nothing of what was kept over time: the seconds of a run come empty and its slices
/// are absent. In a long record they are not even looked at, which halves the time.
///
/// # Errors
/// As [`read`].
pub fn read_without_series(path: &Path, thin: &(dyn Fn(&mut Run) + Sync)) -> Result<Record> {
    read_fields(path, Fields::NoSeries, &bare(thin))
}

/// As [`read_without_series`], but the runs whose numbers `wanted` says of the record come whole: where they lie in a
/// long record is known by then, so that it need not be read twice.
///
/// # Errors
/// As [`read`].
pub fn read_in_detail(
    path: &Path,
    thin: &(dyn Fn(&mut Run) + Sync),
    wanted: &dyn Fn(&Record) -> BTreeSet<u32>,
) -> Result<Record> {
    let (file, size_bytes) = open(path)?;
    if size_bytes >= LONG_BYTES
        && let Some((mut record, places)) = gather(&file, Fields::NoSeries, &bare(thin))
        && restore(&file, &mut record, &places, wanted).is_some()
    {
        return Ok(record);
    }
    let mut record = read_whole(path, file, size_bytes)?;
    let wanted = wanted(&record);
    record.runs.iter_mut().filter(|run| !wanted.contains(&run.number)).for_each(bare(thin));
    Ok(record)
}

/// Puts whole runs in the place of those that are wanted; none where the file is no longer what it was.
fn restore(
    file: &File,
    record: &mut Record,
    places: &[Range<u64>],
    wanted: &dyn Fn(&Record) -> BTreeSet<u32>,
) -> Option<()> {
    let wanted = wanted(record);
    for (run, place) in record.runs.iter_mut().zip(places).filter(|(run, _)| wanted.contains(&run.number)) {
        *run = run_at(file, place)?;
    }
    Some(())
}

/// Takes the series out of a run and whatever else `thin` does.
fn bare(thin: &(dyn Fn(&mut Run) + Sync)) -> impl Fn(&mut Run) + Sync {
    move |run| {
        (run.seconds, run.slices) = (Vec::new(), None);
        thin(run);
    }
}

fn read_fields(path: &Path, fields: Fields, thin: &(dyn Fn(&mut Run) + Sync)) -> Result<Record> {
    let (file, size_bytes) = open(path)?;
    // What this refuses is looked at again: only then can be said what is wrong with it, and where.
    if size_bytes >= LONG_BYTES
        && let Some((record, _)) = gather(&file, fields, thin)
    {
        return Ok(record);
    }
    let mut record = read_whole(path, file, size_bytes)?;
    record.runs.iter_mut().for_each(thin);
    Ok(record)
}

/// The record at `path` as one text.
fn read_whole(path: &Path, mut file: File, size_bytes: u64) -> Result<Record> {
    let refused = |cause| Error::Read { path: path.to_owned(), cause };
    file.rewind().map_err(refused)?;
    if size_bytes > WHOLE_BYTES_MAX {
        return Err(judge(path, &file, size_bytes));
    }
    let mut json = Vec::new();
    file.take(WHOLE_BYTES_MAX).read_to_end(&mut json).map_err(refused)?;
    decode(path, &json)
}

/// The file, if it can be a record at all, and its size.
pub(crate) fn open(path: &Path) -> Result<(File, u64)> {
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
    Ok((File::open(path).map_err(refused)?, metadata.len()))
}

pub(crate) fn decode(path: &Path, json: &[u8]) -> Result<Record> {
    let first = json.trim_ascii_start().first().copied();
    // The parser calls a number that ends with its point a wrong one.
    let is_cut = |at| matches!(json, [.., b'.' | b'e' | b'E' | b'+' | b'-']) && at == end(json);
    let found = version(path, first, SliceRead::new(json), is_cut)?;
    let supported = u64::from(SCHEMA_VERSION);
    if found < supported {
        let refused = |reason| Error::Migration { path: path.to_owned(), found, supported, reason };
        return check(path, migrate(json, found).map_err(refused)?);
    }
    let record = serde_json::from_slice(json).map_err(|cause| {
        let (reason, line, column) = position(&cause);
        Error::Damaged { path: path.to_owned(), reason, line, column }
    });
    check(path, record?)
}

/// `record`, unless it holds what cannot be.
fn check(path: &Path, record: Record) -> Result<Record> {
    match possible::record(&record) {
        Ok(()) => Ok(record),
        Err(reason) => Err(Error::Impossible { path: path.to_owned(), reason }),
    }
}

/// What is wrong with a file that could not be read run by run and is too long to lie in memory.
fn judge(path: &Path, file: &File, size_bytes: u64) -> Error {
    let mut begin = [0; 4096];
    let length = file.read_at(&mut begin, 0).unwrap_or_default();
    let first = begin[..length].trim_ascii_start().first().copied();
    let (limit_bytes, supported) = (WHOLE_BYTES_MAX, u64::from(SCHEMA_VERSION));
    match version(path, first, IoRead::new(BufReader::with_capacity(1 << 20, file)), |_| false) {
        Err(error) => error,
        Ok(found) if found < supported => {
            let reason = format!("it has {size_bytes} bytes, at most {limit_bytes} can be");
            Error::Migration { path: path.to_owned(), found, supported, reason }
        }
        Ok(_) => Error::DamagedSomewhere { path: path.to_owned(), size_bytes, limit_bytes },
    }
}

/// The version of a record that is not newer than this program, in a text whose first letter is `first`. It is parsed to
/// its end. `is_cut` says of a position whether the text ends there in the middle of a number.
fn version<'text>(
    path: &Path,
    first: Option<u8>,
    text: impl serde_json::de::Read<'text>,
    is_cut: impl Fn((usize, usize)) -> bool,
) -> Result<u64> {
    let refused = |cause: serde_json::Error| version_error(path, &cause, &is_cut);
    let mut parser = serde_json::Deserializer::new(text);
    // A list of the right length would pass for the fields in their order.
    if first != Some(b'{') {
        IgnoredAny::deserialize(&mut parser).and_then(|_| parser.end()).map_err(refused)?;
        return Err(Error::NotARecord { path: path.to_owned(), reason: "it is not an object".to_owned() });
    }
    let version = Version::deserialize(&mut parser).map_err(refused)?;
    parser.end().map_err(refused)?;
    match version.schema_version {
        None => Err(Error::NotARecord { path: path.to_owned(), reason: NO_VERSION.to_owned() }),
        Some(0) => Err(Error::NotARecord { path: path.to_owned(), reason: "its schema_version is 0".to_owned() }),
        Some(found) if found > u64::from(SCHEMA_VERSION) => {
            Err(Error::Newer { path: path.to_owned(), found, supported: u64::from(SCHEMA_VERSION) })
        }
        Some(found) => Ok(found),
    }
}

/// What is wrong where not even the version could be read.
fn version_error(path: &Path, cause: &serde_json::Error, is_cut: &dyn Fn((usize, usize)) -> bool) -> Error {
    let path = path.to_owned();
    let (reason, line, column) = position(cause);
    match cause.classify() {
        Category::Eof => Error::Truncated { path, line, column },
        Category::Syntax if is_cut((line, column)) => Error::Truncated { path, line, column },
        Category::Data => Error::NotARecord { path, reason: format!("{reason} at line {line}, column {column}") },
        Category::Syntax | Category::Io => Error::NotJson { path, reason, line, column },
    }
}

/// The position of the last byte, as the parser counts.
fn end(json: &[u8]) -> (usize, usize) {
    let lines = json.iter().filter(|byte| **byte == b'\n').count();
    let last = json.rsplit(|byte| *byte == b'\n').next().map_or(0, <[u8]>::len);
    (lines + 1, last)
}

/// The message without the position that the parser appends to it, and the position.
fn position(cause: &serde_json::Error) -> (String, usize, usize) {
    let (line, column) = (cause.line(), cause.column());
    let message = cause.to_string();
    let reason = message.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&message);
    (reason.to_owned(), line, column)
}

/// What stands where a file should, with its article.
pub(crate) fn kind_of(kind: FileType) -> &'static str {
    if kind.is_dir() { "a directory" } else { "a device or pipe" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_too_long_is_judged_as_a_short_one() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("r.json");
        for text in [
            "",
            " [1]",
            "[",
            "{\"a\": [1, {\"b\": \"c",
            "{\"name\": \"x\"}",
            "{\n \"a\": 1,\n}",
            "{\"schema_version\": 0}",
            "{\"schema_version\": 99, \"runs\": [{}]}",
            "{\"schema_version\": 2} x",
            "\u{0}\u{0}",
        ] {
            fs::write(&path, text).unwrap();
            let judged = judge(&path, &File::open(&path).unwrap(), text.len() as u64);
            assert_eq!(judged.to_string(), decode(&path, text.as_bytes()).unwrap_err().to_string(), "{text}");
        }
        fs::write(&path, "{\"schema_version\": 2}").unwrap();
        let judged = judge(&path, &File::open(&path).unwrap(), 2 << 30);
        assert!(matches!(judged, Error::DamagedSomewhere { size_bytes: 2_147_483_648, .. }), "{judged}");
    }
}
