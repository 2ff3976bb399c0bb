//! Checks of the hosts of a run of a fleet, one agent at a time. The finding of the run is the worst one, and among equal
//! verdicts that of the largest share: a mean would hide the one host that limits all.

use record::evidence::ClientShare;
use record::{AgentRun, Evidence, Finding, Ratio, Run, Verdict};

use super::Context;

/// `check` of `run`, or of the host of each of its agents.
pub(super) fn check(
    run: &Run,
    context: &Context<'_>,
    check: fn(&Run, &Context<'_>) -> Option<Finding>,
) -> Option<Finding> {
    if run.agents.is_empty() {
        return check(run, context);
    }
    let of_agent = |agent: &AgentRun| {
        let context = Context { host_threads: agent.host_threads, ..*context };
        let found = check(&part(run, agent), &context)?;
        Some(Finding { agent: Some(agent.agent.clone()), ..found })
    };
    let found: Vec<Finding> = run.agents.iter().filter_map(of_agent).collect();
    let rank = |finding: &Finding| (finding.verdict, share(&finding.evidence));
    let worst = found.iter().max_by(|one, other| {
        let ((verdict, share), (other_verdict, other_share)) = (rank(one), rank(other));
        verdict.cmp(&other_verdict).then(share.total_cmp(&other_share))
    })?;
    let alike = found.iter().filter(|other| other.verdict == worst.verdict && worst.verdict > Verdict::Pass).count();
    Some(Finding { others: u32::try_from(alike.saturating_sub(1)).unwrap_or(u32::MAX), ..worst.clone() })
}

/// What `agent` did of `run`, as a run.
fn part(run: &Run, agent: &AgentRun) -> Run {
    Run {
        dop: record::Dop { jobs: agent.jobs, ..run.dop },
        window_ns: agent.window_ns,
        totals: agent.totals.clone(),
        service: agent.service.clone(),
        response: agent.response.clone(),
        seconds: agent.seconds.clone(),
        readings: agent.readings.clone(),
        slices: None,
        agents: Vec::new(),
        foreign_load: None,
        ..run.clone()
    }
}

/// The share of a host in `evidence`; below all others where it is unknown.
fn share(evidence: &Evidence) -> f64 {
    let share = match evidence {
        Evidence::ClientShare(ClientShare::Processors { share, .. } | ClientShare::PerStep { share, .. }) => *share,
        Evidence::Steal(steal) => steal.as_ref().map(|steal| steal.share),
        Evidence::Throttling(throttling) => Some(throttling.share),
        _ => None,
    };
    share.map_or(f64::NEG_INFINITY, |Ratio(share)| share)
}

#[cfg(test)]
mod tests {
    use record::name;

    use super::*;
    use crate::checks::{steal, throttling};
    use crate::fixture::{self, counted, engine, instrument, run};
    use crate::fleet::{AgentPart, merged};

    /// The findings of two agents with these milliseconds of steal, and of throttling, in ten seconds of two processors.
    fn found(agents: &[(&str, u64)], check: fn(&Run, &Context<'_>) -> Option<Finding>) -> Finding {
        let runs: Vec<Run> = agents
            .iter()
            .map(|(_, stolen_ms)| {
                let stolen = stolen_ms * 1_000_000;
                let states = [
                    (name::HOST_CPU_USER_NS, 0),
                    (name::HOST_CPU_SYSTEM_NS, 0),
                    (name::HOST_CPU_IDLE_NS, 20_000_000_000 - stolen),
                    (name::HOST_CPU_STEAL_NS, stolen),
                    (name::HOST_THROTTLED_NS, stolen),
                ];
                let run = counted(run("T611", 1), &states);
                Run { service: Default::default(), response: Default::default(), ..run }
            })
            .collect();
        let part = |((agent, _), run)| AgentPart { agent, host_threads: 2, start: Default::default(), run };
        let parts: Vec<AgentPart<'_>> = agents.iter().copied().zip(&runs).map(part).collect();
        let (engine, instrument) = (engine(), instrument());
        let context = Context { engine: Some(&engine), host_threads: 99, ..fixture::context(&instrument) };
        super::check(&merged(&parts).unwrap(), &context, check).unwrap()
    }

    #[test]
    fn the_host_with_the_largest_share_is_named() {
        let calm = found(&[("a", 40), ("b", 60), ("c", 50)], steal::check);
        assert_eq!((calm.verdict, calm.agent.as_deref(), calm.others), (Verdict::Pass, Some("b"), 0));
        assert_eq!(share(&calm.evidence), 0.003, "not the mean");
        let one = found(&[("a", 0), ("b", 0), ("c", 600)], steal::check);
        assert_eq!((one.verdict, one.agent.as_deref(), share(&one.evidence)), (Verdict::Fail, Some("c"), 0.03));
        let two = found(&[("a", 160), ("b", 0), ("c", 150)], steal::check);
        assert_eq!((two.verdict, two.agent.as_deref(), two.others), (Verdict::Warn, Some("a"), 1));
        let quota = found(&[("a", 0), ("b", 500)], |run, _| throttling::check(run));
        assert_eq!((quota.agent.as_deref(), share(&quota.evidence)), (Some("b"), 0.05));
    }
}
