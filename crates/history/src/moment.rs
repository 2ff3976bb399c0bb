//! Moments as text, in milliseconds since 1970-01-01 00:00 of the clock that wrote them.

use std::time::UNIX_EPOCH;

/// Milliseconds of a minute.
pub(crate) const MINUTE_MS: i64 = 60_000;
/// Milliseconds of a day.
pub(crate) const DAY_MS: i64 = 86_400_000;

/// The beginning of a day of a calendar, if there is such a day after 1970.
pub(crate) fn day_ms(year: u32, month: u32, day: u32) -> Option<i64> {
    if !(1970..=2199).contains(&year) {
        return None;
    }
    let text = format!("{year:04}-{month:02}-{day:02}T00:00:00Z");
    let moment = humantime::parse_rfc3339(&text).ok()?;
    i64::try_from(moment.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}

/// Milliseconds of `08:13`, `08:13:55`, `08:13:55.25`.
pub(crate) fn time_ms(text: &str) -> Option<i64> {
    let mut parts = text.split(':');
    let (hour, minute) = (whole(parts.next()?)?, whole(parts.next()?)?);
    let second: f64 = match parts.next() {
        Some(second) if second.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') => second.parse().ok()?,
        Some(_) => return None,
        None => 0.0,
    };
    // A leap second is the last one of its minute.
    if parts.next().is_some() || hour > 23 || minute > 59 || second >= 61.0 {
        return None;
    }
    Some(i64::from(hour * 60 + minute) * MINUTE_MS + (second.min(59.999) * 1e3).round() as i64)
}

/// The same with `AM` or `PM`.
pub(crate) fn time_of_half_day_ms(text: &str, half: &str) -> Option<i64> {
    let time_ms = time_ms(text)?;
    let half_day_ms = DAY_MS / 2;
    match half {
        "AM" => Some(time_ms % half_day_ms),
        "PM" => Some(time_ms % half_day_ms + half_day_ms),
        _ => None,
    }
}

/// Digits alone.
fn whole(text: &str) -> Option<u32> {
    let is_whole = !text.is_empty() && text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_whole { text.parse().ok() } else { None }
}

/// A year of two digits is of this century.
fn year(text: &str) -> Option<u32> {
    match text.len() {
        2 => Some(2000 + whole(text)?),
        4 => whole(text),
        _ => None,
    }
}

/// First letters of months, as far as they tell them apart, in the languages that sessions are often set to.
const MONTHS: [&[&str]; 12] = [
    &["jan", "ene", "gen"],
    &["feb", "fev", "fév"],
    &["mar", "mär", "mrz"],
    &["apr", "avr", "abr"],
    &["may", "mai", "mag"],
    &["jun", "juin", "giu"],
    &["jul", "juil", "lug"],
    &["aug", "aoû", "ago"],
    &["sep", "set"],
    &["oct", "okt", "out", "ott"],
    &["nov"],
    &["dec", "dez", "déc", "dic"],
];

/// The month of a name, from 1.
fn month(name: &str) -> Option<u32> {
    let name = name.to_lowercase();
    let found = MONTHS.iter().position(|names| names.iter().any(|known| name.starts_with(known)))?;
    Some(found as u32 + 1)
}

/// `23-Jan-22` and `23-JAN-2022`.
pub(crate) fn named_day_ms(text: &str) -> Option<i64> {
    let mut parts = text.split('-');
    let (day, name, year_text) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    day_ms(year(year_text)?, month(name)?, whole(day)?)
}

/// `2022-01-23`; years first with another separator, `22/01/23`, only where a format says so.
pub(crate) fn year_first_ms(text: &str, separator: char) -> Option<i64> {
    let mut parts = text.split(separator);
    let (year_text, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    day_ms(year(year_text)?, whole(month)?, whole(day)?)
}

/// A day of a locale, and whether it may be read as another day, too.
///
/// Years first are of ISO 8601. Points are written between day and month. Of slashes, the month is first in the locale `C` and
/// in that of the United States, the day in all others.
pub(crate) fn locale_day_ms(text: &str) -> Option<(i64, bool)> {
    if let Some(found) = year_first_ms(text, '-') {
        return Some((found, false));
    }
    if let Some((day, rest)) = text.split_once('.') {
        let (month, year_text) = rest.split_once('.')?;
        return Some((day_ms(year(year_text)?, whole(month)?, whole(day)?)?, false));
    }
    let (first, rest) = text.split_once('/')?;
    let (second, year_text) = rest.split_once('/')?;
    let (first, second, year) = (whole(first)?, whole(second)?, year(year_text)?);
    let (month_first, day_first) = (day_ms(year, first, second), day_ms(year, second, first));
    let is_ambiguous = month_first.is_some() && day_first.is_some() && first != second;
    Some((month_first.or(day_first)?, is_ambiguous))
}

/// `2026-11-30 08:13:55.25+01`, with a `T` or blank, and minutes east of UTC if they are there: the moment is that of UTC then.
pub(crate) fn standard(text: &str) -> Option<(i64, Option<i16>)> {
    let (day, rest) = text.trim().split_once(['T', ' '])?;
    let rest = rest.trim();
    let end = rest.find(['+', '-', 'Z', ' ']).unwrap_or(rest.len());
    let (time, zone) = rest.split_at(end);
    let offset = offset_minutes(zone.trim())?;
    let clock_ms = year_first_ms(day, '-')? + time_ms(time)?;
    Some((clock_ms - i64::from(offset.unwrap_or(0)) * MINUTE_MS, offset))
}

/// Minutes east of UTC of `Z`, `UTC`, `+01`, `+0530`, `-03:30`; nothing of an empty text.
fn offset_minutes(text: &str) -> Option<Option<i16>> {
    if text.is_empty() {
        return Some(None);
    }
    if ["Z", "UTC", "GMT"].contains(&text) {
        return Some(Some(0));
    }
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let digits: String = text.strip_prefix(['+', '-'])?.chars().filter(|letter| *letter != ':').collect();
    let (hours, minutes) = match digits.len() {
        2 => (whole(&digits)?, 0),
        4 => (whole(digits.get(..2)?)?, whole(digits.get(2..)?)?),
        _ => return None,
    };
    let offset = i16::try_from(hours * 60 + minutes).ok().filter(|offset| *offset <= 15 * 60 && minutes < 60)?;
    Some(Some(sign * offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: i64 = 1_642_939_200_000; // 2022-01-23 12:00.

    #[test]
    fn days_are_read_as_programs_write_them() {
        let midnight = NOON - DAY_MS / 2;
        for text in ["23-Jan-22", "23-JAN-2022", "23-ene-22"] {
            assert_eq!(named_day_ms(text), Some(midnight), "{text}");
        }
        assert_eq!(named_day_ms("01-Mär-22"), day_ms(2022, 3, 1));
        assert_eq!(named_day_ms("01-juil.-22"), day_ms(2022, 7, 1));
        assert_eq!(named_day_ms("01-juin-22"), day_ms(2022, 6, 1));
        assert_eq!(year_first_ms("22/01/23", '/'), Some(midnight));
        assert_eq!(locale_day_ms("23.01.2022"), Some((midnight, false)));
        assert_eq!(locale_day_ms("01/23/22"), Some((midnight, false)));
        assert_eq!(locale_day_ms("23/01/22"), Some((midnight, false)));
        assert_eq!(locale_day_ms("02/01/22").map(|(_, ambiguous)| ambiguous), Some(true));
        assert_eq!(day_ms(2022, 2, 30), None);
        assert_eq!(named_day_ms("23-Foo-22"), None);
    }

    #[test]
    fn times_are_of_a_day() {
        assert_eq!(time_ms("12:00"), Some(DAY_MS / 2));
        assert_eq!(time_ms("00:00:01.5"), Some(1_500));
        assert_eq!(time_of_half_day_ms("12:30:00", "AM"), Some(30 * MINUTE_MS));
        assert_eq!(time_of_half_day_ms("12:30:00", "PM"), Some(DAY_MS / 2 + 30 * MINUTE_MS));
        for text in ["24:00", "12:60", "12", "1:2:3:4", "12:00:-1", "12:00:nan"] {
            assert_eq!(time_ms(text), None, "{text}");
        }
    }

    #[test]
    fn an_offset_makes_a_moment_of_utc() {
        assert_eq!(standard("2022-01-23 13:00:00+01"), Some((NOON, Some(60))));
        assert_eq!(standard("2022-01-23T08:30:00.000-0330"), Some((NOON, Some(-210))));
        assert_eq!(standard("2022-01-23 12:00:00"), Some((NOON, None)));
        assert_eq!(standard("2022-01-23 12:00:00 UTC"), Some((NOON, Some(0))));
        assert_eq!(standard("2022-01-23 12:00:00 CEST"), None);
    }
}
