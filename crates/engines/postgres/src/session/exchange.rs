//! One request and its answer, and what becomes of a session where they fail.

use std::io;
use std::time::Instant;

use engine::{Error, Kind, Result};
use postgres_protocol::message::frontend;

use super::statement::Requests;
use super::{PostgresSession, Protocol, unsendable};
use crate::failure::Refusal;
use crate::wire::Message;
use transport::plain;

impl PostgresSession {
    pub(super) fn alive(&self) -> Result<()> {
        match self.lost {
            true => Err(Error::new(Kind::Lost, "the connection to PostgreSQL is gone")),
            false => Ok(()),
        }
    }

    /// Sends what stands in the output.
    #[inline]
    pub(super) fn send(&mut self) -> Result<()> {
        let sent = self.wire.send_output();
        sent.map_err(|error| self.hang_up(&error))
    }

    /// Reads up to ReadyForQuery; `take` gets every message that may carry something. An error of the server, or of
    /// `take`, is returned after that, so that the session can go on.
    #[inline]
    pub(super) fn answer(
        &mut self,
        protocol: Protocol,
        mut take: impl FnMut(Message<'_>) -> io::Result<()>,
    ) -> Result<()> {
        let mut failure: Option<Error> = None;
        loop {
            let message = match self.wire.messages.receive() {
                Ok(message) => message,
                Err(error) => return Err(self.lose(&error, failure)),
            };
            match message.tag {
                b'Z' => {
                    self.in_transaction = message.body != b"I";
                    if self.publishes_late() {
                        self.answered_at = Some(Instant::now());
                    }
                    return failure.map_or(Ok(()), Err);
                }
                // The first one says why; what follows is its consequence.
                b'E' => {
                    failure.get_or_insert_with(|| Refusal::parse(message.body).into_error());
                }
                // Notices, parameters and notifications come at any time.
                b'N' | b'S' | b'A' => {}
                b'G' => {
                    self.refuse_copy(protocol)?;
                    failure = Some(Error::new(Kind::Statement, "copy from the client is not a statement to be run"));
                }
                _ => {
                    if let Err(error) = take(message) {
                        let unread =
                            || Error::new(Kind::Statement, format!("the answer cannot be read: {}", plain(&error)));
                        failure.get_or_insert_with(unread);
                    }
                }
            }
        }
    }

    /// The server waits for rows that nobody will send.
    fn refuse_copy(&mut self, protocol: Protocol) -> Result<()> {
        let written = frontend::copy_fail("no rows", &mut self.wire.output);
        written.map_err(|error| unsendable(&error))?;
        if protocol == Protocol::Extended {
            // The Sync that was sent before was read as part of the copy and dropped.
            frontend::sync(&mut self.wire.output);
        }
        self.send()
    }

    /// Sending failed: the server may have said why before it closed the connection.
    pub(super) fn hang_up(&mut self, error: &io::Error) -> Error {
        let last_words = loop {
            match self.wire.messages.receive() {
                Ok(Message { tag: b'E', body }) => break Some(Refusal::parse(body).into_error()),
                Ok(_) => {}
                Err(_) => break None,
            }
        };
        self.lose(error, last_words)
    }

    /// The connection is gone, or cannot be believed any more; `said` is what the server said before.
    pub(super) fn lose(&mut self, error: &io::Error, said: Option<Error>) -> Error {
        self.lost = true;
        match said {
            Some(said) => Error { kind: Kind::Lost, ..said },
            None => Error::new(Kind::Lost, format!("the connection to PostgreSQL is lost: {}", plain(error)))
                .hint("see the log of the server"),
        }
    }

    /// Runs one of the statements that every session has; returns whether the server says that it rolled back.
    #[inline]
    pub(super) fn run(&mut self, request: fn(&Requests) -> &[u8]) -> Result<bool> {
        self.alive()?;
        let sent = self.wire.messages.transport.send(request(&self.requests));
        sent.map_err(|error| self.hang_up(&error))?;
        let mut rolled_back = false;
        self.answer(Protocol::Extended, |message| {
            rolled_back |= message.tag == b'C' && message.body.starts_with(b"ROLLBACK");
            Ok(())
        })?;
        Ok(rolled_back)
    }
}
