//! Statements as text: where one ends and the next begins, what kind it is, and which binds it names.

/// What a statement does, by its first word, as the server tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    /// Returns rows.
    Query,
    /// Changes rows.
    Change,
    /// A block of PL/SQL.
    Block,
    /// Definitions, which commit by themselves, and settings.
    Other,
}

impl Verb {
    /// That of a statement.
    pub(crate) fn of(statement: &str) -> Verb {
        match first_word(statement).as_str() {
            "select" | "with" => Verb::Query,
            "insert" | "update" | "delete" | "merge" => Verb::Change,
            "begin" | "declare" | "call" => Verb::Block,
            _ => Verb::Other,
        }
    }
}

/// The statements of `text`, without comments before them.
///
/// A semicolon ends a statement, except in PL/SQL, which is full of them: that ends with a line of a single `/`, or with
/// the text, as in SQL*Plus.
pub(crate) fn statements(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = bare(text);
    while !rest.is_empty() {
        let end = if is_procedural(rest) { end_of_block(rest) } else { end_of_statement(rest) };
        let (statement, behind) = rest.split_at(end);
        if !statement.trim().is_empty() {
            found.push(statement.trim_end());
        }
        // Behind a semicolon, or a line with its slash.
        rest = bare(behind.get(1..).unwrap_or_default());
    }
    found
}

/// The numbers of the binds of `statement`, from 0, in the order in which the server wants their values: one for each
/// occurrence, but in PL/SQL one for each bind.
pub(crate) fn bind_slots(statement: &str) -> Vec<usize> {
    let once = Verb::of(statement) == Verb::Block;
    let mut slots = Vec::new();
    let mut rest = statement;
    while !rest.is_empty() {
        let number = rest.strip_prefix(':').map(|tail| {
            let digits = tail.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(tail.len());
            &tail[..digits]
        });
        // From 1; a larger number than any statement has is no bind of ours, and the server says so.
        let slot = number.and_then(|digits| digits.parse::<u16>().ok()?.checked_sub(1)).map(usize::from);
        if let Some(slot) = slot
            && !(once && slots.contains(&slot))
        {
            slots.push(slot);
        }
        rest = &rest[opaque(rest)..];
    }
    slots
}

/// `text` without white space and comments before it.
pub(crate) fn bare(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some(length) = comment(rest) {
        rest = rest[length..].trim_start();
    }
    rest
}

fn first_word(text: &str) -> String {
    let text = bare(text);
    text[..text.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(text.len())].to_ascii_lowercase()
}

/// Whether `text` begins with something whose semicolons are inside of it.
pub(crate) fn is_procedural(text: &str) -> bool {
    if Verb::of(text) == Verb::Block {
        return first_word(text) != "call";
    }
    let words: Vec<String> = text.split_whitespace().take(5).map(str::to_ascii_lowercase).collect();
    let units = ["function", "procedure", "package", "trigger", "type"];
    let between = ["or", "replace", "editionable", "noneditionable"];
    words.first().is_some_and(|word| word == "create")
        && words[1..].iter().find(|word| !between.contains(&word.as_str())).is_some_and(|word| units.contains(&&**word))
}

/// Up to a line that holds a single `/`.
fn end_of_block(text: &str) -> usize {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim() == "/" {
            return at + line.find('/').unwrap_or_default();
        }
        at += line.len();
    }
    text.len()
}

/// Up to a semicolon outside of quotes and comments.
fn end_of_statement(text: &str) -> usize {
    let mut at = 0;
    while at < text.len() && !text[at..].starts_with(';') {
        at += opaque(&text[at..]);
    }
    at
}

/// The length of the comment that `text` begins with, hints not among them.
fn comment(text: &str) -> Option<usize> {
    until(text, "--", "\n").or_else(|| (!text.starts_with("/*+")).then(|| until(text, "/*", "*/")).flatten())
}

/// The length of what `text` begins with and in which no mark means anything; otherwise one character.
fn opaque(text: &str) -> usize {
    let one = || text.chars().next().map_or(0, char::len_utf8);
    let hint = || until(text, "/*", "*/");
    let word =
        || text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').filter(|length| *length > 1);
    let quoted = || until(text, "'", "'").or_else(|| until(text, "\"", "\""));
    alternative_quotes(text).or_else(quoted).or_else(|| comment(text)).or_else(hint).or_else(word).unwrap_or_else(one)
}

/// The length of `q'[...]'`, in which single quotes mean nothing.
fn alternative_quotes(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("q'").or_else(|| text.strip_prefix("Q'"))?;
    let open = rest.chars().next()?;
    let close = match open {
        '[' => ']',
        '{' => '}',
        '(' => ')',
        '<' => '>',
        other => other,
    };
    let inside = &rest[open.len_utf8()..];
    let end = inside.find(&format!("{close}'")).map_or(inside.len(), |at| at + close.len_utf8() + 1);
    Some(2 + open.len_utf8() + end)
}

fn until(text: &str, start: &str, end: &str) -> Option<usize> {
    let rest = text.strip_prefix(start)?;
    Some(rest.find(end).map_or(text.len(), |at| start.len() + at + end.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_semicolon_ends_a_statement_but_not_in_quotes_comments_and_blocks() {
        let text = "-- first; comment\ninsert into a values ('x;y'); /* ; */ delete from b where c = q'[it's;]';\n";
        assert_eq!(statements(text), ["insert into a values ('x;y')", "delete from b where c = q'[it's;]'"]);
        let function = "create or replace function f return number is\nbegin\n  return 1 / 2;\nend;";
        assert_eq!(statements(&format!("-- T1: head\n{function}\n/\ndrop table a;\n")), [function, "drop table a"]);
        assert_eq!(statements("begin null; end;"), ["begin null; end;"]);
        assert_eq!(statements("select 1 from dual"), ["select 1 from dual"]);
        assert_eq!(statements(" ; \n-- nothing"), [""; 0]);
    }

    #[test]
    fn a_bind_counts_as_often_as_it_stands_but_once_in_a_block() {
        assert_eq!(bind_slots("select :2, ':1', \":3\", :1 /* :4 */ from t where a = :2 -- :5"), [1, 0, 1]);
        assert_eq!(bind_slots("begin a := :1; b := :2 + :1; end;"), [0, 1]);
        assert_eq!(bind_slots("select a from t where b = :x and c = :0 and d = :99999999"), [0usize; 0]);
    }

    #[test]
    fn the_first_word_says_what_a_statement_does() {
        assert_eq!(Verb::of("-- T131: head\n/* more */ select 1 from dual"), Verb::Query);
        assert_eq!(Verb::of("WITH a as (select 1 from dual) select * from a"), Verb::Query);
        assert_eq!(Verb::of("insert /*+ append_values */ into a values (1)"), Verb::Change);
        assert_eq!(Verb::of("begin null; end;"), Verb::Block);
        assert_eq!(Verb::of("create function f return number is begin return 1; end;"), Verb::Other);
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(text in "[\\PC\n]*") {
            let found = statements(&text);
            prop_assert!(found.iter().map(|statement| statement.len()).sum::<usize>() <= text.len());
            let _ = bind_slots(&text);
        }

        #[test]
        fn what_is_joined_is_split_again(count in 1usize..9, comment in "[a-z;' ]*") {
            let text = format!("-- {comment}\nselect 'a;b' from t;\n").repeat(count);
            prop_assert_eq!(statements(&text), vec!["select 'a;b' from t"; count]);
        }
    }
}
