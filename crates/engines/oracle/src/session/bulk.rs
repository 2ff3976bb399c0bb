//! Bulk loads: arrays of binds.
//!
//! A load that fits one array is a direct path load (`append_values`): whole blocks above the high-water mark,
//! compressed where the table is. A transaction can load a table by direct path only once, so a longer load uses
//! conventional inserts, array by array. Direct path loads of one table are serialized; a load within a transaction of
//! the caller therefore uses conventional inserts, which basic compression does not compress.

use std::time::Instant;

use engine::{Column, Error, IsoDate, Kind, Result, RowSink, RowSource, Session};
use oracledb::{BindParameters, Connection, OracleTimestamp, ToDbValue};

use super::OracleSession;
use super::value::{Cell, EMPTY_TEXT};
use crate::dialect::quoted;

/// Rows of one array: enough for the largest step of a test.
const ARRAY_ROWS: usize = 65_536;

/// Collects fields.
struct Cells<'a> {
    cells: &'a mut Vec<Cell>,
    /// The first invalid value.
    invalid: Option<String>,
}

impl RowSink for Cells<'_> {
    fn int(&mut self, value: i64) {
        self.cells.push(Cell::Int(value));
    }

    fn float(&mut self, value: f64) {
        self.cells.push(Cell::Float(value));
    }

    fn decimal(&mut self, unscaled: i64, scale: u8) {
        let text = decimal(unscaled, scale);
        match text.parse() {
            Ok(number) => self.cells.push(Cell::Number(number)),
            Err(_) => {
                self.invalid.get_or_insert_with(|| format!("{text} is not a decimal number"));
                self.cells.push(Cell::Int(unscaled));
            }
        }
    }

    fn date(&mut self, days_since_epoch: i32) {
        let date = IsoDate::of(days_since_epoch);
        if date.is_none() {
            self.invalid.get_or_insert_with(|| format!("day {days_since_epoch} after 1970-01-01 is out of range"));
        }
        let (year, month, day) = date.map_or((1970, 1, 1), |date| date.parts());
        self.cells.push(Cell::Date(OracleTimestamp::new_date(year as i16, month, day)));
    }

    fn text(&mut self, value: &str) {
        self.cells.push(Cell::Text(if value.is_empty() { EMPTY_TEXT } else { value }.to_owned()));
    }
}

