//! What the server and the driver refuse, and what that means to dbdyno.

use engine::{Error, Kind};
use oracledb::ErrorKind;
use record::FailureKind;

/// The refusal of a statement.
pub(crate) fn of_statement(error: &oracledb::Error) -> Error {
    match error.kind() {
        ErrorKind::DbError(refusal) => refused(refusal.code(), refusal.message(), kind(refusal.code())),
        ErrorKind::InvalidBindName(_)
        | ErrorKind::MissingBindValue(_)
        | ErrorKind::WrongNumPositionalBinds(..)
        | ErrorKind::DifferentTypes(..)
        | ErrorKind::InvalidOracleNumber(_)
        | ErrorKind::UnsupportedConversion(..)
        | ErrorKind::UnsupportedDbType(_)
        | ErrorKind::NotImplemented(_)
        | ErrorKind::ParseError(..) => Error::new(Kind::Statement, error.to_string()),
        _ => Error::new(Kind::Lost, format!("the connection to {} is lost: {error}", crate::DESCRIPTION.title))
            .hint("see the alert log of the server"),
    }
}

/// The refusal of a login at `place`; `user` is who wanted in.
pub(crate) fn of_login(error: &oracledb::Error, place: &str, user: &str) -> Error {
    match error.kind() {
        ErrorKind::DbError(refusal) => {
            let code = refusal.code();
            let hint = match code {
                1017 | 1005 => "check user and password; a name in quotes keeps its case",
                28000 => "unlock the account: alter user NAME account unlock",
                28001 => "give the user a new password",
                1045 => "grant create session to the user",
                28009 => "measure as another user than SYS",
                1033 | 1034 | 1035 | 1109 => "wait until the database is open to everybody",
                18 | 20 => "raise the parameters processes and sessions, or ask for fewer jobs",
                _ => "see the alert log of the server",
            };
            let kind = if matches!(code, 1033 | 1034 | 1109) { Kind::Unreachable } else { Kind::Access };
            let error = refused(code, refusal.message(), kind).hint(hint);
            Error { message: format!("user {user} is not let in at {place}: {}", error.message), ..error }
        }
        ErrorKind::InvalidServiceName(_, service, host, port) => {
            let message = format!("the Oracle listener at {host} port {port} knows no service {service}");
            Error::new(Kind::Access, message)
                .code(code(12514))
                .hint("`lsnrctl services` on the server lists them; a database that has just started is not there yet")
        }
        ErrorKind::InvalidSid(_, sid, host, port) => {
            let message = format!("the Oracle listener at {host} port {port} knows no instance {sid}");
            Error::new(Kind::Access, message).code(code(12505)).hint("name a service instead")
        }
        ErrorKind::ListenerRefusedConnection(_, host, port, number) => {
            let message = format!("the Oracle listener at {host} port {port} refuses: {}", listener_reason(*number));
            Error::new(Kind::Unreachable, message).code(code(*number)).hint("see the log of the listener")
        }
        ErrorKind::UnexpectedRefuse(_) => {
            Error::new(Kind::Unreachable, format!("the Oracle listener at {place} refuses and does not say why"))
                .hint("see the log of the listener")
        }
        ErrorKind::TlsOperation | ErrorKind::PemFileOperation => {
            Error::new(Kind::Unreachable, format!("no TLS with {place}: {error}"))
                .hint("check its certificate, or name the directory of a wallet: wallet_location=DIR")
        }
        ErrorKind::WalletUnreadable(_)
        | ErrorKind::WalletPrivateKeyInvalid(_)
        | ErrorKind::WalletPasswordMissingOrInvalid(..) => Error::new(Kind::Usage, error.to_string())
            .hint("wallet_location names a directory with an ewallet.pem that has no password"),
        ErrorKind::ServerVersionNotSupported => {
            Error::new(Kind::Usage, format!("the server at {place} is older than 12.1")).hint("measure a newer server")
        }
        _ => Error::new(Kind::Unreachable, format!("the login at {place} was aborted: {error}"))
            .hint("see the log of the listener and the alert log of the server"),
    }
}

/// Why a listener refuses, as Oracle's "Database Error Messages" has it.
fn listener_reason(number: usize) -> &'static str {
    match number {
        12505 => "it knows no such instance",
        12514 => "it knows no such service",
        12516 | 12519 | 12520 => "no server process is free (raise the parameter processes, or ask for fewer jobs)",
        12526..=12528 => "the instance is starting or is restricted to administrators",
        12518 => "it cannot hand the connection over to a server process",
        12537 | 12547 => "the connection was closed",
        _ => "for a reason of its own",
    }
}

