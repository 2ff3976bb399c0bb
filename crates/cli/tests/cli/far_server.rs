//! A real server of PostgreSQL on a network of its own.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::bench::Bench;
use crate::fleet_hosts::{processes, system, wait_until};
use crate::namespace::Namespace;

/// A real server of PostgreSQL in a network namespace: what reaches it comes over a network, from another address.
pub struct FarServer {
    name: String,
    namespace: Namespace,
    pub directory: PathBuf,
    port: u16,
    server: Option<Child>,
}

impl FarServer {
    /// None where no namespace can be made, which only root may.
    pub fn start(bench: &Bench, name: &str) -> Option<FarServer> {
        FarServer::start_with(bench, name, &[])
    }

    /// The same, which encrypts connections.
    pub fn start_encrypted(bench: &Bench, name: &str) -> Option<FarServer> {
        FarServer::start_with(bench, name, &["-c", "ssl=on"])
    }

    fn start_with(bench: &Bench, name: &str, settings: &[&str]) -> Option<FarServer> {
        let namespace = Namespace::make()?;
        let mut server = FarServer {
            name: name.to_owned(),
            namespace,
            directory: bench.path().join(name),
            port: 5432,
            server: None,
        };
        fs::create_dir(&server.directory).unwrap();
        fs::set_permissions(bench.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let at = server.directory.display().to_string();
        system("chown", &["postgres", &at]);
        let as_user = ["-u", "postgres", "--"];
        let data = format!("{at}/data");
        let initdb = program("initdb");
        system("runuser", &[&as_user[..], &[&initdb, "-D", &data, "-U", "bench", "-A", "trust"]].concat());
        let rules = fs::read_to_string(format!("{data}/pg_hba.conf")).unwrap() + "host all all 10.211.0.0/16 trust\n";
        fs::write(format!("{data}/pg_hba.conf"), rules).unwrap();
        if !settings.is_empty() {
            let (key, certificate) = (format!("{data}/server.key"), format!("{data}/server.crt"));
            let made = ["openssl", "req", "-x509", "-nodes", "-subj", "/CN=db", "-keyout", &key, "-out", &certificate];
            system("runuser", &[&as_user[..], &made].concat());
        }
        let postgres = program("postgres");
        let mut command = server.namespace.command("runuser");
        command.args(as_user).args([&postgres, "-D", &data]);
        command.args(["-c", &format!("listen_addresses={}", server.namespace.address), "-k", &at]);
        command.args(settings).args(["-c", "autovacuum=off"]).stdin(Stdio::null()).stderr(Stdio::null());
        server.server = Some(command.spawn().unwrap());
        // It listens before it takes sessions.
        wait_until("the server does not answer", || server.psql("select 1").output().unwrap().status.success());
        Some(server)
    }

    /// Two of them, `db1` and `db2`, and a target that names both.
    pub fn two(bench: &Bench) -> Option<([FarServer; 2], String)> {
        let servers = [FarServer::start(bench, "db1")?, FarServer::start(bench, "db2")?];
        let addresses = servers.each_ref().map(FarServer::address).join(",");
        Some((servers, format!("postgres://bench@{addresses}/postgres")))
    }

    /// A pooler before it, which gives a session another server process for each transaction: its target, and what ends it when it is
    /// dropped.
    pub fn pooler(&self) -> (String, Pooler) {
        let at = self.directory.display();
        let settings = format!(
            "[databases]\npostgres = host={at} port={} dbname=postgres user=bench\n[pgbouncer]\nlisten_addr = {}\n\
             listen_port = 6432\nauth_type = any\npool_mode = transaction\nmax_client_conn = 500\ndefault_pool_size = 4\n\
             unix_socket_dir =\npidfile = {at}/pgbouncer.pid\n",
            self.port, self.namespace.address
        );
        fs::write(self.directory.join("pgbouncer.ini"), settings).unwrap();
        let mut command = self.namespace.command("runuser");
        command.args(["-u", "postgres", "--", "pgbouncer", "-q", &format!("{at}/pgbouncer.ini")]);
        command.env("PATH", "/usr/sbin:/usr/bin:/bin").stdin(Stdio::null()).stderr(Stdio::null());
        let pooler =
            Pooler { process: command.spawn().expect("pgbouncer"), pid_file: self.directory.join("pgbouncer.pid") };
        let address = format!("{}:6432", self.namespace.address);
        wait_until("the pooler does not answer", || std::net::TcpStream::connect(&address).is_ok());
        (format!("postgres://bench@{address}/postgres?prepared_statements=off"), pooler)
    }

    /// Waits until jobs are at work: set-up and warm-up have few commits.
    pub fn wait_for_jobs(&self) {
        let commits = "select sum(xact_commit) > 3000 from pg_stat_database";
        wait_until("no jobs", || self.ask(commits) == "t");
    }

    /// Host and port.
    pub fn address(&self) -> String {
        format!("{}:{}", self.namespace.address, self.port)
    }

    pub fn target(&self) -> String {
        format!("postgres://bench@{}/postgres", self.address())
    }

    /// What the server answers to `query`.
    pub fn ask(&self, query: &str) -> String {
        let output = self.psql(query).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn psql(&self, query: &str) -> Command {
        let mut command = Command::new("psql");
        command.args(["-h", &self.namespace.address, "-U", "bench", "-d", "postgres", "-XAtc", query]);
        command
    }

    pub fn observe(&self, more: &str) -> String {
        format!(
            "{} via=\"ip netns exec {} env -u XDG_CACHE_HOME HOME={}\" {more}",
            self.name,
            self.namespace.name,
            self.directory.display()
        )
    }

    /// The agents that observe it: other tests have theirs.
    pub fn agents(&self) -> Vec<u32> {
        let home = self.directory.display().to_string();
        let mut agents = processes(&["agent", "--observe"]);
        agents.retain(|pid| crate::local_server::command_line(*pid).contains(&home));
        agents
    }

    pub fn postmaster(&self) -> u32 {
        let text = fs::read_to_string(self.directory.join("data/postmaster.pid")).unwrap();
        text.lines().next().unwrap().parse().unwrap()
    }

    /// Processor time of the server so far, with that of its ended sessions, by `/proc`.
    pub fn cpu_ns(&self) -> u64 {
        let postmaster = self.postmaster();
        let children = fs::read_to_string(format!("/proc/{postmaster}/task/{postmaster}/children")).unwrap();
        let all = children.split_whitespace().map(str::to_owned).chain([postmaster.to_string()]);
        let ticks = |pid: String| -> u64 {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
            fields.split(' ').skip(11).take(4).filter_map(|field| field.parse::<u64>().ok()).sum()
        };
        all.map(ticks).sum::<u64>() * 10_000_000
    }
}

/// A pooler that runs.
pub struct Pooler {
    process: Child,
    pid_file: PathBuf,
}

impl Drop for Pooler {
    fn drop(&mut self) {
        if let Ok(pid) = fs::read_to_string(&self.pid_file) {
            let _ = Command::new("kill").args(["-TERM", pid.trim()]).status();
        }
        let _ = self.process.wait();
    }
}

impl Drop for FarServer {
    fn drop(&mut self) {
        if let Some(mut server) = self.server.take() {
            if let Ok(text) = fs::read_to_string(self.directory.join("data/postmaster.pid")) {
                let _ = Command::new("kill").args(["-INT", text.lines().next().unwrap_or_default()]).status();
            }
            let _ = server.wait();
        }
    }
}

/// A program of the server of PostgreSQL.
pub fn program(name: &str) -> String {
    let versions = fs::read_dir("/usr/lib/postgresql").expect("PostgreSQL: ./test.sh installs it");
    let programs = versions.map(|version| version.unwrap().path().join("bin").join(name));
    programs.filter(|path| path.exists()).max().expect("a server of PostgreSQL").display().to_string()
}
