//! Where database time went: what the engine timed, and what it did not as far as it was sampled.

use std::collections::BTreeMap;

use record::{Activity, Nanos, Ratio, SampledWait, WaitClass, name};

use super::class::{self, TimedWait};
use super::sessions::{SampleCalibration, period};
use super::{ActivityMethod, ClassLine, DatabaseTime, EventLine, NotKnown, Place, looks_ns};
use crate::delta::{delta, share};
use crate::layers;
use crate::wait_count::{is_coarse, wait_count};

/// How what is left of database time is called: an engine times most of its waits and not all.
const REST: &str = "CPU or not instrumented";

/// All that is known of events.
pub(super) struct Events {
    /// Parts of database time, the most first.
    pub(super) foreground: Vec<EventLine>,
    /// What is no part of it: waits of the engine's own processes, or of all threads together; the most first.
    pub(super) background: Vec<EventLine>,
    /// Samples held against what the engine timed.
    pub(super) calibrations: Vec<SampleCalibration>,
}

/// Database time: by the engine's counter less what dbdyno's looks took; of an embedded engine the calls of it; otherwise
/// as far as it was sampled.
pub(super) fn database_time(place: &Place<'_>) -> Option<DatabaseTime> {
    let run = place.run;
    if let Some((_, counted)) = layers::database_time(run) {
        let total_ns = (counted as f64 - looks_ns(run)).max(0.0);
        return Some(DatabaseTime { total_ns, method: ActivityMethod::Timed });
    }
    if place.is_embedded() && run.service.count > 0 {
        let total_ns = run.service.mean_ns.0 as f64 * run.service.count as f64;
        return Some(DatabaseTime { total_ns, method: ActivityMethod::Called });
    }
    let activity = run.activity.as_ref().filter(|activity| activity.sample_count > 0)?;
    let method = ActivityMethod::Sampled { period_ns: period(activity) };
    // Nobody found in a few looks does not mean that nobody was there.
    let total_ns = Some(sampled_ns(activity, run.window_ns, |_| true)).filter(|total_ns| *total_ns > 0.0)?;
    Some(DatabaseTime { total_ns, method })
}

/// The time of the sessions of `activity` in the waits that are `wanted`: so many at a time, on average, for all of the
/// window. Nobody who has nothing to do is among them.
pub(super) fn sampled_ns(activity: &Activity, window: Nanos, wanted: impl Fn(&SampledWait) -> bool) -> f64 {
    let waits = activity.waits.iter().filter(|wait| wait.class != WaitClass::Idle && wanted(wait));
    // A sum of nothing would be a negative zero.
    let sessions = waits.fold(0.0, |sum, wait| sum + wait.session_count as f64);
    share(sessions, activity.sample_count as f64).unwrap_or(0.0) * window.0 as f64
}

/// The events of a run. What is not known is added to `not_known`.
pub(super) fn events(place: &Place<'_>, time: Option<DatabaseTime>, not_known: &mut Vec<NotKnown>) -> Events {
    let timed = timed(place);
    let activity = place.run.activity.as_ref().filter(|activity| activity.sample_count > 0);
    let mut events = Events { foreground: Vec::new(), background: Vec::new(), calibrations: Vec::new() };
    if let Some(activity) = activity {
        events.foreground = sampled(activity, place.run.window_ns, &timed);
        events.calibrations = calibrations(activity, place.run.window_ns, &timed);
    }
    if timed.is_empty() && activity.is_none() {
        let reason = "the engine times no waits as it is set, and nobody looked at its sessions";
        not_known.push(NotKnown { what: "timed events", reason: reason.to_owned() });
    }
    for one in timed {
        let found =
            activity.map_or(0.0, |activity| sampled_ns(activity, place.run.window_ns, |wait| is_same(&one, wait)));
        let (line, wait) = one;
        if wait.is_coarse && !wait.is_background {
            let stands = if found > 0.0 { "the samples stand for it" } else { "it is too little" };
            let reason =
                format!("{}: it counts milliseconds, and most of these waits are shorter; {stands}", line.event);
            not_known.push(NotKnown { what: "the time of a wait by the engine", reason });
            if found > 0.0 {
                // How often it was, the engine does know.
                for sample in events.foreground.iter_mut().filter(|sample| sample.event == line.event) {
                    sample.count = line.count;
                    sample.mean_ns = line.count.and_then(|count| share(sample.total_ns, count as f64));
                }
                continue;
            }
        }
        if wait.is_background { events.background.push(line) } else { events.foreground.push(line) }
    }
    let is_anything_known = !events.foreground.is_empty();
    events.foreground.extend(rest(&events.foreground, time.filter(|_| is_anything_known), not_known));
    for line in &mut events.foreground {
        line.of_database_time = time.and_then(|time| share(line.total_ns, time.total_ns)).map(Ratio);
    }
    for lines in [&mut events.foreground, &mut events.background] {
        lines.retain(|line| line.total_ns > 0.0);
        lines.sort_by(|one, other| other.total_ns.total_cmp(&one.total_ns).then(one.event.cmp(&other.event)));
    }
    events
}

