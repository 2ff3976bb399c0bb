//! Whether the loads beside the jobs of a run were a load: how many of their steps failed.
//!
//! A run whose load did nothing but fail is one without it. Some failures are those that the test of the load also has by itself
//! (deadlocks, serialization).

use record::evidence::LoadBesideSteps;
use record::{Evidence, Finding, LoadBesideRun, Ratio, Run, Verdict};

use super::worst;
use crate::rules::RULES;

pub(super) fn check(run: &Run) -> Option<Finding> {
    worst(run.loads_beside.iter().map(judged))
}

fn judged(of: &LoadBesideRun) -> (Verdict, Evidence) {
    let failed = of.totals.failures.values().fold(0, |sum: u64, count| sum.saturating_add(*count));
    let (steps, limit) = (of.totals.steps, Ratio(RULES.failure_share_fail));
    let share = failed as f64 / steps.max(1) as f64;
    let verdict = match steps {
        // A step may last longer than the window.
        0 => Verdict::Warn,
        _ if failed >= steps => Verdict::Fail,
        _ if share > limit.0 => Verdict::Warn,
        _ => Verdict::Pass,
    };
    let evidence = LoadBesideSteps { test: of.load.test.clone(), steps, failed, cancelled: of.cancelled, limit };
    (verdict, Evidence::LoadBeside(evidence))
}

#[cfg(test)]
mod tests {
    use record::{FailureKind, Latency, LoadBeside, Nanos, Totals, Unit};

    use super::*;
    use crate::fixture::run;

    fn beside(test: &str, steps: u64, failed: u64) -> LoadBesideRun {
        let failures = [(FailureKind::Other, failed)].into();
        LoadBesideRun {
            load: LoadBeside { test: test.to_owned(), test_file: None, jobs: 1, rate: None },
            title: String::new(),
            unit: Unit::Statement,
            window_ns: Nanos::SECOND,
            totals: Totals { steps, failures, ..Totals::default() },
            cancelled: 0,
            service: Latency::default(),
            response: Latency::default(),
        }
    }

    #[test]
    fn a_load_that_only_fails_is_none() {
        let verdict = |steps, failed| {
            let run = Run { loads_beside: vec![beside("H100", steps, failed)], ..run("T611", 1) };
            check(&run).unwrap().verdict
        };
        assert_eq!([verdict(10, 0), verdict(10, 1), verdict(10, 2)], [Verdict::Pass, Verdict::Pass, Verdict::Warn]);
        assert_eq!([verdict(10, 10), verdict(0, 0)], [Verdict::Fail, Verdict::Warn]);
        assert_eq!(check(&run("T611", 1)), None, "without a load");
    }

    #[test]
    fn the_worst_of_several_loads_decides() {
        let loads_beside = vec![beside("H100", 10, 0), beside("T616", 10, 10)];
        let found = check(&Run { loads_beside, ..run("T611", 1) }).unwrap();
        let Evidence::LoadBeside(steps) = found.evidence else { panic!("no load") };
        assert_eq!((found.verdict, steps.test.as_str()), (Verdict::Fail, "T616"));
    }
}
