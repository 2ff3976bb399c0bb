//! The file and its tables.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::path::Path;
use std::time::Duration;

use model::promise::{Alert, AlertChange, Event, Objective, Operation, Outcome, Promise};
use record::{Nanos, Ratio};
use run::{Error, Result};
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};

/// What the file of a history says it is of: `dbDm`, big-endian, at byte 68.
pub const HISTORY_ID: u32 = 0x6462_446d;
const APPLICATION_ID: i64 = HISTORY_ID as i64;
/// How often a lock is tried, and how far apart.
const LOCK_TRIES: u32 = 3;
const LOCK_PAUSE: Duration = Duration::from_millis(20);
/// Version of the tables.
const VERSION: i64 = 1;

const TABLES: &str = "
    create table target (id integer primary key, name text not null unique, record text not null);
    create table promise (target integer not null, operation text not null, threshold_ns integer,
        baseline_p50_ns integer, good_ratio real not null, window_days integer not null,
        primary key (target, operation)) without rowid;
    create table event (target integer not null, at_ms integer not null, operation text not null,
        outcome text not null, slowest_ns integer, median_ns integer);
    create index event_at on event (target, at_ms);
    create table hour (target integer not null, series text not null, hour integer not null, good integer not null,
        bad integer not null, unknown integer not null, median_ns real, slowest text,
        primary key (target, series, hour)) without rowid;
    create table alert (target integer not null, operation text not null, alert text not null,
        from_ms integer not null, until_ms integer, why text not null, outcomes text,
        primary key (target, operation, alert, from_ms)) without rowid;
";

/// A history that is open.
pub struct History {
    pub(super) connection: Connection,
    /// Held as long as it is written: one process writes at a time.
    _lock: Option<File>,
}

/// An error of the file at `path`.
pub(super) fn refused(path: &Path, error: &dyn std::fmt::Display) -> Error {
    Error::environment(format!("history {} cannot be used: {error}", path.display()))
        .hint("free space, or give another file with --data")
}

impl History {
    /// Opens the file at `path` to write, and makes it if it is not there.
    ///
    /// # Errors
    /// Where it is no history, where another process writes it, and where it cannot be written.
    pub fn to_write(path: &Path) -> Result<History> {
        let refused = |error: &dyn std::fmt::Display| refused(path, error);
        let lock = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let lock = lock.map_err(|error| refused(&error))?;
        // Who only looks whether it is held holds it for a moment.
        let is_held = (0..LOCK_TRIES).all(|_| {
            let is_held = lock.try_lock().is_err();
            if is_held {
                std::thread::sleep(LOCK_PAUSE);
            }
            is_held
        });
        if is_held {
            let error = Error::environment(format!("history {} is written by another monitor", path.display()));
            return Err(error.hint("end that one, or give another file with --data"));
        }
        let connection = Connection::open(path).map_err(|error| refused(&error))?;
        let mut history = History { connection, _lock: Some(lock) };
        history.prepare(path)?;
        Ok(history)
    }

