//! The types of transactions of several agents, added one by one.

use record::{Latency, StatementRun, Totals, TransactionType};

use super::latencies::merged_latency;
use super::{AgentPart, MergeError, added};

/// The types of all parts, which are those of the first.
pub(super) fn merged_types(parts: &[AgentPart<'_>]) -> Result<Vec<TransactionType>, MergeError> {
    let count = parts.first().map_or(0, |first| first.run.transaction_types.len());
    (0..count).map(|index| merged_type(parts, index)).collect()
}

fn merged_type(parts: &[AgentPart<'_>], index: usize) -> Result<TransactionType, MergeError> {
    let of = |part: &AgentPart<'_>| -> TransactionType { part.run.transaction_types[index].clone() };
    let each: Vec<(&str, TransactionType)> = parts.iter().map(|part| (part.agent, of(part))).collect();
    let first = &each[0].1;
    let statement = |place: usize| {
        let runs = || each.iter().map(|(agent, of)| (*agent, &of.statements[place]));
        Ok(StatementRun {
            failures: runs().fold(0, |sum, (_, run)| sum.saturating_add(run.failures)),
            retries: runs().fold(0, |sum, (_, run)| sum.saturating_add(run.retries)),
            service: merged_latency(runs().map(|(agent, run)| (agent, &run.service)))?,
            ..first.statements[place].clone()
        })
    };
    fn times<'a>(
        each: &'a [(&str, TransactionType)],
        of: fn(&TransactionType) -> &Latency,
    ) -> impl Iterator<Item = (&'a str, &'a Latency)> {
        each.iter().map(move |(agent, one)| (*agent, of(one)))
    }
    Ok(TransactionType {
        name: first.name.clone(),
        weight: first.weight,
        role: first.role.clone(),
        per_minute: first.per_minute.clone(),
        totals: each.iter().fold(Totals::default(), |sum, (_, of)| added(sum, &of.totals)),
        service: merged_latency(times(&each, |of| &of.service))?,
        response: merged_latency(times(&each, |of| &of.response))?,
        statements: (0..first.statements.len()).map(statement).collect::<Result<_, MergeError>>()?,
    })
}
