//! How much a history keeps.

use model::promise::{DAY_MS, UnixMillis};
use rusqlite::params;

use super::History;

/// Days for which events are kept one by one.
pub const RAW_DAYS: i64 = 7;
/// Days for which hours are kept: a year, and the month before it.
const HOUR_DAYS: i64 = 400;
/// Bytes of the file, at most.
pub(super) const BYTES_MAX: u64 = 200_000_000;
/// Events that are given up at once where the file is too large.
const EVENTS_GIVEN_UP: u64 = 10_000;

impl History {
    /// Gives up what is too old at `now`, then the oldest events until the file has at most `bytes_max`.
    pub(super) fn prune(&mut self, now: UnixMillis, bytes_max: u64) -> rusqlite::Result<()> {
        self.connection.execute("delete from event where at_ms < ?1", [now.0 - RAW_DAYS * DAY_MS])?;
        self.connection.execute("delete from hour where hour < ?1", [now.hour() - HOUR_DAYS * 24])?;
        let ended = "delete from alert where until_ms < ?1";
        self.connection.execute(ended, [now.0 - HOUR_DAYS * DAY_MS])?;
        while self.bytes()? > bytes_max {
            let oldest = "delete from event where rowid in (select rowid from event order by at_ms limit ?1)";
            if self.connection.execute(oldest, params![EVENTS_GIVEN_UP])? == 0 {
                break;
            }
        }
        self.connection.execute_batch("pragma incremental_vacuum; pragma wal_checkpoint(passive)")
    }

    /// Bytes of the pages in use.
    fn bytes(&self) -> rusqlite::Result<u64> {
        let sql = "select (page_count - freelist_count) * page_size \
                   from pragma_page_count(), pragma_freelist_count(), pragma_page_size()";
        self.connection.query_row(sql, [], |row| row.get(0))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use model::promise::{Event, HOUR_MS, Operation, Outcome};
    use record::Nanos;

    use super::*;

    fn event(at_ms: i64) -> Event {
        let time = Some(Nanos(1_000_000));
        let at = UnixMillis(at_ms);
        Event { at, operation: Operation::Read, outcome: Outcome::Good, slowest_ns: time, median_ns: time }
    }

    #[test]
    fn what_is_old_goes_and_a_file_at_its_limit_stops_growing() {
        let directory = tempfile::tempdir().unwrap();
        let mut history = History::to_write(&directory.path().join("monitor.db")).unwrap();
        let now = UnixMillis(500 * DAY_MS);
        let first = now.0 - 8 * DAY_MS;
        let events: Vec<Event> = (0..50_000).map(|number| event(first + number * 8 * DAY_MS / 50_000)).collect();
        history.append(1, &events).unwrap();
        history.prune(now, BYTES_MAX).unwrap();
        let oldest = |history: &History| {
            let sql = "select min(at_ms), count(*) from event";
            history.connection.query_row(sql, [], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))).unwrap()
        };
        let (at, count) = oldest(&history);
        assert!(at >= now.0 - RAW_DAYS * DAY_MS && count > 40_000, "{count}");
        let limit = history.bytes().unwrap() / 2;
        history.prune(now, limit).unwrap();
        assert!(history.bytes().unwrap() <= limit);
        assert!(oldest(&history).0 > at, "the oldest events went");
    }

    #[test]
    fn a_target_takes_the_same_room_after_three_weeks_as_after_eight_days() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("monitor.db");
        let mut history = History::to_write(&path).unwrap();
        let mut bytes_of_days = Vec::new();
        for day in 0..21 {
            for hour in 24 * day..24 * (day + 1) {
                let at = |start: i64| hour * HOUR_MS + start * 30_000;
                let of_start = |start| Operation::OF_WRITER.map(|operation| Event { operation, ..event(at(start)) });
                let events: Vec<Event> = (0..120).flat_map(of_start).collect();
                history.append(1, &events).unwrap();
                history.end_hour(1, hour, &BTreeMap::new()).unwrap();
                history.prune(UnixMillis(at(120)), BYTES_MAX).unwrap();
            }
            bytes_of_days.push(history.bytes().unwrap());
        }
        let (eight, three_weeks) = (bytes_of_days[7], bytes_of_days[20]);
        // Hours stay, a few hundred bytes each.
        let hours = 13 * 24 * 3 * 300;
        assert!(three_weeks <= eight + hours, "{bytes_of_days:?}");
        assert!(eight < 8_000_000, "{eight} bytes of a week of events: {bytes_of_days:?}");
        drop(history);
        assert!(path.metadata().unwrap().len() < 10_000_000, "the file is no larger than its pages");
    }
}
