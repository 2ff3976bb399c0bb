//! Lines that were not loaded: as they are in one file, which can be repaired and loaded again, and in a second one where
//! each stood and why it was not loaded.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use flat::Layout;

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
    sink: Option<Mutex<Sink>>,
}

struct Sink {
    lines_path: PathBuf,
    reasons_path: PathBuf,
    header: Vec<u8>,
    /// Lines and reasons; made with the first of them.
    files: Option<(File, File)>,
}

impl Rejects {
    /// At most `most` lines, of which `before` were rejected by the invocation that began the load. They are counted, and
    /// written nowhere.
    pub fn counted(most: u64, before: u64) -> Rejects {
        Rejects { most, count: AtomicU64::new(before), first: Mutex::new(None), sink: None }
    }

    /// The same, written to `path` and beside it; behind what is there, where a load is gone on with.
    ///
    /// # Errors
    /// Where `path` cannot be written; nothing is left there.
    pub fn written(most: u64, before: u64, path: &Path, layout: &Layout) -> io::Result<Rejects> {
        let reasons_path = reasons_path(path);
        for path in [path, &reasons_path] {
            let is_new = !path.exists();
            drop(appended(path)?);
            if is_new {
                std::fs::remove_file(path)?;
            }
        }
        let header = layout.header_line().unwrap_or_default();
        let sink = Sink { lines_path: path.to_owned(), reasons_path, header, files: None };
        Ok(Rejects { sink: Some(Mutex::new(sink)), ..Rejects::counted(most, before) })
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
        if let Some(sink) = &self.sink {
            let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
            if let Err(error) = sink.write(source, rejected) {
                return Err(format!("rejected lines cannot be written to {}: {error}", sink.lines_path.display()));
            }
        }
        let count = self.count.fetch_add(rejected.len() as u64, Ordering::Relaxed) + rejected.len() as u64;
        if count > self.most { Err(self.too_many(count)) } else { Ok(()) }
    }

    /// Takes back what was counted for a piece that is not loaded after all.
    pub(super) fn take_back(&self, count: usize) {
        self.count.fetch_sub(count as u64, Ordering::Relaxed);
    }

    /// How many more there may be.
    pub(super) fn room(&self) -> u64 {
        self.most.saturating_sub(self.count())
    }

    fn too_many(&self, count: u64) -> String {
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default();
        let noun = if count == 1 { "line was" } else { "lines were" };
        let most = self.most;
        let place = self.sink.as_ref().map_or(String::new(), |sink| {
            let path = sink.lock().unwrap_or_else(PoisonError::into_inner).lines_path.display().to_string();
            format!("; they are in {path}")
        });
        format!(
            "{count} {noun} rejected, which is more than --max-errors {most}; the first: {first}{place}; hint: raise \
             --max-errors and go on with --resume, repair the file and load it again, or say with --layout what its lines \
             are"
        )
    }
}

impl Sink {
    fn write(&mut self, source: &str, rejected: &[Rejected]) -> io::Result<()> {
        if self.files.is_none() {
            let mut lines = appended(&self.lines_path)?;
            if lines.metadata()?.len() == 0 {
                lines.write_all(&self.header)?;
            }
            self.files = Some((lines, appended(&self.reasons_path)?));
        }
        let Some((lines, reasons)) = &mut self.files else { return Ok(()) };
        let (mut of_lines, mut of_reasons) = (Vec::new(), Vec::new());
        for one in rejected {
            of_lines.extend_from_slice(&one.text);
            of_lines.push(b'\n');
            of_reasons.extend_from_slice(format!("{source}:{}: {}\n", one.line, one.reason).as_bytes());
        }
        lines.write_all(&of_lines)?;
        reasons.write_all(&of_reasons)
    }
}

/// Where the reasons are: the k-th line of them is about the k-th rejected line.
fn reasons_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".log");
    PathBuf::from(name)
}

fn appended(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rejected(line: u64) -> Rejected {
        Rejected { line, reason: format!("field 2 day: \"{line}\" is not a date"), text: vec![b'x', 0xff] }
    }

    #[test]
    fn lines_and_reasons_stand_side_by_side() {
        let place = std::env::temp_dir().join(format!("dbdyno-rejects-{}", std::process::id()));
        std::fs::create_dir_all(&place).unwrap();
        let path = place.join("bad");
        let rejects = Rejects::written(2, 0, &path, &Layout::cards()).unwrap();
        assert!(!path.exists(), "no file without a line");
        rejects.add("cards.tbl", &[]).unwrap();
        assert!(!path.exists());
        rejects.add("cards.tbl", &[rejected(7), rejected(9)]).unwrap();
        let error = rejects.add("cards.tbl", &[rejected(11)]).unwrap_err();
        for words in ["3 lines were rejected", "--max-errors 2", "cards.tbl:7: field 2 day", "bad", "hint: "] {
            assert!(error.contains(words), "{error}");
        }
        assert_eq!(std::fs::read(&path).unwrap(), b"x\xff\nx\xff\nx\xff\n");
        let reasons = std::fs::read_to_string(place.join("bad.log")).unwrap();
        assert_eq!(reasons.lines().nth(1), Some("cards.tbl:9: field 2 day: \"9\" is not a date"));
        assert!(Rejects::written(0, 0, &place, &Layout::cards()).is_err(), "a directory is no file");
        std::fs::remove_dir_all(&place).unwrap();
    }
}
