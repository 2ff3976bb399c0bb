//! The types of transactions of a run: times, and sums.

use record::{Run, StatementRun, Totals, TransactionType};

use super::{Validity, at_least_one, latency, positive};

/// One of the counts of a run or of a type.
type Count = fn(&Totals) -> u64;

/// Checks the types of transactions of `run`, and that their steps and transactions add up to those of the run.
pub(super) fn transaction_types(run: &Run) -> Validity {
    if run.transaction_types.is_empty() {
        return Ok(());
    }
    run.transaction_types.iter().try_for_each(|of| one(of).map_err(|why| format!("type {}: {why}", of.name)))?;
    let counts: [(&str, Count); 3] = [
        ("steps", |totals| totals.steps),
        ("operations", |totals| totals.operations),
        ("transactions", |totals| totals.transactions),
    ];
    counts.into_iter().try_for_each(|(name, count)| {
        let sum: u128 = run.transaction_types.iter().map(|of| u128::from(count(&of.totals))).sum();
        let total = count(&run.totals);
        match sum == u128::from(total) {
            true => Ok(()),
            false => Err(format!("{name} of the types of transactions are {sum} in total, the run has {total}")),
        }
    })
}

fn one(of: &TransactionType) -> Validity {
    if let Some(role) = &of.role {
        role.jobs.map_or(Ok(()), |jobs| at_least_one("jobs of its role", jobs))?;
        role.rate.map_or(Ok(()), |rate| positive("rate of its role", rate))?;
    }
    latency("service", &of.service)?;
    latency("response", &of.response)?;
    of.statements.iter().try_for_each(|statement: &StatementRun| latency("service of a statement", &statement.service))
}
