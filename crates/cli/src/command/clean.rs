//! `dbdyno clean`: removes kept and left-over databases.

use std::io::{BufRead, IsTerminal, Write, stderr, stdin};

use run::{Error, MeasuredDirectory, Result, clean_up_tracing};

use crate::agents::AGENTS_PREFIX;
use crate::arguments::CleanArguments;
use crate::engines::ENGINES;
use crate::output::print;
use crate::own_directory::remove_left;

/// Carries out `dbdyno clean`.
///
/// # Errors
/// Where something is in use, is not ours, or cannot be removed.
pub fn clean(arguments: &CleanArguments) -> Result<()> {
    // Tracing instances of dead processes belong to no directory.
    for line in clean_up_tracing() {
        print(&line)?;
    }
    for path in remove_left(&arguments.dir, AGENTS_PREFIX) {
        print(&format!("removed {}, which a fleet that was killed had left", path.display()))?;
    }
    let Some(path) = MeasuredDirectory::existing_in(&arguments.dir) else {
        return print(&format!("no data of dbdyno in {}", arguments.dir.display()));
    };
    let path = path.display().to_string();
    if !arguments.yes && !confirmed(&path)? {
        return print(&format!("{path} is kept"));
    }
    let mut directory = MeasuredDirectory::claim_for_removal(&arguments.dir)?;
    for line in directory.prepare(ENGINES)? {
        print(&line)?;
    }
    drop(directory);
    print(&format!("removed {path}"))
}

fn confirmed(path: &str) -> Result<bool> {
    if !stdin().is_terminal() {
        return Err(Error::user(format!("{path} is not removed without confirmation")).hint("give --yes"));
    }
    let _ = write!(stderr(), "remove {path} with all databases in it? [y/N] ");
    let mut answer = String::new();
    let read = stdin().lock().read_line(&mut answer);
    Ok(read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes"))
}