    /// Opens the file at `path` to read.
    ///
    /// # Errors
    /// Where there is none, and where it is no history.
    pub fn to_read(path: &Path) -> Result<History> {
        if !path.is_file() {
            let error = Error::user(format!("{} is not a file", path.display()));
            return Err(error.hint("give the file that `dbdyno monitor` writes, by --data"));
        }
        // Whoever closes it last removes the files beside it, and needs to write for that; where it may not, it reads.
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE);
        let history = History { connection: connection.map_err(|error| refused(path, &error))?, _lock: None };
        let only_reads = history.connection.pragma_update(None, "query_only", true);
        only_reads.map_err(|error| refused(path, &error))?;
        match history.identity().map_err(|error| refused(path, &error))? {
            (APPLICATION_ID, VERSION) => {}
            found => return Err(not_ours(path, found)),
        }
        // Somebody else may have written the file: a view in the place of a table could keep its reader busy forever.
        let made = "select count(*) from sqlite_schema where type not in ('table', 'index') \
                    or sql like '%virtual%' or sql like '%generated%'";
        let made = history.connection.query_row(made, [], |row| row.get::<_, i64>(0));
        match made.map_err(|error| refused(path, &error))? {
            0 => Ok(history),
            _ => Err(not_ours(path, (0, 0))),
        }
    }

    fn prepare(&mut self, path: &Path) -> Result<()> {
        let refused = |error: rusqlite::Error| refused(path, &error);
        let identity = self.identity().map_err(refused)?;
        let tables = "select count(*) from sqlite_schema";
        let is_empty = self.connection.query_row(tables, [], |row| row.get::<_, i64>(0)).map_err(refused)? == 0;
        match identity {
            (APPLICATION_ID, VERSION) => {}
            (0, 0) if is_empty => self.make().map_err(refused)?,
            found => return Err(not_ours(path, found)),
        }
        // In this mode readers and the writer do not wait for each other, and a commit is one append without a flush.
        let settings = "pragma journal_mode = wal; pragma synchronous = normal; pragma wal_autocheckpoint = 256";
        self.connection.busy_timeout(Duration::from_secs(5)).map_err(refused)?;
        self.connection.execute_batch(settings).map_err(refused)
    }

    fn make(&mut self) -> rusqlite::Result<()> {
        self.connection.execute_batch(&format!(
            "pragma auto_vacuum = incremental; begin; {TABLES} pragma application_id = {APPLICATION_ID}; \
             pragma user_version = {VERSION}; commit"
        ))
    }

    fn identity(&self) -> rusqlite::Result<(i64, i64)> {
        let number = |name: &str| self.connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        Ok((number("application_id")?, number("user_version")?))
    }

    /// The number of the target called `name`, whose promise is made from `record`; its promises are replaced.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub fn enter(&mut self, path: &Path, name: &str, record: &str, promises: &[Promise]) -> Result<i64> {
        self.enter_target(name, record, promises).map_err(|error| refused(path, &error))
    }

    fn enter_target(&mut self, name: &str, record: &str, promises: &[Promise]) -> rusqlite::Result<i64> {
        let transaction = self.connection.transaction()?;
        let entered = "insert into target (name, record) values (?1, ?2) \
                       on conflict (name) do update set record = excluded.record returning id";
        let target = transaction.query_row(entered, params![name, record], |row| row.get(0))?;
        for promise in promises {
            let replaced = "insert or replace into promise values (?1, ?2, ?3, ?4, ?5, ?6)";
            transaction.execute(
                replaced,
                params![
                    target,
                    promise.operation.word(),
                    promise.threshold_ns.map(|threshold| threshold.0),
                    promise.baseline_p50_ns.map(|median| median.0),
                    promise.objective.good_ratio.0,
                    promise.objective.window_days,
                ],
            )?;
        }
        transaction.commit()?;
        Ok(target)
    }

    /// The targets, with the record that the promise of each is made from, by name.
    pub(super) fn targets(&self) -> rusqlite::Result<Vec<(i64, String, String)>> {
        let mut statement = self.connection.prepare("select id, name, record from target order by name")?;
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
    }

    /// The promises of `target`.
    pub(super) fn promises(&self, target: i64) -> rusqlite::Result<Vec<Promise>> {
        let sql =
            "select operation, threshold_ns, baseline_p50_ns, good_ratio, window_days from promise where target = ?1";
        let mut statement = self.connection.prepare(sql)?;
        let rows = statement.query_map([target], |row| {
            let operation = Operation::of_word(&row.get::<_, String>(0)?);
            Ok(operation.zip(Some((row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))))
        })?;
        let promise = |(operation, (threshold, baseline, good_ratio, window_days)): (
            Operation,
            (Option<u64>, Option<u64>, f64, u32),
        )| Promise {
            operation,
            threshold_ns: threshold.map(Nanos),
            baseline_p50_ns: baseline.map(Nanos),
            objective: Objective { good_ratio: Ratio(good_ratio), window_days },
        };
        let mut found: Vec<Promise> =
            rows.filter_map(|row| row.transpose()).map(|row| row.map(promise)).collect::<rusqlite::Result<_>>()?;
        found.sort_by_key(|promise| promise.operation);
        Ok(found)
    }

    /// Appends `events` of `target`, all or none.
    pub(super) fn append(&mut self, target: i64, events: &[Event]) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        {
            let mut insert = transaction.prepare_cached("insert into event values (?1, ?2, ?3, ?4, ?5, ?6)")?;
            for event in events {
                insert.execute(params![
                    target,
                    event.at.0,
                    event.operation.word(),
                    event.outcome.word(),
                    event.slowest_ns.map(|slowest| slowest.0),
                    event.median_ns.map(|median| median.0),
                ])?;
            }
        }
        transaction.commit()
    }

    /// Notes that an alert of `target` begins, because of `why`, or ends: what became of its bad events is counted
    /// then.
    pub(super) fn change(&mut self, target: i64, change: &AlertChange, why: &str) -> rusqlite::Result<()> {
        let (operation, alert) = (change.operation.word(), change.alert.word());
        if change.raised.is_some() {
            let raised = "insert or replace into alert values (?1, ?2, ?3, ?4, null, ?5, null)";
            return self.connection.execute(raised, params![target, operation, alert, change.since.0, why]).map(drop);
        }
        let outcomes = self.outcomes(target, change)?;
        let words: Vec<String> =
            outcomes.iter().map(|(outcome, count)| format!("{}={count}", outcome.word())).collect();
        let ended = "update alert set until_ms = ?5, outcomes = ?6 where target = ?1 and operation = ?2 and alert = ?3 \
                     and from_ms = ?4";
        let values = params![target, operation, alert, change.since.0, change.at.0, words.join(",")];
        self.connection.execute(ended, values).map(drop)
    }

    /// The bad events during an alert that ends, those that raised it included.
    fn outcomes(&self, target: i64, change: &AlertChange) -> rusqlite::Result<BTreeMap<Outcome, u64>> {
        let begin = match change.alert {
            Alert::Down => self.last_good_before(target, change)?,
            _ => change.since.0,
        };
        let sql = "select outcome, count(*) from event where target = ?1 and operation = ?2 and at_ms > ?3 \
                   and at_ms <= ?4 and outcome not in ('good', 'late', 'not known') group by outcome";
        let mut statement = self.connection.prepare(sql)?;
        let values = params![target, change.operation.word(), begin, change.at.0];
        let rows = statement.query_map(values, |row| Ok((row.get::<_, String>(0)?, row.get::<_, u64>(1)?)))?;
        let named =
            |row: rusqlite::Result<(String, u64)>| row.map(|(word, count)| Some((Outcome::of_word(&word)?, count)));
        rows.map(named).filter_map(|row| row.transpose()).collect()
    }

    fn last_good_before(&self, target: i64, change: &AlertChange) -> rusqlite::Result<i64> {
        let sql =
            "select max(at_ms) from event where target = ?1 and operation = ?2 and at_ms < ?3 and outcome = 'good'";
        let values = params![target, change.operation.word(), change.since.0];
        let found: Option<Option<i64>> = self.connection.query_row(sql, values, |row| row.get(0)).optional()?;
        Ok(found.flatten().unwrap_or(i64::MIN))
    }
}

