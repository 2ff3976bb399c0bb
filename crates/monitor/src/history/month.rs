//! A month of a history.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use measure::Histogram;
use model::promise::{Alert, Counts, HOUR_MS, Incident, Month, Operation, Outcome, Promise, PromiseMonth, UnixMillis};
use record::{Latency, Nanos, Timestamp};
use run::{Error, Result};
use rusqlite::params;

use super::History;
use super::hours::Summary;
use super::tables::refused;

impl History {
    /// The month `month` (`2026-11`) of each target.
    ///
    /// # Errors
    /// Where `month` is none, and where the file cannot be read.
    pub fn months(&self, path: &Path, month: &str) -> Result<Vec<Month>> {
        let (begin, end) = bounds(month)?;
        let of_target = |(target, name, record): (i64, String, String)| {
            let promises = self.promises(target)?.into_iter();
            let promises = promises.map(|promise| self.promise_month(target, promise, (begin, end)));
            Ok(Month {
                target: name,
                month: month.to_owned(),
                record,
                promises: promises.collect::<rusqlite::Result<_>>()?,
                incidents: self.incidents(target, (begin, end))?,
            })
        };
        let months = self.targets().and_then(|targets| targets.into_iter().map(of_target).collect());
        months.map_err(|error: rusqlite::Error| refused(path, &error))
    }

    fn promise_month(
        &self,
        target: i64,
        promise: Promise,
        (begin, end): (UnixMillis, UnixMillis),
    ) -> rusqlite::Result<PromiseMonth> {
        let sql = "select good, bad, unknown, median_ns, slowest from hour where target = ?1 and series = ?2 \
                   and hour >= ?3 and hour < ?4";
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query(params![target, promise.operation.word(), begin.hour(), end.hour()])?;
        let (mut counts, mut medians, mut hours_watched) = (Counts::default(), Vec::new(), 0);
        let mut slowest = Histogram::default();
        while let Some(row) = rows.next()? {
            counts.add(Counts { good: row.get(0)?, bad: row.get(1)?, unknown: row.get(2)? });
            medians.extend(row.get::<_, Option<f64>>(3)?);
            let histogram: Option<String> = row.get(4)?;
            histogram.iter().for_each(|histogram| add(&mut slowest, histogram));
            hours_watched += 1;
        }
        for hour in self.hours_of_events(target, begin.hour(), end.hour())? {
            let summary = Summary::read(&self.connection, target, promise.operation, hour)?;
            counts.add(summary.counts);
            medians.extend(summary.median_ns());
            slowest.add(&summary.slowest);
            hours_watched += 1;
        }
        let median_ns = model::median(&medians).map(|median| Nanos(median as u64));
        let slowest = (slowest.count() > 0).then(|| slowest.latency());
        Ok(PromiseMonth { promise, counts, hours_watched, median_ns, slowest })
    }

    fn incidents(&self, target: i64, (begin, end): (UnixMillis, UnixMillis)) -> rusqlite::Result<Vec<Incident>> {
        let sql = "select operation, alert, from_ms, until_ms, why, outcomes from alert where target = ?1 \
                   and from_ms < ?3 and coalesce(until_ms, ?3) >= ?2 order by from_ms, operation";
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query(params![target, begin.0, end.0])?;
        let mut incidents = Vec::new();
        while let Some(row) = rows.next()? {
            let operation = Operation::of_word(&row.get::<_, String>(0)?);
            let Some((operation, alert)) = operation.zip(Alert::of_word(&row.get::<_, String>(1)?)) else { continue };
            incidents.push(Incident {
                operation,
                alert,
                from: timestamp(UnixMillis(row.get(2)?)),
                until: row.get::<_, Option<i64>>(3)?.map(|until| timestamp(UnixMillis(until))),
                why: row.get(4)?,
                outcomes: outcomes(&row.get::<_, Option<String>>(5)?.unwrap_or_default()),
            });
        }
        Ok(incidents)
    }
}

/// Adds the values of a stored histogram, by its buckets.
fn add(all: &mut Histogram, histogram: &str) {
    let stored = Latency { count: 1, histogram: histogram.to_owned(), ..Latency::default() };
    let buckets = model::buckets(&stored).unwrap_or_default();
    buckets.into_iter().for_each(|(middle, count)| all.record_many(middle, count));
}

/// `slow=3,missed=2`, as it is stored.
fn outcomes(text: &str) -> BTreeMap<Outcome, u64> {
    let pair = |pair: &str| {
        let (word, count) = pair.split_once('=')?;
        Some((Outcome::of_word(word)?, count.parse().ok()?))
    };
    text.split(',').filter_map(pair).collect()
}

/// A moment as records have it.
pub(crate) fn timestamp(UnixMillis(at_ms): UnixMillis) -> Timestamp {
    let at = UNIX_EPOCH + Duration::from_millis(u64::try_from(at_ms).unwrap_or(0));
    Timestamp(humantime::format_rfc3339_millis(at).to_string())
}

/// The first moments of the month `text` and of the next one, UTC.
fn bounds(text: &str) -> Result<(UnixMillis, UnixMillis)> {
    let wrong = || Error::user(format!("month {text} is not a month")).hint("write it as 2026-11");
    let is_digit = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let (year, month) =
        text.split_once('-').filter(|(year, month)| year.len() == 4 && month.len() == 2).ok_or_else(wrong)?;
    let (year, month) = match (is_digit(year) && is_digit(month), year.parse::<u32>(), month.parse::<u32>()) {
        (true, Ok(year), Ok(month @ 1..=12)) if year >= 1970 => (year, month),
        _ => return Err(wrong()),
    };
    let (next_year, next) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    let first = |year: u32, month: u32| -> Option<UnixMillis> {
        let text = format!("{year:04}-{month:02}-01T00:00:00Z");
        let since = humantime::parse_rfc3339(&text).ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        let hours = i64::try_from(since.as_secs() / 3_600).ok()?;
        Some(UnixMillis(hours * HOUR_MS))
    };
    first(year, month).zip(first(next_year, next)).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_month_begins_and_ends_at_midnight() {
        let (begin, end) = bounds("2026-12").unwrap();
        assert_eq!(
            (timestamp(begin).0, timestamp(end).0.as_str()),
            ("2026-12-01T00:00:00.000Z".to_owned(), "2027-01-01T00:00:00.000Z")
        );
        for text in ["2026-13", "2026-0", "26-11", "2026-1x", "+026-01", "2026", "", "1969-12", "2026-00"] {
            assert!(bounds(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,8}", stored in "[a-z=,0-9 ]{0,40}") {
            let _ = (bounds(&text), outcomes(&stored));
        }
    }
}
