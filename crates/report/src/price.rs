//! What a platform costs, in words.

use model::{Cost, IncomparablePrices, PriceBook};
use record::{Rate, Ratio, Record, Unit};

use crate::figure::number;
use crate::layout::{clean, paragraph, section};
use crate::style::Style;
use crate::words::{self, plural, unit_per_second};

/// The range of discounts of a sensitivity.
const SENSITIVITY: &str = "at 20 points more or less discount";

/// The total of `book`, its sensitivity, and the source of the prices.
pub(crate) fn total(book: &PriceBook) -> String {
    let total = book.total();
    // Half a core can be licensed where threads are counted.
    let cores =
        book.licensed_cores().map(|cores| format!(", {cores} licensed core{}", if cores == 1.0 { "" } else { "s" }));
    format!(
        "{} {} over {}, {} to {} {SENSITIVITY}{}; prices as of {}: {}",
        clean(&book.currency),
        number(total.amount),
        plural(book.years.into(), "year"),
        number(total.low),
        number(total.high),
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

/// The name of a million operations, and their cost at full utilisation with `per_second` of `unit`: the lowest cost on
/// this platform; half the utilisation doubles it. For bytes the amount is 10^12. None where there is no rate.
pub(crate) fn per_million(book: &PriceBook, unit: Unit, per_second: f64) -> Option<(String, Cost)> {
    let (_, scale) = priced(unit);
    let name = match unit {
        Unit::Byte => "TB".to_owned(),
        unit => format!("million {}s", words::unit(unit)),
    };
    Some((name, book.cost_per_million(Rate(per_second / scale), Ratio(1.0))?))
}

/// The cost of one `unit` per second at `per_second` of them, with its sensitivity, and the cost of a million; none
/// where there is no rate.
pub(crate) fn per_rate(book: &PriceBook, unit: Unit, per_second: f64) -> Option<String> {
    let (million, of_million) = per_million(book, unit, per_second)?;
    let (unit, scale) = priced(unit);
    let cost = book.cost_per_rate(Rate(per_second / scale))?;
    let (amount, low, high) = (number(cost.amount), number(cost.low), number(cost.high));
    let of_million = sum(of_million.amount);
    let currency = clean(&book.currency);
    Some(format!(
        "{currency} {amount} per {unit} at the best rate; {low} to {high} {SENSITIVITY}; {currency} {of_million} per \
         {million} at full utilisation"
    ))
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

/// Column of the texts after their labels.
const INDENT: usize = 10;

/// The cost of the best throughput of each test of `record` by `book`, laid out for `width` columns (at least 60 are
/// used): the total, and money per operation per second, each with its sensitivity to discounts.
pub fn price_text(record: &Record, book: &PriceBook, style: Style, width: usize) -> String {
    let width = crate::page_width(width);
    let mut lines = vec![String::new(), section("PRICES", style, width)];
    lines.extend(paragraph("total", INDENT, &total(book), width));
    for line in &model::sheet(record).lines {
        let best = line.best.as_ref().map(|best| best.operations_per_second.0);
        let text = best.and_then(|rate| per_rate(book, line.unit, rate));
        lines.extend(text.iter().flat_map(|text| paragraph(&clean(&line.test), INDENT, text, width)));
    }
    style.encoded(lines.join("\n") + "\n")
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
        let cost = |unit, per_second| per_rate(&book, unit, per_second).unwrap();
        assert!(cost(Unit::Transaction, 1e3).contains("; USD 1.000 per million transactions at full utilisation"));
        assert!(cost(Unit::Statement, 4e5).contains("; USD 0.00250 per million statements at full utilisation"));
        assert!(
            cost(Unit::Byte, 500e6).contains("; USD 2.000 per TB at full utilisation"),
            "{}",
            cost(Unit::Byte, 500e6)
        );
        assert_eq!(per_rate(&book, Unit::Row, 0.0), None);
        assert_eq!((sum(0.0), sum(2.5e-7), sum(0.5)), ("0".to_owned(), "2.50e-7".to_owned(), "0.500".to_owned()));
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
