//! What the database did during one run, in the order in which an administrator reads it: how much of everything per
//! second and per transaction, where the time of its sessions went, what it read and wrote, and how its times are
//! distributed.
//!
//! Words and formulas are those of the workload reports that most of them know. Database time is the time that sessions
//! of users were at work for a statement, all together, on a processor or waiting for anything but their client. Database
//! time over elapsed time is the average number of active sessions. What an event took is told as a share of database
//! time, and never as a share of the samples: what the samples missed would be lost in it. What has no source says so and
//! is not 0.

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
pub use figures::{ActivityFigure, ActivitySection, FigureUnit, activity_figures};
pub use histogram::{MicroBucket, MicroHistogram, micro_buckets};
pub use io::{Checkpoints, IoLine, IoObserver, LogActivity};
pub use profile::{ProfileLine, ProfileUnit};
pub use sessions::{SampleCalibration, SessionLoad};

/// How a figure came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActivityMethod {
    /// The engine timed each and added up.
    Timed,
    /// Sessions were looked at now and then: an estimate.
    Sampled {
        /// Between two looks, on average.
        period_ns: Nanos,
    },
    /// The calls of an engine in the same process, timed by who makes them.
    Called,
    /// What is left of database time when all waits that are known are taken off.
    Rest,
}

/// Database time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DatabaseTime {
    /// Of all sessions together, nanoseconds; without what the looks of dbdyno took.
    pub total_ns: f64,
    /// Where it is from.
    pub method: ActivityMethod,
}

/// Time that went into one thing.
#[derive(Clone, Debug, PartialEq)]
pub struct EventLine {
    /// What the engine calls it.
    pub event: String,
    /// Its class.
    pub class: WaitClass,
    /// How it came about.
    pub method: ActivityMethod,
    /// How often; absent where nobody counted.
    pub count: Option<u64>,
    /// All together, nanoseconds.
    pub total_ns: f64,
    /// Over the count.
    pub mean_ns: Option<f64>,
    /// Of database time; above 1 where the engine's own processes are among those that waited. Absent of what they wait
    /// for alone, and where database time is not known.
    pub of_database_time: Option<Ratio>,
}

/// Time that went into one class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassLine {
    /// Which one.
    pub class: WaitClass,
    /// All its events, nanoseconds.
    pub total_ns: f64,
    /// Of database time.
    pub of_database_time: Option<Ratio>,
    /// Sessions in it, on average.
    pub average_sessions: Option<f64>,
}

/// Something that is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotKnown {
    /// What.
    pub what: &'static str,
    /// Why, as a clause.
    pub reason: String,
}

/// What the database did during one run.
#[derive(Clone, Debug, PartialEq)]
pub struct DatabaseActivity {
    /// The window.
    pub elapsed_ns: Nanos,
    /// Transactions that were committed or rolled back in it, by which figures per transaction are reckoned; absent where
    /// there was none.
    pub transactions: Option<u64>,
    /// Database time.
    pub database_time: Option<DatabaseTime>,
    /// Sessions at work.
    pub sessions: SessionLoad,
    /// So much of everything.
    pub profile: Vec<ProfileLine>,
    /// Where database time went, the most first.
    pub events: Vec<EventLine>,
    /// What the engine's own processes waited for, and what all threads together did, the most first: no part of
    /// database time.
    pub background: Vec<EventLine>,
    /// Events by class, the most first.
    pub classes: Vec<ClassLine>,
    /// Samples held against what the engine timed.
    pub calibrations: Vec<SampleCalibration>,
    /// What was read and written, by kind.
    pub io: Vec<IoLine>,
    /// The log.
    pub log: LogActivity,
    /// Checkpoints that ended in the window; absent where they are not counted.
    pub checkpoints: Option<Checkpoints>,
    /// Distributions of times.
    pub histograms: Vec<MicroHistogram>,
    /// What has no source.
    pub not_known: Vec<NotKnown>,
}

/// What is known beside a run.
#[derive(Clone, Copy, Debug)]
struct Place<'a> {
    run: &'a Run,
    /// What the names of the engine's own counters begin with.
    engine: Option<&'a str>,
    /// Where the engine is.
    location: Option<Location>,
    /// Processors of this host that may be used.
    processors: u32,
}

impl Place<'_> {
    fn is_embedded(&self) -> bool {
        self.location == Some(Location::InProcess)
    }

    /// The rise of the first of these counters that is there, by a common name or by one of the engine's own.
    fn first_of(&self, names: &[&str]) -> Option<u64> {
        let own = |name: &str| delta(self.run, &self.own_name(name)?);
        names.iter().find_map(|name| delta(self.run, name).or_else(|| own(name)))
    }

    /// How the engine's own counter of this name is called.
    fn own_name(&self, name: &str) -> Option<String> {
        Some(format!("{}_{name}", self.engine?))
    }
}

/// What the database did during `run` of `record`, with the distributions that a traced repeat of it has. None for a run
/// in which no engine takes part, and of one that broke off before its window.
pub fn database_activity(record: &Record, run: &Run) -> Option<DatabaseActivity> {
    has_activity(run).then(|| told(record, run, traced_repeat(record, run)))
}

/// The same without what a traced repeat of the run has: that is told with the repeat, where all runs are told.
pub fn own_activity(record: &Record, run: &Run) -> Option<DatabaseActivity> {
    has_activity(run).then(|| told(record, run, None))
}

fn told(record: &Record, run: &Run, repeats: Option<&Run>) -> DatabaseActivity {
    let place = Place {
        run,
        engine: record.engine.as_ref().map(|engine| engine.name.as_str()),
        location: record.engine.as_ref().map(|engine| engine.location),
        processors: record.host.cpu.threads,
    };
    let mut not_known = Vec::new();
    let database_time = event::database_time(&place);
    let transactions = profile::transactions(&place);
    let events = event::events(&place, database_time, &mut not_known);
    DatabaseActivity {
        elapsed_ns: run.window_ns,
        transactions,
        database_time,
        sessions: sessions::load(&place, database_time, &mut not_known),
        profile: profile::profile(&place, database_time, transactions),
        classes: event::classes(&events.foreground, database_time, run.window_ns),
        events: events.foreground,
        background: events.background,
        calibrations: events.calibrations,
        io: io::lines(&place, &mut not_known),
        log: io::log(run, transactions),
        checkpoints: io::checkpoints(run, &mut not_known),
        histograms: histogram::histograms(run, repeats),
        not_known,
    }
}

/// The run that repeats `run` while the kernel's events are traced.
fn traced_repeat<'a>(record: &'a Record, run: &Run) -> Option<&'a Run> {
    let is_it =
        |other: &&Run| other.variation == Some(Variation::Traced) && (&other.test, other.dop) == (&run.test, run.dop);
    record.runs.iter().filter(|_| run.variation.is_none() && run.trace.is_none()).find(is_it)
}

/// Whether an engine took part in `run`, and there was a window.
fn has_activity(run: &Run) -> bool {
    run.storage.is_none() && !run.kind.is_probe() && run.window_ns.0 > 0
}

/// What the looks of dbdyno took, nanoseconds: their sessions are in what an engine counts for all sessions.
fn looks_ns(run: &Run) -> f64 {
    run.activity.as_ref().map_or(0.0, |activity| activity.cost_ns.0 as f64)
}

/// Whether the processor time of dbdyno is that of the engine, too.
fn cpu_counter(place: &Place<'_>) -> &'static str {
    if place.is_embedded() { name::CLIENT_CPU_NS } else { name::SERVER_CPU_NS }
}
