//! Errors of the server, and their kinds.

use engine::{Error, Kind};
use record::FailureKind;

use crate::message::Reader;

/// An ERR packet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ServerError {
    pub(crate) number: u16,
    pub(crate) message: String,
}

impl ServerError {
    /// Reads an ERR packet; fields of a truncated one are missing.
    pub(crate) fn parse(body: &[u8]) -> ServerError {
        let mut reader = Reader::new(body);
        let number = reader.byte().and_then(|_| reader.int2()).unwrap_or(0);
        let mut text = reader.rest();
        // The SQLSTATE, which is less specific than the number; absent before the login.
        if text.first() == Some(&b'#') {
            text = text.get(6..).unwrap_or_default();
        }
        ServerError { number, message: String::from_utf8_lossy(text).into_owned() }
    }

    /// As an error of a statement.
    pub(crate) fn into_error(self) -> Error {
        let kind = kind(self.number);
        self.into_error_of(kind)
    }

    /// As an error of a login.
    pub(crate) fn into_login_error(self) -> Error {
        let (kind, hint) = match self.number {
            1045 | 1698 => (Kind::Access, "give user and password: in the target, in MYSQL_PWD, or in ~/.my.cnf"),
            1044 => (Kind::Access, "grant privileges on the database to the user, or use another one"),
            1049 => (Kind::Access, "create the database, or omit it in the target"),
            1040 | 1203 | 1226 => (Kind::Access, "raise max_connections of the server, or use fewer jobs"),
            1129 => (Kind::Access, "run mariadb-admin flush-hosts on the server"),
            1130 => (Kind::Access, "create the user for this host: 'user'@'%'"),
            3159 => (Kind::Access, "encrypt with sslmode=require"),
            _ => (Kind::Access, "see the log of the server"),
        };
        self.into_error_of(kind).hint(hint)
    }

    fn into_error_of(self, kind: Kind) -> Error {
        let message = if self.message.is_empty() { "the server gave no reason".to_owned() } else { self.message };
        Error::new(kind, message).code(self.number.to_string())
    }
}

/// The kind of an error number (MariaDB "Error Codes", MySQL "Server Error Message Reference").
pub(crate) fn kind(number: u16) -> Kind {
    match number {
        // In a cluster also a certification failure: another node has changed the same row first.
        1213 => Kind::Step(FailureKind::Deadlock),
        1205 | 3572 => Kind::Step(FailureKind::LockTimeout),
        // The record has changed since it was read.
        1020 => Kind::Step(FailureKind::Serialization),
        // Duplicate key (by number and by name), null, foreign keys, checks.
        1022 | 1048 | 1062 | 1169 | 1216 | 1217 | 1451 | 1452 | 1557 | 1586 | 1761 | 1762 | 3819 | 4025 => {
            Kind::Step(FailureKind::Constraint)
        }
        1317 | 1968 | 1969 | 3024 => Kind::Step(FailureKind::Cancelled),
        // The node is not part of the cluster at the moment.
        1047 | 1180 => Kind::Step(FailureKind::Other),
        // Access denied.
        1044 | 1045 | 1142 | 1143 | 1227 | 1370 | 1419 | 1698 | 1792 => Kind::Access,
        // The disk is full, the tablespace is full.
        1021 | 1041 | 1114 => Kind::Space,
        // Shutdown, connection killed, packets out of order.
        1053 | 1080 | 1152 | 1156 | 1157 | 1158 | 1159 | 1160 | 1161 | 1184 | 1927 | 2006 | 2013 | 3169 => Kind::Lost,
        // Invalid or unsupported statements (also writes to a read-only server), existing or missing objects.
        1007 | 1008 | 1046 | 1049 | 1050 | 1051 | 1052 | 1054 | 1055 | 1058 | 1059 | 1060 | 1061 | 1064 | 1065
        | 1066 | 1067 | 1068 | 1071 | 1072 | 1075 | 1091 | 1101 | 1103 | 1109 | 1110 | 1111 | 1136 | 1140 | 1146
        | 1149 | 1176 | 1193 | 1210 | 1222 | 1231 | 1232 | 1235 | 1238 | 1243 | 1247 | 1248 | 1290 | 1295 | 1304
        | 1305 | 1318 | 1327 | 1356 | 1363 | 1414 | 1418 | 1424 | 1436 | 1456 | 1582 | 1584 | 1836 | 4161 => {
            Kind::Statement
        }
        _ => Kind::Step(FailureKind::Other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_number_determines_the_kind() {
        let cases = [
            (1213, Kind::Step(FailureKind::Deadlock)),
            (1205, Kind::Step(FailureKind::LockTimeout)),
            (1062, Kind::Step(FailureKind::Constraint)),
            (1317, Kind::Step(FailureKind::Cancelled)),
            (1927, Kind::Lost),
            (1064, Kind::Statement),
            (1146, Kind::Statement),
            (1142, Kind::Access),
            (1290, Kind::Statement),
            (1047, Kind::Step(FailureKind::Other)),
            (1114, Kind::Space),
            (1365, Kind::Step(FailureKind::Other)),
            (0, Kind::Step(FailureKind::Other)),
        ];
        for (number, expected) in cases {
            assert_eq!(kind(number), expected, "{number}");
        }
    }

    #[test]
    fn an_error_has_message_and_number_with_and_without_a_state() {
        let error = ServerError::parse(b"\xff\x26\x04#23000Duplicate entry '1' for key 'PRIMARY'").into_error();
        assert_eq!(error.message, "Duplicate entry '1' for key 'PRIMARY'");
        assert_eq!((error.kind, error.code.as_deref()), (Kind::Step(FailureKind::Constraint), Some("1062")));
        let early = ServerError::parse(b"\xff\x10\x04Too many connections").into_login_error();
        assert_eq!((early.kind, early.code.as_deref()), (Kind::Access, Some("1040")));
        assert!(early.hint.unwrap().contains("max_connections"));
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(body in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = ServerError::parse(&body).into_error();
            let _ = ServerError::parse(&body).into_login_error();
        }
    }
}
