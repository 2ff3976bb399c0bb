//! Login parameters: the target, completed from the environment as by the client programs.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use engine::{Address, Error, Kind, Result, Secret, Target, shown};
use transport::{Environment, TIMEOUT, Tls, TlsSettings};

use super::ServerAddress;
use super::canonical::canonical;
use super::parameter::{self, CLEARTEXT};

const PORT: u16 = 3306;

/// File name of the socket if only its directory is given.
const SOCKET_NAME: &str = "mysqld.sock";

/// Everything that a login needs.
#[derive(Debug)]
pub(crate) struct Login {
    pub(crate) address: ServerAddress,
    pub(crate) user: String,
    /// Database of the target; dbdyno works in a database of its own.
    pub(crate) database: Option<String>,
    pub(super) password: Option<Secret>,
    pub(crate) tls: Tls,
    /// Whether the password itself may be sent to a server whose certificate was not verified.
    pub(super) cleartext: bool,
    /// Timeout of connecting, and of the login after it.
    pub(crate) timeout: Option<Duration>,
    /// Whether the first session was encrypted: the others are as that one, which is in the record.
    pub(super) is_encrypted: OnceLock<bool>,
}

impl Login {
    /// A target of this server and user, without a password; `scheme` is that of the engine.
    pub(crate) fn target(&self, scheme: &str) -> String {
        let (addresses, parameters) = match &self.address {
            ServerAddress::Unix(path) => (Vec::new(), vec![("socket".to_owned(), path.display().to_string())]),
            ServerAddress::Tcp { host, port } => (vec![Address { host: host.clone(), port: Some(*port) }], Vec::new()),
        };
        let (scheme, user, database) = (scheme.to_owned(), Some(self.user.clone()), self.database.clone());
        Target { scheme, local: false, user, password: None, addresses, database, parameters }.to_string()
    }

    /// From `target`.
    pub(crate) fn of(target: &Target, environment: &Environment) -> Result<Login> {
        let target = &canonical(target, environment)?;
        let address = address(target, environment)?;
        let os_user = || environment.operating_system_user().map(str::to_owned);
        let user = target.user.clone().or_else(os_user).ok_or_else(|| {
            Error::new(Kind::Usage, "the target names no user and the operating system user is unknown")
                .hint(format!("give a user: {}://USER@host", target.scheme))
        })?;
        let (version_min, version_max) = parameter::versions(target.parameter("tls_version"))?;
        let settings = TlsSettings {
            mode: target.parameter("sslmode"),
            roots: target.parameter("sslrootcert"),
            certificate: target.parameter("sslcert"),
            key: target.parameter("sslkey"),
            version_min,
            version_max,
            ..TlsSettings::default()
        };
        let tls = Tls::of(&settings, matches!(address, ServerAddress::Tcp { .. }))?;
        let password = target.password.clone().or_else(|| environment.variable("MYSQL_PWD").map(Secret::new));
        let cleartext = target.parameter(CLEARTEXT);
        Ok(Login {
            address,
            user,
            database: target.database.clone(),
            password,
            tls,
            cleartext: cleartext.map_or(Ok(false), |value| parameter::switch(CLEARTEXT, value))?,
            timeout: transport::timeout(target.parameter("connect_timeout"))?,
            is_encrypted: OnceLock::new(),
        })
    }

    /// For a server on this host without password.
    pub(crate) fn of_socket(socket: &Path, user: &str) -> Login {
        Login {
            address: ServerAddress::Unix(socket.to_owned()),
            user: user.to_owned(),
            database: None,
            password: None,
            tls: Tls::disabled(),
            cleartext: false,
            timeout: Some(TIMEOUT),
            is_encrypted: OnceLock::new(),
        }
    }
}

/// As in the client programs: `localhost` and no host mean the socket, unless a port is given.
fn address(target: &Target, environment: &Environment) -> Result<ServerAddress> {
    if target.addresses.len() > 1 {
        let count = target.addresses.len();
        let message = format!("the target has {count} hosts where one is expected");
        return Err(Error::new(Kind::Usage, message).hint("give one host"));
    }
    if let Some(socket) = target.parameter("socket") {
        return Ok(ServerAddress::Unix(socket.into()));
    }
    let address = target.addresses.first().filter(|address| !address.host.is_empty());
    let port = address.and_then(|address| address.port);
    let uses_tcp = match target.parameter("protocol").map(str::to_ascii_lowercase).as_deref() {
        None | Some("socket") => false,
        Some("tcp") => true,
        Some(other) => {
            return Err(Error::new(
                Kind::Usage,
                format!("protocol {} is unknown; known are tcp, socket", shown(other)),
            )
            .hint("omit it: localhost without a port means the socket, any other host TCP"));
        }
    };
    match address.map(|address| address.host.as_str()) {
        None | Some("localhost") if uses_tcp => {
            Ok(ServerAddress::Tcp { host: "localhost".to_owned(), port: port.unwrap_or(PORT) })
        }
        Some(path) if path.starts_with('/') => Ok(ServerAddress::Unix(socket_of(Path::new(path)))),
        Some("localhost") if port.is_none() => default_address(environment),
        Some(host) => Ok(ServerAddress::Tcp { host: host.to_owned(), port: port.unwrap_or(PORT) }),
        None => default_address(environment),
    }
}

