//! `dbdyno monitor unit`: the same command line for systemd.

use std::env;
use std::path::{Path, PathBuf};

use run::{Error, Result};

use super::watching::{STORAGE, Subject, subject};
use super::{MonitorWatchArguments, slo};
use crate::output::print_data;

/// Prints the unit.
///
/// # Errors
/// Where a target has a password, which everybody may read in a unit, and where a file cannot be read.
pub fn unit(arguments: &MonitorWatchArguments) -> Result<()> {
    let mut directories = Vec::new();
    for words in &arguments.targets {
        let target = match subject(words)? {
            Subject::Database(target, _) => target,
            Subject::Storage(directory) => {
                directories.push(std::path::absolute(&directory).unwrap_or(directory).display().to_string());
                continue;
            }
        };
        if target.password.is_some() && !words.starts_with('@') {
            let error = Error::user(format!("target {target} has a password, which everybody may read in a unit"));
            return Err(error.hint("put the target into a file that the unit's user alone reads, and give @FILE"));
        }
    }
    slo(arguments.slo.as_deref())?;
    let program =
        env::current_exe().map_err(|error| Error::environment(format!("the program is not found: {error}")))?;
    let paths: Vec<&PathBuf> = arguments.baseline.iter().chain(&arguments.slo).collect();
    // Behind the name of the program and the two verbs.
    let given = env::args().skip(3).map(|word| absolute(&word, &paths));
    let words = [program.display().to_string(), "monitor".to_owned()];
    print_data(&monitor::unit(&words.into_iter().chain(given).collect::<Vec<String>>(), &directories))
}

/// `word` with one of `paths` in it, alone or behind `--option=`, as an absolute path: a unit has another working
/// directory.
fn absolute(word: &str, paths: &[&PathBuf]) -> String {
    if let Some(directory) = word.strip_prefix(STORAGE) {
        return std::path::absolute(directory).map_or(word.to_owned(), |path| format!("{STORAGE}{}", path.display()));
    }
    let (option, path) = match word.split_once('=') {
        Some((option, path)) if word.starts_with("--") => (format!("{option}="), path),
        _ => (String::new(), word),
    };
    if !paths.iter().any(|known| known.as_path() == Path::new(path)) {
        return word.to_owned();
    }
    let absolute = std::path::absolute(path).unwrap_or_else(|_| PathBuf::from(path));
    format!("{option}{}", absolute.display())
}
