//! Kinds of SQLite's result codes.

use std::ffi::{CStr, c_int};

use engine::{Error, Kind};
use libsqlite3_sys as ffi;
use record::FailureKind;

use crate::hook::{GaveUp, Hooks};

const HINT_SPACE: &str = "free space, or give another directory with --dir";

/// The error that `connection` just returned as `code`.
///
/// # Safety
/// `connection` is open and used by this thread alone.
#[cold]
pub(crate) unsafe fn of(connection: *mut ffi::sqlite3, code: c_int, hooks: &Hooks) -> Error {
    // SAFETY: the message is valid until the next call on the connection; it is copied here.
    let (message, errno) = unsafe {
        let message = CStr::from_ptr(ffi::sqlite3_errmsg(connection)).to_string_lossy().into_owned();
        (message, ffi::sqlite3_system_errno(connection))
    };
    let gave_up = if code & 0xFF == ffi::SQLITE_BUSY { hooks.take_gave_up() } else { None };
    described(code, errno, message, gave_up)
}

/// The same for an error of `rusqlite`, outside the measured path.
pub(crate) fn of_rusqlite(error: &rusqlite::Error) -> Error {
    match error {
        rusqlite::Error::SqliteFailure(cause, message) => {
            let code = cause.extended_code;
            // The system's error number is not available; the kind depends on the code only.
            described(code, 0, message.clone().unwrap_or_else(|| cause.to_string()), Some(GaveUp::TimedOut))
        }
        other => Error::new(Kind::Statement, other.to_string()),
    }
}

fn described(code: c_int, errno: c_int, message: String, gave_up: Option<GaveUp>) -> Error {
    let kind = kind(code, errno, gave_up);
    let error = Error::new(kind, message).code(name(code));
    match kind {
        Kind::Space => error.hint(HINT_SPACE),
        Kind::Step(FailureKind::Serialization) => {
            error.hint("SQLite cannot upgrade a transaction with an old snapshot to a write transaction")
        }
        Kind::Step(FailureKind::LockTimeout) => error.hint("raise busy_timeout, or use fewer writing jobs"),
        _ => error,
    }
}

fn kind(code: c_int, errno: c_int, gave_up: Option<GaveUp>) -> Kind {
    let full = [libc_error::ENOSPC, libc_error::EDQUOT, libc_error::EROFS, libc_error::EACCES].contains(&errno);
    match code & 0xFF {
        ffi::SQLITE_BUSY => match gave_up {
            _ if code == ffi::SQLITE_BUSY_SNAPSHOT => Kind::Step(FailureKind::Serialization),
            Some(GaveUp::Cancelled) => Kind::Step(FailureKind::Cancelled),
            Some(GaveUp::TimedOut) => Kind::Step(FailureKind::LockTimeout),
            // SQLite does not wait if a transaction that has read starts to write while another one writes: after the
            // commit of the other one, its snapshot is old.
            None => Kind::Step(FailureKind::Serialization),
        },
        ffi::SQLITE_LOCKED | ffi::SQLITE_PROTOCOL => Kind::Step(FailureKind::LockTimeout),
        ffi::SQLITE_INTERRUPT => Kind::Step(FailureKind::Cancelled),
        ffi::SQLITE_CONSTRAINT => Kind::Step(FailureKind::Constraint),
        ffi::SQLITE_NOMEM | ffi::SQLITE_TOOBIG | ffi::SQLITE_ABORT => Kind::Step(FailureKind::Other),
        ffi::SQLITE_FULL | ffi::SQLITE_READONLY => Kind::Space,
        ffi::SQLITE_IOERR | ffi::SQLITE_CANTOPEN if full => Kind::Space,
        ffi::SQLITE_NOTADB => Kind::NotOurs,
        ffi::SQLITE_IOERR | ffi::SQLITE_CANTOPEN | ffi::SQLITE_CORRUPT | ffi::SQLITE_INTERNAL => Kind::Lost,
        _ => Kind::Statement,
    }
}

/// System error numbers for devices that cannot be written; the same on every Unix except for one.
mod libc_error {
    use std::ffi::c_int;
    pub(super) const EACCES: c_int = 13;
    pub(super) const ENOSPC: c_int = 28;
    pub(super) const EROFS: c_int = 30;
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(super) const EDQUOT: c_int = 122;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(super) const EDQUOT: c_int = 69;
}

