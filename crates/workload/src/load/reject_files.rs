//! Lines that were not loaded, in two files: as they are in one, which can be repaired and loaded again, and in the other
//! where each stood and why it was not loaded. The k-th line of the one is about the k-th line of the other.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use super::rejects::Rejected;

/// The two files of a load.
pub(super) struct RejectFiles {
    lines_path: PathBuf,
    reasons_path: PathBuf,
    header: Vec<u8>,
    /// Lines and reasons; made with the first of them.
    files: Option<(File, File)>,
    /// Lines that stand there although their batches may not be loaded, by source and number: these batches come again.
    known: BTreeSet<(String, u64)>,
}

impl RejectFiles {
    /// The files at `path` and `path.log`, where lines begin with `header`; nothing is made before the first line. Of what
    /// is there, whatever stands in one of the two only is cut off: an earlier invocation was killed in between.
    ///
    /// # Errors
    /// In words for the user, where one of them cannot be written, or is there and holds something else.
    pub(super) fn look(path: &Path, header: Vec<u8>) -> Result<RejectFiles, String> {
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
                return Err(format!("{there} is there, and {other}, which belongs to it, is not"));
            }
        }
        Ok(found)
    }

    /// Where the lines are.
    pub(super) fn path(&self) -> &Path {
        &self.lines_path
    }

    /// Says that the batch of these lines was not loaded.
    pub(super) fn expect_again(&mut self, source: &str, rejected: &[Rejected]) {
        self.known.extend(rejected.iter().map(|one| (source.to_owned(), one.line)));
    }

    /// Writes lines of `source` down, but for those that stand there already.
    ///
    /// # Errors
    /// In words for the user.
    pub(super) fn write(&mut self, source: &str, rejected: &[Rejected]) -> Result<(), String> {
        let (mut of_lines, mut of_reasons) = (Vec::new(), Vec::new());
        for one in rejected.iter().filter(|one| !self.known.remove(&(source.to_owned(), one.line))) {
            of_lines.extend_from_slice(&one.text);
            of_lines.push(b'\n');
            // An engine may say something in two lines.
            let reason = one.reason.replace(['\n', '\r'], " ");
            of_reasons.extend_from_slice(format!("{source}:{}: {reason}\n", one.line).as_bytes());
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
        let mut places = Vec::new();
        each_line(reasons_path, |line| places.push(place_of(line)))?;
        if let Some(at) = places.iter().position(Option::is_none) {
            let (file, line) = (reasons_path.display(), at + 1);
            return Err(format!("{file} does not say in line {line} where a rejected line stood"));
        }
        let header_lines = usize::from(!self.header.is_empty());
        let mut lines = 0_usize;
        each_line(lines_path, |_| lines += 1)?;
        let in_both = places.len().min(lines.saturating_sub(header_lines));
        cut(reasons_path, in_both)?;
        cut(lines_path, header_lines + in_both)?;
        self.known.extend(places.into_iter().flatten().take(in_both));
        Ok(())
    }
}

/// Whether there is a file at `path`, to which more can be written; none is left that was not there.
fn is_there(path: &Path) -> Result<bool, String> {
    let is_there = path.exists();
    let tried = appended(path).and_then(|_| if is_there { Ok(()) } else { std::fs::remove_file(path) });
    tried.map(|()| is_there).map_err(|error| unwritable(path, &error))
}

/// Source and number of a rejected line, from the line that says why.
fn place_of(reason: &[u8]) -> Option<(String, u64)> {
    let reason = std::str::from_utf8(reason).ok()?;
    // A name may have colons, too.
    reason.match_indices(": ").find_map(|(end, _)| {
        let (source, number) = reason[..end].rsplit_once(':')?;
        Some((source.to_owned(), number.parse().ok()?))
    })
}

/// Shows all lines of the file at `path` that have an end, with it.
fn each_line(path: &Path, mut see: impl FnMut(&[u8])) -> Result<(), String> {
    let mut read = || {
        let (mut file, mut line) = (BufReader::new(File::open(path)?), Vec::new());
        while file.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
            see(&line);
            line.clear();
        }
        Ok(())
    };
    read().map_err(|error: io::Error| format!("{} cannot be read: {error}", path.display()))
}

