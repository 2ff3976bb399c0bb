//! Warnings in words: the sentence of each, the same in every view.

mod document;
mod meaning;
mod told;

use std::borrow::Cow;

use model::{Instance, Line, StateDifference, StateQuantity};
use record::{Location, Outcome, Placement, Record, WarningSubject};

use crate::fact::size_text;
use crate::figure::three_digits;
use crate::finding::{check_words, finding_text};
use crate::words::degrees;

pub(crate) use document::warnings;
pub(crate) use told::main_sentences;

/// The name of what a warning is about.
pub(crate) fn subject(of: WarningSubject) -> &'static str {
    match of {
        WarningSubject::Abort => "aborted",
        WarningSubject::Check(about) => check_words(about).name,
        WarningSubject::Gain => "gain beyond the workers",
        WarningSubject::Drift => "drift over the repeats",
        WarningSubject::State => "another state of the database",
    }
}

/// What was found about `subject` at one place.
pub(crate) fn instance_text<'a>(record: &Record, subject: WarningSubject, of: &Instance<'a>) -> Cow<'a, str> {
    match (of.finding, &of.run.outcome) {
        (Some(finding), _) => finding_text(finding).into(),
        (None, Outcome::Failed { message }) => message.into(),
        (None, Outcome::Done) => {
            let sheet = model::sheet(record);
            let line = sheet.lines.iter().find(|line| line.test == of.run.test);
            let text = line.and_then(|line| match subject {
                WarningSubject::Drift => drift_text(line, of.run.number),
                WarningSubject::State => state_text(line, of.run.number),
                _ => gain_text(record, line),
            });
            text.unwrap_or_default().into()
        }
    }
}

/// The explanation where no server process could have been placed on another processor.
const ALONE: &str = "something else slowed the single job down; repeat";

/// The same where the sessions of a process share the lock of the file.
const FILE_LOCK: &str = "its sessions are of one process and share the lock of the file, which a single one takes and \
                         releases in each transaction, and several rarely";

/// A possible cause of a gain of `line` that is more than the added workers can give.
fn gain_cause(record: &Record, line: &Line) -> &'static str {
    let kernel = record.plan.placement == Placement::Kernel;
    let has_server = record.engine.as_ref().is_some_and(|engine| engine.location != Location::InProcess);
    let of_storage = record.runs.iter().any(|run| run.test == line.test && run.storage.is_some());
    let shares_lock = record.engine.as_ref().is_some_and(|engine| engine.sessions_share_file_lock);
    match kernel {
        _ if of_storage => "something delayed the device, or the thread that waited for it, while there was one",
        _ if line.is_probe => ALONE,
        _ if shares_lock => FILE_LOCK,
        _ if !has_server => ALONE,
        true => "the kernel may have put client and server on different processors, see --placement paired",
        false => "the single job spent time waiting, not working",
    }
}

/// That the gain of `line` is more than the added workers can give, and a possible cause.
fn gain_text(record: &Record, line: &Line) -> Option<String> {
    let cause = gain_cause(record, line);
    let (best, gain) = (line.best.as_ref()?, line.scalability?);
    Some(format!("{} did {} times the rate of one: {cause}", degrees(&[best.dop]), three_digits(gain)))
}

/// That the rates of the repeats of `line` that `run` represents drift, and what that means.
fn drift_text(line: &Line, run: u32) -> Option<String> {
    let drift = line.drifts.iter().find(|drift| drift.run == run)?;
    let direction = if drift.change > 0.0 { "rose" } else { "fell" };
    Some(format!(
        "the rate {direction} by {:.0} % over {} repeats, in the order in which they were measured: each found what those before \
         it had left (a cache that fills, a table that grows), or the machine changed; their median stands for no one state",
        drift.change.abs() * 100.0,
        drift.repeats
    ))
}

/// How the state of the database in `run` differs from that of the other runs of `line`, or changed.
fn state_text(line: &Line, run: u32) -> Option<String> {
    let differing = line.differing_states.iter().find(|differing| differing.run == run)?;
    Some(match differing.difference {
        StateDifference::Begins { quantity, own, others } => {
            format!("begins with {} of {}, other runs with {}", size_text(own), quantity_text(quantity), size_text(others))
        }
        StateDifference::Ends { quantity, begin, end } => {
            format!("begins with {} of {} and ends with {}", size_text(begin), quantity_text(quantity), size_text(end))
        }
        StateDifference::Log { is_written_before: true } => {
            "its commits go to a log that was written before; those of other runs go to a part that was never written, and also change \
             the metadata of the file system"
                .to_owned()
        }
        StateDifference::Log { is_written_before: false } => {
            "its commits go to a part of the log that was never written, and also change the metadata of the file system; those of \
             other runs do not"
                .to_owned()
        }
    })
}

fn quantity_text(quantity: StateQuantity) -> &'static str {
    match quantity {
        StateQuantity::Tables => "tables",
        StateQuantity::Cached => "pages in the buffer cache",
        StateQuantity::Dirty => "pages to be written",
    }
}
