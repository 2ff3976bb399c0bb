//! The service level of a search.

use record::evidence::Bound as Kept;
use record::{Evidence, Finding, Run, Verdict};

use crate::bound::Bound;

pub(super) fn check(run: &Run) -> Option<Finding> {
    Some(level_finding(run, run.storage.as_ref()?.bound.as_ref()?))
}

/// Whether the response times of `run` meet the service level `level`, written as `p99=5ms`.
pub fn level_finding(run: &Run, level: &str) -> Finding {
    let Ok(bound) = level.parse::<Bound>() else {
        return Finding::new(Verdict::Unknown, Evidence::Bound(Kept::Invalid { level: level.to_owned() }));
    };
    let value_ns = bound.value(&run.response);
    let verdict = match value_ns {
        None => Verdict::Unknown,
        Some(value) if value <= bound.limit => Verdict::Pass,
        Some(_) => Verdict::Warn,
    };
    let (level, statistic) = (bound.to_string(), bound.statistic.to_string());
    Finding::new(verdict, Evidence::Bound(Kept::Level { level, statistic, value_ns, confirms: None }))
}

#[cfg(test)]
mod tests {
    use record::{IoKind, Latency, Nanos};

    use super::*;
    use crate::fixture::{io_run, run, storage};

    fn says(bound: &str) -> (Verdict, Evidence) {
        let mut run = io_run("io", IoKind::Read, 1);
        storage(&mut run).bound = Some(bound.to_owned());
        let finding = check(&run).unwrap();
        (finding.verdict, finding.evidence)
    }

    #[test]
    fn a_missed_level_is_a_warning() {
        let level = |statistic: &str, level: &str, value_ns: u64| {
            let [level, statistic] = [level, statistic].map(str::to_owned);
            Evidence::Bound(Kept::Level { level, statistic, value_ns: Some(Nanos(value_ns)), confirms: None })
        };
        assert_eq!(says("p99=2ms"), (Verdict::Pass, level("p99", "p99=2ms", 1_900_000)));
        assert_eq!(says("mean=900us"), (Verdict::Warn, level("mean", "mean=900us", 1_000_000)));
    }

    #[test]
    fn a_level_that_cannot_be_evaluated_is_unknown() {
        assert_eq!(says("p95=2ms").0, Verdict::Unknown, "no histogram");
        assert_eq!(says("soon").0, Verdict::Unknown);
        let mut idle = io_run("io", IoKind::Read, 1);
        storage(&mut idle).bound = Some("mean=1s".to_owned());
        idle.response = Latency::default();
        assert_eq!(check(&idle).unwrap().verdict, Verdict::Unknown);
        assert_eq!(check(&run("T611", 1)), None);
    }
}
