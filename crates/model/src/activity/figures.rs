//! The activity of a run as figures, one by one, for spreadsheets and other programs.

use record::{Ratio, WaitClass};

use super::{
    ActivityMethod, DatabaseActivity, EventLine, HistogramSubject, IoLine, IoObserver, MicroHistogram, NoSource,
    ProfileUnit, profile,
};
use crate::delta::share;
use crate::rules::RULES;

/// The section of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActivitySection {
    /// Active sessions, and how they were sampled.
    Sessions,
    /// Load profile.
    LoadProfile,
    /// A part of database time.
    Event,
    /// Waits of background processes, or of all threads together.
    OtherWait,
    /// All events of a class.
    WaitClass,
    /// Samples compared with the times of the engine.
    Sample,
    /// I/O.
    Io,
    /// Log activity.
    Log,
    /// Checkpoints that ended in the window.
    Checkpoint,
    /// Histograms of times.
    Histogram,
    /// Figures without a source.
    NotKnown,
}

impl ActivitySection {
    /// Its name in exports.
    pub fn word(self) -> &'static str {
        match self {
            ActivitySection::Sessions => "sessions",
            ActivitySection::LoadProfile => "load_profile",
            ActivitySection::Event => "event",
            ActivitySection::OtherWait => "other_wait",
            ActivitySection::WaitClass => "wait_class",
            ActivitySection::Sample => "sample",
            ActivitySection::Io => "io",
            ActivitySection::Log => "log",
            ActivitySection::Checkpoint => "checkpoint",
            ActivitySection::Histogram => "histogram",
            ActivitySection::NotKnown => "not_known",
        }
    }
}

/// The unit of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureUnit {
    /// Nanoseconds.
    Nanos,
    /// Bytes.
    Bytes,
    /// A count.
    Count,
    /// A ratio.
    Ratio,
}

impl FigureUnit {
    /// Its name in exports.
    pub fn word(self) -> &'static str {
        match self {
            FigureUnit::Nanos => "ns",
            FigureUnit::Bytes => "bytes",
            FigureUnit::Count => "count",
            FigureUnit::Ratio => "ratio",
        }
    }
}

/// The name of a figure in its section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FigureName {
    /// The event, the line of the load profile, or the kind of I/O.
    Name(String),
    /// What is distributed.
    Histogram(HistogramSubject),
}

/// One figure of the activity of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct ActivityFigure {
    /// The section.
    pub section: ActivitySection,
    /// Its name in the section.
    pub name: FigureName,
    /// The figure: `time`, `waits`, `mean time`; `total` for a line of the load profile.
    pub figure: &'static str,
    /// The class of a wait, as a record spells it.
    pub class: Option<&'static str>,
    /// The method of measurement, where it may differ: `timed`, `sampled`, `called` (calls timed by dbdyno), `rest`
    /// (the remainder of database time).
    pub method: Option<&'static str>,
    /// Upper bound of a histogram bucket in microseconds; the lower bound is half of it. Absent for the last one.
    pub below_us: Option<u64>,
    /// The value over the window; absent without a source.
    pub value: Option<f64>,
    /// The unit.
    pub unit: FigureUnit,
    /// Per second of the window, for additive figures.
    pub per_second: Option<f64>,
    /// Per transaction, for additive figures; absent without transactions.
    pub per_transaction: Option<f64>,
    /// Share of database time; for a bucket, share of all times of its histogram.
    pub share: Option<Ratio>,
    /// The reason why there is no value.
    pub reason: Option<NoSource>,
}

impl ActivityFigure {
    fn new(section: ActivitySection, name: &str, figure: &'static str, unit: FigureUnit, value: Option<f64>) -> Self {
        ActivityFigure {
            section,
            name: FigureName::Name(name.to_owned()),
            figure,
            class: None,
            method: None,
            below_us: None,
            value,
            unit,
            per_second: None,
            per_transaction: None,
            share: None,
            reason: None,
        }
    }

    /// Adds the figures per second and per transaction.
    fn additive(self, activity: &DatabaseActivity) -> Self {
        let over = |whole: f64| self.value.and_then(|value| share(value, whole));
        let (per_second, per_transaction) =
            (over(activity.elapsed_ns.seconds()), activity.transactions.and_then(|count| over(count as f64)));
        ActivityFigure { per_second, per_transaction, ..self }
    }
}

