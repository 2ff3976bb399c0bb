//! What throughput costs, below the sheet.

use model::PriceBook;
use record::Record;

use crate::layout::{clean, paragraph, section};
use crate::price::{per_rate, total};
use crate::style::Style;

/// Column of the texts beside their labels.
const INDENT: usize = 10;

/// What the best throughput of each test of `record` costs by `book`, laid out for `width` columns (at least 60 are
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
    style.letters(lines.join("\n") + "\n")
}
