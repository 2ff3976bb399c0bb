//! The parameters of a target: the options of the client programs, each honoured or refused by name. Dashes and underscores
//! are equivalent, and the words of libpq mean the same for all servers.

use engine::{Address, Error, Kind, Result, Target, shown, unknown_parameter};
use transport::Environment;

use super::option_file;

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

fn usage(message: String, hint: &str) -> Error {
    Error::new(Kind::Usage, message).hint(hint)
}

/// `target` completed by its option file, with user, database and address at their places, and the words of libpq for all
/// that concerns TLS. What is canonical stays as it is.
///
/// # Errors
/// `Usage` for a parameter that is unknown or cannot be honoured, and for an option file that cannot be.
pub(crate) fn canonical(target: &Target, environment: &Environment) -> Result<Target> {
    let mut canonical = target.clone();
    canonical.parameters = uniform(checked(target)?)?;
    option_file::complete(&mut canonical, environment)?;
    let mut take = |name: &str| {
        let value = canonical.parameter(name).map(str::to_owned);
        canonical.parameters.retain(|(known, _)| known != name);
        value.filter(|value| !value.is_empty())
    };
    let (user, database, host, port) = (take("user"), take("database"), take("host"), take("port"));
    canonical.user = user.or(canonical.user);
    canonical.database = database.or(canonical.database);
    if let Some(host) = host {
        if !canonical.addresses.is_empty() {
            return Err(usage(
                "the target gives a host twice, before the database and with host=".to_owned(),
                "omit host=",
            ));
        }
        canonical.addresses = vec![Address { host, port: None }];
    }
    if let Some(text) = port {
        let port: Option<u16> = text.parse().ok().filter(|port| *port > 0);
        let wrong =
            || usage(format!("port {} is not a number from 1 to 65535", shown(&text)), "give a port such as 3306");
        let port = Some(port.ok_or_else(wrong)?);
        match canonical.addresses.as_mut_slice() {
            [] => canonical.addresses = vec![Address { host: "localhost".to_owned(), port }],
            addresses => addresses.iter_mut().for_each(|address| address.port = port),
        }
    }
    Ok(canonical)
}

/// The parameters of `target`, their names with underscores and in lower case.
fn checked(target: &Target) -> Result<Vec<(String, String)>> {
    let plain = |(name, value): &(String, String)| {
        let plain = plain(name);
        match refusal(&plain) {
            Some(error) => Err(error),
            None if KNOWN.into_iter().any(|known| self::plain(known) == plain) => Ok((plain, value.clone())),
            None => {
                let hint = "a target takes options of the client; variables of the server are no part of it";
                Err(unknown_parameter(target, name, &KNOWN, hint))
            }
        }
    };
    target.parameters.iter().map(plain).collect()
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
    if let Some(verifies) = last(&["ssl_verify_server_cert"]) {
        if switch("ssl-verify-server-cert", &verifies)? {
            mode = match mode {
                Some("disable") => mode,
                _ => Some("verify-full"),
            };
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<String> {
        let environment = Environment::of(&[], std::path::Path::new("/nonexistent"), &[]);
        let found = canonical(&text.parse().unwrap(), &environment)?;
        assert_eq!(canonical(&found, &environment)?, found, "it stays as it is");
        Ok(found.to_string())
    }

    #[test]
    fn the_words_of_both_clients_and_of_libpq_mean_the_same() {
        for (given, canonical) in [
            ("ssl-mode=REQUIRED", "sslmode=require"),
            ("ssl_mode=verify_identity&ssl-ca=/ca", "sslmode=verify-full&sslrootcert=%2Fca"),
            ("sslMode=PREFERRED", "sslmode=prefer"),
            ("sslmode=verify-ca&sslrootcert=/ca", "sslmode=verify-ca&sslrootcert=%2Fca"),
            ("ssl=true", "sslmode=require"),
            ("ssl=0", "sslmode=disable"),
            ("ssl-ca=/ca", "sslmode=verify-ca&sslrootcert=%2Fca"),
            ("ssl-verify-server-cert=1", "sslmode=verify-full"),
            ("ssl-mode=REQUIRED&ssl_verify_server_cert=0", "sslmode=require"),
            ("ssl-cert=/c&ssl-key=/k", "sslcert=%2Fc&sslkey=%2Fk"),
            ("default-character-set=utf8mb4&connect-timeout=3", "connect_timeout=3"),
        ] {
            assert_eq!(
                of(&format!("mysql://ann@h/d?{given}")).unwrap(),
                format!("mysql://ann@h/d?{canonical}"),
                "{given}"
            );
        }
        assert_eq!(of("mysql:///?host=h&port=7&user=ann&database=d").unwrap(), "mysql://ann@h:7/d");
    }

    #[test]
    fn what_cannot_be_honoured_is_refused_by_name_with_a_fitting_hint() {
        for (given, message, hint) in [
            ("ssl-crl=/c", "ssl-crl is not supported", "revocation"),
            ("tls=skip-verify", "tls is not supported", "ssl-mode=REQUIRED"),
            ("useSSL=true", "usessl is not supported", "ssl-mode=REQUIRED"),
            ("compress=1", "compress", "not compressed"),
            ("sslmode=allow", "sslmode allow is unknown", "prefer"),
            ("ssl-mode=MAYBE", "MAYBE", "verify-full"),
            ("innodb_buffer_pool_size=1G", "innodb_buffer_pool_size is unknown", "options of the client"),
            ("connectTimeout=3", "connectTimeout is unknown", "did you mean connect_timeout?"),
            ("default-character-set=latin1", "latin1", "utf8mb4"),
            ("ssl=maybe", "ssl=maybe", "use 1"),
            ("port=0", "port 0", "3306"),
            ("host=h2", "twice", "omit host="),
        ] {
            let error = of(&format!("mysql://h/d?{given}")).unwrap_err();
            assert_eq!(error.kind, Kind::Usage, "{given}");
            assert!(error.message.contains(message), "{given}: {error}");
            assert!(error.hint.as_deref().is_some_and(|text| text.contains(hint)), "{given}: {error:?}");
        }
        assert_eq!(versions(Some("TLSv1.1,TLSv1.2")).unwrap(), (None, Some("TLSv1.2")));
        assert_eq!(versions(Some("TLSv1")).unwrap_err().kind, Kind::Usage);
    }
}
