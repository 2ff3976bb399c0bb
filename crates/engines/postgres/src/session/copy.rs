//! Bulk load: binary COPY of rows, COPY of unchanged lines.

use std::time::Instant;

use engine::{Error, Kind, LineChunks, LineForm, Result, RowSource, quoted};
use postgres_protocol::message::frontend;
use transport::Encoder;

use super::encoder::{self, CopyRows};
use super::{PostgresSession, Protocol};
use crate::failure::{ServerError, encode_error};
use crate::message::affected;
use crate::wire::Message;

/// Size of a CopyData message. The server reads a message completely before it parses it: one that does not fit its
/// cache costs several percent of the rate, a small one more system calls here.
const CHUNK_BYTES: usize = 32 * 1024;

/// The escape character of the text format of COPY.
const ESCAPE: u8 = b'\\';

/// The CSV quote character, which must not occur in the lines.
const NO_QUOTE: u8 = 1;

/// How sending ended.
enum CopyEnd {
    /// With the last row.
    Complete,
    /// Invalid rows.
    Invalid(Error),
    /// The server rejected the rows.
    Rejected(Error),
}

/// A COPY that loads every byte of `lines` literally: the text format if no backslash occurs; otherwise CSV if its
/// quote does not occur, which costs the server a sixth more CPU time. CSV reads an empty field as null, except for
/// columns in `force_not_null`.
fn copy_of_lines(table: &str, form: &LineForm, lines: &[u8]) -> Result<String> {
    let names: Vec<String> = form.columns.iter().map(|name| quoted(name)).collect();
    let (table, names) = (quoted(table), names.join(", "));
    let format = match form.refuse(lines, Some(ESCAPE)) {
        Ok(()) => "format text".to_owned(),
        Err(_) => {
            form.refuse(lines, Some(NO_QUOTE))?;
            format!("format csv, quote e'\\x{NO_QUOTE:02x}', force_not_null ({names})")
        }
    };
    Ok(format!("copy {table} ({names}) from stdin ({format}, delimiter e'\\x{:02x}')", form.separator))
}

impl PostgresSession {
    /// Copies `rows` into `table`. One statement is one transaction, unless one is open.
    pub(super) fn load(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        let names: Vec<String> = rows.columns().iter().map(|column| quoted(&column.name)).collect();
        let sql = format!("copy {} ({}) from stdin (format binary)", quoted(table), names.join(", "));
        let mut encoder = encoder::encoder(rows.columns());
        self.copy(&sql, |session| session.send_rows(rows, &mut encoder))
    }

    /// Copies `lines` into `table`.
    pub(super) fn load_lines(&mut self, table: &str, form: &LineForm, lines: &[u8]) -> Result<u64> {
        let sql = copy_of_lines(table, form, lines)?;
        let mut chunks = LineChunks::new(lines, form, CHUNK_BYTES);
        let loaded = self.copy(&sql, |session| session.send_lines(&mut chunks))?;
        match chunks.lines() {
            sent if sent == loaded => Ok(loaded),
            // Before version 18, a line `\.` ends the data.
            sent => {
                let message = format!("the server loaded {loaded} of {sent} lines without an error");
                Err(Error::new(Kind::Statement, message))
            }
        }
    }

    /// Runs a COPY whose rows are sent by `send`; returns the number of loaded rows.
    fn copy(&mut self, sql: &str, send: impl FnOnce(&mut PostgresSession) -> Result<CopyEnd>) -> Result<u64> {
        self.timed(|session| session.start_copy(sql))?;
        let limit = self.wire.messages.transport.allow_backlog().map_err(|error| self.mark_lost(&error, None))?;
        let end = send(self)?;
        self.wire.output.clear();
        match &end {
            CopyEnd::Complete => frontend::copy_done(&mut self.wire.output),
            CopyEnd::Invalid(reason) => {
                frontend::copy_fail(&reason.message, &mut self.wire.output).map_err(|error| encode_error(&error))?;
            }
            // The server has ended the copy, and skips what was sent after its error.
            CopyEnd::Rejected(_) => {}
        }
        let mut loaded = 0;
        let response = self.timed(|session| {
            session.send()?;
            session.response(Protocol::Simple, |message| {
                if message.tag == b'C' {
                    loaded = affected(message.body);
                }
                Ok(())
            })
        });
        if !self.lost {
            self.wire.messages.transport.limit_backlog(limit).map_err(|error| self.mark_lost(&error, None))?;
        }
        match end {
            CopyEnd::Complete => response.map(|()| loaded),
            // The server's error only repeats the reason.
            CopyEnd::Invalid(reason) | CopyEnd::Rejected(reason) if self.lost => {
                Err(Error { kind: Kind::Lost, ..reason })
            }
            CopyEnd::Invalid(reason) | CopyEnd::Rejected(reason) => Err(reason),
        }
    }

