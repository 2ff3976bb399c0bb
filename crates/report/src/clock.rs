//! Calendar time: as fio prints it, and as a day with the time of day.

use record::Timestamp;

const MS_PER_DAY: i64 = 86_400_000;

/// Milliseconds since 1970 of a timestamp in UTC; none for an invalid one.
pub(crate) fn unix_ms(stamp: &Timestamp) -> Option<i64> {
    let text = stamp.0.strip_suffix('Z')?;
    let (date, time) = text.split_once('T')?;
    let mut date = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let mut time = time.splitn(3, ':');
    let (hour, minute) = (time.next()?.parse::<i64>().ok()?, time.next()?.parse::<i64>().ok()?);
    let seconds: f64 = time.next()?.parse().ok()?;
    let in_range = (0..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    let in_range = in_range && (0..24).contains(&hour) && (0..60).contains(&minute) && (0.0..61.0).contains(&seconds);
    let of_day = (hour * 60 + minute) * 60_000 + (seconds * 1000.0).round() as i64;
    in_range.then(|| days(year, month, day) * MS_PER_DAY + of_day)
}

/// Days since 1970-01-01 in the Gregorian calendar: years are counted from March, so that the leap day is the last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let of_year = (153 * month + 2) / 5 + day - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year - 719_468
}

/// Year, month and day of a number of days since 1970-01-01.
fn date(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year_of_era + next, month, day)
}

/// Day of the week, month, day, time of day and year, in UTC: `Sat Jan 31 12:04:30 2026`.
pub(crate) fn calendar(unix_ms: i64) -> String {
    const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let days = unix_ms.div_euclid(MS_PER_DAY);
    let seconds = unix_ms.rem_euclid(MS_PER_DAY) / 1000;
    let (year, month, day) = date(days);
    let weekday = WEEKDAYS[days.rem_euclid(7) as usize];
    let month = MONTHS[(month - 1).clamp(0, 11) as usize];
    format!("{weekday} {month} {day:2} {:02}:{:02}:{:02} {year}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Day and minute: `2026-01-31 12:04`.
pub(crate) fn minute(unix_ms: i64) -> String {
    let (year, month, day) = date(unix_ms.div_euclid(MS_PER_DAY));
    let seconds = unix_ms.rem_euclid(MS_PER_DAY) / 1000;
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}", seconds / 3600, seconds / 60 % 60)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_moment_of_the_calendar() {
        let unix = |text: &str| unix_ms(&Timestamp(text.to_owned()));
        assert_eq!(unix("1970-01-01T00:00:00.000Z"), Some(0));
        assert_eq!(unix("2000-02-29T23:59:59.999Z"), Some(951_868_799_999));
        assert_eq!(unix("2026-11-21T15:41:30.341Z"), Some(1_795_275_690_341));
        assert_eq!(unix("2026-11-21T15:41:30Z"), Some(1_795_275_690_000));
        for text in ["", "Z", "2026-13-01T00:00:00Z", "2026-11-21 15:41:30Z", "2026-11-21T15:41Z", "x-y-zTa:b:cZ"] {
            assert_eq!(unix(text), None, "{text}");
        }
        assert_eq!(calendar(1_795_275_690_341), "Sat Nov 21 15:41:30 2026");
        assert_eq!(calendar(0), "Thu Jan  1 00:00:00 1970");
    }

    proptest! {
        #[test]
        fn a_date_is_the_inverse_of_its_days(day in -700_000i64..2_900_000) {
            let (year, month, of_month) = date(day);
            prop_assert_eq!(days(year, month, of_month), day);
        }

        #[test]
        fn no_text_is_a_panic(text in "[0-9TZ:.+-]{0,30}") {
            unix_ms(&Timestamp(text));
        }
    }
}
