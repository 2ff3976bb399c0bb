//! Database time by event: as timed by the engine, or as sampled where the engine does not time it.

use std::collections::BTreeMap;

use record::{Activity, Nanos, Ratio, SampledWait, WaitClass, name};

use super::class::{self, TimedWait};
use super::sessions::{SampleCalibration, sampled_ns};
use super::{ActivityMethod, ClassLine, Context, DatabaseTime, EventLine, NoSource, NotKnown, sampling_ns};
use crate::delta::{delta, share};
use crate::layers;
use crate::wait_count::{event_words, is_coarse, sample_period, wait_count};

/// The name of the remainder of database time: engines do not time all of their waits.
const REST: &str = "CPU or not instrumented";

/// The events of a run.
pub(super) struct Events {
    /// Parts of database time, largest first.
    pub(super) foreground: Vec<EventLine>,
    /// Waits of background processes or of all threads together, which are not part of database time; largest first.
    pub(super) background: Vec<EventLine>,
    /// Samples compared with the times of the engine.
    pub(super) calibrations: Vec<SampleCalibration>,
}

/// Database time: the engine's counter less the cost of dbdyno's session sampling; for an embedded engine the time of
/// its calls; otherwise as sampled.
pub(super) fn database_time(context: &Context<'_>) -> Option<DatabaseTime> {
    let run = context.run;
    if let Some((_, counted)) = layers::database_time(run) {
        let total_ns = (counted as f64 - sampling_ns(run)).max(0.0);
        return Some(DatabaseTime { total_ns, method: ActivityMethod::Timed });
    }
    if context.is_embedded() && run.service.count > 0 {
        let total_ns = run.service.mean_ns.0 as f64 * run.service.count as f64;
        return Some(DatabaseTime { total_ns, method: ActivityMethod::Called });
    }
    let activity = run.activity.as_ref().filter(|activity| activity.sample_count > 0)?;
    let method = ActivityMethod::Sampled { period_ns: sample_period(activity) };
    // A few samples without an active session do not mean that there was none.
    let total_ns = Some(sampled_ns(activity, run.window_ns, |_| true)).filter(|total_ns| *total_ns > 0.0)?;
    Some(DatabaseTime { total_ns, method })
}

/// The events of a run; appends to `not_known` what has no source.
pub(super) fn events(context: &Context<'_>, time: Option<DatabaseTime>, not_known: &mut Vec<NotKnown>) -> Events {
    let timed = timed(context);
    let activity = context.run.activity.as_ref().filter(|activity| activity.sample_count > 0);
    let mut events = Events { foreground: Vec::new(), background: Vec::new(), calibrations: Vec::new() };
    if let Some(activity) = activity {
        events.foreground = sampled(activity, context.run.window_ns, &timed);
        events.calibrations = calibrations(activity, context.run.window_ns, &timed);
    }
    if timed.is_empty() && activity.is_none() {
        not_known.push(NotKnown { what: "timed events", reason: NoSource::WaitsNotTimed });
    }
    for one in timed {
        let found =
            activity.map_or(0.0, |activity| sampled_ns(activity, context.run.window_ns, |wait| is_same(&one, wait)));
        let (line, wait) = one;
        if wait.is_coarse && !wait.is_background {
            let reason = NoSource::CoarseClock { event: line.event.clone(), is_sampled: found > 0.0 };
            not_known.push(NotKnown { what: "the time of a wait by the engine", reason });
            if found > 0.0 {
                // The count of the engine is right.
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

/// The waits that the engine timed.
fn timed(context: &Context<'_>) -> Vec<(EventLine, TimedWait)> {
    let run = context.run;
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
        let known = class::timed_wait(wait.event, count.is_some(), context.is_embedded())?;
        let known = TimedWait { is_coarse: is_coarse(context.run, counter, total, count), ..known };
        Some((line(event_words(wait.event), known.class, total, count), known))
    };
    let counters = run.readings.first().map(|reading| &reading.values);
    counters.into_iter().flat_map(|values| values.keys()).filter_map(wait).collect()
}

/// Whether a sample and a timed wait are the same event, by name. Never for an instrument, which covers all threads.
fn is_same((line, known): &(EventLine, TimedWait), sample: &SampledWait) -> bool {
    !known.is_instrument && event_words(&sample.event) == line.event
}

/// Waits that were sampled and that the engine did not time. Sessions on CPU are part of the remainder of database
/// time.
fn sampled(activity: &Activity, window: Nanos, timed: &[(EventLine, TimedWait)]) -> Vec<EventLine> {
    let method = ActivityMethod::Sampled { period_ns: sample_period(activity) };
    let is_line = |wait: &&SampledWait| {
        !matches!(wait.class, WaitClass::Cpu | WaitClass::Idle)
            && !timed.iter().any(|known| !known.1.is_coarse && is_same(known, wait))
    };
    let line = |wait: &SampledWait| EventLine {
        event: if wait.event.is_empty() { "unnamed".to_owned() } else { event_words(&wait.event) },
        class: wait.class,
        method,
        count: None,
        total_ns: sampled_ns(activity, window, |other| std::ptr::eq(other, wait)),
        mean_ns: None,
        of_database_time: None,
    };
    activity.waits.iter().filter(is_line).map(line).collect()
}

/// Samples and times of each event that has both.
fn calibrations(activity: &Activity, window: Nanos, timed: &[(EventLine, TimedWait)]) -> Vec<SampleCalibration> {
    let calibration = |one: &(EventLine, TimedWait)| {
        let (line, known) = one;
        let sampled_ns = sampled_ns(activity, window, |wait| is_same(one, wait));
        let is_sampled = !known.is_background && (line.total_ns > 0.0 || sampled_ns > 0.0);
        is_sampled.then(|| SampleCalibration::new(line.event.clone(), line.total_ns, sampled_ns))
    };
    timed.iter().filter_map(calibration).collect()
}

/// Database time that no wait accounts for.
fn rest(lines: &[EventLine], time: Option<DatabaseTime>, not_known: &mut Vec<NotKnown>) -> Option<EventLine> {
    let time = time?;
    let waited: f64 = lines.iter().map(|line| line.total_ns).sum();
    if waited > time.total_ns {
        not_known.push(NotKnown { what: REST, reason: NoSource::WaitsExceedDatabaseTime });
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
