//! The records of a directory, written anew without names.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::stand_ins::StandIns;
use super::{collect, replaced};
use crate::identity::id_of;
use crate::{Error, Result};

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anonymized {
    /// Records.
    pub records: usize,
    /// Files that cannot be read, whose names and reasons may name anybody, and records that are none without their
    /// names.
    pub left_out: usize,
}

/// Writes the records of the directory `from` into the directory `to`, with stand-ins for names. Notes and price books are
/// not written: what somebody noted may name anybody.
///
/// The numbers of stand-ins follow the times of the records, so that a later record changes none.
///
/// # Errors
/// Where `from` cannot be read or `to` cannot be written.
pub fn anonymize(from: &Path, to: &Path) -> Result<Anonymized> {
    let entries = store::list(from).map_err(|error| Error::user(error.to_string(), "give a directory of records"))?;
    let mut written = Anonymized { records: 0, left_out: 0 };
    let mut names = StandIns::default();
    let mut paths: Vec<PathBuf> = Vec::new();
    let (mut seen, mut counts) = (HashSet::new(), HashMap::new());
    let listed: HashSet<PathBuf> = entries.iter().map(|entry| entry.path.clone()).collect();
    let is_unlisted =
        |path: &&PathBuf| path.extension().is_some_and(|ending| ending == "jsonl") && !listed.contains(*path);
    written.left_out += store::candidates(from).unwrap_or_default().iter().filter(is_unlisted).count();
    // The oldest first.
    for entry in entries.into_iter().rev() {
        match entry.content.and_then(|_| store::read_without_series(&entry.path, &model::thin)) {
            // A copy is the same record.
            Ok(record) if seen.insert(id_of(&record)) => {
                collect(&record, &mut names);
                paths.push(entry.path);
            }
            _ => written.left_out += 1,
        }
    }
    for path in paths {
        // One that has vanished meanwhile is left out.
        let record = store::read(&path).ok().and_then(|record| replaced(&record, &mut names));
        let Some(mut record) = record else {
            written.left_out += 1;
            continue;
        };
        // Records may have the same name, but not as files.
        let name = record.id.clone();
        let count = counts.entry(name.clone()).and_modify(|count| *count += 1).or_insert(1_usize);
        if *count > 1 {
            record.id = format!("{name}-{count}");
        }
        let file = to.join(format!("{}.jsonl", record.id));
        store::Writer::create(&file, &record).map_err(|error| Error::Environment(error.to_string()))?;
        written.records += 1;
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_cannot_be_read_is_left_out() {
        let [from, to] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        fs::write(from.path().join("dbdyno-1.jsonl"), "{\"head\":{\"format\":\"dbdyno record\"").unwrap();
        assert_eq!(anonymize(from.path(), to.path()), Ok(Anonymized { records: 0, left_out: 1 }));
        assert!(anonymize(Path::new("/nonexistent"), to.path()).is_err());
    }
}
