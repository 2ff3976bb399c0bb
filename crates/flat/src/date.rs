//! Dates as `YYYY-MM-DD` and as days since 1970-01-01.

use crate::number::digits;

/// Parses a date (`2025-02-28`, years 1 to 9999 of the Gregorian calendar) to days since 1970-01-01; none if it is not
/// valid.
#[inline]
pub fn days_of_date(text: &[u8]) -> Option<i32> {
    let text: &[u8; 10] = text.try_into().ok()?;
    if (text[4], text[7]) != (b'-', b'-') {
        return None;
    }
    let year = digits(&text[..4])? as i32;
    let month = digits(&text[5..7])? as i32;
    let day = digits(&text[8..])? as i32;
    let exists = year >= 1 && (1..=12).contains(&month) && day >= 1 && day <= days_of_month(year, month);
    exists.then(|| days_since_epoch(year, month, day))
}

/// The date `days` after 1970-01-01, as `YYYY-MM-DD`.
pub fn date_text(days: i32) -> String {
    let (year, month, day) = calendar(days);
    format!("{year:04}-{month:02}-{day:02}")
}

fn is_leap(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_of_month(year: i32, month: i32) -> i32 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// By the algorithm of H. Hinnant, "chrono-compatible low-level date algorithms": years start in March, so that the
/// leap day is the last one.
#[inline]
pub(crate) fn days_since_epoch(year: i32, month: i32, day: i32) -> i32 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The inverse: year, month and day.
pub(crate) fn calendar(days: i32) -> (i32, i32, i32) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i32::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_dates() {
        for (text, days) in [
            ("1970-01-01", 0),
            ("1969-12-31", -1),
            ("2000-02-29", 11_016),
            ("2000-03-01", 11_017),
            ("2010-12-31", 14_974),
            ("0001-01-01", -719_162),
            ("9999-12-31", 2_932_896),
        ] {
            assert_eq!(days_of_date(text.as_bytes()), Some(days), "{text}");
            assert_eq!(date_text(days), text);
        }
    }

    #[test]
    fn invalid_dates() {
        for text in [
            "2010-13-01",
            "2010-00-01",
            "2010-01-00",
            "2010-01-32",
            "2010-02-29",
            "1900-02-29",
            "2100-02-29",
            "2010-04-31",
            "0000-01-01",
            "2010-1-01",
            "2010/01/01",
            "20100101",
            "",
            "2010-01-011",
            "2010-01-0x",
            "+010-01-01",
            "2010-01--1",
        ] {
            assert_eq!(days_of_date(text.as_bytes()), None, "{text}");
        }
        assert!(days_of_date(b"2012-02-29").is_some() && days_of_date(b"2000-02-29").is_some());
    }

    proptest! {
        #[test]
        fn every_date_round_trips(days in -719_162..=2_932_896i32) {
            prop_assert_eq!(days_of_date(date_text(days).as_bytes()), Some(days));
        }

        #[test]
        fn any_bytes_are_a_date_or_none(text in proptest::collection::vec(any::<u8>(), 0..12)) {
            if let Some(days) = days_of_date(&text) {
                prop_assert_eq!(date_text(days).into_bytes(), text);
            }
        }
    }
}
