//! Prepared statements, and the requests that run them.

use std::io;

use bytes::BytesMut;
use engine::{Error, Kind, Result, Value};
use postgres_protocol::IsNull;
use postgres_protocol::message::frontend::{self, BindError};

use crate::codec::{self, BINARY_FORMAT};
use crate::failure::encode_error;
use crate::message;
use transport::malformed;

/// Statements that every session prepares: name and text.
pub(super) const BEGIN: (&str, &str) = ("begin", "begin");
pub(super) const COMMIT: (&str, &str) = ("commit", "commit");
pub(super) const ROLLBACK: (&str, &str) = ("rollback", "rollback");
/// Reads a row of a small table: a session that has accessed no table since its last report would not report its
/// commits (`pgstat_report_stat` in PostgreSQL's `pgstat.c`).
pub(super) const PUBLISH: (&str, &str) =
    ("publish", "select pg_catalog.pg_stat_force_next_flush() from (select from pg_catalog.pg_am limit 1) one");
/// The same before version 15, where the end of the transaction publishes.
pub(super) const PUBLISH_LATE: (&str, &str) = (PUBLISH.0, "select from pg_catalog.pg_am limit 1");

/// Execute of the unnamed portal without row limit, and Sync: the end of every request.
pub(super) const EXECUTE_AND_SYNC: [u8; 15] = [b'E', 0, 0, 0, 9, 0, 0, 0, 0, 0, b'S', 0, 0, 0, 4];

/// A prepared statement.
pub(super) struct Prepared {
    name: String,
    /// The text of one that has no name, and is parsed anew for each execution.
    text: Option<String>,
    parameters: Box<[u32]>,
    parameter_formats: Box<[i16]>,
    columns: Box<[u32]>,
    column_names: Box<[String]>,
    column_formats: Box<[i16]>,
}

impl Prepared {
    /// With the types of its parameters and columns.
    pub(super) fn new(name: String, parameters: Box<[u32]>, columns: Box<[u32]>) -> Prepared {
        let (parameter_formats, column_formats) = (formats(&parameters), formats(&columns));
        Prepared {
            name,
            text: None,
            parameters,
            parameter_formats,
            columns,
            column_names: Box::default(),
            column_formats,
        }
    }

    /// The same, with the names of its columns.
    pub(super) fn with_column_names(self, column_names: Box<[String]>) -> Prepared {
        Prepared { column_names, ..self }
    }

    /// The same without a name, parsed from `text` with each execution.
    pub(super) fn unnamed(self, text: &str) -> Prepared {
        Prepared { name: String::new(), text: Some(text.to_owned()), ..self }
    }

    /// Its name on the server.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn returns_rows(&self) -> bool {
        !self.columns.is_empty()
    }

    pub(super) fn column_names(&self) -> &[String] {
        &self.column_names
    }

    pub(super) fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// Writes Bind, Execute and Sync. Nothing is written if a bind cannot be converted.
    #[inline]
    pub(super) fn bind(&self, binds: &[Value<'_>], output: &mut BytesMut) -> Result<()> {
        output.clear();
        if binds.len() != self.parameters.len() {
            let message = format!("{} binds are given, but the statement has {}", binds.len(), self.parameters.len());
            return Err(Error::new(Kind::Statement, message));
        }
        if let Some(text) = &self.text {
            let types = self.parameters.iter().copied();
            frontend::parse(&self.name, text, types, output).map_err(|error| encode_error(&error))?;
        }
        let written = frontend::bind(
            "",
            &self.name,
            self.parameter_formats.iter().copied(),
            binds.iter().zip(&self.parameters),
            |(value, kind), out| codec::encode(value, *kind, out).map_err(Into::into),
            self.column_formats.iter().copied(),
            output,
        );
        match written {
            Ok(()) => {
                output.extend_from_slice(&EXECUTE_AND_SYNC);
                Ok(())
            }
            Err(error) => {
                output.clear();
                Err(match error {
                    BindError::Conversion(error) => {
                        Error::new(Kind::Statement, format!("a bind cannot be converted: {error}"))
                    }
                    BindError::Serialization(error) => encode_error(&error),
                })
            }
        }
    }
}

