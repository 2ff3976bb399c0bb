//! The parameters of a login: the target, completed from the environment as Oracle clients do.

use std::path::Path;
use std::time::Duration;

use engine::{Error, Kind, Result, Secret, Target, unknown_parameter};
use oracledb::Config;

use super::{ServerAddress, TIMEOUT, names};

/// The parameters of a target URL.
const KNOWN: [&str; 7] =
    ["calibrate_io", "connect_timeout", "protocol", "sdu", "tablespace", "tns_admin", "wallet_location"];

const PORT: u16 = 1521;

/// Everything that is needed to log in.
#[derive(Debug)]
pub(crate) struct Login {
    /// The whole descriptor, as a `tnsnames.ora` has it.
    pub(super) descriptor: String,
    /// Its addresses, in the order of connection attempts.
    pub(crate) addresses: Vec<ServerAddress>,
    /// The address in messages.
    pub(crate) shown: String,
    pub(crate) user: String,
    pub(super) password: Secret,
    pub(super) wallet: Option<String>,
    /// Timeout of a response and of a login; none waits without limit.
    pub(crate) timeout: Option<Duration>,
    /// Tablespace of the tables of dbdyno, if not the default one of the database.
    pub(crate) tablespace: Option<String>,
    /// Number of disks to pass to `CALIBRATE_IO`, where calibration is requested.
    pub(crate) calibration_disks: Option<u32>,
}

/// Looks up a variable of the environment.
pub(crate) type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

impl Login {
    /// The login for `target`.
    pub(crate) fn of(target: &Target, variable: Variables<'_>) -> Result<Login> {
        if let Some((name, _)) = target.parameters.iter().find(|(name, _)| !KNOWN.contains(&name.as_str())) {
            return Err(unknown_parameter(target, name, &KNOWN, "other parameters of an Oracle client are not read"));
        }
        // First: without a user, what follows may be a login of the form user/password, and is not shown.
        let user = target.user.clone().ok_or_else(|| {
            Error::new(Kind::Usage, "the target names no user").hint(
                "name one: oracle://USER@host:1521/service, with a password oracle://USER:PASSWORD@host:1521/service",
            )
        })?;
        let descriptor = descriptor(target, variable)?;
        let password = target.password.clone().or_else(|| variable("ORACLE_PASSWORD").map(Secret::new));
        let password = password.filter(|password| !password.reveal().is_empty()).ok_or_else(|| {
            Error::new(Kind::Access, format!("there is no password for user {user}"))
                .hint("put it into the variable ORACLE_PASSWORD, or into the target: oracle://user:PASSWORD@host")
        })?;
        let addresses = addresses(&descriptor);
        let shown = addresses.first().map_or_else(|| "the target".to_owned(), ServerAddress::to_string);
        Ok(Login {
            shown,
            addresses,
            descriptor,
            user,
            password,
            wallet: target.parameter("wallet_location").map(str::to_owned),
            timeout: timeout(target)?,
            tablespace: target.parameter("tablespace").map(str::to_owned),
            calibration_disks: number(target, "calibrate_io", 1)?,
        })
    }
}

