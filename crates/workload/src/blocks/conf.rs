//! The format of `slob.conf`: shell assignments, read without a shell.

use std::fmt;

use super::ignored;
use super::settings::{BlocksSettings, KNOWN, known};
use super::value::Wrong;

/// One assignment.
#[derive(Clone, PartialEq, Eq)]
pub struct Assignment {
    /// Its line, from 1.
    pub line: u32,
    /// The name before the equals sign.
    pub name: String,
    /// The value, without quotes. It may be a password: it is never shown. Empty if only a shell could evaluate it, for
    /// a setting that is ignored.
    pub value: String,
}

impl fmt::Debug for Assignment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}: {}=...", self.line, self.name)
    }
}

/// An assignment of a file that is known and ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// Its line, from 1.
    pub line: u32,
    /// Its name.
    pub name: String,
    /// Why, as a clause.
    pub reason: &'static str,
}

/// Why a text is not a file of assignments.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ConfError {
    /// The line, from 1.
    pub line: u32,
    /// What is wrong, without the text: it may be a password.
    pub message: String,
    /// What to do about it.
    pub hint: &'static str,
}

/// The settings of a file that [`BlocksSettings::conf`] wrote.
///
/// # Errors
/// For what is no such text.
pub fn settings_of(text: &str) -> Result<BlocksSettings, Wrong> {
    let mut settings = BlocksSettings::default();
    let assignments = assignments(text).map_err(|error| Wrong::new(error.to_string(), error.hint))?;
    settings.set_all(&assignments)?;
    Ok(settings)
}

impl BlocksSettings {
    /// Sets all assignments of a file; returns those that are ignored.
    ///
    /// # Errors
    /// For an impossible value, with its line; and for unknown names, all of them with their lines.
    pub fn set_all(&mut self, assignments: &[Assignment]) -> Result<Vec<Ignored>, Wrong> {
        let (read, others): (Vec<&Assignment>, Vec<&Assignment>) =
            assignments.iter().partition(|one| KNOWN.contains(&one.name.as_str()));
        for Assignment { line, name, value } in read {
            let on_line = |wrong: Wrong| Wrong { message: format!("line {line}: {}", wrong.message), ..wrong };
            self.set(name, name, value).map_err(on_line)?;
        }
        let reason = |one: &Assignment| {
            ignored::always(&one.name).or_else(|| ignored::at_value(&one.name, &one.value, self.hot_spot().is_some()))
        };
        let unknown: Vec<&Assignment> = others.iter().copied().filter(|one| reason(one).is_none()).collect();
        match unknown.is_empty() {
            true => Ok(others
                .into_iter()
                .filter_map(|one| Some(Ignored { line: one.line, name: one.name.clone(), reason: reason(one)? }))
                .collect()),
            false => Err(unknown_settings(&unknown)),
        }
    }
}

/// The error of assignments to settings that there are not, or not any more.
fn unknown_settings(unknown: &[&Assignment]) -> Wrong {
    let shown = |one: &&Assignment| match ignored::successor(&one.name) {
        Some(successor) => format!("line {}: {} (now {successor})", one.line, one.name),
        None => format!("line {}: {}", one.line, one.name),
    };
    let all = unknown.iter().map(shown).collect::<Vec<String>>().join(", ");
    let is_former = |one: &&Assignment| ignored::successor(&one.name).is_some();
    let hint = match unknown.iter().all(is_former) {
        true => "give the present names with values that mean the same, or leave them out".to_owned(),
        false => known(),
    };
    let what = if unknown.len() == 1 { "is not a setting" } else { "are not settings" };
    Wrong::new(format!("{all} {what} of this method"), hint)
}

