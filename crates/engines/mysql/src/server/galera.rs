//! A Galera cluster on this host: several nodes, each with a full copy of the data, all accepting writes.
//!
//! The data are created once. A first start assigns their position (GTID); then they are copied for every node, so that
//! a joining node lacks only the later membership changes, which it gets by an incremental state transfer (IST). A full
//! state transfer (SST) never happens: dbdyno's SST script refuses it, so that a node that has missed too much exits
//! instead of being rebuilt during a run.
//!
//! Sources: MariaDB "Galera Cluster System Variables"; Galera Cluster documentation, "Galera Parameters" and
//! "Scriptable State Snapshot Transfers". Failure detection uses the defaults of Galera: a node without response for 5
//! s is suspected (`evs.suspect_timeout`), and no commit is certified until the others have agreed on that.

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};

use engine::{Error, Kind, Result};
use server::{ConfigLine, Identity, Sizing};

use super::parameter::Parameters;
use super::settings::replication_cache_bytes;

/// Installation directories of the replication library.
const LIBRARY_DIRECTORIES: &[&str] =
    &["/usr/lib/galera", "/usr/lib64/galera-4", "/usr/lib/galera-4", "/usr/lib64/galera", "/usr/local/lib/galera"];

const LIBRARY: &str = "libgalera_smm.so";

/// The SST method, and the name of its script after `wsrep_sst_`.
const TRANSFER: &str = "dbdyno";

/// The file with the position of a node, in its data directory.
const STATE_FILE: &str = "grastate.dat";

/// Cached state of an earlier cluster; invalid for a cluster made of copies.
const CACHE_FILES: [&str; 2] = ["galera.cache", "gvwstate.dat"];

/// Common properties of all nodes, and the ports of each.
#[derive(Clone, Debug)]
pub(super) struct Group {
    library: PathBuf,
    /// The cluster name; a node with another name cannot join.
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
    /// For the number of nodes in `parameters`.
    pub(super) fn of(parameters: &Parameters) -> Result<Group> {
        let library = find_library(parameters.provider.as_deref(), LIBRARY_DIRECTORIES)?;
        let random = std::fs::read_to_string("/proc/sys/kernel/random/uuid").unwrap_or_default();
        // At most 32 characters.
        let name =
            format!("dbdyno-{}", random.trim().chars().filter(|letter| *letter != '-').take(24).collect::<String>());
        Ok(Group { library, name, ports: free_ports(parameters.nodes)?, options: parameters.provider_options.clone() })
    }

    /// The settings of node `index`, which joins the nodes `peers`; without peers it bootstraps the cluster.
    pub(super) fn settings(&self, index: usize, peers: &[usize], sizing: &Sizing) -> Vec<ConfigLine> {
        let line = |name, value: &str, why| ConfigLine { name, value: value.to_owned(), why };
        let ports = self.ports[index];
        let peers: Vec<String> = peers.iter().map(|peer| format!("127.0.0.1:{}", self.ports[*peer].group)).collect();
        let mut options = format!(
            "base_port={group};gmcast.listen_addr=tcp://127.0.0.1:{group};ist.recv_addr=127.0.0.1:{};gcache.size={}",
            ports.transfer,
            replication_cache_bytes(sizing),
            group = ports.group,
        );
        if let Some(requested) = &self.options {
            // The last of two values wins.
            options.push_str(&format!(";{requested}"));
        }
        vec![
            line("wsrep_on", "on", "every commit is certified by all nodes"),
            line("wsrep_provider", &self.library.to_string_lossy(), "the replication library"),
            line("wsrep_provider_options", &options, "this host only; default failure detection"),
            line("wsrep_cluster_name", &self.name, "unique"),
            line("wsrep_cluster_address", &format!("gcomm://{}", peers.join(",")), "the nodes that started earlier"),
            line("wsrep_node_name", &format!("node{}", index + 1), "its name in reports"),
            line("wsrep_node_address", "127.0.0.1", "this host only"),
            line("wsrep_sst_method", TRANSFER, "all nodes start with the same data; no full transfer"),
            line("binlog_format", "row", "required for certification"),
            line("innodb_autoinc_lock_mode", "2", "required by Galera"),
        ]
    }
}

