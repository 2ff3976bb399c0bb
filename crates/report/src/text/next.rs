//! Where the record lies and what to do with it.

use record::{Record, Status};

use crate::activity::has_activity;
use crate::layers::has_tables;
use crate::layout::clean;
use crate::storage::is_storage_alone;

/// The last lines of the sheet. `place` is the path of the record, as the user may type it; a long one makes lines
/// longer than the page.
pub(crate) fn next(record: &Record, place: &str) -> Vec<String> {
    let word = word(place);
    let mut lines = vec![format!("record    {}", clean(place))];
    let unfinished = record.status != Status::Finished || record.runs.len() < record.plan.runs.len();
    if unfinished && !is_storage_alone(record) {
        lines.push(format!("go on     dbdyno run --resume {word}"));
    }
    lines.push(format!("show it   dbdyno report {word}"));
    lines.push(format!("as CSV    dbdyno report {word} --format csv"));
    if has_activity(record) {
        lines.push(format!("activity  dbdyno report {word} --activity"));
    }
    if has_tables(record) {
        lines.push(format!("layers    dbdyno report {word} --layers"));
    }
    lines
}

/// `place` as one word of a command. A command is for copying: it is never broken, and a name that a shell would take
/// apart is quoted.
pub(crate) fn word(place: &str) -> String {
    let shown = clean(place);
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+,:@%=".contains(letter);
    match shown.chars().all(plain) {
        true => shown,
        false => format!("'{}'", shown.replace('\'', r"'\''")),
    }
}
