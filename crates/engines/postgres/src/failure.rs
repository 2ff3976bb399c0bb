//! Errors of the server, and their kinds.

use std::io;

use engine::{Error, Kind, Result};
use record::FailureKind;
use transport::plain_message;

use crate::message::Reader;

/// An ErrorResponse.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ServerError {
    severity: String,
    code: String,
    message: String,
    detail: Option<String>,
    hint: Option<String>,
    /// The line of a COPY that caused it: `COPY t, line 3, column id: "x"`.
    copy_line: Option<String>,
}

impl ServerError {
    /// Reads an ErrorResponse; fields of a truncated one are missing.
    pub(crate) fn parse(body: &[u8]) -> ServerError {
        let mut pending_error = ServerError::default();
        let mut reader = Reader::new(body);
        while let Ok(field) = reader.byte() {
            let (true, Ok(text)) = (field != 0, reader.text()) else { break };
            let text = String::from_utf8_lossy(text).into_owned();
            match field {
                // The severity that is never localised; sent since version 9.6.
                b'V' => pending_error.severity = text,
                b'C' => pending_error.code = text,
                b'M' => pending_error.message = text,
                b'D' => pending_error.detail = Some(text),
                b'H' => pending_error.hint = Some(text),
                // The context, one line per call.
                b'W' => {
                    pending_error.copy_line = text.lines().find(|line| line.starts_with("COPY ")).map(str::to_owned)
                }
                _ => {}
            }
        }
        pending_error
    }

    /// Whether it terminates the session.
    pub(crate) fn is_fatal(&self) -> bool {
        matches!(self.severity.as_str(), "FATAL" | "PANIC")
    }

    pub(crate) fn code(&self) -> &str {
        &self.code
    }

    /// As an error of a statement.
    pub(crate) fn into_error(self) -> Error {
        let kind = if self.is_fatal() { Kind::Lost } else { kind(&self.code) };
        self.into_error_of(kind)
    }

    /// As an error of a login.
    pub(crate) fn into_login_error(self) -> Error {
        let (kind, hint) = match self.code.as_str() {
            "28P01" => (Kind::Access, "give the password in PGPASSWORD, in ~/.pgpass or in the target"),
            "28000" => (Kind::Access, "use an existing role that pg_hba.conf of the server accepts from this host"),
            "3D000" => (Kind::Access, "create the database, or use an existing one"),
            "42501" => (Kind::Access, "grant connect on the database to this role"),
            "53300" => (Kind::Access, "raise max_connections of the server, or use fewer jobs"),
            "57P03" => (Kind::Unreachable, "wait until the server has started"),
            "57P01" | "57P02" => (Kind::Unreachable, "start the server"),
            _ => (Kind::Access, ""),
        };
        let known = self.hint.is_some() || hint.is_empty();
        let error = self.into_error_of(kind);
        if known { error } else { error.hint(hint) }
    }

    fn into_error_of(mut self, kind: Kind) -> Error {
        // A prepared statement of another session, or none: a pooler gave the session another server process.
        if matches!(self.code.as_str(), "42P05" | "26000") && self.hint.is_none() {
            self.hint = Some("behind a pooler of transactions add ?prepared_statements=off to the target".to_owned());
        }
        let mut message = if self.message.is_empty() { "the server gave no reason".to_owned() } else { self.message };
        if let Some(detail) = &self.detail {
            message.push_str(": ");
            message.push_str(detail.trim_end_matches('.'));
        }
        if let Some(line) = &self.copy_line {
            message.push_str("; ");
            message.push_str(line);
        }
        let mut error = Error::new(kind, message);
        if !self.code.is_empty() {
            error = error.code(self.code);
        }
        match self.hint {
            Some(hint) => error.hint(hint.trim_end_matches('.')),
            None => error,
        }
    }
}

