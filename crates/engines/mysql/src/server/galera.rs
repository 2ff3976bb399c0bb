//! Several nodes on this one machine, each with all data, each taking writes: a Galera cluster.
//!
//! The data are made once. A first start gives them their position in the replication; then they are copied for every
//! node, so that a node that joins lacks nothing but the changes of membership since, which it gets from the memory of
//! another (an incremental transfer). A transfer of all data never happens: the script that would carry it out is ours
//! and refuses, so that a node that has missed too much ends instead of being made anew in mid-run.
//!
//! Sources: MariaDB "Galera Cluster System Variables"; Galera Cluster documentation, "Galera Parameters" and
//! "Scriptable State Snapshot Transfers". Failure detection has the defaults of Galera: a node that is silent for 5 s
//! is suspected (`evs.suspect_timeout`), and until the others have agreed on that no commit is certified.

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};

use engine::{Error, Kind, Result};
use server::{Identity, Line, Sizing};

use super::parameter::Parameters;
use super::settings::replication_cache_bytes;

/// Where packages put the library of replication.
const LIBRARY_PLACES: &[&str] =
    &["/usr/lib/galera", "/usr/lib64/galera-4", "/usr/lib/galera-4", "/usr/lib64/galera", "/usr/local/lib/galera"];

const LIBRARY: &str = "libgalera_smm.so";

/// The method of transfer of all data, and the name of its script behind `wsrep_sst_`.
const TRANSFER: &str = "dbdyno";

/// What tells a node of its position, among its data.
const STATE_FILE: &str = "grastate.dat";

/// What a cluster remembers of one that ran before; nothing of it may be believed by one that is made of copies.
const MEMORIES: [&str; 2] = ["galera.cache", "gvwstate.dat"];

/// What all nodes have in common, and where each listens for the others.
#[derive(Clone, Debug)]
pub(super) struct Group {
    library: PathBuf,
    /// A node that says another name is not let in.
    name: String,
    ports: Vec<Ports>,
    options: Option<String>,
}

/// The ports of one node on the loopback interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ports {
    group: u16,
    transfer: u16,
}

impl Group {
    /// For as many nodes as `parameters` ask for.
    ///
    /// # Errors
    /// `Missing` without the library, `Unreachable` where no ports are free.
    pub(super) fn of(parameters: &Parameters) -> Result<Group> {
        let library = find_library(parameters.provider.as_deref(), LIBRARY_PLACES)?;
        let random = std::fs::read_to_string("/proc/sys/kernel/random/uuid").unwrap_or_default();
        // At most 32 characters.
        let name =
            format!("dbdyno-{}", random.trim().chars().filter(|letter| *letter != '-').take(24).collect::<String>());
        Ok(Group { library, name, ports: free_ports(parameters.nodes)?, options: parameters.provider_options.clone() })
    }

    /// The settings of the node at `place` that joins those at `peers`; without peers it begins the cluster.
    pub(super) fn settings(&self, place: usize, peers: &[usize], sizing: &Sizing) -> Vec<Line> {
        let line = |name, value: &str, why| Line { name, value: value.to_owned(), why };
        let ports = self.ports[place];
        let peers: Vec<String> = peers.iter().map(|peer| format!("127.0.0.1:{}", self.ports[*peer].group)).collect();
        let mut options = format!(
            "base_port={group};gmcast.listen_addr=tcp://127.0.0.1:{group};ist.recv_addr=127.0.0.1:{};gcache.size={}",
            ports.transfer,
            replication_cache_bytes(sizing),
            group = ports.group,
        );
        if let Some(asked) = &self.options {
            // Of two values the last counts.
            options.push_str(&format!(";{asked}"));
        }
        vec![
            line("wsrep_on", "on", "every commit is certified by all nodes"),
            line("wsrep_provider", &self.library.to_string_lossy(), "the library of replication"),
            line("wsrep_provider_options", &options, "this host only; failure detection has its defaults"),
            line("wsrep_cluster_name", &self.name, "nobody else knows it"),
            line("wsrep_cluster_address", &format!("gcomm://{}", peers.join(",")), "the nodes that were there before"),
            line("wsrep_node_name", &format!("node{}", place + 1), "as dbdyno calls it"),
            line("wsrep_node_address", "127.0.0.1", "this host only"),
            line("wsrep_sst_method", TRANSFER, "all nodes begin with the same data; no full transfer is made"),
            line("binlog_format", "row", "what can be certified"),
            line("innodb_autoinc_lock_mode", "2", "what replication needs"),
        ]
    }
}

