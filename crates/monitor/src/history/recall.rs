//! What a monitor that starts again has to know of what an earlier one saw.

use std::collections::BTreeMap;
use std::path::Path;

use model::promise::{
    Alert, BURN_MS_MAX, Control, Counts, HourlyMedians, Judge, Operation, Outcome, Promise, UnixMillis,
};
use run::Result;
use rusqlite::params;

use super::History;
use super::tables::refused;

/// The longest objective, and what a drift looks back to.
const HOURS: i64 = 31 * 24;

/// The judges of a target as an earlier process left them, and what is needed beside them.
#[derive(Debug, Default)]
pub struct Recalled {
    /// A judge of each promise.
    pub judges: BTreeMap<Operation, Judge>,
    /// The controls by hour.
    pub controls: BTreeMap<Control, HourlyMedians>,
    /// The medians of the events of the hour that goes on.
    pub medians: BTreeMap<Operation, Vec<f64>>,
}

impl History {
    /// What is known of `target` at `now`, in the file at `path`.
    ///
    /// # Errors
    /// Where the file cannot be read or written.
    pub fn recall(&mut self, path: &Path, target: i64, promises: &[Promise], now: UnixMillis) -> Result<Recalled> {
        self.recall_target(target, promises, now).map_err(|error| refused(path, &error))
    }

    fn recall_target(&mut self, target: i64, promises: &[Promise], now: UnixMillis) -> rusqlite::Result<Recalled> {
        self.end_hours_before(target, now.hour())?;
        self.recalled(target, promises, now)
    }

    /// What is known of `target` at `now`, but the hours that a killed process left as events.
    pub(super) fn recalled(&self, target: i64, promises: &[Promise], now: UnixMillis) -> rusqlite::Result<Recalled> {
        let mut recalled = Recalled {
            judges: promises.iter().map(|promise| (promise.operation, Judge::new(*promise))).collect(),
            ..Recalled::default()
        };
        self.recall_minutes(target, now, &mut recalled)?;
        self.recall_hours(target, now, &mut recalled)?;
        self.recall_alerts(target, &mut recalled)?;
        Ok(recalled)
    }

    fn recall_minutes(&self, target: i64, now: UnixMillis, recalled: &mut Recalled) -> rusqlite::Result<()> {
        let sql = "select at_ms, operation, outcome, median_ns from event where target = ?1 and at_ms > ?2 \
                   and at_ms <= ?3 order by at_ms";
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query(params![target, now.0 - BURN_MS_MAX, now.0])?;
        while let Some(row) = rows.next()? {
            let at = UnixMillis(row.get(0)?);
            let operation = Operation::of_word(&row.get::<_, String>(1)?);
            let Some((operation, outcome)) = operation.zip(Outcome::of_word(&row.get::<_, String>(2)?)) else {
                continue;
            };
            let mut counts = Counts::default();
            counts.count(outcome.standing());
            let Some(judge) = recalled.judges.get_mut(&operation) else { continue };
            judge.recall_minute(at, counts);
            if at.hour() == now.hour() {
                judge.recall_hour(at.hour(), counts, None);
                let median = row.get::<_, Option<u64>>(3)?.map(|median| median as f64);
                recalled.medians.entry(operation).or_default().extend(median);
            }
        }
        Ok(())
    }

    fn recall_hours(&self, target: i64, now: UnixMillis, recalled: &mut Recalled) -> rusqlite::Result<()> {
        let sql = "select series, hour, good, bad, unknown, median_ns from hour where target = ?1 and hour > ?2 \
                   and hour < ?3";
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query(params![target, now.hour() - HOURS, now.hour()])?;
        while let Some(row) = rows.next()? {
            let (series, hour): (String, i64) = (row.get(0)?, row.get(1)?);
            let counts = Counts { good: row.get(2)?, bad: row.get(3)?, unknown: row.get(4)? };
            let median: Option<f64> = row.get(5)?;
            if let Some(judge) = Operation::of_word(&series).and_then(|found| recalled.judges.get_mut(&found)) {
                judge.recall_hour(hour, counts, median);
            } else if let Some((control, median)) = Control::of_word(&series).zip(median) {
                recalled.controls.entry(control).or_default().insert(hour, median);
            }
        }
        Ok(())
    }

    fn recall_alerts(&self, target: i64, recalled: &mut Recalled) -> rusqlite::Result<()> {
        let sql = "select operation, alert, from_ms from alert where target = ?1 and until_ms is null";
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query([target])?;
        while let Some(row) = rows.next()? {
            let operation = Operation::of_word(&row.get::<_, String>(0)?);
            let alert = Alert::of_word(&row.get::<_, String>(1)?);
            let since = UnixMillis(row.get(2)?);
            if let Some((operation, alert)) = operation.zip(alert)
                && let Some(judge) = recalled.judges.get_mut(&operation)
            {
                judge.recall_alert(alert, since);
            }
        }
        Ok(())
    }
}