/// The kind of an SQLSTATE (PostgreSQL manual, appendix A) that does not terminate the session.
fn kind(code: &str) -> Kind {
    match code {
        "40P01" => Kind::Step(FailureKind::Deadlock),
        "40001" => Kind::Step(FailureKind::Serialization),
        "55P03" => Kind::Step(FailureKind::LockTimeout),
        "57014" => Kind::Step(FailureKind::Cancelled),
        // A standby or a read-only database: this statement will never succeed here.
        "25006" => Kind::Statement,
        "42501" | "3D000" => Kind::Access,
        "53100" => Kind::Space,
        "57P01" | "57P02" | "57P03" | "57P04" | "57P05" | "25P03" => Kind::Lost,
        _ => match code.get(..2) {
            Some("23") => Kind::Step(FailureKind::Constraint),
            Some("28") => Kind::Access,
            Some("08") => Kind::Lost,
            // Invalid or unsupported statements, missing objects.
            Some("42" | "0A" | "3F" | "26" | "34") => Kind::Statement,
            _ => Kind::Step(FailureKind::Other),
        },
    }
}

/// `None` for a query that the server does not support or permit; other errors are returned.
pub(crate) fn if_supported<T>(outcome: Result<T>) -> Result<Option<T>> {
    match outcome {
        Ok(value) => Ok(Some(value)),
        Err(error) if matches!(error.kind, Kind::Statement | Kind::Access | Kind::Step(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The error for a message that cannot be built: a text with a zero byte, or one that is too long.
pub(crate) fn encode_error(error: &io::Error) -> Error {
    Error::new(Kind::Statement, format!("the statement cannot be sent: {}", plain_message(error)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pending_error(fields: &[(u8, &str)]) -> ServerError {
        let mut body = Vec::new();
        for (field, text) in fields {
            body.push(*field);
            body.extend_from_slice(text.as_bytes());
            body.push(0);
        }
        body.push(0);
        ServerError::parse(&body)
    }

    #[test]
    fn a_code_determines_the_kind() {
        let cases = [
            ("40P01", Kind::Step(FailureKind::Deadlock)),
            ("40001", Kind::Step(FailureKind::Serialization)),
            ("55P03", Kind::Step(FailureKind::LockTimeout)),
            ("23505", Kind::Step(FailureKind::Constraint)),
            ("57014", Kind::Step(FailureKind::Cancelled)),
            ("57P01", Kind::Lost),
            ("42601", Kind::Statement),
            ("42P01", Kind::Statement),
            ("42501", Kind::Access),
            ("25006", Kind::Statement),
            ("3D000", Kind::Access),
            ("53100", Kind::Space),
            ("53200", Kind::Step(FailureKind::Other)),
            ("22012", Kind::Step(FailureKind::Other)),
            ("", Kind::Step(FailureKind::Other)),
            ("é", Kind::Step(FailureKind::Other)),
        ];
        for (code, expected) in cases {
            assert_eq!(kind(code), expected, "{code}");
        }
    }

    #[test]
    fn an_error_has_message_detail_code_and_hint() {
        let parts = [(b'V', "ERROR"), (b'C', "23505"), (b'M', "duplicate key"), (b'D', "Key (id)=(1) exists.")];
        let error = pending_error(&parts).into_error();
        assert_eq!(error.message, "duplicate key: Key (id)=(1) exists");
        assert_eq!(error.code.as_deref(), Some("23505"));
        assert_eq!(error.kind, Kind::Step(FailureKind::Constraint));
        let address = "COPY t, line 3, column id: \"x\"";
        let parts = [(b'C', "22P02"), (b'M', "no integer"), (b'W', &*format!("{address}\nPL/pgSQL function f()"))];
        assert_eq!(pending_error(&parts).into_error().message, format!("no integer; {address}"));
        let fatal = pending_error(&[(b'V', "FATAL"), (b'C', "25P03"), (b'M', "idle"), (b'H', "Wake up.")]).into_error();
        assert_eq!((fatal.kind, fatal.hint.as_deref()), (Kind::Lost, Some("Wake up")));
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(body in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = ServerError::parse(&body).into_error();
            let _ = ServerError::parse(&body).into_login_error();
        }
    }
}
