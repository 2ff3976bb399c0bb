//! The parameters of a target: those of libpq (PostgreSQL manual, "Parameter Key Words"), each honoured or refused by name.

use engine::{Error, Kind, Result, Target, shown, unknown_parameter};

/// Parameters that are honoured, those of libpq and `prepared_statements`; all others are errors. `password` is taken by the parser of targets.
pub(crate) const KNOWN: [&str; 34] = [
    "host",
    "hostaddr",
    "port",
    "dbname",
    "user",
    "passfile",
    "require_auth",
    "channel_binding",
    "connect_timeout",
    "client_encoding",
    "prepared_statements",
    "options",
    "application_name",
    "fallback_application_name",
    "keepalives",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_count",
    "tcp_user_timeout",
    "gssencmode",
    "ssl",
    "sslmode",
    "sslnegotiation",
    "sslcert",
    "sslkey",
    "sslrootcert",
    "sslcertmode",
    "sslsni",
    "ssl_min_protocol_version",
    "ssl_max_protocol_version",
    "target_session_attrs",
    "load_balance_hosts",
    "service",
    "servicefile",
];

/// Parameters of libpq that are not honoured, with what helps.
const REFUSED: [(&str, &str); 18] = [
    ("sslcrl", "revocation lists are not read: remove the certificate from the servers instead"),
    ("sslcrldir", "revocation lists are not read: remove the certificate from the servers instead"),
    ("sslcompression", "TLS is never compressed: omit it"),
    ("sslkeylogfile", "keys are never written: omit it"),
    ("requirepeer", "omit it, or use TCP with sslmode=verify-full, which verifies the server"),
    ("krbsrvname", "GSSAPI is not supported: use scram-sha-256, or a client certificate with sslcert and sslkey"),
    ("gsslib", "GSSAPI is not supported: use scram-sha-256, or a client certificate with sslcert and sslkey"),
    ("gssdelegation", "GSSAPI is not supported: use scram-sha-256, or a client certificate with sslcert and sslkey"),
    ("replication", "dbdyno measures ordinary sessions: omit it"),
    ("scram_client_key", "give the password, in ~/.pgpass for example"),
    ("scram_server_key", "give the password, in ~/.pgpass for example"),
    ("oauth_issuer", "OAuth is not supported: use scram-sha-256 or a client certificate"),
    ("oauth_client_id", "OAuth is not supported: use scram-sha-256 or a client certificate"),
    ("oauth_scope", "OAuth is not supported: use scram-sha-256 or a client certificate"),
    ("min_protocol_version", "protocol 3.0 is used: omit it"),
    ("max_protocol_version", "protocol 3.0 is used: omit it"),
    ("authtype", "it has no meaning since PostgreSQL 14: omit it"),
    ("tty", "it has no meaning since PostgreSQL 14: omit it"),
];

/// Parameters with one value that is what this client does, and others that it does not.
const FIXED: [(&str, &[&str], &str); 5] = [
    ("gssencmode", &["disable", "prefer"], "GSSAPI is not supported: encrypt with sslmode=require"),
    ("client_encoding", &["utf8", "utf-8", "unicode", "auto"], "text is sent and read as UTF8: omit it"),
    ("sslnegotiation", &["postgres"], "omit it: TLS is requested from the server before the handshake"),
    ("sslcertmode", &["allow"], "omit it: a client certificate is sent where one is given and the server asks for it"),
    ("load_balance_hosts", &["disable"], "omit it: jobs are spread evenly over all nodes that the target names"),
];

pub(super) fn refused(name: &str, problem: &str, hint: &str) -> Error {
    Error::new(Kind::Usage, format!("target parameter {name} {problem}")).hint(hint)
}

/// Whether each parameter is one that is honoured.
pub(super) fn check(target: &Target) -> Result<()> {
    for (name, value) in &target.parameters {
        if let Some((_, hint)) = REFUSED.iter().find(|(known, _)| known == name) {
            return Err(refused(name, "is not supported", hint));
        }
        if !KNOWN.contains(&name.as_str()) {
            let hint = format!("a setting of the sessions is given in options: options=-c%20{name}%3DVALUE");
            return Err(unknown_parameter(target, name, &KNOWN, &hint));
        }
        let fixed = FIXED.iter().find(|(known, ..)| known == name);
        if let Some((_, values, hint)) = fixed.filter(|_| !value.is_empty())
            && !values.contains(&value.to_ascii_lowercase().as_str())
        {
            return Err(refused(name, &format!("= {} is not supported", shown(value)), hint));
        }
    }
    Ok(())
}

/// One port of a list; empty for the default.
pub(super) fn port(text: &str) -> Result<Option<u16>> {
    match text.trim() {
        "" => Ok(None),
        text => match text.parse().ok().filter(|port| *port > 0) {
            Some(port) => Ok(Some(port)),
            None => Err(Error::new(Kind::Usage, format!("port {} is not a number from 1 to 65535", shown(text)))
                .hint("give a port such as 5432")),
        },
    }
}
