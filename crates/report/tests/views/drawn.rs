//! The spec sheet of a record, drawn.

use dbdyno_report::{SheetOptions, Style, sheet};
use record::Record;

/// As text of `width` columns.
pub fn text(record: &Record, path: &str, style: Style, width: usize) -> String {
    sheet(record, &SheetOptions { path, ..SheetOptions::default() }).text(style, width)
}

/// As a page.
pub fn html(record: &Record, options: &SheetOptions<'_>) -> String {
    sheet(record, options).html()
}
