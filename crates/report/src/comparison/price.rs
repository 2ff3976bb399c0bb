//! The cost of throughput on each system.

use model::{CostRatio, PointFigures, cost_ratio, incomparable_prices};

use super::ComparisonView;
use crate::price;

/// The cost of one test on one system.
pub(super) struct TestCost {
    /// The code of the test.
    pub(super) test: String,
    /// Which system.
    pub(super) system: usize,
    /// Money for one of these per second, or for a megabyte per second.
    pub(super) unit: &'static str,
    pub(super) currency: String,
    /// With the discounts of the price book, and with 20 points more and less.
    pub(super) amount: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    /// Relative to the base, where the prices are comparable.
    pub(super) against_base: Option<CostRatio>,
}

/// The total of each system that has prices: index and text.
pub(super) fn totals(view: &ComparisonView<'_>) -> Vec<(usize, String)> {
    (0..view.systems.len()).filter_map(|index| Some((index, price::total(view.price(index)?)))).collect()
}

/// Each system whose prices are not comparable with those of the base, and why.
pub(super) fn without_ratio(view: &ComparisonView<'_>) -> Vec<(usize, String)> {
    let Some(base) = view.price(0) else { return Vec::new() };
    let why = |index: usize| {
        let why = incomparable_prices(base, view.price(index)?)?;
        Some((index, format!("no cost relative to A: {}", price::incomparable(why))))
    };
    (1..view.systems.len()).filter_map(why).collect()
}

/// The cost of the best throughput of each test on each system that has prices.
pub(super) fn costs(view: &ComparisonView<'_>) -> Vec<TestCost> {
    let mut costs = Vec::new();
    for test in &view.comparison.tests {
        for (index, side) in test.sides.iter().enumerate() {
            let best = side.as_ref().and_then(|side| side.best.as_ref());
            costs.extend(best.and_then(|best| cost(view, test, index, best)));
        }
    }
    costs
}

fn cost(
    view: &ComparisonView<'_>,
    test: &model::TestComparison,
    index: usize,
    best: &PointFigures,
) -> Option<TestCost> {
    let book = view.price(index)?;
    let cost = book.cost_per_rate(best.rate)?;
    let (unit, scale) = price::priced(test.unit);
    let against_base =
        view.price(0).zip(test.compared_tests.get(index).and_then(Option::as_ref)).and_then(|(base, compared_test)| {
            let shift = &compared_test.headline.as_ref()?.shift;
            let comparable = !matches!(compared_test.outcome, model::ComparisonOutcome::Incomparable { .. });
            comparable.then(|| cost_ratio(base, book, shift.ratio, shift.interval))?
        });
    Some(TestCost {
        test: test.code.clone(),
        system: index,
        unit,
        currency: book.currency.clone(),
        amount: cost.amount * scale,
        low: cost.low * scale,
        high: cost.high * scale,
        against_base,
    })
}
