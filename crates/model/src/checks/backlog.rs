//! Steps of an open loop that were not started: the platform does not achieve the target rate, and response times are
//! lower bounds.

use std::collections::BTreeMap;

use record::evidence::Backlog;
use record::{Evidence, Finding, Nanos, Pace, Rate, Ratio, Run, Totals, Verdict};

use super::worst;
use crate::delta::share;
use crate::queue::queues;
use crate::rules::RULES;

pub(super) fn check(run: &Run) -> Option<Finding> {
    let targets: Vec<(Option<String>, Target)> = match &run.storage {
        Some(_) => jobs(run).into_iter().map(|(job, target)| (Some(job), target)).collect(),
        None => [(None, whole(run))].into_iter().chain(roles(run)).collect(),
    };
    let judged = targets.into_iter().filter_map(|(job, target)| target.judge(job));
    worst(judged.map(|(verdict, backlog)| (verdict, Evidence::Backlog(backlog))))
}

/// The pace of all jobs of a run that is not one of storage.
fn whole(run: &Run) -> Target {
    let Totals { steps, unfinished, .. } = run.totals;
    Target { pace: run.pace, steps, unfinished, window: run.window_ns, duty_cycle: 1.0 }
}

/// The roles with a rate of their own, and the types of transactions that their jobs share.
fn roles(run: &Run) -> impl Iterator<Item = (Option<String>, Target)> {
    let mut roles: BTreeMap<&str, Target> = BTreeMap::new();
    for of in &run.transaction_types {
        let Some((role, rate)) = of.role.as_ref().and_then(|role| Some((role, role.rate?))) else { continue };
        let pace = Pace::Poisson { steps_per_second: rate };
        let initial = Target { pace, steps: 0, unfinished: 0, window: run.window_ns, duty_cycle: 1.0 };
        let target = roles.entry(&role.name).or_insert(initial);
        target.steps = target.steps.saturating_add(of.totals.steps);
        target.unfinished = target.unfinished.saturating_add(of.totals.unfinished);
    }
    roles.into_iter().map(|(name, target)| (Some(name.to_owned()), target))
}

/// The target of one pace.
#[derive(Clone, Copy)]
struct Target {
    pace: Pace,
    steps: u64,
    unfinished: u64,
    window: Nanos,
    /// Share of the time in which the job is active.
    duty_cycle: f64,
}

/// The jobs of a storage run: the pace of a job is shared by its clones and kinds of I/O.
fn jobs(run: &Run) -> Vec<(String, Target)> {
    let mut jobs: BTreeMap<(u32, String), Target> = BTreeMap::new();
    for queue in queues(run) {
        let first = queue.streams[0];
        let initial =
            Target { pace: first.pace, steps: 0, unfinished: 0, window: Nanos(0), duty_cycle: first.duty_cycle.0 };
        let target = jobs.entry((first.report_group, first.job.clone())).or_insert(initial);
        target.steps = target.steps.saturating_add(queue.turns());
        target.unfinished = target.unfinished.saturating_add(queue.sum(|stream| stream.unfinished));
        target.window = target.window.max(queue.window());
    }
    jobs.into_iter().map(|((_, job), target)| (job, target)).collect()
}

impl Target {
    /// The backlog of `job`, or of the whole run; None for a closed loop.
    fn judge(&self, job: Option<String>) -> Option<(Verdict, Backlog)> {
        let (Pace::Rate { steps_per_second } | Pace::Poisson { steps_per_second }) = self.pace else { return None };
        let count = self.unfinished;
        let ratio = share(count as f64, self.steps as f64 + count as f64)?;
        if count == 0 {
            return Some(self.kept(steps_per_second * self.duty_cycle, job));
        }
        let verdict = if ratio > RULES.backlog_share_fail { Verdict::Fail } else { Verdict::Warn };
        let limit = Ratio(RULES.backlog_share_fail);
        Some((verdict, Backlog::NotStarted { job, count, share: Ratio(ratio), limit }))
    }

    /// All steps were done; whether at the target rate `due`. Random arrivals deviate from their mean by three standard
    /// deviations, each the root of their number, at most once in several hundred runs.
    fn kept(&self, due: f64, job: Option<String>) -> (Verdict, Backlog) {
        let steps = self.steps as f64;
        let done = steps / self.window.seconds().max(1e-9);
        let least = due * (1.0 - RULES.rate_shortfall - 3.0 / steps.max(9.0).sqrt());
        match done < least {
            false => (Verdict::Pass, Backlog::Kept { job }),
            true => (Verdict::Warn, Backlog::Slower { job, done: Rate(done), due: Rate(due) }),
        }
    }
}

#[cfg(test)]
mod tests {
    use record::{IoKind, IoStream};

    use super::*;
    use crate::fixture::{io_run, run, storage};

    #[test]
    fn a_rate_achieved_only_after_the_window_is_a_warning() {
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
    fn steps_not_started_miss_the_target() {
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

    fn slower(done: f64, due: f64) -> Evidence {
        Evidence::Backlog(Backlog::Slower { job: Some("job".to_owned()), done: Rate(done), due: Rate(due) })
    }

    #[test]
    fn in_bursts_the_target_applies_while_the_job_is_active() {
        let mut bursts = io_run("io", IoKind::Write, 1);
        storage(&mut bursts).streams[0].pace = Pace::Rate { steps_per_second: 4_000.0 };
        assert_eq!(check(&bursts).unwrap().verdict, Verdict::Warn);
        storage(&mut bursts).streams[0].duty_cycle = record::Ratio(0.25);
        assert_eq!(check(&bursts).unwrap().verdict, Verdict::Pass, "1000 per second on the whole");
        storage(&mut bursts).streams[0].duty_cycle = record::Ratio(0.5);
        assert_eq!(check(&bursts).unwrap().evidence, slower(1_000.0, 2_000.0));
    }

    #[test]
    fn a_rate_of_storage_is_that_of_all_clones_and_kinds_of_a_job() {
        let mut mixed = io_run("io", IoKind::Read, 1);
        let streams = &mut storage(&mut mixed).streams;
        (streams[0].pace, streams[0].clone) = (Pace::Rate { steps_per_second: 3_000.0 }, Some(0));
        streams.push(IoStream { kind: IoKind::Write, ..streams[0].clone() });
        streams.push(IoStream { kind: IoKind::Sync, ..streams[0].clone() });
        let found = check(&mixed).unwrap();
        assert_eq!((found.verdict, found.evidence), (Verdict::Warn, slower(2_000.0, 3_000.0)));
        let streams = &mut storage(&mut mixed).streams;
        streams.push(IoStream { clone: Some(1), ..streams[0].clone() });
        assert_eq!(check(&mixed).unwrap().verdict, Verdict::Pass, "with the other clone");
        storage(&mut mixed).streams[0].unfinished = 1_000;
        assert_eq!(check(&mixed).unwrap().verdict, Verdict::Fail);
        assert_eq!(check(&io_run("io", IoKind::Read, 1)), None, "closed loop, unthrottled");
    }
}
