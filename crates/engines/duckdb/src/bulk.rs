//! Bulk load: the appender, filled with one data chunk at a time.

use engine::{ColumnType, Error, IsoDate, Kind, Result, RowSink, RowSource};

use crate::capi::{Appender, Connection};
use crate::number::Exact;

/// Appends all rows to `table`; returns their number. The caller has started a transaction, and rolls it back if this
/// fails.
pub(crate) fn append(connection: &Connection, table: &str, rows: &mut dyn RowSource) -> Result<u64> {
    let mut filler = Filler { appender: Appender::new(connection, table, rows.columns())?, problem: None };
    let columns = rows.columns().len();
    let mut count = 0;
    while rows.next(&mut filler) {
        if filler.problem.is_none() && !filler.appender.end_row()? {
            filler.problem = Some(format!("{} fields, not {columns}", filler.appender.fields()));
        }
        if let Some(problem) = filler.problem {
            return Err(Error::new(Kind::Statement, format!("row {count} of the load has {problem}")));
        }
        count += 1;
    }
    filler.appender.finish()?;
    Ok(count)
}

/// Writes fields as they are pushed.
struct Filler<'a> {
    appender: Appender<'a>,
    /// The problem of the first invalid field of this row.
    problem: Option<String>,
}

impl Filler<'_> {
    #[inline]
    fn record_problem(&mut self, fits: bool, what: &str) {
        if !fits && self.problem.is_none() {
            self.problem = Some(type_mismatch(what, self.appender.fields(), self.appender.expected()));
        }
    }
}

#[cold]
fn type_mismatch(what: &str, fields: usize, expected: Option<ColumnType>) -> String {
    match expected {
        Some(kind) => format!("{what} in column {}, which is {kind:?}", fields + 1),
        None => format!("more than {fields} fields"),
    }
}

impl RowSink for Filler<'_> {
    fn int(&mut self, value: i64) {
        let fits = self.appender.int(value);
        self.record_problem(fits, "an integer");
    }

    fn float(&mut self, value: f64) {
        let fits = self.appender.float(value);
        self.record_problem(fits, "a double");
    }

    fn decimal(&mut self, unscaled: i64, scale: u8) {
        let stored = self.appender.expected().and_then(|kind| stored(unscaled, scale, kind));
        match stored.map(|value| self.appender.decimal(value)) {
            Some(fits) => self.record_problem(fits, "a decimal"),
            None => self.record_problem(false, &format!("{}", Exact { unscaled: i128::from(unscaled), scale })),
        }
    }

    fn date(&mut self, days_since_epoch: i32) {
        match IsoDate::covers(days_since_epoch) {
            true => {
                let fits = self.appender.date(days_since_epoch);
                self.record_problem(fits, "a date");
            }
            false => self.record_problem(false, &format!("day {days_since_epoch} after 1970-01-01")),
        }
    }

    fn text(&mut self, value: &str) {
        let fits = self.appender.text(value);
        self.record_problem(fits, "a text");
    }
}

/// A decimal as stored by a column of type `kind`, if it fits.
fn stored(unscaled: i64, scale: u8, kind: ColumnType) -> Option<i64> {
    let ColumnType::Decimal { precision, scale: wanted } = kind else { return None };
    let value = match scale == wanted {
        true => unscaled,
        false => i64::try_from(Exact { unscaled: i128::from(unscaled), scale }.rescaled(wanted)?.unscaled).ok()?,
    };
    (value.unsigned_abs() < 10u64.checked_pow(u32::from(precision))?).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_that_does_not_fit_its_column_is_not_stored() {
        let kind = ColumnType::Decimal { precision: 5, scale: 2 };
        for (unscaled, scale, expected) in [
            (99_999, 2, Some(99_999)),
            (-99_999, 2, Some(-99_999)),
            (100_000, 2, None),
            (i64::MIN, 2, None),
            (12, 0, Some(1_200)),
            (1_250, 3, Some(125)),
            (1_251, 3, None),
            (1, 40, None),
        ] {
            assert_eq!(stored(unscaled, scale, kind), expected, "{unscaled}e-{scale}");
        }
    }
}
