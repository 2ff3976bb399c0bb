//! Systems compared to a base: of each test and system one row for the best points, and one for each equal degree of
//! parallelism.

use model::{ComparedPoint, ComparedTest, Comparison, ComparisonOutcome, Interval, QUANTILES, System, TestComparison};

use crate::column::{Column, Kind, Row};
use crate::value::Value;

/// A test on a system, compared to the base.
pub struct ComparedTestRow<'a> {
    /// The systems, the base first.
    pub systems: &'a [System],
    /// Their comparison.
    pub comparison: &'a Comparison,
    /// The test.
    pub test: &'a TestComparison,
    /// Index of the system compared to the base.
    pub index: usize,
    /// The comparison of the two.
    pub compared_test: &'a ComparedTest,
    /// Two points; absent where there is no best point.
    pub point: Option<&'a ComparedPoint>,
    /// Whether they are the best points; only those have a verdict.
    pub is_best: bool,
}

/// Points that are not comparable have no ratio.
impl Row for ComparedTestRow<'_> {
    fn is_invalid(&self) -> bool {
        matches!(self.compared_test.outcome, ComparisonOutcome::Incomparable { .. })
            || self.compared_test.headline.is_none()
    }
}

impl ComparedTestRow<'_> {
    fn interval(&self) -> Option<Interval> {
        self.point.and_then(|point| point.shift.interval)
    }

    /// Ratio of the quantile of the service time with this key, other over base.
    pub fn service_ratio(&self, key: &str) -> Option<f64> {
        self.point?.service_ratio(QUANTILES.iter().find(|quantile| quantile.key == key)?)
    }
}

/// The rows of `comparison` of `systems`.
pub fn rows<'a>(systems: &'a [System], comparison: &'a Comparison) -> impl Iterator<Item = ComparedTestRow<'a>> {
    let of_test = |test: &'a TestComparison| {
        let compared_tests = test.compared_tests.iter().enumerate();
        compared_tests.filter_map(move |(index, compared_test)| Some((test, index, compared_test.as_ref()?)))
    };
    comparison.tests.iter().flat_map(of_test).flat_map(move |(test, index, compared_test)| {
        let row =
            move |(point, is_best)| ComparedTestRow { systems, comparison, test, index, compared_test, point, is_best };
        let points = compared_test.points.iter().map(|point| (Some(point), false));
        std::iter::once((compared_test.headline.as_ref(), true)).chain(points).map(row)
    })
}

/// A finite number.
fn finite(value: Option<f64>) -> Value<'static> {
    value.filter(|value| value.is_finite()).into()
}

type Figure<'a> = Column<ComparedTestRow<'a>>;

/// Systems and points, the ratio, the verdict.
pub fn columns<'a>() -> Vec<Column<ComparedTestRow<'a>>> {
    vec![
        Figure::fact("base", Kind::Text, |of| of.comparison.systems.first().into()),
        Figure::fact("system", Kind::Text, |of| of.comparison.systems.get(of.index).into()),
        Figure::fact("test", Kind::Text, |of| (&of.test.code).into()),
        Figure::fact("title", Kind::Text, |of| (&of.test.title).into()),
        Figure::fact("unit", Kind::Text, |of| Value::word(of.test.unit)),
        Figure::fact("what", Kind::Text, |of| if of.is_best { "best" } else { "point" }.into()),
        Figure::fact("base_per_second", Kind::PerSecond, |of| finite(of.point.map(|point| point.base.rate.0)))
            .head("A"),
        Figure::fact("per_second", Kind::PerSecond, |of| finite(of.point.map(|point| point.other.rate.0)))
            .head("other"),
        Figure::result("ratio", Kind::Number, |of| finite(of.point.map(|point| point.shift.ratio))),
        Figure::result("ratio_low", Kind::Number, |of| finite(of.interval().map(|interval| interval.low))),
        Figure::result("ratio_high", Kind::Number, |of| finite(of.interval().map(|interval| interval.high))),
        Figure::result("p_value", Kind::Number, |of| finite(of.point.and_then(|point| point.shift.p_value))),
        Figure::result("superiority", Kind::Number, |of| finite(of.point.and_then(|point| point.shift.superiority))),
        Figure::result("service_p99_ratio", Kind::Number, |of| finite(of.service_ratio("p99"))),
        Figure::result("service_p999_ratio", Kind::Number, |of| finite(of.service_ratio("p999"))),
        Figure::fact("rests_on", Kind::Text, |of| {
            let shift = of.point.filter(|_| !of.is_invalid()).map(|point| point.shift);
            shift.map(|shift| shift.evidence.word()).into()
        }),
        Figure::fact("p_adjusted", Kind::Number, |of| match of.compared_test.outcome {
            ComparisonOutcome::Judged { p_adjusted, .. } if of.is_best => finite(p_adjusted),
            _ => Value::Absent,
        }),
        Figure::fact("verdict", Kind::Text, |of| of.is_best.then(|| of.compared_test.outcome.word()).into()),
        Figure::fact("more_pairs", Kind::Count, |of| match of.compared_test.outcome {
            ComparisonOutcome::Judged { more_pairs, .. } if of.is_best => more_pairs.into(),
            _ => Value::Absent,
        }),
    ]
}
