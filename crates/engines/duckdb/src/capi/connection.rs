//! A database and the connections to it.

use std::ffi::{CString, c_char};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

use engine::{Error, Kind, Result};

use super::function::{Functions, RawConnection, RawDatabase, RawResult, SUCCESS, copied};
use super::library::Library;
use super::outcome::Outcome;
use crate::failure;

/// An open database; closed when it and all its connections are dropped.
#[derive(Debug)]
pub(crate) struct Database {
    functions: &'static Functions,
    raw: RawDatabase,
}

// SAFETY: the library lets every thread connect to an open database, and the address is only read until the end.
unsafe impl Send for Database {}
// SAFETY: as above.
unsafe impl Sync for Database {}

impl Database {
    /// Opens or creates the database in the file `path`; without a path, a database in memory. `settings` are names and
    /// values of the library's configuration.
    pub(crate) fn open(library: Library, path: Option<&Path>, settings: &[(&str, String)]) -> Result<Arc<Database>> {
        let functions = library.functions;
        let path = path.map(|path| terminated(path.as_os_str().as_bytes())).transpose()?;
        let pair = |(name, value): &(&str, String)| Ok((text(name)?, text(value)?));
        let texts = settings.iter().map(pair).collect::<Result<Vec<(CString, CString)>>>()?;
        let mut config = ptr::null_mut();
        let mut raw = ptr::null_mut();
        let mut message: *mut c_char = ptr::null_mut();
        // SAFETY: results are written to locals, texts end with a zero and outlive the calls, and the configuration
        // is destroyed once, after its last use.
        let (rejected, opened) = unsafe {
            (functions.create_config)(&raw mut config);
            let set = |(name, value): &(CString, CString)| {
                (functions.set_config)(config, name.as_ptr(), value.as_ptr()) == SUCCESS
            };
            let rejected = texts.iter().position(|pair| !set(pair));
            let path = path.as_ref().map_or(ptr::null(), |path| path.as_ptr());
            let opened =
                rejected.is_none() && (functions.open_ext)(path, &raw mut raw, config, &raw mut message) == SUCCESS;
            (functions.destroy_config)(&raw mut config);
            (rejected, opened)
        };
        if opened {
            return Ok(Arc::new(Database { functions, raw }));
        }
        if let Some((name, value)) = rejected.and_then(|index| settings.get(index)) {
            return Err(Error::new(Kind::Usage, format!("{name}={value} is rejected by DuckDB {}", library.version())));
        }
        // SAFETY: the library gave the text, or none, and it is freed once after it was copied.
        let error = unsafe {
            let error = failure::of(&copied(message));
            (functions.free)(message.cast());
            error
        };
        Err(error)
    }

    /// A new connection.
    pub(crate) fn connect(self: &Arc<Database>) -> Result<Connection> {
        let mut raw = ptr::null_mut();
        // SAFETY: the database is open, the result is written to a local.
        if unsafe { (self.functions.connect)(self.raw, &raw mut raw) } != SUCCESS {
            return Err(Error::new(Kind::Lost, "DuckDB cannot open another connection"));
        }
        let open = Arc::new(Mutex::new(Some(Open(raw))));
        Ok(Connection { functions: self.functions, raw, open, _database: Arc::clone(self) })
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // SAFETY: every connection holds the database, so none is left.
        unsafe { (self.functions.close)(&raw mut self.raw) };
    }
}

/// The handle of an open connection.
#[derive(Debug)]
struct Open(RawConnection);

// SAFETY: the one thing that is done through it from another thread is to interrupt, which the library allows.
unsafe impl Send for Open {}

/// A connection, used by one thread at a time.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(super) functions: &'static Functions,
    pub(super) raw: RawConnection,
    /// Emptied before the connection is closed.
    open: Arc<Mutex<Option<Open>>>,
    _database: Arc<Database>,
}

// SAFETY: the library does not care which thread uses a connection; that it is one at a time is what the missing
// `Sync` says.
unsafe impl Send for Connection {}

impl Connection {
    /// Runs statements, in order, and drops their rows.
    pub(crate) fn run(&self, sql: &str) -> Result<()> {
        let sql = text(sql)?;
        let mut raw = RawResult::EMPTY;
        // SAFETY: the connection is open, the text ends with a zero, the result is written to a local, which
        // `Outcome` destroys also where the statement failed.
        let state = unsafe { (self.functions.query)(self.raw, sql.as_ptr(), &raw mut raw) };
        // SAFETY: the result is the one just given, and given to nobody else.
        unsafe { Outcome::new(self.functions, raw, state) }.map(drop)
    }

    /// A handle to interrupt a statement from another thread.
    pub(crate) fn interrupt(&self) -> Interrupt {
        Interrupt { functions: self.functions, open: Arc::clone(&self.open) }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        *open = None;
        // SAFETY: the connection is open, and nobody interrupts it any more.
        unsafe { (self.functions.disconnect)(&raw mut self.raw) };
    }
}

/// Interrupts a connection while it is open.
pub(crate) struct Interrupt {
    functions: &'static Functions,
    open: Arc<Mutex<Option<Open>>>,
}

impl Interrupt {
    pub(crate) fn now(&self) {
        if let Some(Open(raw)) = &*self.open.lock().unwrap_or_else(PoisonError::into_inner) {
            // SAFETY: the connection is open for as long as the lock is held.
            unsafe { (self.functions.interrupt)(*raw) };
        }
    }
}

/// `text` with a terminating zero.
pub(super) fn text(text: &str) -> Result<CString> {
    terminated(text.as_bytes())
}

fn terminated(bytes: &[u8]) -> Result<CString> {
    CString::new(bytes).map_err(|_| {
        let shown = String::from_utf8_lossy(bytes).replace('\0', "\\0");
        Error::new(Kind::Statement, format!("{shown} contains a zero byte"))
    })
}
