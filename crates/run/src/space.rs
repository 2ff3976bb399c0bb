//! Check of the free space before a run creates its data.

use std::path::Path;

use record::Bytes;

use crate::bench::Subject;
use crate::{Error, Result};

/// Size of a table relative to its rows, without its log.
const TIMES_TABLE: f64 = 1.5;

/// Size of its indexes relative to its rows.
const TIMES_INDEXES: f64 = 0.5;

/// Size of its log relative to its rows, until a checkpoint recycles it.
const TIMES_LOG: f64 = 1.25;

/// The largest log of an engine: a temporary server has a checkpoint before.
const LOG_BYTES_MAX: u64 = 16 << 30;

/// Refuses data that exceed the free space in `directory`: `content` names them. Nothing is refused where the free space
/// is not known.
pub(crate) fn check(directory: &Path, needed: Bytes, content: &str, hint: &str) -> Result<()> {
    match host::free_bytes(directory) {
        Some(free) if free < needed => Err(Error::environment(format!(
            "about {} are required in {} for {content}, and {} are available",
            megabytes(needed),
            directory.display(),
            megabytes(free)
        ))
        .hint(hint)),
        _ => Ok(()),
    }
}

/// The space of tables of `rows` bytes of rows, without their log.
pub(crate) fn table_bytes(rows: Bytes, with_indexes: bool) -> Bytes {
    let of_indexes = if with_indexes { TIMES_INDEXES } else { 0.0 };
    Bytes((rows.0 as f64 * (TIMES_TABLE + of_indexes)).ceil() as u64)
}

/// The space of the log of `rows` bytes of rows, until a checkpoint recycles it.
pub(crate) fn log_bytes(rows: Bytes) -> Bytes {
    Bytes(((rows.0 as f64 * TIMES_LOG).ceil() as u64).min(LOG_BYTES_MAX))
}

/// Refuses tables that exceed the free space of the engine, where its data are on this host: `needed` is the space of one
/// copy, which each node of a database has.
pub(crate) fn check_tables(subject: &Subject<'_>, needed: Bytes, content: &str, hint: &str) -> Result<()> {
    let Some(directory) = subject.nodes.first().data_directory() else { return Ok(()) };
    let copies = if subject.nodes.are_apart() { 1 } else { u64::from(subject.nodes.counts().0.max(1)) };
    check(directory, Bytes(needed.0.saturating_mul(copies)), content, hint)
}

/// `bytes` in whole megabytes, rounded up.
pub(crate) fn megabytes(Bytes(bytes): Bytes) -> String {
    format!("{} MB", bytes.div_ceil(1_000_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused_with_the_arithmetic() {
        let directory = tempfile::tempdir().expect("a directory");
        let checked = |needed| check(directory.path(), Bytes(needed), "4 tables", "give a smaller --scale");
        assert_eq!(checked(1), Ok(()));
        let error = checked(u64::MAX).unwrap_err();
        assert!(error.message.starts_with("about 18446744073710 MB are required in "), "{error}");
        assert!(
            error.message.contains(" for 4 tables, and ") && error.message.ends_with(" MB are available"),
            "{error}"
        );
        assert_eq!(error.hint.as_deref(), Some("give a smaller --scale"));
        assert_eq!(check(Path::new("/nonexistent"), Bytes(u64::MAX), "", ""), Ok(()), "unknown");
    }

    #[test]
    fn a_log_is_limited_by_checkpoints() {
        assert_eq!(log_bytes(Bytes(1_000)), Bytes(1_250));
        assert_eq!(log_bytes(Bytes(1 << 50)), Bytes(16 << 30));
        assert_eq!((table_bytes(Bytes(1_000), false), table_bytes(Bytes(1_000), true)), (Bytes(1_500), Bytes(2_000)));
    }
}
