//! Points of two systems at equal degrees of parallelism.

use model::{ComparisonOutcome, PointFigures};
use record::Sweep;
use tables::comparison::{self, ComparedTestRow};

use super::ComparisonView;
use super::sentence::{reasons_text, verdict_reason_text, warning_text};
use super::words::{at, change, ends, evidence, letter};
use crate::document::Cell;
use crate::figure::UNKNOWN;
use crate::view::View;

/// The columns of a point that are shown.
const SHOWN: [&str; 8] =
    ["test", "base_at", "base_per_second", "letter", "per_second", "ratio", "ratio_low", "service_p9*_ratio"];

/// The comparison as comma-separated values (RFC 4180, UTF-8) with a header line, every figure exact: for each
/// test and system a line `best` with the verdict, and a line `point` without one for each equal degree of parallelism.
pub fn comparison_csv(view: &ComparisonView<'_>) -> String {
    words().csv(comparison::rows(view.systems, view.comparison))
}

/// The columns, with those of text.
fn words<'a>() -> View<ComparedTestRow<'a>> {
    View::of(comparison::columns())
        .words("base_at", ("", "at"), |of| degree(of, 0, |point| &point.base))
        .words("at", ("", "at"), |of| degree(of, of.index, |point| &point.other))
        .words("evidence", ("", "evidence"), |of| {
            let shift = of.point.filter(|_| !tables::Row::is_invalid(of)).map(|point| &point.shift);
            Cell::text(shift.map(|shift| evidence(shift.evidence)).unwrap_or_default())
        })
        .words("reason", ("", "reason"), |of| {
            Cell::text(match &of.compared_test.outcome {
                ComparisonOutcome::Judged { reason, .. } if of.is_best => verdict_reason_text(reason),
                ComparisonOutcome::Incomparable { reasons } if of.is_best => reasons_text(reasons),
                _ => String::new(),
            })
        })
        .words("doubt", ("", "doubt"), |of| {
            let warning = of.compared_test.warning.as_ref().filter(|_| of.is_best);
            Cell::text(warning.map(warning_text).unwrap_or_default())
        })
}

/// The degree of parallelism of a side.
fn degree(of: &ComparedTestRow<'_>, index: usize, side: fn(&model::ComparedPoint) -> &PointFigures) -> Cell {
    let tests = of.systems.get(index).map(|system| &system.tests);
    let test = tests.and_then(|tests| tests.iter().find(|test| test.code == of.test.code));
    let sweep = test.map_or(Sweep::Jobs, |test| test.sweep);
    Cell::text(of.point.map(|point| at(side(point), sweep)).unwrap_or_default())
}

/// The valid points, without the headlines.
pub(super) fn points<'a>(view: &'a ComparisonView<'a>) -> impl Iterator<Item = ComparedTestRow<'a>> {
    comparison::rows(view.systems, view.comparison).filter(|of| !of.is_best && !tables::Row::is_invalid(of))
}

/// The columns as they are shown.
pub(super) fn view<'a>() -> View<ComparedTestRow<'a>> {
    words()
        .words("letter", ("", "system"), |of| Cell::text(letter(of.index)))
        .figure("ratio", ("", "change"), |of| ratio(of.point.map(|point| point.shift.ratio)))
        .words("ratio_low", ("", "95 % interval"), |of| {
            let interval = of.point.and_then(|point| point.shift.interval);
            Cell::Figure(interval.map_or_else(String::new, ends), interval.map(|interval| interval.low))
        })
        .figure("service_p99_ratio", ("", "p99"), |of| ratio(of.service_ratio("p99")))
        .figure("service_p999_ratio", ("", "p99.9"), |of| ratio(of.service_ratio("p999")))
        .only(&SHOWN)
}

fn ratio(ratio: Option<f64>) -> Cell {
    Cell::Figure(ratio.map_or_else(|| UNKNOWN.to_owned(), change), ratio)
}
