//! Notes beside the records of a directory: one file for all of them, which people may edit.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use record::Note;

/// The file of the notes, which no record is named like.
pub const NOTES_FILE: &str = "dbdyno.notes";

/// The largest file of notes that is read.
const BYTES_MAX: u64 = 4 << 20;

/// The notes in `directory`, by the identifiers of what they are about; none where there is no file.
///
/// # Errors
/// Where the file cannot be read, is larger than 4 MiB, or is damaged.
pub fn notes(directory: &Path) -> io::Result<BTreeMap<String, Note>> {
    let path = directory.join(NOTES_FILE);
    // Checked before opening: opening a pipe without a writer would block.
    match fs::metadata(&path) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err(io::Error::other("it is no file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(error),
    }
    let file = File::open(path)?;
    let mut text = Vec::new();
    file.take(BYTES_MAX + 1).read_to_end(&mut text)?;
    if text.len() as u64 > BYTES_MAX {
        return Err(io::Error::other(format!("it is larger than {BYTES_MAX} bytes")));
    }
    serde_json::from_slice(&text).map_err(io::Error::other)
}

/// Writes `note` about `id` beside the others; an empty one is removed. The file is replaced as a whole, so that a
/// reader sees the one before or the one after.
///
/// # Errors
/// As [`notes`], and where the file cannot be written or would be too large.
pub fn write_note(directory: &Path, id: &str, note: Note) -> io::Result<()> {
    let mut all = notes(directory)?;
    match note.is_empty() {
        true => all.remove(id),
        false => all.insert(id.to_owned(), note),
    };
    let text = serde_json::to_string_pretty(&all).map_err(io::Error::other)? + "\n";
    if text.len() as u64 > BYTES_MAX {
        return Err(io::Error::other(format!("with it the notes would be larger than {BYTES_MAX} bytes")));
    }
    let new = new_path(directory);
    let written =
        File::create_new(&new).and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()));
    let replaced = written.and_then(|()| fs::rename(&new, directory.join(NOTES_FILE)));
    if replaced.is_err() {
        // What is left of it is no note.
        let _ = fs::remove_file(&new);
    }
    replaced
}

/// A file of this process beside the notes.
fn new_path(directory: &Path) -> PathBuf {
    directory.join(format!(".{NOTES_FILE}.{}", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(text: &str) -> Note {
        Note { tags: vec!["baseline".to_owned()], text: text.to_owned() }
    }

    #[test]
    fn a_note_is_read_as_it_was_written_and_an_empty_one_is_gone() {
        let place = tempfile::tempdir().unwrap();
        assert!(notes(place.path()).unwrap().is_empty());
        write_note(place.path(), "a", note("one\n<two>")).unwrap();
        write_note(place.path(), "b", note("other")).unwrap();
        let found = notes(place.path()).unwrap();
        assert_eq!(found["a"], note("one\n<two>"));
        write_note(place.path(), "a", Note::default()).unwrap();
        assert_eq!(notes(place.path()).unwrap().keys().collect::<Vec<_>>(), ["b"]);
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "nothing else is left");
        assert!(crate::list(place.path()).unwrap().is_empty(), "notes are no record");
    }

    #[test]
    fn damaged_notes_are_not_overwritten() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join(NOTES_FILE), "{\"a\":").unwrap();
        assert!(write_note(place.path(), "a", note("one")).is_err());
        assert_eq!(fs::read_to_string(place.path().join(NOTES_FILE)).unwrap(), "{\"a\":");
    }
}