/// The `requested` library, or the first one found in `directories`.
fn find_library(requested: Option<&Path>, directories: &[&str]) -> Result<PathBuf> {
    let candidates: Vec<PathBuf> = match requested {
        Some(path) => vec![path.to_owned()],
        None => directories.iter().map(|directory| Path::new(directory).join(LIBRARY)).collect(),
    };
    candidates.iter().find(|path| path.is_file()).cloned().ok_or_else(|| {
        let searched = requested.map_or_else(|| directories.join(", "), |path| path.display().to_string());
        let message = format!("no replication library {LIBRARY} in {searched}");
        Error::new(Kind::Missing, message)
            .hint("install it (Debian, Ubuntu: apt-get install galera-4), or give wsrep_provider=FILE, or nodes=1")
    })
}

/// Two free ports per node. All are kept open until the last is found.
fn free_ports(nodes: usize) -> Result<Vec<Ports>> {
    let listen = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let port = |listener: &TcpListener| listener.local_addr().map(|address| address.port());
    let found = || -> std::io::Result<Vec<Ports>> {
        let held: Vec<TcpListener> = (0..2 * nodes).map(|_| listen()).collect::<std::io::Result<_>>()?;
        held.chunks_exact(2).map(|pair| Ok(Ports { group: port(&pair[0])?, transfer: port(&pair[1])? })).collect()
    };
    found().map_err(|error| {
        let message = format!("no {} ports are free on 127.0.0.1 for {nodes} nodes: {error}", 2 * nodes);
        Error::new(Kind::Unreachable, message).hint("use fewer nodes")
    })
}

/// Allows a cluster to bootstrap from `data`: only these data were kept, whichever node stopped last.
pub(super) fn allow_bootstrap(data: &Path, identity: &Identity) -> Result<()> {
    for name in CACHE_FILES {
        match std::fs::remove_file(data.join(name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::of_path("remove", &data.join(name), &error));
            }
            _ => {}
        }
    }
    match base::read_foreign_text(&data.join(STATE_FILE)) {
        Ok(text) => identity.replace(&data.join(STATE_FILE), &with_bootstrap_allowed(&text)),
        // They were never part of a cluster.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Error::of_path("read", &data.join(STATE_FILE), &error)),
    }
}

/// Makes a stopped server with `data` a node at `position` that may begin a cluster; what earlier members had cached is removed.
pub(super) fn set_position(data: &Path, identity: &Identity, position: &Position) -> Result<()> {
    allow_bootstrap(data, identity)?;
    identity.replace(&data.join(STATE_FILE), &position.state())
}

fn with_bootstrap_allowed(text: &str) -> String {
    text.replace("safe_to_bootstrap: 0", "safe_to_bootstrap: 1")
}

/// The position (GTID) of the data of a node that was shut down cleanly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Position(String);

impl Position {
    /// Reads it from `data`.
    pub(super) fn of(data: &Path) -> Result<Position> {
        let path = data.join(STATE_FILE);
        let text = base::read_foreign_text(&path).map_err(|error| Error::of_path("read", &path, &error))?;
        position(&text).ok_or_else(|| {
            Error::new(Kind::Unreachable, format!("{} has no replication position", path.display()))
                .hint("see the log of the server")
        })
    }

    /// That in what a server says which recovers.
    pub(super) fn recovered(said: &str) -> Option<Position> {
        let (_, position) = said.lines().rev().find_map(|line| line.split_once("WSREP: Recovered position: "))?;
        let (uuid, sequence) = position.trim().split_once(':')?;
        // Later versions add the position of other servers.
        let sequence = sequence.split(',').next()?;
        self::position(&format!("uuid: {uuid}\nseqno: {sequence}\n"))
    }

    /// How many changes of the cluster it includes.
    pub(super) fn sequence(&self) -> u64 {
        self.0.rsplit_once(':').and_then(|(_, sequence)| sequence.parse().ok()).unwrap_or(0)
    }

