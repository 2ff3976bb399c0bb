//! Volumes, rates, links and disks as text: `10TB`, `1TB/h`, `2x1GbE`, `8@200MB/s`.
//!
//! Numbers, prefixes and units of time are those of [`quantity`]. `bit` and the lower-case b of Mb and Gb are bits;
//! everything else is bytes.

use crate::quantity::{self, Written, Wrong};

/// Maximum volume in bytes, and maximum rate in bytes per second.
const QUANTITY_MAX: f64 = 1e18;

/// Maximum count.
const COUNT_MAX: u32 = 1_000_000;

/// Base of the prefixes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Steps {
    /// 1000.
    #[default]
    Thousands,
    /// 1024.
    Binary,
}

/// A number of bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Volume {
    /// Above 0.
    pub bytes: f64,
    /// Base of the prefix in the text.
    pub steps: Steps,
}

/// Bytes per time.
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

/// Several links or disks.
#[derive(Clone, Debug, PartialEq)]
pub struct Several {
    /// How many.
    pub count: u32,
    /// Rate of each.
    pub each: Each,
}

/// Rate of one link or disk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Each {
    /// Ethernet, by its nominal speed in gigabits per second; the goodput is lower.
    Ethernet {
        /// 10^9 bits per second.
        gigabits: f64,
    },
    /// Bytes per second of data.
    Data(Speed),
}

const VOLUME: (&str, &str) = ("is not a volume", "write it as in 500GB, 10TB or 4TiB");
const SPEED: (&str, &str) = ("is not a rate", "write it as in 80MB/s, 1TB/h or 10Gbit/s");
const LINKS: (&str, &str) = ("is not a number of links", "write it as in 2x1GbE, 10GbE or 2x115MB/s");
const DISKS: (&str, &str) = ("is not a number of disks and what each of them writes", "write it as in 8@200MB/s");

/// A volume: `10TB`.
///
/// # Errors
/// Where `text` is not a volume above 0 and up to 10^18 bytes. The error names `thing`.
pub fn volume(thing: &str, text: &str) -> Result<Volume, Wrong> {
    amount(text).filter(|(_, is_bits)| !is_bits).map(|(volume, _)| volume).ok_or_else(|| wrong(thing, text, VOLUME))
}

/// A rate: `80MB/s`, `1TB/h`, `10Gbit/s`.
///
/// # Errors
/// Where it is not a rate above 0 and up to 10^18 bytes per second.
pub fn speed(thing: &str, text: &str) -> Result<Speed, Wrong> {
    speed_in(text).ok_or_else(|| wrong(thing, text, SPEED))
}

/// Links: `2x1GbE`, `10GbE`, `2x115MB/s`.
///
/// # Errors
/// Where it is none.
pub fn links(thing: &str, text: &str) -> Result<Several, Wrong> {
    let (count, each) = text.split_once(['x', '×', '*']).unwrap_or(("1", text));
    let each = match strip_suffix(each.trim(), "GbE") {
        Some(gigabits) => {
            let gigabits = quantity::number(gigabits).filter(|gigabits| is_in_range(gigabits * 1e9));
            gigabits.map(|gigabits| Each::Ethernet { gigabits })
        }
        None => speed_in(each).map(Each::Data),
    };
    several(count, each).ok_or_else(|| wrong(thing, text, LINKS))
}

/// Disks: `8@200MB/s`.
///
/// # Errors
/// Where it is none.
pub fn disks(thing: &str, text: &str) -> Result<Several, Wrong> {
    let found = text.split_once(['@', 'x', '×', '*']);
    let found = found.and_then(|(count, each)| several(count, speed_in(each).map(Each::Data)));
    found.ok_or_else(|| wrong(thing, text, DISKS))
}

fn wrong(thing: &str, text: &str, (what, hint): (&str, &str)) -> Wrong {
    Wrong::new(thing, text, what, hint)
}

fn several(count: &str, each: Option<Each>) -> Option<Several> {
    let count = count.trim().parse().ok().filter(|count| (1..=COUNT_MAX).contains(count))?;
    Some(Several { count, each: each? })
}

fn speed_in(text: &str) -> Option<Speed> {
    let (text, seconds) = match text.trim().split_once('/') {
        Some((text, time)) => (text, quantity::unit_seconds(time.trim())?),
        // Gbps: per second.
        None => (text.trim().strip_suffix("ps")?, 1.0),
    };
    let (volume, is_bits) = amount(text)?;
    let bytes = volume.bytes / if is_bits { 8.0 } else { 1.0 };
    let speed = Speed { volume: Volume { bytes, ..volume }, seconds };
    is_in_range(speed.per_second()).then_some(speed)
}

fn is_in_range(value: f64) -> bool {
    value.is_finite() && value > 0.0 && value <= QUANTITY_MAX
}

