//! Useless and missing syncs.

use record::{IoJob, IoPhase};

use super::{Check, Subject};
use crate::plan::blocks::bounds;
use crate::plan::notes::Notes;

pub(crate) const CHECKS: &[Check] = &[sync_of_reads, open_sync_of_reads, end_sync_of_reads, log_that_never_syncs];

/// Maximum block size of a log.
const LOG_BLOCK_BYTES_MAX: u64 = 64 << 10;

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
    let (min, _) = bounds(&subject.job.write_blocks);
    let writes_only = subject.writes() && !subject.reads();
    let small = min.0 <= LOG_BLOCK_BYTES_MAX;
    (writes_only && small && is_log(&subject.job.name) && !syncs(subject.job)).then(|| {
        "it is named like a log but never syncs: faster than any commit of a database; hint: fdatasync=1".to_owned()
    })
}

/// Checks the jobs of one phase together.
pub(crate) fn phase(phase: &IoPhase, notes: &mut Notes) {
    let data = phase.jobs.iter().any(|job| job.order.read_random.0 > 0.5 && job.mix.read.0 > 0.0);
    for job in phase.jobs.iter().filter(|job| data && looks_like_log(job) && !is_log(&job.name) && !syncs(job)) {
        notes.lint(format!(
            "{}: small sequential writes beside random reads, like a log, but without syncs; \
             hint: fdatasync=1",
            job.name
        ));
    }
}

fn looks_like_log(job: &IoJob) -> bool {
    let sequential = job.order.write_random.0 <= 0.1;
    job.mix.write.0 == 1.0 && sequential && bounds(&job.write_blocks).1.0 <= LOG_BLOCK_BYTES_MAX
}

/// Whether a name has a word for a log.
fn is_log(name: &str) -> bool {
    let words = name.split(|letter: char| !letter.is_ascii_alphabetic()).map(str::to_ascii_lowercase);
    let whole = ["log", "logs", "wal", "redo", "journal", "binlog", "xlog", "logger", "logwriter", "lgwr"];
    words.into_iter().any(|word| whole.contains(&word.as_str()) || word.ends_with("log") || word.ends_with("wal"))
}

/// Whether writes are forced to stable storage.
pub(crate) fn syncs(job: &IoJob) -> bool {
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
