//! The list of published systems.

use model::{Origin, System};

use crate::document::{Block, Cell, Column, Document, Row, Section, Table};
use crate::words::list;

/// What all of them have in common.
const NOTE: &str =
    "None of these was measured by dbdyno; show one with dbdyno report NAME, compare by name with dbdyno compare.";

/// A line for each of `systems`: name, year, title, source and the tests that it has.
pub fn references(systems: &[System]) -> Document {
    let columns = ["name", "year", "title", "source", "tests"].map(Column::text).to_vec();
    let row = |system: &System| {
        let (year, source) = match &system.origin {
            Origin::Published { year, source } => (year.to_string(), source.as_str()),
            Origin::Measured { .. } => (String::new(), ""),
        };
        let tests = list(system.tests.iter().map(|test| test.code.clone()));
        let cells = [&*system.name, &*year, &*system.title, source, &*tests];
        Row::new(cells.map(Cell::text).to_vec())
    };
    let table = Table::new("references", "", columns).with(systems.iter().map(row));
    let table = Table { is_labelled: true, ..table };
    let sections = vec![Section::new("systems", "", vec![table.into()])];
    Document { foot: vec![Block::text(NOTE)], ..Document::new("Published systems", sections) }
}
