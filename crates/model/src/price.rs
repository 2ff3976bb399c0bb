//! Cost of a platform, and price/performance.
//!
//! As in the pricing rules of the TPC, the total cost of several years, three unless given, is divided by the rate:
//! one-off prices, licences, and yearly or hourly prices around the clock. Rankings often depend on discounts, so every
//! cost is also given for discounts of 20 points more and less.

use record::{Rate, Ratio};

use crate::rules::RULES;
use crate::statistics::Interval;

const HOURS_PER_YEAR: f64 = 8_760.0;
const SECONDS_PER_YEAR: f64 = HOURS_PER_YEAR * 3_600.0;

/// Tolerance of rounding in products of cores and factors.
const WHOLE: f64 = 1e-9;

/// The prices of a platform.
#[derive(Clone, Debug, PartialEq)]
pub struct PriceBook {
    /// ISO code.
    pub currency: String,
    /// The date of the prices.
    pub date: String,
    /// The source of the prices.
    pub source: String,
    /// The number of years for yearly and hourly prices.
    pub years: u32,
    /// The lines.
    pub items: Vec<PriceItem>,
}

/// One line of a price book.
#[derive(Clone, Debug, PartialEq)]
pub struct PriceItem {
    /// Its name.
    pub name: String,
    /// How the price is charged.
    pub kind: PriceKind,
    /// The quantity: units, licensed cores, kilowatts.
    pub quantity: f64,
    /// List price per unit.
    pub list_price: f64,
    /// Discount on the list price, in [0, 1].
    pub discount: Ratio,
}

/// How a price is charged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PriceKind {
    /// Once.
    Once,
    /// Once per licensed core: the quantity in cores times the factor, rounded up to whole licences.
    PerCore {
        /// Licences per core.
        core_factor: f64,
    },
    /// Per year.
    PerYear,
    /// Per hour (cloud, energy).
    PerHour,
}

/// A sum of money, in the currency of its price book, with its sensitivity to discounts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// With the discounts of the price book.
    pub amount: f64,
    /// With 20 points more discount on every line, at most 100 %.
    pub low: f64,
    /// With 20 points less, at least 0.
    pub high: f64,
}

impl Cost {
    fn times(self, factor: f64) -> Cost {
        Cost { amount: self.amount * factor, low: self.low * factor, high: self.high * factor }
    }
}

impl PriceItem {
    /// The cost of the line over `years` with `discount`.
    fn cost(&self, years: f64, discount: f64) -> f64 {
        let count = match self.kind {
            PriceKind::Once => self.quantity,
            PriceKind::PerCore { .. } => self.licences(),
            PriceKind::PerYear => self.quantity * years,
            PriceKind::PerHour => self.quantity * years * HOURS_PER_YEAR,
        };
        count * self.list_price * (1.0 - discount.clamp(0.0, 1.0))
    }

    /// Whole licences of the line; 0 unless priced per core.
    pub fn licences(&self) -> f64 {
        match self.kind {
            PriceKind::PerCore { core_factor } => (self.quantity * core_factor - WHOLE).ceil().max(0.0),
            _ => 0.0,
        }
    }
}

impl PriceBook {
    /// The total of all lines over the years of the book.
    pub fn total(&self) -> Cost {
        let years = f64::from(self.years);
        let sum = |points: f64| self.items.iter().map(|item| item.cost(years, item.discount.0 + points)).sum();
        Cost { amount: sum(0.0), low: sum(RULES.discount_step), high: sum(-RULES.discount_step) }
    }

    /// Licensed cores: the largest quantity of a line priced per core. None without one.
    pub fn licensed_cores(&self) -> Option<f64> {
        let per_core = self.items.iter().filter(|item| matches!(item.kind, PriceKind::PerCore { .. }));
        per_core.map(|item| item.quantity).reduce(f64::max).filter(|cores| *cores > 0.0)
    }

    /// The total over `rate`: cost per operation per second. None without a rate.
    pub fn cost_per_rate(&self, rate: Rate) -> Option<Cost> {
        (rate.0 > 0.0 && rate.0.is_finite()).then(|| self.total().times(1.0 / rate.0))
    }

    /// The cost of a million operations at a mean utilisation in (0, 1] of `rate` over the years of the book. None
    /// without a rate, utilisation or years.
    pub fn cost_per_million(&self, rate: Rate, utilisation: Ratio) -> Option<Cost> {
        let operations = rate.0 * utilisation.0 * f64::from(self.years) * SECONDS_PER_YEAR;
        let is_use = utilisation.0 > 0.0 && utilisation.0 <= 1.0;
        (is_use && operations > 0.0 && operations.is_finite()).then(|| self.total().times(1e6 / operations))
    }

