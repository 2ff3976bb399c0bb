//! Connection strings of libpq, `host=db1 user=ann dbname=shop` (PostgreSQL manual, "Keyword/Value Connection Strings"), as
//! targets.

use std::iter::Peekable;
use std::str::Chars;

use engine::{Error, Kind, Result, Secret, Target, may_hold_password, unknown_parameter};

use crate::connect::PARAMETERS;
use crate::discovery;

/// The target in a connection string; `None` if `text` does not begin with one of libpq's keywords.
///
/// # Errors
/// `Usage` for a string that is not one of keywords and values. It is not quoted: any part of it may be a password.
pub fn of(text: &str) -> Option<Result<Target>> {
    let (first, _) = text.split_once('=')?;
    is_known(first.trim()).then(|| parse(text))
}

fn is_known(keyword: &str) -> bool {
    keyword == "password" || keyword == discovery::PARAMETER || PARAMETERS.contains(&keyword)
}

fn parse(text: &str) -> Result<Target> {
    let mut target = Target {
        scheme: "postgres".to_owned(),
        local: false,
        user: None,
        password: None,
        addresses: Vec::new(),
        database: None,
        parameters: Vec::new(),
    };
    let usage = |problem: &str, hint: &str| Err(Error::new(Kind::Usage, format!("the target {problem}")).hint(hint));
    let mut letters = text.chars().peekable();
    loop {
        skip_spaces(&mut letters);
        if letters.peek().is_none() {
            return Ok(target);
        }
        let keyword = keyword(&mut letters);
        skip_spaces(&mut letters);
        if letters.next() != Some('=') {
            return usage(
                "is a list of keywords, and one of them has no value",
                "write NAME=VALUE, a value with spaces in single quotes",
            );
        }
        skip_spaces(&mut letters);
        let Some(value) = value(&mut letters) else {
            return usage(
                "is a list of keywords, and a quotation mark is not closed",
                "close it; within it write \\' for '",
            );
        };
        match keyword.as_str() {
            "password" => target.password = Some(Secret::new(value)),
            "user" => target.user = Some(value).filter(|user| !user.is_empty()),
            "dbname" => target.database = Some(value).filter(|name| !name.is_empty()),
            _ if !is_known(&keyword) && target.password.is_some() => {
                return usage("has a keyword that is not known", "a password with spaces stands in single quotes");
            }
            name if !is_known(name) => {
                return Err(unknown_parameter(&target, name, &PARAMETERS, "see the parameters of libpq in its manual"));
            }
            _ => target.parameters.push((keyword, value)),
        }
        let values = target.parameters.iter().map(|(_, value)| value).chain(&target.user).chain(&target.database);
        if values.into_iter().any(|value| value.contains(['=', ';']) && may_hold_password(value)) {
            return usage(
                "names a password where none is expected",
                "keywords of libpq are separated by spaces: password=WORD",
            );
        }
    }
}

fn skip_spaces(letters: &mut Peekable<Chars<'_>>) {
    while letters.next_if(|letter| letter.is_whitespace()).is_some() {}
}

fn keyword(letters: &mut Peekable<Chars<'_>>) -> String {
    std::iter::from_fn(|| letters.next_if(|letter| *letter != '=' && !letter.is_whitespace())).collect()
}

/// The next value, in quotation marks or up to a space; `None` where a mark is not closed. A backslash escapes.
fn value(letters: &mut Peekable<Chars<'_>>) -> Option<String> {
    let is_quoted = letters.next_if_eq(&'\'').is_some();
    let mut value = String::new();
    loop {
        match letters.next() {
            None if is_quoted => return None,
            None => return Some(value),
            Some('\'') if is_quoted => return Some(value),
            Some('\\') => value.extend(letters.next()),
            Some(letter) if !is_quoted && letter.is_whitespace() => return Some(value),
            Some(letter) => value.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_connection_string_is_a_target() {
        for (text, expected, password) in [
            ("host=127.0.0.1 password=TOPSECRET user=bench", "postgres://bench@?host=127.0.0.1", Some("TOPSECRET")),
            (
                " dbname = 'my shop'  user=ann  options='-c work_mem=8MB' password='it\\'s \\\\' ",
                "postgres://ann@/my%20shop?options=-c%20work_mem%3D8MB",
                Some("it's \\"),
            ),
            ("host=h1,h2 port=5432 dbname=", "postgres?host=h1%2Ch2&port=5432", None),
            ("service=shop nodes=all", "postgres?service=shop&nodes=all", None),
        ] {
            let target = of(text).expect(text).expect(text);
            assert_eq!(target.to_string(), expected, "{text}");
            assert_eq!(target.password.as_ref().map(Secret::reveal), password, "{text}");
            assert!(target.is_external(), "{text}");
        }
        for text in ["sqlite", "postgres://h/d?user=x", "Server=h;Uid=u;Pwd=tiger;", "local:postgres?fsync=off", "x"] {
            assert!(of(text).is_none(), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_without_the_text() {
        for text in [
            "host=h password=tiger tiger",
            "host=h password='tiger",
            "host=h password=a tiger=b",
            "host=h;password=tiger",
            "user=ann;Pwd=tiger",
            "password=a tiger",
        ] {
            let error = of(text).expect(text).expect_err(text);
            assert!(error.kind == Kind::Usage && error.hint.is_some(), "{error:?}");
            assert!(!format!("{error:?}").contains("tiger"), "{error:?}");
        }
        let error = of("host=h sslmod=require").expect("one").expect_err("unknown");
        assert_eq!(error.hint.as_deref(), Some("did you mean sslmode?"));
    }

    proptest! {
        #[test]
        fn no_password_is_shown(word in "[a-zA-Z' \\\\=;&@/?]{0,6}hunterX[a-zA-Z' \\\\=;&@/?]{0,6}") {
            let text = format!("host=db1 password={word} user=ann");
            let shown = match of(&text).expect("keywords") {
                Ok(target) => format!("{target} {target:?}"),
                Err(error) => format!("{error:?}"),
            };
            // Where a space ends the password, its rest is a keyword that libpq knows, with a value.
            let rest = word.split(char::is_whitespace).skip(1).any(|part| part.contains('='));
            prop_assert!(rest || !shown.contains("hunterX"), "{}: {}", text, shown);
        }
    }
}
