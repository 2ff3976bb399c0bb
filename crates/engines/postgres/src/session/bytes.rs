//! Statements that carry bytes as they are, a piece of a file say: sent from where they lie, and read into a place of
//! the caller's, in binary and without a copy of our own.

use engine::{Error, Kind, Result, Statement};
use transport::MESSAGE_BYTES_MAX;

use super::statement::EXECUTE_AND_SYNC;
use super::{PostgresSession, Protocol, find};
use crate::message::{affected, fields};

/// The longest run of bytes in a statement: what is beside them in the message is short.
pub(crate) const BYTES_MAX: usize = MESSAGE_BYTES_MAX / 4;

/// One format for all values: binary.
const ALL_BINARY: [u8; 4] = [0, 1, 0, 1];

impl PostgresSession {
    /// Runs a statement whose binds are the 64-bit `integers` and then a `bytea`; how many rows it changed.
    ///
    /// # Errors
    /// As [`engine::Session::execute`].
    pub(crate) fn execute_with_bytes(&mut self, statement: Statement, integers: &[i64], bytes: &[u8]) -> Result<u64> {
        self.alive()?;
        if bytes.len() > BYTES_MAX {
            let message = format!("{} bytes in a statement are more than {BYTES_MAX}", bytes.len());
            return Err(Error::new(Kind::Statement, message));
        }
        self.begin_bind(statement, integers, Some(bytes.len()))?;
        let head = std::mem::take(&mut self.wire.output);
        let sent = self.wire.messages.transport.send_both(&head, bytes);
        self.wire.output = head;
        self.wire.output.clear();
        sent.map_err(|error| self.hang_up(&error))?;
        self.end_bind();
        self.send()?;
        let mut changed = 0;
        self.answer(Protocol::Extended, |message| {
            if message.tag == b'C' {
                changed = affected(message.body);
            }
            Ok(())
        })?;
        Ok(changed)
    }

    /// Runs a query whose binds are the 64-bit `integers` and that returns one `bytea`, which fills `into`.
    ///
    /// # Errors
    /// `Statement` where there is no row, or where its bytes are not exactly as many; as [`engine::Session::query`].
    pub(crate) fn read_bytes(&mut self, statement: Statement, integers: &[i64], into: &mut [u8]) -> Result<()> {
        self.alive()?;
        self.begin_bind(statement, integers, None)?;
        self.end_bind();
        self.send()?;
        let mut found = None;
        self.answer(Protocol::Extended, |message| {
            if message.tag == b'D' {
                let bytes = fields(message.body)?.next().transpose()?.flatten().unwrap_or_default();
                found = Some(bytes.len());
                if bytes.len() == into.len() {
                    into.copy_from_slice(bytes);
                }
            }
            Ok(())
        })?;
        let due = into.len();
        match found {
            Some(length) if length == due => Ok(()),
            Some(length) => Err(Error::new(Kind::Statement, format!("{length} bytes were read where {due} are due"))),
            None => Err(Error::new(Kind::Statement, format!("nothing was read where {due} bytes are due"))),
        }
    }

    /// Writes Bind up to and without the bytes, of which there are `bytes_length` where there are any.
    fn begin_bind(&mut self, statement: Statement, integers: &[i64], bytes_length: Option<usize>) -> Result<()> {
        let name = find(&self.statements, statement)?.name();
        let out = &mut self.wire.output;
        out.clear();
        let values = integers.len() + usize::from(bytes_length.is_some());
        // Length, portal, name, one format for the values, their number, they themselves, one format for the results.
        let fixed = 4 + 1 + name.len() + 1 + ALL_BINARY.len() + 2 + integers.len() * 12 + ALL_BINARY.len();
        let length = fixed + bytes_length.map_or(0, |length| 4 + length);
        out.extend_from_slice(b"B");
        out.extend_from_slice(&(length as u32).to_be_bytes());
        out.extend_from_slice(&[0]);
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(&[0]);
        out.extend_from_slice(&ALL_BINARY);
        out.extend_from_slice(&(values as u16).to_be_bytes());
        for integer in integers {
            out.extend_from_slice(&8_u32.to_be_bytes());
            out.extend_from_slice(&integer.to_be_bytes());
        }
        if let Some(length) = bytes_length {
            out.extend_from_slice(&(length as u32).to_be_bytes());
        }
        Ok(())
    }

    /// Writes what stands behind the values, Execute and Sync.
    fn end_bind(&mut self) {
        self.wire.output.extend_from_slice(&ALL_BINARY);
        self.wire.output.extend_from_slice(&EXECUTE_AND_SYNC);
    }
}
