//! Whether what was loaded stays, and how it goes.

use record::{Outcome, Record, RunKind};

use super::request::LoadRequest;
use crate::directory::MeasuredDirectory;
use crate::platform::{OpenEngine, OpenOptions, Platform, is_elsewhere};
use crate::{Error, Event, Fault, Result};

/// What is said of a load that can be gone on with.
pub(super) const GO_ON: &str = "what was loaded stays; give the same command with --resume and another --record (dbdyno clean removes what is kept in a directory)";

/// Closes the engine, if it is open. What was loaded stays where that was asked for, and where the one load `can_go_on`.
///
/// # Errors
/// What the engine says.
pub(super) fn close(
    request: &LoadRequest,
    can_go_on: bool,
    is_single: bool,
    platform: &mut Platform<'_>,
    directory: &mut MeasuredDirectory,
) -> Result<()> {
    let stays = request.keep || can_go_on;
    if !request.keep && (!stays || request.resume) {
        directory.let_go();
    }
    platform.close()?;
    if stays {
        return Ok(());
    }
    let elsewhere = is_elsewhere(platform.context.target);
    if directory.keep() && !elsewhere {
        let note = "the database stays in the directory, because an invocation before this one kept it: dbdyno clean removes it";
        platform.context.listener.on_event(&Event::Note(note));
    }
    if is_single && elsewhere {
        // It was opened as one that stays; what closes it now takes the schema along.
        let options = OpenOptions { keep: false, ..OpenOptions::of(directory) };
        let context = platform.context;
        OpenEngine::open(&request.request(&[1], false), &context, &options, true)?.nodes.close()?;
    }
    Ok(())
}

/// The error of a load that failed; a hint within its message becomes one of its own.
pub(super) fn failed(message: &str, is_single: bool) -> Error {
    let (message, hint) =
        message.split_once("; hint: ").map_or((message, None), |(message, hint)| (message, Some(hint)));
    let error = Error::environment(message);
    match hint {
        // What to do first is the engine's to say, and how it goes on is ours.
        Some(hint) if is_single && !hint.contains("--resume") => error.hint(format!("{hint}; {GO_ON}")),
        Some(hint) => error.hint(hint),
        None if is_single => error.hint(GO_ON),
        None => error,
    }
}

/// Whether the load of `record` stopped with something in its table.
pub(super) fn can_go_on(record: &Record, request: &LoadRequest, error: Option<&Error>) -> bool {
    let is_broken =
        record.runs.iter().any(|run| matches!(run.kind, RunKind::Load { .. }) && run.outcome != Outcome::Done);
    error.is_some_and(|error| is_broken || request.resume || error.fault == Fault::Interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_of_a_broken_run_is_a_hint() {
        let error = failed("3 lines were rejected; hint: raise --max-errors and use --resume", true);
        assert_eq!(error.message, "3 lines were rejected");
        assert_eq!(error.hint.as_deref(), Some("raise --max-errors and use --resume"));
        let full = failed("disk full; hint: free space", true).hint.unwrap();
        assert!(full.starts_with("free space; what was loaded stays") && full.contains("--resume"), "{full}");
        assert_eq!(failed("disk full", true).hint.as_deref(), Some(GO_ON));
        assert_eq!(failed("disk full", false).hint, None);
    }
}
