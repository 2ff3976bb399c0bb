//! Requests and responses, and loss of a session.

use std::io;
use std::time::Instant;

use engine::{Error, Kind, Result, Value};
use postgres_protocol::message::frontend;

use super::statement::Requests;
use super::{PostgresSession, Protocol};
use crate::failure::{ServerError, encode_error, if_supported};
use crate::wire::Message;
use transport::plain_message;

impl PostgresSession {
    pub(super) fn check_connected(&self) -> Result<()> {
        match self.lost {
            true => Err(Error::new(Kind::Lost, "the connection to PostgreSQL was lost")),
            false => Ok(()),
        }
    }

    /// Sends the output.
    #[inline]
    pub(super) fn send(&mut self) -> Result<()> {
        let sent = self.wire.send_output();
        sent.map_err(|error| self.send_error(&error))
    }

    /// Reads up to ReadyForQuery; `take` gets every message with data. An error of the server, or of `take`, is
    /// returned after that, so that the session remains usable.
    #[inline]
    pub(super) fn response(
        &mut self,
        protocol: Protocol,
        mut take: impl FnMut(Message<'_>) -> io::Result<()>,
    ) -> Result<()> {
        let mut failure: Option<Error> = None;
        loop {
            let message = match self.wire.messages.receive() {
                Ok(message) => message,
                Err(error) => return Err(self.mark_lost(&error, failure)),
            };
            match message.tag {
                b'Z' => {
                    self.in_transaction = message.body != b"I";
                    if self.publishes_at_intervals() {
                        self.answered_at = Some(Instant::now());
                    }
                    return failure.map_or(Ok(()), Err);
                }
                // The first error is the cause of later ones.
                b'E' => {
                    failure.get_or_insert_with(|| ServerError::parse(message.body).into_error());
                }
                // Notices, parameters and notifications may arrive at any time.
                b'N' | b'S' | b'A' => {}
                b'G' => {
                    self.refuse_copy(protocol)?;
                    failure = Some(Error::new(Kind::Statement, "copy from stdin cannot be run as a statement"));
                }
                _ => {
                    if let Err(error) = take(message) {
                        let unreadable = || {
                            Error::new(
                                Kind::Statement,
                                format!("the response cannot be read: {}", plain_message(&error)),
                            )
                        };
                        failure.get_or_insert_with(unreadable);
                    }
                }
            }
        }
    }

    /// Ends a COPY for which there are no rows.
    fn refuse_copy(&mut self, protocol: Protocol) -> Result<()> {
        let written = frontend::copy_fail("no rows", &mut self.wire.output);
        written.map_err(|error| encode_error(&error))?;
        if protocol == Protocol::Extended {
            // The Sync that was sent before was skipped as part of the COPY.
            frontend::sync(&mut self.wire.output);
        }
        self.send()
    }

    /// The error after a failed send: the server may have sent the reason before it closed the connection.
    pub(super) fn send_error(&mut self, error: &io::Error) -> Error {
        let server_error = loop {
            match self.wire.messages.receive() {
                Ok(Message { tag: b'E', body }) => break Some(ServerError::parse(body).into_error()),
                Ok(_) => {}
                Err(_) => break None,
            }
        };
        self.mark_lost(error, server_error)
    }

    /// Marks the session as lost after an I/O or protocol error; `reason` is an earlier error of the server.
    pub(super) fn mark_lost(&mut self, error: &io::Error, text: Option<Error>) -> Error {
        self.lost = true;
        match text {
            Some(text) => Error { kind: Kind::Lost, ..text },
            None => Error::new(Kind::Lost, format!("the connection to PostgreSQL is lost: {}", plain_message(error)))
                .hint("see the log of the server"),
        }
    }

    /// Runs one of the fixed statements; returns whether the server rolled back.
    #[inline]
    pub(super) fn run(&mut self, request: fn(&Requests) -> &[u8]) -> Result<bool> {
        self.check_connected()?;
        let sent = self.wire.messages.send(request(&self.requests));
        sent.map_err(|error| self.send_error(&error))?;
        let mut rolled_back = false;
        self.response(Protocol::Extended, |message| {
            rolled_back |= message.tag == b'C' && message.body.starts_with(b"ROLLBACK");
            Ok(())
        })?;
        Ok(rolled_back)
    }

    /// Prepares and runs `sql`, for the few queries about the server itself.
    pub(crate) fn query_sql(&mut self, sql: &str) -> Result<Vec<Vec<Value<'static>>>> {
        let statement = engine::Session::prepare(self, sql)?;
        engine::Session::query(self, statement, &[])
    }

    /// The same for a query that a flavour need not support; `None` if it is rejected.
    pub(crate) fn query_if_supported(&mut self, sql: &str) -> Result<Option<Vec<Vec<Value<'static>>>>> {
        if_supported(self.query_sql(sql))
    }
}
