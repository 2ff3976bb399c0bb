//! Login parameters: the target, completed from the environment as by libpq.

use std::path::{Path, PathBuf};
use std::time::Duration;

use engine::{Address, Error, Kind, Result, Secret, Target};
use transport::{Environment, TIMEOUT, Tls};

use super::ServerAddress;
use super::password::{self, Lookup};

/// Parameters of a URL; all others are errors.
const KNOWN: [&str; 6] = ["sslmode", "sslrootcert", "connect_timeout", "application_name", "host", "port"];

const PORT: u16 = 5432;

/// Everything that a login needs.
#[derive(Debug)]
pub(crate) struct Login {
    pub(crate) address: ServerAddress,
    pub(crate) user: String,
    pub(crate) database: String,
    pub(super) password: Option<Secret>,
    /// Why a password file was not used, as a hint.
    pub(super) password_file: Option<String>,
    pub(crate) application_name: String,
    pub(crate) tls: Tls,
    /// Timeout of each response during login.
    pub(crate) timeout: Option<Duration>,
}

impl Login {
    /// A target of this server, role and database, without a password.
    pub(crate) fn target(&self) -> String {
        let (host, port) = match &self.address {
            ServerAddress::Unix { directory, port } => (directory.display().to_string(), *port),
            ServerAddress::Tcp { host, port } => (host.clone(), *port),
        };
        Target {
            scheme: "postgres".to_owned(),
            local: false,
            user: Some(self.user.clone()),
            password: None,
            addresses: vec![Address { host, port: Some(port) }],
            database: Some(self.database.clone()),
            parameters: Vec::new(),
        }
        .to_string()
    }

    /// From `target`.
    ///
    /// # Errors
    /// `Usage` for invalid parameters, `Unreachable` if no default socket exists.
    pub(crate) fn of(target: &Target, environment: &Environment) -> Result<Login> {
        if let Some((name, _)) = target.parameters.iter().find(|(name, _)| !KNOWN.contains(&name.as_str())) {
            let message = format!("target parameter {name} is unknown; known are {}", KNOWN.join(", "));
            return Err(Error::new(Kind::Usage, message)
                .hint("set server parameters on the server, or for the role with alter role"));
        }
        let port = port(target, environment)?;
        let address = address(target, environment, port)?;
        let os_user = || environment.operating_system_user().map(str::to_owned);
        let user = target.user.clone().or_else(|| environment.variable("PGUSER")).or_else(os_user);
        let user = user.ok_or_else(|| {
            Error::new(Kind::Usage, "the target names no role and the operating system user is unknown")
                .hint("give a role: postgres://ROLE@host/database")
        })?;
        let database = target.database.clone().or_else(|| environment.variable("PGDATABASE"));
        let database = database.unwrap_or_else(|| user.clone());
        let lookup = Lookup { address: &address, user: &user, database: &database };
        let (password, password_file) = password::find(target, environment, &lookup);
        let application = target.parameter("application_name").map(str::to_owned);
        let mode = target.parameter("sslmode").map(str::to_owned).or_else(|| environment.variable("PGSSLMODE"));
        let roots =
            target.parameter("sslrootcert").map(str::to_owned).or_else(|| environment.variable("PGSSLROOTCERT"));
        let timeout = target.parameter("connect_timeout").map(str::to_owned);
        let timeout = timeout.or_else(|| environment.variable("PGCONNECT_TIMEOUT"));
        let default_roots = environment.home().map(|home| home.join(".postgresql/root.crt"));
        Ok(Login {
            tls: Tls::of(
                mode.as_deref(),
                roots.as_deref(),
                default_roots.as_deref(),
                matches!(address, ServerAddress::Tcp { .. }),
            )?,
            address,
            user,
            database,
            password,
            password_file,
            application_name: application.filter(|name| !name.is_empty()).unwrap_or_else(|| "dbdyno".to_owned()),
            timeout: transport::timeout(timeout.as_deref())?,
        })
    }

    /// For a server on this host without password.
    pub(crate) fn of_socket(directory: &Path, port: u16, user: &str, database: &str) -> Login {
        Login {
            address: ServerAddress::Unix { directory: directory.to_owned(), port },
            user: user.to_owned(),
            database: database.to_owned(),
            password: None,
            password_file: None,
            application_name: "dbdyno".to_owned(),
            tls: Tls::disabled(),
            timeout: Some(TIMEOUT),
        }
    }
}

fn port(target: &Target, environment: &Environment) -> Result<u16> {
    if let Some(port) = target.addresses.first().and_then(|address| address.port) {
        return Ok(port);
    }
    let given = target.parameter("port").map(str::to_owned).or_else(|| environment.variable("PGPORT"));
    match given {
        None => Ok(PORT),
        Some(text) => text.parse().ok().filter(|port| *port > 0).ok_or_else(|| {
            Error::new(Kind::Usage, format!("port {text} is not a number from 1 to 65535"))
                .hint("give a port such as 5432")
        }),
    }
}

