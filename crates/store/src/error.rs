//! Errors of records on disk.

use std::io;
use std::path::PathBuf;

/// The result of reading or writing a record.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a record could not be read or written. Each error names the file; [`Error::hint`] suggests a fix.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Write error of the operating system.
    #[error("record {} cannot be written: {}", path.display(), cause_in_words(cause))]
    Write {
        /// The record.
        path: PathBuf,
        /// Its error.
        cause: io::Error,
    },
    /// The path is a directory or device.
    #[error("record {} cannot be written: it is {kind}, not a file", path.display())]
    WriteTarget {
        /// The path.
        path: PathBuf,
        /// Its kind, with article.
        kind: &'static str,
    },
    /// The record has a value that JSON cannot represent (a number that is not finite).
    #[error("record {} cannot be written: it could not be read back: {reason}", path.display())]
    Content {
        /// The record.
        path: PathBuf,
        /// Field and value.
        reason: String,
    },
    /// Read error of the operating system.
    #[error("record {} cannot be read: {}", path.display(), cause_in_words(cause))]
    Read {
        /// The record.
        path: PathBuf,
        /// Its error.
        cause: io::Error,
    },
    /// The path is a directory or a device.
    #[error("record {} cannot be read: it is {kind}, not a file", path.display())]
    ReadTarget {
        /// The path.
        path: PathBuf,
        /// Its kind, with article.
        kind: &'static str,
    },
    /// The file is larger than the maximum.
    #[error("record {} cannot be read: it has {size_bytes} bytes, a record has at most {limit_bytes}", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        size_bytes: u64,
        /// The limit.
        limit_bytes: u64,
    },
    /// The file ends within its first line.
    #[error("record {} is truncated: it ends in its first line", path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
    },
    /// Another process appends to the record.
    #[error("record {} is being written by {}", path.display(), process_words(*holder))]
    Locked {
        /// The file.
        path: PathBuf,
        /// The process, where it is known.
        holder: Option<u32>,
    },
    /// The file is one JSON document: an exported record, or one of an older format.
    #[error("file {} is one JSON document of schema version {version}: an exported record, or one of an older format; records are JSON Lines", path.display())]
    Document {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u64,
    },
    /// The file does not start like a record.
    #[error("file {} is not a record of dbdyno: {reason}", path.display())]
    NotARecord {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The file starts like a record of this version, but has an invalid line.
    #[error("record {} is damaged: {reason} at line {line}, column {column}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The field and its error.
        reason: String,
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
    },
    /// The record is well-formed, but has an impossible value.
    #[error("record {} has an impossible value: {reason}", path.display())]
    Impossible {
        /// The file.
        path: PathBuf,
        /// Field, value and limit.
        reason: String,
    },
    /// The record was written by a newer dbdyno.
    #[error("record {} has schema version {found}, this dbdyno reads up to version {supported}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Version of the file.
        found: u64,
        /// Version of this program.
        supported: u64,
    },
    /// The file is no load profile, or one with an impossible value.
    #[error("load profile {} cannot be used: {reason}", path.display())]
    Profile {
        /// The file.
        path: PathBuf,
        /// Field, value and limit.
        reason: String,
    },
    /// A directory of records could not be read.
    #[error("directory {} cannot be listed: {}", path.display(), cause_in_words(cause))]
    List {
        /// The directory.
        path: PathBuf,
        /// Its error.
        cause: io::Error,
    },
}

impl Error {
    /// A hint for the user, as a clause, if there is one.
    pub fn hint(&self) -> Option<String> {
        use io::ErrorKind::{
            AlreadyExists, NotADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem, StorageFull,
        };
        let hint = match self {
            Error::Write { cause, .. } => match cause.kind() {
                StorageFull => "free space there, or give another path with --record; data written before is intact",
                AlreadyExists => "give another --record, or continue it with --resume",
                PermissionDenied | ReadOnlyFilesystem => "give a writable path with --record",
                NotFound | NotADirectory => "create its directory first, or give another path with --record",
                _ => return None,
            },
            Error::WriteTarget { .. } => "give the name of a file with --record",
            Error::Content { .. } => "this is an error of dbdyno; please report it with the message",
            Error::Read { cause, .. } if cause.kind() == NotFound => "`dbdyno list records` shows the records",
            Error::ReadTarget { .. } => "`dbdyno list records --dir DIR` shows the records of a directory",
            Error::Truncated { .. } => "nothing was measured yet, or the copy is incomplete",
            Error::Locked { .. } => "wait until it ends, or start a new record",
            Error::Document { .. } => {
                "`dbdyno report RECORD --format json` prints such documents: give RECORD itself; records of an older dbdyno must be measured again"
            }
            Error::Damaged { .. } => "only the last line may be incomplete; use the original, or measure again",
            Error::Impossible { .. } => "it was changed after dbdyno wrote it; use the original, or measure again",
            Error::Profile { .. } => "`dbdyno size ... --save FILE` and `dbdyno size watch` write load profiles",
            Error::Newer { .. } => "upgrade dbdyno to the version that wrote it or later",
            _ => return None,
        };
        Some(hint.to_owned())
    }
}

/// The error of the operating system in the style of our messages, without its number.
fn cause_in_words(cause: &io::Error) -> String {
    use io::ErrorKind::{AlreadyExists, NotADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem, StorageFull};
    match cause.kind() {
        StorageFull => "the file system is full".to_owned(),
        ReadOnlyFilesystem => "the file system is read-only".to_owned(),
        PermissionDenied => "permission denied".to_owned(),
        NotFound => "no such file or directory".to_owned(),
        AlreadyExists => "it exists".to_owned(),
        NotADirectory => "a part of its path is not a directory".to_owned(),
        _ => cause.to_string(),
    }
}

fn process_words(process: Option<u32>) -> String {
    process.map_or_else(|| "another process".to_owned(), |process| format!("process {process}"))
}
