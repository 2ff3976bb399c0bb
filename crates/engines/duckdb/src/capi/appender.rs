//! The appender: rows are written into data chunks, which are passed to the library.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr;

use engine::{Column, ColumnType, Error, Kind, Result};

use super::connection::{Connection, text};
use super::function::{Functions, RawAppender, RawChunk, RawType, RawVector, SUCCESS, copied, kind};
use crate::failure;

/// Appends rows to one table, field by field. If it is dropped without [`Appender::finish`], the state is undefined and
/// the transaction must be rolled back.
pub(crate) struct Appender<'a> {
    functions: &'static Functions,
    raw: RawAppender,
    chunk: RawChunk,
    columns: Vec<ColumnBuffer>,
    /// Complete rows of the chunk; less than the capacity.
    row: usize,
    /// Written fields of the current row.
    column: usize,
    /// Rows per chunk.
    capacity: usize,
    _connection: PhantomData<&'a Connection>,
}

/// Buffer of a column of the chunk.
struct ColumnBuffer {
    kind: ColumnType,
    vector: RawVector,
    data: *mut c_void,
}

impl<'a> Appender<'a> {
    /// An appender to the columns `columns` of `table`.
    pub(crate) fn new(connection: &'a Connection, table: &str, columns: &[Column]) -> Result<Appender<'a>> {
        let functions = connection.functions;
        if let Some(column) = columns.iter().find(|column| !is_writable(column.kind)) {
            let message = format!("column {} has type {:?}, which is not supported", column.name, column.kind);
            return Err(Error::new(Kind::Statement, message).hint("use a decimal of at most 18 digits"));
        }
        let buffer =
            |column: &Column| ColumnBuffer { kind: column.kind, vector: ptr::null_mut(), data: ptr::null_mut() };
        let mut appender = Appender {
            functions,
            raw: ptr::null_mut(),
            chunk: ptr::null_mut(),
            columns: columns.iter().map(buffer).collect(),
            row: 0,
            column: 0,
            // SAFETY: a constant of the library.
            capacity: unsafe { (functions.vector_size)() } as usize,
            _connection: PhantomData,
        };
        let table = text(table)?;
        // SAFETY: the connection is open and stays so as long as the appender; texts end with a zero and outlive the
        // calls; what is made is destroyed when the appender is dropped, whatever the outcome.
        unsafe {
            let state = (functions.appender_create)(connection.raw, ptr::null(), table.as_ptr(), &raw mut appender.raw);
            appender.checked(state)?;
            for column in columns {
                let name = text(&column.name)?;
                let added = appender.checked((functions.appender_add_column)(appender.raw, name.as_ptr()));
                added.map_err(|error| Error {
                    message: format!("column {}: {}", column.name, error.message),
                    ..error
                })?;
            }
            let mut types: Vec<RawType> = columns.iter().map(|column| logical(functions, column.kind)).collect();
            appender.chunk = (functions.create_data_chunk)(types.as_mut_ptr(), types.len() as u64);
            types.iter_mut().for_each(|one| (functions.destroy_logical_type)(one));
        }
        if appender.chunk.is_null() {
            return Err(Error::new(Kind::Statement, format!("a load of {} columns is rejected", columns.len())));
        }
        appender.update_buffers();
        Ok(appender)
    }

    /// Number of fields of the current row so far.
    pub(crate) fn fields(&self) -> usize {
        self.column
    }

    /// The type of the next field; `None` if the row is complete.
    #[inline]
    pub(crate) fn expected(&self) -> Option<ColumnType> {
        self.columns.get(self.column).map(|buffer| buffer.kind)
    }

    /// Writes an integer as the next field; false if that has another type.
    #[inline]
    pub(crate) fn int(&mut self, value: i64) -> bool {
        let fits = self.expected() == Some(ColumnType::Int);
        if fits {
            // SAFETY: the column has integers of 8 bytes, and room for this row.
            unsafe { *self.columns[self.column].data.cast::<i64>().add(self.row) = value };
            self.column += 1;
        }
        fits
    }

    /// Writes a double as the next field; false if that has another type.
    #[inline]
    pub(crate) fn float(&mut self, value: f64) -> bool {
        let fits = self.expected() == Some(ColumnType::Float);
        if fits {
            // SAFETY: the column has doubles, and room for this row.
            unsafe { *self.columns[self.column].data.cast::<f64>().add(self.row) = value };
            self.column += 1;
        }
        fits
    }

    /// Writes a decimal of the column's scale, no larger than its precision allows, as the next field; false if that
    /// has another type.
    #[inline]
    pub(crate) fn decimal(&mut self, unscaled: i64) -> bool {
        let Some(ColumnType::Decimal { precision, .. }) = self.expected() else { return false };
        let data = self.columns[self.column].data;
        // SAFETY: the column has integers of the size that the library keeps such a decimal in, and room for this row.
        unsafe {
            match precision {
                0..=4 => *data.cast::<i16>().add(self.row) = unscaled as i16,
                5..=9 => *data.cast::<i32>().add(self.row) = unscaled as i32,
                _ => *data.cast::<i64>().add(self.row) = unscaled,
            }
        }
        self.column += 1;
        true
    }

    /// Writes a date, in days since 1970-01-01, as the next field; false if that has another type.
    #[inline]
    pub(crate) fn date(&mut self, days: i32) -> bool {
        let fits = self.expected() == Some(ColumnType::Date);
        if fits {
            // SAFETY: the column has dates, which the library keeps as such days in 4 bytes, and room for this row.
            unsafe { *self.columns[self.column].data.cast::<i32>().add(self.row) = days };
            self.column += 1;
        }
        fits
    }

    /// Writes text as the next field; false if that has another type.
    #[inline]
    pub(crate) fn text(&mut self, value: &str) -> bool {
        let fits = matches!(self.expected(), Some(ColumnType::Text { .. } | ColumnType::Json));
        if fits {
            let (vector, start, size) = (self.columns[self.column].vector, value.as_ptr().cast(), value.len() as u64);
            // SAFETY: the column has texts, and room for this row; the text is given with its length and copied.
            unsafe { (self.functions.vector_assign_string_element_len)(vector, self.row as u64, start, size) };
            self.column += 1;
        }
        fits
    }

    /// Ends a row; false if fields are missing.
    pub(crate) fn end_row(&mut self) -> Result<bool> {
        if self.column != self.columns.len() {
            return Ok(false);
        }
        self.column = 0;
        self.row += 1;
        if self.row == self.capacity {
            self.append()?;
        }
        Ok(true)
    }

    /// Passes the complete rows of the chunk to the library, and resets it.
    fn append(&mut self) -> Result<()> {
        // SAFETY: the appender and the chunk are open, and so many rows of it are written in every column.
        unsafe {
            (self.functions.data_chunk_set_size)(self.chunk, self.row as u64);
            let state = (self.functions.append_data_chunk)(self.raw, self.chunk);
            self.checked(state)?;
            (self.functions.data_chunk_reset)(self.chunk);
        }
        self.row = 0;
        self.update_buffers();
        Ok(())
    }

    /// Appends the remaining rows and closes the appender.
    pub(crate) fn finish(mut self) -> Result<()> {
        if self.row > 0 {
            self.append()?;
        }
        // SAFETY: the appender is open.
        let state = unsafe { (self.functions.appender_close)(self.raw) };
        self.checked(state)
    }

    /// Updates the column buffers: a reset chunk may use other memory.
    fn update_buffers(&mut self) {
        for (index, buffer) in (0..).zip(&mut self.columns) {
            // SAFETY: the chunk has as many columns as there are places.
            unsafe {
                buffer.vector = (self.functions.data_chunk_get_vector)(self.chunk, index);
                buffer.data = (self.functions.vector_get_data)(buffer.vector);
            }
        }
    }

    fn checked(&self, state: u32) -> Result<()> {
        if state == SUCCESS {
            return Ok(());
        }
        // SAFETY: the appender was made, be it only to hold the reason why it cannot be used; the text is copied.
        Err(failure::of(&unsafe { copied((self.functions.appender_error)(self.raw)) }))
    }
}

impl Drop for Appender<'_> {
    fn drop(&mut self) {
        // SAFETY: both are not used any more; null is allowed.
        unsafe {
            (self.functions.destroy_data_chunk)(&raw mut self.chunk);
            (self.functions.appender_destroy)(&raw mut self.raw);
        }
    }
}

/// Whether a value of the column fits into 64 bits.
fn is_writable(column: ColumnType) -> bool {
    match column {
        ColumnType::Decimal { precision, scale } => (1..=18).contains(&precision) && scale <= precision,
        // No rows that are appended have one.
        ColumnType::Timestamp => false,
        _ => true,
    }
}

/// # Safety
/// The result is destroyed.
unsafe fn logical(functions: &Functions, column: ColumnType) -> RawType {
    // SAFETY: types are made from nothing.
    unsafe {
        match column {
            ColumnType::Int => (functions.create_logical_type)(kind::BIGINT),
            ColumnType::Float => (functions.create_logical_type)(kind::DOUBLE),
            ColumnType::Date => (functions.create_logical_type)(kind::DATE),
            ColumnType::Timestamp | ColumnType::Text { .. } | ColumnType::Json => {
                (functions.create_logical_type)(kind::VARCHAR)
            }
            ColumnType::Decimal { precision, scale } => (functions.create_decimal_type)(precision, scale),
        }
    }
}
