//! Numbers with suffixes: sizes, counts, times, shares.

use base::quantity::Written;
use record::Nanos;

use crate::arithmetic;
use crate::error::{Error, Result};

/// The meaning of `k` (fio's `kb_base`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Prefixes {
    /// `k` is 1024 and `kib` is 1000: the default, inverted for compatibility.
    #[default]
    Inverted,
    /// `k` is 1000 and `kib` is 1024, as in the international system.
    International,
}

impl Prefixes {
    fn base(self, binary_suffix: bool) -> u64 {
        match (self, binary_suffix) {
            (Prefixes::Inverted, false) | (Prefixes::International, true) => 1024,
            (Prefixes::Inverted, true) | (Prefixes::International, false) => 1000,
        }
    }

    /// The factor of a suffix: `k`, `MB`, `gib`; case does not matter.
    pub(crate) fn factor(self, suffix: &str) -> Option<u64> {
        let suffix = suffix.to_ascii_lowercase();
        if suffix.is_empty() || suffix == "b" {
            return Some(1);
        }
        let power = "kmgtp".find(suffix.chars().next()?)? as u32 + 1;
        match &suffix[1..] {
            "" | "b" | "i" => self.base(false).checked_pow(power),
            "ib" => self.base(true).checked_pow(power),
            _ => None,
        }
    }
}

/// The unit of a time without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bare {
    /// Seconds.
    Seconds,
    /// Microseconds.
    Microseconds,
}

/// Nanoseconds of a unit of time; case does not matter.
pub(crate) fn unit_ns(unit: &str) -> Option<u64> {
    Some(match unit.to_ascii_lowercase().as_str() {
        "us" | "usec" => 1_000,
        "ms" | "msec" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "d" => 86_400_000_000_000,
        _ => return None,
    })
}

/// A decimal or hexadecimal number, and the unit that follows directly.
fn digits(text: &str) -> Option<(u64, &str)> {
    if let Some(body) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let end = body.find(|letter: char| !letter.is_ascii_hexdigit()).unwrap_or(body.len());
        return Some((u64::from_str_radix(&body[..end], 16).ok()?, &body[end..]));
    }
    let Written { number, unit } = Written::of(text);
    let is_plain = number.bytes().all(|letter| letter.is_ascii_digit()) && number.len() + unit.len() == text.len();
    Some((number.parse().ok().filter(|_| is_plain)?, unit))
}

fn not_a_number(text: &str, what: &str) -> Error {
    if text.is_empty() {
        return Error::new(format!("has an empty part, which is not {what}")).hint("give a value, or remove the part");
    }
    let error = Error::new(format!("{text} is not {what}"));
    match text.trim_start().starts_with('-') {
        true => error.hint("negative numbers are not valid here"),
        false if text.contains('.') => error.hint("fractions are not supported; use a smaller unit, 1536m for 1.5g"),
        false => error,
    }
}

/// A size or a count: `4096`, `0x1000`, `8k`, `1GB`, `(4 * 1k)`.
pub(crate) fn integer(text: &str, prefixes: Prefixes) -> Result<u64> {
    let text = text.trim();
    if text.starts_with('(') {
        let value = arithmetic::evaluate(text, &|suffix| prefixes.factor(suffix).map(|factor| factor as f64))?;
        return whole(value, text);
    }
    let wrong = || not_a_number(text, "a number").hint_if_none("a number is 4096, 0x1000, 8k, 1g or (2 * 4k)");
    let (value, suffix) = digits(text.strip_prefix('+').unwrap_or(text)).ok_or_else(wrong)?;
    let factor = prefixes.factor(suffix).ok_or_else(wrong)?;
    let product = value.checked_mul(factor).filter(|product| *product <= i64::MAX as u64);
    product.ok_or_else(|| Error::new(format!("{text} is more than {}", i64::MAX)))
}

/// The same with a sign.
pub(crate) fn signed(text: &str, prefixes: Prefixes) -> Result<i64> {
    let text = text.trim();
    let (magnitude, sign) = match text.strip_prefix('-') {
        Some(rest) => (rest, -1),
        None => (text, 1),
    };
    // At most i64::MAX, so that it can be negated.
    Ok(integer(magnitude, prefixes)? as i64 * sign)
}

fn whole(value: f64, text: &str) -> Result<u64> {
    match (0.0..9.2e18).contains(&value) {
        true => Ok(value as u64),
        false => Err(Error::new(format!("{text} is {value}, which is not a number from 0 to {}", i64::MAX))),
    }
}

