//! The targets of a history at a moment, for those who only look.

use std::fs::File;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use model::promise::{Burst, Counts, Judge, Month, Operation, Outcome, Promise, PromiseNow, TargetNow, UnixMillis};
use record::Nanos;
use run::Result;
use rusqlite::params;

use super::History;
use super::hours::Summary;
use super::month::timestamp;
use super::recall::Recalled;
use super::tables::refused;

/// Bursts of each operation that are shown.
const BURSTS_MAX: i64 = 8;

/// Months that are named.
const MONTHS_MAX: i64 = 14;

impl History {
    /// Whether a monitor writes the history at `path`. It is asked before the file is opened to read: what is closed here
    /// would give up the locks of a reader of the same process.
    pub fn is_written(path: &Path) -> bool {
        File::open(path).is_ok_and(|file| file.try_lock_shared().is_err())
    }

    /// The targets of the history at `path` now, by name. Nothing is written.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn now(&self, path: &Path) -> Result<Vec<TargetNow>> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let now = UnixMillis(i64::try_from(since).unwrap_or(i64::MAX));
        let month: String = timestamp(now).0.chars().take("2026-11".len()).collect();
        let months = self.months(path, &month)?;
        let targets = self.targets().map_err(|error| refused(path, &error))?;
        let of = |((target, ..), month): ((i64, String, String), Month)| {
            let promises = self.promises(target)?;
            let recalled = self.seen(target, &promises, now)?;
            let last: Option<i64> =
                self.connection
                    .query_row("select max(at_ms) from event where target = ?1", [target], |row| row.get(0))?;
            Ok(TargetNow {
                month,
                months: self.months_seen(target)?,
                last_at: last.map(|last| timestamp(UnixMillis(last))),
                promises: recalled
                    .judges
                    .values()
                    .map(|judge| self.promise_now(target, judge, now))
                    .collect::<rusqlite::Result<_>>()?,
            })
        };
        let found: rusqlite::Result<Vec<TargetNow>> = targets.into_iter().zip(months).map(of).collect();
        found.map_err(|error| refused(path, &error))
    }

    /// The judges of `target` with all that they have seen until `now`, the hours that a killed process left as events
    /// included.
    fn seen(&self, target: i64, promises: &[Promise], now: UnixMillis) -> rusqlite::Result<Recalled> {
        let mut recalled = self.recalled(target, promises, now)?;
        for hour in self.hours_of_events(target, i64::MIN, now.hour())? {
            for (operation, judge) in &mut recalled.judges {
                let summary = Summary::read(&self.connection, target, *operation, hour)?;
                judge.recall_hour(hour, summary.counts, summary.median_ns());
            }
        }
        Ok(recalled)
    }

    fn promise_now(&self, target: i64, judge: &Judge, now: UnixMillis) -> rusqlite::Result<PromiseNow> {
        let promise = *judge.promise();
        let has_seen = judge.window(now) != Counts::default();
        Ok(PromiseNow {
            promise,
            budget_left: has_seen.then(|| judge.budget_left(now)),
            raised: judge.raised().iter().map(|(alert, since)| (*alert, timestamp(*since))).collect(),
            burns: judge.burns(now).collect(),
            bursts: self.bursts(target, promise.operation)?,
            shifts: judge.shifts(now.hour() - 1),
        })
    }

    fn bursts(&self, target: i64, operation: Operation) -> rusqlite::Result<Vec<Burst>> {
        let sql = "select at_ms, outcome, slowest_ns, median_ns from event where target = ?1 and operation = ?2 \
                   order by at_ms desc limit ?3";
        let mut statement = self.connection.prepare(sql)?;
        let rows = statement.query_map(params![target, operation.word(), BURSTS_MAX], |row| {
            let outcome = Outcome::of_word(&row.get::<_, String>(1)?);
            let (at, slowest, median) = (row.get(0)?, row.get::<_, Option<u64>>(2)?, row.get::<_, Option<u64>>(3)?);
            Ok(outcome.map(|outcome| Burst {
                at: timestamp(UnixMillis(at)),
                outcome,
                slowest_ns: slowest.map(Nanos),
                median_ns: median.map(Nanos),
            }))
        })?;
        rows.filter_map(|row| row.transpose()).collect()
    }

    fn months_seen(&self, target: i64) -> rusqlite::Result<Vec<String>> {
        let sql = "select month from (select strftime('%Y-%m', hour * 3600, 'unixepoch') as month from hour \
                   where target = ?1 union select strftime('%Y-%m', at_ms / 1000, 'unixepoch') from event \
                   where target = ?1) where month is not null order by month desc limit ?2";
        let mut statement = self.connection.prepare(sql)?;
        statement.query_map(params![target, MONTHS_MAX], |row| row.get(0))?.collect()
    }
}
