//! The operations on one session: the benchmark's own, in small, each statement timed by itself and within a deadline.

use std::time::{Duration, Instant};

use engine::{Engine, Error, Kind, Result, Session, Statement, Value};
use model::promise::Operation;
use record::Nanos;

use crate::starts::Effort;
use crate::table::{ROWS, statement_file, table};
use crate::visible::Visible;

/// Rows by key in a burst, a statement each.
const READS: usize = 32;
/// Rows by key before a burst, whose times do not count: after a pause the first statements find cold caches of processors and
/// a process that sleeps, and the benchmark has neither. That they fail counts.
const WARM_UP_READS: usize = 8;
/// The client waits so much longer than the server may take: the server's own error says more.
const GRACE: Duration = Duration::from_millis(200);
/// A lock is waited for so long, if the engine has such a limit.
const LOCK_TIMEOUT_MS: u128 = 100;

/// What became of an operation.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) operation: Operation,
    /// Statements that were begun.
    pub(crate) statements: u64,
    pub(crate) result: std::result::Result<Timed, Refused>,
}

/// The times of the statements of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timed {
    pub(crate) slowest_ns: Nanos,
    pub(crate) median_ns: Nanos,
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub(crate) enum Refused {
    /// None came in time.
    TimedOut(String),
    /// The engine said so, or there is no connection.
    Failed(String),
    /// It was not tried.
    Skipped,
    /// It was answered, and there is nothing to hold it against.
    NotKnown(String),
}

/// A session with what it prepared.
pub(crate) struct Probe {
    session: Box<dyn Session>,
    read: Statement,
    update: Statement,
    scan: Statement,
    /// Returns 1 on a node that takes writes; absent where every node does.
    role: Option<Statement>,
    timeout: Duration,
    is_lost: bool,
}

impl Probe {
    /// Prepares the statements on `session`, whose statements the server ends after `timeout`.
    pub(crate) fn prepare(engine: &dyn Engine, mut session: Box<dyn Session>, timeout: Duration) -> Result<Probe> {
        session.limit_waits(Some(timeout + GRACE));
        if let Some(limits) = statement_file(engine, "M100.session") {
            let limits = limits.replace("{timeout_ms}", &timeout.as_millis().to_string());
            session.batch(&limits.replace("{lock_timeout_ms}", &LOCK_TIMEOUT_MS.to_string()))?;
        }
        let dialect = engine.dialect();
        let [monitor, id, value, filler] =
            [table().name.as_str(), "id", "value", "filler"].map(|name| (dialect.quoted)(name));
        let key = dialect.placeholder.at(1);
        let prepared = [
            format!("select {value}, {filler} from {monitor} where {id} = {key}"),
            format!("update {monitor} set {value} = {value} + 1 where {id} = {key}"),
            format!("select count({filler}), sum({value}) from {monitor}"),
        ];
        let [read, update, scan] = prepared.each_ref().map(|sql| session.prepare(sql));
        let role = statement_file(engine, "M100.role").map(|sql| session.prepare(sql)).transpose()?;
        Ok(Probe { read: read?, update: update?, scan: scan?, role, session, timeout, is_lost: false })
    }

    /// Whether the node takes writes now; absent where every node does.
    ///
    /// # Errors
    /// Errors of the engine.
    pub(crate) fn takes_writes(&mut self) -> Result<Option<bool>> {
        self.session.limit_waits(Some(self.timeout + GRACE));
        let Some(role) = self.role else { return Ok(None) };
        let rows = self.session.query(role, &[]).inspect_err(|error| self.is_lost |= is_of_session(error))?;
        Ok(number(&rows, 0).map(|number| number == 1))
    }

    /// The session, for what is beside the operations, within a deadline of its own.
    pub(crate) fn session(&mut self) -> &mut dyn Session {
        self.session.limit_waits(Some(self.timeout + GRACE));
        self.session.as_mut()
    }

