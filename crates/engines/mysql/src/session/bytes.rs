//! Statements that carry bytes as they are, a piece of a file say: sent from where they lie, and read into a place of
//! the caller's, in binary.

use engine::{Error, Kind, Result, Statement};

use super::MysqlSession;
use super::statement::EXECUTE;
use crate::codec::{self, kind};
use crate::message::Reader;
use transport::malformed;

impl MysqlSession {
    /// Runs a statement whose binds are the 64-bit `integers` and then a blob; how many rows it changed.
    ///
    /// # Errors
    /// As [`engine::Session::execute`].
    pub(crate) fn execute_with_bytes(&mut self, statement: Statement, integers: &[i64], bytes: &[u8]) -> Result<u64> {
        self.alive()?;
        self.begin_execution(statement, integers, true)?;
        codec::encode_length(bytes.len() as u64, &mut self.wire.output);
        let sent = self.wire.send_command_with(bytes);
        sent.map_err(|error| self.hang_up(&error))?;
        let answer = self.answer(&mut Vec::new(), |_, _| Ok(()))?;
        self.count_inner(1);
        Ok(answer.affected)
    }

    /// Runs a query whose binds are the 64-bit `integers` and that returns one blob, which fills `into`.
    ///
    /// # Errors
    /// `Statement` where there is no row, or where its bytes are not exactly as many; as [`engine::Session::query`].
    pub(crate) fn read_bytes(&mut self, statement: Statement, integers: &[i64], into: &mut [u8]) -> Result<()> {
        self.alive()?;
        self.begin_execution(statement, integers, false)?;
        let index = statement.0 as usize;
        let mut columns = std::mem::take(&mut self.statements[index].columns);
        let mut found = None;
        let answer = self.send().and_then(|()| {
            self.answer(&mut columns, |columns, body| {
                if columns.len() != 1 {
                    return Err(malformed(format!("a row of {} fields where 1 is due", columns.len())));
                }
                let mut reader = Reader::new(body);
                // A zero, and one byte of nulls.
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
        answer?;
        self.count_inner(1);
        let due = into.len();
        match found {
            Some(length) if length == due => Ok(()),
            Some(length) => Err(Error::new(Kind::Statement, format!("{length} bytes were read where {due} are due"))),
            None => Err(Error::new(Kind::Statement, format!("nothing was read where {due} bytes are due"))),
        }
    }

    /// Writes the execution of `statement` with `integers`, up to and without the blob behind them.
    fn begin_execution(&mut self, statement: Statement, integers: &[i64], with_blob: bool) -> Result<()> {
        let prepared = self.statements.get_mut(statement.0 as usize).ok_or_else(|| Error::not_prepared(statement))?;
        // Said anew each time: beside so many bytes that is nothing.
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
