//! Meta commands: the words of their lines.

use super::error::Mistake;
use super::names::check_name;

/// A meta command; expressions are not read yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meta {
    Set {
        name: String,
        expression: String,
    },
    If(String),
    ElseIf(String),
    Else,
    EndIf,
    Sleep {
        length: Length,
        unit_us: i64,
    },
    StartPipeline,
    SyncPipeline,
    EndPipeline,
    /// `\gset`: variables of the one row of the last statement.
    Row {
        prefix: String,
    },
    /// `\aset`: variables of the last row of each statement.
    LastRows {
        prefix: String,
    },
}

/// How long to sleep, in the unit that was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    Fixed(i64),
    /// The value of this variable.
    Variable(String),
}

const NAMES: [&str; 11] =
    ["set", "if", "elif", "else", "endif", "sleep", "startpipeline", "syncpipeline", "endpipeline", "gset", "aset"];

/// Reads the line `text` after its backslash.
pub(crate) fn meta(text: &str) -> Result<Meta, Mistake> {
    let (name, rest) = word(text);
    let no_argument = |meta: Meta| match word(rest).0 {
        "" => Ok(meta),
        more => Err(Mistake::new(format!("\\{name} has the argument `{more}`"), format!("\\{name} takes none"))),
    };
    match name.to_ascii_lowercase().as_str() {
        "set" => set(rest),
        "if" => Ok(Meta::If(rest.to_owned())),
        "elif" => Ok(Meta::ElseIf(rest.to_owned())),
        "else" => no_argument(Meta::Else),
        "endif" => no_argument(Meta::EndIf),
        "sleep" => sleep(rest),
        "startpipeline" => no_argument(Meta::StartPipeline),
        "syncpipeline" => no_argument(Meta::SyncPipeline),
        "endpipeline" => no_argument(Meta::EndPipeline),
        "gset" => Ok(Meta::Row { prefix: prefix(name, rest)? }),
        "aset" => Ok(Meta::LastRows { prefix: prefix(name, rest)? }),
        "shell" | "setshell" => Err(Mistake::new(
            format!("\\{name} runs a program on this host, and dbdyno runs none"),
            "set a variable by an expression, or define it with --define NAME=VALUE",
        )),
        _ => {
            let like = base::similar(name, NAMES);
            let hint = match like.first() {
                Some(like) => format!("did you mean \\{like}?"),
                None => format!("the commands are \\{}", NAMES.join(", \\")),
            };
            Err(Mistake::new(format!("\\{name} is no meta command"), hint))
        }
    }
}

/// The first word of `text`, and what follows it.
fn word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))
}

fn missing(name: &str, form: &str) -> Mistake {
    Mistake::new(format!("\\{name} has no argument"), format!("write \\{name} {form}"))
}

fn set(rest: &str) -> Result<Meta, Mistake> {
    let (name, expression) = word(rest);
    if name.is_empty() {
        return Err(missing("set", "NAME EXPRESSION"));
    }
    check_name(name)?;
    Ok(Meta::Set { name: name.to_owned(), expression: expression.to_owned() })
}

fn prefix(name: &str, rest: &str) -> Result<String, Mistake> {
    let (prefix, more) = word(rest);
    match word(more).0 {
        "" if prefix.is_empty() => Ok(String::new()),
        "" => check_name(prefix).map(|()| prefix.to_owned()),
        more => Err(Mistake::new(format!("\\{name} has a second argument `{more}`"), "give one prefix, or none")),
    }
}

