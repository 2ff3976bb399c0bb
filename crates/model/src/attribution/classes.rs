//! Breakdown of the response time of a run, by counters of time and by samples of sessions.

use record::{Ratio, Run, WaitClass, name};

use crate::delta::{delta, share};
use crate::rules::RULES;

/// A part of the response time.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeClass {
    /// Which part.
    pub name: TimeClassName,
    /// Its share of the response time.
    pub share: Ratio,
}

/// Which part of the response time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeClassName {
    /// On CPU.
    OnProcessor,
    /// Waits for locks of rows and tables.
    Locks,
    /// Waits inside the engine.
    InEngine,
    /// Waits for syncs of the log.
    LogSyncs,
    /// Flushes of the device, of all programs.
    DeviceFlushes,
    /// Waits for I/O of data.
    DataIo,
    /// Reads of the device, of all programs.
    DeviceReads,
    /// Round trips to the server, at the time of the network probe.
    RoundTrips,
    /// Wake-ups of idle processors in the round trips to a server on this host.
    WakeUps,
}

/// Timed waits, by the events of [`name::wait`], that are waits for locks of rows and tables.
const LOCK_EVENTS: [&str; 2] = ["lock", "row_lock_wait"];

/// The classes of the sum of all service times, by counters of time and by samples of sessions. Samples take precedence
/// over the device's times of reads and flushes, which cover all programs. Device writes are left out, since most are
/// made in the background. `here`: the engine runs on this host, whose devices are its own. `round_trips`: their share of
/// the time, where it is known; `wake_ups`: that of wake-ups of idle processors. Some of both is CPU time, so that all
/// together are at most all of it.
pub(super) fn classes(run: &Run, here: bool, round_trips: Option<f64>, wake_ups: Option<f64>) -> Vec<TimeClass> {
    let processor = timed(run, &[name::CLIENT_CPU_NS, name::SERVER_CPU_NS]);
    let off_processor = (1.0 - processor.unwrap_or(0.0)).max(0.0);
    let round_trips = round_trips.map(|share| share.min(off_processor));
    let wake_ups = wake_ups.map(|share| share.min(off_processor - round_trips.unwrap_or(0.0)));
    // The engine may stop timing before the session runs again, and samples are few: both may be too low.
    let of_locks = [lock_share(run), sampled(run, WaitClass::Application)];
    let locks = of_locks.into_iter().flatten().reduce(f64::max);
    // Classified samples are more specific than the times of the whole device, which stand in where the samples leave much
    // open: some engines do not show sessions that wait for I/O as active.
    let of_sessions = [WaitClass::Concurrency, WaitClass::UserIo, WaitClass::Commit].map(|class| sampled(run, class));
    let known: f64 = of_sessions.into_iter().chain([processor, locks]).flatten().sum();
    let explained = known.max(sampled_where(run, |_| true).unwrap_or(0.0));
    let is_classified = are_sessions_classified(run);
    let by_device = here && (!is_classified || explained < RULES.classes_explained_min);
    let most = if is_classified { (1.0 - explained).max(0.0) } else { f64::MAX };
    let device = |counter: &str, is_asked: bool| {
        timed(run, &[counter]).filter(|_| by_device && is_asked).map(|share| share.min(most))
    };
    let either =
        |class: WaitClass, of_sessions, of_device, share| match sampled(run, class).filter(|found| *found > 0.0) {
            Some(found) => (of_sessions, Some(found)),
            None => (of_device, share),
        };
    let classes = [
        (TimeClassName::OnProcessor, processor),
        (TimeClassName::RoundTrips, round_trips),
        (TimeClassName::WakeUps, wake_ups),
        (TimeClassName::Locks, locks),
        (TimeClassName::InEngine, sampled(run, WaitClass::Concurrency)),
        either(
            WaitClass::UserIo,
            TimeClassName::DataIo,
            TimeClassName::DeviceReads,
            device(name::DEVICE_READ_NS, true),
        ),
        either(
            WaitClass::Commit,
            TimeClassName::LogSyncs,
            TimeClassName::DeviceFlushes,
            device(name::DEVICE_FLUSH_NS, run.changes),
        ),
    ];
    let known = classes.into_iter().filter_map(|(name, share)| Some((name, share?.min(1.0))));
    known.filter(|(_, share)| *share > 0.0).map(|(name, share)| TimeClass { name, share: Ratio(share) }).collect()
}

