//! Sessions at work: by what the engine timed, and by looks.

use record::{Activity, Nanos, Ratio, WaitClass};

use super::event::sampled_ns;
use super::{ActivityMethod, DatabaseTime, NotKnown, Place};
use crate::delta::share;

/// Sessions at work, on average over the window.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionLoad {
    /// Database time over elapsed time.
    pub average: Option<f64>,
    /// Sessions found at work over looks.
    pub sampled: Option<f64>,
    /// Processors of this host; absent where the engine is on another one.
    pub processors: Option<u32>,
    /// What the samples found of the database time that the engine timed: above 1 where they found more. Absent where it
    /// timed none.
    pub coverage: Option<Ratio>,
    /// How many sessions were found at work, over all looks: of few of them little follows.
    pub found: Option<u64>,
    /// How often somebody looked; absent where nobody was to.
    pub sample_count: Option<u64>,
    /// Between two looks, as it was on average.
    pub period_ns: Option<Nanos>,
    /// What all looks took.
    pub cost_ns: Option<Nanos>,
}

/// Samples of one thing held against what the engine timed of it.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleCalibration {
    /// What.
    pub event: String,
    /// By the engine, nanoseconds.
    pub timed_ns: f64,
    /// By the samples, nanoseconds.
    pub sampled_ns: f64,
    /// What a sampled time is to be multiplied by: timed over sampled. Absent where no sample found it.
    pub factor: Option<f64>,
}

impl SampleCalibration {
    /// Of `event`.
    pub(super) fn new(event: String, timed_ns: f64, sampled_ns: f64) -> SampleCalibration {
        SampleCalibration { event, timed_ns, sampled_ns, factor: share(timed_ns, sampled_ns) }
    }
}

/// Between two looks: as it was, and not as it was planned.
pub(super) fn period(activity: &Activity) -> Nanos {
    match activity.watched_ns.0.checked_div(activity.sample_count) {
        Some(period) if period > 0 => Nanos(period),
        _ => activity.period_ns,
    }
}

/// Sessions found at work, over all looks.
fn found(activity: &Activity) -> u64 {
    let at_work = activity.waits.iter().filter(|wait| wait.class != WaitClass::Idle);
    at_work.fold(0, |sum, wait| sum.saturating_add(wait.session_count))
}

/// Sessions at work.
pub(super) fn load(place: &Place<'_>, time: Option<DatabaseTime>, not_known: &mut Vec<NotKnown>) -> SessionLoad {
    let (run, window) = (place.run, place.run.window_ns);
    let activity = run.activity.as_ref();
    let looked = activity.filter(|activity| activity.sample_count > 0);
    let timed = time.filter(|time| time.method == ActivityMethod::Timed);
    let sampled = looked.map(|activity| sampled_ns(activity, window, |_| true));
    if looked.is_none() {
        let reason = match activity {
            Some(_) => "the run was over before the first look",
            None if place.is_embedded() => "an engine in this process has no list of its sessions",
            None => "nobody looked at the sessions, or the engine does not tell",
        };
        not_known.push(NotKnown { what: "sampled sessions", reason: reason.to_owned() });
    }
    if timed.is_none() {
        let reason = match time.map(|time| time.method) {
            Some(ActivityMethod::Called) => "the calls of the engine, timed by dbdyno, stand for it",
            Some(_) => "the engine does not time it as it is set; what was sampled stands for it",
            None => "the engine does not time it as it is set",
        };
        not_known.push(NotKnown { what: "database time by the engine", reason: reason.to_owned() });
    }
    SessionLoad {
        average: time.and_then(|time| share(time.total_ns, window.0 as f64)),
        sampled: sampled.and_then(|sampled| share(sampled, window.0 as f64)),
        processors: (place.location != Some(record::Location::Remote) && place.processors > 0)
            .then_some(place.processors),
        coverage: sampled.zip(timed).and_then(|(sampled, time)| share(sampled, time.total_ns)).map(Ratio),
        found: looked.map(found),
        sample_count: activity.map(|activity| activity.sample_count),
        period_ns: looked.map(period),
        cost_ns: activity.map(|activity| activity.cost_ns),
    }
}
