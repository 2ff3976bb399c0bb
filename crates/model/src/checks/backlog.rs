//! Steps of an open loop that were due and never begun: the platform does not keep this rate, and the response times
//! are lower bounds.

use record::{Check, Finding, Run, Verdict};

use super::{finding, is_open, percent, plural};
use crate::delta::share;
use crate::rules::RULES;

pub(super) fn check(run: &Run) -> Option<Finding> {
    if !is_open(run) {
        return None;
    }
    let left = run.totals.unfinished;
    let ratio = share(left as f64, run.totals.steps as f64 + left as f64)?;
    let verdict = match left {
        0 => return finding(Check::Backlog, Verdict::Pass, "every step that was due was done"),
        _ if ratio > RULES.backlog_share_fail => Verdict::Fail,
        _ => Verdict::Warn,
    };
    let gist = format!("{} due were not begun, {} of all", plural(left, "step"), percent(ratio));
    finding(
        Check::Backlog,
        verdict,
        format!("{gist}; limit {}: the rate is not kept", percent(RULES.backlog_share_fail)),
    )
}

#[cfg(test)]
mod tests {
    use record::Pace;

    use super::*;
    use crate::fixture::run;

    #[test]
    fn what_was_due_and_not_done_means_that_the_rate_is_not_kept() {
        let says = |left: u64| {
            let mut run = run("T611", 1);
            run.pace = Pace::Poisson { steps_per_second: 1_000.0 };
            run.totals.unfinished = left;
            check(&run).unwrap().verdict
        };
        assert_eq!((says(0), says(50), says(200)), (Verdict::Pass, Verdict::Warn, Verdict::Fail));
        assert_eq!(says(101), Verdict::Warn, "101 of 10101 are 0.9999 %");
        assert_eq!(check(&run("T611", 1)), None, "a closed loop has no backlog");
    }
}
