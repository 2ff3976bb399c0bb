//! The cells of one column of a Parquet file.

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result};
use parquet::schema::types::Type;
use tables::{Type as Held, Value};

/// The values that exist, and for each row whether it has one.
pub(crate) struct Cells {
    values: Values,
    present: Vec<i16>,
}

enum Values {
    Text(Vec<ByteArray>),
    Count(Vec<i64>),
    Number(Vec<f64>),
    Flag(Vec<bool>),
}

impl Cells {
    pub(crate) fn new(held: Held) -> Cells {
        let values = match held {
            Held::Text => Values::Text(Vec::new()),
            Held::Count => Values::Count(Vec::new()),
            Held::Number => Values::Number(Vec::new()),
            Held::Flag => Values::Flag(Vec::new()),
        };
        Cells { values, present: Vec::new() }
    }

    /// Appends a cell; a value of another type is empty.
    pub(crate) fn push(&mut self, value: &Value<'_>) {
        let present = match (&mut self.values, value) {
            (Values::Text(values), Value::Text(text)) => push(values, ByteArray::from(text.as_ref())),
            // The same 64 bits: the schema declares the column as unsigned.
            (Values::Count(values), Value::Count(count)) => push(values, count.cast_signed()),
            (Values::Number(values), Value::Number(number)) => push(values, *number),
            (Values::Flag(values), Value::Flag(flag)) => push(values, *flag),
            _ => 0,
        };
        self.present.push(present);
    }

    /// Writes all cells and clears them.
    pub(crate) fn write(&mut self, writer: &mut ColumnWriter<'_>) -> Result<()> {
        let present = Some(self.present.as_slice());
        let written = match (&mut self.values, writer) {
            (Values::Text(values), ColumnWriter::ByteArrayColumnWriter(writer)) => {
                writer.write_batch(values, present, None)
            }
            (Values::Count(values), ColumnWriter::Int64ColumnWriter(writer)) => {
                writer.write_batch(values, present, None)
            }
            (Values::Number(values), ColumnWriter::DoubleColumnWriter(writer)) => {
                writer.write_batch(values, present, None)
            }
            (Values::Flag(values), ColumnWriter::BoolColumnWriter(writer)) => writer.write_batch(values, present, None),
            _ => Err(ParquetError::General("the type of a column differs from its schema".to_owned())),
        };
        self.present.clear();
        match &mut self.values {
            Values::Text(values) => values.clear(),
            Values::Count(values) => values.clear(),
            Values::Number(values) => values.clear(),
            Values::Flag(values) => values.clear(),
        }
        written.map(|_| ())
    }
}

/// Appends a value; 1 is the definition level of a present cell.
fn push<T>(values: &mut Vec<T>, value: T) -> i16 {
    values.push(value);
    1
}

/// The type of a column in the schema of a file.
pub(crate) fn schema(name: &str, held: Held) -> Result<Type> {
    let (physical, logical) = match held {
        Held::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Held::Count => (Physical::INT64, Some(LogicalType::integer(64, false))),
        Held::Number => (Physical::DOUBLE, None),
        Held::Flag => (Physical::BOOLEAN, None),
    };
    let column = Type::primitive_type_builder(name, physical).with_logical_type(logical);
    column.with_repetition(Repetition::OPTIONAL).build()
}
