//! A service level that a search holds the run against.

use record::{Check, Finding, Nanos, Run, Verdict};

use super::finding;
use crate::bound::Bound;

pub(super) fn check(run: &Run) -> Option<Finding> {
    level_finding(run, run.storage.as_ref()?.bound.as_ref()?)
}

/// What is to be said of `run` where a search holds its response times against `level`, written as `p99=5ms`.
pub fn level_finding(run: &Run, level: &str) -> Option<Finding> {
    let bound: Bound = match level.parse() {
        Ok(bound) => bound,
        Err(_) => return finding(Check::Bound, Verdict::Unknown, format!("{level:?} is no service level")),
    };
    let Some(value) = bound.value(&run.response) else {
        return finding(Check::Bound, Verdict::Unknown, format!("whether {bound} is kept is not known"));
    };
    let found = format!("{} of the response times is {}", bound.statistic, shown(value));
    match value <= bound.limit {
        true => finding(Check::Bound, Verdict::Pass, format!("{found}: {bound} is kept")),
        false => finding(Check::Bound, Verdict::Warn, format!("{found}: {bound} is not kept")),
    }
}

/// `812 µs`, `1.25 ms`.
fn shown(value: Nanos) -> String {
    match value.0 {
        0..1_000_000 => format!("{:.0} µs", value.0 as f64 / 1e3),
        _ => format!("{:.2} ms", value.0 as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use record::{IoKind, Latency};

    use super::*;
    use crate::fixture::{io_run, run, storage};

    fn says(bound: &str) -> (Verdict, String) {
        let mut run = io_run("io", IoKind::Read, 1);
        storage(&mut run).bound = Some(bound.to_owned());
        let finding = check(&run).unwrap();
        (finding.verdict, finding.detail)
    }

    #[test]
    fn a_level_that_is_not_kept_is_a_warning() {
        assert_eq!(
            says("p99=2ms"),
            (Verdict::Pass, "p99 of the response times is 1.90 ms: p99=2ms is kept".to_owned())
        );
        assert_eq!(
            says("mean=900us"),
            (Verdict::Warn, "mean of the response times is 1.00 ms: mean=900us is not kept".to_owned())
        );
    }

    #[test]
    fn what_cannot_be_told_is_unknown() {
        assert_eq!(says("p95=2ms").0, Verdict::Unknown, "no histogram");
        assert_eq!(says("soon").0, Verdict::Unknown);
        let mut idle = io_run("io", IoKind::Read, 1);
        storage(&mut idle).bound = Some("mean=1s".to_owned());
        idle.response = Latency::default();
        assert_eq!(check(&idle).unwrap().verdict, Verdict::Unknown);
        assert_eq!(check(&run("T611", 1)), None);
    }
}
