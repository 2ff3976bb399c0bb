//! Gauges: one row for each in each run, and one for each of their readings.

use model::{GaugeFigures, gauge_figures};
use record::{GaugeReading, GaugeRun, Record};

use crate::column::{Column, Kind, Part, identity, invalid, parts};

/// A gauge of a run.
pub type GaugeRow<'a> = Part<'a, &'a GaugeRun>;

/// The gauges of each run of `record`.
pub fn rows(record: &Record) -> impl Iterator<Item = GaugeRow<'_>> {
    parts(record, |run| run.gauges.iter())
}

/// What its readings say.
pub fn columns<'a>() -> Vec<Column<GaugeRow<'a>>> {
    type Figure<'a> = Column<GaugeRow<'a>>;
    fn figure(of: &GaugeRow<'_>, figure: fn(&GaugeFigures) -> f64) -> Option<f64> {
        gauge_figures(of.of).as_ref().map(figure)
    }
    let mut columns = identity();
    columns.extend([
        Figure::fact("jobs", Kind::Count, |of| of.run.dop.jobs.into()).head("#J"),
        Figure::fact("gauge", Kind::Text, |of| of.of.name.as_str().into()),
        Figure::fact("readings", Kind::Count, |of| (of.of.readings.len() as u64).into()),
        Figure::fact("refusal", Kind::Text, |of| of.of.refusal.as_deref().into()),
        invalid(),
        Figure::result("first", Kind::Amount, |of| figure(of, |figures| figures.first).into()),
        Figure::result("min", Kind::Amount, |of| figure(of, |figures| figures.min).into()),
        Figure::result("mean", Kind::Amount, |of| figure(of, |figures| figures.mean).into()),
        Figure::result("max", Kind::Amount, |of| figure(of, |figures| figures.max).into()),
        Figure::result("last", Kind::Amount, |of| figure(of, |figures| figures.last).into()),
    ]);
    columns
}

/// A reading of a gauge of a run.
pub type ReadingRow<'a> = Part<'a, (&'a GaugeRun, &'a GaugeReading)>;

/// The readings of each gauge of each run of `record`.
pub fn reading_rows(record: &Record) -> impl Iterator<Item = ReadingRow<'_>> {
    parts(record, |run| run.gauges.iter().flat_map(|of| of.readings.iter().map(move |reading| (of, reading))))
}

/// When it was read, and what it was.
pub fn reading_columns<'a>() -> Vec<Column<ReadingRow<'a>>> {
    type Figure<'a> = Column<ReadingRow<'a>>;
    let mut columns = identity();
    columns.extend([
        Figure::fact("gauge", Kind::Text, |of| of.of.0.name.as_str().into()),
        Figure::fact("at_ns", Kind::Nanoseconds, |of| of.of.1.at_ns.into()),
        Figure::fact("value", Kind::Amount, |of| of.of.1.value.into()),
    ]);
    columns
}
