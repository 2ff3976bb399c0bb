//! The functions of the C API that are used, with their types in `duckdb.h`. All of them exist unchanged since 1.2, and
//! none is deprecated.

use std::ffi::{CStr, c_char, c_void};

/// `DuckDBSuccess`.
pub(super) const SUCCESS: u32 = 0;

pub(super) type RawDatabase = *mut c_void;
pub(super) type RawConnection = *mut c_void;
pub(super) type RawConfig = *mut c_void;
pub(super) type RawStatement = *mut c_void;
pub(super) type RawAppender = *mut c_void;
pub(super) type RawChunk = *mut c_void;
pub(super) type RawVector = *mut c_void;
pub(super) type RawType = *mut c_void;

/// `duckdb_result`; its contents are private to the library.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct RawResult {
    column_count: u64,
    row_count: u64,
    rows_changed: u64,
    columns: *mut c_void,
    error_message: *mut c_char,
    internal_data: *mut c_void,
}

impl RawResult {
    pub(super) const EMPTY: RawResult = RawResult {
        column_count: 0,
        row_count: 0,
        rows_changed: 0,
        columns: std::ptr::null_mut(),
        error_message: std::ptr::null_mut(),
        internal_data: std::ptr::null_mut(),
    };
}

/// `duckdb_hugeint`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct RawHuge {
    pub(super) lower: u64,
    pub(super) upper: i64,
}

/// `duckdb_decimal`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct RawDecimal {
    pub(super) width: u8,
    pub(super) scale: u8,
    pub(super) value: RawHuge,
}

/// `duckdb_return_type`.
pub(super) mod returns {
    pub(crate) const CHANGED_ROWS: u32 = 1;
    pub(crate) const QUERY_RESULT: u32 = 3;
}

/// `duckdb_type`.
pub(super) mod kind {
    pub(crate) const BOOLEAN: u32 = 1;
    pub(crate) const TINYINT: u32 = 2;
    pub(crate) const SMALLINT: u32 = 3;
    pub(crate) const INTEGER: u32 = 4;
    pub(crate) const BIGINT: u32 = 5;
    pub(crate) const UTINYINT: u32 = 6;
    pub(crate) const USMALLINT: u32 = 7;
    pub(crate) const UINTEGER: u32 = 8;
    pub(crate) const UBIGINT: u32 = 9;
    pub(crate) const FLOAT: u32 = 10;
    pub(crate) const DOUBLE: u32 = 11;
    pub(crate) const TIMESTAMP: u32 = 12;
    pub(crate) const DATE: u32 = 13;
    pub(crate) const HUGEINT: u32 = 16;
    pub(crate) const VARCHAR: u32 = 17;
    pub(crate) const DECIMAL: u32 = 19;
    pub(crate) const TIMESTAMP_TZ: u32 = 31;
    pub(crate) const SQLNULL: u32 = 36;
}

/// Declares the function table and its lookup.
macro_rules! functions {
    ($(fn $name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// Addresses of the functions, each under its name in the header without `duckdb_`.
        #[derive(Debug)]
        pub(super) struct Functions {
            $(pub(super) $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Functions {
            /// Looks up all of them in `library`; the error is the name of a missing one.
            ///
            /// # Safety
            /// `library` is DuckDB's, of version 1.2 or newer, and is never unloaded.
            pub(super) unsafe fn find(library: &libloading::Library) -> Result<Functions, &'static str> {
                Ok(Functions {
                    // SAFETY: the name is one of the header's, and the type is what the header declares for it.
                    $($name: unsafe {
                        *library
                            .get(concat!("duckdb_", stringify!($name)).as_bytes())
                            .map_err(|_| concat!("duckdb_", stringify!($name)))?
                    },)*
                })
            }
        }
    };
}

functions! {
    fn create_config(*mut RawConfig) -> u32;
    fn set_config(RawConfig, *const c_char, *const c_char) -> u32;
    fn destroy_config(*mut RawConfig);
    fn open_ext(*const c_char, *mut RawDatabase, RawConfig, *mut *mut c_char) -> u32;
    fn close(*mut RawDatabase);
    fn free(*mut c_void);
    fn connect(RawDatabase, *mut RawConnection) -> u32;
    fn disconnect(*mut RawConnection);
    fn interrupt(RawConnection);

    fn query(RawConnection, *const c_char, *mut RawResult) -> u32;
    fn prepare(RawConnection, *const c_char, *mut RawStatement) -> u32;
    fn prepare_error(RawStatement) -> *const c_char;
    fn destroy_prepare(*mut RawStatement);
    fn nparams(RawStatement) -> u64;
    fn bind_null(RawStatement, u64) -> u32;
    fn bind_int64(RawStatement, u64, i64) -> u32;
    fn bind_double(RawStatement, u64, f64) -> u32;
    fn bind_decimal(RawStatement, u64, RawDecimal) -> u32;
    fn bind_varchar_length(RawStatement, u64, *const c_char, u64) -> u32;
    fn execute_prepared(RawStatement, *mut RawResult) -> u32;

    fn destroy_result(*mut RawResult);
    fn result_error(*mut RawResult) -> *const c_char;
    fn result_return_type(RawResult) -> u32;
    fn rows_changed(*mut RawResult) -> u64;
    fn column_count(*mut RawResult) -> u64;
    fn column_name(*mut RawResult, u64) -> *const c_char;
    fn column_type(*mut RawResult, u64) -> u32;
    fn column_logical_type(*mut RawResult, u64) -> RawType;
    fn fetch_chunk(RawResult) -> RawChunk;

    fn create_logical_type(u32) -> RawType;
    fn create_decimal_type(u8, u8) -> RawType;
    fn destroy_logical_type(*mut RawType);
    fn decimal_internal_type(RawType) -> u32;
    fn decimal_scale(RawType) -> u8;

    fn create_data_chunk(*mut RawType, u64) -> RawChunk;
    fn destroy_data_chunk(*mut RawChunk);
    fn data_chunk_reset(RawChunk);
    fn data_chunk_get_vector(RawChunk, u64) -> RawVector;
    fn data_chunk_get_size(RawChunk) -> u64;
    fn data_chunk_set_size(RawChunk, u64);
    fn vector_size() -> u64;
    fn vector_get_data(RawVector) -> *mut c_void;
    fn vector_get_validity(RawVector) -> *mut u64;
    fn vector_assign_string_element_len(RawVector, u64, *const c_char, u64);

    fn appender_create(RawConnection, *const c_char, *const c_char, *mut RawAppender) -> u32;
    fn appender_add_column(RawAppender, *const c_char) -> u32;
    fn appender_error(RawAppender) -> *const c_char;
    fn append_data_chunk(RawAppender, RawChunk) -> u32;
    fn appender_close(RawAppender) -> u32;
    fn appender_destroy(*mut RawAppender) -> u32;
}

/// A text of the library, copied.
///
/// # Safety
/// `text` is null or ends with a zero and lives during the call.
pub(super) unsafe fn copied(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