    /// Whether the session cannot go on.
    pub(crate) fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// Does each of `operations`, as far as `effort` goes; `key` gives the key of a row. After a timeout nothing else is
    /// tried. Of the node that takes writes `visible` is told what it shows; the others are held against that.
    pub(crate) fn burst(
        &mut self,
        operations: &[Operation],
        effort: Effort,
        visible: &Visible,
        mut key: impl FnMut() -> i64,
    ) -> Vec<Answer> {
        let mut answers: Vec<Answer> = Vec::with_capacity(operations.len());
        for operation in operations.iter().copied() {
            let is_skipped = effort == Effort::OneStatement && operation != Operation::Read;
            let last = answers.last().map(|answer| &answer.result);
            let is_hopeless = self.is_lost || matches!(last, Some(Err(Refused::TimedOut(_) | Refused::Skipped)));
            answers.push(match is_skipped || is_hopeless {
                true => Answer { operation, statements: 0, result: Err(Refused::Skipped) },
                false => self.operation(operation, effort, visible, &mut key),
            });
        }
        answers
    }

    /// One operation.
    pub(crate) fn operation(
        &mut self,
        operation: Operation,
        effort: Effort,
        visible: &Visible,
        key: &mut dyn FnMut() -> i64,
    ) -> Answer {
        let (untimed, timed) = match (operation, effort) {
            (Operation::Read, Effort::Full) => (WARM_UP_READS, READS),
            _ => (0, 1),
        };
        let count = untimed + timed;
        let mut times: Vec<Nanos> = Vec::with_capacity(timed);
        for number in 1..=count {
            let begin = Instant::now();
            let done = self.statement(operation, key());
            let time = begin.elapsed();
            let sum = match done {
                Ok(sum) => sum,
                Err(error) => {
                    return Answer { operation, statements: number as u64, result: Err(self.refused(error, time)) };
                }
            };
            let time = match (operation, sum) {
                // Begun before the answer: what is committed meanwhile is no lag.
                (Operation::Lag, Some(sum)) => match visible.lag(sum, begin) {
                    Ok(lag) => lag,
                    Err(why) => {
                        let result = Err(Refused::NotKnown(why.to_owned()));
                        return Answer { operation, statements: number as u64, result };
                    }
                },
                (Operation::Scan, Some(sum)) => {
                    visible.note(sum, begin + time);
                    time
                }
                _ => time,
            };
            times.extend((number > untimed).then_some(Nanos::from(time)));
        }
        times.sort_unstable();
        let timed = Timed { slowest_ns: times[timed - 1], median_ns: times[timed / 2] };
        Answer { operation, statements: count as u64, result: Ok(timed) }
    }

    /// A statement of `operation`; of a scan the sum that it finds.
    fn statement(&mut self, operation: Operation, key: i64) -> Result<Option<i64>> {
        self.session.limit_waits(Some(self.timeout + GRACE));
        let key = [Value::Int(key)];
        let (rows, expected, sum) = match operation {
            Operation::Read => (self.session.execute(self.read, &key)?, 1, None),
            Operation::Commit => (self.session.execute(self.update, &key)?, 1, None),
            _ => {
                let rows = self.session.query(self.scan, &[])?;
                (number(&rows, 0).unwrap_or(0) as u64, ROWS as u64, number(&rows, 1))
            }
        };
        if rows == expected {
            return Ok(sum);
        }
        // The table was changed by others: what is timed is not what was promised.
        let message = format!("the {} found {rows} rows, not {expected}", operation.word());
        Err(Error::new(Kind::Statement, message))
    }

    fn refused(&mut self, error: Error, time: Duration) -> Refused {
        self.is_lost |= is_of_session(&error);
        match time >= self.timeout {
            true => Refused::TimedOut(error.message),
            false => Refused::Failed(error.message),
        }
    }
}

/// Whether a session cannot go on after `error`.
fn is_of_session(error: &Error) -> bool {
    !matches!(error.kind, Kind::Step(_) | Kind::Statement)
}

/// The whole number in a column of the first of `rows`.
fn number(rows: &[Vec<Value<'_>>], column: usize) -> Option<i64> {
    // Some engines add whole numbers up to a decimal.
    rows.first()?.get(column)?.to_string().parse().ok()
}

/// A key, from a number that is drawn.
pub(crate) fn key_of(random: u64) -> i64 {
    1 + ((u128::from(random) * ROWS as u128) >> 64) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_of_the_table() {
        assert_eq!((key_of(0), key_of(u64::MAX), key_of(u64::MAX / 2)), (1, ROWS, ROWS / 2));
    }
}
