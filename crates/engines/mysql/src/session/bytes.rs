//! Statements with raw bytes, for example a chunk of a file: sent from and read into a buffer of the caller, in binary.

use engine::{Error, Kind, Result, Statement};

use super::MysqlSession;
use super::statement::EXECUTE;
use crate::codec::{self, kind};
use crate::message::Reader;
use transport::malformed;

impl MysqlSession {
    /// Runs a statement whose binds are the 64-bit `integers` and then a blob; returns the number of changed rows.
    pub(crate) fn execute_with_bytes(&mut self, statement: Statement, integers: &[i64], bytes: &[u8]) -> Result<u64> {
        self.check_connected()?;
        self.begin_execution(statement, integers, true)?;
        codec::encode_length(bytes.len() as u64, &mut self.wire.output);
        let sent = self.wire.send_command_with(bytes);
        sent.map_err(|error| self.send_error(&error))?;
        let response = self.response(&mut Vec::new(), |_, _| Ok(()))?;
        self.count_inner(1);
        Ok(response.affected)
    }

    /// Runs a query whose binds are the 64-bit `integers` and that returns one blob, which fills `into`.
    pub(crate) fn read_bytes(&mut self, statement: Statement, integers: &[i64], into: &mut [u8]) -> Result<()> {
        self.check_connected()?;
        self.begin_execution(statement, integers, false)?;
        let index = statement.0 as usize;
        let mut columns = std::mem::take(&mut self.statements[index].columns);
        let mut found = None;
        let response = self.send().and_then(|()| {
            self.response(&mut columns, |columns, body| {
                if columns.len() != 1 {
                    return Err(malformed(format!("a row of {} fields, expected 1", columns.len())));
                }
                let mut reader = Reader::new(body);
                // A zero, and a null bitmap of one byte.
                reader.take(2)?;
                let bytes = reader.bytes()?;
                found = Some(bytes.len());
                if bytes.len() == into.len() {
                    into.copy_from_slice(bytes);
                }
                Ok(())
            })
        });
        self.statements[index].columns = columns;
        response?;
        self.count_inner(1);
        let expected = into.len();
        match found {
            Some(length) if length == expected => Ok(()),
            Some(length) => Err(Error::new(Kind::Statement, format!("{length} bytes were read, expected {expected}"))),
            None => Err(Error::new(Kind::Statement, format!("nothing was read, expected {expected} bytes"))),
        }
    }

    /// Writes the execution of `statement` with `integers`, up to the blob after them.
    fn begin_execution(&mut self, statement: Statement, integers: &[i64], with_blob: bool) -> Result<()> {
        let prepared = self.statements.get_mut(statement.0 as usize).ok_or_else(|| statement.not_prepared())?;
        // The types are sent each time, which is negligible compared with the bytes.
        prepared.forget_types();
        let id = prepared.id();
        let binds = integers.len() + usize::from(with_blob);
        let out = self.wire.begin();
        out.push(EXECUTE);
        out.extend_from_slice(&id.to_le_bytes());
        // No cursor, one iteration.
        out.extend_from_slice(&[0, 1, 0, 0, 0]);
        out.resize(out.len() + binds.div_ceil(8), 0);
        out.push(1);
        integers.iter().for_each(|_| out.extend_from_slice(&[kind::LONGLONG, 0]));
        if with_blob {
            out.extend_from_slice(&[kind::BLOB, 0]);
        }
        integers.iter().for_each(|integer| out.extend_from_slice(&integer.to_le_bytes()));
        Ok(())
    }
}
