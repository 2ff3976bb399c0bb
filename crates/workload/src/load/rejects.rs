//! Rejected lines: their number, and its limit.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use flat::Layout;

use super::reject_files::{RejectFiles, Rejected};

/// The rejected lines of a load.
pub struct Rejects {
    limit: u64,
    count: AtomicU64,
    first: Mutex<Option<String>>,
    files: Option<Mutex<RejectFiles>>,
}

impl Rejects {
    /// At most `limit` lines, of which `before` were rejected by earlier invocations. They are counted, and not
    /// written.
    pub fn counted(limit: u64, before: u64) -> Rejects {
        Rejects { limit, count: AtomicU64::new(before), first: Mutex::new(None), files: None }
    }

    /// The same, written to `path` and to `path.log`; appended for a resumed load. A line that is already there is not
    /// written again: it was rejected with a batch that was not loaded.
    ///
    /// # Errors
    /// An error message, if one of the two cannot be written, or exists with other content.
    pub fn written(limit: u64, before: u64, path: &Path, layout: &Layout) -> Result<Rejects, String> {
        let files = RejectFiles::prepare(path, layout.header_line().unwrap_or_default())?;
        Ok(Rejects { files: Some(Mutex::new(files)), ..Rejects::counted(limit, before) })
    }

    /// The number of rejected lines.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Adds `rejected` lines of the file `source`.
    pub(super) fn add(&self, source: &str, rejected: &[Rejected]) -> Result<(), String> {
        let Some(first) = rejected.first() else { return Ok(()) };
        self.first
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert_with(|| format!("{source}:{}: {}", first.line, first.reason));
        if let Some(files) = &self.files {
            files.lock().unwrap_or_else(PoisonError::into_inner).write(source, rejected)?;
        }
        let count = self.count.fetch_add(rejected.len() as u64, Ordering::Relaxed) + rejected.len() as u64;
        if count > self.limit { Err(self.too_many(count)) } else { Ok(()) }
    }

    /// Removes the lines of a batch that was not loaded, and will be retried, from the count.
    pub(super) fn uncount(&self, source: &str, rejected: &[Rejected]) {
        self.count.fetch_sub(rejected.len() as u64, Ordering::Relaxed);
        if let Some(files) = &self.files {
            files.lock().unwrap_or_else(PoisonError::into_inner).expect_retry(source, rejected);
        }
    }

    /// The limit.
    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// The number of lines up to the limit.
    pub(super) fn remaining(&self) -> u64 {
        self.limit.saturating_sub(self.count())
    }

    fn too_many(&self, count: u64) -> String {
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default();
        let noun = if count == 1 { "line was" } else { "lines were" };
        let limit = self.limit;
        let location = self.files.as_ref().map_or(String::new(), |files| {
            format!("; they are in {}", files.lock().unwrap_or_else(PoisonError::into_inner).path().display())
        });
        format!(
            "{count} {noun} rejected, more than --max-errors {limit}; the first: {first}{location}; hint: raise \
             --max-errors and continue with --resume and the same --rejects, repair the file and load it again, or \
             give the layout of its lines with --layout"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_rejects_are_an_error_with_their_path() {
        let directory = std::env::temp_dir().join(format!("dbdyno-rejects-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let rejects = Rejects::written(2, 0, &directory.join("bad"), &Layout::cards()).unwrap();
        let rejected = |line: u64| Rejected { line, reason: format!("field 2 day: \"{line}\""), text: vec![b'x'] };
        rejects.add("cards.tbl", &[]).unwrap();
        rejects.add("cards.tbl", &[rejected(7), rejected(9)]).unwrap();
        rejects.uncount("cards.tbl", &[rejected(7), rejected(9)]);
        assert_eq!((rejects.count(), rejects.remaining()), (0, 2));
        rejects.add("cards.tbl", &[rejected(7), rejected(9)]).unwrap();
        let error = rejects.add("cards.tbl", &[rejected(11)]).unwrap_err();
        for words in ["3 lines were rejected", "--max-errors 2", "cards.tbl:7: field 2 day", "bad", "hint: "] {
            assert!(error.contains(words), "{error}");
        }
        assert_eq!(std::fs::read_to_string(directory.join("bad")).unwrap().lines().count(), 3, "none of them twice");
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
