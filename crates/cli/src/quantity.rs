//! Volumes, rates, links and disks as people write them: `10TB`, `1TB/h`, `2x1GbE`, `8@200MB/s`.
//!
//! Prefixes of a thousand are k, M, G, T and P, those of 1024 have an i behind them. `bit` is a bit, and so is the small b
//! of Mb and Gb; everything else is a byte.

use std::fmt;

/// More of anything is beyond what is reckoned with, in bytes or bytes per second.
const QUANTITY_MAX: f64 = 1e18;

/// The same of what is counted.
const COUNT_MAX: u32 = 1_000_000;

/// In which steps prefixes go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Steps {
    /// Of 1000.
    #[default]
    Thousands,
    /// Of 1024.
    Binary,
}

/// A number of bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Volume {
    /// Above 0.
    pub bytes: f64,
    /// In which steps it was written.
    pub steps: Steps,
}

/// Bytes in a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed {
    /// The bytes, above 0.
    pub volume: Volume,
    /// The time, seconds, above 0.
    pub seconds: f64,
}

impl Speed {
    /// Bytes per second.
    pub fn per_second(&self) -> f64 {
        self.volume.bytes / self.seconds
    }
}

/// Several of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Several {
    /// How many.
    pub count: u32,
    /// What one of them gives.
    pub each: Each,
}

/// What one link or disk gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Each {
    /// Ethernet of so many gigabits per second, as links are called; less of it is data.
    Ethernet {
        /// 10^9 bits per second.
        gigabits: f64,
    },
    /// So many bytes per second of data.
    Data(Speed),
}

/// Why a text is none of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotOne {
    what: &'static str,
    example: &'static str,
}

impl fmt::Display for NotOne {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "is not {}; write it as in {}", self.what, self.example)
    }
}

const VOLUME: NotOne = NotOne { what: "a volume", example: "500GB, 10TB or 4TiB" };
const SPEED: NotOne = NotOne { what: "a rate", example: "80MB/s, 1TB/h or 10Gbit/s" };
const LINKS: NotOne = NotOne { what: "a number of links", example: "2x1GbE, 10GbE or 2x115MB/s" };
const DISKS: NotOne = NotOne { what: "a number of disks and what each of them writes", example: "8@200MB/s" };

/// A volume: `10TB`.
///
/// # Errors
/// Where it is none above 0 and up to 10^18 bytes.
pub fn volume(text: &str) -> Result<Volume, NotOne> {
    let (value, unit) = split(text).ok_or(VOLUME)?;
    let (factor, steps, is_bits) = unit_of(unit).ok_or(VOLUME)?;
    let bytes = value * factor;
    (!is_bits && is_reckoned(bytes)).then_some(Volume { bytes, steps }).ok_or(VOLUME)
}

/// A rate: `80MB/s`, `1TB/h`, `10Gbit/s`.
///
/// # Errors
/// Where it is none above 0 and up to 10^18 bytes per second.
pub fn speed(text: &str) -> Result<Speed, NotOne> {
    let (amount, seconds) = match text.trim().split_once('/') {
        Some((amount, time)) => (amount, seconds_of(time.trim()).ok_or(SPEED)?),
        // Who writes Gbps means a second.
        None => (text.trim().strip_suffix("ps").ok_or(SPEED)?, 1.0),
    };
    let (value, unit) = split(amount).ok_or(SPEED)?;
    let (factor, steps, is_bits) = unit_of(unit).ok_or(SPEED)?;
    let bytes = value * factor / if is_bits { 8.0 } else { 1.0 };
    let speed = Speed { volume: Volume { bytes, steps }, seconds };
    (is_reckoned(bytes) && is_reckoned(speed.per_second())).then_some(speed).ok_or(SPEED)
}