/// The library itself, or the directory that it lies in, was asked for by its name.
fn find_library(asked: Option<&Path>, places: &[&str]) -> Result<PathBuf> {
    let candidates: Vec<PathBuf> = match asked {
        Some(path) => vec![path.to_owned()],
        None => places.iter().map(|place| Path::new(place).join(LIBRARY)).collect(),
    };
    candidates.iter().find(|path| path.is_file()).cloned().ok_or_else(|| {
        let looked = asked.map_or_else(|| places.join(", "), |path| path.display().to_string());
        let message = format!("no library of replication {LIBRARY} in {looked}");
        Error::new(Kind::Missing, message)
            .hint("install it (Debian, Ubuntu: apt-get install galera-4), or give wsrep_provider=FILE, or nodes=1")
    })
}

/// Two ports for each node that nobody listens on now. All are held until the last is found.
fn free_ports(nodes: usize) -> Result<Vec<Ports>> {
    let listen = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let port = |listener: &TcpListener| listener.local_addr().map(|address| address.port());
    let found = || -> std::io::Result<Vec<Ports>> {
        let held: Vec<TcpListener> = (0..2 * nodes).map(|_| listen()).collect::<std::io::Result<_>>()?;
        held.chunks_exact(2).map(|pair| Ok(Ports { group: port(&pair[0])?, transfer: port(&pair[1])? })).collect()
    };
    found().map_err(|error| {
        let message = format!("no {} ports are free on 127.0.0.1 for {nodes} nodes: {error}", 2 * nodes);
        Error::new(Kind::Unreachable, message).hint("ask for fewer nodes")
    })
}

/// Lets a cluster begin with `data`: whichever of its nodes ended last, these data are all that was kept.
///
/// # Errors
/// `Space` where something cannot be written.
pub(super) fn let_begin(data: &Path, identity: &Identity) -> Result<()> {
    for name in MEMORIES {
        match std::fs::remove_file(data.join(name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::of_path("remove", &data.join(name), &error));
            }
            _ => {}
        }
    }
    match std::fs::read_to_string(data.join(STATE_FILE)) {
        Ok(text) => identity.replace(&data.join(STATE_FILE), &may_begin(&text)),
        // They were never replicated.
        Err(_) => Ok(()),
    }
}

fn may_begin(text: &str) -> String {
    text.replace("safe_to_bootstrap: 0", "safe_to_bootstrap: 1")
}

/// Where the data of a node that was ended in order stand in the replication.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Position(String);

impl Position {
    /// Reads it among `data`.
    ///
    /// # Errors
    /// `Unreachable` where there is none.
    pub(super) fn of(data: &Path) -> Result<Position> {
        let path = data.join(STATE_FILE);
        let text = std::fs::read_to_string(&path).map_err(|error| Error::of_path("read", &path, &error))?;
        position(&text).ok_or_else(|| {
            Error::new(Kind::Unreachable, format!("{} gives no position in the replication", path.display()))
                .hint("see the log of the server")
        })
    }

    /// The script that a node calls when it joins, and the one that lets it join: the first has all data already, and
    /// the second gives it what came since.
    pub(super) fn script(&self) -> String {
        format!(
            "#!/bin/sh\n# written by dbdyno: all nodes were made of the same data\nrole= position= short=\n\
             while [ $# -gt 0 ]; do\n  case \"$1\" in\n    --role) role=$2; shift ;;\n    --gtid) position=$2; shift ;;\n    \
             --bypass) short=-short ;;\n  esac\n  shift\ndone\ncase \"$role$short\" in\n  \
             joiner) echo 'ready 127.0.0.1'; echo '{}' ;;\n  donor-short) echo \"done $position\" ;;\n  \
             *) echo 'dbdyno transfers no data between nodes' >&2; exit 95 ;;\nesac\n",
            self.0
        )
    }

    /// Name of the script's file.
    pub(super) fn script_name() -> String {
        format!("wsrep_sst_{TRANSFER}")
    }
}

