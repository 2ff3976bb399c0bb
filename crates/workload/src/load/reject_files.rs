//! The files of rejected lines: one has the lines unchanged, so that they can be repaired and loaded again, and the
//! other their positions and reasons. Line k of one belongs to line k of the other; a row with line feeds within quotes has
//! several lines in the one, and the range of their numbers in the other.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// A rejected line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rejected {
    /// Its number in its file, from 1.
    pub line: u64,
    /// The reason.
    pub reason: String,
    /// The line, without its end.
    pub text: Vec<u8>,
}

/// The two files of a load.
pub(super) struct RejectFiles {
    lines_path: PathBuf,
    reasons_path: PathBuf,
    header: Vec<u8>,
    /// Lines and reasons; created with the first reject.
    files: Option<(File, File)>,
    /// Lines in the files whose batches may not be loaded, by source and number: these batches are retried.
    known: BTreeSet<(String, u64)>,
}

impl RejectFiles {
    /// The files at `path` and `path.log`, where lines start with `header`; nothing is created before the first reject.
    /// Lines that are in only one of existing files are removed: an earlier invocation was killed in between.
    pub(super) fn prepare(path: &Path, header: Vec<u8>) -> Result<RejectFiles, String> {
        let mut reasons_path = path.as_os_str().to_owned();
        reasons_path.push(".log");
        let reasons_path = PathBuf::from(reasons_path);
        let mut found =
            RejectFiles { lines_path: path.to_owned(), reasons_path, header, files: None, known: BTreeSet::new() };
        let paths = [&found.lines_path, &found.reasons_path];
        let [has_lines, has_reasons] = paths.map(|path| is_there(path));
        match (has_lines?, has_reasons?) {
            (false, false) => {}
            (true, true) => found.recover()?,
            (has_lines, _) => {
                let [lines, reasons] = paths.map(|path| path.display());
                let (there, other) = if has_lines { (lines, reasons) } else { (reasons, lines) };
                return Err(format!("{there} exists, and its companion {other} does not"));
            }
        }
        Ok(found)
    }

    /// Path of the lines.
    pub(super) fn path(&self) -> &Path {
        &self.lines_path
    }

    /// Notes that the batch of these lines was not loaded and will be retried.
    pub(super) fn expect_retry(&mut self, source: &str, rejected: &[Rejected]) {
        self.known.extend(rejected.iter().map(|one| (source.to_owned(), one.line)));
    }

    /// Writes rejected lines of `source`, except those that are already in the files.
    pub(super) fn write(&mut self, source: &str, rejected: &[Rejected]) -> Result<(), String> {
        let (mut of_lines, mut of_reasons) = (Vec::new(), Vec::new());
        for one in rejected.iter().filter(|one| !self.known.remove(&(source.to_owned(), one.line))) {
            of_lines.extend_from_slice(&one.text);
            of_lines.push(b'\n');
            // An error of an engine may have several lines.
            let reason = one.reason.replace(['\n', '\r'], " ");
            let feeds = one.text.iter().filter(|byte| **byte == b'\n').count() as u64;
            let lines = if feeds == 0 { one.line.to_string() } else { format!("{}-{}", one.line, one.line + feeds) };
            of_reasons.extend_from_slice(format!("{source}:{lines}: {reason}\n").as_bytes());
        }
        if of_lines.is_empty() {
            return Ok(());
        }
        let (lines, reasons) = match &mut self.files {
            Some(files) => files,
            None => {
                let files = self.open()?;
                self.files.insert(files)
            }
        };
        lines.write_all(&of_lines).map_err(|error| unwritable(&self.lines_path, &error))?;
        reasons.write_all(&of_reasons).map_err(|error| unwritable(&self.reasons_path, &error))
    }

    fn open(&self) -> Result<(File, File), String> {
        let of_lines = |error| unwritable(&self.lines_path, &error);
        let mut lines = appended(&self.lines_path).map_err(of_lines)?;
        if lines.metadata().map_err(of_lines)?.len() == 0 {
            lines.write_all(&self.header).map_err(of_lines)?;
        }
        Ok((lines, appended(&self.reasons_path).map_err(|error| unwritable(&self.reasons_path, &error))?))
    }

