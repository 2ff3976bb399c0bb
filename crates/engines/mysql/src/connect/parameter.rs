//! The parameters of a target: the options of the client programs, each honoured or refused by name. Dashes and underscores
//! are equivalent, and the words of libpq mean the same for all servers.

use engine::{Error, Kind, Result, Target, shown, unknown_parameter};

/// Parameters that are honoured; all others are errors. `password` is taken by the parser of targets.
const KNOWN: [&str; 21] = [
    "user",
    "host",
    "port",
    "database",
    "socket",
    "protocol",
    "connect_timeout",
    "defaults_file",
    "default_character_set",
    "sslmode",
    "ssl-mode",
    "ssl",
    "sslrootcert",
    "ssl-ca",
    "sslcert",
    "ssl-cert",
    "sslkey",
    "ssl-key",
    "ssl-verify-server-cert",
    "tls-version",
    CLEARTEXT,
];

/// Permits a clear text password over a connection to an unverified server, like the option of the client programs.
pub(super) const CLEARTEXT: &str = "enable_cleartext_plugin";

/// Options of the client programs and parameters of drivers that are not honoured, with what helps.
const REFUSED: [(&str, &str); 19] = [
    ("ssl_crl", NO_REVOCATION),
    ("ssl_crlpath", NO_REVOCATION),
    ("ssl_capath", "give the certificate of the CA in one file: ssl-ca=FILE"),
    ("ssl_cipher", "the ciphers are those of TLS 1.2 and 1.3 that are safe: omit it, or give tls-version"),
    ("ssl_fp", "verify the server by its CA: ssl-mode=VERIFY_IDENTITY and ssl-ca=FILE"),
    ("ssl_fplist", "verify the server by its CA: ssl-mode=VERIFY_IDENTITY and ssl-ca=FILE"),
    ("tls", "say it with ssl-mode, such as ssl-mode=REQUIRED"),
    ("usessl", "say it with ssl-mode, such as ssl-mode=REQUIRED"),
    ("requiressl", "say it with ssl-mode, such as ssl-mode=REQUIRED"),
    ("verifyservercertificate", "say it with ssl-mode=VERIFY_IDENTITY and ssl-ca=FILE"),
    ("compress", "messages are not compressed: omit it"),
    ("compression_algorithms", "messages are not compressed: omit it"),
    ("default_auth", "the plugin is that of the user on the server: omit it"),
    ("server_public_key_path", "give TLS with a verified server instead: ssl-mode=VERIFY_CA and ssl-ca=FILE"),
    ("get_server_public_key", "give TLS with a verified server instead: ssl-mode=VERIFY_CA and ssl-ca=FILE"),
    ("allowpublickeyretrieval", "give TLS with a verified server instead: ssl-mode=VERIFY_CA and ssl-ca=FILE"),
    ("init_command", "sessions begin without statements of others: omit it"),
    ("defaults_extra_file", "give one file: defaults-file=FILE"),
    ("defaults_group_suffix", "write what is needed into the group [client] of defaults-file=FILE"),
];

const NO_REVOCATION: &str = "revocation lists are not read: remove the certificate from the servers instead";

/// Options of option files that would be weaker left out than refused.
pub(super) const NEVER_IGNORED: [&str; 5] = ["ssl_crl", "ssl_crlpath", "ssl_capath", "ssl_fp", "ssl_fplist"];

/// The refusal of the option `name`, which has underscores.
pub(super) fn refusal(name: &str) -> Option<Error> {
    let (_, hint) = REFUSED.iter().find(|(known, _)| *known == name)?;
    Some(usage(format!("target parameter {} is not supported", name.replace('_', "-")), hint))
}

pub(super) fn usage(message: String, hint: &str) -> Error {
    Error::new(Kind::Usage, message).hint(hint)
}

/// The parameters of `target`, their names with underscores and in lower case.
pub(super) fn checked(target: &Target) -> Result<Vec<(String, String)>> {
    let plain = |(name, value): &(String, String)| {
        let plain = plain(name);
        match refusal(&plain) {
            Some(error) => Err(error),
            None if is_known(&plain) => Ok((plain, value.clone())),
            None => {
                let hint = "a target takes options of the client; variables of the server are no part of it";
                Err(unknown_parameter(target, name, &KNOWN, hint))
            }
        }
    };
    target.parameters.iter().map(plain).collect()
}

/// Whether the option `name`, with underscores, is honoured.
pub(super) fn is_known(name: &str) -> bool {
    KNOWN.into_iter().any(|known| plain(known) == name)
}