fn not_ours(path: &Path, (application, version): (i64, i64)) -> Error {
    let what = match application {
        APPLICATION_ID => format!("is a history of version {version}, and this program has version {VERSION}"),
        _ => "is not a history of dbdyno".to_owned(),
    };
    Error::user(format!("{} {what}", path.display())).hint("give another file with --data")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_somebody_else_is_refused_and_stays() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("thesis.txt");
        std::fs::write(&path, "mine").unwrap();
        assert!(History::to_write(&path).is_err() && History::to_read(&path).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"mine");
        let other = directory.path().join("other.db");
        Connection::open(&other).unwrap().execute_batch("create table a (b)").unwrap();
        let error = History::to_write(&other).err().expect("it is not ours");
        assert!(error.message.ends_with("is not a history of dbdyno"), "{error}");
    }

    #[test]
    fn a_history_with_views_in_the_place_of_its_tables_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("monitor.db");
        drop(History::to_write(&path).unwrap());
        assert!(History::to_read(&path).is_ok());
        let endless = "drop table target; create view target as with recursive n (id) as \
                       (select 1 union all select id + 1 from n) select id, 'a' as name, 'b' as record from n";
        Connection::open(&path).unwrap().execute_batch(endless).unwrap();
        let error = History::to_read(&path).err().expect("it has a view");
        assert!(error.message.ends_with("is not a history of dbdyno"), "{error}");
    }

    #[test]
    fn one_process_writes_and_others_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("monitor.db");
        let mut history = History::to_write(&path).unwrap();
        let promise = Promise {
            operation: Operation::Read,
            threshold_ns: Some(Nanos(7)),
            baseline_p50_ns: None,
            objective: Objective::default(),
        };
        let target = history.enter(&path, "shop", "r1", &[promise]).unwrap();
        assert_eq!(history.enter(&path, "shop", "r2", &[promise]).unwrap(), target, "it keeps its number");
        assert!(History::to_write(&path).err().is_some_and(|error| error.message.contains("another monitor")));
        let reader = History::to_read(&path).unwrap();
        assert_eq!(reader.targets().unwrap(), [(target, "shop".to_owned(), "r2".to_owned())]);
        assert_eq!(reader.promises(target).unwrap(), [promise]);
    }
}