/// Links: `2x1GbE`, `10GbE`, `2x115MB/s`.
///
/// # Errors
/// Where it is none.
pub fn links(text: &str) -> Result<Several, NotOne> {
    let (count, each) = match text.split_once(['x', '×', '*']) {
        Some((count, each)) => (counted(count).ok_or(LINKS)?, each),
        None => (1, text),
    };
    let each = each.trim();
    if let Some(gigabits) = ending(each, "GbE") {
        let gigabits = number(gigabits).filter(|gigabits| is_reckoned(gigabits * 1e9)).ok_or(LINKS)?;
        return Ok(Several { count, each: Each::Ethernet { gigabits } });
    }
    Ok(Several { count, each: Each::Data(speed(each).map_err(|_| LINKS)?) })
}

/// Disks: `8@200MB/s`.
///
/// # Errors
/// Where it is none.
pub fn disks(text: &str) -> Result<Several, NotOne> {
    let (count, each) = text.split_once(['@', 'x', '×', '*']).ok_or(DISKS)?;
    let each = speed(each).map_err(|_| DISKS)?;
    Ok(Several { count: counted(count).ok_or(DISKS)?, each: Each::Data(each) })
}

/// A number above 0, with `_` between digits where that helps.
pub fn number(text: &str) -> Option<f64> {
    let value = text.trim().replace('_', "").parse::<f64>().ok()?;
    (value.is_finite() && value > 0.0).then_some(value)
}

fn counted(text: &str) -> Option<u32> {
    text.trim().parse().ok().filter(|count| (1..=COUNT_MAX).contains(count))
}

fn is_reckoned(value: f64) -> bool {
    value.is_finite() && value > 0.0 && value <= QUANTITY_MAX
}

/// A number and what stands behind it.
fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let is_of_number = |letter: char| letter.is_ascii_digit() || letter == '.' || letter == '_';
    let end = text.find(|letter| !is_of_number(letter)).unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    Some((number(digits)?, unit.trim()))
}

/// The bytes or bits of a unit, the steps of its prefix, and whether it is of bits.
fn unit_of(unit: &str) -> Option<(f64, Steps, bool)> {
    let (prefix, is_bits) = match (ending(unit, "bit"), unit.strip_suffix('b')) {
        (Some(prefix), _) => (prefix, true),
        // `kb` and `gb` are written for bytes, `Mb` and `Gb` for bits.
        (None, Some(prefix)) => (prefix, prefix.chars().next().is_some_and(char::is_uppercase)),
        (None, None) => (unit.strip_suffix('B').unwrap_or(unit), false),
    };
    let mut letters = prefix.chars();
    let (first, second) = (letters.next(), letters.next());
    if letters.next().is_some() {
        return None;
    }
    let power = match first.map(|letter| letter.to_ascii_lowercase()) {
        None => 0,
        Some('k') => 1,
        Some('m') => 2,
        Some('g') => 3,
        Some('t') => 4,
        Some('p') => 5,
        Some(_) => return None,
    };
    match second {
        None => Some((1e3f64.powi(power), Steps::Thousands, is_bits)),
        Some('i') => Some((1024f64.powi(power), Steps::Binary, is_bits)),
        Some(_) => None,
    }
}

fn seconds_of(time: &str) -> Option<f64> {
    match time {
        "s" | "sec" | "second" => Some(1.0),
        "min" | "minute" => Some(60.0),
        "h" | "hr" | "hour" => Some(3_600.0),
        "d" | "day" => Some(86_400.0),
        _ => None,
    }
}

