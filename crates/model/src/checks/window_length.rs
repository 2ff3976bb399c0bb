//! A window that is too short for steadiness, or has too few steps for quantiles.

use record::evidence::WindowLength;
use record::{Evidence, Finding, Nanos, Run, Verdict};

use super::finding;
use crate::rules::RULES;

pub(super) fn check(run: &Run) -> Option<Finding> {
    let (steps, steps_min) = (run.totals.steps, RULES.steps_min);
    let (window_ns, window_ns_min) = (run.window_ns, Nanos(RULES.window_ns_min));
    let (verdict, length) = match steps < steps_min {
        true => (Verdict::Warn, WindowLength::FewSteps { steps, steps_min }),
        false if window_ns < window_ns_min => (Verdict::Unknown, WindowLength::Short { window_ns_min }),
        false => (Verdict::Pass, WindowLength::Enough { window_ns }),
    };
    finding(verdict, Evidence::WindowLength(length))
}

#[cfg(test)]
mod tests {
    use record::Nanos;

    use super::*;
    use crate::fixture::run;

    #[test]
    fn a_short_window_makes_no_claim_and_a_few_steps_are_a_warning() {
        let says = |steps: u64, seconds: u64| {
            let mut run = run("T611", 1);
            run.totals.steps = steps;
            run.window_ns = Nanos(seconds * 1_000_000_000);
            check(&run).unwrap().verdict
        };
        assert_eq!((says(20, 30), says(20, 29), says(19, 300)), (Verdict::Pass, Verdict::Unknown, Verdict::Warn));
    }
}
