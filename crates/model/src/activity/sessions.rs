//! Active sessions: by the times of the engine, and by samples.

use record::{Activity, Nanos, Ratio, SampledWait, WaitClass};

use super::{ActivityMethod, Context, DatabaseTime, NoSource, NotKnown};
use crate::delta::share;
use crate::wait_count::sample_period;

/// Active sessions, on average over the window.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionLoad {
    /// Database time over elapsed time.
    pub average: Option<f64>,
    /// Active sessions found over the number of samples.
    pub sampled: Option<f64>,
    /// Processors of this host; absent where the engine is on another one.
    pub processors: Option<u32>,
    /// Sampled over timed database time; above 1 where samples found more. Absent where the engine does not time it.
    pub coverage: Option<Ratio>,
    /// Active sessions found in all samples together; few of them say little.
    pub found: Option<u64>,
    /// Samples taken; absent where sessions are not sampled.
    pub sample_count: Option<u64>,
    /// Mean time between two samples.
    pub period_ns: Option<Nanos>,
    /// Time that all samples took.
    pub cost_ns: Option<Nanos>,
}

/// Sampled and timed time of one event.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleCalibration {
    /// The event.
    pub event: String,
    /// By the engine, nanoseconds.
    pub timed_ns: f64,
    /// By the samples, nanoseconds.
    pub sampled_ns: f64,
    /// Timed over sampled, by which a sampled time is to be multiplied. Absent where no sample found it.
    pub factor: Option<f64>,
}

impl SampleCalibration {
    /// The calibration of `event`.
    pub(super) fn new(event: String, timed_ns: f64, sampled_ns: f64) -> SampleCalibration {
        SampleCalibration { event, timed_ns, sampled_ns, factor: share(timed_ns, sampled_ns) }
    }
}

/// Active sessions found in all samples.
fn found(activity: &Activity) -> u64 {
    let at_work = activity.waits.iter().filter(|wait| wait.class != WaitClass::Idle);
    at_work.fold(0, |sum, wait| sum.saturating_add(wait.session_count))
}

/// The time of the sessions of `activity` in the `wanted` waits: their mean number over the samples times the window.
/// Idle sessions do not count.
pub(super) fn sampled_ns(activity: &Activity, window: Nanos, wanted: impl Fn(&SampledWait) -> bool) -> f64 {
    let waits = activity.waits.iter().filter(|wait| wait.class != WaitClass::Idle && wanted(wait));
    // `sum` of an empty iterator is -0.0.
    let sessions = waits.fold(0.0, |sum, wait| sum + wait.session_count as f64);
    share(sessions, activity.sample_count as f64).unwrap_or(0.0) * window.0 as f64
}

/// The active sessions of a run.
pub(super) fn load(context: &Context<'_>, time: Option<DatabaseTime>, not_known: &mut Vec<NotKnown>) -> SessionLoad {
    let (run, window) = (context.run, context.run.window_ns);
    let activity = run.activity.as_ref();
    let sampled_activity = activity.filter(|activity| activity.sample_count > 0);
    let timed = time.filter(|time| time.method == ActivityMethod::Timed);
    let sampled = sampled_activity.map(|activity| sampled_ns(activity, window, |_| true));
    if sampled_activity.is_none() {
        let reason = match activity {
            Some(_) => NoSource::NoSample,
            None if context.is_embedded() => NoSource::NoSessionList,
            None => NoSource::NotSampled,
        };
        not_known.push(NotKnown { what: "sampled sessions", reason });
    }
    if timed.is_none() {
        let reason = match time.map(|time| time.method) {
            Some(ActivityMethod::Called) => NoSource::CallsTimed,
            found => NoSource::NotTimed { is_sampled: found.is_some() },
        };
        not_known.push(NotKnown { what: "database time by the engine", reason });
    }
    SessionLoad {
        average: time.and_then(|time| share(time.total_ns, window.0 as f64)),
        sampled: sampled.and_then(|sampled| share(sampled, window.0 as f64)),
        processors: (context.location != Some(record::Location::Remote) && context.processors > 0)
            .then_some(context.processors),
        coverage: sampled.zip(timed).and_then(|(sampled, time)| share(sampled, time.total_ns)).map(Ratio),
        found: sampled_activity.map(found),
        sample_count: activity.map(|activity| activity.sample_count),
        period_ns: sampled_activity.map(sample_period),
        cost_ns: activity.map(|activity| activity.cost_ns),
    }
}
