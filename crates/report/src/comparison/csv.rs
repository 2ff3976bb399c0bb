//! A comparison as lines of values, for a spreadsheet or a program.

use model::{Contest, PointContest, Standing, TestComparison};

use super::words::{at, doubt_text, reasons_text, sweep};
use super::{ComparisonView, contests_of, shift};
use crate::view::line;
use crate::words::unit;

const HEADS: [&str; 22] = [
    "base",
    "system",
    "test",
    "title",
    "unit",
    "what",
    "base_at",
    "at",
    "base_per_second",
    "per_second",
    "ratio",
    "ratio_low",
    "ratio_high",
    "evidence",
    "p_value",
    "superiority",
    "service_p99_ratio",
    "p_adjusted",
    "verdict",
    "more_pairs",
    "reason",
    "doubt",
];

/// The comparison as comma-separated values (RFC 4180, UTF-8) under one line of heads, every figure exact: for each
/// test and system a line `best` with the verdict, and a line `point` without one for each equal degree of parallelism.
pub fn comparison_csv(view: &ComparisonView<'_>) -> String {
    let mut text = String::new();
    line(&mut text, HEADS.into_iter());
    for test in &view.comparison.tests {
        for (index, contest) in contests_of(test) {
            let mut push = |what: &str, point: Option<&PointContest>, said: [String; 5]| {
                let cells = cells(view, test, index, what, point).into_iter().chain(said).collect::<Vec<_>>();
                line(&mut text, cells.iter().map(String::as_str));
            };
            push("best", contest.headline.as_ref(), said(contest));
            for point in &contest.points {
                push("point", Some(point), Default::default());
            }
        }
    }
    text
}

/// What is said of the contest: adjusted p-value, verdict, more pairs, reason, doubt.
fn said(contest: &Contest) -> [String; 5] {
    let word = contest.standing.word().to_owned();
    let doubt = contest.doubt.as_ref().map(doubt_text).unwrap_or_default();
    let [chance, pairs, reason] = match &contest.standing {
        Standing::Judged { p_adjusted, more_pairs, reason, .. } => [
            p_adjusted.map(exact).unwrap_or_default(),
            more_pairs.map(|pairs| pairs.to_string()).unwrap_or_default(),
            reason.clone(),
        ],
        Standing::Unjudged => Default::default(),
        Standing::Incomparable { reasons } => [String::new(), String::new(), reasons_text(reasons)],
    };
    [chance, word, pairs, reason, doubt]
}

/// Everything of a line that the standing does not say.
fn cells(
    view: &ComparisonView<'_>,
    test: &TestComparison,
    index: usize,
    what: &str,
    point: Option<&PointContest>,
) -> Vec<String> {
    let name = |index: usize| view.comparison.systems.get(index).cloned().unwrap_or_default();
    let is_comparable = |index: usize| {
        test.contests.get(index).and_then(Option::as_ref).is_some_and(|contest| shift(contest).is_some())
    };
    let shift = point.filter(|_| is_comparable(index)).map(|point| &point.shift);
    let interval = shift.and_then(|shift| shift.interval);
    let of = |value: Option<f64>| value.map(exact).unwrap_or_default();
    vec![
        name(0),
        name(index),
        test.code.clone(),
        test.title.clone(),
        unit(test.unit).to_owned(),
        what.to_owned(),
        point.map(|point| at(&point.base, sweep(view, 0, &test.code))).unwrap_or_default(),
        point.map(|point| at(&point.other, sweep(view, index, &test.code))).unwrap_or_default(),
        of(point.map(|point| point.base.rate.0)),
        of(point.map(|point| point.other.rate.0)),
        of(shift.map(|shift| shift.ratio)),
        of(interval.map(|interval| interval.low)),
        of(interval.map(|interval| interval.high)),
        shift.map(|shift| super::words::evidence(shift.evidence)).unwrap_or_default(),
        of(shift.and_then(|shift| shift.p_value)),
        of(shift.and_then(|shift| shift.superiority)),
        of(point.filter(|_| is_comparable(index)).and_then(|point| point.service_p99_ratio)),
    ]
}

fn exact(value: f64) -> String {
    if value.is_finite() { value.to_string() } else { String::new() }
}
