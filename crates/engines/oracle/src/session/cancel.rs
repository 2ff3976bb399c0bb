//! Breaking off a statement of a session from another one.
//!
//! The driver cannot interrupt a statement that it waits for, so that the server is asked to, by a session that is
//! opened for it: from version 18 on, and by a user that may `alter system`.

use std::sync::Arc;

use engine::{Canceller, Result};
use oracledb::Connection;

use crate::connect::Login;
use crate::failure;

/// The first version with the statement.
const VERSION_MIN: usize = 18;

/// "Session does not exist", "session ID does not exist": it has ended in the meantime.
const GONE: [&str; 2] = ["ORA-00026", "ORA-00030"];

/// Names a session by its numbers, which are used again only with another serial number.
pub(crate) struct OracleCanceller {
    login: Arc<Login>,
    session: usize,
    serial: usize,
}

impl OracleCanceller {
    /// That of the session of `connection`, if its server knows how.
    pub(super) fn of(connection: &Connection, login: &Arc<Login>) -> Option<OracleCanceller> {
        let knows = connection.version().is_ok_and(|version| version.0 >= VERSION_MIN);
        let (session, serial) = (connection.session_id().ok()?, connection.serial_num().ok()?);
        knows.then(|| OracleCanceller { login: Arc::clone(login), session, serial })
    }
}

impl Canceller for OracleCanceller {
    fn cancel(&self) -> Result<()> {
        let connection = self.login.open()?;
        match connection.execute(&cancel(self.session, self.serial), &[]) {
            Ok(_) => Ok(()),
            Err(error) => match failure::of_statement(&error) {
                error if error.code.as_deref().is_some_and(|code| GONE.contains(&code)) => Ok(()),
                error => Err(error.hint("grant alter system to the user")),
            },
        }
    }
}

/// The statement that cancels what a session does.
pub(crate) fn cancel(session: usize, serial: usize) -> String {
    format!("alter system cancel sql '{session}, {serial}'")
}