    fn recover(&mut self) -> Result<(), String> {
        let (lines_path, reasons_path) = (&self.lines_path, &self.reasons_path);
        let mut positions = Vec::new();
        each_line(reasons_path, |line| positions.push(Position::of(line)))?;
        if let Some(at) = positions.iter().position(Option::is_none) {
            let (file, line) = (reasons_path.display(), at + 1);
            return Err(format!("line {line} of {file} does not have the position of a rejected line"));
        }
        let header_lines = usize::from(!self.header.is_empty());
        let mut lines = 0_usize;
        each_line(lines_path, |_| lines += 1)?;
        let (mut in_both, mut lines_of_both) = (0, header_lines);
        for position in positions.into_iter().flatten() {
            if lines_of_both.saturating_add(position.lines) > lines {
                break;
            }
            lines_of_both += position.lines;
            in_both += 1;
            self.known.insert((position.source, position.first));
        }
        cut(reasons_path, in_both)?;
        cut(lines_path, lines_of_both)?;
        Ok(())
    }
}

/// Whether a file exists at `path`; checks that it can be written, and leaves no new file.
fn is_there(path: &Path) -> Result<bool, String> {
    let is_there = path.exists();
    let tried = appended(path).and_then(|_| if is_there { Ok(()) } else { std::fs::remove_file(path) });
    tried.map(|()| is_there).map_err(|error| unwritable(path, &error))
}

/// The position of a rejected row.
struct Position {
    source: String,
    /// Number of its first line.
    first: u64,
    /// Number of its lines.
    lines: usize,
}

impl Position {
    /// The position that a reason begins with.
    fn of(reason: &[u8]) -> Option<Position> {
        let reason = std::str::from_utf8(reason).ok()?;
        // File names may contain colons.
        reason.match_indices(": ").find_map(|(end, _)| {
            let (source, numbers) = reason[..end].rsplit_once(':')?;
            let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
            let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
            let lines = usize::try_from(last.checked_sub(first)?).ok()?.checked_add(1)?;
            Some(Position { source: source.to_owned(), first, lines })
        })
    }
}

/// Calls `visit` with all complete lines of the file at `path`, with their ends.
fn each_line(path: &Path, mut visit: impl FnMut(&[u8])) -> Result<(), String> {
    let mut read = || {
        let (mut file, mut line) = (BufReader::new(File::open(path)?), Vec::new());
        while file.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
            visit(&line);
            line.clear();
        }
        Ok(())
    };
    read().map_err(|error: io::Error| format!("{} cannot be read: {error}", path.display()))
}

/// Truncates the file at `path` after its first `lines` lines.
fn cut(path: &Path, lines: usize) -> Result<(), String> {
    let (mut left, mut size_bytes) = (lines, 0);
    each_line(path, |line| {
        if left > 0 {
            left -= 1;
            size_bytes += line.len() as u64;
        }
    })?;
    let file = OpenOptions::new().write(true).open(path);
    file.and_then(|file| file.set_len(size_bytes)).map_err(|error| unwritable(path, &error))
}

fn appended(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).open(path)
}

