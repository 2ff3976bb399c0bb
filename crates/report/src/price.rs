//! What a platform costs, in words.

use model::PriceBook;
use record::{Rate, Unit};

use crate::figure::number;
use crate::layout::clean;
use crate::words::{plural, unit_per_second};

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

/// What one of `unit` per second costs at `per_second` of them, with its sensitivity; none where there is no rate.
pub(crate) fn per_rate(book: &PriceBook, unit: Unit, per_second: f64) -> Option<String> {
    let (unit, scale) = priced(unit);
    let cost = book.cost_per_rate(Rate(per_second / scale))?;
    let (amount, low, high) = (number(cost.amount), number(cost.low), number(cost.high));
    Some(format!("{} {amount} per {unit}, at best; {low} to {high} {SENSITIVITY}", clean(&book.currency)))
}

#[cfg(test)]
mod tests {
    use model::{PriceItem, PriceKind};
    use record::Ratio;

    use super::*;

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
