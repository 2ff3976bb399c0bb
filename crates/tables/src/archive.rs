//! A list of records and published systems: one row for each.

use model::archive::{ARCHIVE_TESTS, ArchiveEntry, ArchiveOrigin};

use crate::column::{Column, Kind, Row};
use crate::value::Value;

/// A line of the list.
#[derive(Clone, Copy)]
pub struct ArchiveRow<'a> {
    /// What it is of.
    pub entry: &'a ArchiveEntry,
    /// The tags that somebody gave it.
    pub tags: &'a [String],
}

impl Row for ArchiveRow<'_> {}

type Figure<'a> = Column<ArchiveRow<'a>>;

/// Key, heading and unit of the figure of each of [`ARCHIVE_TESTS`], in their order, and the key of its verdict.
pub const ARCHIVE_FIGURES: [(&str, &str, &str, &str); ARCHIVE_TESTS.len()] = [
    ("c11_per_second", "C11 processor", "op/s", "c11_verdict"),
    ("s22_per_second", "S22 device reads", "IOPS", "s22_verdict"),
    ("t611_per_second", "T611 by key", "stmt/s", "t611_verdict"),
    ("t616_per_second", "T616 select", "tx/s", "t616_verdict"),
    ("t311_per_second", "T311 insert", "tx/s", "t311_verdict"),
    ("t426_per_second", "T426 scan", "row/s", "t426_verdict"),
];

/// The figure of the test at `PLACE` of the list, and its verdict.
fn figure<'a, const PLACE: usize>() -> [Figure<'a>; 2] {
    let (key, group, unit, verdict) = ARCHIVE_FIGURES[PLACE];
    let rate =
        Figure::fact(key, Kind::PerSecond, |of| of.entry.figures[PLACE].and_then(|figure| figure.per_second).into());
    let verdict = Figure::fact(verdict, Kind::Text, |of| {
        of.entry.figures[PLACE].and_then(|figure| figure.verdict).map_or(Value::Absent, Value::word)
    });
    [rate.under(group, unit), verdict.under(group, "verdict")]
}

/// When and where it was measured, its six figures with their verdicts, and the rest of what is known of it.
pub fn columns<'a>() -> Vec<Figure<'a>> {
    let about = [
        Figure::fact("started_at", Kind::Text, |of| match &of.entry.origin {
            ArchiveOrigin::Measured { started_at, .. } => (&started_at.0).into(),
            ArchiveOrigin::Published { year } => format!("published {year}").into(),
        }),
        Figure::fact("record", Kind::Text, |of| (&of.entry.name).into()),
        Figure::fact("host", Kind::Text, |of| (&of.entry.host).into()),
        Figure::fact("engine", Kind::Text, |of| (&of.entry.engine).into()),
        Figure::fact("preset", Kind::Text, |of| match of.entry.origin {
            ArchiveOrigin::Measured { preset, .. } => Value::word(preset),
            ArchiveOrigin::Published { .. } => Value::Absent,
        }),
    ];
    let figures = [figure::<0>(), figure::<1>(), figure::<2>(), figure::<3>(), figure::<4>(), figure::<5>()];
    let last = [
        Figure::fact("target", Kind::Text, |of| (&of.entry.target).into()),
        Figure::fact("status", Kind::Text, |of| match of.entry.origin {
            ArchiveOrigin::Measured { status, .. } => Value::word(status),
            ArchiveOrigin::Published { .. } => "published".into(),
        }),
        Figure::fact("agents", Kind::Count, |of| match of.entry.origin {
            ArchiveOrigin::Measured { agents, .. } => agents.into(),
            ArchiveOrigin::Published { .. } => Value::Absent,
        }),
        Figure::fact("tags", Kind::Text, |of| of.tags.join(", ").into()),
        Figure::fact("tests", Kind::Text, |of| of.entry.tests.join(" ").into()),
    ];
    about.into_iter().chain(figures.into_iter().flatten()).chain(last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_figure_is_named_by_its_test() {
        for (test, (key, heading, _, verdict)) in ARCHIVE_TESTS.into_iter().zip(ARCHIVE_FIGURES) {
            let code = test.to_lowercase();
            assert!(key.starts_with(&code) && verdict.starts_with(&code) && heading.starts_with(test), "{test}");
        }
    }
}
