//! Steps of an open loop that were due and never begun: the platform does not keep this rate, and the response times
//! are lower bounds.

use record::{Check, Finding, Pace, Run, Verdict};

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
        0 => return Some(kept(run)),
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

/// Every step was done in the end; whether as many a second as were asked for. Arrivals at random differ from their
/// mean by three standard deviations, the root of their number each, at most once in several hundred runs.
fn kept(run: &Run) -> Finding {
    let say = |verdict, detail: String| Finding { check: Check::Backlog, verdict, detail };
    let (Pace::Rate { steps_per_second } | Pace::Poisson { steps_per_second }) = run.pace else {
        return say(Verdict::Pass, "every step that was due was done".to_owned());
    };
    let steps = run.totals.steps as f64;
    let found = steps / run.window_ns.seconds().max(1e-9);
    let least = steps_per_second * (1.0 - RULES.rate_shortfall - 3.0 / steps.max(9.0).sqrt());
    match found < least {
        false => say(Verdict::Pass, "every step that was due was done, at the rate that was asked for".to_owned()),
        true => say(
            Verdict::Warn,
            format!("{found:.1} steps per second were done where {steps_per_second} were due: the rate is not kept"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::run;

    #[test]
    fn a_rate_that_is_only_caught_up_with_after_the_window_is_not_kept() {
        let says = |seconds: u64| {
            let mut run = run("T611", 1);
            run.totals.steps = 10_000;
            run.totals.unfinished = 0;
            run.window_ns = record::Nanos(seconds * 1_000_000_000);
            run.pace = Pace::Poisson { steps_per_second: 1_000.0 };
            check(&run).unwrap().verdict
        };
        assert_eq!((says(10), says(12)), (Verdict::Pass, Verdict::Warn));
    }

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
