//! What an engine is, before a connection is made.

use crate::{Dialect, Error, Kind, ObjectForm, Result, Target};

/// An engine-specific version of a statement: the file `sql/<code>.<statement>.sql`.
#[derive(Clone, Copy, Debug)]
pub struct StatementFile {
    /// File name without extension: `T131.work`.
    pub name: &'static str,
    /// The statement (for set-up, possibly several).
    pub sql: &'static str,
}

/// What an engine is and can do, whatever server or file it is used on.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// Short name, as in a target (`local:NAME`).
    pub name: &'static str,
    /// Product name as its vendor writes it.
    pub title: &'static str,
    /// One line for `dbdyno list engines`: the driver or protocol, and the tested versions.
    pub summary: &'static str,
    /// URL schemes of a target that select this engine.
    pub schemes: &'static [&'static str],
    /// Parameters of a target that may be taken from a record, which somebody else may have made: sizes and switches. They
    /// name no code, no file, no host and no user, and none of them weakens the encryption of a connection.
    pub harmless_parameters: &'static [&'static str],
    /// Whether it works in this process, on files in the measured directory: a target that names nothing else is no server.
    pub is_in_process: bool,
    /// Its SQL dialect.
    pub dialect: &'static Dialect,
    /// Engine-specific versions of statements.
    pub statement_files: &'static [StatementFile],
    /// The forms in which it stores files that are written and read in chunks; if there are none, a clause with the reason.
    pub object_forms: std::result::Result<&'static [ObjectForm], &'static str>,
    /// Whether the sessions of several jobs can share a thread: while one waits for its server, the others go on.
    pub shares_threads: bool,
    /// Whether a session can send statements before it has read the answers of earlier ones ([`crate::Session::queue`]).
    pub pipelines: bool,
}

impl Description {
    /// Refuses a target that names more than its engine, which works on a file in the measured directory.
    ///
    /// # Errors
    /// `Usage` for a server, a login or a database.
    pub fn check_embedded(&self, target: &Target) -> Result<()> {
        let Description { name, title, .. } = self;
        let has_login = target.user.is_some() || target.password.is_some();
        if !has_login && target.addresses.is_empty() && target.database.is_none() {
            return Ok(());
        }
        let message = format!("{title} has no server and no login, but the target is {target}");
        let hint = format!("give the target {name}, and the directory of the file with --dir");
        Err(Error::new(Kind::Usage, message).hint(hint))
    }
}
