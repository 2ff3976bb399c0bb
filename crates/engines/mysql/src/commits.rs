//! The number of committed transactions.
//!
//! Sources: MariaDB "Server Status Variables", MySQL "Server Status Variables" and "Performance Schema Transaction Summary
//! Tables"; the sources of both where these are silent.
//!
//! - `Handler_commit` counts commits of every storage engine, including read-only transactions and DDL, but not
//!   statements that access no table. Inside a transaction it also counts the end of each statement; the sessions count
//!   these, and they are subtracted. (`Com_commit` counts only explicit commits.)
//! - In MySQL it counts more: the binary log is another storage engine, and DDL, including truncation, writes the data
//!   dictionary in about ten transactions. Therefore the transactions of the performance schema are used if it collects
//!   them, for sessions only: one per user transaction, and one per DDL statement. It also counts rolled back and empty
//!   transactions; the rollback statements and the empty transactions of dbdyno's sessions are subtracted. What remains
//!   is an autocommit statement that failed after it had changed something. A statement that is cancelled before its
//!   transaction begins (`begin` itself, a call of a procedure) is rolled back all the same, and one too many is subtracted:
//!   the server does not tell the client whether a transaction was open.
//! - A node of a cluster also counts the commits of other nodes that it applies (a transaction of n statements as n +
//!   1, DDL as 1). There the count is that of dbdyno's sessions only, from the session status.

use std::collections::BTreeMap;

use engine::{Result, Session};

use crate::flavour::Flavour;
use crate::query::{if_permitted, rows};
use crate::replication::Replication;
use crate::session::Sums;

/// The transactions of all sessions since the start of the server; no row if some of them are not collected.
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

/// Source of the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Commits {
    /// The session status of dbdyno's sessions.
    Sessions,
    /// `Handler_commit` minus the statements inside transactions.
    Handler,
    /// The transactions of the performance schema minus those that were rolled back.
    Transactions,
}

impl Commits {
    /// For a server of `flavour`. `is_collected`: its performance schema is on.
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

    /// The number; `status` is the result of `show global status`, `sums` the counts of the node's sessions.
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

/// Whether the server collects transactions, and this user may read them.
fn collects(session: &mut dyn Session) -> Result<bool> {
    Ok(if_permitted(session, TRANSACTIONS.to_owned())?.is_some() && transactions(session)?.is_some())
}

/// The transactions of all sessions.
fn transactions(session: &mut dyn Session) -> Result<Option<u64>> {
    let rows = rows(session, TRANSACTIONS)?;
    Ok(rows.first().and_then(|row| row.first()?.parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUMS: Sums = Sums { inner_statements: 46, empty_transactions: 3, commits: 22 };

    #[test]
    fn statements_inside_transactions_are_subtracted() {
        let status = BTreeMap::from([("Handler_commit", 69)]);
        assert_eq!(Commits::Handler.counted(&status, SUMS, None), Some(23));
        assert_eq!(Commits::Handler.counted(&BTreeMap::new(), SUMS, None), None, "a missing variable");
    }

    #[test]
    fn rolled_back_and_empty_transactions_are_subtracted() {
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
