//! Statements with raw bytes, for example a chunk of a file: sent from and read into a buffer of the caller, in binary
//! and without copying.

use engine::{Error, Kind, Result, Statement};
use transport::MESSAGE_BYTES_MAX;

use super::statement::EXECUTE_AND_SYNC;
use super::{PostgresSession, Protocol, find};
use crate::message::{affected, fields};

/// Maximum number of bytes in a statement: the rest of the message is short.
pub(crate) const BYTES_MAX: usize = MESSAGE_BYTES_MAX / 4;

/// One format for all values: binary.
const ALL_BINARY: [u8; 4] = [0, 1, 0, 1];

impl PostgresSession {
    /// Runs a statement whose binds are the 64-bit `integers` and then a `bytea`; returns the number of changed rows.
    pub(crate) fn execute_with_bytes(&mut self, statement: Statement, integers: &[i64], bytes: &[u8]) -> Result<u64> {
        self.check_connected()?;
        if bytes.len() > BYTES_MAX {
            let message = format!("{} bytes in a statement exceed {BYTES_MAX}", bytes.len());
            return Err(Error::new(Kind::Statement, message));
        }
        self.begin_bind(statement, integers, Some(bytes.len()))?;
        let head = std::mem::take(&mut self.wire.output);
        let sent = self.wire.messages.send_both(&head, bytes);
        self.wire.output = head;
        self.wire.output.clear();
        sent.map_err(|error| self.send_error(&error))?;
        self.end_bind();
        self.send()?;
        let mut changed = 0;
        self.response(Protocol::Extended, |message| {
            if message.tag == b'C' {
                changed = affected(message.body);
            }
            Ok(())
        })?;
        Ok(changed)
    }

    /// Runs a query whose binds are the 64-bit `integers` and that returns one `bytea`, which fills `into`.
    pub(crate) fn read_bytes(&mut self, statement: Statement, integers: &[i64], into: &mut [u8]) -> Result<()> {
        self.check_connected()?;
        self.begin_bind(statement, integers, None)?;
        self.end_bind();
        self.send()?;
        let mut found = None;
        self.response(Protocol::Extended, |message| {
            if message.tag == b'D' {
                let bytes = fields(message.body)?.next().transpose()?.flatten().unwrap_or_default();
                found = Some(bytes.len());
                if bytes.len() == into.len() {
                    into.copy_from_slice(bytes);
                }
            }
            Ok(())
        })?;
        let expected = into.len();
        match found {
            Some(length) if length == expected => Ok(()),
            Some(length) => Err(Error::new(Kind::Statement, format!("{length} bytes were read, expected {expected}"))),
            None => Err(Error::new(Kind::Statement, format!("nothing was read, expected {expected} bytes"))),
        }
    }

    /// Writes Bind up to the bytes, whose number is `bytes_length`, if any.
    fn begin_bind(&mut self, statement: Statement, integers: &[i64], bytes_length: Option<usize>) -> Result<()> {
        let name = find(&self.statements, statement)?.name();
        let out = &mut self.wire.output;
        out.clear();
        let values = integers.len() + usize::from(bytes_length.is_some());
        // Length, portal, name, one format for the values, their number, the values, one format for the results.
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

    /// Writes the rest of Bind after the values, Execute and Sync.
    fn end_bind(&mut self) {
        self.wire.output.extend_from_slice(&ALL_BINARY);
        self.wire.output.extend_from_slice(&EXECUTE_AND_SYNC);
    }
}
