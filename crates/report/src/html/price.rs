//! The cost of a platform, and cost per throughput.

use maud::{Markup, html};
use model::{Cost, PriceBook, PriceKind};
use record::{Rate, Unit};

use crate::figure::{UNKNOWN, number, percent};
use crate::layout::clean;
use crate::price::{per_million, priced};
use crate::render::page::{Cell, Column, Row, Table};

/// The best rate of a test: its code, unit, and rate.
pub(crate) type BestRate<'a> = (&'a str, Unit, f64);

/// The cost per throughput of each test, and the lines of `book`.
pub(crate) fn price(book: &PriceBook, rates: &[BestRate<'_>]) -> Markup {
    html! {
        h3 { "Price" }
        p {
            "Total over " (book.years) " years: " strong { (money(book.total().amount)) " " (clean(&book.currency)) } ", "
            (span(book.total())) " at 20 points more or less discount on every line. Prices of " (clean(&book.date)) " by "
            (clean(&book.source)) "."
        }
        (per_throughput(book, rates).html())
        (lines(book).html())
    }
}

fn per_throughput(book: &PriceBook, rates: &[BestRate<'_>]) -> Table {
    let columns = [
        Column::text("test"),
        Column::figures("best"),
        Column::figures("per unit of throughput"),
        Column::figures("at other discounts"),
        Column::figures("per million, at full utilisation"),
        Column::figures("operations/s per licensed core"),
    ];
    let caption = format!("Cost per throughput in {}", clean(&book.currency));
    let mut table = Table::new("cost", caption, &columns);
    table.rows = rates
        .iter()
        .map(|(test, unit, per_second)| {
            let counts_operations = *unit != Unit::Byte;
            let million = per_million(book, *unit, *per_second);
            let (unit, scale) = priced(*unit);
            let cost = book.cost_per_rate(Rate(per_second / scale));
            let amount = cost.map(|cost| cost.amount);
            let per_core = book.rate_per_licensed_core(Rate(*per_second)).filter(|_| counts_operations);
            let per_core = per_core.map(|rate| rate.0);
            Row::new(vec![
                Cell::text(clean(test)),
                Cell::Figure(format!("{} {unit}", number(per_second / scale)), Some(*per_second)),
                Cell::Figure(amount.map_or_else(|| UNKNOWN.to_owned(), money), amount),
                Cell::Figure(cost.map_or_else(|| UNKNOWN.to_owned(), span), cost.map(|cost| cost.low)),
                Cell::Figure(
                    million.as_ref().map_or_else(
                        || UNKNOWN.to_owned(),
                        |(name, cost)| format!("{} per {name}", money(cost.amount)),
                    ),
                    million.as_ref().map(|(_, cost)| cost.amount),
                ),
                Cell::Figure(per_core.map_or_else(|| UNKNOWN.to_owned(), number), per_core),
            ])
        })
        .collect();
    table
}

fn lines(book: &PriceBook) -> Table {
    let columns = [
        Column::text("item"),
        Column::text("paid"),
        Column::figures("quantity"),
        Column::figures("list price of one"),
        Column::figures("discount"),
    ];
    let mut table = Table::new("prices", format!("Price book, in {}", clean(&book.currency)), &columns);
    let paid = |kind: PriceKind| match kind {
        PriceKind::Once => "once".to_owned(),
        PriceKind::PerCore { core_factor } => format!("once per core, core factor {core_factor}"),
        PriceKind::PerYear => "every year".to_owned(),
        PriceKind::PerHour => "every hour".to_owned(),
    };
    table.rows = book
        .items
        .iter()
        .map(|item| {
            Row::new(vec![
                Cell::text(clean(&item.name)),
                Cell::text(paid(item.kind)),
                Cell::Figure(money(item.quantity), Some(item.quantity)),
                Cell::Figure(money(item.list_price), Some(item.list_price)),
                Cell::Figure(percent(item.discount), Some(item.discount.0)),
            ])
        })
        .collect();
    table
}

/// The range of a sum.
fn span(cost: Cost) -> String {
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

/// `amount` with a thin space between thousands.
fn grouped(amount: f64, decimals: usize) -> String {
    let plain = format!("{:.decimals$}", amount.abs());
    let (whole, rest) = plain.split_once('.').map_or((plain.as_str(), ""), |(whole, rest)| (whole, rest));
    let mut text = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_written_as_money_is() {
        assert_eq!(money(1_234_567.4), "1\u{202f}234\u{202f}567");
        assert_eq!(money(999.5), "999.50");
        assert_eq!(money(12.0), "12");
        assert_eq!(money(0.0142), "0.0142");
        assert_eq!(money(1.234), "1.234");
        assert_eq!(money(2.5), "2.50");
        assert_eq!(money(0.00001), "1.000e-5");
        assert_eq!(money(f64::NAN), "-");
    }
}
