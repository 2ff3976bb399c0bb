//! Breaking off a statement: a request over a connection of its own, as the protocol wants it.

use std::sync::Arc;

use bytes::BytesMut;
use engine::{Canceller, Result};
use postgres_protocol::message::frontend;

use crate::connect::Login;
use transport::Way;

/// What the server must be told so that it breaks off the statement of one session.
pub(super) struct CancelRequest {
    pub(super) login: Arc<Login>,
    pub(super) way: Way,
    pub(super) process: u32,
    pub(super) secret: i32,
}

impl Canceller for CancelRequest {
    fn cancel(&self) -> Result<()> {
        let mut wire = self.login.reach_again(&self.way)?;
        let mut request = BytesMut::new();
        frontend::cancel_request(self.process as i32, self.secret, &mut request);
        wire.messages.transport.send(&request).map_err(|error| self.login.unreachable(&error))?;
        // The server answers nothing and closes the connection once it has passed the request on.
        while wire.messages.receive().is_ok() {}
        Ok(())
    }
}
