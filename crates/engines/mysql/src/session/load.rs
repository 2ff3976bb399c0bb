//! The bulk path: LOAD DATA LOCAL INFILE, whose file is the rows as they are made.

use std::time::Instant;

use engine::{Error, Kind, LineChunks, LineForm, Result, RowSource, Session, Value};
use transport::Encoder;

use super::MysqlSession;
use super::encoder::{INITIAL_BYTES, Lines};
use crate::dialect::quoted;
use crate::failure::{Refusal, kind};
use crate::wire::header;

/// Rows are sent when so much of them is there. The server reads a packet to its end before it reads the first row of it,
/// so that it waits where the next one does not yet lie in the socket as a whole: a Unix socket holds some 200 KiB, and
/// wakes its writer when three quarters of that are read.
const CHUNK_BYTES: usize = 32 * 1024;

/// A row that is longer goes into several packets.
const PACKET_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Where a load that is part of a transaction goes back to if it fails.
const SAVEPOINT: &str = "dbdyno_load";

/// The statement that loads fields written as `fields` says into the columns `names` of `table`.
fn load_data(table: &str, fields: &str, names: &[String]) -> String {
    format!(
        "load data local infile 'dbdyno' into table {} character set utf8mb4 {fields} lines terminated by '\\n' ({})",
        quoted(table),
        names.join(", ")
    )
}

impl MysqlSession {
    /// Loads `rows` into `table`, all of them or none.
    ///
    /// The server cannot stop a client in mid-load, so that it makes warnings of errors, and of a duplicate a row that
    /// is left out (MariaDB manual, "LOAD DATA INFILE", on LOCAL). A load with a warning is therefore undone.
    pub(super) fn load(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        let own = !self.in_transaction;
        match own {
            true => self.begin()?,
            false => self.aside(&format!("savepoint {SAVEPOINT}"))?,
        }
        let loaded = self.transfer(table, rows);
        if self.lost {
            return loaded;
        }
        match (&loaded, own) {
            (Ok(_), true) => self.commit()?,
            (Err(_), true) => self.rollback()?,
            (Ok(_), false) => self.aside(&format!("release savepoint {SAVEPOINT}"))?,
            // A deadlock has undone everything, the savepoint too.
            (Err(_), false) => drop(self.aside(&format!("rollback to savepoint {SAVEPOINT}"))),
        }
        loaded
    }

    /// Runs a statement that the server does not count.
    fn aside(&mut self, sql: &str) -> Result<()> {
        self.send_query(sql)?;
        self.answer(&mut Vec::new(), |_, _| Ok(())).map(|_| ())
    }

    /// Loads `rows` into `table`, inside the transaction that is open.
    pub(super) fn transfer(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        let names: Vec<String> = rows.columns().iter().map(|column| quoted(&column.name)).collect();
        let sql = load_data(table, "fields terminated by '\\t' escaped by '\\\\'", &names);
        let mut encoder = Encoder::new(rows.columns(), &[], INITIAL_BYTES);
        self.carry(&sql, |session, sequence| session.send_rows(rows, &mut encoder, sequence))
    }

    /// Loads `lines` into `table`, inside the transaction that is open. Without a character that quotes or escapes, every
    /// byte is what it is.
    pub(super) fn transfer_lines(&mut self, table: &str, form: &LineForm, lines: &[u8]) -> Result<u64> {
        form.refuse(lines, None)?;
        let names: Vec<String> = form.columns.iter().map(|name| quoted(name)).collect();
        let sql = load_data(table, &format!("fields terminated by x'{:02x}' escaped by ''", form.separator), &names);
        let mut chunks = LineChunks::new(lines, form, CHUNK_BYTES);
        self.carry(&sql, |session, sequence| session.send_lines(&mut chunks, sequence))
    }

