//! Where the response time of a run went: by counters of time, and by what sessions were found doing.

use record::{Ratio, Run, WaitClass, name};

use super::{ON_PROCESSOR, TimeClass};
use crate::delta::{delta, share};
use crate::rules::RULES;

/// How the classes of waits are called.
const LOCKS: &str = "waiting for locks of rows and tables";
const INSIDE: &str = "waiting inside the engine";
const LOG: &str = "waiting for the log to reach stable storage";
const FLUSHES: &str = "waiting for flushes of the device";
const DATA: &str = "waiting for data to be read or written";
const READS: &str = "waiting for reads of the device";

/// Timed waits, by the events of [`name::wait`], that are waits for locks of rows and tables.
const LOCK_EVENTS: [&str; 2] = ["lock", "row_lock_wait"];

/// Where the sum of all service times went, by counters of time and by what sessions were found doing; that stands in for
/// what the device says of everybody's reads and flushes, too. Writes of the device are mostly
/// made in the background and are left out. The devices of this host are the engine's only where it is `here`.
pub(super) fn classes(run: &Run, here: bool) -> Vec<TimeClass> {
    let processor = timed(run, &[name::CLIENT_CPU_NS, name::SERVER_CPU_NS]);
    // An engine's clock may stop before the session runs again, and samples are few: each may say too little.
    let of_locks = [lock_share(run), sampled(run, WaitClass::Application)];
    let locks = of_locks.into_iter().flatten().reduce(f64::max);
    // Where sessions tell what they wait for, what everybody had of the device says no more.
    let by_device = here && !sessions_tell(run);
    let device = |counter: &str, is_asked: bool| timed(run, &[counter]).filter(|_| by_device && is_asked);
    let either =
        |class: WaitClass, of_sessions: &'static str, of_device: &'static str, share: Option<f64>| match sampled(
            run, class,
        )
        .filter(|found| *found > 0.0)
        {
            Some(found) => (of_sessions, Some(found)),
            None => (of_device, share),
        };
    let classes = [
        (ON_PROCESSOR, processor),
        (LOCKS, locks),
        (INSIDE, sampled(run, WaitClass::Concurrency)),
        either(WaitClass::UserIo, DATA, READS, device(name::DEVICE_READ_NS, true)),
        either(WaitClass::Commit, LOG, FLUSHES, device(name::DEVICE_FLUSH_NS, run.changes)),
    ];
    let known = classes.into_iter().filter_map(|(name, share)| Some((name, share?.min(1.0))));
    known
        .filter(|(_, share)| *share > 0.0)
        .map(|(name, share)| TimeClass { name: name.to_owned(), share: Ratio(share) })
        .collect()
}

/// Whether a class is about the engine's own sessions, and not about everybody who uses the device.
pub(super) fn is_of_sessions(class: &TimeClass) -> bool {
    class.name != READS && class.name != FLUSHES
}

/// Whether sessions were found at work, and the engine could say of most of them what they did.
fn sessions_tell(run: &Run) -> bool {
    let activity = run.activity.as_ref().filter(|activity| activity.sample_count >= RULES.attribution_looks_min);
    let count = |is_told: bool| -> u64 {
        let told = |class: WaitClass| !matches!(class, WaitClass::Other | WaitClass::SystemIo | WaitClass::Idle);
        let waits = activity.iter().flat_map(|activity| &activity.waits);
        waits.filter(|wait| told(wait.class) == is_told).map(|wait| wait.session_count).fold(0, u64::saturating_add)
    };
    count(true) > count(false)
}

/// The sum of all service times, nanoseconds.
fn all_ns(run: &Run) -> f64 {
    run.service.mean_ns.0 as f64 * run.service.count as f64
}

/// The share that these counters of time have, together; none where none of them is known.
fn timed(run: &Run, names: &[&str]) -> Option<f64> {
    let known: Vec<u64> = names.iter().filter_map(|name| delta(run, name)).collect();
    let sum: f64 = known.iter().map(|part| *part as f64).sum();
    share(sum, all_ns(run)).filter(|_| !known.is_empty())
}

/// The share that the engine's own clock gives to waits for locks; none where it has no such clock.
fn lock_share(run: &Run) -> Option<f64> {
    let values = &run.readings.first()?.values;
    let is_lock = |counter: &&String| name::wait(counter).is_some_and(|wait| LOCK_EVENTS.contains(&wait.event));
    let sum: u64 = values.keys().filter(is_lock).filter_map(|counter| delta(run, counter)).sum();
    share(sum as f64, all_ns(run))
}

