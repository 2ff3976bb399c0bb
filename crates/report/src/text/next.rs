//! Where the record lies and what to do with it.

use record::{PlanSubject, Record, Status};

use crate::activity::has_activity;
use crate::layers::has_tables;
use crate::layout::clean;

/// Column of the commands beside what they are for.
const INDENT: usize = 10;

/// The last lines of the sheet, for `width` columns. `place` is the path of the record, as the user may type it; a long one
/// makes lines longer than the page.
pub(crate) fn next(record: &Record, place: &str, width: usize) -> Vec<String> {
    let word = word(place);
    let mut lines = labelled("record", &clean(place), width);
    let unfinished = record.status != Status::Finished || record.runs.len() < record.plan.runs.len();
    let mut command = |label: &str, verb: &str, options: &str| {
        lines.extend(self::command(label, &format!("dbdyno {verb}"), &word, options, width));
    };
    // What random blocks have begun with is not there any more, nor are files of streams; a load is gone on with by its
    // own command.
    let stays = record.plan.subject() == PlanSubject::Catalogue;
    if unfinished && stays {
        command("go on", "run --resume", "");
    }
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

/// The command `verb` about the record that is `word`, beside what it is for. A command is for copying: one that is too long
/// for `width` columns goes on in the next line as a shell reads it, and no word of it is broken.
pub(crate) fn command(label: &str, verb: &str, word: &str, options: &str, width: usize) -> Vec<String> {
    let whole = format!("{verb} {word} {options}");
    let whole = whole.trim_end();
    if INDENT + whole.chars().count() <= width {
        return vec![format!("{label:<INDENT$}{whole}")];
    }
    let parts: Vec<&str> = [word, options].into_iter().filter(|part| !part.is_empty()).collect();
    let mut pieces = vec![verb.to_owned()];
    for (index, part) in parts.iter().enumerate() {
        // All but the last line end with a backslash.
        let mark = if index + 1 < parts.len() { 2 } else { 0 };
        let fits = |line: &&mut String| INDENT + line.chars().count() + 1 + part.chars().count() + mark <= width;
        match pieces.last_mut().filter(fits) {
            Some(last) => *last = format!("{last} {part}"),
            None => pieces.push(format!("  {part}")),
        }
    }
    let last = pieces.len() - 1;
    let line = |(index, piece): (usize, String)| {
        let label = if index == 0 { label } else { "" };
        let goes_on = if index < last { " \\" } else { "" };
        format!("{label:<INDENT$}{piece}{goes_on}")
    };
    pieces.into_iter().enumerate().map(line).collect()
}

/// A word that is never broken, beside what it is; on a line of its own where the page is too narrow for both.
fn labelled(label: &str, word: &str, width: usize) -> Vec<String> {
    match INDENT + word.chars().count() <= width {
        true => vec![format!("{label:<INDENT$}{word}")],
        false => vec![label.to_owned(), word.to_owned()],
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_is_too_long_can_still_be_copied() {
        let said = |width| command("layers", "dbdyno report", "a-record-with-a-long-name.json", "--layers", width);
        assert_eq!(said(80), ["layers    dbdyno report a-record-with-a-long-name.json --layers"]);
        let folded = ["layers    dbdyno report a-record-with-a-long-name.json \\", "            --layers"];
        assert_eq!(said(60), folded);
        let narrow = ["layers    dbdyno report \\", "            a-record-with-a-long-name.json --layers"];
        assert_eq!(said(52), narrow);
    }
}
