//! Breaking off a statement: another connection tells the server to.

use std::sync::Arc;

use engine::{Canceller, Result, Session};

use super::{MysqlSession, SessionCounts};
use crate::connect::Login;

/// The number of the server's for a connection that is not there (any more).
const NO_SUCH_CONNECTION: &str = "1094";

/// What the server must be told so that it breaks off the statement of one session.
pub(super) struct CancelRequest {
    pub(super) login: Arc<Login>,
    pub(super) connection: u32,
}

impl Canceller for CancelRequest {
    fn cancel(&self) -> Result<()> {
        let opened = self.login.open(None)?;
        let mut session = MysqlSession::start(opened, self.login.clone(), &SessionCounts::default())?;
        match session.batch(&format!("kill query {}", self.connection)) {
            Err(error) if error.code.as_deref() == Some(NO_SUCH_CONNECTION) => Ok(()),
            outcome => outcome,
        }
    }
}