/// The share that `class` has by what sessions were found doing: sessions that were in it at a time, on average, times
/// the window, over all service times. None where too few looked.
fn sampled(run: &Run, class: WaitClass) -> Option<f64> {
    let activity = run.activity.as_ref().filter(|activity| activity.sample_count >= RULES.attribution_looks_min)?;
    let found = activity.waits.iter().filter(|wait| wait.class == class);
    let sessions: u64 = found.map(|wait| wait.session_count).fold(0, u64::saturating_add);
    share(sessions as f64 / activity.sample_count as f64 * run.window_ns.0 as f64, all_ns(run))
}

#[cfg(test)]
mod tests {
    use record::{Activity, Nanos, SampledWait};

    use super::*;
    use crate::fixture::{counted, run};

    const SECOND: u64 = 1_000_000_000;

    /// A run of 4 jobs for 10 s, whose sessions were looked at `looks` times; each class with the sessions found in it.
    fn looked_at(looks: u64, found: &[(WaitClass, u64)]) -> Run {
        let wait = |(class, session_count): &(WaitClass, u64)| SampledWait {
            class: *class,
            event: "event".to_owned(),
            session_count: *session_count,
        };
        let activity = Activity {
            period_ns: Nanos(SECOND / 10),
            sample_count: looks,
            watched_ns: Nanos(looks * SECOND / 10),
            cost_ns: Nanos(1),
            waits: found.iter().map(wait).collect(),
        };
        Run { activity: Some(activity), ..run("T716", 4) }
    }

    fn shares(run: &Run) -> Vec<(String, f64)> {
        classes(run, true).into_iter().map(|class| (class.name, class.share.0)).collect()
    }

    #[test]
    fn sessions_found_waiting_are_shares_of_all_service_times() {
        // 100 looks at 4 sessions that are always at work: 400 in all.
        let run = looked_at(100, &[(WaitClass::Application, 300), (WaitClass::Cpu, 60), (WaitClass::Concurrency, 40)]);
        assert_eq!(shares(&run), [(LOCKS.to_owned(), 0.75), (INSIDE.to_owned(), 0.1)]);
        // Half as many looks, each of them with the same: nothing depends on the period.
        let fewer = looked_at(50, &[(WaitClass::Application, 150)]);
        assert_eq!(shares(&fewer), [(LOCKS.to_owned(), 0.75)]);
        let more = looked_at(10, &[(WaitClass::Application, 4_000)]);
        assert_eq!(shares(&more), [(LOCKS.to_owned(), 1.0)], "sessions of others may be among them");
        assert_eq!(shares(&looked_at(9, &[(WaitClass::Application, 36)])), [], "nine looks are too few");
    }

    #[test]
    fn what_sessions_wait_for_stands_in_for_what_the_device_says() {
        let device = [(name::DEVICE_FLUSH_NS, 20 * SECOND), (name::DEVICE_READ_NS, 10 * SECOND)];
        let unseen = counted(run("T716", 4), &device);
        assert_eq!(shares(&unseen), [(READS.to_owned(), 0.25), (FLUSHES.to_owned(), 0.5)]);
        let seen = counted(looked_at(100, &[(WaitClass::Commit, 200), (WaitClass::UserIo, 40)]), &device);
        assert_eq!(shares(&seen), [(DATA.to_owned(), 0.1), (LOG.to_owned(), 0.5)]);
        let busy = counted(looked_at(100, &[(WaitClass::Cpu, 380), (WaitClass::Other, 5)]), &device);
        assert_eq!(shares(&busy), [], "others use the device");
        let unclassed = counted(looked_at(100, &[(WaitClass::Other, 200)]), &device);
        assert_eq!(shares(&unclassed), shares(&unseen), "an engine that does not tell them apart");
    }

    #[test]
    fn waits_for_locks_are_timed_or_sampled_whichever_found_more() {
        let sampled = looked_at(100, &[(WaitClass::Application, 300)]);
        let timed = counted(sampled.clone(), &[("example_wait_lock_ns", 36 * SECOND)]);
        assert_eq!(shares(&timed), [(LOCKS.to_owned(), 0.9)]);
        let rows = counted(run("T716", 4), &[("example_row_lock_wait_time_ns", 20 * SECOND)]);
        assert_eq!(shares(&rows), [(LOCKS.to_owned(), 0.5)]);
        let silent = counted(sampled, &[("example_wait_lock_ns", 0)]);
        assert_eq!(shares(&silent), [(LOCKS.to_owned(), 0.75)]);
    }
}
