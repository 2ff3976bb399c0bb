//! Servers that listen on TCP, one of which replicates from the log of the other.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use dbdyno_engine_mysql::MARIADB;
use engine::{Engine, Error, Kind, Node, Session, Target, Value, Workspace};
use engine_kit::programs::{chown_to, command_as, succeed};
use tempfile::TempDir;

/// A running server; stopped and removed when it is dropped.
pub struct Server {
    port: u16,
    directory: TempDir,
    child: Child,
}

impl Server {
    /// The server with this number among those that replicate.
    pub fn start(number: u32) -> Server {
        let directory = tempfile::Builder::new().prefix("dbdyno-replica-").tempdir_in("/tmp").expect("directory");
        chown_to("mysql", directory.path());
        let at = |name: &str| directory.path().join(name).display().to_string();
        let (data, temporary) = (format!("--datadir={}", at("data")), format!("--tmpdir={}", at("")));
        succeed(as_server("mariadb-install-db").args(["--no-defaults", "--skip-test-db", "--debug-no-sync"]).args([
            "--auth-root-authentication-method=normal",
            "--innodb-log-file-size=8M",
            &data,
            &temporary,
        ]));
        let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("its address").port();
        let child = as_server("mariadbd")
            .args(["--no-defaults", &data, &temporary, "--bind-address=127.0.0.1", "--skip-name-resolve", "--log-bin"])
            .args([format!("--port={port}"), format!("--report-port={port}"), format!("--server-id={number}")])
            .args([format!("--socket={}", at("socket")), format!("--pid-file={}", at("pid"))])
            .args(["--report-host=127.0.0.1", "--innodb-buffer-pool-size=16M", "--slave-net-timeout=2"])
            .args(["--innodb-flush-log-at-trx-commit=0"])
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .expect("start");
        let server = Server { port, directory, child };
        let start = Instant::now();
        while !server.client("select 1").output().expect("client").status.success() {
            assert!(start.elapsed() < Duration::from_secs(30), "the server does not start");
            std::thread::sleep(Duration::from_millis(50));
        }
        succeed(&mut server.client("create user ann@'%'; grant all on *.* to ann@'%'; reset master"));
        server
    }

    fn client(&self, sql: &str) -> Command {
        let mut client = Command::new("mariadb");
        client.args(["--no-defaults", "-uroot", "-S"]).arg(self.directory.path().join("socket")).args(["-e", sql]);
        client
    }

    /// Replicates from `primary` from now on, and only reads.
    pub fn follow(&self, primary: &Server) {
        succeed(&mut self.client(&format!(
            "change master to master_host='127.0.0.1', master_port={}, master_user='ann', master_use_gtid=slave_pos; \
             start slave; set global read_only = on",
            primary.port
        )));
    }

    fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn as_server(program: &str) -> Command {
    // Not every user's path leads to the server.
    let places = ["/usr/sbin", "/usr/libexec", "/usr/bin"].map(|place| Path::new(place).join(program));
    let program = places.into_iter().find(|path| path.exists()).unwrap_or_else(|| PathBuf::from(program));
    command_as("mysql", &program)
}

fn open(target: &str) -> Result<Vec<Box<dyn Node>>, Error> {
    let target: Target = target.parse().expect("target");
    // Nothing of these servers is in the directory.
    let workspace = Workspace {
        directory: fs::canonicalize("/tmp").expect("/tmp"),
        keep: false,
        cache_bytes: None,
        sessions_max: 8,
    };
    MARIADB.open_all(&target, &workspace)
}

pub fn a_primary_without_replicas_is_alone(primary: &Server) {
    let error = open(&format!("mariadb://ann@{}?nodes=all", primary.address())).err().expect("nobody replicates");
    assert_eq!(error.kind, Kind::Usage, "{error:?}");
    assert!(error.message.contains("no replicas") && error.hint.is_some(), "{error:?}");
}

pub fn they_are_found_and_read_what_is_committed(primary: &Server, replica: &Server) {
    let names = [primary.address(), replica.address()];
    let listed = open(&format!("mariadb://ann@{},{}", names[0], names[1])).expect("both by name");
    assert_eq!(listed.iter().map(|node| node.name()).collect::<Vec<_>>(), names);
    drop(listed);
    let target = format!("mariadb://ann@{}?nodes=all", names[0]);
    let start = Instant::now();
    let mut nodes = loop {
        match open(&target) {
            Ok(nodes) => break nodes,
            // It has to make itself known first.
            Err(error) => assert!(start.elapsed() < Duration::from_secs(20), "{error:?}"),
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    assert_eq!(nodes.iter().map(|node| node.name()).collect::<Vec<_>>(), names);
    assert_eq!(nodes.iter().map(|node| node.takes_writes()).collect::<Vec<_>>(), [true, false]);
    nodes[0].claim().expect("claim");
    nodes[1].join().expect("join");
    let mut sessions: Vec<Box<dyn Session>> = nodes.iter().map(|node| node.connect().expect("connect")).collect();
    let [first, here] = sessions.as_mut_slice() else { unreachable!("two nodes") };
    first.batch("create table followed (id int primary key)").expect("create");
    for id in 1..=23 {
        first.batch(&format!("insert into followed values ({id})")).expect("insert");
        nodes[1].catch_up(here.as_mut(), first.as_mut()).expect("catch up");
        let count = here.prepare("select count(*) from followed").expect("prepare");
        assert_eq!(here.query(count, &[]).expect("count"), [[Value::Int(id)]], "after {id} commits");
    }
    let mut own = nodes[0].connect().expect("connect");
    nodes[0].catch_up(own.as_mut(), first.as_mut()).expect("nobody waits for himself");
    drop(sessions);
    nodes.reverse();
    nodes.into_iter().for_each(|node| node.close().expect("close"));
}

pub fn what_cannot_be_named_is_refused(primary: &Server) {
    let own = primary.address();
    for (target, kind, word) in [
        (format!("mariadb://ann@{own}?nodes=3"), Kind::Usage, "nodes=3"),
        (format!("mariadb://ann@{own},{own}?nodes=all"), Kind::Usage, "the target has 2"),
        (format!("mariadb://ann@{own},127.0.0.1:1"), Kind::Unreachable, "node 127.0.0.1:1: "),
    ] {
        let error = open(&target).err().expect("refused");
        assert_eq!(error.kind, kind, "{target}: {error:?}");
        assert!(error.message.contains(word), "{target}: {error:?}");
    }
}
