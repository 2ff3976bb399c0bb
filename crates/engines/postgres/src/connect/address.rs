//! Login parameters: the target, completed from the environment as by libpq.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use engine::{Address, Error, Kind, Result, Secret, Target, shown};
use transport::{Environment, Keepalive, TIMEOUT, Tls, TlsSettings};

use super::authentication::{AcceptedMethods, ChannelBinding};
use super::canonical::canonical;
use super::password::{self, Lookup};
use super::{ServerAddress, parameter};

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
    /// Timeout of connecting, and of the login after it.
    pub(crate) timeout: Option<Duration>,
    /// The address that the host is known to have.
    pub(super) host_address: Option<IpAddr>,
    /// Command-line options of the backend, such as `-c work_mem=8MB`.
    pub(super) options: Option<String>,
    pub(super) channel_binding: ChannelBinding,
    pub(super) accepted_methods: AcceptedMethods,
    pub(super) keepalive: Keepalive,
    /// Whether a pooler gives a session another server process for each transaction: statements have no names then, and no setting is
    /// made.
    pub(crate) is_pooled: bool,
    /// Whether the first session was encrypted: the others are as that one, which is in the record.
    pub(super) is_encrypted: OnceLock<bool>,
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
    pub(crate) fn of(target: &Target, environment: &Environment) -> Result<Login> {
        let target = &canonical(target, environment)?;
        let given = |name: &str| target.parameter(name).filter(|value| !value.is_empty());
        let or_variable =
            |name: &str, variable: &str| given(name).map(str::to_owned).or_else(|| environment.variable(variable));
        let host_address = given("hostaddr").map(ip_address).transpose()?;
        let address = address(target, environment)?;
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
        let application = given("application_name").or_else(|| given("fallback_application_name")).unwrap_or("dbdyno");
        let timeout = or_variable("connect_timeout", "PGCONNECT_TIMEOUT");
        let binding = or_variable("channel_binding", "PGCHANNELBINDING");
        let methods = or_variable("require_auth", "PGREQUIREAUTH");
        Ok(Login {
            tls: tls(target, environment, &address)?,
            address,
            user,
            database,
            password,
            password_file,
            application_name: application.to_owned(),
            timeout: transport::timeout(timeout.as_deref())?,
            host_address,
            options: given("options").map(str::to_owned),
            channel_binding: ChannelBinding::of(binding.as_deref())?,
            accepted_methods: AcceptedMethods::of(methods.as_deref())?,
            keepalive: Keepalive::of(given)?,
            is_pooled: is_pooled(given("prepared_statements"))?,
            is_encrypted: OnceLock::new(),
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
            host_address: None,
            options: None,
            channel_binding: ChannelBinding::default(),
            accepted_methods: AcceptedMethods::default(),
            keepalive: Keepalive::default(),
            is_pooled: false,
            is_encrypted: OnceLock::new(),
        }
    }
}

/// Whether the parameter `prepared_statements` says that a pooler allows none.
fn is_pooled(prepared_statements: Option<&str>) -> Result<bool> {
    match prepared_statements {
        None | Some("on" | "true" | "1") => Ok(false),
        Some("off" | "false" | "0") => Ok(true),
        Some(other) => {
            Err(Error::new(Kind::Usage, format!("prepared_statements {} is neither on nor off", shown(other)))
                .hint("give off behind a pooler of transactions, and nothing otherwise"))
        }
    }
}

/// What the target and its environment say about encryption.
fn tls(target: &Target, environment: &Environment, address: &ServerAddress) -> Result<Tls> {
    let of = |name: &str, variable: &str| {
        let given = target.parameter(name).filter(|value| !value.is_empty()).map(str::to_owned);
        given.or_else(|| environment.variable(variable))
    };
    let (mode, roots) = (of("sslmode", "PGSSLMODE"), of("sslrootcert", "PGSSLROOTCERT"));
    let (certificate, key) = (of("sslcert", "PGSSLCERT"), of("sslkey", "PGSSLKEY"));
    let least = of("ssl_min_protocol_version", "PGSSLMINPROTOCOLVERSION");
    let most = of("ssl_max_protocol_version", "PGSSLMAXPROTOCOLVERSION");
    let server_name = of("sslsni", "PGSSLSNI");
    let hides_server_name = match server_name.as_deref() {
        None | Some("1") => false,
        Some("0") => true,
        Some(other) => {
            return Err(Error::new(Kind::Usage, format!("sslsni {} is neither 1 nor 0", shown(other))).hint("omit it"));
        }
    };
    let own = |name: &str| environment.home().map(|home| home.join(".postgresql").join(name));
    let settings = TlsSettings {
        mode: mode.as_deref(),
        roots: roots.as_deref(),
        default_roots: own("root.crt"),
        certificate: certificate.as_deref(),
        key: key.as_deref(),
        default_identity: own("postgresql.crt").zip(own("postgresql.key")),
        version_min: least.as_deref(),
        version_max: most.as_deref(),
        hides_server_name,
    };
    Tls::of(&settings, matches!(address, ServerAddress::Tcp { .. }))
}

