//! Scheduling delay of the generator: a thread that only sleeps woke up late.
//!
//! In an open loop, response times count from the intended start and include the stall, service times do not; they are
//! then not of the device alone. A closed loop only does less during a stall.

use record::evidence::Stall;
use record::{Evidence, Finding, Nanos, Run, Verdict};

use super::{finding, is_open};
use crate::rules::RULES;

pub(super) fn check(run: &Run) -> Option<Finding> {
    let storage = run.storage.as_ref()?;
    let is_open_loop = is_open(run);
    let Some(scheduling_delay_ns_max) = storage.scheduling_delay_ns_max else {
        return is_open_loop.then(|| Finding::new(Verdict::Unknown, Evidence::Stall(None)));
    };
    let limit_ns = Nanos(RULES.stall_ns_warn);
    let verdict = if scheduling_delay_ns_max > limit_ns { Verdict::Warn } else { Verdict::Pass };
    finding(verdict, Evidence::Stall(Some(Stall { scheduling_delay_ns_max, limit_ns, is_open_loop })))
}

#[cfg(test)]
mod tests {
    use record::{IoKind, Pace};

    use super::*;
    use crate::fixture::{io_run, run, storage};

    fn says(stall_ms: u64, pace: Pace) -> (Verdict, bool) {
        let mut run = io_run("io", IoKind::Read, 1);
        storage(&mut run).scheduling_delay_ns_max = Some(Nanos(stall_ms * 1_000_000));
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
    fn a_stall_is_a_warning() {
        let open = Pace::Rate { steps_per_second: 1_000.0 };
        assert_eq!(says(2_000, open), (Verdict::Warn, true));
        assert_eq!((says(100, open).0, says(20, open).0), (Verdict::Warn, Verdict::Pass));
        assert_eq!(says(2_000, Pace::Unthrottled), (Verdict::Warn, false));
        assert_eq!(says(3, Pace::Unthrottled), (Verdict::Pass, false));
    }

    #[test]
    fn an_unmeasured_stall_is_unknown_only_in_an_open_loop() {
        let mut unwatched = io_run("io", IoKind::Read, 1);
        storage(&mut unwatched).scheduling_delay_ns_max = None;
        assert_eq!((check(&unwatched), check(&run("T611", 1))), (None, None));
        unwatched.pace = Pace::Poisson { steps_per_second: 1_000.0 };
        assert_eq!(check(&unwatched).unwrap().verdict, Verdict::Unknown);
    }
}