    /// Counts the time of `act` as server time.
    fn timed<T>(&mut self, act: impl FnOnce(&mut PostgresSession) -> T) -> T {
        let start = Instant::now();
        let outcome = act(self);
        self.sending_time += start.elapsed();
        outcome
    }

    /// Starts the COPY; returns when the server waits for rows.
    fn start_copy(&mut self, sql: &str) -> Result<()> {
        self.wire.output.clear();
        frontend::query(sql, &mut self.wire.output).map_err(|error| encode_error(&error))?;
        self.send()?;
        let mut failure = None;
        loop {
            let message = match self.wire.messages.receive() {
                Ok(message) => message,
                Err(error) => return Err(self.mark_lost(&error, failure)),
            };
            match message.tag {
                b'G' => return Ok(()),
                b'E' => failure = Some(ServerError::parse(message.body).into_error()),
                b'Z' => {
                    self.in_transaction = message.body != b"I";
                    let not_started = || Error::new(Kind::Statement, "the server does not accept rows for a COPY");
                    return Err(failure.unwrap_or_else(not_started));
                }
                _ => {}
            }
        }
    }

    /// Sends all rows, until a row is invalid or the server rejects them.
    fn send_rows(&mut self, rows: &mut dyn RowSource, encoder: &mut Encoder<CopyRows>) -> Result<CopyEnd> {
        loop {
            let more = match encoder.fill(rows, CHUNK_BYTES) {
                Ok(more) => more,
                Err(reason) => return Ok(CopyEnd::Invalid(reason)),
            };
            if !more {
                encoder::end(encoder);
            }
            self.send_chunk(encoder::framed(encoder), &[])?;
            encoder::restart(encoder);
            if let Some(error) = self.pending_error()? {
                return Ok(CopyEnd::Rejected(error));
            }
            if !more {
                return Ok(CopyEnd::Complete);
            }
        }
    }

    /// Sends all lines without copying, until a line is invalid or the server rejects them.
    fn send_lines(&mut self, chunks: &mut LineChunks<'_>) -> Result<CopyEnd> {
        loop {
            match chunks.next_chunk() {
                Ok(Some(chunk)) => self.send_chunk(&encoder::head_of(chunk.len()), chunk)?,
                Ok(None) => return Ok(CopyEnd::Complete),
                Err(reason) => return Ok(CopyEnd::Invalid(reason)),
            }
            if let Some(pending_error) = self.pending_error()? {
                return Ok(CopyEnd::Rejected(pending_error));
            }
        }
    }

    /// An error that the server has sent in the meantime. Notices are skipped.
    fn pending_error(&mut self) -> Result<Option<Error>> {
        while self.wire.messages.has_message() {
            match self.wire.messages.receive() {
                Ok(Message { tag: b'E', body }) => return Ok(Some(ServerError::parse(body).into_error())),
                Ok(_) => {}
                Err(error) => return Err(self.mark_lost(&error, None)),
            }
        }
        Ok(None)
    }

    fn send_chunk(&mut self, head: &[u8], body: &[u8]) -> Result<()> {
        let sent = self.timed(|session| session.wire.messages.send_both(head, body));
        sent.map_err(|error| self.send_error(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_a_line_is_literal() {
        let columns = vec!["id".to_owned(), "note".to_owned()];
        let form = LineForm { columns, separator: b'|', ends_with_separator: true };
        let copy = |lines: &[u8]| copy_of_lines("t", &form, lines);
        let text = "copy \"t\" (\"id\", \"note\") from stdin (format text, delimiter e'\\x7c')";
        assert_eq!(copy(b"1|a\x01|\n").expect("no backslash"), text);
        let csv = "copy \"t\" (\"id\", \"note\") from stdin (format csv, quote e'\\x01', \
                   force_not_null (\"id\", \"note\"), delimiter e'\\x7c')";
        assert_eq!(copy(b"1|\\N|\n").expect("no byte 1"), csv);
        for lines in [&b"1|\\\x01|\n"[..], b"1|a|\r\n"] {
            assert_eq!(copy(lines).expect_err("neither").kind, Kind::Statement);
        }
    }
}
