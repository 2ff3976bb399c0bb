//! Latencies of sessions that share a thread: an answer that comes while the thread is at work for another session is seen
//! late, and that time is in its latency. How long that can be is measured, and held against the median.

use record::evidence::UnseenAnswers;
use record::{Evidence, Finding, Ratio, Run, Verdict};

use super::finding;
use crate::delta::share;
use crate::rules::RULES;

pub(super) fn check(run: &Run) -> Option<Finding> {
    let unseen_ns = run.client_threads?.unseen_ns_p50;
    let share = Ratio(share(unseen_ns.0 as f64, run.service.p50_ns.0 as f64)?);
    let verdict = if share.0 > RULES.unseen_share_max { Verdict::Warn } else { Verdict::Pass };
    let limit = Ratio(RULES.unseen_share_max);
    finding(verdict, Evidence::UnseenAnswers(UnseenAnswers { unseen_ns, share, limit }))
}

#[cfg(test)]
mod tests {
    use record::{ClientThreads, Nanos, WaitMethod};

    use super::*;
    use crate::fixture::run;

    #[test]
    fn the_bound_is_held_against_the_median() {
        let mut shared = run("T611", 64);
        assert_eq!(check(&shared), None, "each has a thread of its own");
        let with = |unseen| ClientThreads {
            threads: 1,
            method: WaitMethod::IoUring,
            unseen_ns_p50: Nanos(unseen),
            unseen_ns_p99: Nanos(9 * unseen),
            unseen_ns_max: Nanos(99 * unseen),
        };
        for (unseen, verdict) in [(10_000, Verdict::Pass), (11_000, Verdict::Warn)] {
            shared.client_threads = Some(with(unseen));
            assert_eq!(check(&shared).unwrap().verdict, verdict, "of 1 ms");
        }
        shared.service.p50_ns = Nanos(0);
        assert_eq!(check(&shared), None);
    }
}
