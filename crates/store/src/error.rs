//! What can be wrong with a record on disk, in words for the user.

use std::io;
use std::path::PathBuf;

/// The result of reading or writing a record.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a record could not be read or written. Each names the file; [`Error::hint`] says what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The operating system refused to write.
    #[error("record {} cannot be written: {}", path.display(), cause_in_words(cause))]
    Write {
        /// The record.
        path: PathBuf,
        /// What the operating system said.
        cause: io::Error,
    },
    /// The path holds something that must not be replaced by a file: a directory, a device.
    #[error("record {} cannot be written: it is {kind}, not a file", path.display())]
    WriteTarget {
        /// The path.
        path: PathBuf,
        /// What it is, with its article.
        kind: &'static str,
    },
    /// The record holds what JSON cannot carry (a number that is not finite).
    #[error("record {} cannot be written: it would not read back: {reason}", path.display())]
    Content {
        /// The record.
        path: PathBuf,
        /// Field and value.
        reason: String,
    },
    /// The operating system refused to read.
    #[error("record {} cannot be read: {}", path.display(), cause_in_words(cause))]
    Read {
        /// The record.
        path: PathBuf,
        /// What the operating system said.
        cause: io::Error,
    },
    /// The path is a directory or a device.
    #[error("record {} cannot be read: it is {kind}, not a file", path.display())]
    ReadTarget {
        /// The path.
        path: PathBuf,
        /// What it is, with its article.
        kind: &'static str,
    },
    /// The file is larger than any record.
    #[error("record {} cannot be read: it has {size_bytes} bytes, a record has at most {limit_bytes}", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        size_bytes: u64,
        /// The limit.
        limit_bytes: u64,
    },
    /// The file ends before its first line does.
    #[error("record {} is truncated: it ends in its first line", path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
    },
    /// Somebody else appends to the record.
    #[error("record {} is being written by another process", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// The file is one JSON document, as a record is exported, and as it was stored before it became lines.
    #[error("file {} is one JSON document of schema version {version}: a record that was exported, or one of an older format; a record is JSON Lines", path.display())]
    Document {
        /// The file.
        path: PathBuf,
        /// The version that it says it has.
        version: u64,
    },
    /// The file does not begin as a record does.
    #[error("file {} is not a record of dbdyno: {reason}", path.display())]
    NotARecord {
        /// The file.
        path: PathBuf,
        /// What is missing or wrong.
        reason: String,
    },
    /// The file begins as a record of this version does, and one of its lines is none.
    #[error("record {} is damaged: {reason} at line {line}, column {column}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Which field, and what is wrong with it.
        reason: String,
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
    },
    /// Every field has its form, and one of them holds what nobody can have measured.
    #[error("record {} holds what cannot be: {reason}", path.display())]
    Impossible {
        /// The file.
        path: PathBuf,
        /// Which field, its value, and the limit.
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
    /// A directory of records could not be read.
    #[error("directory {} cannot be listed: {}", path.display(), cause_in_words(cause))]
    List {
        /// The directory.
        path: PathBuf,
        /// What the operating system said.
        cause: io::Error,
    },
}

impl Error {
    /// What the user may do about it, as a clause; none where there is nothing to advise.
    pub fn hint(&self) -> Option<String> {
        use io::ErrorKind::{
            AlreadyExists, NotADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem, StorageFull,
        };
        let hint = match self {
            Error::Write { cause, .. } => match cause.kind() {
                StorageFull => {
                    "free space there, or give another place with --record; what was written before is unharmed"
                }
                AlreadyExists => "give another --record, or go on with it by --resume",
                PermissionDenied | ReadOnlyFilesystem => "give a writable place with --record",
                NotFound | NotADirectory => "create its directory first, or give another place with --record",
                _ => return None,
            },
            Error::WriteTarget { .. } => "give the name of a file with --record",
            Error::Content { .. } => "this is an error of dbdyno; please report it with the message",
            Error::Read { cause, .. } if cause.kind() == NotFound => "`dbdyno list records` shows what there is",
            Error::ReadTarget { .. } => "`dbdyno list records --dir DIR` shows the records of a directory",
            Error::Truncated { .. } => "nothing was measured yet, or the copy is incomplete",
            Error::Locked { .. } => "wait until that ends, or begin a new record",
            Error::Document { .. } => {
                "`dbdyno report RECORD --format json` prints such documents: give RECORD itself; what an older dbdyno wrote has to be measured again"
            }
            Error::Damaged { .. } => {
                "only what was appended last may be incomplete; take the original, or measure again"
            }
            Error::Impossible { .. } => "it was changed after dbdyno wrote it; take the original, or measure again",
            Error::Newer { .. } => "upgrade dbdyno to the version that wrote it, or a later one",
            _ => return None,
        };
        Some(hint.to_owned())
    }
}

/// What the operating system said, in the words and the case of our messages, without its number.
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
