//! What a platform costs, in words.

use model::{Cost, PriceBook};
use record::{Rate, Ratio, Unit};

use crate::figure::number;
use crate::layout::clean;
use crate::words::{self, plural, unit_per_second};

/// What the sensitivity of a sum is taken by.
const SENSITIVITY: &str = "with 20 points more and less discount";

/// The total of `book`, its sensitivity, and whose prices these are.
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

/// The unit that money is paid for, and how many of those that are counted it has: a byte per second is too small to
/// have a price.
pub(crate) fn priced(unit: Unit) -> (&'static str, f64) {
    match unit {
        Unit::Byte => ("MB/s", 1e6),
        unit => (unit_per_second(unit), 1.0),
    }
}

/// What a million operations are called, and what they cost where `per_second` of `unit` are done around the clock: the
/// least that one can cost on this platform; a use of one half doubles it. Of bytes, 10^12 are meant. None where there
/// is no rate.
pub(crate) fn per_million(book: &PriceBook, unit: Unit, per_second: f64) -> Option<(String, Cost)> {
    let (_, scale) = priced(unit);
    let name = match unit {
        Unit::Byte => "TB".to_owned(),
        unit => format!("million {}s", words::unit(unit)),
    };
    Some((name, book.cost_per_million(Rate(per_second / scale), Ratio(1.0))?))
}

/// What one of `unit` per second costs at `per_second` of them, with its sensitivity, and what a million cost; none
/// where there is no rate.
pub(crate) fn per_rate(book: &PriceBook, unit: Unit, per_second: f64) -> Option<String> {
    let (million, of_million) = per_million(book, unit, per_second)?;
    let (unit, scale) = priced(unit);
    let cost = book.cost_per_rate(Rate(per_second / scale))?;
    let (amount, low, high) = (number(cost.amount), number(cost.low), number(cost.high));
    let of_million = sum(of_million.amount);
    let currency = clean(&book.currency);
    Some(format!(
        "{currency} {amount} per {unit}, at best; {low} to {high} {SENSITIVITY}; {currency} {of_million} per {million} at \
         full use around the clock"
    ))
}

/// A sum of money that may be a small part of the currency's unit, with three significant digits then.
pub(crate) fn sum(amount: f64) -> String {
    match amount {
        amount if amount >= 1.0 || amount <= 0.0 || !amount.is_finite() => number(amount),
        amount if amount < 1e-6 => format!("{amount:.2e}"),
        amount => format!("{amount:.*}", 2 + (-amount.log10()).ceil() as usize),
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
        let said = |unit, per_second| per_rate(&book, unit, per_second).unwrap();
        assert!(said(Unit::Transaction, 1e3).contains("; USD 1.000 per million transactions at full use"));
        assert!(said(Unit::Statement, 4e5).contains("; USD 0.00250 per million statements at full use"));
        assert!(said(Unit::Byte, 500e6).contains("; USD 2.000 per TB at full use"), "{}", said(Unit::Byte, 500e6));
        assert_eq!(per_rate(&book, Unit::Row, 0.0), None);
        assert_eq!((sum(0.0), sum(2.5e-7), sum(0.5)), ("0".to_owned(), "2.50e-7".to_owned(), "0.500".to_owned()));
    }

    #[test]
    fn a_part_of_a_core_is_not_lost() {
        let kind = PriceKind::PerCore { core_factor: 0.5 };
        let item =
            |quantity| PriceItem { name: String::new(), kind, quantity, list_price: 100.0, discount: Ratio(0.0) };
        let said = |quantity| {
            let (currency, date, source) = ("USD".to_owned(), "2026".to_owned(), "a list".to_owned());
            total(&PriceBook { currency, date, source, years: 3, items: vec![item(quantity)] })
        };
        assert!(said(2.5).contains(", 2.5 licensed cores;") && said(1.0).contains(", 1 licensed core;"));
    }
}
