//! Closing a load: whether its tables stay, and how they are removed.

use record::{Outcome, Record, RunKind};

use super::request::LoadRequest;
use crate::directory::MeasuredDirectory;
use crate::platform::{Access, OpenEngine, OpenOptions, Platform};
use crate::{Error, Event, Fault, Result, Setup};

/// The hint after a load that can be resumed.
pub(super) const RESUME_HINT: &str = "the loaded rows are kept; repeat the command with --resume and another --record \
    (dbdyno clean removes what is kept in a directory)";

/// Closes the engine, if it is open. The tables stay if that was requested, and if the one load `is_resumable`.
pub(super) fn close(
    request: &LoadRequest,
    is_resumable: bool,
    is_single: bool,
    platform: &mut Platform<'_>,
    directory: &mut MeasuredDirectory,
) -> Result<()> {
    let stays = request.setup.keep || is_resumable;
    if !request.setup.keep && (!stays || request.resume) {
        directory.reset_keep();
    }
    platform.close()?;
    if stays {
        return Ok(());
    }
    let elsewhere = platform.context.target.is_external();
    if directory.keep() && !elsewhere {
        let note =
            "the database stays in the directory, because an earlier invocation kept it: dbdyno clean removes it";
        platform.context.listener.on_event(&Event::Note(note));
    }
    if is_single && elsewhere {
        // It was opened to be kept; opened again and closed without that, the schema is removed.
        let options = OpenOptions { keep: false, ..OpenOptions::of(directory) };
        let context = platform.context;
        OpenEngine::open(&Setup { keep: false, ..request.setup.clone() }, 1, &context, &options, Access::Claim)?
            .nodes
            .close()?;
    }
    Ok(())
}

/// The error of a source that its layout does not fit; a hint within its message becomes the hint of the error.
pub(super) fn mistake(message: &str) -> Error {
    let (message, hint) = message_and_hint(message);
    let error = Error::user(message);
    hint.map_or(error.clone(), |hint| error.hint(hint))
}

fn message_and_hint(message: &str) -> (&str, Option<&str>) {
    message.split_once("; hint: ").map_or((message, None), |(message, hint)| (message, Some(hint)))
}

/// The error of a failed load; a hint within its message becomes the hint of the error.
pub(super) fn failed(message: &str, is_single: bool) -> Error {
    let (message, hint) = message_and_hint(message);
    let error = Error::environment(message);
    match hint {
        // The hint of the engine comes first, then how to resume.
        Some(hint) if is_single && !hint.contains("--resume") => error.hint(format!("{hint}; {RESUME_HINT}")),
        Some(hint) => error.hint(hint),
        None if is_single => error.hint(RESUME_HINT),
        None => error,
    }
}

/// Whether the load of `record` stopped with rows in its table.
pub(super) fn is_resumable(record: &Record, request: &LoadRequest, error: Option<&Error>) -> bool {
    let is_broken =
        record.runs.iter().any(|run| matches!(run.kind, RunKind::Load { .. }) && run.outcome != Outcome::Done);
    error.is_some_and(|error| is_broken || request.resume || error.fault == Fault::Interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_of_a_failed_run_becomes_the_hint_of_the_error() {
        let error = failed("3 lines were rejected; hint: raise --max-errors and use --resume", true);
        assert_eq!(error.message, "3 lines were rejected");
        assert_eq!(error.hint.as_deref(), Some("raise --max-errors and use --resume"));
        let full = failed("disk full; hint: free space", true).hint.unwrap();
        assert!(full.starts_with("free space; the loaded rows are kept") && full.contains("--resume"), "{full}");
        assert_eq!(failed("disk full", true).hint.as_deref(), Some(RESUME_HINT));
        assert_eq!(failed("disk full", false).hint, None);
    }
}