/// Whether a class is of the engine's sessions, and not of all users of the device.
pub(super) fn is_of_sessions(class: &TimeClass) -> bool {
    !matches!(class.name, TimeClassName::DeviceReads | TimeClassName::DeviceFlushes)
}

/// Whether active sessions were sampled and most of them have a class.
fn are_sessions_classified(run: &Run) -> bool {
    let activity = run.activity.as_ref().filter(|activity| activity.sample_count >= RULES.attribution_samples_min);
    let count = |is_classified: bool| -> u64 {
        let has_class = |class: WaitClass| !matches!(class, WaitClass::Other | WaitClass::SystemIo | WaitClass::Idle);
        let waits = activity.iter().flat_map(|activity| &activity.waits);
        waits
            .filter(|wait| has_class(wait.class) == is_classified)
            .map(|wait| wait.session_count)
            .fold(0, u64::saturating_add)
    };
    count(true) > count(false)
}

/// The sum of all service times, nanoseconds.
fn all_ns(run: &Run) -> f64 {
    run.service.mean_ns.0 as f64 * run.service.count as f64
}

/// The share of these counters of time together; None where none of them is known.
fn timed(run: &Run, names: &[&str]) -> Option<f64> {
    let known: Vec<u64> = names.iter().filter_map(|name| delta(run, name)).collect();
    let sum: f64 = known.iter().map(|part| *part as f64).sum();
    share(sum, all_ns(run)).filter(|_| !known.is_empty())
}

/// The share of lock waits as timed by the engine; None where it does not time them.
fn lock_share(run: &Run) -> Option<f64> {
    let values = &run.readings.first()?.values;
    let is_lock = |counter: &&String| name::wait(counter).is_some_and(|wait| LOCK_EVENTS.contains(&wait.event));
    let sum: u64 = values.keys().filter(is_lock).filter_map(|counter| delta(run, counter)).sum();
    share(sum as f64, all_ns(run))
}

/// The share of `class` by samples: mean number of sessions in it times the window, over all service times. None with
/// too few samples.
fn sampled(run: &Run, class: WaitClass) -> Option<f64> {
    sampled_where(run, |found| found == class)
}

/// The same of all classes that are `asked`.
fn sampled_where(run: &Run, asked: impl Fn(WaitClass) -> bool) -> Option<f64> {
    let activity = run.activity.as_ref().filter(|activity| activity.sample_count >= RULES.attribution_samples_min)?;
    let found = activity.waits.iter().filter(|wait| asked(wait.class));
    let sessions: u64 = found.map(|wait| wait.session_count).fold(0, u64::saturating_add);
    share(sessions as f64 / activity.sample_count as f64 * run.window_ns.0 as f64, all_ns(run))
}

#[cfg(test)]
mod tests {
    use record::{Activity, Nanos, SampledWait};

    use super::*;
    use crate::fixture::{counted, run};

    const SECOND: u64 = 1_000_000_000;

    /// A run of 4 jobs for 10 s with `samples` samples; each class with the sessions found in it.
    fn sampled_run(samples: u64, found: &[(WaitClass, u64)]) -> Run {
        let wait = |(class, session_count): &(WaitClass, u64)| SampledWait {
            class: *class,
            event: "event".to_owned(),
            session_count: *session_count,
        };
        let activity = Activity {
            period_ns: Nanos(SECOND / 10),
            sample_count: samples,
            observed_ns: Nanos(samples * SECOND / 10),
            cost_ns: Nanos(1),
            waits: found.iter().map(wait).collect(),
        };
        Run { activity: Some(activity), ..run("T716", 4) }
    }

