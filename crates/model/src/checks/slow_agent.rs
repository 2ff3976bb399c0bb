//! Whether an agent of a fleet does less than the others: a slower host, a longer way to the server, or other programs
//! there. Jobs are alike, so that rates per job are compared: the lowest with the median of the others.

use record::evidence::SlowAgent;
use record::{AgentRun, Evidence, Finding, Ratio, Run, Verdict};

use super::{finding, is_open};
use crate::rules::RULES;
use crate::statistics::median;

pub(super) fn check(run: &Run) -> Option<Finding> {
    // At a given rate, what an agent does is what it was asked for.
    if run.agents.len() < 2 || is_open(run) {
        return None;
    }
    let rate = |agent: &AgentRun| {
        let done = agent.totals.operations as f64 / f64::from(agent.jobs.max(1));
        (agent.window_ns.0 > 0).then(|| done / agent.window_ns.seconds())
    };
    let rates: Vec<f64> = run.agents.iter().map(rate).collect::<Option<_>>()?;
    let slowest = (0..rates.len()).min_by(|one, other| rates[*one].total_cmp(&rates[*other]))?;
    let others: Vec<f64> = (0..rates.len()).filter(|index| *index != slowest).map(|index| rates[index]).collect();
    let usual = median(&others).filter(|usual| *usual > 0.0)?;
    let agent = &run.agents[slowest];
    // Three standard deviations of a count of its size are no difference.
    let noise = 3.0 / (agent.totals.steps.max(1) as f64).sqrt();
    let evidence = SlowAgent { share: Ratio(rates[slowest] / usual), limit: Ratio(RULES.slow_agent_share_min) };
    let is_slow = evidence.share.0 + noise < RULES.slow_agent_share_min;
    let found = finding(if is_slow { Verdict::Warn } else { Verdict::Pass }, Evidence::SlowAgent(evidence))?;
    Some(Finding { agent: Some(agent.agent.clone()), ..found })
}

#[cfg(test)]
mod tests {
    use record::Pace;

    use super::*;
    use crate::fixture::run;
    use crate::fleet::{AgentPart, merged};

    /// The finding of agents that did so many operations, and as many steps, with these jobs.
    fn found(agents: &[(u64, u32)]) -> Option<(Verdict, String, f64)> {
        let part_of = |(operations, jobs): &(u64, u32)| {
            let mut part = Run { service: Default::default(), response: Default::default(), ..run("T611", *jobs) };
            (part.totals.operations, part.totals.steps) = (*operations, *operations);
            part
        };
        let runs: Vec<Run> = agents.iter().map(part_of).collect();
        let names: Vec<String> = (1..=runs.len()).map(|number| format!("a{number}")).collect();
        let parts: Vec<AgentPart<'_>> = names
            .iter()
            .zip(&runs)
            .map(|(agent, run)| AgentPart { agent, host_threads: 2, start: Default::default(), run })
            .collect();
        let merged = merged(&parts).unwrap();
        let of_run = check(&merged)?;
        assert_eq!(check(&Run { pace: Pace::Rate { steps_per_second: 1.0 }, ..merged }), None, "asked for a rate");
        let Evidence::SlowAgent(slow) = of_run.evidence else { panic!("{of_run:?}") };
        Some((of_run.verdict, of_run.agent.unwrap(), slow.share.0))
    }

    #[test]
    fn the_agent_that_does_less_than_the_others_is_named() {
        let (verdict, agent, share) = found(&[(10_000, 1), (8_000, 1), (10_400, 1)]).unwrap();
        assert_eq!((verdict, agent.as_str()), (Verdict::Warn, "a2"));
        assert!((share - 8.0 / 10.2).abs() < 1e-9, "{share}");
        assert_eq!(found(&[(10_000, 1), (9_500, 1)]).unwrap().0, Verdict::Pass, "within a tenth");
        assert_eq!(found(&[(30, 1), (24, 1)]).unwrap().0, Verdict::Pass, "few steps differ by chance");
        assert_eq!(found(&[(20_000, 2), (10_000, 1)]).unwrap().0, Verdict::Pass, "as much with each job");
        assert_eq!(found(&[(20_000, 2)]), None, "one agent has no others");
        assert_eq!(found(&[(0, 1), (0, 1)]), None, "nothing was done");
    }
}
