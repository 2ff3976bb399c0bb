//! AWR and Statspack reports, as text and as HTML: of one instance, or of a cluster.
//!
//! Both come as [`Piece`]s, so that no section is read twice: titles, lines, and rows of tables with the headings of their
//! columns. A table is recognized by its headings; sections move, and are missing, from version to version. Of a figure that
//! stands in several sections the counted one is taken: instance activity before the I/O profile before the load profile.

mod collected;
mod figures;
mod markup;
mod reports;
mod tables;

use std::io::BufRead;

use crate::error::Result;
use crate::form::Form;
use crate::lines::Lines;
use crate::part::Part;

pub(crate) use figures::elsewhere;
use reports::Reports;

/// What a report consists of.
#[derive(Debug)]
enum Piece<'a> {
    /// The title of a section, or a text between tables.
    Title(&'a str),
    /// A line of text, or the cells of a row with two blanks between them.
    Line(&'a str),
    /// The headings of a table whose rows follow.
    Headings(&'a [String]),
    /// A row of a table.
    Row(&'a [String]),
}

#[cfg(test)]
impl Piece<'_> {
    /// A title, headings or a row as text; lines of text are left out.
    fn shown(&self) -> Option<String> {
        Some(match self {
            Piece::Title(title) => format!("title {title}"),
            Piece::Headings(headings) => format!("headings {}", headings.join("|")),
            Piece::Row(cells) => format!("row {}", cells.join("|")),
            Piece::Line(_) => return None,
        })
    }
}

/// A heading or label without what versions and notations differ in: `Memory (GB)` and `Memory(GB)` are `memorygb`.
fn key(text: &str) -> String {
    let is_kept = |letter: &char| letter.is_alphanumeric() || matches!(letter, '%' | '#' | '+' | '/');
    text.chars().filter(is_kept).take(64).flat_map(char::to_lowercase).collect()
}

/// Reads a report that is text.
pub(crate) fn text(form: Form, input: impl BufRead) -> Result<Vec<Part>> {
    let mut lines = Lines::new(input);
    let mut tables = tables::Tables::default();
    let mut reports = Reports::new(form);
    while let Some(line) = lines.next()? {
        tables.line(line, &mut |piece| reports.take(piece))?;
    }
    reports.finish(lines.foreign_count())
}

/// Reads a report that is HTML.
pub(crate) fn html(input: impl BufRead) -> Result<Vec<Part>> {
    let mut reports = Reports::new(Form::AwrHtml);
    let foreign_count = markup::read(input, &mut |piece| reports.take(piece))?;
    reports.finish(foreign_count)
}
