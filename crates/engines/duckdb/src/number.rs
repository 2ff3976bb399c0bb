//! Exact decimals: conversion between text and the library's representation, an integer and a scale.

use std::fmt;

/// `unscaled` · 10^-`scale`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exact {
    pub(crate) unscaled: i128,
    pub(crate) scale: u8,
}

impl Exact {
    /// Parses `-12.5`: an optional sign, digits, and an optional decimal point with digits.
    pub(crate) fn parse(text: &str) -> Option<Exact> {
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
        let (whole, fraction) = digits.split_once('.').map_or((digits, None), |(whole, rest)| (whole, Some(rest)));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|letter| letter.is_ascii_digit());
        if !is_number(whole) || !fraction.is_none_or(is_number) {
            return None;
        }
        let fraction = fraction.unwrap_or_default();
        let scale = u8::try_from(fraction.len()).ok()?;
        let magnitude = [whole, fraction].concat().parse::<i128>().ok()?;
        Some(Exact { unscaled: if negative { -magnitude } else { magnitude }, scale })
    }

    /// The required precision of a decimal type.
    pub(crate) fn digits(&self) -> u8 {
        let digits = self.unscaled.unsigned_abs().checked_ilog10().map_or(1, |log| log as u8 + 1);
        digits.max(self.scale)
    }

    /// The same number with another `scale`, if that is exact and fits.
    pub(crate) fn rescaled(self, scale: u8) -> Option<Exact> {
        let factor = 10i128.checked_pow(u32::from(scale.abs_diff(self.scale)))?;
        let unscaled = match scale >= self.scale {
            true => self.unscaled.checked_mul(factor)?,
            false => (self.unscaled % factor == 0).then_some(self.unscaled / factor)?,
        };
        Some(Exact { unscaled, scale })
    }
}

/// The shortest form, without trailing zeros.
impl fmt::Display for Exact {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut magnitude, mut scale) = (self.unscaled.unsigned_abs(), usize::from(self.scale));
        while scale > 0 && magnitude % 10 == 0 {
            (magnitude, scale) = (magnitude / 10, scale - 1);
        }
        let sign = if self.unscaled < 0 { "-" } else { "" };
        let digits = format!("{magnitude:0>width$}", width = scale + 1);
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        match fraction {
            "" => write!(formatter, "{sign}{whole}"),
            fraction => write!(formatter, "{sign}{whole}.{fraction}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_decimal_is_shown_in_its_shortest_form() {
        for (unscaled, scale, text) in [
            (0, 2, "0"),
            (1, 2, "0.01"),
            (-1, 2, "-0.01"),
            (-1250, 2, "-12.5"),
            (10_000, 2, "100"),
            (10_000, 0, "10000"),
            (999_999_999_999_999_999, 2, "9999999999999999.99"),
            (i128::MIN, 0, "-170141183460469231731687303715884105728"),
        ] {
            assert_eq!(Exact { unscaled, scale }.to_string(), text);
        }
    }

    #[test]
    fn invalid_decimals_are_rejected() {
        for text in ["", "-", ".5", "5.", "1e3", "+1", "1x", "--1", "1.2.3", " 1", &"9".repeat(40)] {
            assert_eq!(Exact::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_scale_is_changed_only_if_that_is_exact() {
        let number = Exact { unscaled: 1250, scale: 2 };
        assert_eq!(number.rescaled(1), Some(Exact { unscaled: 125, scale: 1 }));
        assert_eq!(number.rescaled(4), Some(Exact { unscaled: 125_000, scale: 4 }));
        assert_eq!(number.rescaled(0), None);
        assert_eq!(number.rescaled(60), None);
        assert_eq!((number.digits(), Exact { unscaled: 1, scale: 5 }.digits()), (4, 5));
    }

    proptest! {
        #[test]
        fn the_text_parses_to_the_same_number(unscaled in any::<i64>(), scale in 0u8..20) {
            let number = Exact { unscaled: i128::from(unscaled), scale };
            let read = Exact::parse(&number.to_string()).expect("its own text");
            prop_assert_eq!(read.rescaled(scale), Some(number));
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in "\\PC{0,50}") {
            let _ = Exact::parse(&text);
        }
    }
}
