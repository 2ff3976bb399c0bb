//! Who logs in where, and how: the target, completed from the environment as the client programs do.

use std::path::{Path, PathBuf};
use std::time::Duration;

use engine::{Error, Kind, Result, Secret, Target};
use transport::{Surroundings, TIMEOUT, Tls};

use super::Place;
use super::option_file::option;

/// Parameters of a URL; everything else is a mistake.
const KNOWN: [&str; 5] = ["sslmode", "sslrootcert", "connect_timeout", "socket", CLEARTEXT];

/// Lets the password itself be sent over a connection whose other end nobody has vouched for, as the option of the same
/// name of the client programs does.
pub(super) const CLEARTEXT: &str = "enable_cleartext_plugin";

const PORT: u16 = 3306;

/// Name of the socket's file where only its directory is given.
const SOCKET_NAME: &str = "mysqld.sock";

/// Everything that is needed to log in.
#[derive(Debug)]
pub(crate) struct Login {
    pub(crate) place: Place,
    pub(crate) user: String,
    /// Of the user's own choice; what dbdyno works in is a database of its own.
    pub(crate) database: Option<String>,
    pub(super) password: Option<Secret>,
    pub(crate) tls: Tls,
    /// Whether the password itself may be sent to a server whose certificate was not verified.
    pub(super) cleartext: bool,
    /// How long to wait for each answer while logging in; for ever without one.
    pub(crate) timeout: Option<Duration>,
}

impl Login {
    /// As `target` says.
    ///
    /// # Errors
    /// `Usage` for what cannot be, `Unreachable` where no default socket is there.
    pub(crate) fn of(target: &Target, surroundings: &Surroundings) -> Result<Login> {
        if let Some((name, _)) = target.parameters.iter().find(|(name, _)| !KNOWN.contains(&name.as_str())) {
            let message = format!("target parameter {name} is unknown; known are {}", KNOWN.join(", "));
            return Err(Error::new(Kind::Usage, message).hint("set variables of the server in the server"));
        }
        let place = place(target, surroundings)?;
        let os_user = || surroundings.operating_system_user().map(str::to_owned);
        let user = target.user.clone().or_else(|| option(surroundings, "user")).or_else(os_user).ok_or_else(|| {
            Error::new(Kind::Usage, "the target names no user and the operating system neither")
                .hint(format!("name one: {}://USER@host", target.scheme))
        })?;
        let password = target.password.clone().or_else(|| surroundings.variable("MYSQL_PWD").map(Secret::new));
        let tls = Tls::of(
            target.parameter("sslmode"),
            target.parameter("sslrootcert"),
            None,
            matches!(place, Place::Tcp { .. }),
        )?;
        Ok(Login {
            place,
            user,
            database: target.database.clone(),
            password: password.or_else(|| option(surroundings, "password").map(Secret::new)),
            tls,
            cleartext: target.parameter(CLEARTEXT).map_or(Ok(false), switch)?,
            timeout: transport::timeout(target.parameter("connect_timeout"))?,
        })
    }

    /// To a server on this host that asks for no password.
    pub(crate) fn of_socket(socket: &Path, user: &str) -> Login {
        Login {
            place: Place::Unix(socket.to_owned()),
            user: user.to_owned(),
            database: None,
            password: None,
            tls: Tls::disabled(),
            cleartext: false,
            timeout: Some(TIMEOUT),
        }
    }
}

fn switch(value: &str) -> Result<bool> {
    match value {
        "1" | "on" | "true" => Ok(true),
        "0" | "off" | "false" => Ok(false),
        _ => {
            Err(Error::new(Kind::Usage, format!("{CLEARTEXT}={value} is neither 1 nor 0"))
                .hint("leave it out, or use 1"))
        }
    }
}

