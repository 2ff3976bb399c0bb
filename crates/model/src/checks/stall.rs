//! The generator itself was held up: a thread of ours that only sleeps woke up late.
//!
//! Where I/O is due at given times, what was late counts from its due time all the same: the response times hold the
//! stall, the service times do not, and both are worth showing. They are no property of the device alone, which is what
//! the warning says. A closed loop asks for nothing while it stands still, and only does less.

use record::evidence::Stall;
use record::{Evidence, Finding, Nanos, Run, Verdict};

use super::{finding, is_open};
use crate::rules::RULES;

pub(super) fn check(run: &Run) -> Option<Finding> {
    let storage = run.storage.as_ref()?;
    let is_open_loop = is_open(run);
    let Some(stall_ns_max) = storage.stall_ns_max else {
        return is_open_loop.then(|| Finding::new(Verdict::Unknown, Evidence::Stall(None)));
    };
    let limit_ns = Nanos(RULES.stall_ns_warn);
    let verdict = if stall_ns_max > limit_ns { Verdict::Warn } else { Verdict::Pass };
    finding(verdict, Evidence::Stall(Some(Stall { stall_ns_max, limit_ns, is_open_loop })))
}

#[cfg(test)]
mod tests {
    use record::{IoKind, Pace};

    use super::*;
    use crate::fixture::{io_run, run, storage};

    fn says(stall_ms: u64, pace: Pace) -> (Verdict, bool) {
        let mut run = io_run("io", IoKind::Read, 1);
        storage(&mut run).stall_ns_max = Some(Nanos(stall_ms * 1_000_000));
        storage(&mut run).streams[0].pace = pace;
        let finding = check(&run).unwrap();
        match finding.evidence {
            Evidence::Stall(Some(Stall { limit_ns: Nanos(20_000_000), is_open_loop, .. })) => {
                (finding.verdict, is_open_loop)
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_stall_is_a_warning_that_says_what_holds_it() {
        let open = Pace::Rate { steps_per_second: 1_000.0 };
        assert_eq!(says(2_000, open), (Verdict::Warn, true));
        assert_eq!((says(100, open).0, says(20, open).0), (Verdict::Warn, Verdict::Pass));
        assert_eq!(says(2_000, Pace::AsFastAsPossible), (Verdict::Warn, false));
        assert_eq!(says(3, Pace::AsFastAsPossible), (Verdict::Pass, false));
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