    /// Operations per second per licensed core; None where no line is priced per core.
    pub fn rate_per_licensed_core(&self, rate: Rate) -> Option<Rate> {
        self.licensed_cores().map(|cores| Rate(rate.0 / cores))
    }
}

/// The price of one operation per second on one platform over that on the base; below 1 is cheaper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CostRatio {
    /// With the discounts of the books.
    pub ratio: f64,
    /// Its 95 % interval: that of the ratio of the rates, as prices have no error. Absent where that is absent.
    pub interval: Option<Interval>,
    /// With 20 points more discount for the base and 20 less for the other.
    pub worst: f64,
    /// With 20 points less discount for the base and 20 more for the other.
    pub best: f64,
}

impl CostRatio {
    /// Whether the ranking depends on discounts.
    pub fn turns(&self) -> bool {
        self.best < 1.0 && self.worst > 1.0
    }
}

/// The reason why two costs are not comparable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IncomparablePrices<'a> {
    /// Different currencies: of the base, of the other.
    Currencies(&'a str, &'a str),
    /// Over different numbers of years: of the base, of the other.
    Years(u32, u32),
    /// One of the two is free with 20 points more discount.
    Free,
}

/// The reason why two costs are not comparable; None where they are.
pub fn incomparable_prices<'a>(base: &'a PriceBook, other: &'a PriceBook) -> Option<IncomparablePrices<'a>> {
    let is_free = |book: &PriceBook| book.total().low <= 0.0;
    match () {
        () if base.currency != other.currency => Some(IncomparablePrices::Currencies(&base.currency, &other.currency)),
        () if base.years != other.years => Some(IncomparablePrices::Years(base.years, other.years)),
        () if is_free(base) || is_free(other) => Some(IncomparablePrices::Free),
        () => None,
    }
}

