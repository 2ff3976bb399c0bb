//! Words of expressions.

use super::error::Mistake;

/// A word of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token<'a> {
    Int(i64),
    /// 2^63, which is a number only after a minus.
    IntBeyond,
    Double(f64),
    /// A variable, without its colon.
    Variable(&'a str),
    /// The name of a function.
    Name(&'a str),
    Keyword(Keyword),
    /// An operator, a bracket or a comma.
    Symbol(&'static str),
}

/// A word with a meaning of its own, in letters of any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keyword {
    And,
    Or,
    Not,
    Is,
    IsNull,
    NotNull,
    Null,
    True,
    False,
    Case,
    When,
    Then,
    Else,
    End,
}

const KEYWORDS: [(&str, Keyword); 14] = [
    ("and", Keyword::And),
    ("or", Keyword::Or),
    ("not", Keyword::Not),
    ("is", Keyword::Is),
    ("isnull", Keyword::IsNull),
    ("notnull", Keyword::NotNull),
    ("null", Keyword::Null),
    ("true", Keyword::True),
    ("false", Keyword::False),
    ("case", Keyword::Case),
    ("when", Keyword::When),
    ("then", Keyword::Then),
    ("else", Keyword::Else),
    ("end", Keyword::End),
];

/// Longer ones before those that they begin with.
const SYMBOLS: [&str; 20] =
    ["<<", ">>", "<=", ">=", "<>", "!=", "<", ">", "=", "+", "-", "*", "/", "%", "&", "|", "#", "~", "(", ")"];

/// Whether a name may begin with `letter`: letters, `_`, and whatever is not ASCII.
pub(crate) fn begins_name(letter: char) -> bool {
    letter.is_ascii_alphabetic() || letter == '_' || !letter.is_ascii()
}

/// Whether a name may go on with `letter`.
pub(crate) fn continues_name(letter: char) -> bool {
    begins_name(letter) || letter.is_ascii_digit()
}

/// The length of the name at the start of `text`; 0 where there is none.
pub(crate) fn name_length(text: &str) -> usize {
    match text.starts_with(begins_name) {
        true => text.find(|letter| !continues_name(letter)).unwrap_or(text.len()),
        false => 0,
    }
}

/// The words of `text`.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token<'_>>, Mistake> {
    let mut rest = text.trim_start();
    let mut found = Vec::new();
    while !rest.is_empty() {
        let (token, length) = token(rest)?;
        found.push(token);
        rest = rest[length..].trim_start();
    }
    Ok(found)
}

/// The word at the start of `text`, which is not empty, and its length.
fn token(text: &str) -> Result<(Token<'_>, usize), Mistake> {
    if let Some(name) = text.strip_prefix(':') {
        let length = name.find(|letter| !continues_name(letter)).unwrap_or(name.len());
        return match length {
            0 => Err(Mistake::new("a colon without a name", "write a variable as :name")),
            _ => Ok((Token::Variable(&name[..length]), length + 1)),
        };
    }
    if text.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        return number(text);
    }
    let length = name_length(text);
    if length > 0 {
        let name = &text[..length];
        let keyword = KEYWORDS.iter().find(|(word, _)| word.eq_ignore_ascii_case(name));
        return Ok((keyword.map_or(Token::Name(name), |(_, keyword)| Token::Keyword(*keyword)), length));
    }
    let symbols = SYMBOLS.iter().chain(&[","]);
    match symbols.copied().find(|symbol| text.starts_with(symbol)) {
        Some(symbol) => Ok((Token::Symbol(symbol), symbol.len())),
        None => {
            let letter = text.chars().next().unwrap_or(' ');
            Err(Mistake::new(
                format!("`{letter}` has no meaning in an expression"),
                "the operators are those of pgbench; text is no value there",
            ))
        }
    }
}

/// The number at the start of `text`, and its length.
fn number(text: &str) -> Result<(Token<'_>, usize), Mistake> {
    let digits = |text: &str| text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let whole = digits(text);
    let mut length = whole;
    if text[length..].starts_with('.') {
        let fraction = digits(&text[length + 1..]);
        if whole == 0 && fraction == 0 {
            return Err(Mistake::new("a point without digits", "write a double as 0.5"));
        }
        length += 1 + fraction;
    }
    if let Some(exponent) = text[length..].strip_prefix(['e', 'E']) {
        let sign = usize::from(exponent.starts_with(['+', '-']));
        let figures = digits(&exponent[sign..]);
        if figures > 0 {
            length += 1 + sign + figures;
        }
    }
    let word = &text[..length];
    if length > whole {
        return match word.parse() {
            Ok(value) if f64::is_finite(value) => Ok((Token::Double(value), length)),
            _ => Err(Mistake::new(format!("double {word} is beyond 1.8e308"), "write a smaller number")),
        };
    }
    match word.parse::<u64>() {
        Ok(value) if value <= i64::MAX as u64 => Ok((Token::Int(value as i64), length)),
        Ok(value) if value == 1 << 63 => Ok((Token::IntBeyond, length)),
        _ => Err(Mistake::new(
            format!("integer {word} is above 9223372036854775807"),
            "write a smaller one, or a double such as 1e19",
        )),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_split_as_in_pgbench() {
        let expected = [
            Token::Double(1000.0),
            Token::Symbol("+"),
            Token::Double(0.5),
            Token::Symbol("*"),
            Token::Double(1.0),
            Token::Symbol("<<"),
            Token::Variable("a1"),
            Token::Symbol("<>"),
            Token::Variable("2b"),
            Token::Keyword(Keyword::IsNull),
            Token::Name("Random"),
            Token::Symbol("("),
            Token::IntBeyond,
            Token::Symbol(","),
            Token::Int(i64::MAX),
            Token::Symbol(")"),
        ];
        let text = " 1e3+.5 *1.<<:a1<>:2b ISnull Random(9223372036854775808,\t9223372036854775807)";
        assert_eq!(tokens(text).expect(text), expected);
        assert_eq!(tokens("2e").expect("a number and a name"), [Token::Int(2), Token::Name("e")]);
    }

    #[test]
    fn what_is_no_word_is_named() {
        for (text, word) in [
            ("1 ? 2", "`?`"),
            ("'a'", "`'`"),
            ("1 + :", "colon"),
            (".", "point"),
            ("9223372036854775809", "above"),
            ("1e999", "1.8e308"),
            ("1;", "`;`"),
        ] {
            assert!(tokens(text).expect_err(text).message.contains(word), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,60}") {
            let _ = tokens(&text);
        }
    }
}
