//! The files of a production load.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::PathBuf;

use ::history::{History, Names};
use model::sizing::{Growth, history, merged};
use record::LoadProfile;
use report::SizingView;
use run::{Error, Result};

use crate::subject;

/// Files of a load, at most.
const FILES_MAX: usize = 10_000;

/// The load in all of `paths`: load profiles of dbdyno, and files of others.
///
/// # Errors
/// Where one cannot be read or is of no known form, and where none has an interval.
pub fn load(paths: &[PathBuf], names: Names) -> Result<LoadProfile> {
    if paths.len() > FILES_MAX {
        let message = format!("{} files are given, at most {FILES_MAX} are read", paths.len());
        return Err(Error::user(message).hint("give the files of fewer days"));
    }
    let mut profiles = Vec::new();
    let mut others = History::new(names);
    let mut has_others = false;
    for path in paths {
        let unreadable = |error: io::Error| {
            Error::user(format!("{} cannot be read: {error}", path.display())).hint("give files of a load")
        };
        let mut file = File::open(path).map_err(unreadable)?;
        if is_own(&mut file).map_err(unreadable)? {
            profiles.push(store::read_load_profile(path).map_err(subject::unreadable)?);
            continue;
        }
        others.read(&path.display().to_string(), file).map_err(|error| refused(&error))?;
        has_others = true;
    }
    if has_others {
        profiles.push(others.finish().map_err(|error| refused(&error))?);
    }
    let profile = merged(profiles);
    if !profile.intervals.is_empty() {
        return Ok(profile);
    }
    let view = SizingView {
        profile: &profile,
        history: &history(&profile),
        sizings: &[],
        growth: Growth::NONE,
        old_sheet: None,
    };
    Err(Error::user("the files have no interval that can be used")
        .hint(report::sizing_doubts(&view).first().cloned().unwrap_or_else(|| NO_INTERVAL.to_owned())))
}

/// What to do where nothing is known of files without an interval.
const NO_INTERVAL: &str = "counters need two dumps; a report needs its begin and end";

/// Whether `file` begins like a load profile of dbdyno; it is read from its begin again.
pub fn is_own(file: &mut File) -> io::Result<bool> {
    let mut begin = Vec::new();
    Read::by_ref(file).take(store::LOAD_PROFILE_BEGINNING_BYTES as u64).read_to_end(&mut begin)?;
    file.seek(io::SeekFrom::Start(0))?;
    Ok(store::is_load_profile(&begin))
}

/// A file of others that is refused.
fn refused(error: &::history::Error) -> Error {
    let hint = error.hint.clone();
    let error = Error::user(::history::Error { hint: None, ..error.clone() }.to_string());
    hint.map_or(error.clone(), |hint| error.hint(hint))
}
