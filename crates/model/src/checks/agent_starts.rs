//! Whether the agents of a fleet started together, as far as their clocks tell.

use record::evidence::AgentStarts;
use record::{Evidence, Finding, Nanos, Run, Verdict};

use super::finding;
use crate::fleet::start_spread;
use crate::rules::RULES;

pub(super) fn check(run: &Run) -> Option<Finding> {
    let spread_ns = start_spread(run)?;
    let clock_error_ns = run.agents.iter().map(|agent| agent.start.clock_error_ns).max()?;
    let share = Nanos((run.window_ns.0 as f64 * RULES.agent_spread_share_max) as u64);
    let limit_ns = share.min(Nanos(RULES.agent_spread_ns_max));
    let verdict = if spread_ns + clock_error_ns > limit_ns { Verdict::Warn } else { Verdict::Pass };
    let agents = u32::try_from(run.agents.len()).unwrap_or(u32::MAX);
    finding(verdict, Evidence::AgentStarts(AgentStarts { agents, spread_ns, clock_error_ns, limit_ns }))
}

#[cfg(test)]
mod tests {
    use record::{AgentRun, AgentStart, SignedNanos};

    use super::*;
    use crate::fixture::run;

    /// A run of `seconds` in which the second of two agents started `late_ms` after the first, and the clock of the first
    /// is known to within `error_ms`.
    fn verdict(seconds: u64, late_ms: i64, error_ms: u64) -> Verdict {
        let agent = |late_ms: i64, error_ms: u64| AgentRun {
            agent: "a".to_owned(),
            jobs: 1,
            host_threads: 1,
            start: AgentStart {
                offset_ns: SignedNanos(late_ms * 1_000_000),
                clock_error_ns: Nanos(error_ms * 1_000_000),
            },
            window_ns: Nanos(seconds * 1_000_000_000),
            totals: Default::default(),
            service: Default::default(),
            response: Default::default(),
            seconds: Vec::new(),
            readings: Vec::new(),
        };
        let agents = vec![agent(-2, error_ms), agent(late_ms - 2, 1)];
        check(&Run { window_ns: Nanos(seconds * 1_000_000_000), agents, ..run("T611", 2) }).unwrap().verdict
    }

    #[test]
    fn spread_and_clock_error_together_have_two_limits() {
        assert_eq!(verdict(60, 90, 10), Verdict::Pass);
        assert_eq!(verdict(60, 90, 11), Verdict::Warn, "100 ms");
        assert_eq!(verdict(2, 15, 5), Verdict::Pass);
        assert_eq!(verdict(2, 16, 5), Verdict::Warn, "1 % of the window");
        assert_eq!(check(&run("T611", 2)), None, "no fleet");
    }
}