/// The ratio of cost per rate, other over base, where `rate_ratio` is the ratio of the rates with its interval. None
/// without a rate, and where [`incomparable_prices`].
pub fn cost_ratio(
    base: &PriceBook,
    other: &PriceBook,
    rate_ratio: f64,
    interval: Option<Interval>,
) -> Option<CostRatio> {
    let (one, another) = (base.total(), other.total());
    if incomparable_prices(base, other).is_some() || rate_ratio <= 0.0 || rate_ratio.is_nan() {
        return None;
    }
    let over = |another: f64, one: f64| another / one / rate_ratio;
    let ratio = over(another.amount, one.amount);
    // Dividing by the ratio of the rates swaps the ends.
    let interval = interval.filter(|interval| interval.low > 0.0).map(|interval| Interval {
        estimate: ratio,
        low: ratio * rate_ratio / interval.high,
        high: ratio * rate_ratio / interval.low,
    });
    Some(CostRatio { ratio, interval, worst: over(another.high, one.low), best: over(another.low, one.high) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn item(kind: PriceKind, quantity: f64, list_price: f64, discount: f64) -> PriceItem {
        PriceItem { name: "a line".to_owned(), kind, quantity, list_price, discount: Ratio(discount) }
    }

    fn book(items: Vec<PriceItem>) -> PriceBook {
        let source = "a list".to_owned();
        PriceBook { currency: "USD".to_owned(), date: "2026-01-31".to_owned(), source, years: 3, items }
    }

    /// Two servers, 32 cores at half a licence, maintenance, and 1.5 kW at a tariff of 0.2.
    fn platform() -> PriceBook {
        book(vec![
            item(PriceKind::Once, 2.0, 10_000.0, 0.25),
            item(PriceKind::PerCore { core_factor: 0.5 }, 32.0, 1_000.0, 0.0),
            item(PriceKind::PerYear, 1.0, 2_000.0, 0.1),
            item(PriceKind::PerHour, 1.5, 0.2, 0.0),
        ])
    }

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() <= 1e-9 * other.abs()
    }

    #[test]
    fn three_years_by_hand() {
        // 15 000 + 16 000 + 5 400 + 1.5 * 0.2 * 26 280 = 7 884.
        let total = platform().total();
        assert!(near(total.amount, 44_284.0), "{total:?}");
        // 45 %, 20 %, 30 %, 20 %: 11 000 + 12 800 + 4 200 + 6 307.2.
        assert!(near(total.low, 34_307.2), "{total:?}");
        // 5 %, 0, 0 (not below), 0: 19 000 + 16 000 + 6 000 + 7 884.
        assert!(near(total.high, 48_884.0), "{total:?}");
    }

    #[test]
    fn prices_of_a_published_system() {
        // List prices of spring 2012: 65 000 + 300 000 + 1 100 000 for 31 653 physical reads per second.
        let published =
            book([65_000.0, 300_000.0, 1_100_000.0].map(|price| item(PriceKind::Once, 1.0, price, 0.0)).into());
        let cost = published.cost_per_rate(Rate(31_653.0)).unwrap();
        assert!((cost.amount - 46.283).abs() < 1e-3, "{cost:?}");
    }

    #[test]
    fn a_million_transactions_by_hand() {
        // 1000/s at 50 % for 94 608 000 s are 47 304 million: 44 284 / 47 304.
        let cost = platform().cost_per_million(Rate(1_000.0), Ratio(0.5)).unwrap();
        assert!((cost.amount - 0.936_157).abs() < 1e-6, "{cost:?}");
        assert_eq!(platform().cost_per_million(Rate(1_000.0), Ratio(0.0)), None);
        assert_eq!(
            (platform().cost_per_rate(Rate(0.0)), platform().cost_per_million(Rate(0.0), Ratio(1.0))),
            (None, None)
        );
    }

    #[test]
    fn licences_are_whole() {
        let licences =
            |cores: f64, core_factor: f64| item(PriceKind::PerCore { core_factor }, cores, 1.0, 0.0).licences();
        assert_eq!(
            (licences(7.0, 0.5), licences(8.0, 0.5), licences(10.0, 0.3), licences(28.0, 0.7)),
            (4.0, 4.0, 3.0, 20.0)
        );
        assert_eq!(item(PriceKind::Once, 7.0, 1.0, 0.0).licences(), 0.0);
        assert_eq!(platform().licensed_cores(), Some(32.0));
        assert_eq!(platform().rate_per_licensed_core(Rate(1_600.0)), Some(Rate(50.0)));
        assert_eq!(book(Vec::new()).rate_per_licensed_core(Rate(1.0)), None);
    }

    #[test]
    fn a_ranking_that_depends_on_discounts() {
        let (base, other) = (
            book(vec![item(PriceKind::Once, 1.0, 1_000.0, 0.3)]),
            book(vec![item(PriceKind::Once, 1.0, 1_000.0, 0.2)]),
        );
        let rates = Interval { estimate: 1.25, low: 1.2, high: 1.3 };
        let found = cost_ratio(&base, &other, 1.25, Some(rates)).unwrap();
        // 800 / 700 / 1.25.
        assert!(near(found.ratio, 0.914_285_714_285_714_3), "{found:?}");
        let interval = found.interval.unwrap();
        assert!(near(interval.low, 800.0 / 700.0 / 1.3) && near(interval.high, 800.0 / 700.0 / 1.2));
        // 1000 / 500 / 1.25 and 600 / 900 / 1.25.
        assert!(near(found.worst, 1.6) && near(found.best, 0.533_333_333_333_333_3) && found.turns());
        let euros = PriceBook { currency: "EUR".to_owned(), ..base.clone() };
        assert_eq!(cost_ratio(&euros, &other, 1.25, None), None);
        assert_eq!(cost_ratio(&base, &book(Vec::new()), 1.25, None), None);
        assert_eq!(cost_ratio(&base, &other, 0.0, None), None);
        assert_eq!(incomparable_prices(&euros, &other), Some(IncomparablePrices::Currencies("EUR", "USD")));
        let longer = PriceBook { years: 5, ..base.clone() };
        assert_eq!(incomparable_prices(&base, &longer), Some(IncomparablePrices::Years(3, 5)));
        assert_eq!(incomparable_prices(&base, &book(Vec::new())), Some(IncomparablePrices::Free));
        assert_eq!(incomparable_prices(&base, &other), None);
    }

    proptest! {
        #[test]
        fn more_discount_never_costs_more(
            lines in prop::collection::vec((0.0f64..1e6, 0.0f64..1e6, 0.0f64..=1.0, 0u8..4), 0..12),
        ) {
            let items = lines.iter().map(|(quantity, price, discount, kind)| {
                let kind = match kind {
                    0 => PriceKind::Once,
                    1 => PriceKind::PerCore { core_factor: 0.5 },
                    2 => PriceKind::PerYear,
                    _ => PriceKind::PerHour,
                };
                item(kind, *quantity, *price, *discount)
            });
            let total = book(items.collect()).total();
            prop_assert!(0.0 <= total.low && total.low <= total.amount && total.amount <= total.high);
        }
    }
}
