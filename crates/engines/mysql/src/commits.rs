//! How many transactions a server has committed.
//!
//! Sources: MariaDB "Server Status Variables", MySQL "Server Status Variables" and "Performance Schema Transaction Summary
//! Tables"; the sources of both where these are silent.
//!
//! - `Handler_commit` counts what every storage engine is told to commit, a transaction that only read and a statement of
//!   definition included, a statement that touches no table not. Inside a transaction it counts each statement at its end as
//!   well; the sessions count these too, and they are taken off. (`Com_commit` counts only those that say `commit`.)
//! - MySQL makes it count more: the log for replicas is one more storage engine, and a definition, a truncation included, is
//!   written into a dictionary of tables by about ten transactions. Therefore the transactions of its performance schema are
//!   taken where that collects them, those of sessions alone: they are what the user asked for, one each, and a definition
//!   is one. It counts those that were rolled back too, and those in which there was nothing; the statements that rolled
//!   back and the empty transactions of our sessions are taken off. What is left over is a statement outside a transaction
//!   that began to change something and failed.
//! - A node of a cluster counts what it applies of the others' commits in all of these too (a transaction of n statements as
//!   n + 1, a definition as 1). There the count is that of our sessions alone, as the server tells it to each of them.

use std::collections::BTreeMap;

use engine::{Result, Session};

use crate::counter::{readable, rows};
use crate::flavour::Flavour;
use crate::replication::Replication;
use crate::session::Sums;

/// The transactions of all sessions since the server began; no row where some of them are not collected.
const TRANSACTIONS: &str = "select cast(sum(count_star) as char) \
     from performance_schema.events_transactions_summary_by_account_by_event_name \
     where event_name = 'transaction' and user is not null \
     and exists (select 1 from performance_schema.setup_instruments where name = 'transaction' and enabled = 'YES') \
     and exists (select 1 from performance_schema.setup_consumers \
     where name = 'thread_instrumentation' and enabled = 'YES') \
     and exists (select 1 from performance_schema.setup_consumers \
     where name = 'global_instrumentation' and enabled = 'YES') \
     and exists (select 1 from performance_schema.setup_actors where host = '%' and user = '%' and enabled = 'YES') \
     having count(*) > 0";

/// Where the number comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Commits {
    /// What the server told each of our sessions.
    Sessions,
    /// `Handler_commit`, less the statements inside of transactions.
    Handler,
    /// The transactions of the performance schema, less those that were rolled back.
    Transactions,
}

impl Commits {
    /// Of a server of `flavour`. `is_collected`: its performance schema is on.
    ///
    /// # Errors
    /// Where the session is lost.
    pub(crate) fn of(
        flavour: Flavour,
        replication: Replication,
        is_collected: bool,
        session: &mut dyn Session,
    ) -> Result<Commits> {
        Ok(match (replication, flavour) {
            (Replication::Galera, _) => Commits::Sessions,
            (_, Flavour::MySql) if is_collected && collects(session)? => Commits::Transactions,
            _ => Commits::Handler,
        })
    }

    /// The number; `status` is what the server said to `show global status`, `sums` what the sessions of the node counted.
    ///
    /// # Errors
    /// Where the session is lost.
    pub(crate) fn read(
        self,
        session: &mut dyn Session,
        status: &BTreeMap<&str, u64>,
        sums: Sums,
    ) -> Result<Option<u64>> {
        let transactions = if self == Commits::Transactions { transactions(session)? } else { None };
        Ok(self.counted(status, sums, transactions))
    }

    fn counted(self, status: &BTreeMap<&str, u64>, sums: Sums, transactions: Option<u64>) -> Option<u64> {
        let (all, others) = match self {
            Commits::Sessions => (sums.commits, 0),
            Commits::Handler => (*status.get("Handler_commit")?, sums.inner_statements),
            Commits::Transactions => (transactions?, status.get("Com_rollback")? + sums.empty_transactions),
        };
        Some(all.saturating_sub(others))
    }
}

/// Whether the server collects transactions, and lets them be read.
fn collects(session: &mut dyn Session) -> Result<bool> {
    Ok(readable(session, TRANSACTIONS.to_owned())?.is_some() && transactions(session)?.is_some())
}

/// The transactions of the sessions of a server that lets them be read.
fn transactions(session: &mut dyn Session) -> Result<Option<u64>> {
    let rows = rows(session, TRANSACTIONS)?;
    Ok(rows.first().and_then(|row| row.first()?.parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUMS: Sums = Sums { inner_statements: 46, empty_transactions: 3, commits: 22 };

    #[test]
    fn statements_inside_transactions_are_taken_off_the_commits() {
        let status = BTreeMap::from([("Handler_commit", 69)]);
        assert_eq!(Commits::Handler.counted(&status, SUMS, None), Some(23));
        assert_eq!(Commits::Handler.counted(&BTreeMap::new(), SUMS, None), None, "what is not there is missing");
    }

    #[test]
    fn what_was_rolled_back_or_empty_is_no_commit() {
        let status = BTreeMap::from([("Handler_commit", 500), ("Com_rollback", 2)]);
        assert_eq!(Commits::Transactions.counted(&status, SUMS, Some(28)), Some(23));
        assert_eq!(Commits::Transactions.counted(&status, SUMS, None), None);
    }

    #[test]
    fn commits_of_a_cluster_are_those_of_its_sessions() {
        let status = BTreeMap::from([("Handler_commit", 500)]);
        assert_eq!(Commits::Sessions.counted(&status, SUMS, None), Some(22));
    }
}
