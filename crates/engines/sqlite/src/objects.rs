//! Files stored in SQLite: one blob each, through the library's incremental I/O.
//!
//! A blob cannot grow: it is created with its full length of zeros, which are written too. While it is open for
//! writing, its transaction cannot be committed; so it is closed first.

use std::ffi::c_int;
use std::ptr;

use engine::{Error, Kind, ObjectAccess, ObjectExtent, ObjectForm, ObjectSession, Result, Session, Statement, Value};
use libsqlite3_sys as ffi;
use record::Bytes;

use crate::session::SqliteSession;

/// The form of SQLite. A row has at most a billion bytes (default `SQLITE_MAX_LENGTH`), including some overhead.
pub(crate) const FORMS: &[ObjectForm] = &[ObjectForm {
    name: "blob",
    means: "a blob for each file, through incremental I/O (sqlite3_blob_write and sqlite3_blob_read)",
    file_bytes_max: Bytes(1_000_000_000 - 1024),
    is_allocated: true,
}];

const FILES: &str = "dbdyno_file";

/// A session that stores files. The open blob is closed before the session.
pub(crate) struct SqliteObjects {
    blob: *mut ffi::sqlite3_blob,
    create: Option<Statement>,
    session: SqliteSession,
}

// SAFETY: as of the session, the blob belongs to its connection and is used through `&mut` by one thread at a time.
unsafe impl Send for SqliteObjects {}

impl SqliteObjects {
    pub(crate) fn new(session: SqliteSession, form: &ObjectForm) -> Result<SqliteObjects> {
        match FORMS.contains(form) {
            true => Ok(SqliteObjects { blob: ptr::null_mut(), create: None, session }),
            false => Err(Error::new(Kind::Usage, format!("SQLite does not store files as {}", form.name))),
        }
    }

    /// Closes the open blob; returns the result code.
    fn end(&mut self) -> c_int {
        let blob = std::mem::replace(&mut self.blob, ptr::null_mut());
        // SAFETY: the blob is open or null, which is allowed, and is not used afterwards.
        unsafe { ffi::sqlite3_blob_close(blob) }
    }

    fn check(&self, code: c_int) -> Result<()> {
        if code == ffi::SQLITE_OK { Ok(()) } else { Err(self.session.error_of(code)) }
    }

    /// Checks a range of the open blob, and converts it for the library.
    fn range(&self, at: u64, length: usize) -> Result<(c_int, c_int)> {
        // SAFETY: the blob is open or null, of which the length is 0.
        let size = unsafe { ffi::sqlite3_blob_bytes(self.blob) };
        let end = at.checked_add(length as u64).filter(|end| *end <= size as u64 && !self.blob.is_null());
        match end {
            Some(_) => Ok((at as c_int, length as c_int)),
            None => {
                let message = format!("bytes {at} to {} are not in a blob of {size} bytes", at + length as u64);
                Err(Error::new(Kind::Statement, message))
            }
        }
    }
}

impl ObjectSession for SqliteObjects {
    fn session(&mut self) -> &mut dyn Session {
        &mut self.session
    }

    fn request_bytes_max(&self) -> Bytes {
        FORMS[0].file_bytes_max
    }

    fn make(&mut self) -> Result<()> {
        self.session
            .batch(&format!("create table if not exists {FILES} (number integer primary key, content blob not null)"))
    }

    fn remove(&mut self) -> Result<()> {
        self.create = None;
        self.session.batch(&format!("drop table if exists {FILES}"))
    }

    fn create(&mut self, number: u32, size: Bytes) -> Result<()> {
        let create = match self.create {
            Some(create) => create,
            None => self.session.prepare(&format!("insert into {FILES} values (?1, zeroblob(?2))"))?,
        };
        self.create = Some(create);
        let length = i64::try_from(size.0).unwrap_or(i64::MAX);
        self.session.execute(create, &[Value::Int(number.into()), Value::Int(length)])?;
        self.open(number, ObjectAccess::Write)
    }

    fn open(&mut self, number: u32, access: ObjectAccess) -> Result<()> {
        self.close()?;
        let writes = c_int::from(access == ObjectAccess::Write);
        // SAFETY: the connection is open, the names end with a zero, the blob is written to a place of this session.
        let code = unsafe {
            ffi::sqlite3_blob_open(
                self.session.raw(),
                c"main".as_ptr(),
                c"dbdyno_file".as_ptr(),
                c"content".as_ptr(),
                number.into(),
                writes,
                &raw mut self.blob,
            )
        };
        self.check(code)
    }

    fn write(&mut self, at: u64, content: &[u8]) -> Result<()> {
        let (at, length) = self.range(at, content.len())?;
        // SAFETY: the blob is open, and the bytes are as many as is said; the library copies them.
        let code = unsafe { ffi::sqlite3_blob_write(self.blob, content.as_ptr().cast(), length, at) };
        self.check(code)
    }

    fn read(&mut self, at: u64, into: &mut [u8]) -> Result<()> {
        let (at, length) = self.range(at, into.len())?;
        // SAFETY: the blob is open, and there is room for as many bytes as is said.
        let code = unsafe { ffi::sqlite3_blob_read(self.blob, into.as_mut_ptr().cast(), length, at) };
        self.check(code)
    }

    fn close(&mut self) -> Result<()> {
        let code = self.end();
        self.check(code)
    }

    fn extent(&mut self) -> Result<ObjectExtent> {
        let statement =
            self.session.prepare(&format!("select count(*), coalesce(sum(octet_length(content)), 0) from {FILES}"))?;
        let rows = self.session.query(statement, &[])?;
        match rows.first().map(Vec::as_slice) {
            Some([Value::Int(count), Value::Int(bytes)]) => {
                Ok(ObjectExtent { count: *count as u64, size_bytes: Bytes(*bytes as u64) })
            }
            _ => Err(Error::new(Kind::Statement, "the extent of the files cannot be read")),
        }
    }
}

impl Drop for SqliteObjects {
    fn drop(&mut self) {
        // An error cannot be returned here.
        self.end();
    }
}
