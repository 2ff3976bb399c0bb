//! Results that an agent keeps in files until its coordinator has them in its record.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use record::{Attempt, KeptPart};

use crate::error::{Error, Result};
use crate::piece::sha256;

/// The folder of the parts, below the directory of an agent.
const FOLDER: &str = "dbdyno-parts";

/// Parts in a folder, which is there only while it holds one.
#[derive(Clone, Debug)]
pub struct KeptParts {
    folder: PathBuf,
}

impl KeptParts {
    /// Those below `directory`.
    pub fn below(directory: &Path) -> KeptParts {
        KeptParts { folder: directory.join(FOLDER) }
    }

    /// Where they are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes `part`; it is on stable storage afterwards.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub(crate) fn keep(&self, part: &KeptPart) -> Result<()> {
        let path = self.path(&part.fleet, part.attempt, &part.agent);
        let text = serde_json::to_vec(part).expect("parts are plain data");
        self.write(&path, &text)
            .map_err(|error| Error::new(format!("part {} cannot be written: {error}", path.display())))
    }

    fn write(&self, path: &Path, text: &[u8]) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(text)?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        File::open(&self.folder)?.sync_all()
    }

    /// The parts of `record`. What is no part is left alone.
    ///
    /// # Errors
    /// Where the folder or a part cannot be read.
    pub fn of_record(&self, record: &str) -> Result<Vec<KeptPart>> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.and_then(Iterator::collect::<io::Result<Vec<_>>>),
        };
        let entries = entries
            .map_err(|error| Error::new(format!("parts in {} cannot be read: {error}", self.folder.display())))?;
        let paths = entries
            .into_iter()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|end| end == "part"));
        let mut parts = paths.map(|path| read(&path)).collect::<Result<Vec<KeptPart>>>()?;
        parts.retain(|part| part.record == record);
        Ok(parts)
    }

    /// Removes `parts`, as [`KeptParts::remove`] does.
    pub fn remove_all(&self, parts: &[KeptPart]) {
        parts.iter().for_each(|part| self.remove(&part.fleet, part.attempt, &part.agent));
    }

    /// Removes a part, if it is there, and the folder with the last one.
    pub fn remove(&self, fleet: &str, attempt: Attempt, agent: &str) {
        let _ = fs::remove_file(self.path(fleet, attempt, agent));
        // Where others are in it, it stays.
        let _ = fs::remove_dir(&self.folder);
    }

    /// The names of fleets and agents come from elsewhere: they are no part of the path.
    fn path(&self, fleet: &str, Attempt { epoch, run }: Attempt, agent: &str) -> PathBuf {
        let whose = &sha256(format!("{fleet} {agent}"))[..16];
        self.folder.join(format!("run-{run}-attempt-{epoch}-{whose}.part"))
    }
}

fn read(path: &Path) -> Result<KeptPart> {
    let failed = |error: &dyn std::fmt::Display| Error::new(format!("part {} cannot be read: {error}", path.display()));
    let text = fs::read(path).map_err(|error| failed(&error))?;
    serde_json::from_slice(&text).map_err(|error| failed(&error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::kept_part;

    #[test]
    fn a_part_is_there_until_it_is_removed_and_the_folder_goes_with_the_last_one() {
        let directory = tempfile::tempdir().unwrap();
        let kept = KeptParts::below(directory.path());
        assert_eq!(kept.of_record("r"), Ok(Vec::new()));
        let parts = [kept_part("r", 1, "a"), kept_part("r", 2, "../b"), kept_part("other", 3, "a")];
        parts.iter().for_each(|part| kept.keep(part).unwrap());
        fs::write(kept.folder().join("notes.txt"), "mine").unwrap();
        let found = kept.of_record("r").unwrap();
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|part| parts.contains(part)));
        for part in &parts {
            kept.remove(&part.fleet, part.attempt, &part.agent);
        }
        assert_eq!(fs::read_dir(kept.folder()).unwrap().count(), 1, "what is not ours stays");
        fs::remove_file(kept.folder().join("notes.txt")).unwrap();
        kept.remove("f", Attempt { epoch: 9, run: 9 }, "a");
        assert!(!kept.folder().exists());
    }

    #[test]
    fn a_damaged_part_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let kept = KeptParts::below(directory.path());
        kept.keep(&kept_part("r", 1, "a")).unwrap();
        let path = fs::read_dir(kept.folder()).unwrap().next().unwrap().unwrap().path();
        let text = fs::read(&path).unwrap();
        fs::write(&path, &text[..text.len() / 2]).unwrap();
        let error = kept.of_record("r").unwrap_err();
        assert!(error.message.contains(&path.display().to_string()), "{error}");
    }
}
