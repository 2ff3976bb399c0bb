//! Roles of a load in kind: one row for each in each run of it, with what was asked and what was reached.

use model::{PredictedTimes, PredictionVerdict};
use record::{ExpectedPoint, Nanos, Rate, Record};

use crate::column::{Column, Kind, Part, identity, invalid, latency, parts};
use crate::run::failures;
use crate::value::Value;

/// A role of a load in kind in a run.
pub type InKindRow<'a> = Part<'a, PredictedTimes<'a>>;

/// The roles of each run of the load in kind of `record`.
pub fn rows(record: &Record) -> impl Iterator<Item = InKindRow<'_>> {
    parts(record, |run| match model::is_in_kind(record, run) {
        true => model::predicted_times(record, run),
        false => Vec::new(),
    })
}

/// The times that are predicted by the highest rate that was measured for it, which is no less than the one that is asked.
fn above<'a>(of: &'a InKindRow<'_>) -> Option<&'a ExpectedPoint> {
    let expected = of.of.expected.as_ref()?;
    expected.points.last().filter(|point| point.per_second >= expected.per_second)
}

fn predicted(of: &InKindRow<'_>, time: fn(&ExpectedPoint) -> Option<Nanos>) -> Value<'static> {
    above(of).and_then(time).into()
}

fn verdict(of: PredictionVerdict) -> &'static str {
    match of {
        PredictionVerdict::NotMeasured => "not_measured",
        PredictionVerdict::Beyond => "beyond",
        PredictionVerdict::NoTime => "no_time",
        PredictionVerdict::Within => "within",
        PredictionVerdict::Shorter => "shorter",
        PredictionVerdict::Longer => "longer",
    }
}

/// What was asked, then what was reached.
pub fn columns<'a>() -> Vec<Column<InKindRow<'a>>> {
    type Figure<'a> = Column<InKindRow<'a>>;
    let mut columns = identity();
    columns.extend([
        Figure::fact("jobs", Kind::Count, |of| of.run.dop.jobs.into()).head("#J"),
        Figure::fact("role", Kind::Text, |of| of.of.figures.role.step.name().into()),
        Figure::fact("role_jobs", Kind::Count, |of| of.of.figures.role.jobs.into()).head("role\n#J"),
        Figure::fact("quantity", Kind::Text, |of| Value::word(of.of.figures.role.quantity)),
        Figure::fact("quantity_per_second", Kind::PerSecond, |of| Rate(of.of.figures.role.asked_per_second).into())
            .head("load\nasks"),
        Figure::fact("asked_steps_per_second", Kind::PerSecond, |of| of.of.figures.asked.into()).head("asked\nsteps/s"),
        Figure::fact("steps", Kind::Count, |of| of.of.figures.of.totals.steps.into()),
        Figure::fact("failures", Kind::Count, |of| failures(&of.of.figures.of.totals)),
        Figure::fact("unfinished", Kind::Count, |of| of.of.figures.of.totals.unfinished.into()),
        Figure::fact("reached_steps_per_second", Kind::PerSecond, |of| of.of.figures.reached.into())
            .head("reached\nsteps/s"),
        Figure::fact("reached_ratio", Kind::Ratio, |of| of.of.figures.share.into()).head("% of\nasked"),
        Figure::fact("predicted_by", Kind::Text, |of| {
            of.of.expected.as_ref().map(|expected| expected.test.as_str()).into()
        }),
        Figure::fact("predicted_at_per_second", Kind::PerSecond, |of| {
            above(of).map(|point| Rate(point.per_second)).into()
        }),
        Figure::fact("predicted_ns_p50", Kind::Nanoseconds, |of| predicted(of, |point| Some(point.p50_ns))),
        Figure::fact("predicted_ns_p99", Kind::Nanoseconds, |of| predicted(of, |point| point.p99_ns)),
        Figure::fact("prediction", Kind::Text, |of| verdict(of.of.verdict).into()),
        invalid(),
    ]);
    columns.extend(latency!(Figure, "service", |of| &of.of.figures.of.service));
    columns.extend(latency!(Figure, "response", |of| &of.of.figures.of.response));
    columns
}