    /// The state file of a server that is there.
    fn state(&self) -> String {
        let (uuid, sequence) = self.0.rsplit_once(':').unwrap_or((&self.0, "-1"));
        format!("# GALERA saved state\nversion: 2.1\nuuid:    {uuid}\nseqno:   {sequence}\nsafe_to_bootstrap: 1\n")
    }

    /// The SST script of joiner and donor: the joiner has all data already, and the donor sends the later changes by
    /// IST.
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

    /// File name of the script.
    pub(super) fn script_name() -> String {
        format!("wsrep_sst_{TRANSFER}")
    }
}

/// `uuid:seqno` in the text of a state file; `None` if the server was not shut down cleanly.
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
    fn only_a_clean_shutdown_leaves_a_position() {
        let data = tempfile::tempdir().expect("temporary directory");
        std::fs::write(data.path().join(STATE_FILE), STATE).expect("write");
        assert_eq!(Position::of(data.path()).expect("position").0, "0498d5b5-e5f7-11f1-9e38-962cdb4ceb14:17");
        for text in ["", &STATE.replace("17", "-1"), &STATE.replace("0498d5b5-", "")] {
            std::fs::write(data.path().join(STATE_FILE), text).expect("write");
            assert_eq!(Position::of(data.path()).expect_err(text).kind, Kind::Unreachable);
        }
        assert_eq!(with_bootstrap_allowed(STATE), STATE.replace("p: 0", "p: 1"));
    }

    #[test]
    fn a_recovered_position_is_that_of_the_state_file() {
        let said = "2026-11-30 [Note] InnoDB: ready\n2026-11-30 [Note] WSREP: Recovered position: \
                    0498d5b5-e5f7-11f1-9e38-962cdb4ceb14:41,0-1-9\nmore\n";
        let found = Position::recovered(said).expect("a position");
        assert_eq!((found.sequence(), position(&found.state())), (41, Some(found)));
        for none in ["", "WSREP: Recovered position: 00000000-0000-0000-0000-000000000000:-1"] {
            assert_eq!(Position::recovered(none), None);
        }
    }

    #[test]
    fn the_script_joins_with_existing_data_and_refuses_a_full_transfer() {
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
    fn ports_are_unique_and_nodes_join_earlier_ones() {
        let ports = free_ports(16).expect("ports");
        let mut all: Vec<u16> = ports.iter().flat_map(|ports| [ports.group, ports.transfer]).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 32);
        let group = Group { library: "/l".into(), name: "n".into(), ports, options: Some("evs.version=1".into()) };
        let sizing = Sizing { machine: Machine::here(Path::new("/tmp")), cache_bytes: None, sessions_max: 1, nodes: 3 };
        let value =
            |lines: &[ConfigLine], name: &str| lines.iter().find(|line| line.name == name).expect(name).value.clone();
        let first = group.settings(1, &[], &sizing);
        assert_eq!(value(&first, "wsrep_cluster_address"), "gcomm://");
        assert!(value(&first, "wsrep_provider_options").ends_with(";evs.version=1"));
        let last = group.settings(0, &[1, 2], &sizing);
        let (one, two) = (group.ports[1].group, group.ports[2].group);
        assert_eq!(value(&last, "wsrep_cluster_address"), format!("gcomm://127.0.0.1:{one},127.0.0.1:{two}"));
        assert_eq!(value(&last, "wsrep_node_name"), "node1");
    }

    #[test]
    fn a_missing_library_is_named_with_its_package() {
        let error = find_library(None, &["/nonexistent", "/neither"]).expect_err("nothing there");
        assert_eq!(error.kind, Kind::Missing);
        assert!(error.message.contains("/nonexistent, /neither"), "{error}");
        assert!(error.hint.expect("hint").contains("galera-4"));
        assert!(find_library(Some(Path::new("/no.so")), &["/"]).expect_err("not there").message.contains("/no.so"));
    }

    proptest! {
        #[test]
        fn no_state_file_panics(text in "[\\PC\n:]*") {
            let _ = position(&text);
        }
    }
}
