//! Whether the rate of a fleet is the same over the windows of its agents and in the seconds that they have in common.

use record::{Evidence, Finding, Run, Verdict};

use super::finding;
use crate::fleet::agent_rates;

pub(super) fn check(run: &Run) -> Option<Finding> {
    let rates = agent_rates(run)?;
    let verdict = match rates.gap {
        None => Verdict::Unknown,
        Some(gap) if gap.0 > rates.limit.0 => Verdict::Warn,
        Some(_) => Verdict::Pass,
    };
    finding(verdict, Evidence::AgentRates(rates))
}

#[cfg(test)]
mod tests {
    use record::evidence::AgentRates;
    use record::{Nanos, Rate, SignedNanos};

    use super::*;
    use crate::fixture::run;
    use crate::fleet::{AgentPart, merged};

    /// Two agents of 1000 operations per second for ten seconds; the second one starts `late` seconds after the first,
    /// which counts `more` operations in its first second.
    fn found(late: i64, more: u64) -> (Verdict, AgentRates) {
        let plain = Run { service: Default::default(), response: Default::default(), ..run("T611", 1) };
        let mut fast = plain.clone();
        fast.seconds[0].operations += more;
        fast.totals.operations += more;
        let start =
            |late| record::AgentStart { offset_ns: SignedNanos(late * 1_000_000_000), clock_error_ns: Nanos(1) };
        let part = |late, run| AgentPart { agent: "a", host_threads: 1, start: start(late), run };
        let found = check(&merged(&[part(0, &fast), part(late, &plain)]).unwrap()).unwrap();
        let Evidence::AgentRates(rates) = found.evidence else { panic!("{found:?}") };
        (found.verdict, rates)
    }

    #[test]
    fn rates_more_than_a_hundredth_apart_are_a_warning() {
        let (verdict, rates) = found(0, 500);
        assert_eq!(
            (verdict, rates.own_windows, rates.common_seconds),
            (Verdict::Pass, Rate(2_050.0), Some(Rate(2_050.0)))
        );
        let (verdict, rates) = found(1, 190);
        assert_eq!(
            (verdict, rates.own_windows, rates.common_seconds),
            (Verdict::Pass, Rate(2_019.0), Some(Rate(2_000.0)))
        );
        assert_eq!(found(1, 210).0, Verdict::Warn);
        let (verdict, rates) = found(20, 0);
        assert_eq!((verdict, rates.gap, rates.common_seconds), (Verdict::Unknown, None, None));
        assert_eq!(check(&run("T611", 2)), None, "no fleet");
    }
}