fn unwritable(path: &Path, error: &io::Error) -> String {
    format!("rejected lines cannot be written to {}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn rejected(line: u64) -> Rejected {
        Rejected { line, reason: format!("field 2 day: \"{line}\" is not a date"), text: vec![b'x', 0xff] }
    }

    /// A folder for the files of one test; removed when dropped.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let folder = std::env::temp_dir().join(format!("dbdyno-{name}-{}", std::process::id()));
            fs::create_dir_all(&folder).unwrap();
            Folder(folder)
        }

        fn files(&self) -> Result<RejectFiles, String> {
            RejectFiles::prepare(&self.0.join("bad"), b"id|day\n".to_vec())
        }

        fn read(&self) -> (Vec<u8>, String) {
            (fs::read(self.0.join("bad")).unwrap(), fs::read_to_string(self.0.join("bad.log")).unwrap())
        }

        fn write(&self, lines: &[u8], reasons: &str) {
            fs::write(self.0.join("bad"), lines).unwrap();
            fs::write(self.0.join("bad.log"), reasons).unwrap();
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn lines_and_reasons_stand_side_by_side_and_none_twice() {
        let folder = Folder::new("side-by-side");
        let mut files = folder.files().unwrap();
        files.write("cards.tbl", &[]).unwrap();
        assert!(!files.path().exists(), "no file without a line");
        let two = [rejected(7), Rejected { reason: "refused:\nin two lines".to_owned(), ..rejected(9) }];
        files.write("cards.tbl", &two).unwrap();
        files.expect_retry("cards.tbl", &two[..1]);
        files.write("cards.tbl", &two[..1]).unwrap();
        files.write("others: of 9.tbl", &two[..1]).unwrap();
        let reasons = "cards.tbl:7: field 2 day: \"7\" is not a date\ncards.tbl:9: refused: in two lines\n\
                       others: of 9.tbl:7: field 2 day: \"7\" is not a date\n";
        assert_eq!(folder.read(), (b"id|day\nx\xff\nx\xff\nx\xff\n".to_vec(), reasons.to_owned()));
        // A resumed load knows all three.
        let mut files = folder.files().unwrap();
        files.write("others: of 9.tbl", &[rejected(7), rejected(8)]).unwrap();
        files.write("cards.tbl", &two).unwrap();
        assert_eq!(folder.read().1, format!("{reasons}others: of 9.tbl:8: field 2 day: \"8\" is not a date\n"));
    }

    #[test]
    fn lines_in_only_one_file_are_removed() {
        for (lines, reasons, both) in [
            ("id|day\na\nb\n", "t:1: no\n", 1),
            ("id|day\na\n", "t:1: no\nt:2: no\n", 1),
            ("id|day\na\nb", "t:1: no\nt:2: n", 1),
            ("id|d", "t:1: no\n", 0),
            ("", "", 0),
        ] {
            let folder = Folder::new("cut");
            folder.write(lines.as_bytes(), reasons);
            folder.files().unwrap().write("t", &[rejected(1)]).unwrap();
            let (lines, reasons) = folder.read();
            assert_eq!((lines.split(|byte| *byte == b'\n').count(), reasons.lines().count()), (3, 1), "{both}");
            assert!(lines.starts_with(b"id|day\n") && reasons.starts_with("t:1: "));
            assert_eq!(lines.ends_with(b"a\n"), both == 1, "existing lines stay");
        }
    }

    #[test]
    fn a_row_of_several_lines_is_written_once_and_recovered_whole() {
        let row = Rejected { text: b"1|\"a\nb\nc\"".to_vec(), ..rejected(7) };
        let folder = Folder::new("several");
        let mut files = folder.files().unwrap();
        files.write("t", &[row.clone(), rejected(10)]).unwrap();
        let whole = folder.read();
        assert!(whole.1.starts_with("t:7-9: field 2 day") && whole.1.contains("\nt:10: "), "{}", whole.1);
        assert_eq!(whole.0, b"id|day\n1|\"a\nb\nc\"\nx\xff\n");
        folder.files().unwrap().write("t", &[row.clone(), rejected(10)]).unwrap();
        assert_eq!(folder.read(), whole, "each row once");
        // Killed before the whole row was written.
        folder.write(b"id|day\n1|\"a\nb\n", "t:7-9: no\nt:10: no\n");
        folder.files().unwrap().write("t", &[row, rejected(10)]).unwrap();
        assert_eq!(folder.read(), whole);
    }

    #[test]
    fn foreign_files_are_not_changed() {
        let folder = Folder::new("foreign");
        folder.write(b"id|day\nmine\n", "t:1: no\nmy diary\n");
        let error = folder.files().err().unwrap();
        assert!(error.contains("line 2 of "), "{error}");
        assert_eq!(folder.read(), (b"id|day\nmine\n".to_vec(), "t:1: no\nmy diary\n".to_owned()));
        fs::remove_file(folder.0.join("bad")).unwrap();
        let error = folder.files().err().unwrap();
        assert!(error.contains("bad.log exists, and") && error.contains("does not"), "{error}");
        assert!(!folder.0.join("bad").exists(), "and nothing is created");
    }

    #[test]
    fn an_unwritable_file_is_named() {
        let folder = Folder::new("unwritable");
        fs::create_dir(folder.0.join("bad.log")).unwrap();
        let error = folder.files().err().unwrap();
        assert!(error.contains("cannot be written to") && error.contains("bad.log: "), "{error}");
        assert!(!folder.0.join("bad").exists());
    }
}