/// What stands before `end`, whatever its capitals.
fn ending<'a>(text: &'a str, end: &str) -> Option<&'a str> {
    let at = text.len().checked_sub(end.len())?;
    let (before, found) = (text.get(..at)?, text.get(at..)?);
    found.eq_ignore_ascii_case(end).then_some(before)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn per_second(text: &str) -> Option<f64> {
        speed(text).ok().map(|speed| speed.per_second())
    }

    #[test]
    fn rates_are_written_as_people_say_them() {
        for (text, expected) in [
            ("80MB/s", 80e6),
            ("80 MB/s", 80e6),
            ("1TB/h", 1e12 / 3_600.0),
            ("1TiB/h", 1024f64.powi(4) / 3_600.0),
            ("1.5 gb/min", 1.5e9 / 60.0),
            ("10Gbit/s", 1.25e9),
            ("10Gb/s", 1.25e9),
            ("10Gbps", 1.25e9),
            ("20 MiB/sec", 20.0 * 1_048_576.0),
            ("1_000kB/s", 1e6),
            ("500B/s", 500.0),
            ("10TB/day", 10e12 / 86_400.0),
        ] {
            let found = per_second(text).unwrap_or_else(|| panic!("{text}"));
            assert!((found / expected - 1.0).abs() < 1e-12, "{text}: {found}");
        }
        for text in
            ["", "80", "80MB", "MB/s", "0MB/s", "-1MB/s", "1XB/s", "1MB/fortnight", "1e400MB/s", "nan MB/s", "1MMB/s"]
        {
            assert_eq!(per_second(text), None, "{text}");
        }
    }

    #[test]
    fn volumes_links_and_disks() {
        assert_eq!(volume("10TB"), Ok(Volume { bytes: 1e13, steps: Steps::Thousands }));
        assert_eq!(volume("4GiB"), Ok(Volume { bytes: 4.0 * 1024f64.powi(3), steps: Steps::Binary }));
        assert!(volume("10Tbit").is_err() && volume("10TB/h").is_err() && volume("1000000PB").is_err());
        let ethernet = |count, gigabits| Ok(Several { count, each: Each::Ethernet { gigabits } });
        assert_eq!(
            (links("2x1GbE"), links("10GbE"), links("2 × 2.5gbe")),
            (ethernet(2, 1.0), ethernet(1, 10.0), ethernet(2, 2.5))
        );
        assert_eq!(links("2x115MB/s").map(|several| several.count), Ok(2));
        assert!(links("0x1GbE").is_err() && links("x1GbE").is_err() && links("2x").is_err() && links("GbE").is_err());
        assert_eq!(disks("8@200MB/s"), disks("8x200MB/s"));
        assert_eq!(disks("8@200MB/s").map(|several| several.count), Ok(8));
        assert!(disks("200MB/s").is_err() && disks("8@200").is_err() && disks("1.5@1MB/s").is_err());
        assert_eq!(speed("fast").unwrap_err().to_string(), "is not a rate; write it as in 80MB/s, 1TB/h or 10Gbit/s");
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(text in ".{0,24}") {
            let _ = (volume(&text), speed(&text), links(&text), disks(&text));
        }

        #[test]
        fn letters_of_units_in_any_order_give_a_quantity_or_none(text in "[0-9._]{0,6}[kKMGTPiBbxE@/ s]{0,8}") {
            let found = [speed(&text).ok().map(|speed| speed.per_second()), volume(&text).ok().map(|volume| volume.bytes)];
            for value in found.into_iter().flatten() {
                prop_assert!(is_reckoned(value), "{text}: {value}");
            }
        }

        #[test]
        fn what_is_written_is_read(
            count in 1u32..1_000,
            value in 1u32..10_000,
            prefix in prop::sample::select(vec![("k", 1e3), ("M", 1e6), ("G", 1e9), ("Ki", 1024.0), ("Mi", 1_048_576.0)]),
        ) {
            let expected = f64::from(value) * prefix.1;
            let text = format!("{value}{}B/s", prefix.0);
            prop_assert_eq!(per_second(&text), Some(expected));
            let Ok(Several { count: read, each: Each::Data(each) }) = disks(&format!("{count}@{text}")) else {
                return Err(TestCaseError::fail(text));
            };
            prop_assert_eq!((read, each.per_second()), (count, expected));
            prop_assert_eq!(links(&format!("{count}x{text}")), disks(&format!("{count}@{text}")).map_err(|_| LINKS));
            let ethernet = links(&format!("{count}x{value}GbE")).expect("links");
            prop_assert_eq!(ethernet, Several { count, each: Each::Ethernet { gigabits: f64::from(value) } });
        }
    }
}
