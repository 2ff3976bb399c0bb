//! The path of the record and the commands that use it.

use record::{Record, Resumption, Status};

use crate::activity::has_activity;
use crate::document::{Block, Command};
use crate::fleet::resume_command;
use crate::layers::has_tables;
use crate::shell_word::shell_word;

/// The last lines. `path` is the path of the record.
pub(super) fn next(record: &Record, path: &str) -> Vec<Block> {
    let word = shell_word(path);
    let command =
        |label, verb: String, options: &str| Command { label, verb, word: word.clone(), options: options.to_owned() };
    let report = |label, options| command(label, "dbdyno report".to_owned(), options);
    let unfinished = record.status != Status::Finished || record.runs.len() < record.plan.runs.len();
    let is_resumable = unfinished && record.plan.subject().properties().resumption == Resumption::ByRecord;
    let commands = [
        is_resumable.then(|| command("resume", resume_command(&record.plan), "")),
        Some(report("show it", "")),
        Some(report("as CSV", "--format csv")),
        has_activity(record).then(|| report("activity", "--activity")),
        has_tables(record).then(|| report("layers", "--layers")),
    ];
    let path = Command::path("record", path);
    vec![Block::Commands([path].into_iter().chain(commands.into_iter().flatten()).collect())]
}