/// The documented name of a code; the number of an extended code that is not listed here.
fn name(code: c_int) -> String {
    let primary = match code & 0xFF {
        ffi::SQLITE_ERROR => "SQLITE_ERROR",
        ffi::SQLITE_INTERNAL => "SQLITE_INTERNAL",
        ffi::SQLITE_PERM => "SQLITE_PERM",
        ffi::SQLITE_ABORT => "SQLITE_ABORT",
        ffi::SQLITE_BUSY => "SQLITE_BUSY",
        ffi::SQLITE_LOCKED => "SQLITE_LOCKED",
        ffi::SQLITE_NOMEM => "SQLITE_NOMEM",
        ffi::SQLITE_READONLY => "SQLITE_READONLY",
        ffi::SQLITE_INTERRUPT => "SQLITE_INTERRUPT",
        ffi::SQLITE_IOERR => "SQLITE_IOERR",
        ffi::SQLITE_CORRUPT => "SQLITE_CORRUPT",
        ffi::SQLITE_FULL => "SQLITE_FULL",
        ffi::SQLITE_CANTOPEN => "SQLITE_CANTOPEN",
        ffi::SQLITE_PROTOCOL => "SQLITE_PROTOCOL",
        ffi::SQLITE_SCHEMA => "SQLITE_SCHEMA",
        ffi::SQLITE_TOOBIG => "SQLITE_TOOBIG",
        ffi::SQLITE_CONSTRAINT => "SQLITE_CONSTRAINT",
        ffi::SQLITE_MISMATCH => "SQLITE_MISMATCH",
        ffi::SQLITE_MISUSE => "SQLITE_MISUSE",
        ffi::SQLITE_RANGE => "SQLITE_RANGE",
        ffi::SQLITE_NOTADB => "SQLITE_NOTADB",
        _ => "SQLITE",
    };
    match code {
        ffi::SQLITE_BUSY_SNAPSHOT => "SQLITE_BUSY_SNAPSHOT".to_owned(),
        ffi::SQLITE_CONSTRAINT_PRIMARYKEY => "SQLITE_CONSTRAINT_PRIMARYKEY".to_owned(),
        ffi::SQLITE_CONSTRAINT_UNIQUE => "SQLITE_CONSTRAINT_UNIQUE".to_owned(),
        ffi::SQLITE_CONSTRAINT_NOTNULL => "SQLITE_CONSTRAINT_NOTNULL".to_owned(),
        code if code > 0xFF => format!("{primary} ({code})"),
        _ => primary.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_determine_the_kind() {
        let step = Kind::Step;
        for (code, errno, expected) in [
            (ffi::SQLITE_BUSY_SNAPSHOT, 0, step(FailureKind::Serialization)),
            (ffi::SQLITE_CONSTRAINT_PRIMARYKEY, 0, step(FailureKind::Constraint)),
            (ffi::SQLITE_INTERRUPT, 0, step(FailureKind::Cancelled)),
            (ffi::SQLITE_NOMEM, 0, step(FailureKind::Other)),
            (ffi::SQLITE_FULL, 0, Kind::Space),
            (ffi::SQLITE_READONLY_DIRECTORY, 0, Kind::Space),
            (ffi::SQLITE_IOERR_WRITE, libc_error::ENOSPC, Kind::Space),
            (ffi::SQLITE_IOERR_WRITE, 5, Kind::Lost),
            (ffi::SQLITE_CANTOPEN, libc_error::EACCES, Kind::Space),
            (ffi::SQLITE_CANTOPEN, 2, Kind::Lost),
            (ffi::SQLITE_ERROR, 0, Kind::Statement),
        ] {
            assert_eq!(kind(code, errno, None), expected, "{}", name(code));
        }
    }

    #[test]
    fn a_busy_database_is_a_time_out_a_cancel_or_a_conflict() {
        let failure = |gave_up| kind(ffi::SQLITE_BUSY, 0, gave_up);
        assert_eq!(failure(Some(GaveUp::TimedOut)), Kind::Step(FailureKind::LockTimeout));
        assert_eq!(failure(Some(GaveUp::Cancelled)), Kind::Step(FailureKind::Cancelled));
        assert_eq!(failure(None), Kind::Step(FailureKind::Serialization));
    }
}
