//! A server that listens on TCP, with a certificate of its own CA and all password methods.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine_kit::programs::{SharedServer, chown_to, command_as, make_certificates, succeed, text};
use tempfile::TempDir;

/// `pg_hba.conf`.
const ACCESS: &str = "\
local     all boss          trust
hostssl   all bound         127.0.0.1/32 scram-sha-256
hostnossl all bound         127.0.0.1/32 scram-sha-256
host      all hashed        127.0.0.1/32 md5
host      all clear         127.0.0.1/32 password
hostssl   all encrypted     127.0.0.1/32 scram-sha-256
hostnossl all unencrypted   127.0.0.1/32 trust
host      all mapped        127.0.0.1/32 ident
hostssl   all certified     127.0.0.1/32 cert
";

/// Roles and their passwords.
const ROLES: &str = "\
set password_encryption = 'scram-sha-256';
create role bound login password 'pass word';
create role clear login password 'pass word';
create role encrypted login password 'pass word';
create role unencrypted login;
create role mapped login;
create role limited login;
create role certified login;
set password_encryption = 'md5';
create role hashed login password 'pass word';
";

/// A running server; stopped and removed when the last test drops it.
pub struct Server {
    pub port: u16,
    directory: TempDir,
    child: Child,
}

impl Server {
    /// The shared server.
    pub fn shared() -> Arc<Server> {
        static SHARED: SharedServer<Server> = SharedServer::new();
        SHARED.get(Server::start)
    }

    fn start() -> Server {
        let directory = tempfile::Builder::new().prefix("dbdyno-login-").tempdir_in("/tmp").unwrap();
        let path = directory.path();
        chown_to("postgres", path);
        let data = path.join("data");
        succeed(as_server("initdb").args(["-D", text(&data), "-U", "boss", "-A", "trust", "--no-sync"]));
        make_certificates(&data);
        for name in ["server.key", "server.crt"] {
            chown_to("postgres", &data.join(name));
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let settings = format!(
            "listen_addresses = '127.0.0.1'\nport = {port}\nunix_socket_directories = '{}'\nssl = on\nssl_ca_file = 'authority.crt'\nfsync = off\n\
             max_connections = 20\nshared_buffers = 16MB\n",
            path.display()
        );
        let configuration = data.join("postgresql.conf");
        fs::write(&configuration, fs::read_to_string(&configuration).unwrap() + &settings).unwrap();
        fs::write(data.join("pg_hba.conf"), ACCESS).unwrap();
        let log = fs::File::create(path.join("log")).unwrap();
        let child = as_server("postgres").args(["-D", text(&data)]).stderr(log).stdout(Stdio::null()).spawn().unwrap();
        let server = Server { port, directory, child };
        server.await_ready();
        let mut psql = Command::new("psql");
        psql.args(["-q", "-v", "ON_ERROR_STOP=1", "-h", text(server.directory.path()), "-U", "boss", "-d", "postgres"]);
        succeed(psql.args(["-p", &port.to_string(), "-c", ROLES]));
        server
    }

    fn await_ready(&self) {
        let start = Instant::now();
        let mut ready = Command::new("pg_isready");
        ready.args(["-q", "-h", text(self.directory.path()), "-p", &self.port.to_string()]);
        while !ready.status().unwrap().success() {
            let log = fs::read_to_string(self.directory.path().join("log")).unwrap_or_default();
            assert!(start.elapsed() < Duration::from_secs(30), "the server does not start: {log}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// A target over TCP.
    pub fn tcp(&self, user: &str, host: &str, parameters: &str) -> String {
        format!("postgres://{user}@{host}:{}/postgres?{parameters}", self.port)
    }

    /// A target over the Unix socket.
    pub fn socket(&self, user: &str) -> String {
        format!("postgres://{user}@/postgres?host={}&port={}", self.directory.path().display(), self.port)
    }

    /// The certificate of the CA that signed the server's.
    pub fn authority(&self) -> PathBuf {
        self.directory.path().join("data/authority.crt")
    }

    /// The certificate of another CA.
    pub fn stranger(&self) -> PathBuf {
        self.directory.path().join("data/stranger.crt")
    }

    /// Certificate and key of the client `certified`, as parameters.
    pub fn client(&self) -> String {
        let data = self.directory.path().join("data");
        format!("sslcert={0}/client.crt&sslkey={0}/client.key", data.display())
    }

    /// The directory of the Unix socket.
    pub fn sockets(&self) -> &Path {
        self.directory.path()
    }

    pub fn postmaster(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(pid) = rustix::process::Pid::from_raw(self.child.id() as i32) {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::QUIT);
        }
        let _ = self.child.wait();
    }
}

/// A program of the server, run by a user that it accepts.
fn as_server(program: &str) -> Command {
    command_as("postgres", &programs().join(program))
}

/// The directory in `PATH`, or else the newest version in Debian's directory.
fn programs() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    if let Some(directory) = std::env::split_paths(&path).find(|directory| directory.join("initdb").is_file()) {
        return directory;
    }
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let newest = versions.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok()).max();
    let newest = newest.expect("the programs of a PostgreSQL server are installed");
    PathBuf::from(format!("/usr/lib/postgresql/{newest}/bin"))
}
