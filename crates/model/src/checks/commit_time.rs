//! Whether commits of the engine took as long as a commit takes on the same device without it.
//!
//! One job cannot share a flush with others: a transaction that reached stable storage took at least about as long as a
//! write and a sync of the probe. One that was faster did not wait for them.

use record::{Check, Finding, Run, Verdict};

use super::{Context, finding};
use crate::rules::RULES;

pub(super) fn check(run: &Run, context: &Context<'_>) -> Option<Finding> {
    let probe = context.flush_probe.filter(|probe| probe.0 > 0)?;
    let waits = context.engine.is_some_and(|engine| engine.durable != Some(false));
    if run.storage.is_some() || !waits || !run.changes || run.dop.jobs != 1 || run.totals.transactions == 0 {
        return None;
    }
    let commit = run.service.p50_ns;
    let microseconds = |nanos: u64| nanos as f64 / 1e3;
    let gist = format!(
        "a transaction took {:.0} us, a write and its sync on the same device {:.0} us",
        microseconds(commit.0),
        microseconds(probe.0)
    );
    match commit.0 as f64 >= probe.0 as f64 * RULES.commit_over_probe_min {
        true => finding(Check::Flush, Verdict::Pass, gist),
        false => finding(Check::Flush, Verdict::Warn, format!("{gist}: the engine did not wait for the flush")),
    }
}

#[cfg(test)]
mod tests {
    use record::Nanos;

    use super::*;
    use crate::fixture::{engine, instrument, run};

    fn says(commit_ns: u64, probe_ns: Option<u64>, jobs: u32, durable: Option<bool>) -> Option<Verdict> {
        let (mut engine, instrument) = (engine(), instrument());
        engine.durable = durable;
        let context = Context {
            engine: Some(&engine),
            host_threads: 2,
            instrument: &instrument,
            write_cache: Some("write back"),
            flush_probe: probe_ns.map(Nanos),
        };
        let mut run = run("T311", jobs);
        (run.changes, run.service.p50_ns) = (true, Nanos(commit_ns));
        check(&run, &context).map(|finding| finding.verdict)
    }

    #[test]
    fn a_commit_that_is_faster_than_a_flush_did_not_wait_for_it() {
        assert_eq!(says(30_000, Some(500_000), 1, Some(true)), Some(Verdict::Warn));
        assert_eq!(says(450_000, Some(500_000), 1, Some(true)), Some(Verdict::Pass));
        assert_eq!(says(450_000, Some(500_000), 1, None), Some(Verdict::Pass));
    }

    #[test]
    fn nothing_is_said_where_a_flush_may_be_shared_or_is_not_asked_for() {
        assert_eq!(says(30_000, Some(500_000), 4, Some(true)), None, "group commit");
        assert_eq!(says(30_000, Some(500_000), 1, Some(false)), None, "the settings say so already");
        assert_eq!(says(30_000, None, 1, Some(true)), None);
    }
}