    fn shares(run: &Run) -> Vec<(TimeClassName, f64)> {
        classes(run, true, None, None).into_iter().map(|class| (class.name, class.share.0)).collect()
    }

    #[test]
    fn sessions_found_waiting_are_shares_of_all_service_times() {
        // 100 samples at 4 sessions that are always at work: 400 in all.
        let run =
            sampled_run(100, &[(WaitClass::Application, 300), (WaitClass::Cpu, 60), (WaitClass::Concurrency, 40)]);
        assert_eq!(shares(&run), [(TimeClassName::Locks, 0.75), (TimeClassName::InEngine, 0.1)]);
        // Half as many samples, each of them with the same: nothing depends on the period.
        let fewer = sampled_run(50, &[(WaitClass::Application, 150)]);
        assert_eq!(shares(&fewer), [(TimeClassName::Locks, 0.75)]);
        let more = sampled_run(10, &[(WaitClass::Application, 4_000)]);
        assert_eq!(shares(&more), [(TimeClassName::Locks, 1.0)], "other sessions may be among them");
        assert_eq!(shares(&sampled_run(9, &[(WaitClass::Application, 36)])), [], "nine samples are too few");
    }

    #[test]
    fn samples_replace_the_times_of_the_device() {
        let device = [(name::DEVICE_FLUSH_NS, 20 * SECOND), (name::DEVICE_READ_NS, 10 * SECOND)];
        let unseen = counted(run("T716", 4), &device);
        assert_eq!(shares(&unseen), [(TimeClassName::DeviceReads, 0.25), (TimeClassName::DeviceFlushes, 0.5)]);
        let seen = counted(sampled_run(100, &[(WaitClass::Commit, 200), (WaitClass::UserIo, 40)]), &device);
        assert_eq!(shares(&seen), [(TimeClassName::DataIo, 0.1), (TimeClassName::LogSyncs, 0.5)]);
        let busy = counted(sampled_run(100, &[(WaitClass::Cpu, 380), (WaitClass::Other, 5)]), &device);
        assert_eq!(shares(&busy), [], "others use the device");
        let half_seen = counted(sampled_run(100, &[(WaitClass::Cpu, 150), (WaitClass::Network, 10)]), &device[1..]);
        assert_eq!(shares(&half_seen), [(TimeClassName::DeviceReads, 0.25)], "six tenths of the time were not seen");
        let much = [(name::DEVICE_READ_NS, 40 * SECOND)];
        let most = counted(sampled_run(100, &[(WaitClass::Cpu, 160)]), &much);
        assert_eq!(shares(&most), [(TimeClassName::DeviceReads, 0.6)], "no more than is open");
        let unclassed = counted(sampled_run(100, &[(WaitClass::Other, 200)]), &device);
        assert_eq!(shares(&unclassed), shares(&unseen), "an engine that does not classify its waits");
    }

    #[test]
    fn waits_for_locks_are_timed_or_sampled_whichever_found_more() {
        let sampled = sampled_run(100, &[(WaitClass::Application, 300)]);
        let timed = counted(sampled.clone(), &[("example_wait_lock_ns", 36 * SECOND)]);
        assert_eq!(shares(&timed), [(TimeClassName::Locks, 0.9)]);
        let rows = counted(run("T716", 4), &[("example_row_lock_wait_time_ns", 20 * SECOND)]);
        assert_eq!(shares(&rows), [(TimeClassName::Locks, 0.5)]);
        let silent = counted(sampled, &[("example_wait_lock_ns", 0)]);
        assert_eq!(shares(&silent), [(TimeClassName::Locks, 0.75)]);
    }
}
