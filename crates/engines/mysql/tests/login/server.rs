//! A server that listens on TCP, with a certificate of an authority of its own and several kinds of account.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use dbdyno_engine_mysql::MARIADB;
use engine::{Engine, Result, Session, Workspace};
use engine_kit::programs::{SharedServer, chown_to, command_as, make_certificates, succeed};
use tempfile::TempDir;

use crate::mysql;

/// How the server of one product is made and started, and who may come in how.
pub struct Product {
    scheme: &'static str,
    /// What makes the data, and the server.
    programs: fn() -> [PathBuf; 2],
    make: &'static [&'static str],
    start: &'static [&'static str],
    accounts: &'static str,
}

static MARIADB_SERVER: Product = Product {
    scheme: "mariadb",
    programs: || ["mariadb-install-db", "mariadbd"].map(place),
    make: &[
        "--skip-test-db",
        "--debug-no-sync",
        "--auth-root-authentication-method=normal",
        "--innodb-log-file-size=8M",
    ],
    start: &[],
    accounts: "\
create user 'plain'@'%' identified by 'pass word';
grant all on dbdyno.* to 'plain'@'%';
create user 'encrypted'@'%' identified by 'pass word' require ssl;
create user 'certified'@'%' identified by 'pass word' require subject '/CN=certified';
create user 'nobody'@'%';
create user 'crowded'@'%' with max_user_connections 3;
grant select on mysql.* to 'crowded'@'%';
install soname 'auth_ed25519';
create user 'curved'@'%' identified via ed25519 using password('pass word');
create user 'elsewhere'@'192.0.2.1' identified by 'pass word'",
};

static MYSQL_SERVER: Product = Product {
    scheme: "mysql",
    programs: || [mysql::bin().join("mysqld"), mysql::bin().join("mysqld")],
    make: &["--initialize-insecure", "--innodb-flush-method=nosync", "--innodb-doublewrite=off", "--secure-file-priv="],
    start: &["--mysqlx=off", "--secure-file-priv=", "--skip-log-bin"],
    accounts: "\
create user 'plain'@'%' identified with caching_sha2_password by 'pass word';
create user 'first'@'%' identified with caching_sha2_password by 'pass word';
create user 'local'@'localhost' identified with caching_sha2_password by 'pass word';
create user 'uncached'@'%' identified with sha256_password by 'pass word';
grant all on dbdyno.* to 'plain'@'%';
create user 'encrypted'@'%' identified by 'pass word' require ssl;
create user 'nobody'@'%'",
};

/// A running server; stopped and removed when the last test lets go of it.
pub struct Server {
    pub port: u16,
    product: &'static Product,
    directory: TempDir,
    child: Child,
}

impl Server {
    /// The one of MariaDB that tests share.
    pub fn shared() -> Arc<Server> {
        static SHARED: SharedServer<Server> = SharedServer::new();
        SHARED.get(|| Server::start(&MARIADB_SERVER))
    }

    /// The one of MySQL that tests share.
    pub fn shared_mysql() -> Arc<Server> {
        static SHARED: SharedServer<Server> = SharedServer::new();
        SHARED.get(|| Server::start(&MYSQL_SERVER))
    }

    fn start(product: &'static Product) -> Server {
        let directory = tempfile::Builder::new().prefix("dbdyno-login-").tempdir_in("/tmp").unwrap();
        let path = directory.path();
        make_certificates(path);
        chown_to("mysql", path);
        for entry in fs::read_dir(path).unwrap() {
            chown_to("mysql", &entry.unwrap().path());
        }
        let at = |name: &str| path.join(name).display().to_string();
        let data = format!("--datadir={}", at("data"));
        let temporary = format!("--tmpdir={}", path.display());
        let [maker, server] = (product.programs)();
        succeed(command_as("mysql", &maker).arg("--no-defaults").args(product.make).args([&data, &temporary]));
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let log = fs::File::create(path.join("log")).unwrap();
        let child = command_as("mysql", &server)
            .args(["--no-defaults", &data, &temporary, "--bind-address=127.0.0.1", &format!("--port={port}")])
            .args([format!("--socket={}", at("mysqld.sock")), format!("--pid-file={}", at("pid"))])
            .args([format!("--ssl-cert={}", at("server.crt")), format!("--ssl-key={}", at("server.key"))])
            .arg(format!("--ssl-ca={}", at("authority.crt")))
            .args(["--innodb-buffer-pool-size=16M", "--skip-name-resolve", "--innodb-flush-log-at-trx-commit=0"])
            .args(product.start)
            .stderr(log)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let server = Server { port, product, directory, child };
        server.await_ready().batch(product.accounts).expect("accounts");
        server
    }

    fn boss(&self) -> Result<Box<dyn Session>> {
        let workspace = Workspace { directory: std::env::temp_dir(), keep: false, cache_bytes: None, sessions_max: 4 };
        MARIADB.open(&self.socket("root").parse().expect("a target"), &workspace)?.connect()
    }

    fn await_ready(&self) -> Box<dyn Session> {
        let start = Instant::now();
        loop {
            match self.boss() {
                Ok(session) => return session,
                Err(error) => {
                    let log = fs::read_to_string(self.directory.path().join("log")).unwrap_or_default();
                    assert!(start.elapsed() < Duration::from_secs(60), "the server does not start: {error}, {log}");
                }
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn socket_path(&self) -> PathBuf {
        self.directory.path().join("mysqld.sock")
    }

    /// A target over TCP.
    pub fn tcp(&self, user: &str, host: &str, parameters: &str) -> String {
        format!("{}://{user}@{host}:{}?{parameters}", self.product.scheme, self.port)
    }

    /// A target over the Unix socket.
    pub fn socket(&self, user: &str) -> String {
        format!("{}://{user}@localhost?socket={}", self.product.scheme, self.socket_path().display())
    }

    /// A file with the certificate of the authority that signed the server's.
    pub fn authority(&self) -> PathBuf {
        self.directory.path().join("authority.crt")
    }

    /// A file with the certificate or the key of the client `certified`.
    pub fn client(&self, ending: &str) -> PathBuf {
        self.directory.path().join("client").with_extension(ending)
    }

    /// A file with the certificate of an authority that signed nothing here.
    pub fn stranger(&self) -> PathBuf {
        self.directory.path().join("stranger.crt")
    }

    pub fn process(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A program of the server: not every user's path leads to it.
fn place(program: &str) -> PathBuf {
    let places = ["/usr/sbin", "/usr/libexec", "/usr/bin"].map(|place| Path::new(place).join(program));
    places.into_iter().find(|path| path.exists()).unwrap_or_else(|| program.into())
}
