//! The bulk path: binary COPY of rows, COPY of lines as they are.

use std::time::Instant;

use engine::{Error, Kind, LineChunks, LineForm, Result, RowSource, quoted};
use postgres_protocol::message::frontend;
use transport::Encoder;

use super::encoder::{self, CopyRows};
use super::{PostgresSession, Protocol, unsendable};
use crate::failure::Refusal;
use crate::message::affected;
use crate::wire::Message;

/// Rows are sent when so much of them is there. The server reads a message whole before it takes it apart: one that has
/// left its cache by then costs several percent of the rate, and one that is small more system calls here.
const CHUNK_BYTES: usize = 32 * 1024;

/// What begins something else than itself in the text format of COPY.
const ESCAPE: u8 = b'\\';

/// Stands for the quote of CSV where nothing is quoted, and for nothing else.
const NO_QUOTE: u8 = 1;

/// How the sending of rows ended.
enum Ending {
    /// With the last row.
    Complete,
    /// The rows are not what they were said to be.
    Broken(Error),
    /// The server does not want more.
    Refused(Error),
}

/// The COPY of `lines`, in which every byte is what it is. In the text format that is so where no backslash occurs;
/// otherwise in CSV where its quote does not, which costs the server a sixth more of processor time. CSV takes what is empty
/// for null, unless the column is named.
///
/// # Errors
/// `Statement` where neither is so.
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
            // A line of a backslash and a point ends the lines for servers before version 18.
            sent => {
                let message = format!("the server took {loaded} of {sent} lines and says nothing of the others");
                Err(Error::new(Kind::Statement, message))
            }
        }
    }

    /// Begins a copy, has its rows sent, and ends it; returns how many rows the server took.
    fn copy(&mut self, sql: &str, send: impl FnOnce(&mut PostgresSession) -> Result<Ending>) -> Result<u64> {
        self.timed(|session| session.begin_copy(sql))?;
        self.wire.messages.transport.allow_backlog(true).map_err(|error| self.lose(&error, None))?;
        let ending = send(self)?;
        self.wire.output.clear();
        match &ending {
            Ending::Complete => frontend::copy_done(&mut self.wire.output),
            Ending::Broken(reason) => {
                frontend::copy_fail(&reason.message, &mut self.wire.output).map_err(|error| unsendable(&error))?;
            }
            // The copy is over for the server, and what was sent after its refusal is skipped.
            Ending::Refused(_) => {}
        }
        let mut loaded = 0;
        let answer = self.timed(|session| {
            session.send()?;
            session.answer(Protocol::Simple, |message| {
                if message.tag == b'C' {
                    loaded = affected(message.body);
                }
                Ok(())
            })
        });
        if !self.lost {
            self.wire.messages.transport.allow_backlog(false).map_err(|error| self.lose(&error, None))?;
        }
        match ending {
            Ending::Complete => answer.map(|()| loaded),
            // The server only repeats what it was told, if anything.
            Ending::Broken(reason) | Ending::Refused(reason) if self.lost => Err(Error { kind: Kind::Lost, ..reason }),
            Ending::Broken(reason) | Ending::Refused(reason) => Err(reason),
        }
    }

    /// Counts the time that `act` takes as time of the server.
    fn timed<T>(&mut self, act: impl FnOnce(&mut PostgresSession) -> T) -> T {
        let begun = Instant::now();
        let outcome = act(self);
        self.sending += begun.elapsed();
        outcome
    }

    /// Asks for the copy; returns when the server waits for rows.
    fn begin_copy(&mut self, sql: &str) -> Result<()> {
        self.wire.output.clear();
        frontend::query(sql, &mut self.wire.output).map_err(|error| unsendable(&error))?;
        self.send()?;
        let mut failure = None;
        loop {
            let message = match self.wire.messages.receive() {
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
    fn send_rows(&mut self, rows: &mut dyn RowSource, encoder: &mut Encoder<CopyRows>) -> Result<Ending> {
        loop {
            let more = match encoder.fill(rows, CHUNK_BYTES) {
                Ok(more) => more,
                Err(reason) => return Ok(Ending::Broken(reason)),
            };
            if !more {
                encoder::end(encoder);
            }
            self.send_chunk(encoder::framed(encoder), &[])?;
            encoder::restart(encoder);
            if let Some(refusal) = self.refusal()? {
                return Ok(Ending::Refused(refusal));
            }
            if !more {
                return Ok(Ending::Complete);
            }
        }
    }

    /// Sends all lines from where they lie, unless they turn out wrong or the server does not want more.
    fn send_lines(&mut self, chunks: &mut LineChunks<'_>) -> Result<Ending> {
        loop {
            match chunks.next_chunk() {
                Ok(Some(chunk)) => self.send_chunk(&encoder::head_of(chunk.len()), chunk)?,
                Ok(None) => return Ok(Ending::Complete),
                Err(reason) => return Ok(Ending::Broken(reason)),
            }
            if let Some(refusal) = self.refusal()? {
                return Ok(Ending::Refused(refusal));
            }
        }
    }

    /// What the server has said in the meantime, if that is no. A notice is not.
    fn refusal(&mut self) -> Result<Option<Error>> {
        while self.wire.messages.has_answer() {
            match self.wire.messages.receive() {
                Ok(Message { tag: b'E', body }) => return Ok(Some(Refusal::parse(body).into_error())),
                Ok(_) => {}
                Err(error) => return Err(self.lose(&error, None)),
            }
        }
        Ok(None)
    }

    fn send_chunk(&mut self, head: &[u8], body: &[u8]) -> Result<()> {
        let sent = self.timed(|session| session.wire.messages.transport.send_both(head, body));
        sent.map_err(|error| self.hang_up(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_copied_with_no_byte_that_means_anything_but_itself() {
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