fn ip_address(text: &str) -> Result<IpAddr> {
    text.trim().parse().map_err(|_| {
        Error::new(Kind::Usage, format!("hostaddr {} is not an IP address", shown(text)))
            .hint("give an address such as 192.0.2.1, and names in host")
    })
}

/// The one address of a canonical target.
fn address(target: &Target, environment: &Environment) -> Result<ServerAddress> {
    let address = match target.addresses.as_slice() {
        [] => {
            let port = target.parameter("port").map_or(Ok(None), parameter::port)?.unwrap_or(PORT);
            return default_address(&environment.sockets, port);
        }
        [address] => address,
        several => {
            let message = format!("the target has {} hosts where one is expected", several.len());
            return Err(Error::new(Kind::Usage, message).hint("give one host"));
        }
    };
    let port = address.port.unwrap_or(PORT);
    Ok(match address.host.starts_with('/') {
        true => ServerAddress::Unix { directory: address.host.as_str().into(), port },
        false => ServerAddress::Tcp { host: address.host.clone(), port },
    })
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
    fn a_client_is_what_its_parameters_say() {
        let url = "postgres:///?host=db1&user=ann&dbname=shop&hostaddr=192.0.2.7&options=-c%20work_mem%3D8MB\
                   &channel_binding=require&keepalives_idle=60&fallback_application_name=ours&gssencmode=prefer";
        let found = login(url, &[("PGREQUIREAUTH", "scram-sha-256")]).unwrap();
        assert_eq!(found.address, ServerAddress::Tcp { host: "db1".into(), port: 5432 });
        assert_eq!((found.user.as_str(), found.database.as_str()), ("ann", "shop"));
        assert_eq!(found.host_address, Some([192, 0, 2, 7].into()));
        assert_eq!(found.options.as_deref(), Some("-c work_mem=8MB"));
        assert_eq!((found.channel_binding, found.application_name.as_str()), (ChannelBinding::Require, "ours"));
        assert_eq!(found.keepalive.idle, Some(Duration::from_secs(60)));
        assert!(found.accepted_methods.check("md5").is_err());
        assert_eq!(login("postgres://h/d?sslmode=allow", &[]).unwrap().tls.mode, Mode::Allow);
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
            ("postgres://h1,h2/d", "2 hosts"),
            ("postgres:///d?host=a,b,c", "3 hosts"),
            ("postgres://h/d?connect_timeout=soon", "soon"),
            ("postgres://h/d?sslmode=maybe", "maybe"),
            ("postgres:///d?host=h&port=0", "port 0"),
            ("postgres://h/d?hostaddr=db1", "hostaddr db1"),
            ("postgres://h/d?channel_binding=yes", "channel_binding yes"),
            ("postgres://h/d?require_auth=magic", "require_auth magic"),
            ("postgres://h/d?keepalives=x", "keepalives x"),
            ("postgres://h/d?sslsni=2", "sslsni 2"),
            ("postgres://h/d?sslcert=/nonexistent/c.crt", "sslcert /nonexistent/c.crt"),
        ] {
            let error = login(url, &[]).unwrap_err();
            assert_eq!(error.kind, Kind::Usage, "{url}");
            assert!(error.message.contains(word), "{url}: {error}");
        }
        let error = login("postgres://h/d?work_mem=1GB", &[]).unwrap_err();
        assert!(parameter::KNOWN.iter().all(|name| error.message.contains(name)), "{error}");
    }
}
