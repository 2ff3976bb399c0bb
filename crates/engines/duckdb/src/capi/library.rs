//! Loading of the library, with a version check.

use std::collections::BTreeMap;
use std::ffi::{CStr, OsString, c_char};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use engine::{Error, Kind, Result};

use super::function::Functions;

/// The first version that can add primary keys to a filled table, and has named columns in the appender.
const VERSION_MIN: (u32, u32) = (1, 2);

const HINT: &str = "install libduckdb 1.2 or newer (https://duckdb.org/docs/installation, C and C++) and give its path: \
                    duckdb?library=/path/libduckdb.so, or DUCKDB_LIBRARY=/path/libduckdb.so";

/// Source of the library's path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The parameter of the target.
    Parameter(PathBuf),
    /// An environment variable, of this name.
    Environment(&'static str, PathBuf),
    /// The search path of the loader, for this name.
    SearchPath(PathBuf),
}

impl Source {
    fn path(&self) -> &Path {
        match self {
            Source::Parameter(path) | Source::Environment(_, path) | Source::SearchPath(path) => path,
        }
    }

    fn described(&self) -> String {
        let path = self.path().display();
        match self {
            Source::Parameter(_) => format!("{path}, given by the parameter library,"),
            Source::Environment(name, _) => format!("{path}, given by {name},"),
            Source::SearchPath(_) => format!("{path}, in the search path of the loader,"),
        }
    }
}

/// A library that stays loaded until the process exits: its threads may outlive the last database.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Library {
    pub(super) functions: &'static Functions,
    version: &'static str,
}

impl Library {
    /// Loads the library of `source`, only once.
    pub(crate) fn load(source: &Source) -> Result<Library> {
        static LOADED: Mutex<BTreeMap<OsString, Library>> = Mutex::new(BTreeMap::new());
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(library) = loaded.get(source.path().as_os_str()) {
            return Ok(*library);
        }
        let library = load(source)?;
        loaded.insert(source.path().as_os_str().to_owned(), library);
        Ok(library)
    }

    /// Version as reported by the library, without the leading `v`.
    pub(crate) fn version(&self) -> &'static str {
        self.version
    }
}

fn load(source: &Source) -> Result<Library> {
    let missing = |problem: String| {
        Error::new(Kind::Missing, format!("DuckDB's library {} {problem}", source.described())).hint(HINT)
    };
    // SAFETY: what runs when the library is loaded is its own; that it is DuckDB's is what the user says.
    let opened = unsafe { libloading::Library::new(source.path()) };
    let opened = opened.map_err(|error| missing(format!("cannot be loaded: {}", reason(&error))))?;
    let version = version(&opened).ok_or_else(|| missing("is not DuckDB's: it has no version".to_owned()))?;
    let number = version.trim_start_matches('v');
    if is_too_old(number) {
        let (major, minor) = VERSION_MIN;
        return Err(missing(format!("is version {number}, older than {major}.{minor}")));
    }
    // SAFETY: the library has said that it is DuckDB's and of which version, and is leaked below.
    let functions = unsafe { Functions::find(&opened) };
    let functions = functions.map_err(|name| missing(format!("is version {number} and has no function {name}")))?;
    std::mem::forget(opened);
    Ok(Library { functions: Box::leak(Box::new(functions)), version: String::leak(number.to_owned()) })
}

/// The error of the loader, in one line.
fn reason(error: &libloading::Error) -> String {
    let source = std::error::Error::source(error).map(|source| format!(" ({source})"));
    format!("{error}{}", source.unwrap_or_default())
}

fn version(library: &libloading::Library) -> Option<String> {
    type Version = unsafe extern "C" fn() -> *const c_char;
    // SAFETY: a function of this name has this type in every version of the header.
    unsafe {
        let function = library.get::<Version>(b"duckdb_library_version").ok()?;
        let text = function();
        (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
    }
}

/// Whether `version` is too old. A non-numeric one (a development build) is checked by its functions instead.
fn is_too_old(version: &str) -> bool {
    let mut parts = version.split(['.', '-']).map(|part| part.parse::<u32>().ok());
    match (parts.next().flatten(), parts.next().flatten()) {
        (Some(major), Some(minor)) => (major, minor) < VERSION_MIN,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_versions_are_detected() {
        for old in ["0.9.2", "0.10.3", "1.0.0", "1.1.3", "1.1.4-dev2"] {
            assert!(is_too_old(old), "{old}");
        }
        for new in ["1.2.0", "1.2.0-dev17", "1.5.6", "1.10.0", "2.0.0", "a1b2c3d4"] {
            assert!(!is_too_old(new), "{new}");
        }
    }

    #[test]
    fn a_library_that_is_missing_or_not_duckdb_is_named_with_what_to_do() {
        let missing = Source::Environment("DUCKDB_LIBRARY", "/nowhere/libduckdb.so".into());
        let error = Library::load(&missing).expect_err("no such file");
        assert_eq!(error.kind, Kind::Missing);
        assert!(error.message.contains("/nowhere/libduckdb.so, given by DUCKDB_LIBRARY, cannot be loaded"), "{error}");
        assert!(error.hint.is_some_and(|hint| hint.contains("library=")));
        let foreign = Source::SearchPath("libc.so.6".into());
        let error = Library::load(&foreign).expect_err("not DuckDB's");
        assert!(error.message.contains("libc.so.6") && error.message.contains("is not DuckDB's"), "{error}");
    }
}
