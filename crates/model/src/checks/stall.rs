//! The generator itself was held up: a thread of ours that only sleeps woke up late.
//!
//! Where I/O is due at given times, what was late counts from its due time all the same: the response times hold the
//! stall, the service times do not, and both are worth showing. They are no property of the device alone, which is what
//! the warning says. A closed loop asks for nothing while it stands still, and only does less.

use record::{Check, Finding, Run, Verdict};

use super::{finding, is_open};
use crate::rules::RULES;

pub(super) fn check(run: &Run) -> Option<Finding> {
    let storage = run.storage.as_ref()?;
    let open = is_open(run);
    let Some(stall) = storage.stall_ns_max else {
        let unknown = || finding(Check::Stall, Verdict::Unknown, "whether the generator was held up is not known");
        return open.then(unknown).flatten();
    };
    let verdict = if stall.0 > RULES.stall_ns_warn { Verdict::Warn } else { Verdict::Pass };
    let gist = format!("the generator was held up for {:.1} ms at most", stall.0 as f64 / 1e6);
    let limit = format!("limit {} ms", RULES.stall_ns_warn / 1_000_000);
    let rest = match (verdict, open) {
        (Verdict::Pass, _) => String::new(),
        (_, true) => ": the response times hold it, and that is not the device's doing".to_owned(),
        (_, false) => ": for so long nothing was asked for".to_owned(),
    };
    finding(Check::Stall, verdict, format!("{gist}, {limit}{rest}"))
}

#[cfg(test)]
mod tests {
    use record::{IoKind, Nanos, Pace};

    use super::*;
    use crate::fixture::{io_run, run, storage};

    fn says(stall_ms: u64, pace: Pace) -> (Verdict, String) {
        let mut run = io_run("io", IoKind::Read, 1);
        storage(&mut run).stall_ns_max = Some(Nanos(stall_ms * 1_000_000));
        storage(&mut run).streams[0].pace = pace;
        let finding = check(&run).unwrap();
        (finding.verdict, finding.detail)
    }

    #[test]
    fn a_stall_is_a_warning_that_says_what_holds_it() {
        let open = Pace::Rate { steps_per_second: 1_000.0 };
        assert_eq!(
            says(2_000, open),
            (
                Verdict::Warn,
                "the generator was held up for 2000.0 ms at most, limit 20 ms: \
                 the response times hold it, and that is not the device's doing"
                    .to_owned()
            )
        );
        assert_eq!((says(100, open).0, says(20, open).0), (Verdict::Warn, Verdict::Pass));
        assert_eq!(says(2_000, Pace::AsFastAsPossible).0, Verdict::Warn);
        assert_eq!(says(3, Pace::AsFastAsPossible).1, "the generator was held up for 3.0 ms at most, limit 20 ms");
    }

    #[test]
    fn what_was_not_watched_is_unknown_only_under_a_rate() {
        let mut unwatched = io_run("io", IoKind::Read, 1);
        storage(&mut unwatched).stall_ns_max = None;
        assert_eq!((check(&unwatched), check(&run("T611", 1))), (None, None));
        unwatched.pace = Pace::Poisson { steps_per_second: 1_000.0 };
        assert_eq!(check(&unwatched).unwrap().verdict, Verdict::Unknown);
    }
}