    /// Runs a load whose file is what `send` sends and counts, from the given sequence of packets on.
    fn carry(
        &mut self,
        sql: &str,
        send: impl FnOnce(&mut MysqlSession, &mut u8) -> Result<Result<u64>>,
    ) -> Result<u64> {
        self.timed(|session| {
            session.send_query(sql)?;
            session.await_request()
        })?;
        self.wire.messages.transport.allow_backlog(true).map_err(|error| self.lose(&error, None))?;
        let mut sequence = 2;
        let sent = send(self, &mut sequence)?;
        // The end of the file, in any case.
        self.send_packet(&[], &mut sequence)?;
        let answer = self.timed(|session| session.answer(&mut Vec::new(), |_, _| Ok(())));
        if !self.lost {
            self.wire.messages.transport.allow_backlog(false).map_err(|error| self.lose(&error, None))?;
        }
        let sent = sent?;
        let answer = answer?;
        self.count_inner(1);
        match answer.warnings {
            0 if answer.affected == sent => Ok(sent),
            _ => Err(self.first_warning(sent - answer.affected.min(sent))?),
        }
    }

    /// Counts the time that `act` takes as time of the server.
    fn timed<T>(&mut self, act: impl FnOnce(&mut MysqlSession) -> T) -> T {
        let begun = Instant::now();
        let outcome = act(self);
        self.sending += begun.elapsed();
        outcome
    }

    /// Waits until the server asks for the file.
    fn await_request(&mut self) -> Result<()> {
        let body = match self.wire.messages.receive() {
            Ok(body) => body,
            Err(error) => return Err(self.lose(&error, None)),
        };
        match body.first() {
            Some(0xfb) => Ok(()),
            Some(0xff) => {
                let refusal = Refusal::parse(body);
                let error = self.refused(refusal);
                Err(match error.code.as_deref() {
                    // LOCAL is switched off in the server.
                    Some("1148" | "3948" | "4166") => Error { kind: Kind::Access, ..error }
                        .hint("the bulk path needs local_infile = ON in the server: set global local_infile = on"),
                    _ => error,
                })
            }
            _ => Err(Error::new(Kind::Statement, "the server does not ask for the rows of a load")),
        }
    }

    /// Sends all rows, unless they turn out wrong. How many were sent.
    fn send_rows(
        &mut self,
        rows: &mut dyn RowSource,
        encoder: &mut Encoder<Lines>,
        sequence: &mut u8,
    ) -> Result<Result<u64>> {
        loop {
            let more = match encoder.fill(rows, CHUNK_BYTES) {
                Ok(more) => more,
                Err(reason) => return Ok(Err(reason)),
            };
            self.send_packets(encoder.bytes(), sequence)?;
            encoder.restart(0);
            if !more {
                return Ok(Ok(encoder.rows()));
            }
        }
    }

    /// Sends all lines from where they lie, unless they turn out wrong. How many were sent.
    fn send_lines(&mut self, chunks: &mut LineChunks<'_>, sequence: &mut u8) -> Result<Result<u64>> {
        loop {
            match chunks.next_chunk() {
                Ok(Some(chunk)) => self.send_packets(chunk, sequence)?,
                Ok(None) => return Ok(Ok(chunks.lines())),
                Err(reason) => return Ok(Err(reason)),
            }
        }
    }

    /// Sends part of the file. A row may be longer than a packet.
    fn send_packets(&mut self, bytes: &[u8], sequence: &mut u8) -> Result<()> {
        bytes.chunks(PACKET_BYTES_MAX).try_for_each(|piece| self.send_packet(piece, sequence))
    }

    fn send_packet(&mut self, payload: &[u8], sequence: &mut u8) -> Result<()> {
        let header = header(payload.len(), *sequence);
        *sequence = sequence.wrapping_add(1);
        let sent = self.timed(|session| session.wire.messages.transport.send_both(&header, payload));
        sent.map_err(|error| self.hang_up(&error))
    }

    /// The first thing that the server did not like about a load, as an error.
    fn first_warning(&mut self, left_out: u64) -> Result<Error> {
        self.send_query("show warnings limit 1")?;
        let mut fields: Vec<Value<'static>> = Vec::new();
        self.answer(&mut Vec::new(), |_, body| {
            let mut reader = crate::message::Reader::new(body);
            while !reader.is_empty() {
                fields.push(Value::Text(String::from_utf8_lossy(reader.bytes()?).into_owned().into()));
            }
            Ok(())
        })?;
        let (number, message) = match fields.as_slice() {
            [_, Value::Text(number), Value::Text(message)] => (number.parse().unwrap_or(0), message.to_string()),
            _ => (0, format!("{left_out} rows were left out without a word")),
        };
        Ok(Error::new(kind(number), message).code(number.to_string()))
    }
}