fn address(target: &Target, environment: &Environment, port: u16) -> Result<ServerAddress> {
    let several = |count: usize| {
        Error::new(Kind::Usage, format!("the target has {count} hosts where one is expected")).hint("give one host")
    };
    if target.addresses.len() > 1 {
        return Err(several(target.addresses.len()));
    }
    // A parameter takes precedence over the host of the URL, as in libpq.
    let host = target.parameter("host").map(str::to_owned);
    let host = host.or_else(|| target.addresses.first().map(|address| address.host.clone()));
    let host = host.or_else(|| environment.variable("PGHOST")).filter(|host| !host.is_empty());
    match host {
        Some(hosts) if hosts.contains(',') => Err(several(hosts.split(',').count())),
        Some(directory) if directory.starts_with('/') => Ok(ServerAddress::Unix { directory: directory.into(), port }),
        Some(host) => Ok(ServerAddress::Tcp { host, port }),
        None => default_address(&environment.sockets, port),
    }
}

fn default_address(directories: &[PathBuf], port: u16) -> Result<ServerAddress> {
    let found = directories.iter().find(|directory| ServerAddress::socket(directory, port).exists());
    if let Some(directory) = found {
        return Ok(ServerAddress::Unix { directory: directory.clone(), port });
    }
    let names: Vec<String> = directories.iter().map(|directory| directory.display().to_string()).collect();
    let message = format!("no PostgreSQL server has its socket .s.PGSQL.{port} in {}", names.join(" or "));
    Err(Error::new(Kind::Unreachable, message)
        .hint("start the server, give its host in the target, or let dbdyno start one: local:postgres"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use transport::Mode;

    const SOCKETS: [&str; 2] = ["first", "second"];

    fn login(url: &str, variables: &[(&str, &str)]) -> Result<Login> {
        let home = tempfile::tempdir().unwrap();
        let target: Target = url.parse().unwrap();
        Login::of(&target, &Environment::of(variables, home.path(), &SOCKETS))
    }

    #[test]
    fn a_url_has_all_parameters() {
        let login = login(
            "postgres://ann:secret@db.example:6000/shop?sslmode=require&connect_timeout=3&application_name=x",
            &[("PGHOST", "elsewhere"), ("PGUSER", "bob"), ("PGPASSWORD", "other")],
        )
        .unwrap();
        assert_eq!(login.address, ServerAddress::Tcp { host: "db.example".into(), port: 6000 });
        assert_eq!((login.user.as_str(), login.database.as_str()), ("ann", "shop"));
        assert_eq!(login.password.unwrap().reveal(), "secret");
        assert_eq!(login.timeout, Some(Duration::from_secs(3)));
        assert_eq!((login.application_name.as_str(), login.tls.mode), ("x", Mode::Require));
    }

    #[test]
    fn missing_parameters_are_taken_from_the_environment() {
        let variables = [("PGHOST", "/run/pg"), ("PGPORT", "5433"), ("PGUSER", "bob"), ("PGPASSWORD", "word")];
        let login = login("postgres://", &variables).unwrap();
        assert_eq!(login.address, ServerAddress::Unix { directory: "/run/pg".into(), port: 5433 });
        assert_eq!((login.user.as_str(), login.database.as_str()), ("bob", "bob"));
        assert_eq!(login.password.unwrap().reveal(), "word");
        assert_eq!(login.timeout, Some(TIMEOUT));
    }

    #[test]
    fn without_a_host_the_first_existing_socket_is_used() {
        let home = tempfile::tempdir().unwrap();
        let environment = Environment::of(&[], home.path(), &SOCKETS);
        let target: Target = "postgres".parse().unwrap();
        let error = Login::of(&target, &environment).unwrap_err();
        assert_eq!(error.kind, Kind::Unreachable);
        std::fs::create_dir(home.path().join("second")).unwrap();
        std::fs::write(home.path().join("second/.s.PGSQL.5432"), "").unwrap();
        let login = Login::of(&target, &environment).unwrap();
        assert_eq!(login.address, ServerAddress::Unix { directory: home.path().join("second"), port: 5432 });
        assert_eq!(login.user, "tester");
    }

    #[test]
    fn a_host_parameter_names_a_socket_directory() {
        let login = login("postgres://ann@localhost/db?host=/tmp/x&port=77", &[]).unwrap();
        assert_eq!(login.address, ServerAddress::Unix { directory: "/tmp/x".into(), port: 77 });
    }

    #[test]
    fn invalid_parameters_are_usage_errors() {
        for (url, word) in [
            ("postgres://h/d?work_mem=1GB", "work_mem"),
            ("postgres://h/d?options=-cwork_mem=1GB", "options"),
            ("postgres://h1,h2/d", "2 hosts"),
            ("postgres:///d?host=a,b,c", "3 hosts"),
            ("postgres://h/d?connect_timeout=soon", "soon"),
            ("postgres://h/d?sslmode=maybe", "maybe"),
            ("postgres:///d?host=h&port=0", "port 0"),
        ] {
            let error = login(url, &[]).unwrap_err();
            assert_eq!(error.kind, Kind::Usage, "{url}");
            assert!(error.message.contains(word), "{url}: {error}");
        }
        let error = login("postgres://h/d?work_mem=1GB", &[]).unwrap_err();
        assert!(KNOWN.iter().all(|name| error.message.contains(name)), "{error}");
    }
}
