//! The bulk path: binary COPY.

use engine::{Error, Kind, Result, RowSource};
use postgres_protocol::message::frontend;

use super::encoder::Encoder;
use super::{PostgresSession, Protocol, unsendable};
use crate::dialect::quoted;
use crate::failure::Refusal;
use crate::message::affected;
use crate::wire::Message;

/// Rows are sent when so much of them is there.
const CHUNK_BYTES: usize = 256 * 1024;

/// How the sending of rows ended.
enum Ending {
    /// With the last row.
    Complete,
    /// The rows are not what they were said to be.
    Broken(Error),
    /// The server does not want more.
    Refused(Error),
}

impl PostgresSession {
    /// Copies `rows` into `table`. One statement is one transaction, unless one is open.
    pub(super) fn load(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        let names: Vec<String> = rows.columns().iter().map(|column| quoted(&column.name)).collect();
        let sql = format!("copy {} ({}) from stdin (format binary)", quoted(table), names.join(", "));
        self.begin_copy(&sql)?;
        self.wire.allow_backlog(true).map_err(|error| self.lose(&error, None))?;
        let mut encoder = Encoder::new(rows.columns().iter().map(|column| column.kind).collect());
        let ending = self.send_rows(rows, &mut encoder)?;
        self.wire.output.clear();
        match &ending {
            Ending::Complete => frontend::copy_done(&mut self.wire.output),
            Ending::Broken(reason) => {
                frontend::copy_fail(&reason.message, &mut self.wire.output).map_err(|error| unsendable(&error))?;
            }
            // The copy is over for the server, and what was sent after its refusal is skipped.
            Ending::Refused(_) => {}
        }
        self.send()?;
        let mut loaded = 0;
        let answer = self.answer(Protocol::Simple, |message| {
            if message.tag == b'C' {
                loaded = affected(message.body);
            }
            Ok(())
        });
        if !self.lost {
            self.wire.allow_backlog(false).map_err(|error| self.lose(&error, None))?;
        }
        match ending {
            Ending::Complete => answer.map(|()| loaded),
            // The server only repeats what it was told, if anything.
            Ending::Broken(reason) | Ending::Refused(reason) if self.lost => Err(Error { kind: Kind::Lost, ..reason }),
            Ending::Broken(reason) | Ending::Refused(reason) => Err(reason),
        }
    }

    /// Asks for the copy; returns when the server waits for rows.
    fn begin_copy(&mut self, sql: &str) -> Result<()> {
        self.wire.output.clear();
        frontend::query(sql, &mut self.wire.output).map_err(|error| unsendable(&error))?;
        self.send()?;
        let mut failure = None;
        loop {
            let message = match self.wire.next() {
                Ok(message) => message,
                Err(error) => return Err(self.lose(&error, failure)),
            };
            match message.tag {
                b'G' => return Ok(()),
                b'E' => failure = Some(Refusal::parse(message.body).into_error()),
                b'Z' => {
                    self.in_transaction = message.body != b"I";
                    let silent = || Error::new(Kind::Statement, "the server does not wait for the rows of a copy");
                    return Err(failure.unwrap_or_else(silent));
                }
                _ => {}
            }
        }
    }

    /// Sends all rows, unless they turn out wrong or the server does not want more.
    fn send_rows(&mut self, rows: &mut dyn RowSource, encoder: &mut Encoder) -> Result<Ending> {
        loop {
            match encoder.encode(rows) {
                Ok(true) if encoder.size_bytes() < CHUNK_BYTES => {}
                Ok(true) => {
                    self.send_chunk(encoder)?;
                    if let Some(refusal) = self.refusal()? {
                        return Ok(Ending::Refused(refusal));
                    }
                }
                Ok(false) => {
                    encoder.end();
                    self.send_chunk(encoder)?;
                    return Ok(Ending::Complete);
                }
                Err(reason) => return Ok(Ending::Broken(reason)),
            }
        }
    }

    /// What the server has said in the meantime, if that is no. A notice is not.
    fn refusal(&mut self) -> Result<Option<Error>> {
        while self.wire.has_answer() {
            match self.wire.next() {
                Ok(Message { tag: b'E', body }) => return Ok(Some(Refusal::parse(body).into_error())),
                Ok(_) => {}
                Err(error) => return Err(self.lose(&error, None)),
            }
        }
        Ok(None)
    }

    fn send_chunk(&mut self, encoder: &mut Encoder) -> Result<()> {
        let sent = self.wire.send(encoder.framed());
        encoder.restart();
        sent.map_err(|error| self.hang_up(&error))
    }
}
