//! The path of the record and the commands that use it.

use record::{PlanSubject, Record, Status};

use crate::activity::has_activity;
use crate::fleet::resume_command;
use crate::layers::has_tables;
use crate::layout::{clean, command, labelled_word};
use crate::shell_word::shell_word;

/// The last lines of the sheet, for `width` columns. A long `path` of the record makes lines longer than the page.
pub(crate) fn next(record: &Record, path: &str, width: usize) -> Vec<String> {
    let word = shell_word(path);
    let mut lines = labelled_word("record", &clean(path), width);
    let unfinished = record.status != Status::Finished || record.runs.len() < record.plan.runs.len();
    // Tables of random blocks and files of streams do not exist any more; a load is resumed by its own command.
    let is_resumable = record.plan.subject() == PlanSubject::Catalogue;
    if unfinished && is_resumable {
        lines.extend(command("resume", &resume_command(&record.plan), &word, "", width));
    }
    let mut command = |label: &str, verb: &str, options: &str| {
        lines.extend(crate::layout::command(label, &format!("dbdyno {verb}"), &word, options, width));
    };
    command("show it", "report", "");
    command("as CSV", "report", "--format csv");
    if has_activity(record) {
        command("activity", "report", "--activity");
    }
    if has_tables(record) {
        command("layers", "report", "--layers");
    }
    lines
}
