//! Bulk load: LOAD DATA LOCAL INFILE, whose file is the generated rows.

use std::time::Instant;

use engine::{Error, Kind, LineChunks, LineForm, Result, RowSource, Session, Value};
use transport::Encoder;

use super::MysqlSession;
use super::encoder::{INITIAL_BYTES, Lines};
use crate::dialect::quoted;
use crate::failure::{ServerError, kind};
use crate::wire::header;

/// Size of a chunk. The server reads a packet completely before it parses the first row, so that it waits if the next
/// one is not completely in the socket: a Unix socket buffers about 200 KiB, and wakes its writer when three quarters
/// of that are read.
const CHUNK_BYTES: usize = 32 * 1024;

/// Maximum packet size; a longer row is split.
const PACKET_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Savepoint of a load inside a transaction.
const SAVEPOINT: &str = "dbdyno_load";

/// The statement that loads fields of the format `fields` into the columns `names` of `table`.
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
    /// The server cannot stop a client during a load, so that it reports errors as warnings, and skips duplicates
    /// (MariaDB manual, "LOAD DATA INFILE", on LOCAL). Therefore a load with a warning is rolled back.
    pub(super) fn load(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        let own = !self.in_transaction;
        match own {
            true => self.begin()?,
            false => self.run_uncounted(&format!("savepoint {SAVEPOINT}"))?,
        }
        let loaded = self.load_rows(table, rows);
        if self.lost {
            return loaded;
        }
        match (&loaded, own) {
            (Ok(_), true) => self.commit()?,
            (Err(_), true) => self.rollback()?,
            (Ok(_), false) => self.run_uncounted(&format!("release savepoint {SAVEPOINT}"))?,
            // A deadlock has rolled back everything, including the savepoint.
            (Err(_), false) => drop(self.run_uncounted(&format!("rollback to savepoint {SAVEPOINT}"))),
        }
        loaded
    }

    /// Runs a statement that is not counted.
    fn run_uncounted(&mut self, sql: &str) -> Result<()> {
        self.send_query(sql)?;
        self.response(&mut Vec::new(), |_, _| Ok(())).map(|_| ())
    }

    /// Loads `rows` into `table`, inside the open transaction.
    pub(super) fn load_rows(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        let names: Vec<String> = rows.columns().iter().map(|column| quoted(&column.name)).collect();
        let sql = load_data(table, "fields terminated by '\\t' escaped by '\\\\'", &names);
        let mut encoder = Encoder::new(rows.columns(), &[], INITIAL_BYTES);
        self.run_load(&sql, |session, sequence| session.send_rows(rows, &mut encoder, sequence))
    }

    /// Loads `lines` into `table`, inside the open transaction. Without quote and escape characters, every byte is
    /// literal.
    pub(super) fn load_lines(&mut self, table: &str, form: &LineForm, lines: &[u8]) -> Result<u64> {
        form.refuse(lines, None)?;
        let names: Vec<String> = form.columns.iter().map(|name| quoted(name)).collect();
        let sql = load_data(table, &format!("fields terminated by x'{:02x}' escaped by ''", form.separator), &names);
        let mut chunks = LineChunks::new(lines, form, CHUNK_BYTES);
        self.run_load(&sql, |session, sequence| session.send_lines(&mut chunks, sequence))
    }

    /// Runs a load whose file is sent and counted by `send`, starting with the given packet sequence number.
    fn run_load(
        &mut self,
        sql: &str,
        send: impl FnOnce(&mut MysqlSession, &mut u8) -> Result<Result<u64>>,
    ) -> Result<u64> {
        self.timed(|session| {
            session.send_query(sql)?;
            session.await_request()
        })?;
        let limit = self.wire.messages.transport.allow_backlog().map_err(|error| self.mark_lost(&error, None))?;
        let mut sequence = 2;
        let sent = send(self, &mut sequence)?;
        // The end of the file is always sent.
        self.send_packet(&[], &mut sequence)?;
        let response = self.timed(|session| session.response(&mut Vec::new(), |_, _| Ok(())));
        if !self.lost {
            self.wire.messages.transport.limit_backlog(limit).map_err(|error| self.mark_lost(&error, None))?;
        }
        let sent = sent?;
        let response = response?;
        self.count_inner(1);
        match response.warnings {
            0 if response.affected == sent => Ok(sent),
            _ => Err(self.first_warning(sent - response.affected.min(sent))?),
        }
    }

    /// Counts the time of `act` as server time.
    fn timed<T>(&mut self, act: impl FnOnce(&mut MysqlSession) -> T) -> T {
        let start = Instant::now();
        let outcome = act(self);
        self.sending_time += start.elapsed();
        outcome
    }

    /// Waits until the server requests the file.
    fn await_request(&mut self) -> Result<()> {
        let body = match self.wire.messages.receive() {
            Ok(body) => body,
            Err(error) => return Err(self.mark_lost(&error, None)),
        };
        match body.first() {
            Some(0xfb) => Ok(()),
            Some(0xff) => {
                let error = ServerError::parse(body);
                let error = self.error_of(error);
                Err(match error.code.as_deref() {
                    // LOCAL is disabled in the server.
                    Some("1148" | "3948" | "4166") => Error { kind: Kind::Access, ..error }
                        .hint("the bulk path needs local_infile = ON in the server: set global local_infile = on"),
                    _ => error,
                })
            }
            _ => Err(Error::new(Kind::Statement, "the server does not accept rows for a load")),
        }
    }

    /// Sends all rows, until one is invalid; returns their number.
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

    /// Sends all lines without copying, until one is invalid; returns their number.
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
        bytes.chunks(PACKET_BYTES_MAX).try_for_each(|part| self.send_packet(part, sequence))
    }

    fn send_packet(&mut self, payload: &[u8], sequence: &mut u8) -> Result<()> {
        let header = header(payload.len(), *sequence);
        *sequence = sequence.wrapping_add(1);
        let sent = self.timed(|session| session.wire.messages.send_both(&header, payload));
        sent.map_err(|error| self.send_error(&error))
    }

    /// The first warning of a load, as an error.
    fn first_warning(&mut self, left_out: u64) -> Result<Error> {
        self.send_query("show warnings limit 1")?;
        let mut fields: Vec<Value<'static>> = Vec::new();
        self.response(&mut Vec::new(), |_, body| {
            let mut reader = crate::message::Reader::new(body);
            while !reader.is_empty() {
                fields.push(Value::Text(String::from_utf8_lossy(reader.bytes()?).into_owned().into()));
            }
            Ok(())
        })?;
        let (number, message) = match fields.as_slice() {
            [_, Value::Text(number), Value::Text(message)] => (number.parse().unwrap_or(0), message.to_string()),
            _ => (0, format!("{left_out} rows were skipped without a warning")),
        };
        Ok(Error::new(kind(number), message).code(number.to_string()))
    }
}
