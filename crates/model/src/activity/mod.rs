//! Database activity during one run: load profile per second and per transaction, database time by event, I/O, and
//! histograms.
//!
//! Terms and formulas follow AWR and Statspack. Database time is the time of all foreground sessions on CPU or in waits
//! other than for the client. Database time over elapsed time is the average number of active sessions (AAS). The share
//! of an event is a share of database time, never of the samples, which would hide what the samples missed. A figure
//! without a source has a reason and is not 0.

mod choice;
mod class;
mod event;
mod figures;
mod histogram;
mod io;
mod profile;
mod sessions;
#[cfg(test)]
mod tests;

use record::{Location, Nanos, Ratio, Record, Run, Variation, WaitClass, name};

use crate::delta::delta;

pub use choice::{ActivityChoice, activity_runs};
pub use figures::{ActivityFigure, ActivitySection, FigureName, FigureUnit, activity_figures};
pub use histogram::{HistogramSubject, MicroBucket, MicroHistogram, micro_buckets};
pub use io::{Checkpoints, IoLine, IoObserver, LogActivity};
pub use profile::{ProfileLine, ProfileUnit};
pub use sessions::{SampleCalibration, SessionLoad};

/// The method of measurement of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActivityMethod {
    /// Timed by the engine, each one.
    Timed,
    /// Estimated from samples of sessions.
    Sampled {
        /// Mean time between two samples.
        period_ns: Nanos,
    },
    /// Calls of an embedded engine, timed by the caller.
    Called,
    /// Database time less all known waits.
    Rest,
}

/// Database time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DatabaseTime {
    /// Of all sessions, nanoseconds, without the cost of dbdyno's samples.
    pub total_ns: f64,
    /// The method of measurement.
    pub method: ActivityMethod,
}

/// Time in one event.
#[derive(Clone, Debug, PartialEq)]
pub struct EventLine {
    /// The name in the engine.
    pub event: String,
    /// The wait class.
    pub class: WaitClass,
    /// The method of measurement.
    pub method: ActivityMethod,
    /// Number of waits; absent where they are not counted.
    pub count: Option<u64>,
    /// Total time, nanoseconds.
    pub total_ns: f64,
    /// Total over count.
    pub mean_ns: Option<f64>,
    /// Share of database time; above 1 where background processes waited too. Absent for background waits, and where
    /// database time is not known.
    pub of_database_time: Option<Ratio>,
}

/// Time in one wait class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassLine {
    /// The class.
    pub class: WaitClass,
    /// Time of all its events, nanoseconds.
    pub total_ns: f64,
    /// Share of database time.
    pub of_database_time: Option<Ratio>,
    /// Mean number of sessions in it.
    pub average_sessions: Option<f64>,
}

/// A figure that has no source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotKnown {
    /// The figure.
    pub what: &'static str,
    /// The reason.
    pub reason: NoSource,
}

/// Why a figure has no source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoSource {
    /// The engine does not count it.
    NotCounted,
    /// The engine does not count these events.
    EventsNotCounted,
    /// The engine does not time it with its current settings.
    NotTimed {
        /// Whether samples are used instead.
        is_sampled: bool,
    },
    /// An embedded engine: the time of its calls is used instead.
    CallsTimed,
    /// The engine times no waits with its current settings, and its sessions were not sampled.
    WaitsNotTimed,
    /// The engine counts milliseconds, and most waits are shorter.
    CoarseClock {
        /// The event.
        event: String,
        /// Whether samples are used instead.
        is_sampled: bool,
    },
    /// The known waits exceed database time.
    WaitsExceedDatabaseTime,
    /// The engine counts requests that it times together with others.
    CountedWithUntimed {
        /// The kind of I/O.
        kind: &'static str,
    },
    /// The run ended before the first sample.
    NoSample,
    /// An embedded engine has no list of its sessions.
    NoSessionList,
    /// Sessions were not sampled, or the engine does not list them.
    NotSampled,
    /// The processes of the engine are on another host.
    OtherHost,
    /// There was no transaction.
    NoTransaction,
    /// The test returns no rows.
    NoRows,
}