/// The descriptor for the host and service of the target, or of its alias.
fn descriptor(target: &Target, variable: Variables<'_>) -> Result<String> {
    let usage = |message: String, hint: &str| Err(Error::new(Kind::Usage, message).hint(hint));
    let address = match target.addresses.as_slice() {
        [address] => address,
        [] => return usage("the target names no host".to_owned(), "name one: oracle://user@host:1521/service"),
        several => return usage(format!("{} hosts are one too many for a node", several.len()), "name one host"),
    };
    let Some(service) = &target.database else {
        let directory = target
            .parameter("tns_admin")
            .map(str::to_owned)
            .or_else(|| variable("TNS_ADMIN"))
            .or_else(|| variable("ORACLE_HOME").map(|home| format!("{home}/network/admin")));
        return match directory.filter(|_| address.port.is_none()) {
            Some(directory) => alias(&address.host, &directory),
            None => usage(
                format!("the target names no service at {address}"),
                "write oracle://user@host:1521/SERVICE, or an alias with the directory of its tnsnames.ora: \
                 oracle://user@ALIAS?tns_admin=DIR",
            ),
        };
    };
    let protocol = match target.parameter("protocol").unwrap_or("tcp") {
        protocol @ ("tcp" | "tcps") => protocol,
        other => return usage(format!("protocol {other} is unknown; known are tcp, tcps"), "give one of the two"),
    };
    let (service, instance) = service.split_once('/').map_or((service.as_str(), None), |(one, two)| (one, Some(two)));
    let (service, server) = service.split_once(':').map_or((service, None), |(one, two)| (one, Some(two)));
    for (what, name) in [("host", Some(address.host.as_str())), ("service", Some(service)), ("instance", instance)] {
        if let Some(name) = name.filter(|name| name.is_empty() || !name.chars().all(is_name_character)) {
            return usage(format!("{what} {name:?} is not a name"), "names have letters, digits and . _ - # $");
        }
    }
    let server = match server {
        None => String::new(),
        Some(kind @ ("dedicated" | "shared" | "pooled")) => format!("(SERVER={kind})"),
        Some(other) => {
            return usage(format!("server {other} is unknown"), "a service ends with :dedicated, :shared or :pooled");
        }
    };
    let sdu = number(target, "sdu", 512)?.map_or_else(String::new, |bytes| format!("(SDU={bytes})"));
    let instance = instance.map_or_else(String::new, |name| format!("(INSTANCE_NAME={name})"));
    let (host, port) = (&address.host, address.port.unwrap_or(PORT));
    Ok(format!(
        "(DESCRIPTION={sdu}(ADDRESS=(PROTOCOL={protocol})(HOST={host})(PORT={port}))\
         (CONNECT_DATA=(SERVICE_NAME={service}){instance}{server}))"
    ))
}

/// Whether a name may contain `letter`; a colon is part of an IPv6 address.
fn is_name_character(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '.' | '_' | '-' | '#' | '$' | ':')
}

/// The descriptor of an alias, as the driver writes it.
fn alias(name: &str, directory: &str) -> Result<String> {
    let descriptor = names::descriptor(name, Path::new(directory))?;
    match Config::default().set_connect_string(&descriptor) {
        Ok(config) => Ok(config.get_connect_descriptor()),
        Err(error) => Err(Error::new(Kind::Usage, format!("alias {name} leads nowhere: {error}"))
            .hint(format!("see tnsnames.ora in {directory}"))),
    }
}

/// The addresses in a descriptor as the driver writes it, or as it is written here.
pub(super) fn addresses(descriptor: &str) -> Vec<ServerAddress> {
    let mut addresses = Vec::new();
    for address in descriptor.split("(ADDRESS=").skip(1) {
        let value = |name: &str| {
            let rest = address.split(&format!("({name}=")).nth(1)?;
            Some(rest.split(')').next()?.trim().trim_matches(['[', ']']).to_owned())
        };
        if let Some(host) = value("HOST") {
            let port = value("PORT").and_then(|port| port.parse().ok()).unwrap_or(PORT);
            let encrypted = value("PROTOCOL").is_some_and(|protocol| protocol.eq_ignore_ascii_case("tcps"));
            addresses.push(ServerAddress { host, port, encrypted });
        }
    }
    addresses
}

fn number(target: &Target, name: &str, least: u32) -> Result<Option<u32>> {
    let Some(text) = target.parameter(name) else { return Ok(None) };
    match text.parse::<u32>() {
        Ok(number) if number >= least => Ok(Some(number)),
        _ => Err(Error::new(Kind::Usage, format!("{name} {text} is not a number of {least} or more"))
            .hint(format!("give {least} or more"))),
    }
}