/// `NUMBER [us|ms|s]`, also without a blank between them; seconds without a unit.
fn sleep(rest: &str) -> Result<Meta, Mistake> {
    let (number, rest) = word(rest);
    let (unit, more) = word(rest);
    if number.is_empty() {
        return Err(missing("sleep", "NUMBER [us|ms|s]"));
    }
    let more = word(more).0;
    if !more.is_empty() {
        return Err(Mistake::new(format!("\\sleep has a third argument `{more}`"), "write \\sleep NUMBER [us|ms|s]"));
    }
    let (length, attached) = match number.strip_prefix(':') {
        Some(name) => {
            check_name(name)?;
            (Length::Variable(name.to_owned()), "")
        }
        None => {
            let sign = usize::from(number.starts_with(['+', '-']));
            let digits = number[sign..].find(|letter: char| !letter.is_ascii_digit());
            let (figures, attached) = number.split_at(digits.map_or(number.len(), |digits| sign + digits));
            let value = figures.parse().map_err(|_| {
                let message = format!("`{number}` is no length of \\sleep");
                Mistake::new(message, "write a whole number and a unit, such as \\sleep 10 ms")
            })?;
            (Length::Fixed(value), attached)
        }
    };
    let unit = match (attached, unit) {
        ("", "") => "s",
        ("", unit) | (unit, "") => unit,
        (_, unit) => return Err(Mistake::new(format!("\\sleep has a second unit `{unit}`"), "leave one of them out")),
    };
    let unit_us = match unit.to_ascii_lowercase().as_str() {
        "us" => 1,
        "ms" => 1_000,
        "s" => 1_000_000,
        _ => return Err(Mistake::new(format!("`{unit}` is no unit of \\sleep"), "use us, ms or s")),
    };
    Ok(Meta::Sleep { length, unit_us })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_command_has_its_arguments() {
        let set = |name: &str, expression: &str| Meta::Set { name: name.to_owned(), expression: expression.to_owned() };
        let fixed = |number: i64, unit_us: i64| Meta::Sleep { length: Length::Fixed(number), unit_us };
        for (text, expected) in [
            ("set a 1 + 2", set("a", " 1 + 2")),
            ("SET  a\t1", set("a", "\t1")),
            ("if :x = 1", Meta::If(" :x = 1".to_owned())),
            ("elif 0", Meta::ElseIf(" 0".to_owned())),
            ("else ", Meta::Else),
            ("endif", Meta::EndIf),
            ("sleep 10 ms", fixed(10, 1_000)),
            ("sleep 10US", fixed(10, 1)),
            ("sleep 2", fixed(2, 1_000_000)),
            ("sleep -1 s", fixed(-1, 1_000_000)),
            ("sleep :n ms", Meta::Sleep { length: Length::Variable("n".to_owned()), unit_us: 1_000 }),
            ("startpipeline", Meta::StartPipeline),
            ("syncpipeline", Meta::SyncPipeline),
            ("endpipeline", Meta::EndPipeline),
            ("gset", Meta::Row { prefix: String::new() }),
            ("gset p_", Meta::Row { prefix: "p_".to_owned() }),
            ("aset  p_ ", Meta::LastRows { prefix: "p_".to_owned() }),
        ] {
            assert_eq!(meta(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn mistakes_have_hints() {
        for (text, message, hint) in [
            ("shell echo", "\\shell runs a program", "--define"),
            ("setshell x echo 1", "\\setshell runs a program", "--define"),
            ("sett a 1", "\\sett is no meta command", "did you mean \\set"),
            ("", "\\ is no meta command", "the commands are"),
            ("set", "\\set has no argument", "NAME EXPRESSION"),
            ("set 1a 2", "`1a` is no name", "no digit first"),
            ("sleep", "\\sleep has no argument", "NUMBER"),
            ("sleep ten", "`ten` is no length", "10 ms"),
            ("sleep 10 min", "`min` is no unit", "us, ms or s"),
            ("sleep 10ms s", "second unit `s`", "leave one"),
            ("sleep 1 s x", "third argument `x`", "NUMBER"),
            ("else 1", "\\else has the argument `1`", "takes none"),
            ("gset a b", "second argument `b`", "one prefix"),
        ] {
            let mistake = meta(text).expect_err(text);
            assert!(mistake.message.contains(message) && mistake.hint.contains(hint), "{text}: {mistake:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(name in prop::sample::select(NAMES.to_vec()), text in "\\PC{0,40}") {
            let _ = meta(&text);
            let _ = meta(&format!("{name} {text}"));
        }
    }
}