/// `uuid:seqno` of the text of a state file; none where the server was not ended in order.
fn position(text: &str) -> Option<Position> {
    let value = |wanted: &str| {
        let mut lines = text.lines().filter_map(|line| line.split_once(':'));
        lines.find_map(|(name, value)| (name == wanted).then_some(value.trim()))
    };
    let (uuid, sequence) = (value("uuid")?, value("seqno")?);
    let is_uuid = uuid.len() == 36 && uuid.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    (is_uuid && sequence.parse::<u64>().is_ok()).then(|| Position(format!("{uuid}:{sequence}")))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use engine::Machine;
    use proptest::prelude::*;

    use super::*;

    const STATE: &str = "# GALERA saved state\nversion: 2.1\nuuid:    0498d5b5-e5f7-11f1-9e38-962cdb4ceb14\n\
                         seqno:   17\nsafe_to_bootstrap: 0\n";

    #[test]
    fn a_position_is_that_of_a_node_that_was_ended_in_order() {
        let data = tempfile::tempdir().expect("temporary directory");
        std::fs::write(data.path().join(STATE_FILE), STATE).expect("write");
        assert_eq!(Position::of(data.path()).expect("position").0, "0498d5b5-e5f7-11f1-9e38-962cdb4ceb14:17");
        for text in ["", &STATE.replace("17", "-1"), &STATE.replace("0498d5b5-", "")] {
            std::fs::write(data.path().join(STATE_FILE), text).expect("write");
            assert_eq!(Position::of(data.path()).expect_err(text).kind, Kind::Unreachable);
        }
        assert_eq!(may_begin(STATE), STATE.replace("p: 0", "p: 1"));
    }

    #[test]
    fn the_script_joins_with_what_is_there_and_gives_no_data_away() {
        let directory = tempfile::tempdir().expect("temporary directory");
        let script = directory.path().join(Position::script_name());
        std::fs::write(&script, position(STATE).expect("position").script()).expect("write");
        let run = |arguments: &[&str]| {
            let output = Command::new("sh").arg(&script).args(arguments).output().expect("sh");
            (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
        };
        let joined = "ready 127.0.0.1\n0498d5b5-e5f7-11f1-9e38-962cdb4ceb14:17\n".to_owned();
        assert_eq!(run(&["--role", "joiner", "--datadir", "/--bypass"]), (Some(0), joined));
        assert_eq!(
            run(&["--role", "donor", "--gtid", "a:3", "--bypass", "--mysqld-args"]),
            (Some(0), "done a:3\n".into())
        );
        assert_eq!(run(&["--role", "donor", "--gtid", "a:3"]), (Some(95), String::new()));
        assert_eq!(run(&[]), (Some(95), String::new()));
    }

    #[test]
    fn ports_differ_and_nodes_name_those_before_them() {
        let ports = free_ports(16).expect("ports");
        let mut all: Vec<u16> = ports.iter().flat_map(|ports| [ports.group, ports.transfer]).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 32);
        let group = Group { library: "/l".into(), name: "n".into(), ports, options: Some("evs.version=1".into()) };
        let sizing = Sizing { machine: Machine::here(Path::new("/tmp")), cache_bytes: None, sessions_max: 1, nodes: 3 };
        let value = |lines: &[Line], name: &str| lines.iter().find(|line| line.name == name).expect(name).value.clone();
        let first = group.settings(1, &[], &sizing);
        assert_eq!(value(&first, "wsrep_cluster_address"), "gcomm://");
        assert!(value(&first, "wsrep_provider_options").ends_with(";evs.version=1"));
        let last = group.settings(0, &[1, 2], &sizing);
        let (one, two) = (group.ports[1].group, group.ports[2].group);
        assert_eq!(value(&last, "wsrep_cluster_address"), format!("gcomm://127.0.0.1:{one},127.0.0.1:{two}"));
        assert_eq!(value(&last, "wsrep_node_name"), "node1");
    }

    #[test]
    fn a_library_that_is_absent_is_named_with_its_package() {
        let error = find_library(None, &["/nonexistent", "/neither"]).expect_err("nothing there");
        assert_eq!(error.kind, Kind::Missing);
        assert!(error.message.contains("/nonexistent, /neither"), "{error}");
        assert!(error.hint.expect("hint").contains("galera-4"));
        assert!(find_library(Some(Path::new("/no.so")), &["/"]).expect_err("not there").message.contains("/no.so"));
    }

    proptest! {
        #[test]
        fn no_state_file_is_too_strange(text in "[\\PC\n:]*") {
            let _ = position(&text);
        }
    }
}
