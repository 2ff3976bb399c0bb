//! Rows like those of a flat file, and their lines.

use std::ops::Range;

use super::fixture::{Fixture, decimal, returned};
use engine::{Column, ColumnType, IsoDate, LineForm, RowSink, RowSource, Table, Value};

/// A table without a key, with a column of each type that a flat file has.
pub(super) fn table(name: &str) -> Table {
    let column = |name: &str, kind| Column::new(name, kind);
    Table {
        name: name.to_owned(),
        columns: vec![
            column("card", ColumnType::Int),
            column("amount", ColumnType::Decimal { precision: 9, scale: 2 }),
            column("bought", ColumnType::Date),
            column("city", ColumnType::Text { size: 20 }),
        ],
        key: Vec::new(),
        indexes: Vec::new(),
        compressed: false,
        partitions: None,
        is_updated: false,
    }
}

/// The format of its lines.
pub(super) fn form(ends_with_separator: bool) -> LineForm {
    let columns = table("any").columns.into_iter().map(|column| column.name).collect();
    LineForm { columns, separator: b'|', ends_with_separator }
}

/// Cents, day and city of card `card`. Cities contain special characters of other formats.
fn fields(card: i64) -> (i64, i32, &'static str) {
    let cities = [
        "Zürich",
        "",
        "\\N",
        "NULL",
        "'quoted' \"twice\"",
        "back\\slash\\",
        "tab\tand % _",
        " leading, trailing ",
        "東京 🚲",
        "\\.",
        "\"",
        "--; drop table x",
    ];
    (card * 7_919 % 200_000 - 1_000, 14_600 + (card % 100) as i32, cities[card as usize % cities.len()])
}

/// The rows of `cards`, for a load.
pub(super) struct Cards {
    columns: Vec<Column>,
    cards: Range<i64>,
}

impl Cards {
    pub(super) fn new(cards: Range<i64>) -> Cards {
        Cards { columns: table("any").columns, cards }
    }
}

impl RowSource for Cards {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn next(&mut self, sink: &mut dyn RowSink) -> bool {
        let Some(card) = self.cards.next() else { return false };
        let (cents, day, city) = fields(card);
        sink.int(card);
        sink.decimal(cents, 2);
        sink.date(day);
        sink.text(city);
        true
    }
}

/// The lines of `cards`.
pub(super) fn lines(cards: Range<i64>, ends_with_separator: bool) -> String {
    let line = |card| {
        let (cents, day, city) = fields(card);
        let end = if ends_with_separator { "|" } else { "" };
        format!("{card}|{}|{}|{city}{end}\n", decimal(cents), date(day))
    };
    cards.map(line).collect()
}

/// The rows of `cards` as they must be returned, in order.
pub(super) fn rows(fixture: &Fixture, cards: Range<i64>) -> Vec<Vec<Value<'static>>> {
    let row = |card| {
        let (cents, day, city) = fields(card);
        let amount = returned(fixture, &Value::Decimal(decimal(cents).into()));
        vec![Value::Int(card), amount, Value::Text(date(day).into()), Value::Text(city.into())]
    };
    cards.map(row).collect()
}

/// Day `days` after 1970-01-01 as it must be returned.
pub(super) fn date(days: i32) -> String {
    IsoDate::of(days).expect("a day of the calendar").to_string()
}
