//! Volumes, rates and times of a plan, in the units of the goal.

use record::{Bytes, Nanos, Rate};

use crate::figure::{duration, memory, three_digits, volume};

/// The prefix of byte units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ByteUnits {
    /// MB are 10^6 bytes.
    #[default]
    Thousands,
    /// MiB are 2^20 bytes.
    Binary,
}

impl ByteUnits {
    /// `MB/s` or `MiB/s`.
    pub(super) fn unit(self) -> &'static str {
        match self {
            ByteUnits::Thousands => "MB/s",
            ByteUnits::Binary => "MiB/s",
        }
    }

    /// A rate in that unit, three digits, without it.
    pub(super) fn digits(self, bytes_per_second: f64) -> String {
        let unit = match self {
            ByteUnits::Thousands => 1e6,
            ByteUnits::Binary => 1_048_576.0,
        };
        three_digits(bytes_per_second / unit)
    }

    /// A rate with its unit.
    pub(super) fn rate(self, Rate(bytes_per_second): Rate) -> String {
        format!("{} {}", self.digits(bytes_per_second), self.unit())
    }

    /// A volume with its unit.
    pub(super) fn volume(self, bytes: Bytes) -> String {
        match self {
            ByteUnits::Thousands => volume(bytes),
            ByteUnits::Binary => memory(bytes),
        }
    }

    /// Terabytes an hour, with their unit.
    pub(super) fn hourly(self, Rate(bytes_per_second): Rate) -> String {
        let an_hour = bytes_per_second * 3_600.0;
        match self {
            ByteUnits::Thousands => format!("{} TB/h", three_digits(an_hour / 1e12)),
            ByteUnits::Binary => format!("{} TiB/h", three_digits(an_hour / 1024f64.powi(4))),
        }
    }
}

/// A time of a plan.
pub(super) fn time(seconds: f64) -> String {
    duration(Nanos::from_seconds(seconds))
}

/// A time in seconds, so that times of plans compare.
pub(super) fn seconds(seconds: f64) -> String {
    format!("{} s", three_digits(seconds))
}

/// A number of cores: `3.64 cores`.
pub(super) fn cores(count: f64) -> String {
    format!("{} {}", three_digits(count), if count == 1.0 { "core" } else { "cores" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_units_are_those_of_the_goal() {
        let (thousands, binary) = (ByteUnits::Thousands, ByteUnits::Binary);
        let tebibyte = Bytes(1 << 40);
        assert_eq!(thousands.rate(Rate(277.8e6)), "278 MB/s");
        assert_eq!(binary.rate(Rate((1u64 << 40) as f64 / 3_600.0)), "291 MiB/s");
        assert_eq!(
            (thousands.volume(Bytes(1_000_000_000_000)), binary.volume(tebibyte)),
            ("1.00 TB".to_owned(), "1 TiB".to_owned())
        );
        assert_eq!(thousands.hourly(Rate(1e12 / 3_600.0)), "1.00 TB/h");
        assert_eq!(binary.hourly(Rate(1024f64.powi(4) / 3_600.0)), "1.00 TiB/h");
        assert_eq!(
            (seconds(4_559.03), time(3_600.0), cores(3.641)),
            ("4559 s".to_owned(), "1.00 h".to_owned(), "3.64 cores".to_owned())
        );
    }
}