/// Writes Parse, Bind, Describe, Execute and Sync of a statement without a name. The server infers the types of its values, which
/// are sent as text, as by `PQexecParams` of libpq.
pub(super) fn unnamed(sql: &str, binds: &[Value<'_>], output: &mut BytesMut) -> Result<()> {
    output.clear();
    let text = |value: &Value<'_>, out: &mut BytesMut| {
        match value {
            Value::Null => return Ok(IsNull::Yes),
            Value::Int(value) => out.extend_from_slice(value.to_string().as_bytes()),
            Value::Float(value) => out.extend_from_slice(value.to_string().as_bytes()),
            Value::Decimal(text) | Value::Text(text) => out.extend_from_slice(text.as_bytes()),
        }
        Ok(IsNull::No)
    };
    frontend::parse("", sql, [], output).map_err(|error| encode_error(&error))?;
    frontend::bind("", "", [], binds, text, [], output).map_err(|error| match error {
        BindError::Conversion(error) => Error::new(Kind::Statement, format!("a bind cannot be converted: {error}")),
        BindError::Serialization(error) => encode_error(&error),
    })?;
    frontend::describe(b'P', "", output).map_err(|error| encode_error(&error))?;
    output.extend_from_slice(&EXECUTE_AND_SYNC);
    Ok(())
}

/// Encoded requests of the fixed statements.
pub(super) struct Requests {
    pub(super) begin: Vec<u8>,
    pub(super) commit: Vec<u8>,
    pub(super) rollback: Vec<u8>,
    pub(super) publish: Vec<u8>,
}

impl Requests {
    /// Those of statements that are prepared, or, where `is_pooled`, of their texts.
    pub(super) fn new(is_pooled: bool) -> Result<Requests> {
        let request = |(name, text): (&str, &str)| {
            let mut output = BytesMut::new();
            let prepared = Prepared::new(name.to_owned(), Box::default(), Box::default());
            let prepared = if is_pooled { prepared.unnamed(text) } else { prepared };
            prepared.bind(&[], &mut output)?;
            Ok(output.to_vec())
        };
        Ok(Requests {
            begin: request(BEGIN)?,
            commit: request(COMMIT)?,
            rollback: request(ROLLBACK)?,
            publish: request(PUBLISH)?,
        })
    }
}

/// The format codes for values of `types`: a single one if they are all binary, as the protocol allows.
fn formats(types: &[u32]) -> Box<[i16]> {
    let formats: Vec<i16> = types.iter().map(|kind| codec::format_of(*kind)).collect();
    match formats.iter().all(|format| *format == BINARY_FORMAT) {
        true if !formats.is_empty() => Box::new([BINARY_FORMAT]),
        _ => formats.into(),
    }
}

/// The values of a DataRow of `columns`.
pub(super) fn row(body: &[u8], columns: &[u32]) -> io::Result<Vec<Value<'static>>> {
    let fields = message::fields(body)?;
    if fields.left() != columns.len() {
        return Err(malformed(format!("a row of {} fields, expected {}", fields.left(), columns.len())));
    }
    fields.zip(columns).map(|(field, kind)| codec::decode(*kind, field?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::oid;
    use proptest::prelude::*;

    #[test]
    fn a_request_is_bind_execute_and_sync_in_binary() {
        let prepared = Prepared::new("s7".to_owned(), Box::new([oid::INT8]), Box::new([oid::INT4, oid::TEXT]));
        let mut output = BytesMut::new();
        prepared.bind(&[Value::Int(5)], &mut output).unwrap();
        let mut expected = b"B\0\0\0\x1e\0s7\0\0\x01\0\x01\0\x01\0\0\0\x08\0\0\0\0\0\0\0\x05\0\x01\0\x01".to_vec();
        expected.extend_from_slice(b"E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04");
        assert_eq!(output, expected);
        assert!(prepared.returns_rows());
    }

    #[test]
    fn an_invalid_bind_writes_nothing() {
        let prepared = Prepared::new("s".to_owned(), Box::new([oid::INT2]), Box::default());
        let mut output = BytesMut::new();
        for binds in [&[Value::Int(40_000)][..], &[], &[Value::Int(1), Value::Int(2)]] {
            assert_eq!(prepared.bind(binds, &mut output).unwrap_err().kind, Kind::Statement);
            assert!(output.is_empty());
        }
    }

    #[test]
    fn text_formats_are_listed_per_value() {
        assert_eq!(&*formats(&[oid::INT8, 1082, oid::TEXT]), [1, 0, 1]);
        assert_eq!(&*formats(&[oid::INT8, oid::TEXT]), [1]);
        assert_eq!(&*formats(&[]), [0; 0]);
    }

    proptest! {
        #[test]
        fn arbitrary_rows_never_panic(
            body in proptest::collection::vec(any::<u8>(), 0..100),
            columns in proptest::collection::vec(0_u32..2000, 0..4),
        ) {
            let _ = row(&body, &columns);
        }
    }
}