/// The number as users know it.
fn code(number: usize) -> String {
    format!("ORA-{number:05}")
}

pub(crate) fn refused(number: usize, message: &str, kind: Kind) -> Error {
    let code = code(number);
    // The rest is an address in the documentation, or the line of a block.
    let line = message.lines().next().unwrap_or_default();
    let text = line.strip_prefix(code.as_str()).map_or(line, |text| text.trim_start_matches([':', ' ']));
    let text = if text.is_empty() { "the server gave no reason" } else { text };
    Error::new(kind, text).code(code)
}

/// Who has to act on an error number (Oracle, "Database Error Messages").
pub(crate) fn kind(number: usize) -> Kind {
    match number {
        60 => Kind::Step(FailureKind::Deadlock),
        8177 => Kind::Step(FailureKind::Serialization),
        // Busy and "nowait"; the wait is over; a definition waited for a lock.
        51 | 54 | 4021 | 30006 => Kind::Step(FailureKind::LockTimeout),
        // Unique, null (twice), checks, foreign keys.
        1 | 1400 | 1407 | 2290 | 2291 | 2292 => Kind::Step(FailureKind::Constraint),
        1013 | 40 => Kind::Step(FailureKind::Cancelled),
        // Session killed or marked for it, not logged on, instance gone, end of file, connection lost contact.
        28 | 31 | 600 | 603 | 1012 | 1033 | 1034 | 1041 | 1089 | 1090 | 1092 | 2396 | 2399 | 3113 | 3114 | 3135
        | 3136 | 12537 | 12547 | 12570 | 12571 | 25408 => Kind::Lost,
        // Wrong password, locked, not granted, no quota, read-only.
        1005 | 1017 | 1031 | 1045 | 1536 | 1950 | 1990 | 16000 | 28000 | 28001 | 41900 => Kind::Access,
        // No room in a tablespace, in the archive or in the recovery area.
        257
        | 1630
        | 1631
        | 1652..=1655
        | 1658
        | 1659
        | 1683
        | 1688
        | 1691
        | 1692
        | 19502
        | 19504
        | 19809
        | 27044
        | 27072
        | 30036 => Kind::Space,
        // Wrong or impossible statements, and names of what is not there or there already.
        900..=999
        | 1006..=1008
        | 1036
        | 1408
        | 1418
        | 1430
        | 1442
        | 1451
        | 1745
        | 1747
        | 1756
        | 1789
        | 1790
        | 1917
        | 1918
        | 1920
        | 2000..=2099
        | 2153
        | 2158
        | 2248
        | 2260
        | 2261
        | 2264
        | 2270
        | 2275
        | 2289
        | 2429
        | 2443
        | 4042
        | 4043
        | 4063
        | 6502
        | 6508
        | 6512
        | 6550
        | 6553
        | 6575
        | 12838
        | 14551
        | 14552
        | 24344
        | 32594
        | 65096 => Kind::Statement,
        _ => Kind::Step(FailureKind::Other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_says_who_has_to_act() {
        let cases = [
            (60, Kind::Step(FailureKind::Deadlock)),
            (8177, Kind::Step(FailureKind::Serialization)),
            (54, Kind::Step(FailureKind::LockTimeout)),
            (30006, Kind::Step(FailureKind::LockTimeout)),
            (1, Kind::Step(FailureKind::Constraint)),
            (2291, Kind::Step(FailureKind::Constraint)),
            (1013, Kind::Step(FailureKind::Cancelled)),
            (1555, Kind::Step(FailureKind::Other)),
            (3113, Kind::Lost),
            (28, Kind::Lost),
            (942, Kind::Statement),
            (904, Kind::Statement),
            (6550, Kind::Statement),
            (1031, Kind::Access),
            (1653, Kind::Space),
        ];
        for (number, expected) in cases {
            assert_eq!(kind(number), expected, "ORA-{number:05}");
        }
    }

    #[test]
    fn a_message_is_its_first_line_without_the_number_that_stands_beside_it() {
        let message = "ORA-00942: table or view does not exist\nHelp: https://docs.example/ora-00942/";
        let error = refused(942, message, kind(942));
        assert_eq!(
            (error.message.as_str(), error.code.as_deref()),
            ("table or view does not exist", Some("ORA-00942"))
        );
        assert_eq!(refused(7, "", Kind::Lost).message, "the server gave no reason");
    }
}
