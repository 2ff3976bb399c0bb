//! Throttling by the CPU quota of the control group.
//!
//! Throttling does not invalidate a run, since the quota is part of the platform, but it may be the limit. Not applied
//! where no control group counts it, nor where dbdyno itself reduces the processors.

use record::evidence::Throttling;
use record::{Evidence, Finding, Ratio, Run, Variation, Verdict, name};

use super::finding;
use crate::delta::{delta, share};
use crate::rules::RULES;

pub(super) fn check(run: &Run) -> Option<Finding> {
    if matches!(run.variation, Some(Variation::Perturbed { .. })) {
        return None;
    }
    let throttled = delta(run, name::HOST_THROTTLED_NS)?;
    let share = share(throttled as f64, run.window_ns.0 as f64)?;
    let verdict = if share == 0.0 { Verdict::Pass } else { Verdict::Warn };
    let limit = Ratio(RULES.throttled_share);
    finding(verdict, Evidence::Throttling(Throttling { share: Ratio(share), limit }))
}

#[cfg(test)]
mod tests {
    use record::Resource;

    use super::*;
    use crate::fixture::{counted, run};

    #[test]
    fn any_throttling_is_a_warning() {
        let says = |ns: u64| {
            let finding = check(&counted(run("T611", 1), &[(name::HOST_THROTTLED_NS, ns)])).unwrap();
            match finding.evidence {
                Evidence::Throttling(Throttling { share, limit }) => (finding.verdict, share > limit),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(says(0), (Verdict::Pass, false));
        assert_eq!(says(100_000_000), (Verdict::Warn, false));
        assert_eq!(says(3_000_000_000), (Verdict::Warn, true));
        assert_eq!(check(&run("T611", 1)), None);
        let variation = Some(Variation::Perturbed { resource: Resource::Processors, share: 0.8 });
        let held = counted(Run { variation, ..run("T611", 1) }, &[(name::HOST_THROTTLED_NS, 3_000_000_000)]);
        assert_eq!(check(&held), None, "by dbdyno itself");
    }
}
