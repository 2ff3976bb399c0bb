//! Prepared statements over the C API: bind, step, read every column, reset; no allocation.

use std::ffi::{CStr, c_char, c_int};
use std::hint::black_box;
use std::ptr;

use engine::{Error, Kind, Value};
use libsqlite3_sys as ffi;

/// An error of the library, or of dbdyno.
pub(crate) enum Failed {
    /// The library's result code; the connection has the message.
    Code(c_int),
    /// An error of dbdyno.
    Error(Error),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Failed {
        Failed::Error(error)
    }
}

/// A prepared statement; must be dropped before its connection is.
pub(crate) struct Prepared {
    raw: *mut ffi::sqlite3_stmt,
    binds: c_int,
}

// SAFETY: a statement belongs to a session, which is used by one thread at a time.
unsafe impl Send for Prepared {}

impl Prepared {
    /// Prepares the one statement in `sql`.
    ///
    /// # Safety
    /// `connection` is open, used by this thread alone, and closed after the statement is dropped.
    pub(crate) unsafe fn new(connection: *mut ffi::sqlite3, sql: &str) -> Result<Prepared, Failed> {
        let Ok(size) = c_int::try_from(sql.len()) else {
            return Err(Error::new(Kind::Statement, format!("a statement of {} bytes is too long", sql.len())).into());
        };
        let mut raw = ptr::null_mut();
        let mut tail = ptr::null();
        // SAFETY: the connection is open, the text is given with its length, the results are written to locals.
        let code = unsafe {
            let flags = ffi::SQLITE_PREPARE_PERSISTENT as _;
            ffi::sqlite3_prepare_v3(connection, sql.as_ptr().cast(), size, flags, &raw mut raw, &raw mut tail)
        };
        if code != ffi::SQLITE_OK {
            return Err(Failed::Code(code));
        }
        // SAFETY: a statement that was prepared, or null, which every function takes for one without binds.
        let prepared = Prepared { raw, binds: unsafe { ffi::sqlite3_bind_parameter_count(raw) } };
        let read = (tail as usize).saturating_sub(sql.as_ptr() as usize);
        let rest = sql.get(read..).unwrap_or_default().trim_matches([' ', '\t', '\r', '\n', ';']);
        match (raw.is_null(), rest.is_empty()) {
            (false, true) => Ok(prepared),
            (true, _) => Err(Error::new(Kind::Statement, "the statement is empty").into()),
            (false, false) => {
                Err(Error::new(Kind::Statement, format!("more than one statement, the second one is {rest}")).into())
            }
        }
    }

    pub(crate) fn raw(&self) -> *mut ffi::sqlite3_stmt {
        self.raw
    }

