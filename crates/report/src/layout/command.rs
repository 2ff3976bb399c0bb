//! Commands that can be copied, and words that are not broken.

/// Column of the commands.
pub(crate) const INDENT: usize = 10;

/// The command `verb` for the record `word` after its label. A command that is too long for `width` columns is
/// continued on the next line with a backslash, so that it can be copied; no word is broken.
pub(crate) fn command(label: &str, verb: &str, word: &str, options: &str, width: usize) -> Vec<String> {
    let whole = format!("{verb} {word} {options}");
    let whole = whole.trim_end();
    if INDENT + whole.chars().count() <= width {
        return vec![format!("{label:<INDENT$}{whole}")];
    }
    let parts: Vec<&str> = [word, options].into_iter().filter(|part| !part.is_empty()).collect();
    let mut rows = vec![verb.to_owned()];
    for (index, part) in parts.iter().enumerate() {
        // All but the last line end with a backslash.
        let mark = if index + 1 < parts.len() { 2 } else { 0 };
        let fits = |line: &&mut String| INDENT + line.chars().count() + 1 + part.chars().count() + mark <= width;
        match rows.last_mut().filter(fits) {
            Some(last) => *last = format!("{last} {part}"),
            None => rows.push(format!("  {part}")),
        }
    }
    let last = rows.len() - 1;
    let line = |(index, row): (usize, String)| {
        let label = if index == 0 { label } else { "" };
        let continuation = if index < last { " \\" } else { "" };
        format!("{label:<INDENT$}{row}{continuation}")
    };
    rows.into_iter().enumerate().map(line).collect()
}

/// A word that is never broken after its label; on a line of its own where the page is too narrow for both.
pub(crate) fn labelled_word(label: &str, word: &str, width: usize) -> Vec<String> {
    match INDENT + word.chars().count() <= width {
        true => vec![format!("{label:<INDENT$}{word}")],
        false => vec![label.to_owned(), word.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_is_too_long_can_still_be_copied() {
        let lines = |width| command("layers", "dbdyno report", "a-record-with-a-long-name.json", "--layers", width);
        assert_eq!(lines(80), ["layers    dbdyno report a-record-with-a-long-name.json --layers"]);
        let folded = ["layers    dbdyno report a-record-with-a-long-name.json \\", "            --layers"];
        assert_eq!(lines(60), folded);
        let narrow = ["layers    dbdyno report \\", "            a-record-with-a-long-name.json --layers"];
        assert_eq!(lines(52), narrow);
    }
}
