//! Syncs that nothing needs, and syncs that are missing.

use super::{Check, Subject};

pub(crate) const CHECKS: &[Check] = &[sync_of_reads, open_sync_of_reads, end_sync_of_reads, log_that_never_syncs];

/// The largest block of a write that looks like one of a log.
pub(super) const LOG_BLOCK_BYTES_MAX: u64 = 64 << 10;

fn sync_of_reads(subject: &Subject<'_>) -> Option<String> {
    let key = if subject.job.sync_every?.data_only { "fdatasync" } else { "fsync" };
    (!subject.writes()).then(|| format!("{} has no effect: the job writes nothing", subject.setting(key)))
}

fn open_sync_of_reads(subject: &Subject<'_>) -> Option<String> {
    let synced = subject.job.open_sync != record::OpenSync::None && !subject.writes();
    synced.then(|| format!("{} has no effect: the job writes nothing", subject.setting("sync")))
}

fn end_sync_of_reads(subject: &Subject<'_>) -> Option<String> {
    let keys = ["end_fsync", "fsync_on_close"];
    let key = keys.into_iter().find(|key| subject.options.is_on(key))?;
    (!subject.writes()).then(|| format!("{} has no effect: the job writes nothing", subject.setting(key)))
}

fn log_that_never_syncs(subject: &Subject<'_>) -> Option<String> {
    let (min, _) = crate::plan::blocks::bounds(&subject.job.write_blocks);
    let writes_only = subject.writes() && !subject.reads();
    let small = min.0 <= LOG_BLOCK_BYTES_MAX;
    (writes_only && small && is_log(&subject.job.name) && !syncs(subject.job)).then(|| {
        "it is called like a log and never syncs: no commit of a database is that fast; hint: fdatasync=1".to_owned()
    })
}

/// Whether the words of a name say that it is a log.
pub(super) fn is_log(name: &str) -> bool {
    let words = name.split(|letter: char| !letter.is_ascii_alphabetic()).map(str::to_ascii_lowercase);
    let whole = ["log", "logs", "wal", "redo", "journal", "binlog", "xlog", "logger", "logwriter", "lgwr"];
    words.into_iter().any(|word| whole.contains(&word.as_str()) || word.ends_with("log") || word.ends_with("wal"))
}

/// Whether a write is forced to stable storage before the job is over.
pub(crate) fn syncs(job: &record::IoJob) -> bool {
    job.sync_every.is_some() || job.open_sync != record::OpenSync::None
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_log_is_known_by_a_word_of_its_name() {
        for name in ["log", "oltp-log1", "redo_log", "wal", "WAL writer", "binlog"] {
            assert!(super::is_log(name), "{name}");
        }
        for name in ["data", "catalogue", "logical-volume", "wall"] {
            assert!(!super::is_log(name), "{name}");
        }
    }
}
