//! The answers to commands: an OK, or rows, or several of these.

use std::io;

use engine::{Error, Kind, Result};

use super::MysqlSession;
use crate::failure::Refusal;
use crate::message::{self, Done, Reader, ResultColumn, status};
use transport::{malformed, plain};

/// What the first byte of an answer says.
const OK: u8 = 0x00;
const ERR: u8 = 0xff;
const LOCAL_INFILE: u8 = 0xfb;

/// What a command came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Answer {
    /// Rows changed, of the last result that changes rows.
    pub(super) affected: u64,
    /// Whether one of the results was rows.
    pub(super) returned_rows: bool,
    /// Results in all.
    pub(super) results: u64,
    pub(super) warnings: u16,
}

/// What goes wrong in an answer.
enum Trouble {
    /// The server refuses, and the exchange is over.
    Refused(Refusal),
    /// Nothing can be believed any more.
    Broken(io::Error),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Trouble {
        Trouble::Broken(error)
    }
}

impl MysqlSession {
    /// Reads all results of a command; `columns` are those of a statement that was prepared, and `take` gets every
    /// row. What `take` cannot read is told after the end, so that the session can go on.
    #[inline]
    pub(super) fn answer(
        &mut self,
        columns: &mut Vec<ResultColumn>,
        mut take: impl FnMut(&[ResultColumn], &[u8]) -> io::Result<()>,
    ) -> Result<Answer> {
        let mut answer = Answer::default();
        let mut unread: Option<Error> = None;
        let mut take = |columns: &[ResultColumn], body: &[u8]| {
            if let Err(error) = take(columns, body) {
                unread.get_or_insert_with(|| {
                    Error::new(Kind::Statement, format!("the answer cannot be read: {}", plain(&error)))
                });
            }
        };
        loop {
            match self.next_result(columns, &mut answer, &mut take) {
                Ok(done) => {
                    self.in_transaction = done.status & status::IN_TRANSACTION != 0;
                    answer.results += 1;
                    answer.warnings = done.warnings;
                    if done.status & status::MORE_RESULTS == 0 {
                        return unread.map_or(Ok(answer), Err);
                    }
                }
                Err(Trouble::Refused(refusal)) => return Err(self.refused(refusal)),
                Err(Trouble::Broken(error)) => return Err(self.lose(&error, None)),
            }
        }
    }

    #[inline]
    fn next_result(
        &mut self,
        columns: &mut Vec<ResultColumn>,
        answer: &mut Answer,
        take: &mut impl FnMut(&[ResultColumn], &[u8]),
    ) -> std::result::Result<Done, Trouble> {
        let caches_columns = self.server.caches_columns;
        let body = self.wire.messages.receive()?;
        match body.first() {
            Some(&OK) => {
                let done = message::done(body)?;
                answer.affected = done.affected;
                return Ok(done);
            }
            Some(&ERR) => return Err(Trouble::Refused(Refusal::parse(body))),
            Some(&LOCAL_INFILE) => return self.refuse_file(),
            _ => {}
        }
        answer.returned_rows = true;
        let mut reader = Reader::new(body);
        let count = reader.number()?;
        if !caches_columns || reader.byte()? == 1 {
            columns.clear();
            for _ in 0..count {
                columns.push(message::column(self.wire.messages.receive()?)?);
            }
        } else if columns.len() as u64 != count {
            return Err(malformed(format!("rows of {count} columns where {} are known", columns.len())).into());
        }
        loop {
            let body = self.wire.messages.receive()?;
            if message::ends_rows(body) {
                return Ok(message::done(body)?);
            }
            match body.first() {
                Some(&ERR) => return Err(Trouble::Refused(Refusal::parse(body))),
                _ => take(columns, body),
            }
        }
    }

    /// The server asks for a file of this host, which it never gets.
    #[cold]
    fn refuse_file(&mut self) -> std::result::Result<Done, Trouble> {
        self.wire.begin();
        self.wire.send_answer()?;
        // It tells what it made of an empty file.
        self.wire.messages.receive()?;
        let message = "load data from the client is not a statement to be run";
        Err(Trouble::Refused(Refusal { number: 1235, message: message.to_owned() }))
    }
}
