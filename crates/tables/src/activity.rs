//! Database activity: one row for each figure of each run with an engine.

use model::{ActivityFigure, DatabaseActivity, FigureName, HistogramSubject, NoSource};
use record::{MeasuringPoint, Record, Run};

use crate::column::{Column, Kind, Part, Row, degree, identity, parts};

/// A figure of a run.
pub type ActivityRow<'a> = Part<'a, ActivityFigure>;

/// The figures of each run of `record` that is not invalid.
pub fn rows(record: &Record) -> impl Iterator<Item = ActivityRow<'_>> {
    let of_run = |run| model::own_activity(record, run).map(|activity| model::activity_figures(&activity));
    parts(record, move |run| of_run(run).unwrap_or_default()).filter(|row| !row.is_invalid())
}

/// The figures of `activity` of `run` of `record`.
pub fn rows_of<'a>(
    record: &'a Record,
    run: &'a Run,
    activity: &DatabaseActivity,
) -> impl Iterator<Item = ActivityRow<'a>> + use<'a> {
    let of_run = move |of| Part::new(record, run, of);
    model::activity_figures(activity).into_iter().map(of_run)
}

type Figure<'a> = Column<ActivityRow<'a>>;

/// The figure and its value.
pub fn columns<'a>() -> Vec<Column<ActivityRow<'a>>> {
    let mut columns = identity();
    columns.extend([
        Figure::fact("section", Kind::Text, |of| of.of.section.word().into()),
        Figure::fact("name", Kind::Text, |of| name(&of.of.name).into()),
        Figure::fact("figure", Kind::Text, |of| of.of.figure.into()),
        Figure::fact("class", Kind::Text, |of| of.of.class.into()),
        Figure::fact("method", Kind::Text, |of| of.of.method.into()),
        Figure::fact("below_us", Kind::Count, |of| of.of.below_us.into()),
        Figure::fact("value", Kind::Number, |of| of.of.value.into()),
        Figure::fact("unit", Kind::Text, |of| of.of.value.map(|_| of.of.unit.word()).into()),
        Figure::fact("per_second", Kind::PerSecond, |of| of.of.per_second.into()),
        Figure::fact("per_transaction", Kind::Number, |of| of.of.per_transaction.into()),
        Figure::fact("share", Kind::Ratio, |of| of.of.share.into()),
        Figure::fact("reason", Kind::Text, |of| of.of.reason.as_ref().map(reason).into()),
    ]);
    columns.extend(degree());
    columns
}

fn name(name: &FigureName) -> String {
    match name {
        FigureName::Name(name) => name.clone(),
        FigureName::Histogram(subject) => histogram_title(subject),
    }
}

/// The title of a histogram.
pub fn histogram_title(subject: &HistogramSubject) -> String {
    match subject {
        HistogramSubject::Step => "client service time of a step".to_owned(),
        HistogramSubject::Wait { event } => format!("wait: {event}"),
        HistogramSubject::Traced { run, point, name } => {
            let run = run.map(|run| format!("run {run}, ")).unwrap_or_default();
            let point = match point {
                MeasuringPoint::ClientResponse => "client response",
                MeasuringPoint::ClientService => "client service",
                MeasuringPoint::DatabaseTime => "database time",
                MeasuringPoint::Wait => "wait",
                MeasuringPoint::SystemCall => "system call",
                MeasuringPoint::Block => "block layer",
                MeasuringPoint::Device => "device",
            };
            format!("{run}{point}: {name}")
        }
    }
}

/// Why a figure has no source, as a clause.
pub fn reason(reason: &NoSource) -> String {
    let reason = match reason {
        NoSource::NotCounted => "the engine does not count it",
        NoSource::EventsNotCounted => "the engine does not count them",
        NoSource::NotTimed { is_sampled: false } => "the engine does not time it with its current settings",
        NoSource::NotTimed { is_sampled: true } => {
            "the engine does not time it with its current settings; samples are used instead"
        }
        NoSource::CallsTimed => "the time of its calls, measured by dbdyno, is used instead",
        NoSource::WaitsNotTimed => {
            "the engine times no waits with its current settings, and its sessions were not sampled"
        }
        NoSource::CoarseClock { event, is_sampled } => {
            let consequence = if *is_sampled { "samples are used instead" } else { "the time is too low" };
            return format!("{event}: it counts milliseconds, and most of these waits are shorter; {consequence}");
        }
        NoSource::WaitsExceedDatabaseTime => {
            "the known waits exceed database time: waits of background processes are among them"
        }
        NoSource::CountedWithUntimed { kind } => {
            return format!(
                "{kind}: the engine counts requests that it times together with requests that it does not time"
            );
        }
        NoSource::NoSample => "the run ended before the first sample",
        NoSource::NoSessionList => "an embedded engine has no list of its sessions",
        NoSource::NotSampled => "sessions were not sampled, or the engine does not list them",
        NoSource::OtherHost => "its processes are not on this host",
        NoSource::NoTransaction => "there was none",
        NoSource::NoRows => "the test returns none",
    };
    reason.to_owned()
}
