//! A window too short for what is said of it. Whether the rate is steady is not claimed of a short one; quantiles of a
//! handful of steps are those steps.

use record::{Check, Finding, Run, Verdict};

use super::{finding, plural};
use crate::rules::RULES;

pub(super) fn check(run: &Run) -> Option<Finding> {
    let say = |verdict, detail: String| finding(Check::WindowLength, verdict, detail);
    let (steps, limit) = (run.totals.steps, RULES.steps_min);
    if steps < limit {
        let steps = plural(steps, "step");
        return say(
            Verdict::Warn,
            format!("{steps} in the window; below {limit}, quantiles of their times say little"),
        );
    }
    let (window, limit) = (run.window_ns.seconds(), RULES.window_ns_min / 1_000_000_000);
    match run.window_ns.0 >= RULES.window_ns_min {
        true => say(Verdict::Pass, format!("the window has {window:.0} s")),
        false => {
            say(Verdict::Unknown, format!("the window is shorter than {limit} s: no claim that the rate is steady"))
        }
    }
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