/// The volume in bytes or bits, and whether it is in bits.
fn amount(text: &str) -> Option<(Volume, bool)> {
    let written = Written::of(text);
    let (factor, is_binary, is_bits) = unit(written.unit)?;
    let steps = if is_binary { Steps::Binary } else { Steps::Thousands };
    let bytes = written.float()? * factor as f64;
    is_in_range(bytes).then_some((Volume { bytes, steps }, is_bits))
}

/// The bytes or bits of a unit, whether its base is 1024, and whether it is in bits.
fn unit(unit: &str) -> Option<(u64, bool, bool)> {
    // `kb` and `gb` are bytes, `Mb` and `Gb` are bits.
    let bits = strip_suffix(unit, "bit")
        .or_else(|| unit.strip_suffix('b').filter(|prefix| prefix.starts_with(|letter: char| letter.is_uppercase())));
    let (factor, is_binary) = match bits {
        Some(bits) => quantity::prefix(bits)?,
        None => quantity::size_factor(unit)?,
    };
    Some((factor, is_binary, bits.is_some()))
}

/// The text before the suffix `end`, ignoring case.
fn strip_suffix<'a>(text: &'a str, end: &str) -> Option<&'a str> {
    let at = text.len().checked_sub(end.len())?;
    let (before, found) = (text.get(..at)?, text.get(at..)?);
    found.eq_ignore_ascii_case(end).then_some(before)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn per_second(text: &str) -> Option<f64> {
        speed("it", text).ok().map(|speed| speed.per_second())
    }

    #[test]
    fn rates_have_prefixes_and_units_of_time() {
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
        assert_eq!(volume("it", "10TB"), Ok(Volume { bytes: 1e13, steps: Steps::Thousands }));
        assert_eq!(volume("it", "4GiB"), Ok(Volume { bytes: 4.0 * 1024f64.powi(3), steps: Steps::Binary }));
        assert!(
            volume("it", "10Tbit").is_err() && volume("it", "10TB/h").is_err() && volume("it", "1000000PB").is_err()
        );
        let ethernet = |count, gigabits| Ok(Several { count, each: Each::Ethernet { gigabits } });
        assert_eq!(
            (links("it", "2x1GbE"), links("it", "10GbE"), links("it", "2 × 2.5gbe")),
            (ethernet(2, 1.0), ethernet(1, 10.0), ethernet(2, 2.5))
        );
        assert_eq!(links("it", "2x115MB/s").map(|several| several.count), Ok(2));
        assert!(
            links("it", "0x1GbE").is_err()
                && links("it", "x1GbE").is_err()
                && links("it", "2x").is_err()
                && links("it", "GbE").is_err()
        );
        assert_eq!(disks("it", "8@200MB/s"), disks("it", "8x200MB/s"));
        assert_eq!(disks("it", "8@200MB/s").map(|several| several.count), Ok(8));
        assert!(disks("it", "200MB/s").is_err() && disks("it", "8@200").is_err() && disks("it", "1.5@1MB/s").is_err());
        assert_eq!(
            speed("it", "fast").unwrap_err().to_string(),
            "it fast is not a rate\nhint: write it as in 80MB/s, 1TB/h or 10Gbit/s"
        );
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".{0,24}") {
            let _ = (volume("it", &text), speed("it", &text), links("it", &text), disks("it", &text));
        }

        #[test]
        fn letters_of_units_in_any_order_give_a_quantity_or_none(text in "[0-9._]{0,6}[kKMGTPiBbxE@/ s]{0,8}") {
            let found = [speed("it", &text).ok().map(|speed| speed.per_second()), volume("it", &text).ok().map(|volume| volume.bytes)];
            for value in found.into_iter().flatten() {
                prop_assert!(is_in_range(value), "{text}: {value}");
            }
        }

        #[test]
        fn written_quantities_are_read(
            count in 1u32..1_000,
            value in 1u32..10_000,
            prefix in prop::sample::select(vec![("k", 1e3), ("M", 1e6), ("G", 1e9), ("Ki", 1024.0), ("Mi", 1_048_576.0)]),
        ) {
            let expected = f64::from(value) * prefix.1;
            let text = format!("{value}{}B/s", prefix.0);
            prop_assert_eq!(per_second(&text), Some(expected));
            let Ok(Several { count: read, each: Each::Data(each) }) = disks("it", &format!("{count}@{text}")) else {
                return Err(TestCaseError::fail(text));
            };
            prop_assert_eq!((read, each.per_second()), (count, expected));
            prop_assert_eq!(links("it", &format!("{count}x{text}")).ok(), disks("it", &format!("{count}@{text}")).ok());
            let ethernet = links("it", &format!("{count}x{value}GbE")).expect("links");
            prop_assert_eq!(ethernet, Several { count, each: Each::Ethernet { gigabits: f64::from(value) } });
        }
    }
}