/// A socket itself, or the one in a directory.
fn socket_of(path: &Path) -> PathBuf {
    if path.is_dir() { path.join(SOCKET_NAME) } else { path.to_owned() }
}

fn default_address(environment: &Environment) -> Result<ServerAddress> {
    if let Some(path) = environment.variable("MYSQL_UNIX_PORT") {
        return Ok(ServerAddress::Unix(path.into()));
    }
    if let Some(found) = environment.sockets.iter().find(|path| path.exists()) {
        return Ok(ServerAddress::Unix(found.clone()));
    }
    let names: Vec<String> = environment.sockets.iter().map(|path| path.display().to_string()).collect();
    let message = format!("no MariaDB or MySQL server has its socket at {}", names.join(" or "));
    Err(Error::new(Kind::Unreachable, message)
        .hint("start the server, give its host or socket=FILE in the target, or let dbdyno start one: local:mariadb, local:mysql"))
}

#[cfg(test)]
mod tests {
    use transport::Mode;

    use super::*;

    const SOCKETS: [&str; 2] = ["first.sock", "second.sock"];

    fn login(url: &str, variables: &[(&str, &str)]) -> Result<Login> {
        let home = tempfile::tempdir().unwrap();
        let target: Target = url.parse().unwrap();
        Login::of(&target, &Environment::of(variables, home.path(), &SOCKETS))
    }

    #[test]
    fn a_url_has_all_parameters() {
        let url = "mysql://ann:secret@db.example:6000/shop?sslmode=require&connect_timeout=3";
        let login = login(url, &[("MYSQL_PWD", "other")]).unwrap();
        assert_eq!(login.address, ServerAddress::Tcp { host: "db.example".into(), port: 6000 });
        assert_eq!((login.user.as_str(), login.database.as_deref()), ("ann", Some("shop")));
        assert_eq!(login.password.unwrap().reveal(), "secret");
        assert_eq!((login.timeout, login.tls.mode), (Some(Duration::from_secs(3)), Mode::Require));
    }

    #[test]
    fn a_host_is_tcp_and_a_path_or_localhost_a_socket() {
        let tcp = |host: &str, port| ServerAddress::Tcp { host: host.into(), port };
        let unix = |path: &str| ServerAddress::Unix(path.into());
        let variables = [("MYSQL_UNIX_PORT", "/run/x.sock")];
        for (url, expected) in [
            ("mariadb://ann@db", tcp("db", 3306)),
            ("mariadb://ann@localhost:3307", tcp("localhost", 3307)),
            ("mariadb://ann@127.0.0.1", tcp("127.0.0.1", 3306)),
            ("mariadb://ann@localhost", unix("/run/x.sock")),
            ("mariadb://", unix("/run/x.sock")),
            ("mariadb", unix("/run/x.sock")),
            ("mariadb://ann@%2Fsrv%2Fa.sock", unix("/srv/a.sock")),
            ("mariadb://ann@localhost?socket=/srv/b.sock", unix("/srv/b.sock")),
            ("mariadb://ann@localhost?protocol=TCP", tcp("localhost", 3306)),
            ("mariadb:///?host=db&port=7", tcp("db", 7)),
        ] {
            assert_eq!(login(url, &variables).unwrap().address, expected, "{url}");
        }
    }

    #[test]
    fn without_a_host_the_first_existing_socket_is_used() {
        let home = tempfile::tempdir().unwrap();
        let environment = Environment::of(&[], home.path(), &SOCKETS);
        let target: Target = "mariadb".parse().unwrap();
        assert_eq!(Login::of(&target, &environment).unwrap_err().kind, Kind::Unreachable);
        std::fs::write(home.path().join("second.sock"), "").unwrap();
        std::fs::write(home.path().join(".my.cnf"), "[client]\npassword=word\n").unwrap();
        let login = Login::of(&target, &environment).unwrap();
        assert_eq!(login.address, ServerAddress::Unix(home.path().join("second.sock")));
        assert_eq!((login.user.as_str(), login.password.unwrap().reveal()), ("tester", "word"));
    }

    #[test]
    fn invalid_parameters_are_usage_errors() {
        for (url, word) in [
            ("mysql://h/d?innodb_buffer_pool_size=1G", "innodb_buffer_pool_size"),
            ("mysql://h1,h2/d", "2 hosts"),
            ("mysql://h/d?connect_timeout=soon", "soon"),
            ("mysql://h/d?sslmode=maybe", "maybe"),
        ] {
            let error = login(url, &[]).unwrap_err();
            assert_eq!(error.kind, Kind::Usage, "{url}");
            assert!(error.message.contains(word), "{url}: {error}");
        }
    }
}
