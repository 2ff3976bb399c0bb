//! What the server refuses, and what that means to dbdyno.

use engine::{Error, Kind};
use record::FailureKind;

use crate::message::Reader;

/// An ErrorResponse.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Refusal {
    severity: String,
    code: String,
    message: String,
    detail: Option<String>,
    hint: Option<String>,
    /// The line of a COPY that it is about: `COPY t, line 3, column id: "x"`.
    copy_line: Option<String>,
}

impl Refusal {
    /// Reads an ErrorResponse as far as it can be read; what is cut off is missing.
    pub(crate) fn parse(body: &[u8]) -> Refusal {
        let mut refusal = Refusal::default();
        let mut reader = Reader::new(body);
        while let Ok(field) = reader.byte() {
            let (true, Ok(text)) = (field != 0, reader.text()) else { break };
            let text = String::from_utf8_lossy(text).into_owned();
            match field {
                // The severity that is never translated; every version from 9.6 on sends it.
                b'V' => refusal.severity = text,
                b'C' => refusal.code = text,
                b'M' => refusal.message = text,
                b'D' => refusal.detail = Some(text),
                b'H' => refusal.hint = Some(text),
                // Where it happened, one line for each function on the way there.
                b'W' => refusal.copy_line = text.lines().find(|line| line.starts_with("COPY ")).map(str::to_owned),
                _ => {}
            }
        }
        refusal
    }

    /// Whether this ends the session.
    pub(crate) fn is_fatal(&self) -> bool {
        matches!(self.severity.as_str(), "FATAL" | "PANIC")
    }

    pub(crate) fn code(&self) -> &str {
        &self.code
    }

    /// The refusal of a statement.
    pub(crate) fn into_error(self) -> Error {
        let kind = if self.is_fatal() { Kind::Lost } else { kind(&self.code) };
        self.into_error_of(kind)
    }

    /// The refusal of a login.
    pub(crate) fn into_login_error(self) -> Error {
        let (kind, hint) = match self.code.as_str() {
            "28P01" => (Kind::Access, "give the password in PGPASSWORD, in ~/.pgpass or in the target"),
            "28000" => (Kind::Access, "name a role that exists and that pg_hba.conf of the server lets in from here"),
            "3D000" => (Kind::Access, "create the database, or name one that exists"),
            "42501" => (Kind::Access, "grant connect on the database to this role"),
            "53300" => (Kind::Access, "raise max_connections of the server, or ask for fewer jobs"),
            "57P03" => (Kind::Unreachable, "wait until the server has started"),
            "57P01" | "57P02" => (Kind::Unreachable, "start the server"),
            _ => (Kind::Access, ""),
        };
        let known = self.hint.is_some() || hint.is_empty();
        let error = self.into_error_of(kind);
        if known { error } else { error.hint(hint) }
    }

    fn into_error_of(self, kind: Kind) -> Error {
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

/// Who has to act on an SQLSTATE (PostgreSQL manual, appendix A) while the session lives on.
fn kind(code: &str) -> Kind {
    match code {
        "40P01" => Kind::Step(FailureKind::Deadlock),
        "40001" => Kind::Step(FailureKind::Serialization),
        "55P03" => Kind::Step(FailureKind::LockTimeout),
        "57014" => Kind::Step(FailureKind::Cancelled),
        // A standby, or a database that is set to read only: this statement will never work here.
        "25006" => Kind::Statement,
        "42501" | "3D000" => Kind::Access,
        "53100" => Kind::Space,
        "57P01" | "57P02" | "57P03" | "57P04" | "57P05" | "25P03" => Kind::Lost,
        _ => match code.get(..2) {
            Some("23") => Kind::Step(FailureKind::Constraint),
            Some("28") => Kind::Access,
            Some("08") => Kind::Lost,
            // Wrong or impossible statements, objects that are not there.
            Some("42" | "0A" | "3F" | "26" | "34") => Kind::Statement,
            _ => Kind::Step(FailureKind::Other),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn refusal(fields: &[(u8, &str)]) -> Refusal {
        let mut body = Vec::new();
        for (field, text) in fields {
            body.push(*field);
            body.extend_from_slice(text.as_bytes());
            body.push(0);
        }
        body.push(0);
        Refusal::parse(&body)
    }

    #[test]
    fn a_code_says_who_has_to_act() {
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
    fn an_error_says_message_detail_code_and_hint() {
        let parts = [(b'V', "ERROR"), (b'C', "23505"), (b'M', "duplicate key"), (b'D', "Key (id)=(1) exists.")];
        let error = refusal(&parts).into_error();
        assert_eq!(error.message, "duplicate key: Key (id)=(1) exists");
        assert_eq!(error.code.as_deref(), Some("23505"));
        assert_eq!(error.kind, Kind::Step(FailureKind::Constraint));
        let place = "COPY t, line 3, column id: \"x\"";
        let parts = [(b'C', "22P02"), (b'M', "no integer"), (b'W', &*format!("{place}\nPL/pgSQL function f()"))];
        assert_eq!(refusal(&parts).into_error().message, format!("no integer; {place}"));
        let fatal = refusal(&[(b'V', "FATAL"), (b'C', "25P03"), (b'M', "idle"), (b'H', "Wake up.")]).into_error();
        assert_eq!((fatal.kind, fatal.hint.as_deref()), (Kind::Lost, Some("Wake up")));
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_are_some_refusal(body in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = Refusal::parse(&body).into_error();
            let _ = Refusal::parse(&body).into_login_error();
        }
    }
}
