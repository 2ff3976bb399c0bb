//! Days of the calendar as engines read and write them.

use std::fmt;

/// The first and the last day that can be written with four digits of the year, in days since 1970-01-01.
const FIRST: i32 = -719_162;
const LAST: i32 = 2_932_896;

/// A day from 0001-01-01 to 9999-12-31, written as ISO 8601 has it: `2010-02-28`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IsoDate([u8; 10]);

impl IsoDate {
    /// The date `days` days after 1970-01-01; `None` if its year does not have four digits.
    ///
    /// Source: `civil_from_days` in Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": the year starts in
    /// March, so that the leap day is the last day of the year.
    #[inline]
    pub fn of(days: i32) -> Option<IsoDate> {
        if !IsoDate::covers(days) {
            return None;
        }
        let since_march_0 = (days + 719_468) as u32;
        let (era, day_of_era) = (since_march_0 / 146_097, since_march_0 % 146_097);
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        let year = era * 400 + year_of_era + u32::from(month <= 2);
        let digit = |number: u32, unit: u32| b'0' + (number / unit % 10) as u8;
        let [thousands, hundreds, tens, ones] = [1_000, 100, 10, 1].map(|unit| digit(year, unit));
        let (month, day) = ([digit(month, 10), digit(month, 1)], [digit(day, 10), digit(day, 1)]);
        Some(IsoDate([thousands, hundreds, tens, ones, b'-', month[0], month[1], b'-', day[0], day[1]]))
    }

    /// Whether `days` days after 1970-01-01 is a valid date.
    #[inline]
    pub fn covers(days: i32) -> bool {
        (FIRST..=LAST).contains(&days)
    }

    /// Year, month and day, the latter two counted from 1.
    pub fn parts(&self) -> (u16, u8, u8) {
        let number = |digits: &[u8]| digits.iter().fold(0, |number, digit| number * 10 + u16::from(digit - b'0'));
        (number(&self.0[..4]), number(&self.0[5..7]) as u8, number(&self.0[8..]) as u8)
    }

    /// The date as ten ASCII bytes.
    #[inline]
    pub fn as_bytes(&self) -> &[u8; 10] {
        &self.0
    }

    /// The date as text.
    #[inline]
    pub fn as_str(&self) -> &str {
        // Digits and hyphens are always valid UTF-8.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for IsoDate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(days: i32) -> String {
        IsoDate::of(days).expect("a day of the calendar").to_string()
    }

    #[test]
    fn days_have_the_dates_of_the_calendar() {
        for (days, date) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (59, "1970-03-01"),
            (10_957, "2000-01-01"),
            (11_016, "2000-02-29"),
            (14_613, "2010-01-04"),
            (-25_509, "1900-02-28"),
            (-25_508, "1900-03-01"),
            (20_514, "2026-03-02"),
            (FIRST, "0001-01-01"),
            (LAST, "9999-12-31"),
        ] {
            assert_eq!(written(days), date);
        }
    }

    #[test]
    fn a_year_without_four_digits_is_none() {
        for days in [FIRST - 1, LAST + 1, i32::MIN, i32::MAX] {
            assert_eq!(IsoDate::of(days), None, "{days}");
        }
    }

    /// Every date of the calendar, counted by the leap year rules.
    #[test]
    fn each_day_is_followed_by_the_next_one() {
        let (mut year, mut month, mut day) = (1, 1, 1);
        for days in FIRST..=LAST {
            let date = IsoDate::of(days).expect("a day of the calendar");
            assert_eq!(date.parts(), (year, month, day), "day {days}");
            let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let length = match month {
                2 => 28 + u8::from(leap),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            (month, day) = if day == length { (month + 1, 1) } else { (month, day + 1) };
            (year, month) = if month == 13 { (year + 1, 1) } else { (year, month) };
        }
        assert_eq!((year, month, day), (10_000, 1, 1));
    }
}