/// `unscaled` · 10^-`scale`, with a point.
fn decimal(unscaled: i64, scale: u8) -> String {
    let scale = usize::from(scale);
    let digits = format!("{:0>1$}", unscaled.unsigned_abs(), scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let sign = if unscaled < 0 { "-" } else { "" };
    format!("{sign}{whole}.{fraction}")
}

/// The statement of a load into `table`.
pub(crate) fn insert(table: &str, columns: &[Column], direct: bool) -> String {
    let names: Vec<String> = columns.iter().map(|column| quoted(&column.name)).collect();
    let binds: Vec<String> = (1..=columns.len()).map(|position| format!(":{position}")).collect();
    let hint = if direct { "/*+ append_values */ " } else { "" };
    format!("insert {hint}into {} ({}) values ({})", quoted(table), names.join(", "), binds.join(", "))
}

impl OracleSession {
    /// Loads all rows in one transaction.
    pub(super) fn load(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        self.begin()?;
        match self.load_arrays(table, rows, true) {
            Ok(count) => self.commit().map(|()| count),
            Err(error) => {
                // The first error is reported.
                let _ = self.rollback();
                Err(error)
            }
        }
    }

    /// Loads all rows within the open transaction, by direct path where allowed and possible.
    pub(super) fn load_arrays(&mut self, table: &str, rows: &mut dyn RowSource, may_be_direct: bool) -> Result<u64> {
        let columns = rows.columns().to_vec();
        let mut cells = std::mem::take(&mut self.cells);
        let loaded = self.send_arrays(table, &columns, rows, may_be_direct, &mut cells);
        cells.clear();
        self.cells = cells;
        loaded
    }

    fn send_arrays(
        &mut self,
        table: &str,
        columns: &[Column],
        rows: &mut dyn RowSource,
        may_be_direct: bool,
        cells: &mut Vec<Cell>,
    ) -> Result<u64> {
        let mut loaded = 0;
        let (mut first, mut more) = (true, true);
        while more {
            more = fill(cells, rows)?;
            let direct = may_be_direct && first && !more;
            if !cells.is_empty() {
                loaded += self.send(&insert(table, columns, direct), columns.len(), cells)?;
            }
            first = false;
        }
        Ok(loaded)
    }

    fn send(&mut self, sql: &str, width: usize, cells: &[Cell]) -> Result<u64> {
        self.changed = true;
        let values: Vec<&dyn ToDbValue> = cells.iter().map(Cell::as_value).collect();
        let rows: Vec<&[&dyn ToDbValue]> = values.chunks(width).collect();
        let start = Instant::now();
        let done = Connection::execute_batch(&self.connection, sql, BindParameters::from(rows.as_slice()));
        self.sending += start.elapsed();
        done.map(|done| done.rows_affected()).map_err(|error| self.refused(&error))
    }
}

/// Fills the next array; whether there may be more rows.
fn fill(cells: &mut Vec<Cell>, rows: &mut dyn RowSource) -> Result<bool> {
    cells.clear();
    let mut sink = Cells { cells, invalid: None };
    let mut count = 0;
    while count < ARRAY_ROWS && rows.next(&mut sink) {
        count += 1;
    }
    match sink.invalid {
        Some(reason) => Err(Error::new(Kind::Statement, reason)),
        None => Ok(count == ARRAY_ROWS),
    }
}

#[cfg(test)]
mod tests {
    use oracledb::OracleNumber;

    use super::*;
    use engine::ColumnType;

    struct Rows {
        columns: Vec<Column>,
        left: usize,
    }

    impl RowSource for Rows {
        fn columns(&self) -> &[Column] {
            &self.columns
        }

        fn next(&mut self, sink: &mut dyn RowSink) -> bool {
            let more = self.left > 0;
            if more {
                self.left -= 1;
                sink.int(self.left as i64);
                sink.decimal(-5, 2);
                sink.text("");
            }
            more
        }
    }

    #[test]
    fn a_load_of_one_array_is_a_direct_one_and_names_its_columns() {
        let column = |name: &str| Column::new(name, ColumnType::Int);
        let columns = [column("id"), column("note")];
        let direct = "insert /*+ append_values */ into \"LOADED_0\" (\"ID\", \"NOTE\") values (:1, :2)";
        assert_eq!(insert("loaded_0", &columns, true), direct);
        assert!(!insert("loaded_0", &columns, false).contains("append"));
    }

    #[test]
    fn rows_come_in_arrays() {
        let mut rows = Rows { columns: Vec::new(), left: ARRAY_ROWS + 3 };
        let mut cells = Vec::new();
        assert!(fill(&mut cells, &mut rows).unwrap());
        assert_eq!(cells.len(), 3 * ARRAY_ROWS);
        assert!(!fill(&mut cells, &mut rows).unwrap());
        assert_eq!(cells.len(), 9);
        let [Cell::Int(2), Cell::Number(cents), Cell::Text(empty)] = &cells[..3] else { panic!("{cells:?}") };
        assert_eq!((cents.to_string().as_str(), empty.as_str()), ("-0.05", EMPTY_TEXT));
        assert!(!fill(&mut cells, &mut rows).unwrap() && cells.is_empty());
    }

    #[test]
    fn a_decimal_has_its_point_where_the_scale_says() {
        assert_eq!(decimal(-5, 2), "-0.05");
        assert_eq!(decimal(i64::MIN, 0), "-9223372036854775808.");
        assert!(
            decimal(i64::MIN, 0).parse::<OracleNumber>().is_ok_and(|number| number.to_string() == i64::MIN.to_string())
        );
    }
}
