//! What a platform costs.

mod document;

use model::{Cost, IncomparablePrices, PriceBook};
use record::{Rate, Ratio, Unit};

pub use document::prices;
pub(crate) use document::{BestRate, best_rates, price};

use crate::figure::{UNKNOWN, number};
use crate::words::{plural, unit_per_second};

/// The range of discounts of a sensitivity.
const SENSITIVITY: &str = "at 20 points more or less discount";

/// The total of `book`, its sensitivity, and the source of the prices.
pub(crate) fn total(book: &PriceBook) -> String {
    let total = book.total();
    // Half a core can be licensed where threads are counted.
    let cores =
        book.licensed_cores().map(|cores| format!(", {cores} licensed core{}", if cores == 1.0 { "" } else { "s" }));
    format!(
        "{} {} over {}, {} {SENSITIVITY}{}; prices as of {}: {}",
        book.currency,
        money(total.amount),
        plural(book.years.into(), "year"),
        range(total),
        cores.unwrap_or_default(),
        book.date,
        book.source
    )
}

/// The unit of a cost, and how many of the counted units it has: bytes per second are priced by the MB/s.
pub(crate) fn priced(unit: Unit) -> (&'static str, f64) {
    match unit {
        Unit::Byte => ("MB/s", 1e6),
        unit => (unit_per_second(unit), 1.0),
    }
}

/// The cost of a million operations at full utilisation with `per_second` of `unit`: the lowest cost on this platform; half the
/// utilisation doubles it. For bytes the amount is 10^12. None where there is no rate.
fn per_million(book: &PriceBook, unit: Unit, per_second: f64) -> Option<Cost> {
    let (_, scale) = priced(unit);
    book.cost_per_million(Rate(per_second / scale), Ratio(1.0))
}

/// The range of a sum with other discounts.
fn range(cost: Cost) -> String {
    format!("{} to {}", money(cost.low), money(cost.high))
}

/// A sum of money without prefix: to the cent, or to four significant digits where it is small.
fn money(amount: f64) -> String {
    match amount.abs() {
        size if !size.is_finite() => UNKNOWN.to_owned(),
        0.0 => "0".to_owned(),
        size if size < 0.0001 => format!("{amount:.3e}"),
        // A cent is too coarse for small sums.
        size if size < 10.0 => grouped(amount, (3.0 - size.log10().floor()).clamp(3.0, 7.0) as usize),
        size if size < 1e15 => grouped(amount, if size < 1000.0 { 2 } else { 0 }),
        _ => format!("{amount:.3e}"),
    }
}

/// `amount` with a comma between thousands.
fn grouped(amount: f64, decimals: usize) -> String {
    let plain = format!("{:.decimals$}", amount.abs());
    let (whole, rest) = plain.split_once('.').map_or((plain.as_str(), ""), |(whole, rest)| (whole, rest));
    let mut text = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    let sign = if amount < 0.0 { "-" } else { "" };
    let rest = match rest.trim_end_matches('0') {
        "" => String::new(),
        short => format!(".{}", &rest[..short.len().max(2)]),
    };
    format!("{sign}{text}{rest}")
}

/// A sum of money; three significant digits where it is below one unit of the currency.
pub(crate) fn sum(amount: f64) -> String {
    match amount {
        amount if amount >= 1.0 || amount <= 0.0 || !amount.is_finite() => number(amount),
        amount if amount < 1e-6 => format!("{amount:.2e}"),
        amount => format!("{amount:.*}", 2 + (-amount.log10()).ceil() as usize),
    }
}

/// Why two costs are not comparable, as a clause.
pub(crate) fn incomparable(why: IncomparablePrices<'_>) -> String {
    match why {
        IncomparablePrices::Currencies(base, other) => format!("one is priced in {base} and the other in {other}"),
        IncomparablePrices::Years(base, other) => format!("one is priced over {base} years and the other over {other}"),
        IncomparablePrices::Free => "with 20 points more discount one of the two is free".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use model::{PriceItem, PriceKind};
    use record::Ratio;

    use super::*;

    #[test]
    fn a_million_has_a_price_however_small() {
        let kind = PriceKind::Once;
        let item = PriceItem { name: String::new(), kind, quantity: 1.0, list_price: 94_608.0, discount: Ratio(0.0) };
        let (currency, date, source) = ("USD".to_owned(), "2026".to_owned(), "a list".to_owned());
        let book = PriceBook { currency, date, source, years: 3, items: vec![item] };
        // Three years are 94 608 000 s: a thousandth of a dollar a second.
        let cost = |unit, per_second| Some(money(per_million(&book, unit, per_second)?.amount));
        assert_eq!(cost(Unit::Transaction, 1e3).unwrap(), "1");
        assert_eq!(cost(Unit::Statement, 4e5).unwrap(), "0.0025");
        assert_eq!(cost(Unit::Byte, 500e6).unwrap(), "2", "a million MB are a TB");
        assert_eq!(cost(Unit::Row, 0.0), None);
        assert_eq!((sum(0.0), sum(2.5e-7), sum(0.5)), ("0".to_owned(), "2.50e-7".to_owned(), "0.500".to_owned()));
    }

    #[test]
    fn money_is_written_as_money_is() {
        assert_eq!(money(1_234_567.4), "1,234,567");
        assert_eq!(money(999.5), "999.50");
        assert_eq!(money(12.0), "12");
        assert_eq!(money(0.0142), "0.0142");
        assert_eq!(money(1.234), "1.234");
        assert_eq!(money(2.5), "2.50");
        assert_eq!(money(0.00001), "1.000e-5");
        assert_eq!(money(f64::NAN), "-");
    }

    #[test]
    fn a_part_of_a_core_is_not_lost() {
        let kind = PriceKind::PerCore { core_factor: 0.5 };
        let item =
            |quantity| PriceItem { name: String::new(), kind, quantity, list_price: 100.0, discount: Ratio(0.0) };
        let total = |quantity| {
            let (currency, date, source) = ("USD".to_owned(), "2026".to_owned(), "a list".to_owned());
            super::total(&PriceBook { currency, date, source, years: 3, items: vec![item(quantity)] })
        };
        assert!(total(2.5).contains(", 2.5 licensed cores;") && total(1.0).contains(", 1 licensed core;"));
    }
}