/// The name of a class in records.
fn class(class: WaitClass) -> &'static str {
    match class {
        WaitClass::Cpu => "cpu",
        WaitClass::UserIo => "user_io",
        WaitClass::Commit => "commit",
        WaitClass::Concurrency => "concurrency",
        WaitClass::Application => "application",
        WaitClass::Network => "network",
        WaitClass::Cluster => "cluster",
        WaitClass::SystemIo => "system_io",
        WaitClass::Other => "other",
        WaitClass::Idle => "idle",
    }
}

fn method(method: ActivityMethod) -> &'static str {
    match method {
        ActivityMethod::Timed => "timed",
        ActivityMethod::Sampled { .. } => "sampled",
        ActivityMethod::Called => "called",
        ActivityMethod::Rest => "rest",
    }
}

/// All figures of `activity`, in the order of its views; those with neither a value nor a reason are left out.
pub fn activity_figures(activity: &DatabaseActivity) -> Vec<ActivityFigure> {
    let mut figures = sessions(activity);
    figures.extend(load_profile(activity));
    figures.extend(activity.events.iter().flat_map(|line| event(activity, ActivitySection::Event, line)));
    figures.extend(activity.background.iter().flat_map(|line| event(activity, ActivitySection::OtherWait, line)));
    figures.extend(classes(activity));
    figures.extend(samples(activity));
    figures.extend(activity.io.iter().flat_map(|line| io(activity, line)));
    figures.extend(log(activity));
    figures.extend(checkpoints(activity));
    figures.extend(activity.histograms.iter().flat_map(histogram));
    figures.retain(|figure| figure.value.is_some() || figure.reason.is_some());
    figures.extend(activity.not_known.iter().map(|unknown| ActivityFigure {
        reason: Some(unknown.reason.clone()),
        ..ActivityFigure::new(ActivitySection::NotKnown, unknown.what, "", FigureUnit::Count, None)
    }));
    figures
}

fn sessions(activity: &DatabaseActivity) -> Vec<ActivityFigure> {
    let load = &activity.sessions;
    let count = |value: Option<u64>| value.map(|value| value as f64);
    let sampled = load.sampled.map(|_| "sampled");
    let of =
        |name: &str, figure, unit, value| ActivityFigure::new(ActivitySection::Sessions, name, figure, unit, value);
    let at_work =
        |figure, method, value| ActivityFigure { method, ..of("active sessions", figure, FigureUnit::Count, value) };
    vec![
        of("window", "elapsed", FigureUnit::Nanos, Some(activity.elapsed_ns.0 as f64)),
        of("processors", "of the host", FigureUnit::Count, load.processors.map(f64::from)),
        at_work("average", activity.database_time.map(|time| method(time.method)), load.average),
        at_work("sampled average", sampled, load.sampled),
        at_work("found in samples", sampled, count(load.found)),
        of("samples", "how many", FigureUnit::Count, count(load.sample_count)),
        of("samples", "period", FigureUnit::Nanos, load.period_ns.map(|period| period.0 as f64)),
        of("samples", "cost", FigureUnit::Nanos, load.cost_ns.map(|cost| cost.0 as f64)),
        of("samples", "coverage of database time", FigureUnit::Ratio, load.coverage.map(|coverage| coverage.0)),
    ]
}

fn load_profile(activity: &DatabaseActivity) -> impl Iterator<Item = ActivityFigure> {
    let of_database_time = activity.database_time.map(|time| method(time.method));
    activity.profile.iter().map(move |line| {
        let unit = match line.unit {
            ProfileUnit::Time => FigureUnit::Nanos,
            ProfileUnit::Bytes => FigureUnit::Bytes,
            ProfileUnit::Count => FigureUnit::Count,
        };
        ActivityFigure {
            method: of_database_time.filter(|_| line.name == profile::DATABASE_TIME),
            per_second: line.per_second,
            per_transaction: line.per_transaction,
            reason: line.reason.clone(),
            ..ActivityFigure::new(ActivitySection::LoadProfile, line.name, "total", unit, line.total)
        }
    })
}