/// Reads `text`: lines of `NAME=value`, with comments, quotes and `export`.
///
/// # Errors
/// For what only a shell could evaluate (substitutions, commands), for quotes without an end, and for a setting that is
/// given twice. Not for the value of an ignored setting.
pub fn assignments(text: &str) -> Result<Vec<Assignment>, ConfError> {
    // Windows editors write a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut found: Vec<Assignment> = Vec::new();
    for (content, line) in text.lines().zip(1..) {
        let made = match (of_line(content), ignored_name(content)) {
            (Ok(made), _) => made,
            (Err(_), Some(name)) => vec![(name.to_owned(), String::new())],
            (Err((message, hint)), None) => return Err(ConfError { line, message: message.to_owned(), hint }),
        };
        for (name, value) in made {
            let before = found.iter().find(|one| one.name == name && ignored::always(&name).is_none());
            if let Some(Assignment { line: first, .. }) = before {
                let message = format!("{name} is set a second time, after line {first}");
                return Err(ConfError { line, message, hint: "remove one of the two" });
            }
            found.push(Assignment { line, name, value });
        }
    }
    Ok(found)
}

/// Names and values of one line.
fn of_line(content: &str) -> Result<Vec<(String, String)>, Fault> {
    let mut made = Vec::new();
    let mut exported = false;
    for word in words(content)? {
        if word == "export" {
            exported = true;
            continue;
        }
        match word.split_once('=') {
            Some((name, value)) if is_name(name) => made.push((name.to_owned(), value.to_owned())),
            // `export NAME` exports an earlier assignment.
            None if exported && is_name(&word) => {}
            _ => return Err(("it is not an assignment NAME=value", "put comments after a #")),
        }
    }
    Ok(made)
}

/// The name in `content`, if it is a single ignored setting: its value may be anything.
fn ignored_name(content: &str) -> Option<&str> {
    let words = content.split(|letter: char| letter == ';' || letter.is_whitespace());
    let mut words = words.filter(|word| !word.is_empty() && *word != "export");
    let name_of = |word: &str| word.find('=').filter(|at| is_name(&word[..*at]));
    let first = words.next()?;
    let name = &first[..name_of(first)?];
    let mut others = words.take_while(|word| !word.starts_with('#'));
    (ignored::always(name).is_some() && !others.any(|word| name_of(word).is_some())).then_some(name)
}

/// Whether a shell takes `text` as the name of a variable.
fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// What is wrong with a line, and what to do about it.
type Fault = (&'static str, &'static str);

const NO_SHELL: &str = "dbdyno runs no shell: write the value itself, or put it in single quotes";

/// The words of one line, without quotes.
fn words(line: &str) -> Result<Vec<String>, Fault> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            // Inside a word it is literal.
            '#' if word.is_none() => break,
            ';' => words.extend(word.take()),
            letter if letter.is_whitespace() => words.extend(word.take()),
            '\'' => quoted(&mut letters, '\'', word.get_or_insert_default())?,
            '"' => quoted(&mut letters, '"', word.get_or_insert_default())?,
            '\\' => match letters.next() {
                Some(escaped) => word.get_or_insert_default().push(escaped),
                None => return Err(("it continues in the next line", "write each assignment in one line")),
            },
            '$' | '`' => return Err(("it contains a substitution", NO_SHELL)),
            '|' | '&' | '<' | '>' | '(' | ')' => return Err(("it is a command", NO_SHELL)),
            letter => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    Ok(words)
}