/// Database activity during one run.
#[derive(Clone, Debug, PartialEq)]
pub struct DatabaseActivity {
    /// The window.
    pub elapsed_ns: Nanos,
    /// Transactions committed or rolled back, the divisor of figures per transaction; absent where there was none.
    pub transactions: Option<u64>,
    /// Database time.
    pub database_time: Option<DatabaseTime>,
    /// Active sessions.
    pub sessions: SessionLoad,
    /// Load profile.
    pub profile: Vec<ProfileLine>,
    /// Events of database time, largest first.
    pub events: Vec<EventLine>,
    /// Waits of background processes and of all threads together, largest first; not part of database time.
    pub background: Vec<EventLine>,
    /// Events by class, largest first.
    pub classes: Vec<ClassLine>,
    /// Samples compared with the times of the engine.
    pub calibrations: Vec<SampleCalibration>,
    /// I/O by kind.
    pub io: Vec<IoLine>,
    /// The log.
    pub log: LogActivity,
    /// Checkpoints that ended in the window; absent where they are not counted.
    pub checkpoints: Option<Checkpoints>,
    /// Distributions of times.
    pub histograms: Vec<MicroHistogram>,
    /// Figures without a source.
    pub not_known: Vec<NotKnown>,
}

/// A run with what is known of its engine and host.
#[derive(Clone, Copy, Debug)]
struct Context<'a> {
    run: &'a Run,
    /// The prefix of the engine's own counters.
    engine: Option<&'a str>,
    /// Location of the engine.
    location: Option<Location>,
    /// Usable processors of this host.
    processors: u32,
}

impl Context<'_> {
    fn is_embedded(&self) -> bool {
        self.location == Some(Location::InProcess)
    }

    /// The delta of the first of these counters that exists, by its common name or prefixed by the engine.
    fn first_of(&self, names: &[&str]) -> Option<u64> {
        let own = |name: &str| delta(self.run, &self.own_name(name)?);
        names.iter().find_map(|name| delta(self.run, name).or_else(|| own(name)))
    }

    /// The name of the engine's own counter `name`.
    fn own_name(&self, name: &str) -> Option<String> {
        Some(format!("{}_{name}", self.engine?))
    }
}

/// The activity of `run` of `record`, with the histograms of its traced repeat. None for a run without an engine, and
/// for one that was aborted before its window.
pub fn database_activity(record: &Record, run: &Run) -> Option<DatabaseActivity> {
    has_activity(run).then(|| activity_of(record, run, traced_repeat(record, run)))
}

/// The same without the histograms of the traced repeat.
pub fn own_activity(record: &Record, run: &Run) -> Option<DatabaseActivity> {
    has_activity(run).then(|| activity_of(record, run, None))
}

fn activity_of(record: &Record, run: &Run, repeats: Option<&Run>) -> DatabaseActivity {
    let context = Context {
        run,
        engine: record.engine.as_ref().map(|engine| engine.name.as_str()),
        location: record.engine.as_ref().map(|engine| engine.location),
        processors: record.host.cpu.threads,
    };
    let mut not_known = Vec::new();
    let database_time = event::database_time(&context);
    let transactions = profile::transactions(&context);
    let events = event::events(&context, database_time, &mut not_known);
    DatabaseActivity {
        elapsed_ns: run.window_ns,
        transactions,
        database_time,
        sessions: sessions::load(&context, database_time, &mut not_known),
        profile: profile::profile(&context, database_time, transactions),
        classes: event::classes(&events.foreground, database_time, run.window_ns),
        events: events.foreground,
        background: events.background,
        calibrations: events.calibrations,
        io: io::lines(&context, &mut not_known),
        log: io::log(run, transactions),
        checkpoints: io::checkpoints(run, &mut not_known),
        histograms: histogram::histograms(run, repeats),
        not_known,
    }
}

/// The traced repeat of `run`.
fn traced_repeat<'a>(record: &'a Record, run: &Run) -> Option<&'a Run> {
    let is_it =
        |other: &&Run| other.variation == Some(Variation::Traced) && (&other.test, other.dop) == (&run.test, run.dop);
    record.runs.iter().filter(|_| run.variation.is_none() && run.trace.is_none()).find(is_it)
}

/// Whether `run` used an engine and has a window.
fn has_activity(run: &Run) -> bool {
    run.storage.is_none() && !run.kind.is_probe() && run.window_ns.0 > 0
}

/// Time of dbdyno's samples, nanoseconds: engines count it with that of all sessions.
fn sampling_ns(run: &Run) -> f64 {
    run.activity.as_ref().map_or(0.0, |activity| activity.cost_ns.0 as f64)
}

/// The counter of the engine's CPU time; an embedded engine shares that of dbdyno.
fn cpu_counter(context: &Context<'_>) -> &'static str {
    if context.is_embedded() { name::CLIENT_CPU_NS } else { name::SERVER_CPU_NS }
}