/// As the client programs have it: `localhost`, and no host at all, is the socket, unless a port is named.
fn place(target: &Target, surroundings: &Surroundings) -> Result<Place> {
    if target.addresses.len() > 1 {
        let count = target.addresses.len();
        let message = format!("the target names {count} hosts and dbdyno measures one node at a time");
        return Err(Error::new(Kind::Usage, message).hint("name one host"));
    }
    if let Some(socket) = target.parameter("socket") {
        return Ok(Place::Unix(socket.into()));
    }
    let address = target.addresses.first().filter(|address| !address.host.is_empty());
    let port = address.and_then(|address| address.port);
    match address.map(|address| address.host.as_str()) {
        Some(path) if path.starts_with('/') => Ok(Place::Unix(socket_of(Path::new(path)))),
        Some("localhost") if port.is_none() => default_place(surroundings),
        Some(host) => Ok(Place::Tcp { host: host.to_owned(), port: port.unwrap_or(PORT) }),
        None => default_place(surroundings),
    }
}

/// A socket itself, or the one in a directory.
fn socket_of(path: &Path) -> PathBuf {
    if path.is_dir() { path.join(SOCKET_NAME) } else { path.to_owned() }
}

fn default_place(surroundings: &Surroundings) -> Result<Place> {
    if let Some(path) = surroundings.variable("MYSQL_UNIX_PORT") {
        return Ok(Place::Unix(path.into()));
    }
    if let Some(found) = surroundings.sockets.iter().find(|path| path.exists()) {
        return Ok(Place::Unix(found.clone()));
    }
    let names: Vec<String> = surroundings.sockets.iter().map(|path| path.display().to_string()).collect();
    let message = format!("no MariaDB or MySQL server has its socket at {}", names.join(" or "));
    Err(Error::new(Kind::Unreachable, message)
        .hint("start the server, name its host or socket=FILE in the target, or let dbdyno start one: local:mariadb, local:mysql"))
}

#[cfg(test)]
mod tests {
    use transport::Mode;

    use super::*;

    const SOCKETS: [&str; 2] = ["first.sock", "second.sock"];

    fn login(url: &str, variables: &[(&str, &str)]) -> Result<Login> {
        let home = tempfile::tempdir().unwrap();
        let target: Target = url.parse().unwrap();
        Login::of(&target, &Surroundings::of(variables, home.path(), &SOCKETS))
    }

    #[test]
    fn a_url_says_everything() {
        let url = "mysql://ann:secret@db.example:6000/shop?sslmode=require&connect_timeout=3";
        let login = login(url, &[("MYSQL_PWD", "other")]).unwrap();
        assert_eq!(login.place, Place::Tcp { host: "db.example".into(), port: 6000 });
        assert_eq!((login.user.as_str(), login.database.as_deref()), ("ann", Some("shop")));
        assert_eq!(login.password.unwrap().reveal(), "secret");
        assert_eq!((login.timeout, login.tls.mode), (Some(Duration::from_secs(3)), Mode::Require));
    }

    #[test]
    fn a_host_is_tcp_and_a_path_or_localhost_a_socket() {
        let tcp = |host: &str, port| Place::Tcp { host: host.into(), port };
        let unix = |path: &str| Place::Unix(path.into());
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
        ] {
            assert_eq!(login(url, &variables).unwrap().place, expected, "{url}");
        }
    }

    #[test]
    fn without_a_host_the_first_socket_that_is_there_is_taken() {
        let home = tempfile::tempdir().unwrap();
        let surroundings = Surroundings::of(&[], home.path(), &SOCKETS);
        let target: Target = "mariadb".parse().unwrap();
        assert_eq!(Login::of(&target, &surroundings).unwrap_err().kind, Kind::Unreachable);
        std::fs::write(home.path().join("second.sock"), "").unwrap();
        std::fs::write(home.path().join(".my.cnf"), "[client]\npassword=word\n").unwrap();
        let login = Login::of(&target, &surroundings).unwrap();
        assert_eq!(login.place, Place::Unix(home.path().join("second.sock")));
        assert_eq!((login.user.as_str(), login.password.unwrap().reveal()), ("tester", "word"));
    }

    #[test]
    fn what_cannot_be_is_the_users_mistake() {
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
