//! Reads a record: the version first, the rest only when the version is known.

use std::fs::{self, File, FileType};
use std::io::Read;
use std::path::Path;

use record::{Record, SCHEMA_VERSION};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::error::Category;

use crate::error::{Error, Result};
use crate::migrate::migrate;

/// Bytes of the largest file that is read: some hundred times the longest record, and far less than memory.
pub const RECORD_BYTES_MAX: u64 = 1 << 30;

/// The one field that every version of the format has.
#[derive(Deserialize)]
struct Head {
    schema_version: Option<u64>,
}

/// Reads the record at `path`, whatever version of the format it is in.
///
/// # Errors
/// [`Error::Newer`] for a record of a later version; [`Error::NotJson`], [`Error::NotARecord`], [`Error::Truncated`],
/// [`Error::Damaged`] with the position; [`Error::Read`] with what the operating system said.
pub fn read(path: &Path) -> Result<Record> {
    decode(path, &load(path)?)
}

/// The bytes of the file, if it can be a record at all.
fn load(path: &Path) -> Result<Vec<u8>> {
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
    let mut json = Vec::new();
    let file = File::open(path).map_err(refused)?;
    file.take(RECORD_BYTES_MAX).read_to_end(&mut json).map_err(refused)?;
    Ok(json)
}

fn decode(path: &Path, json: &[u8]) -> Result<Record> {
    // A list of the right length would pass for the fields in their order.
    if json.trim_ascii_start().first() != Some(&b'{') {
        serde_json::from_slice::<IgnoredAny>(json).map_err(|cause| head_error(path, json, &cause))?;
        return Err(Error::NotARecord { path: path.to_owned(), reason: "it is not an object".to_owned() });
    }
    let head: Head = serde_json::from_slice(json).map_err(|cause| head_error(path, json, &cause))?;
    let supported = u64::from(SCHEMA_VERSION);
    match head.schema_version {
        None => Err(Error::NotARecord { path: path.to_owned(), reason: "it has no schema_version".to_owned() }),
        Some(0) => Err(Error::NotARecord { path: path.to_owned(), reason: "its schema_version is 0".to_owned() }),
        Some(found) if found > supported => Err(Error::Newer { path: path.to_owned(), found, supported }),
        Some(found) if found < supported => {
            migrate(json, found).map_err(|reason| Error::Migration { path: path.to_owned(), found, supported, reason })
        }
        Some(_) => serde_json::from_slice(json).map_err(|cause| {
            let (reason, line, column) = position(&cause);
            Error::Damaged { path: path.to_owned(), reason, line, column }
        }),
    }
}

/// What is wrong where not even the version could be read. The whole text has been parsed by then.
fn head_error(path: &Path, json: &[u8], cause: &serde_json::Error) -> Error {
    let path = path.to_owned();
    let (reason, line, column) = position(cause);
    match cause.classify() {
        Category::Eof => Error::Truncated { path, line, column },
        // The parser calls a number that ends with its point a wrong one.
        Category::Syntax if matches!(json, [.., b'.' | b'e' | b'E' | b'+' | b'-']) && (line, column) == end(json) => {
            Error::Truncated { path, line, column }
        }
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