/// Appends the text up to the closing `quote` to `word`.
fn quoted(letters: &mut std::str::Chars<'_>, quote: char, word: &mut String) -> Result<(), Fault> {
    while let Some(letter) = letters.next() {
        match letter {
            letter if letter == quote => return Ok(()),
            '$' | '`' if quote == '"' => return Err(("it contains a substitution", NO_SHELL)),
            // Between double quotes a backslash is literal, unless it escapes the next character.
            '\\' if quote == '"' => match letters.next() {
                Some(escaped @ ('"' | '\\' | '$' | '`')) => word.push(escaped),
                Some(other) => word.extend(['\\', other]),
                None => break,
            },
            letter => word.push(letter),
        }
    }
    Err(("a quote has no end", "close the quote in the same line"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Vec<(String, String)> {
        assignments(text).expect(text).into_iter().map(|one| (one.name, one.value)).collect()
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn assignments_are_read_as_a_shell_reads_them() {
        let text = "# a comment\n\n  UPDATE_PCT=30\nexport RUN_TIME=7200 # seconds\nSCALE='80M'\n\
                    WORK_UNIT=\"64\"; REDO_STRESS=LI\"TE\"\nEXTERNAL_SCRIPT=''\nSYSDBA_PASSWD='a b#$c'\n\
                    export UPDATE_PCT RUN_TIME\nA=b#c\nD=\"\\\"e\\f\"\nG=h\\ i\r\n";
        let expected = [
            ("UPDATE_PCT", "30"),
            ("RUN_TIME", "7200"),
            ("SCALE", "80M"),
            ("WORK_UNIT", "64"),
            ("REDO_STRESS", "LITE"),
            ("EXTERNAL_SCRIPT", ""),
            ("SYSDBA_PASSWD", "a b#$c"),
            ("A", "b#c"),
            ("D", "\"e\\f"),
            ("G", "h i"),
        ];
        assert_eq!(read(text), pairs(&expected));
        assert_eq!(assignments("\n\nB=1").expect("one")[0].line, 3);
    }

    #[test]
    fn shell_syntax_is_refused_without_showing_the_value() {
        for (text, word) in [
            ("SCALE=$HOME", "substitution"),
            ("SCALE=\"$(secret)\"", "substitution"),
            ("SCALE=`secret`", "substitution"),
            ("rm -rf secret", "not an assignment"),
            ("A=1 && secret", "command"),
            ("EXTERNAL_SCRIPT=$secret; SCALE=$secret", "substitution"),
            ("A='secret", "no end"),
            ("A=\"secret\\", "no end"),
            ("A=secret\\", "next line"),
            ("1A=secret", "not an assignment"),
            ("secret", "not an assignment"),
            ("=secret", "not an assignment"),
        ] {
            let error = assignments(&format!("X=1\n{text}")).expect_err(text);
            assert_eq!(error.line, 2, "{text}");
            assert!(error.message.contains(word), "{text}: {error}");
            assert!(!error.to_string().contains("secret") && !error.hint.is_empty());
        }
    }

    #[test]
    fn the_value_of_an_ignored_setting_may_be_anything() {
        for line in [
            "EXTERNAL_SCRIPT=$PWD/x",
            "export EXTERNAL_SCRIPT=\"$(pwd)/x\" # its own",
            "SYSDBA_PASSWD=`cat secret`",
            "EXTERNAL_SCRIPT=$PWD/x # SCALE=1G",
            "ADMIN_SQLNET_SERVICE='no end",
            "NO_OS_PERF_DATA=a b",
        ] {
            let found = read(&format!("{line}\nSCALE=80M"));
            assert_eq!(found.len(), 2, "{line}");
            assert!(ignored::always(&found[0].0).is_some() && found[0].1.is_empty(), "{line}: {found:?}");
            assert_eq!(found[1], ("SCALE".to_owned(), "80M".to_owned()));
        }
    }

    #[test]
    fn a_setting_is_made_once() {
        let error = assignments("SCALE=80M\n\nSCALE=90M\n").expect_err("twice");
        assert_eq!(error.to_string(), "line 3: SCALE is set a second time, after line 1");
        assert!(assignments("BLOCK_SZ=8k\nBLOCK_SZ=16k").is_ok(), "an ignored setting may be given twice");
    }

    #[test]
    fn a_byte_order_mark_is_skipped() {
        assert_eq!(read("\u{feff}SCALE=80M\r\n"), pairs(&[("SCALE", "80M")]));
    }

    #[test]
    fn a_value_is_in_no_debug_output() {
        let read = assignments("SYSDBA_PASSWD=tiger").expect("one");
        assert!(!format!("{read:?}").contains("tiger"));
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "[\\PC\n\r]{0,200}") {
            let _ = assignments(&text);
        }

        #[test]
        fn no_value_of_an_ignored_setting_is_refused(value in "[^=\\p{C}]{0,40}") {
            let text = format!("export EXTERNAL_SCRIPT={value}");
            prop_assert!(assignments(&text).is_ok(), "{}", text);
        }

        #[test]
        fn single_quoted_values_are_literal(
            values in prop::collection::vec("[^'\n\r]{0,20}", 0..8),
        ) {
            let lines = values.iter().zip(0..).map(|(value, nth)| format!("export N{nth}='{value}' # x\n"));
            let text: String = lines.collect();
            let found: Vec<String> = assignments(&text).expect("good").into_iter().map(|one| one.value).collect();
            prop_assert_eq!(found, values);
        }
    }
}
