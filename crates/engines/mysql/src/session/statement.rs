//! Prepared statements, and the packets that run them.

use engine::{Error, Kind, Result, Value};

use crate::codec;
use crate::message::ResultColumn;

/// Fixed statements as packets: header, command, text.
pub(super) const BEGIN: &[u8] = b"\x06\0\0\0\x03begin";
pub(super) const COMMIT: &[u8] = b"\x07\0\0\0\x03commit";
pub(super) const ROLLBACK: &[u8] = b"\x09\0\0\0\x03rollback";

/// `COM_STMT_EXECUTE`.
pub(super) const EXECUTE: u8 = 0x17;

/// A prepared statement.
pub(super) struct Prepared {
    id: u32,
    parameters: usize,
    /// Columns of its rows, as last described.
    pub(super) columns: Vec<ResultColumn>,
    /// Their names, when it was prepared.
    column_names: Vec<String>,
    /// The parameter types that the server has; empty if none.
    types: Vec<u8>,
}

impl Prepared {
    pub(super) fn new(id: u32, parameters: usize, columns: Vec<ResultColumn>) -> Prepared {
        Prepared { id, parameters, columns, column_names: Vec::new(), types: Vec::with_capacity(parameters) }
    }

    /// The same, with the names of its columns.
    pub(super) fn with_column_names(self, column_names: Vec<String>) -> Prepared {
        Prepared { column_names, ..self }
    }

    pub(super) fn column_names(&self) -> &[String] {
        &self.column_names
    }

    /// Its id on the server.
    pub(super) fn id(&self) -> u32 {
        self.id
    }

    /// Writes the execution with `binds` after the header in `out`.
    #[inline]
    pub(super) fn bind(&mut self, binds: &[Value<'_>], out: &mut Vec<u8>) -> Result<()> {
        if binds.len() != self.parameters {
            let message = format!("{} binds are given, but the statement has {}", binds.len(), self.parameters);
            return Err(Error::new(Kind::Statement, message));
        }
        out.push(EXECUTE);
        out.extend_from_slice(&self.id.to_le_bytes());
        // No cursor, one iteration.
        out.extend_from_slice(&[0, 1, 0, 0, 0]);
        if binds.is_empty() {
            return Ok(());
        }
        let nulls = out.len();
        out.resize(nulls + binds.len().div_ceil(8), 0);
        for (index, _) in binds.iter().enumerate().filter(|(_, value)| **value == Value::Null) {
            out[nulls + index / 8] |= 1 << (index % 8);
        }
        if self.are_types_known(binds) {
            out.push(0);
        } else {
            out.push(1);
            self.types.clear();
            for value in binds {
                self.types.push(codec::kind_of(value));
                out.extend_from_slice(&[codec::kind_of(value), 0]);
            }
        }
        binds.iter().for_each(|value| codec::encode(value, out));
        Ok(())
    }

    /// Whether the server has these types. The type of a null does not matter.
    #[inline]
    fn are_types_known(&self, binds: &[Value<'_>]) -> bool {
        let fits = |(kind, value): (&u8, &Value<'_>)| *kind == codec::kind_of(value) || *value == Value::Null;
        self.types.len() == binds.len() && self.types.iter().zip(binds).all(fits)
    }

    /// Makes the next execution send the types again.
    pub(super) fn forget_types(&mut self) {
        self.types.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(prepared: &mut Prepared, binds: &[Value<'_>]) -> Vec<u8> {
        let mut out = Vec::new();
        prepared.bind(binds, &mut out).unwrap();
        out
    }

    #[test]
    fn types_are_sent_once_and_when_they_change() {
        let mut prepared = Prepared::new(7, 2, Vec::new());
        let head = b"\x17\x07\0\0\0\0\x01\0\0\0";
        let first = bound(&mut prepared, &[Value::Int(5), Value::Text("ab".into())]);
        assert_eq!(first, [&head[..], b"\0\x01\x08\0\xfd\0\x05\0\0\0\0\0\0\0\x02ab"].concat());
        let second = bound(&mut prepared, &[Value::Int(6), Value::Text("".into())]);
        assert_eq!(second, [&head[..], b"\0\0\x06\0\0\0\0\0\0\0\0"].concat());
        let null = bound(&mut prepared, &[Value::Null, Value::Text("".into())]);
        assert_eq!(null, [&head[..], b"\x01\0\0"].concat(), "a null has any type");
        let other = bound(&mut prepared, &[Value::Float(0.5), Value::Text("".into())]);
        assert_eq!(other[head.len() + 1], 1);
        prepared.forget_types();
        assert_eq!(bound(&mut prepared, &[Value::Float(0.5), Value::Text("".into())])[head.len() + 1], 1);
    }

    #[test]
    fn a_wrong_number_of_binds_is_rejected() {
        let mut prepared = Prepared::new(1, 1, Vec::new());
        for binds in [&[][..], &[Value::Int(1), Value::Int(2)]] {
            assert_eq!(prepared.bind(binds, &mut Vec::new()).unwrap_err().kind, Kind::Statement);
        }
    }

    #[test]
    fn fixed_packets_have_a_correct_length() {
        for packet in [BEGIN, COMMIT, ROLLBACK] {
            assert_eq!(usize::from(packet[0]), packet.len() - 4);
        }
    }
}