/// What the engine timed.
fn timed(place: &Place<'_>) -> Vec<(EventLine, TimedWait)> {
    let run = place.run;
    let line = |event: String, class, total: u64, count: Option<u64>| EventLine {
        event,
        class,
        method: ActivityMethod::Timed,
        count,
        total_ns: total as f64,
        mean_ns: count.and_then(|count| share(total as f64, count as f64)),
        of_database_time: None,
    };
    let wait = |counter: &String| {
        let wait = name::wait(counter)?;
        let total = delta(run, counter)?;
        let count = wait_count(run, &wait);
        let known = class::timed_wait(wait.event, count.is_some(), place.is_embedded())?;
        let known = TimedWait { is_coarse: is_coarse(place.run, counter, total, count), ..known };
        Some((line(words(wait.event), known.class, total, count), known))
    };
    let counters = run.readings.first().map(|reading| &reading.values);
    counters.into_iter().flat_map(|values| values.keys()).filter_map(wait).collect()
}

/// Whether a sample means the same as something that the engine timed: it is called so. Of an instrument of all threads
/// it does not.
fn is_same((line, known): &(EventLine, TimedWait), sample: &SampledWait) -> bool {
    !known.is_instrument && words(&sample.event) == line.event
}

/// The name of an event in words.
fn words(event: &str) -> String {
    event.replace('_', " ")
}

/// Waits that were sampled and that the engine did not time. Sessions on a processor are in what is left of database
/// time.
fn sampled(activity: &Activity, window: Nanos, timed: &[(EventLine, TimedWait)]) -> Vec<EventLine> {
    let method = ActivityMethod::Sampled { period_ns: period(activity) };
    let is_line = |wait: &&SampledWait| {
        !matches!(wait.class, WaitClass::Cpu | WaitClass::Idle)
            && !timed.iter().any(|known| !known.1.is_coarse && is_same(known, wait))
    };
    let line = |wait: &SampledWait| EventLine {
        event: if wait.event.is_empty() { "not named".to_owned() } else { words(&wait.event) },
        class: wait.class,
        method,
        count: None,
        total_ns: sampled_ns(activity, window, |other| std::ptr::eq(other, wait)),
        mean_ns: None,
        of_database_time: None,
    };
    activity.waits.iter().filter(is_line).map(line).collect()
}

/// The samples of each event that the engine timed as well.
fn calibrations(activity: &Activity, window: Nanos, timed: &[(EventLine, TimedWait)]) -> Vec<SampleCalibration> {
    let calibration = |one: &(EventLine, TimedWait)| {
        let (line, known) = one;
        let sampled_ns = sampled_ns(activity, window, |wait| is_same(one, wait));
        let is_sampled = !known.is_background && (line.total_ns > 0.0 || sampled_ns > 0.0);
        is_sampled.then(|| SampleCalibration::new(line.event.clone(), line.total_ns, sampled_ns))
    };
    timed.iter().filter_map(calibration).collect()
}

/// What no wait explains.
fn rest(lines: &[EventLine], time: Option<DatabaseTime>, not_known: &mut Vec<NotKnown>) -> Option<EventLine> {
    let time = time?;
    let waited: f64 = lines.iter().map(|line| line.total_ns).sum();
    if waited > time.total_ns {
        let reason = "the waits that are known are longer than database time: the engine's own processes waited, too";
        not_known.push(NotKnown { what: REST, reason: reason.to_owned() });
        return None;
    }
    Some(EventLine {
        event: REST.to_owned(),
        class: WaitClass::Cpu,
        method: ActivityMethod::Rest,
        count: None,
        total_ns: time.total_ns - waited,
        mean_ns: None,
        of_database_time: None,
    })
}

/// `lines` by class.
pub(super) fn classes(lines: &[EventLine], time: Option<DatabaseTime>, window: Nanos) -> Vec<ClassLine> {
    let mut sums: BTreeMap<WaitClass, f64> = BTreeMap::new();
    for line in lines {
        *sums.entry(line.class).or_default() += line.total_ns;
    }
    let line = |(class, total_ns): (WaitClass, f64)| ClassLine {
        class,
        total_ns,
        of_database_time: time.and_then(|time| share(total_ns, time.total_ns)).map(Ratio),
        average_sessions: share(total_ns, window.0 as f64),
    };
    let mut classes: Vec<ClassLine> = sums.into_iter().map(line).collect();
    classes.sort_by(|one, other| other.total_ns.total_cmp(&one.total_ns));
    classes
}
