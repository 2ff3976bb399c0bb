//! Lines that were not loaded: how many there are, and how many there may be.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use flat::Layout;

use super::reject_files::RejectFiles;

/// A line that is not loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rejected {
    /// Its place in its file, counted from 1.
    pub line: u64,
    /// Why.
    pub reason: String,
    /// As it is, without its end.
    pub text: Vec<u8>,
}

/// Where rejected lines go, and how many there may be.
pub struct Rejects {
    most: u64,
    count: AtomicU64,
    first: Mutex<Option<String>>,
    files: Option<Mutex<RejectFiles>>,
}

impl Rejects {
    /// At most `most` lines, of which `before` were rejected by the invocation that began the load. They are counted, and
    /// written nowhere.
    pub fn counted(most: u64, before: u64) -> Rejects {
        Rejects { most, count: AtomicU64::new(before), first: Mutex::new(None), files: None }
    }

    /// The same, written to `path` and to `path.log`; behind what is there, where a load is gone on with. A line that is
    /// there already is not written again: it was rejected with a batch that was not loaded after all.
    ///
    /// # Errors
    /// In words for the user, where one of the two cannot be written, or is there and holds something else.
    pub fn written(most: u64, before: u64, path: &Path, layout: &Layout) -> Result<Rejects, String> {
        let files = RejectFiles::look(path, layout.header_line().unwrap_or_default())?;
        Ok(Rejects { files: Some(Mutex::new(files)), ..Rejects::counted(most, before) })
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Writes `rejected` lines of the file `source` down.
    ///
    /// # Errors
    /// In words for the user, where they are too many or cannot be written.
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
        if count > self.most { Err(self.too_many(count)) } else { Ok(()) }
    }

    /// Takes back what was counted of a batch that is not loaded after all, and will come again.
    pub(super) fn take_back(&self, source: &str, rejected: &[Rejected]) {
        self.count.fetch_sub(rejected.len() as u64, Ordering::Relaxed);
        if let Some(files) = &self.files {
            files.lock().unwrap_or_else(PoisonError::into_inner).expect_again(source, rejected);
        }
    }

    /// How many there may be.
    pub(super) fn most(&self) -> u64 {
        self.most
    }

    /// How many more there may be.
    pub(super) fn room(&self) -> u64 {
        self.most.saturating_sub(self.count())
    }

    fn too_many(&self, count: u64) -> String {
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default();
        let noun = if count == 1 { "line was" } else { "lines were" };
        let most = self.most;
        let place = self.files.as_ref().map_or(String::new(), |files| {
            format!("; they are in {}", files.lock().unwrap_or_else(PoisonError::into_inner).path().display())
        });
        format!(
            "{count} {noun} rejected, which is more than --max-errors {most}; the first: {first}{place}; hint: raise \
             --max-errors and go on with --resume and the same --rejects, repair the file and load it again, or say with \
             --layout what its lines are"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_there_may_be_are_an_error_that_says_where_they_are() {
        let place = std::env::temp_dir().join(format!("dbdyno-rejects-{}", std::process::id()));
        std::fs::create_dir_all(&place).unwrap();
        let rejects = Rejects::written(2, 0, &place.join("bad"), &Layout::cards()).unwrap();
        let rejected = |line: u64| Rejected { line, reason: format!("field 2 day: \"{line}\""), text: vec![b'x'] };
        rejects.add("cards.tbl", &[]).unwrap();
        rejects.add("cards.tbl", &[rejected(7), rejected(9)]).unwrap();
        rejects.take_back("cards.tbl", &[rejected(7), rejected(9)]);
        assert_eq!((rejects.count(), rejects.room()), (0, 2));
        rejects.add("cards.tbl", &[rejected(7), rejected(9)]).unwrap();
        let error = rejects.add("cards.tbl", &[rejected(11)]).unwrap_err();
        for words in ["3 lines were rejected", "--max-errors 2", "cards.tbl:7: field 2 day", "bad", "hint: "] {
            assert!(error.contains(words), "{error}");
        }
        assert_eq!(std::fs::read_to_string(place.join("bad")).unwrap().lines().count(), 3, "none of them twice");
        std::fs::remove_dir_all(&place).unwrap();
    }
}
