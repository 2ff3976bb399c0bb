//! Warnings in words: the sentence of each, the same in every view.

use std::borrow::Cow;

use model::{Instance, Line};
use record::{Location, Outcome, Placement, Record, WarningSubject};

use crate::figure::three_digits;
use crate::finding::finding_text;
use crate::words::{check, degrees};

/// The name of what a warning is about.
pub(crate) fn subject(of: WarningSubject) -> &'static str {
    match of {
        WarningSubject::Abort => "aborted",
        WarningSubject::Check(about) => check(about),
        WarningSubject::Gain => "gain beyond the workers",
    }
}

/// What was found at one place.
pub(crate) fn instance_text<'a>(record: &Record, of: &Instance<'a>) -> Cow<'a, str> {
    match (of.finding, &of.run.outcome) {
        (Some(finding), _) => finding_text(finding).into(),
        (None, Outcome::Failed { message }) => message.into(),
        (None, Outcome::Done) => {
            let sheet = model::sheet(record);
            let line = sheet.lines.iter().find(|line| line.test == of.run.test);
            line.and_then(|line| gain_text(record, line)).unwrap_or_default().into()
        }
    }
}

/// The explanation where no server process could have been placed on another processor.
const ALONE: &str = "something else slowed the single job down; repeat";

/// That the gain of `line` is more than the added workers can give, and a possible cause.
fn gain_text(record: &Record, line: &Line) -> Option<String> {
    let kernel = record.plan.placement == Placement::Kernel;
    let has_server = record.engine.as_ref().is_some_and(|engine| engine.location != Location::InProcess);
    let of_storage = record.runs.iter().any(|run| run.test == line.test && run.storage.is_some());
    let cause = match kernel {
        _ if of_storage => "something delayed the device, or the thread that waited for it, while there was one",
        _ if !has_server || line.is_probe => ALONE,
        true => "the kernel may have put client and server on different processors, see --placement paired",
        false => "the single job spent time waiting, not working",
    };
    let (best, gain) = (line.best.as_ref()?, line.scalability?);
    Some(format!("{} did {} times the rate of one: {cause}", degrees(&[best.dop]), three_digits(gain)))
}
