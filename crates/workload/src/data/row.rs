//! One row.

use std::borrow::Cow;

use engine::{RowSink, Value};

use crate::data::column::DataColumn;

/// Names of regions, all of the same length, so that all rows have the same size.
pub(crate) const REGIONS: [&str; 8] = ["north", "south", "inner", "outer", "coast", "lakes", "hills", "delta"];

/// A row of one of the two tables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// See [`DataColumn::Id`], and its variants for the other fields.
    pub id: i64,
    /// Secondary key.
    pub scatter: i64,
    /// Quantity.
    pub value: i64,
    /// Class.
    pub category: i64,
    /// Money, in hundredths.
    pub amount_cents: i64,
    /// Price.
    pub price: f64,
    /// Region.
    pub region: &'static str,
    /// ASCII.
    pub code: [u8; 16],
    /// ASCII.
    pub filler: [u8; 96],
}

impl Row {
    /// Pushes all fields, in the order of the columns.
    #[inline]
    pub fn push(&self, sink: &mut dyn RowSink) {
        sink.int(self.id);
        sink.int(self.scatter);
        sink.int(self.value);
        sink.int(self.category);
        sink.int(0);
        sink.decimal(self.amount_cents, 2);
        sink.float(self.price);
        sink.text(self.region);
        sink.text(ascii(&self.code));
        sink.text(ascii(&self.filler));
    }

    /// One field, as an engine should return it.
    pub fn field(&self, column: DataColumn) -> Value<'static> {
        match column {
            DataColumn::Id => Value::Int(self.id),
            DataColumn::Scatter => Value::Int(self.scatter),
            DataColumn::Value => Value::Int(self.value),
            DataColumn::Category => Value::Int(self.category),
            DataColumn::Touched => Value::Int(0),
            DataColumn::Amount => Value::Decimal(Cow::Owned(decimal(self.amount_cents.into(), 2))),
            DataColumn::Price => Value::Float(self.price),
            DataColumn::Region => Value::Text(Cow::Borrowed(self.region)),
            DataColumn::Code => Value::Text(Cow::Owned(ascii(&self.code).to_owned())),
            DataColumn::Filler => Value::Text(Cow::Owned(ascii(&self.filler).to_owned())),
        }
    }
}

/// Text of bytes that are ASCII by construction.
fn ascii(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

/// `unscaled` · 10^-`scale` in its shortest form: `-12.5`.
pub(crate) fn decimal(unscaled: i128, scale: u32) -> String {
    let sign = if unscaled < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", unscaled.unsigned_abs(), width = scale as usize + 1);
    let (whole, part) = digits.split_at(digits.len() - scale as usize);
    match part.trim_end_matches('0') {
        "" => format!("{sign}{whole}"),
        part => format!("{sign}{whole}.{part}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_is_written_in_its_shortest_form() {
        let cents =
            [(0, "0"), (5, "0.05"), (-5, "-0.05"), (50, "0.5"), (100, "1"), (-1_250, "-12.5"), (100_000, "1000")];
        for (unscaled, text) in cents {
            assert_eq!(decimal(unscaled, 2), text);
        }
        assert_eq!([decimal(70, 0), decimal(-5, 3)], ["70", "-0.005"]);
    }
}
