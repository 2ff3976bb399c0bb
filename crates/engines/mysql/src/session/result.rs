//! Responses to commands: an OK, or rows, or several of these.

use std::io;

use engine::{Error, Kind, Result};

use super::MysqlSession;
use crate::failure::ServerError;
use crate::message::{self, CommandResult, Done, Reader, ResultColumn, status};
use transport::{malformed, plain_message};

/// First bytes of responses.
const OK: u8 = 0x00;
const ERR: u8 = 0xff;
const LOCAL_INFILE: u8 = 0xfb;

/// Error while reading a response.
enum ReceiveError {
    /// An error of the server, which ends the response.
    Server(ServerError),
    /// An I/O or protocol error.
    Invalid(io::Error),
}

impl From<io::Error> for ReceiveError {
    fn from(error: io::Error) -> ReceiveError {
        ReceiveError::Invalid(error)
    }
}

impl MysqlSession {
    /// Reads all results of a command; `columns` are those of a prepared statement, and `take` gets every row. An error
    /// of `take` is returned after the end, so that the session remains usable.
    #[inline]
    pub(super) fn response(
        &mut self,
        columns: &mut Vec<ResultColumn>,
        mut take: impl FnMut(&[ResultColumn], &[u8]) -> io::Result<()>,
    ) -> Result<CommandResult> {
        let mut response = CommandResult::default();
        let mut unread: Option<Error> = None;
        let mut take = |columns: &[ResultColumn], body: &[u8]| {
            if let Err(error) = take(columns, body) {
                unread.get_or_insert_with(|| {
                    Error::new(Kind::Statement, format!("the response cannot be read: {}", plain_message(&error)))
                });
            }
        };
        loop {
            match self.next_result(columns, &mut response, &mut take) {
                Ok(done) => {
                    self.in_transaction = done.status & status::IN_TRANSACTION != 0;
                    response.results += 1;
                    response.warnings = done.warnings;
                    if done.status & status::MORE_RESULTS == 0 {
                        return unread.map_or(Ok(response), Err);
                    }
                }
                Err(ReceiveError::Server(error)) => return Err(self.error_of(error)),
                Err(ReceiveError::Invalid(error)) => return Err(self.mark_lost(&error, None)),
            }
        }
    }

    #[inline]
    fn next_result(
        &mut self,
        columns: &mut Vec<ResultColumn>,
        response: &mut CommandResult,
        take: &mut impl FnMut(&[ResultColumn], &[u8]),
    ) -> std::result::Result<Done, ReceiveError> {
        let caches_columns = self.server.caches_columns;
        let body = self.wire.messages.receive()?;
        match body.first() {
            Some(&OK) => {
                let done = message::done(body)?;
                response.affected = done.affected;
                return Ok(done);
            }
            Some(&ERR) => return Err(ReceiveError::Server(ServerError::parse(body))),
            Some(&LOCAL_INFILE) => return self.refuse_file(),
            _ => {}
        }
        response.returned_rows = true;
        let mut reader = Reader::new(body);
        let count = reader.number()?;
        if !caches_columns || reader.byte()? == 1 {
            columns.clear();
            for _ in 0..count {
                columns.push(message::column(self.wire.messages.receive()?)?);
            }
        } else if columns.len() as u64 != count {
            return Err(malformed(format!("rows of {count} columns, expected {}", columns.len())).into());
        }
        loop {
            let body = self.wire.messages.receive()?;
            if message::ends_rows(body) {
                return Ok(message::done(body)?);
            }
            match body.first() {
                Some(&ERR) => return Err(ReceiveError::Server(ServerError::parse(body))),
                _ => take(columns, body),
            }
        }
    }

    /// Rejects a request of the server for a local file.
    #[cold]
    fn refuse_file(&mut self) -> std::result::Result<Done, ReceiveError> {
        self.wire.begin();
        self.wire.send_response()?;
        // The result of loading an empty file.
        self.wire.messages.receive()?;
        let message = "load data local cannot be run as a statement";
        Err(ReceiveError::Server(ServerError { number: 1235, message: message.to_owned() }))
    }
}
