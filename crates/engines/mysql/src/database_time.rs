//! Database time: time that sessions spent in the server.
//!
//! MariaDB sums the busy time if `userstat` is on (`Busy_time`, seconds, without the running statement of an active
//! session). MySQL times its statements if the performance schema collects them.
//!
//! `userstat` adds CPU time to every statement: 11 % of the server's for a select by primary key (6.4 µs instead of 5.7
//! µs, median of 20 pairs on a busy host, half of them between 7 and 20 %; MariaDB 10.11). Therefore it is off in a
//! temporary server, as by default, and on while a run is traced.

use engine::{Result, Session};

use crate::flavour::Flavour;
use crate::query::{if_permitted, is_on, rows};

/// The sum of all statements, in nanoseconds from picoseconds.
const STATEMENTS: &str = "select cast(coalesce(sum(sum_timer_wait) div 1000, 0) as char) \
     from performance_schema.events_statements_summary_global_by_event_name where event_name like 'statement/%' \
     and exists (select 1 from performance_schema.setup_instruments \
     where name = 'statement/sql/select' and enabled = 'YES' and timed = 'YES') \
     and exists (select 1 from performance_schema.setup_consumers \
     where name = 'global_instrumentation' and enabled = 'YES') having count(*) > 0";

/// Source of the time.
pub(crate) enum DatabaseTime {
    /// A status variable, which is updated only if `userstat` is on.
    Busy {
        /// Whether `userstat` was on before.
        was_on: bool,
    },
    /// A query.
    Statements(String),
}

impl DatabaseTime {
    /// For a server of `flavour`; `None` if it does not time statements. `is_timed`: its performance schema is on.
    pub(crate) fn of(flavour: Flavour, is_timed: bool, session: &mut dyn Session) -> Result<Option<DatabaseTime>> {
        Ok(match flavour {
            Flavour::MariaDb => Some(DatabaseTime::Busy { was_on: is_on(session, "userstat")? }),
            Flavour::MySql if is_timed => if_permitted(session, STATEMENTS.to_owned())?.map(DatabaseTime::Statements),
            Flavour::MySql => None,
        })
    }

    /// The statement that switches timing on or off; `None` if there is nothing to switch.
    pub(crate) fn switch(&self, on: bool) -> Option<&'static str> {
        match self {
            DatabaseTime::Busy { was_on: false } if on => Some("set global userstat = on"),
            DatabaseTime::Busy { was_on: false } => Some("set global userstat = off"),
            DatabaseTime::Busy { was_on: true } | DatabaseTime::Statements(_) => None,
        }
    }

    /// Nanoseconds so far; `status` is the result of `show global status`.
    pub(crate) fn read(&self, session: &mut dyn Session, status: &[Vec<String>]) -> Result<Option<u64>> {
        Ok(match self {
            DatabaseTime::Busy { .. } => busy(status).filter(|_| is_on(session, "userstat").unwrap_or(false)),
            DatabaseTime::Statements(sql) => match rows(session, sql)?.as_slice() {
                [row] => row.first().and_then(|total| total.parse().ok()),
                _ => None,
            },
        })
    }
}

/// `Busy_time` in a status result, in nanoseconds.
fn busy(status: &[Vec<String>]) -> Option<u64> {
    let row = status.iter().find(|row| row.first().is_some_and(|name| name == "Busy_time"))?;
    let seconds: f64 = row.get(1)?.parse().ok()?;
    (seconds.is_finite() && seconds >= 0.0).then_some((seconds * 1e9) as u64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn line(name: &str, value: &str) -> Vec<String> {
        vec![name.to_owned(), value.to_owned()]
    }

    #[test]
    fn a_setting_that_was_on_stays_on() {
        let switched = |was_on, on| DatabaseTime::Busy { was_on }.switch(on);
        assert_eq!(switched(false, true), Some("set global userstat = on"));
        assert_eq!(switched(false, false), Some("set global userstat = off"));
        assert_eq!((switched(true, true), switched(true, false)), (None, None));
    }

    #[test]
    fn seconds_become_nanoseconds_and_invalid_numbers_are_absent() {
        assert_eq!(busy(&[line("Bytes_sent", "7"), line("Busy_time", "1.500000")]), Some(1_500_000_000));
        assert_eq!(busy(&[line("Busy_time", "0.000000")]), Some(0));
        for value in ["", "NaN", "-1", "inf", "x"] {
            assert_eq!(busy(&[line("Busy_time", value)]), None, "{value}");
        }
        assert_eq!(busy(&[line("Cpu_time", "1")]), None);
    }

    proptest! {
        #[test]
        fn no_status_panics(name in "Busy_time|\\PC{0,8}", value in "[-+0-9.eE]{0,20}") {
            let _ = busy(&[vec![name.clone()], line(&name, &value), Vec::new()]);
        }
    }
}
