//! The charts of a comparison: every ratio with its interval around 1, and the curves of all systems in one chart.

use model::{ComparedTest, ComparisonVerdict, SystemPoint, SystemTest, TestComparison};
use record::Ratio;

use super::words::{change, letter, verdict};
use super::{ComparisonView, shift};
use crate::chart::{Axis, Bar, BarChart, Figures, LineChart, Mark, Point, Role, Scale, Series, Tone};
use crate::document::Diagram;
use crate::figure::percent;
use crate::layout::clean;
use crate::summary::short_name;
use crate::system::{median_rate, n_of, workers};
use crate::times;
use crate::words::{plural, unit};

/// Curves on one page, at most.
const CURVES_MAX: usize = 60;

/// Bars in one chart, at most.
const BARS_MAX: usize = 80;

/// One chart per system that is compared with the base.
pub(super) fn ratios(view: &ComparisonView<'_>) -> Vec<Diagram> {
    (1..view.systems.len()).filter_map(|index| ratio_chart(view, index)).collect()
}

fn ratio_chart(view: &ComparisonView<'_>, other: usize) -> Option<Diagram> {
    let of = view.compared_tests().filter(|(_, index, _)| *index == other);
    let mut bars: Vec<Bar> = of.filter_map(|(test, _, compared_test)| bar(test, compared_test)).collect();
    let all = bars.len();
    bars.truncate(BARS_MAX);
    if bars.is_empty() {
        return None;
    }
    let margin = view.comparison.margin;
    let mark = |x: f64, label: String| Mark { x, label };
    let title = format!("{}: throughput relative to A", letter(other));
    let chart = BarChart {
        title,
        description: format!(
            "{}, each with its 95 % interval where it has one; right of 1 {} is faster than A.",
            plural(all as u64, "test"),
            letter(other)
        ),
        axis: Axis::new("ratio of the rates", Scale::Log2, Figures::Factor),
        base: 1.0,
        bars,
        marks: vec![
            mark(1.0 / (1.0 + margin), String::new()),
            mark(1.0 + margin, format!("± {}", percent(Ratio(margin)))),
        ],
    };
    let note =
        if all > BARS_MAX { format!("The first {BARS_MAX} of {all} tests; the table has all.") } else { String::new() };
    Some(Diagram { note, ..Diagram::new(format!("ratios-{}", other + 1), chart) })
}

fn bar(test: &TestComparison, compared_test: &ComparedTest) -> Option<Bar> {
    let shift = shift(compared_test)?;
    let tone = match compared_test.outcome.verdict() {
        Some(ComparisonVerdict::Faster) => Tone::Better,
        Some(ComparisonVerdict::Slower) => Tone::Worse,
        Some(ComparisonVerdict::Equivalent | ComparisonVerdict::Inconclusive) | None => Tone::Open,
    };
    Some(Bar {
        label: short_name(&test.code, &test.title),
        value: shift.ratio,
        interval: shift.interval.map(|interval| (interval.low, interval.high)),
        note: verdict(compared_test),
        tone,
    })
}

/// A chart for each test that was measured at several degrees of parallelism on any system, and how many there are.
pub(super) fn curves(view: &ComparisonView<'_>) -> (Vec<Diagram>, usize) {
    let drawable = |test: &&TestComparison| {
        let has_curve = |index: usize| {
            let points = view.test(index, &test.code).map_or(&[][..], |test| &test.points);
            points.iter().filter(|point| !point.rates.is_empty()).count() > 1
        };
        (0..view.systems.len()).any(has_curve)
    };
    let drawn: Vec<&TestComparison> = view.comparison.tests.iter().filter(drawable).collect();
    let charts = drawn.iter().take(CURVES_MAX).enumerate().map(|(index, test)| curve(view, test, index));
    (charts.collect(), drawn.len())
}

fn curve(view: &ComparisonView<'_>, test: &TestComparison, index: usize) -> Diagram {
    let of = |index: usize| view.test(index, &test.code).map(|found| (index, found));
    let found: Vec<(usize, &SystemTest)> = (0..view.systems.len()).filter_map(of).collect();
    let series = found.iter().map(|(index, found)| {
        let points = found.points.iter().filter_map(point).collect();
        Series::new(letter(*index), Role::Measured, points)
    });
    let workers = found.first().map_or("jobs", |(_, test)| workers(test));
    let summary = summary(test).collect::<Vec<_>>().join(". ");
    let chart = LineChart::new(
        format!("{} {}", clean(&test.code), clean(&test.title)),
        format!("Throughput of {}. {summary}", plural(found.len() as u64, "system")),
        Axis::new(workers, Scale::Log2, Figures::Plain),
        Axis::new(format!("{}s per second", unit(test.unit)), Scale::FromZero, Figures::Rate),
        series.collect(),
    );
    Diagram { note: summary, ..Diagram::new(format!("curve-{}", index + 1), chart) }
}

/// The results of a test as text, for readers who do not see the curves.
fn summary(test: &TestComparison) -> impl Iterator<Item = String> {
    super::compared_tests_of(test).map(|(index, compared_test)| {
        let ratio = shift(compared_test).map(|shift| format!(" {}", change(shift.ratio)));
        format!("{}{} at best: {}", letter(index), ratio.unwrap_or_default(), verdict(compared_test))
    })
}

/// The median of the repeats, with the least and the greatest as whiskers.
fn point(point: &SystemPoint) -> Option<Point> {
    let rates = || point.rates.iter().map(|rate| rate.per_second.0);
    let count = point.rates.len();
    let repeats = (count > 1).then(|| format!("median of {count} runs"));
    let tail = point.columns.service.map(|times| times::tail_text(&times)).filter(|tail| !tail.is_empty());
    let note: Vec<String> = repeats.into_iter().chain(tail.map(|tail| format!("service time {tail}"))).collect();
    let drawn = Point::new(n_of(point), median_rate(point)?).noted(note.join(", "));
    match count {
        1 => Some(drawn),
        _ => Some(drawn.within(rates().reduce(f64::min)?, rates().reduce(f64::max)?)),
    }
}
