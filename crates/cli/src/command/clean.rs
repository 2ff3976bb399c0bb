//! `dbdyno clean`: removes kept and left-over databases.

use std::io::{BufRead, IsTerminal, stdin};
use std::path::PathBuf;

use clap::Args;
use run::{Error, MeasuredDirectory, Result, clean_up_tracing};

use crate::agents::{AGENT_PREFIX, AGENTS_PREFIX};
use crate::engines::ENGINES;
use crate::output::{ask, print};
use crate::own_directory::{Made, left_below};

/// Options of `dbdyno clean`.
#[derive(Args, Debug)]
pub struct CleanArguments {
    /// The directory that was measured
    #[arg(long, short, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Do not ask for confirmation
    #[arg(long, short)]
    pub yes: bool,
}

/// Carries out `dbdyno clean`.
///
/// # Errors
/// Where something is in use, is not ours, or cannot be removed.
pub fn clean(arguments: &CleanArguments) -> Result<()> {
    // Tracing instances of dead processes belong to no directory.
    for line in clean_up_tracing() {
        print(&line)?;
    }
    let left = [AGENTS_PREFIX, AGENT_PREFIX].into_iter();
    let left: Vec<_> = left.flat_map(|prefix| left_below(&arguments.dir, prefix, Made::AtAnyTime)).collect();
    let data = MeasuredDirectory::existing_in(&arguments.dir);
    if left.is_empty() && data.is_none() {
        return print(&format!("no data of dbdyno in {}", arguments.dir.display()));
    }
    let mut failed = None;
    for left in left {
        let path = left.path().display().to_string();
        if !arguments.yes && !confirmed(&format!("remove {path}, which a fleet that was killed has left?"), &path)? {
            print(&format!("{path} is kept"))?;
            continue;
        }
        match left.remove() {
            Ok(()) => print(&format!("removed {path}, which a fleet that was killed had left"))?,
            // The others are removed nevertheless.
            Err(error) => failed = Some(format!("{path} cannot be removed: {error}")),
        }
    }
    let outcome = failed
        .map_or(Ok(()), |message| Err(Error::environment(message).hint("unmount what is in it, or remove it by hand")));
    let Some(path) = data else { return outcome };
    let path = path.display().to_string();
    if !arguments.yes && !confirmed(&format!("remove {path} with all databases in it?"), &path)? {
        print(&format!("{path} is kept"))?;
        return outcome;
    }
    let mut directory = MeasuredDirectory::claim_for_removal(&arguments.dir)?;
    for line in directory.prepare(ENGINES)? {
        print(&line)?;
    }
    drop(directory);
    print(&format!("removed {path}"))?;
    outcome
}

fn confirmed(question: &str, path: &str) -> Result<bool> {
    if !stdin().is_terminal() {
        return Err(Error::user(format!("{path} is not removed without confirmation")).hint("give --yes"));
    }
    ask(&format!("{question} [y/N]"));
    let mut answer = String::new();
    let read = stdin().lock().read_line(&mut answer);
    Ok(read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes"))
}