/// Time, number and mean of an event.
fn event(activity: &DatabaseActivity, section: ActivitySection, line: &EventLine) -> [ActivityFigure; 3] {
    let of = |figure, unit, value| ActivityFigure {
        class: Some(class(line.class)),
        method: Some(method(line.method)),
        ..ActivityFigure::new(section, &line.event, figure, unit, value)
    };
    let time = of("time", FigureUnit::Nanos, Some(line.total_ns)).additive(activity);
    [
        ActivityFigure { share: line.of_database_time, ..time },
        of("waits", FigureUnit::Count, line.count.map(|count| count as f64)).additive(activity),
        of("mean time", FigureUnit::Nanos, line.mean_ns),
    ]
}

fn classes(activity: &DatabaseActivity) -> impl Iterator<Item = ActivityFigure> {
    activity.classes.iter().flat_map(|line| {
        let of = |figure, unit, value| ActivityFigure {
            class: Some(class(line.class)),
            ..ActivityFigure::new(ActivitySection::WaitClass, class(line.class), figure, unit, value)
        };
        let time = of("time", FigureUnit::Nanos, Some(line.total_ns)).additive(activity);
        [
            ActivityFigure { share: line.of_database_time, ..time },
            of("average sessions", FigureUnit::Count, line.average_sessions),
        ]
    })
}

fn samples(activity: &DatabaseActivity) -> impl Iterator<Item = ActivityFigure> {
    // A few samples give no factor.
    let is_enough = activity.sessions.found.is_some_and(|found| found >= RULES.attribution_samples_min);
    activity.calibrations.iter().flat_map(move |line| {
        let of = |figure, unit, value| ActivityFigure::new(ActivitySection::Sample, &line.event, figure, unit, value);
        [
            of("timed", FigureUnit::Nanos, Some(line.timed_ns)),
            of("sampled", FigureUnit::Nanos, Some(line.sampled_ns)),
            of("timed over sampled", FigureUnit::Ratio, line.factor.filter(|_| is_enough)),
        ]
    })
}

/// Requests, bytes and mean time of a kind of I/O.
fn io(activity: &DatabaseActivity, line: &IoLine) -> [ActivityFigure; 3] {
    let observer = match line.observer {
        IoObserver::Engine => "engine",
        IoObserver::Device => "device",
    };
    let name = format!("{observer} {}", line.kind);
    let of = |figure, unit, value| ActivityFigure::new(ActivitySection::Io, &name, figure, unit, value);
    [
        of("requests", FigureUnit::Count, line.count.map(|count| count as f64)).additive(activity),
        of("bytes", FigureUnit::Bytes, line.bytes.map(|bytes| bytes as f64)).additive(activity),
        of("mean time", FigureUnit::Nanos, line.mean_ns),
    ]
}

fn log(activity: &DatabaseActivity) -> [ActivityFigure; 4] {
    let log = &activity.log;
    let of = |figure, unit, value| ActivityFigure::new(ActivitySection::Log, "log", figure, unit, value);
    [
        of("bytes", FigureUnit::Bytes, log.bytes.map(|bytes| bytes as f64)).additive(activity),
        of("syncs", FigureUnit::Count, log.syncs.map(|syncs| syncs as f64)).additive(activity),
        of("bytes per sync", FigureUnit::Bytes, log.bytes_per_sync),
        of("commits per sync", FigureUnit::Count, log.commits_per_sync),
    ]
}

fn checkpoints(activity: &DatabaseActivity) -> impl Iterator<Item = ActivityFigure> {
    let of = |figure, value: u64| {
        ActivityFigure::new(ActivitySection::Checkpoint, "checkpoints", figure, FigureUnit::Count, Some(value as f64))
    };
    let found =
        activity.checkpoints.map(|found| [Some(of("how many", found.count)), found.blocks.map(|it| of("blocks", it))]);
    found.into_iter().flatten().flatten()
}

fn histogram(histogram: &MicroHistogram) -> impl Iterator<Item = ActivityFigure> {
    let all = histogram.count as f64;
    histogram.buckets.iter().map(move |bucket| ActivityFigure {
        method: Some(method(histogram.method)),
        name: FigureName::Histogram(histogram.subject.clone()),
        below_us: bucket.below_us,
        share: share(bucket.count as f64, all).map(Ratio),
        ..ActivityFigure::new(
            ActivitySection::Histogram,
            "",
            "times in the bucket",
            FigureUnit::Count,
            Some(bucket.count as f64),
        )
    })
}