    /// Binds all values. Text is bound without copying: it must not move before the next [`Prepared::reset`].
    fn bind(&self, values: &[Value<'_>]) -> Result<(), Failed> {
        if values.len() != self.binds as usize {
            let message = format!("the statement has {} binds, but {} values were given", self.binds, values.len());
            return Err(Error::new(Kind::Statement, message).into());
        }
        for (position, value) in (1..).zip(values) {
            // SAFETY: the statement is prepared and was reset; text lives until the next reset, see above.
            let code = unsafe {
                match value {
                    Value::Int(value) => ffi::sqlite3_bind_int64(self.raw, position, *value),
                    Value::Float(value) => ffi::sqlite3_bind_double(self.raw, position, *value),
                    Value::Text(text) => bind_text(self.raw, position, text),
                    Value::Null => ffi::sqlite3_bind_null(self.raw, position),
                    Value::Decimal(text) => ffi::sqlite3_bind_double(self.raw, position, nearest(text)?),
                }
            };
            if code != ffi::SQLITE_OK {
                return Err(Failed::Code(code));
            }
        }
        Ok(())
    }

    /// Runs the statement to its end, calls `row` for each row, and counts them; the statement is always reset.
    #[inline]
    pub(crate) fn run(&self, values: &[Value<'_>], mut row: impl FnMut(&Row)) -> Result<u64, Failed> {
        self.bind(values)?;
        let mut rows = 0;
        loop {
            // SAFETY: the statement is prepared, bound, and used by this thread alone.
            match unsafe { ffi::sqlite3_step(self.raw) } {
                ffi::SQLITE_ROW => {
                    rows += 1;
                    row(&Row { statement: self.raw });
                }
                ffi::SQLITE_DONE => break,
                code => {
                    self.reset();
                    return Err(Failed::Code(code));
                }
            }
        }
        self.reset();
        Ok(rows)
    }

    /// Whether it is a query, even if it returns no row.
    pub(crate) fn returns_rows(&self) -> bool {
        // SAFETY: the statement is prepared.
        unsafe { ffi::sqlite3_column_count(self.raw) > 0 }
    }

    /// The names of the columns of its rows.
    pub(crate) fn column_names(&self) -> Vec<String> {
        // SAFETY: the statement is prepared.
        let count = unsafe { ffi::sqlite3_column_count(self.raw) };
        let name = |column| {
            // SAFETY: the column is one of the statement; the text ends with a zero and lives until it is asked for again.
            unsafe {
                let name = ffi::sqlite3_column_name(self.raw, column);
                if name.is_null() { String::new() } else { CStr::from_ptr(name).to_string_lossy().into_owned() }
            }
        };
        (0..count).map(name).collect()
    }

    /// Resets the statement, so that it holds no lock and no text. Its result code is that of the step before.
    pub(crate) fn reset(&self) {
        // SAFETY: the statement is prepared.
        unsafe { ffi::sqlite3_reset(self.raw) };
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        // SAFETY: the connection is still open, see the type; null is allowed.
        unsafe { ffi::sqlite3_finalize(self.raw) };
    }
}

/// Binds text without copying.
///
/// # Safety
/// `statement` is prepared and reset, and `text` stays where it is until the next reset.
pub(crate) unsafe fn bind_text(statement: *mut ffi::sqlite3_stmt, position: c_int, text: &str) -> c_int {
    let Ok(size) = c_int::try_from(text.len()) else { return ffi::SQLITE_TOOBIG };
    // An empty text may have any address, which SQLite must not interpret as null.
    let start: *const c_char = if size == 0 { c"".as_ptr() } else { text.as_ptr().cast() };
    // SAFETY: as the caller promises.
    unsafe { ffi::sqlite3_bind_text(statement, position, start, size, ffi::SQLITE_STATIC()) }
}

/// The double nearest to a decimal: SQLite has no exact decimal type.
fn nearest(text: &str) -> Result<f64, Failed> {
    let invalid = |_| Error::new(Kind::Statement, format!("{text} is not a decimal number")).into();
    text.parse().map_err(invalid)
}

/// The current row of a statement.
pub(crate) struct Row {
    statement: *mut ffi::sqlite3_stmt,
}

impl Row {
    fn columns(&self) -> c_int {
        // SAFETY: the statement is prepared and stands on a row.
        unsafe { ffi::sqlite3_data_count(self.statement) }
    }

    /// Reads every column completely, like a client that uses the row, and drops it.
    #[inline]
    pub(crate) fn read(&self) {
        let mut sum: u64 = 0;
        for column in 0..self.columns() {
            // SAFETY: the statement stands on a row that has this column.
            sum = sum.wrapping_add(unsafe {
                match ffi::sqlite3_column_type(self.statement, column) {
                    ffi::SQLITE_INTEGER => ffi::sqlite3_column_int64(self.statement, column) as u64,
                    ffi::SQLITE_FLOAT => ffi::sqlite3_column_double(self.statement, column).to_bits(),
                    ffi::SQLITE_NULL => 0,
                    _ => self.bytes(column).iter().map(|byte| u64::from(*byte)).sum(),
                }
            });
        }
        black_box(sum);
    }

    /// The row, copied.
    pub(crate) fn values(&self) -> Vec<Value<'static>> {
        let value = |column| {
            // SAFETY: the statement stands on a row that has this column.
            unsafe {
                match ffi::sqlite3_column_type(self.statement, column) {
                    ffi::SQLITE_INTEGER => Value::Int(ffi::sqlite3_column_int64(self.statement, column)),
                    ffi::SQLITE_FLOAT => Value::Float(ffi::sqlite3_column_double(self.statement, column)),
                    ffi::SQLITE_NULL => Value::Null,
                    _ => Value::Text(String::from_utf8_lossy(self.bytes(column)).into_owned().into()),
                }
            }
        };
        (0..self.columns()).map(value).collect()
    }

    /// The bytes of a text (or blob), until the next step.
    ///
    /// # Safety
    /// The statement stands on a row that has this column.
    unsafe fn bytes(&self, column: c_int) -> &[u8] {
        // SAFETY: the text is asked for before its length, as the library wants it; nothing else happens in between.
        unsafe {
            let start = ffi::sqlite3_column_text(self.statement, column);
            let size = ffi::sqlite3_column_bytes(self.statement, column);
            if start.is_null() { &[] } else { std::slice::from_raw_parts(start, size as usize) }
        }
    }
}
