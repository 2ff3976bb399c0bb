//! Arithmetic in values: `( ... )` with suffixes, and the plain arithmetic of `$pagesize`, `$mb_memory` and `$ncpus`.

use crate::error::{Error, Result};

/// Maximum nesting.
const DEPTH_MAX: u32 = 64;

/// The factor of a suffix; `None` if it is unknown.
pub(crate) type Factor<'a> = &'a dyn Fn(&str) -> Option<f64>;

/// Evaluates an expression of numbers, suffixes, `+ - * / % ^` and parentheses.
pub(crate) fn evaluate(text: &str, factor: Factor<'_>) -> Result<f64> {
    let mut parser = Parser { text, rest: text, factor, depth: 0 };
    let value = parser.sum()?;
    parser.skip_blanks();
    match parser.rest.is_empty() && value.is_finite() {
        true => Ok(value),
        false if parser.rest.is_empty() => Err(Error::new(format!("{text} has no value"))),
        false => Err(parser.invalid()),
    }
}

struct Parser<'a> {
    text: &'a str,
    rest: &'a str,
    factor: Factor<'a>,
    depth: u32,
}

impl Parser<'_> {
    fn invalid(&self) -> Error {
        let at = match self.rest.is_empty() {
            true => "its end".to_owned(),
            false => format!("\"{}\"", self.rest),
        };
        Error::new(format!("{} is not arithmetic at {at}", self.text))
            .hint("arithmetic is numbers, + - * / % ^ and parentheses")
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, choices: &[char]) -> Option<char> {
        self.skip_blanks();
        let found = self.rest.chars().next().filter(|letter| choices.contains(letter))?;
        self.rest = &self.rest[found.len_utf8()..];
        Some(found)
    }

    fn sum(&mut self) -> Result<f64> {
        let mut value = self.product()?;
        while let Some(operator) = self.take(&['+', '-']) {
            let other = self.product()?;
            value = if operator == '+' { value + other } else { value - other };
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<f64> {
        let mut value = self.power()?;
        while let Some(operator) = self.take(&['*', '/', '%']) {
            let other = self.power()?;
            value = match operator {
                '*' => value * other,
                '/' => value / other,
                _ => value % other,
            };
        }
        Ok(value)
    }

    fn power(&mut self) -> Result<f64> {
        let base = self.term()?;
        match self.take(&['^']) {
            Some(_) => self.nested(|parser| parser.power()).map(|exponent| base.powf(exponent)),
            None => Ok(base),
        }
    }

    fn term(&mut self) -> Result<f64> {
        if self.take(&['-']).is_some() {
            return self.nested(|parser| parser.term()).map(|value| -value);
        }
        if self.take(&['(']).is_some() {
            let value = self.nested(|parser| parser.sum())?;
            return self.take(&[')']).map(|_| value).ok_or_else(|| self.invalid());
        }
        self.skip_blanks();
        let end = self.rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(self.rest.len());
        let number: f64 = self.rest[..end].parse().map_err(|_| self.invalid())?;
        let after = &self.rest[end..];
        let suffix_end = after.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(after.len());
        let factor = (self.factor)(&after[..suffix_end]).ok_or_else(|| self.invalid())?;
        self.rest = &after[suffix_end..];
        Ok(number * factor)
    }

    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Result<f64>) -> Result<f64> {
        if self.depth == DEPTH_MAX {
            return Err(Error::new(format!("arithmetic is nested more than {DEPTH_MAX} times")));
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::Prefixes;

    fn value(text: &str) -> Result<f64> {
        evaluate(text, &|suffix| Prefixes::Inverted.factor(suffix).map(|factor| factor as f64))
    }

    #[test]
    fn operators_have_the_usual_precedence() {
        assert_eq!(value("(1 + 2 * 3)").unwrap(), 7.0);
        assert_eq!(value("((1 + 2) * 3)").unwrap(), 9.0);
        assert_eq!(value("(2 ^ 3 ^ 2)").unwrap(), 512.0);
        assert_eq!(value("(10 % 4 - -1)").unwrap(), 3.0);
        assert_eq!(value("(2*4k)").unwrap(), 8192.0);
        assert_eq!(value("(7/2)").unwrap(), 3.5);
    }

    #[test]
    fn invalid_expressions_are_errors() {
        for text in ["(", "()", "(1", "(1+)", "(1)x", "(4q)", "1/0", "(é)"] {
            assert!(value(text).is_err(), "{text}");
        }
        assert!(value(&"(".repeat(10_000)).is_err());
        assert!(value(&format!("1{}", "^1".repeat(10_000))).is_err());
        assert!(value(&"-".repeat(10_000)).is_err());
    }
}