fn timeout(target: &Target) -> Result<Option<Duration>> {
    match target.parameter("connect_timeout") {
        None => Ok(Some(TIMEOUT)),
        Some(text) => match text.parse::<u32>() {
            Ok(0) => Ok(None),
            Ok(seconds) => Ok(Some(Duration::from_secs(seconds.into()))),
            Err(_) => Err(Error::new(Kind::Usage, format!("connect_timeout {text} is not a number of seconds"))
                .hint("give whole seconds, 0 to wait for ever")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn login(url: &str) -> Result<Login> {
        login_with(url, &|_| None)
    }

    fn login_with(url: &str, variable: Variables<'_>) -> Result<Login> {
        Login::of(&url.parse::<Target>().unwrap(), variable)
    }

    fn server(host: &str, port: u16, encrypted: bool) -> ServerAddress {
        ServerAddress { host: host.to_owned(), port, encrypted }
    }

    #[test]
    fn a_url_may_hold_every_parameter() {
        let login = login("oracle://ann:secret@db.example/sales.example:dedicated/one?connect_timeout=3&sdu=65535");
        let login = login.unwrap();
        assert_eq!(
            login.descriptor,
            "(DESCRIPTION=(SDU=65535)(ADDRESS=(PROTOCOL=tcp)(HOST=db.example)(PORT=1521))\
             (CONNECT_DATA=(SERVICE_NAME=sales.example)(INSTANCE_NAME=one)(SERVER=dedicated)))"
        );
        assert_eq!(login.addresses, [server("db.example", 1521, false)]);
        assert_eq!((login.user.as_str(), login.password.reveal()), ("ann", "secret"));
        assert_eq!((login.timeout, login.shown.as_str()), (Some(Duration::from_secs(3)), "db.example port 1521"));
        assert!(!format!("{login:?}").contains("secret"));
    }

    #[test]
    fn encryption_and_the_password_of_the_environment() {
        let variables = |name: &str| (name == "ORACLE_PASSWORD").then(|| "word".to_owned());
        let login = login_with("oracle://ann@[::1]:2484/s?protocol=tcps&wallet_location=/w", &variables).unwrap();
        assert_eq!((login.password.reveal(), login.wallet.as_deref()), ("word", Some("/w")));
        assert_eq!(login.addresses, [server("::1", 2484, true)]);
    }

    #[test]
    fn an_alias_is_looked_up_in_the_directory_that_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let names = "# ours\nSALES =\n (DESCRIPTION = (ADDRESS_LIST = (ADDRESS = (PROTOCOL = TCP)(HOST = db1)(PORT = 1522))\
                     (ADDRESS = (PROTOCOL = TCPS)(HOST = db2)(PORT = 2484)))(CONNECT_DATA = (SERVICE_NAME = sales)))\n";
        std::fs::write(directory.path().join("tnsnames.ora"), names).unwrap();
        let target = format!("oracle://ann:secret@sales?tns_admin={}", directory.path().display());
        let found = login(&target).unwrap();
        assert_eq!(found.addresses, [server("db1", 1522, false), server("db2", 2484, true)]);
        assert!(found.descriptor.contains("(SERVICE_NAME=sales)"), "{}", found.descriptor);
        let by_variable = |name: &str| (name == "TNS_ADMIN").then(|| directory.path().display().to_string());
        assert_eq!(login_with("oracle://ann:secret@sales", &by_variable).unwrap().addresses.len(), 2);
        let error = login(&target.replace("@sales", "@purchase")).unwrap_err();
        assert_eq!(error.kind, Kind::Usage);
        assert!(error.message.contains("purchase") && error.hint.is_some(), "{error:?}");
        assert!(
            login("oracle://ann:secret@sales?tns_admin=/nonexistent").unwrap_err().message.contains("/nonexistent")
        );
    }

    #[test]
    fn an_invalid_target_is_a_usage_error() {
        for (url, word) in [
            ("oracle://a:b@h/s?sga_target=1G", "sga_target"),
            ("oracle://a:b@h:1521", "no service"),
            ("oracle://a:b@h", "no service"),
            ("oracle://a:b@h1,h2/s", "2 hosts"),
            ("oracle://h/s", "no user"),
            ("oracle://scott/tig!er", "no user"),
            ("oracle://a:b@h/s?connect_timeou=1", "connect_timeou"),
            ("oracle://a:b@h/s?protocol=ipc", "ipc"),
            ("oracle://a:b@h/s?connect_timeout=soon", "soon"),
            ("oracle://a:b@h/s?calibrate_io=0", "calibrate_io 0"),
            ("oracle://a:b@h/s:fast", "server fast"),
            ("oracle://a:b@h/s)(SID=x", "not a name"),
        ] {
            let error = login(url).unwrap_err();
            assert_eq!(error.kind, Kind::Usage, "{url}: {error:?}");
            assert!(error.message.contains(word) && error.hint.is_some(), "{url}: {error:?}");
        }
        let error = login("oracle://ann@h/s").unwrap_err();
        assert_eq!(error.kind, Kind::Access);
        assert!(error.hint.unwrap().contains("ORACLE_PASSWORD"));
    }

    proptest! {
        #[test]
        fn any_descriptor_is_accepted(text in "\\PC*") {
            let _ = addresses(&text);
        }
    }
}
