//! A server that listens on TCP, with a certificate of an authority of its own and several kinds of account.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use transport::conformance::{SharedServer, command_as, give_to, make_certificates, succeed};

/// Who may come in how.
const ACCOUNTS: &str = "\
create user 'plain'@'%' identified by 'pass word';
grant all on dbdyno.* to 'plain'@'%';
create user 'encrypted'@'%' identified by 'pass word' require ssl;
create user 'nobody'@'%';
create user 'crowded'@'%' with max_user_connections 3;
grant select on mysql.* to 'crowded'@'%';
install soname 'auth_ed25519';
create user 'curved'@'%' identified via ed25519 using password('pass word');
create user 'elsewhere'@'192.0.2.1' identified by 'pass word';
";

/// A running server; stopped and removed when the last test lets go of it.
pub struct Server {
    pub port: u16,
    directory: TempDir,
    child: Child,
}

impl Server {
    /// The one that tests share.
    pub fn shared() -> Arc<Server> {
        static SHARED: SharedServer<Server> = SharedServer::new();
        SHARED.get(Server::start)
    }

    fn start() -> Server {
        let directory = tempfile::Builder::new().prefix("dbdyno-login-").tempdir_in("/tmp").unwrap();
        let path = directory.path();
        make_certificates(path);
        give_to("mysql", path);
        for entry in fs::read_dir(path).unwrap() {
            give_to("mysql", &entry.unwrap().path());
        }
        let at = |name: &str| path.join(name).display().to_string();
        let data = format!("--datadir={}", at("data"));
        let temporary = format!("--tmpdir={}", path.display());
        succeed(as_server("mariadb-install-db").args(["--no-defaults", "--skip-test-db", "--debug-no-sync"]).args([
            "--auth-root-authentication-method=normal",
            "--innodb-log-file-size=8M",
            &data,
            &temporary,
        ]));
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let log = fs::File::create(path.join("log")).unwrap();
        let child = as_server("mariadbd")
            .args(["--no-defaults", &data, &temporary, "--bind-address=127.0.0.1", &format!("--port={port}")])
            .args([format!("--socket={}", at("mysqld.sock")), format!("--pid-file={}", at("pid"))])
            .args([format!("--ssl-cert={}", at("server.crt")), format!("--ssl-key={}", at("server.key"))])
            .args(["--innodb-buffer-pool-size=16M", "--skip-name-resolve", "--innodb-flush-log-at-trx-commit=0"])
            .stderr(log)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let server = Server { port, directory, child };
        server.await_ready();
        succeed(server.client().args(["-e", ACCOUNTS]));
        server
    }

    fn client(&self) -> Command {
        let mut client = Command::new("mariadb");
        client.args(["--no-defaults", "-uroot", "-S", self.socket_path().to_str().unwrap()]);
        client
    }

    fn await_ready(&self) {
        let begun = Instant::now();
        while !self.client().args(["-e", "select 1"]).output().unwrap().status.success() {
            let log = fs::read_to_string(self.directory.path().join("log")).unwrap_or_default();
            assert!(begun.elapsed() < Duration::from_secs(30), "the server does not start: {log}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn socket_path(&self) -> PathBuf {
        self.directory.path().join("mysqld.sock")
    }

    /// A target over TCP.
    pub fn tcp(&self, user: &str, host: &str, parameters: &str) -> String {
        format!("mariadb://{user}@{host}:{}?{parameters}", self.port)
    }

    /// A target over the Unix socket.
    pub fn socket(&self, user: &str) -> String {
        format!("mariadb://{user}@localhost?socket={}", self.socket_path().display())
    }

    /// A file with the certificate of the authority that signed the server's.
    pub fn authority(&self) -> PathBuf {
        self.directory.path().join("authority.crt")
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

/// A program of the server, run by a user that it accepts.
fn as_server(program: &str) -> Command {
    // Not every user's path leads to the server.
    let places = ["/usr/sbin", "/usr/libexec", "/usr/bin"].map(|place| Path::new(place).join(program));
    let program = places.into_iter().find(|path| path.exists()).unwrap_or_else(|| program.into());
    command_as("mysql", &program)
}