/// A time: `30`, `5m`, `100ms`, `(2 * 30s)`. In parentheses a number without a unit is in microseconds.
pub(crate) fn time(text: &str, bare: Bare) -> Result<Nanos> {
    let text = text.trim();
    if text.starts_with('(') {
        let microseconds = |unit: &str| match unit.is_empty() {
            true => Some(1.0),
            false => unit_ns(unit).map(|ns| ns as f64 / 1e3),
        };
        return whole(arithmetic::evaluate(text, &microseconds)? * 1e3, text).map(Nanos);
    }
    let wrong = || not_a_number(text, "a time").hint_if_none("units are d h m s ms us, one of them: 90s, not 1m30s");
    let (value, unit) = digits(text).ok_or_else(wrong)?;
    let unit_ns = match (unit, bare) {
        ("", Bare::Seconds) => 1_000_000_000,
        ("", Bare::Microseconds) => 1_000,
        (unit, _) => unit_ns(unit).ok_or_else(wrong)?,
    };
    let product = value.checked_mul(unit_ns).filter(|product| *product <= i64::MAX as u64);
    product.map(Nanos).ok_or_else(|| Error::new(format!("{text} is more than 292 years")))
}

/// A decimal number, for distributions.
pub(crate) fn decimal(text: &str) -> Result<f64> {
    if text.trim().is_empty() {
        return Err(not_a_number("", "a number"));
    }
    let value = text.trim().parse::<f64>().ok().filter(|value| value.is_finite());
    value.ok_or_else(|| Error::new(format!("{text} is not a number")).hint("a decimal number is 1.2"))
}

impl Error {
    fn hint_if_none(self, hint: &str) -> Error {
        match self.hint {
            Some(_) => self,
            None => self.hint(hint),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_are_those_of_fio() {
        let inverted = |text: &str| integer(text, Prefixes::Inverted).unwrap();
        assert_eq!(["1k", "1K", "1kb", "1Ki"].map(inverted), [1024; 4]);
        assert_eq!([inverted("1kib"), inverted("2MiB")], [1000, 2_000_000]);
        let international = |text: &str| integer(text, Prefixes::International).unwrap();
        assert_eq!([international("1k"), international("1Ki"), international("1kib")], [1000, 1000, 1024]);
        assert_eq!([inverted("0x1000"), inverted("010"), inverted("+5"), inverted("7b")], [4096, 10, 5, 7]);
        assert_eq!(inverted("12p"), 12 << 50);
    }

    #[test]
    fn values_that_fio_misreads_are_errors() {
        for text in ["", "1.5g", "1g5", "1 g", "-1", "1e", "abc", "10z", "99999999999999999999", "9999p", "()", "(1/0)"]
        {
            assert!(integer(text, Prefixes::Inverted).is_err(), "{text}");
        }
        for text in ["1m30s", "5x", "5min", "-5", "1.5s", "", "9999999999999d"] {
            assert!(time(text, Bare::Seconds).is_err(), "{text}");
        }
        let error = integer("1.5g", Prefixes::Inverted).unwrap_err();
        assert_eq!(
            error.to_string(),
            "1.5g is not a number; hint: fractions are not supported; use a smaller unit, 1536m for 1.5g"
        );
    }

    #[test]
    fn a_time_without_a_unit_is_in_seconds_or_in_microseconds() {
        assert_eq!(time("5", Bare::Seconds).unwrap(), Nanos(5_000_000_000));
        assert_eq!(time("5", Bare::Microseconds).unwrap(), Nanos(5_000));
        assert_eq!(time("(5)", Bare::Seconds).unwrap(), Nanos(5_000));
        assert_eq!(time("(2 * 30s)", Bare::Seconds).unwrap(), Nanos(60_000_000_000));
        assert_eq!(time("5M", Bare::Seconds).unwrap(), Nanos(300_000_000_000));
        assert_eq!(time("500us", Bare::Seconds).unwrap(), Nanos(500_000));
        assert_eq!(time("1d", Bare::Microseconds).unwrap(), Nanos(86_400_000_000_000));
    }

    #[test]
    fn negative_numbers_are_parsed_where_valid() {
        assert_eq!(signed("-8k", Prefixes::Inverted).unwrap(), -8192);
        assert_eq!(signed("8k", Prefixes::Inverted).unwrap(), 8192);
        assert!(signed("--8k", Prefixes::Inverted).is_err());
    }
}