/// Cuts off what follows the first lines of the file at `path`.
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

    /// A place for the files of one test; gone with the value.
    struct Place(PathBuf);

    impl Place {
        fn new(name: &str) -> Place {
            let place = std::env::temp_dir().join(format!("dbdyno-{name}-{}", std::process::id()));
            fs::create_dir_all(&place).unwrap();
            Place(place)
        }

        fn files(&self) -> Result<RejectFiles, String> {
            RejectFiles::look(&self.0.join("bad"), b"id|day\n".to_vec())
        }

        fn read(&self) -> (Vec<u8>, String) {
            (fs::read(self.0.join("bad")).unwrap(), fs::read_to_string(self.0.join("bad.log")).unwrap())
        }

        fn write(&self, lines: &[u8], reasons: &str) {
            fs::write(self.0.join("bad"), lines).unwrap();
            fs::write(self.0.join("bad.log"), reasons).unwrap();
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn lines_and_reasons_stand_side_by_side_and_none_twice() {
        let place = Place::new("side-by-side");
        let mut files = place.files().unwrap();
        files.write("cards.tbl", &[]).unwrap();
        assert!(!files.path().exists(), "no file without a line");
        let two = [rejected(7), Rejected { reason: "refused:\nin two lines".to_owned(), ..rejected(9) }];
        files.write("cards.tbl", &two).unwrap();
        files.expect_again("cards.tbl", &two[..1]);
        files.write("cards.tbl", &two[..1]).unwrap();
        files.write("others: of 9.tbl", &two[..1]).unwrap();
        let reasons = "cards.tbl:7: field 2 day: \"7\" is not a date\ncards.tbl:9: refused: in two lines\n\
                       others: of 9.tbl:7: field 2 day: \"7\" is not a date\n";
        assert_eq!(place.read(), (b"id|day\nx\xff\nx\xff\nx\xff\n".to_vec(), reasons.to_owned()));
        // Whoever goes on with the load knows all three.
        let mut files = place.files().unwrap();
        files.write("others: of 9.tbl", &[rejected(7), rejected(8)]).unwrap();
        files.write("cards.tbl", &two).unwrap();
        assert_eq!(place.read().1, format!("{reasons}others: of 9.tbl:8: field 2 day: \"8\" is not a date\n"));
    }

    #[test]
    fn what_is_in_one_of_the_two_only_is_cut_off() {
        for (lines, reasons, both) in [
            ("id|day\na\nb\n", "t:1: no\n", 1),
            ("id|day\na\n", "t:1: no\nt:2: no\n", 1),
            ("id|day\na\nb", "t:1: no\nt:2: n", 1),
            ("id|d", "t:1: no\n", 0),
            ("", "", 0),
        ] {
            let place = Place::new("cut");
            place.write(lines.as_bytes(), reasons);
            place.files().unwrap().write("t", &[rejected(1)]).unwrap();
            let (lines, reasons) = place.read();
            assert_eq!((lines.split(|byte| *byte == b'\n').count(), reasons.lines().count()), (3, 1), "{both}");
            assert!(lines.starts_with(b"id|day\n") && reasons.starts_with("t:1: "));
            assert_eq!(lines.ends_with(b"a\n"), both == 1, "what was there stays");
        }
    }

    #[test]
    fn files_of_somebody_else_are_left_alone() {
        let place = Place::new("foreign");
        place.write(b"id|day\nmine\n", "t:1: no\nmy diary\n");
        let error = place.files().err().unwrap();
        assert!(error.contains("bad.log does not say in line 2 where a rejected line stood"), "{error}");
        assert_eq!(place.read(), (b"id|day\nmine\n".to_vec(), "t:1: no\nmy diary\n".to_owned()));
        fs::remove_file(place.0.join("bad")).unwrap();
        let error = place.files().err().unwrap();
        assert!(error.contains("bad.log is there, and") && error.contains("is not"), "{error}");
        assert!(!place.0.join("bad").exists(), "and nothing is made");
    }

    #[test]
    fn what_cannot_be_written_is_named() {
        let place = Place::new("unwritable");
        fs::create_dir(place.0.join("bad.log")).unwrap();
        let error = place.files().err().unwrap();
        assert!(error.contains("cannot be written to") && error.contains("bad.log: "), "{error}");
        assert!(!place.0.join("bad").exists());
    }
}
