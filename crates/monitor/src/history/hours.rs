//! Hours in place of events.

use std::collections::BTreeMap;

use measure::Histogram;
use model::promise::{Control, Counts, HOUR_MS, Operation, Outcome};
use record::Nanos;
use rusqlite::params;

use super::History;

impl History {
    /// Notes a complete `hour` of `target`: of the operations from their events, of the controls as they are given.
    pub(super) fn end_hour(
        &mut self,
        target: i64,
        hour: i64,
        controls: &BTreeMap<Control, f64>,
    ) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        let replaced = "insert or replace into hour values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        for operation in Operation::ALL {
            let summary = Summary::read(&transaction, target, operation, hour)?;
            let Counts { good, bad, unknown } = summary.counts;
            if good + bad + unknown == 0 {
                continue;
            }
            let slowest = (summary.slowest.count() > 0).then(|| summary.slowest.latency().histogram);
            let values = params![target, operation.word(), hour, good, bad, unknown, summary.median_ns(), slowest];
            transaction.execute(replaced, values)?;
        }
        for (control, median_ns) in controls {
            let values = params![target, control.word(), hour, 0, 0, 0, median_ns, None::<String>];
            transaction.execute(replaced, values)?;
        }
        transaction.commit()
    }

    /// Notes the complete hours before `hour` that a killed process left as events.
    pub(super) fn end_hours_before(&mut self, target: i64, hour: i64) -> rusqlite::Result<()> {
        let left = self.hours_of_events(target, i64::MIN, hour)?;
        left.into_iter().try_for_each(|hour| self.end_hour(target, hour, &BTreeMap::new()))
    }

    /// The hours from `from` until before `until` whose events stand for themselves.
    pub(super) fn hours_of_events(&self, target: i64, from: i64, until: i64) -> rusqlite::Result<Vec<i64>> {
        let sql = "select distinct at_ms / 3600000 from event where target = ?1 and at_ms >= ?2 and at_ms < ?3 \
                   and at_ms / 3600000 not in (select hour from hour where target = ?1)";
        let mut statement = self.connection.prepare(sql)?;
        let values = params![target, from.saturating_mul(HOUR_MS), until.saturating_mul(HOUR_MS)];
        statement.query_map(values, |row| row.get(0))?.collect()
    }
}

/// The events of an operation in an hour.
#[derive(Default)]
pub(super) struct Summary {
    pub(super) counts: Counts,
    medians: Vec<f64>,
    pub(super) slowest: Histogram,
}

impl Summary {
    pub(super) fn read(
        connection: &rusqlite::Connection,
        target: i64,
        operation: Operation,
        hour: i64,
    ) -> rusqlite::Result<Summary> {
        let sql = "select outcome, slowest_ns, median_ns from event where target = ?1 and operation = ?2 \
                   and at_ms >= ?3 and at_ms < ?4";
        let mut statement = connection.prepare_cached(sql)?;
        let values = params![target, operation.word(), hour * HOUR_MS, (hour + 1) * HOUR_MS];
        let mut rows = statement.query(values)?;
        let mut summary = Summary::default();
        while let Some(row) = rows.next()? {
            let outcome = Outcome::of_word(&row.get::<_, String>(0)?);
            outcome.iter().for_each(|outcome| summary.counts.count(outcome.standing()));
            row.get::<_, Option<u64>>(1)?.into_iter().for_each(|slowest| summary.slowest.record(Nanos(slowest)));
            summary.medians.extend(row.get::<_, Option<u64>>(2)?.map(|median| median as f64));
        }
        Ok(summary)
    }

    pub(super) fn median_ns(&self) -> Option<f64> {
        model::median(&self.medians)
    }
}
