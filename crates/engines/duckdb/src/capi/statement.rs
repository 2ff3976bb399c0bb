//! Prepared statements: bind, execute.

use std::ptr;

use engine::{Error, Kind, Result, Value};

use super::connection::{Connection, text};
use super::function::{Functions, RawDecimal, RawHuge, RawResult, RawStatement, SUCCESS, copied};
use super::outcome::Outcome;
use crate::failure;
use crate::number::Exact;

/// Maximum precision of the library's decimals.
const DECIMAL_DIGITS_MAX: u8 = 38;

/// A prepared statement of one connection, used by the same thread.
#[derive(Debug)]
pub(crate) struct Prepared {
    functions: &'static Functions,
    raw: RawStatement,
    binds: u64,
}

// SAFETY: as for the connection.
unsafe impl Send for Prepared {}

impl Prepared {
    /// Prepares the one statement in `sql`. The library keeps alive what it needs of the connection.
    pub(crate) fn new(connection: &Connection, sql: &str) -> Result<Prepared> {
        let functions = connection.functions;
        let sql = text(sql)?;
        let mut raw = ptr::null_mut();
        // SAFETY: the connection is open, the text ends with a zero, the result is written to a local.
        let state = unsafe { (functions.prepare)(connection.raw, sql.as_ptr(), &raw mut raw) };
        // Must be destroyed also if it failed.
        let mut prepared = Prepared { functions, raw, binds: 0 };
        // SAFETY: the statement is the one just given, prepared or with the reason why it is not.
        unsafe {
            if state != SUCCESS {
                return Err(failure::of(&copied((functions.prepare_error)(raw))));
            }
            prepared.binds = (functions.nparams)(raw);
        }
        Ok(prepared)
    }

    /// Binds `values` and runs the statement to its end.
    pub(crate) fn run(&self, values: &[Value<'_>]) -> Result<Outcome> {
        self.bind(values)?;
        let mut raw = RawResult::EMPTY;
        // SAFETY: the statement is prepared and all its binds are set, the result is written to a local, which
        // `Outcome` destroys also where the statement failed.
        let state = unsafe { (self.functions.execute_prepared)(self.raw, &raw mut raw) };
        // SAFETY: the result is the one just given, and given to nobody else.
        unsafe { Outcome::new(self.functions, raw, state) }
    }

    fn bind(&self, values: &[Value<'_>]) -> Result<()> {
        if values.len() as u64 != self.binds {
            let message = format!("the statement has {} binds, but {} values were given", self.binds, values.len());
            return Err(Error::new(Kind::Statement, message));
        }
        for (position, value) in (1..).zip(values) {
            // SAFETY: the statement is prepared; text is given with its length and copied by the library.
            let state = unsafe {
                match value {
                    Value::Null => (self.functions.bind_null)(self.raw, position),
                    Value::Int(value) => (self.functions.bind_int64)(self.raw, position, *value),
                    Value::Float(value) => (self.functions.bind_double)(self.raw, position, *value),
                    Value::Decimal(text) => (self.functions.bind_decimal)(self.raw, position, decimal(text)?),
                    Value::Text(text) => {
                        let (start, size) = (text.as_ptr().cast(), text.len() as u64);
                        (self.functions.bind_varchar_length)(self.raw, position, start, size)
                    }
                }
            };
            if state != SUCCESS {
                return Err(Error::new(Kind::Statement, format!("bind {position} was rejected: {value:?}")));
            }
        }
        Ok(())
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        // SAFETY: the statement is not used any more; null is allowed.
        unsafe { (self.functions.destroy_prepare)(&raw mut self.raw) };
    }
}

fn decimal(text: &str) -> Result<RawDecimal> {
    let exact = Exact::parse(text).filter(|exact| exact.digits() <= DECIMAL_DIGITS_MAX);
    let exact = exact.ok_or_else(|| {
        let message = format!("{text} is not a decimal number of at most {DECIMAL_DIGITS_MAX} digits");
        Error::new(Kind::Statement, message)
    })?;
    let value = RawHuge { lower: exact.unscaled as u64, upper: (exact.unscaled >> 64) as i64 };
    // The same width for all values, so that a statement is not replanned for each.
    Ok(RawDecimal { width: DECIMAL_DIGITS_MAX, scale: exact.scale, value })
}