/// The name of an option with underscores, in lower case.
pub(super) fn plain(name: &str) -> String {
    name.trim().to_ascii_lowercase().replace('-', "_")
}

/// `options` with one name and one form of value for each thing: those of libpq for TLS.
pub(super) fn uniform(options: Vec<(String, String)>) -> Result<Vec<(String, String)>> {
    let last = |names: &[&str]| {
        let found = options.iter().rev().find(|(name, _)| names.contains(&name.as_str()));
        found.map(|(_, value)| value.clone())
    };
    let mut mode = last(&["sslmode", "ssl_mode"]).map(|mode| mode_of_libpq(&mode)).transpose()?;
    // As the client: who names the certificate of a CA wants it to be checked.
    if mode.is_none() && last(&["ssl_ca"]).is_some() {
        mode = Some("verify-ca");
    }
    if let Some(ssl) = last(&["ssl"]) {
        mode = mode.or(Some(if switch("ssl", &ssl)? { "require" } else { "disable" }));
    }
    if let Some(verifies) = last(&["ssl_verify_server_cert"])
        && switch("ssl-verify-server-cert", &verifies)?
    {
        mode = match mode {
            Some("disable") => mode,
            _ => Some("verify-full"),
        };
    }
    if let Some(set) = last(&["default_character_set"]).filter(|set| set != "utf8mb4") {
        let message = format!("default-character-set {} is not supported", shown(&set));
        return Err(usage(message, "text is sent and read as utf8mb4: omit it"));
    }
    let files = [("sslrootcert", "ssl_ca"), ("sslcert", "ssl_cert"), ("sslkey", "ssl_key")];
    let files = files.map(|(name, other)| (name, last(&[name, other])));
    let consumed = ["sslmode", "ssl", "default_character_set", "sslrootcert", "sslcert", "sslkey"];
    let is_consumed = |name: &str| consumed.contains(&name) || name.starts_with("ssl_");
    let mut uniform: Vec<(String, String)> = options.iter().filter(|(name, _)| !is_consumed(name)).cloned().collect();
    let encryption = mode.map(|mode| ("sslmode", mode.to_owned()));
    let files = files.into_iter().filter_map(|(name, file)| Some((name, file?)));
    uniform.extend(encryption.into_iter().chain(files).map(|(name, value)| (name.to_owned(), value)));
    Ok(uniform)
}

/// The word of libpq for a mode in the words of either client.
fn mode_of_libpq(mode: &str) -> Result<&'static str> {
    const MODES: [(&str, &str); 5] = [
        ("disable", "DISABLED"),
        ("prefer", "PREFERRED"),
        ("require", "REQUIRED"),
        ("verify-ca", "VERIFY_CA"),
        ("verify-full", "VERIFY_IDENTITY"),
    ];
    let is = |known: &str| plain(known) == plain(mode);
    MODES.into_iter().find(|(own, other)| is(own) || is(other)).map(|(own, _)| own).ok_or_else(|| {
        let known: Vec<&str> = MODES.iter().flat_map(|(own, other)| [*own, *other]).collect();
        usage(
            format!("sslmode {} is unknown; known are {}", shown(mode), known.join(", ")),
            "prefer encrypts if the server supports it; verify-full also verifies the server",
        )
    })
}

/// The value of an option that is on or off; on where it has none.
pub(super) fn switch(name: &str, value: &str) -> Result<bool> {
    match value.to_ascii_lowercase().as_str() {
        "" | "1" | "on" | "true" | "yes" => Ok(true),
        "0" | "off" | "false" | "no" => Ok(false),
        _ => Err(usage(format!("{name}={} is neither 1 nor 0", shown(value)), "omit it, or use 1")),
    }
}

/// The lowest and highest version of TLS in a list such as `TLSv1.2,TLSv1.3`.
pub(super) fn versions(list: Option<&str>) -> Result<(Option<&'static str>, Option<&'static str>)> {
    let Some(list) = list.filter(|list| !list.is_empty()) else { return Ok((None, None)) };
    let has = |version: &str| list.split(',').any(|one| one.trim().eq_ignore_ascii_case(version));
    match (has("TLSv1.2"), has("TLSv1.3")) {
        (true, true) => Ok((None, None)),
        (true, false) => Ok((None, Some("TLSv1.2"))),
        (false, true) => Ok((Some("TLSv1.3"), None)),
        (false, false) => {
            let message = format!("tls-version {} has no version that is supported", shown(list));
            Err(usage(message, "give TLSv1.2, TLSv1.3 or both"))
        }
    }
}
