//! The cost of a platform and of its throughput as a part of a document.

use model::{Line, PriceBook, PriceItem, PriceKind, Sheet};
use record::{Rate, Ratio, Record, Unit};

use super::{money, per_million, priced, range, total};
use crate::document::{Block, Cell, Column, Document, Row, Section, Table};
use crate::figure::{UNKNOWN, number, percent};

/// The best rate of a test: its code, unit, and rate per second.
pub(crate) type BestRate<'a> = (&'a str, Unit, f64);

/// The cost of the best throughput of each test of `record` by `book`.
pub fn prices(record: &Record, book: &PriceBook) -> Document {
    Document::new("Prices", vec![Section::new("price", "", price(book, &best_rates(&model::sheet(record))))])
}

/// The best rate of each test of `sheet` that has one.
pub(crate) fn best_rates(sheet: &Sheet) -> Vec<BestRate<'_>> {
    let rate = |line: &Line| line.best.as_ref().map(|best| best.operations_per_second.0);
    sheet.lines.iter().filter_map(|line| Some((line.test.as_str(), line.unit, rate(line)?))).collect()
}

/// The total of `book`, the cost per throughput of each test, and the lines of the book.
pub(crate) fn price(book: &PriceBook, rates: &[BestRate<'_>]) -> Vec<Block> {
    vec![Block::text(format!("Total: {}.", total(book))), costs(book, rates).into(), items(book).into()]
}

/// A line for each test.
fn costs(book: &PriceBook, rates: &[BestRate<'_>]) -> Table {
    let is_licensed = book.licensed_cores().is_some();
    let mut columns = vec![
        Column::text("test"),
        Column::figure("best"),
        Column::figure("per unit of\nthroughput"),
        Column::figure("at other\ndiscounts"),
        Column::figure("per million, at\nfull utilisation"),
    ];
    columns.extend(is_licensed.then(|| Column::figure("ops/s per\nlicensed core")));
    let row = |(test, unit, per_second): &BestRate<'_>| {
        let million = per_million(book, *unit, *per_second);
        let per_core = book.rate_per_licensed_core(Rate(*per_second)).filter(|_| *unit != Unit::Byte);
        let of = if *unit == Unit::Byte { " per TB" } else { "" };
        let (unit, scale) = priced(*unit);
        let cost = book.cost_per_rate(Rate(per_second / scale));
        let shown = |text: Option<String>| text.unwrap_or_else(|| UNKNOWN.to_owned());
        let of_million = million.map(|cost| format!("{}{of}", money(cost.amount)));
        let mut cells = vec![
            Cell::text(*test),
            Cell::Figure(format!("{} {unit}", number(per_second / scale)), Some(*per_second)),
            Cell::figure(cost.map(|cost| cost.amount), money),
            Cell::Figure(shown(cost.map(range)), cost.map(|cost| cost.low)),
            Cell::Figure(shown(of_million), million.map(|cost| cost.amount)),
        ];
        cells.extend(is_licensed.then(|| Cell::figure(per_core.map(|rate| rate.0), number)));
        Row::new(cells)
    };
    Table::new("cost", format!("Cost per throughput in {}", book.currency), columns).with(rates.iter().map(row))
}

/// A line for each item.
fn items(book: &PriceBook) -> Table {
    let columns = vec![
        Column::text("item"),
        Column::text("paid"),
        Column::figure("quantity"),
        Column::figure("list price\nof one"),
        Column::figure("discount"),
    ];
    let row = |item: &PriceItem| {
        let paid = match item.kind {
            PriceKind::Once => "once".to_owned(),
            PriceKind::PerCore { core_factor } => format!("once per core, core factor {core_factor}"),
            PriceKind::PerYear => "every year".to_owned(),
            PriceKind::PerHour => "every hour".to_owned(),
        };
        Row::new(vec![
            Cell::text(&*item.name),
            Cell::text(paid),
            Cell::figure(Some(item.quantity), money),
            Cell::figure(Some(item.list_price), money),
            Cell::figure(Some(item.discount.0), |ratio| percent(Ratio(ratio))),
        ])
    };
    let table = Table::new("prices", format!("Price book, in {}", book.currency), columns);
    Table { flexible: Some(0), ..table.with(book.items.iter().map(row)) }
}
