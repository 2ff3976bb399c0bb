//! `dbdyno monitor` while what is below a database, or another node of it, is in trouble.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::aborted::signal;
use crate::bench::Bench;
use crate::cmd_monitor::{PATIENT, month, now_ms};
use crate::far_server::program;
use crate::fleet_hosts::{is_root, system, wait_until, write};
use crate::local_server::{command_line, servers};
use crate::mariadb_server::MariadbServer;
use crate::monitored::{Monitor, Server, events, get};

/// Options of a monitor that is quick.
const QUICK: [&str; 8] = ["--slo", "slo.toml", "--every", "250ms", "--timeout", "250ms", "--cpu", "100%"];

/// How many events of `operation` in the history since `since_ms` became `outcome`.
fn count(bench: &Bench, since_ms: i64, operation: &str, outcome: &str) -> usize {
    let seen = events(bench, "dbdyno-monitor.db", since_ms);
    seen.iter().filter(|event| event.1 == operation && event.2 == outcome).count()
}

/// A control group with a limit of requests per second to the device below a directory; it goes with this value.
struct Throttled(PathBuf);

impl Throttled {
    fn new(directory: &Path, per_second: u32) -> Throttled {
        let number = directory.metadata().unwrap().dev();
        let device = format!("{}:{}", rustix::fs::major(number), rustix::fs::minor(number));
        let name = format!("dbdyno-test-{}", std::process::id());
        // The old tree of this controller, or the one tree for all.
        let (tree, limits) = match Path::new("/sys/fs/cgroup/blkio").is_dir() {
            true => {
                let files = ["read", "write"].map(|way| format!("blkio.throttle.{way}_iops_device"));
                ("/sys/fs/cgroup/blkio", files.map(|file| (file, format!("{device} {per_second}"))).to_vec())
            }
            false => {
                fs::write("/sys/fs/cgroup/cgroup.subtree_control", "+io").expect("the controller of I/O");
                let limit = format!("{device} riops={per_second} wiops={per_second}");
                ("/sys/fs/cgroup", vec![("io.max".to_owned(), limit)])
            }
        };
        let group = Throttled(Path::new(tree).join(name));
        fs::create_dir(&group.0).unwrap();
        for (file, limit) in limits {
            fs::write(group.0.join(file), limit).unwrap();
        }
        group
    }

    fn add(&self, pid: u32) {
        fs::write(self.0.join("cgroup.procs"), pid.to_string()).unwrap();
    }
}

impl Drop for Throttled {
    fn drop(&mut self) {
        let processes = fs::read_to_string(self.0.join("cgroup.procs")).unwrap_or_default();
        let root = self.0.parent().unwrap().join("cgroup.procs");
        processes.lines().for_each(|pid| drop(fs::write(&root, pid)));
        let _ = fs::remove_dir(&self.0);
    }
}

#[test]
fn a_device_that_is_slow_is_told_beside_the_database_that_reads_from_memory() {
    if !is_root() {
        return;
    }
    let bench = Bench::on_disk();
    let of_storage = "[storage-read]\nthreshold = \"100ms\"\n[storage-sync]\nthreshold = \"100ms\"\n";
    write(&bench, "slo.toml", &format!("[read]\nthreshold = \"5s\"\n[commit]\nthreshold = \"100ms\"\n{of_storage}"));
    let server = Server::start_with(&bench, &["fsync=on"]);
    let target = server.target();
    let storage = format!("storage:{}", bench.path().display());
    let patient = ["--slo", "slo.toml", "--every", "1s", "--timeout", "400ms", "--cpu", "100%", "--drop"];
    let mut monitor = Monitor::start(&bench, &[&[&*target, &*storage][..], &patient].concat());
    wait_until("nothing is good", || {
        ["read", "commit", "storage-read", "storage-sync"]
            .iter()
            .all(|operation| count(&bench, 0, operation, "good") > 1)
    });
    let group = Throttled::new(bench.path(), 5);
    server.processes().into_iter().chain([monitor.child.id()]).for_each(|pid| group.add(pid));
    let throttled = now_ms();
    monitor.wait_for_all(&["PAGE: commit down", "PAGE: storage-read down", "PAGE: storage-sync down"]);
    let reads = events(&bench, "dbdyno-monitor.db", throttled).into_iter().filter(|event| event.1 == "read");
    let reads: Vec<String> = reads.map(|event| event.2).collect();
    assert!(reads.iter().filter(|outcome| *outcome == "good").count() > reads.len() / 2, "{reads:?}");
    drop(group);
    monitor.wait_for_all(&["over: commit down", "over: storage-read down", "over: storage-sync down"]);
    let lines = monitor.end();
    assert!(!lines.iter().any(|line| line.contains("PAGE: read down")), "{lines:#?}");
    assert!(!bench.path().join("dbdyno-monitor.blocks").exists(), "it was removed");
    let report = bench.succeed(&["monitor", "report", "--month", &month()]).out;
    assert!(report.contains("BROKEN: storage-read"), "{report}");
    assert!(report.contains("reads kept their promise meanwhile"), "{report}");
}

#[test]
fn a_full_disk_stops_no_probe_and_loses_what_did_not_fit() {
    let bench = Bench::new();
    let small = bench.path().join("small");
    fs::create_dir(&small).unwrap();
    let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"]).arg(&small).output();
    if !mount.is_ok_and(|output| output.status.success()) {
        // Only root can mount; as root this test must not be skipped.
        assert!(!is_root(), "a small file system could not be mounted");
        return;
    }
    let mounted = Mounted(small.clone());
    write(&bench, "slo.toml", PATIENT);
    let more = ["--data", "small/h.db", "--listen", "127.0.0.1:0"];
    let mut monitor = Monitor::start(&bench, &[&["sqlite"][..], &more, &QUICK].concat());
    let line = monitor.wait_for("metrics at http://");
    let address = line.strip_prefix("metrics at http://").unwrap().strip_suffix("/metrics").unwrap().to_owned();
    let statements = || {
        let text = get(&address, "/metrics");
        let line = text.lines().find(|line| line.starts_with("dbdyno_probe_cost_statements_total")).unwrap().to_owned();
        line.rsplit(' ').next().unwrap().parse::<f64>().unwrap()
    };
    let kept = |since| events(&bench, "small/h.db", since).len();
    wait_until("nothing is kept", || kept(0) >= 6);
    let mut fill = fs::File::create(small.join("fill")).unwrap();
    while std::io::Write::write_all(&mut fill, &[0; 4096]).is_ok() {}
    let full = now_ms();
    monitor.wait_for_note("h.db");
    let before = statements();
    wait_until("probing stopped", || statements() >= before + 3.0 * 42.0);
    drop(fill);
    fs::remove_file(small.join("fill")).unwrap();
    let freed = now_ms();
    assert!(freed > full);
    wait_until("nothing is kept any more", || kept(freed) >= 6);
    monitor.end();
    drop(mounted);
}

/// A file system that goes with this value.
struct Mounted(PathBuf);

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_replica_that_falls_behind_and_a_failover_are_told_as_what_they_are() {
    let bench = Bench::new();
    write(&bench, "slo.toml", &format!("{PATIENT}[lag]\nthreshold = \"400ms\"\n"));
    let mut monitor = Monitor::start(&bench, &[&["local:postgres?replicas=2"][..], &QUICK].concat());
    wait_until("no replica is good", || {
        count(&bench, 0, "lag", "good") >= 6 && count(&bench, 0, "commit", "good") >= 3
    });
    let of = |words: &str| {
        let is_it = |pid: &u32| command_line(*pid).contains(words) && command_line(*pid).contains("-D");
        servers(&bench).into_iter().find(is_it).unwrap_or_else(|| panic!("no process {words}"))
    };
    let replica = of("replica1");
    // What replays the log.
    let children = fs::read_to_string(format!("/proc/{replica}/task/{replica}/children")).unwrap();
    let children = children.split_whitespace().map(|pid| pid.parse().unwrap());
    let replaying = children.into_iter().find(|pid| command_line(*pid).contains("startup")).expect("it replays");
    signal(replaying, "STOP");
    let line = monitor.wait_for("PAGE: lag down");
    assert!(line.contains("replica 1: "), "{line}");
    signal(replaying, "CONT");
    monitor.wait_for("over: lag down");
    assert!(
        !monitor.seen.iter().any(|line| line.contains("PAGE") && !line.contains("lag down")),
        "{:#?}",
        monitor.seen
    );
    // The primary is lost, and a replica takes its place.
    let killed = now_ms();
    let is_primary = |pid: &u32| command_line(*pid).contains("-D") && !command_line(*pid).contains("replica");
    let primary = servers(&bench).into_iter().find(is_primary).expect("a primary");
    signal(primary, "KILL");
    // Of the nodes, and once of the cluster.
    monitor.wait_for_all(&[
        "PAGE: commit down",
        "PAGE: read down",
        "PAGE: writer down: no node takes writes: 3 in a row",
    ]);
    let of_cluster = |line: &&String| line.contains("local:postgres?replicas=2: ");
    let told: Vec<&String> = monitor.seen.iter().filter(of_cluster).collect();
    assert!(
        told.iter().any(|line| line.contains("no node takes writes: ") && line.contains("replica 2 only reads")),
        "{told:#?}"
    );
    assert!(
        monitor.seen.iter().any(|line| line.contains("lag is not known: no node that takes writes shows")),
        "{:#?}",
        monitor.seen
    );
    promote(replica);
    let line = monitor.wait_for("it takes writes now");
    assert!(line.contains("replica 1: "), "{line}");
    wait_until("no commit is good again", || count(&bench, killed, "commit", "good") >= 3);
    monitor.wait_for("over: writer down");
    let down = events(&bench, "dbdyno-monitor.db", killed).into_iter().filter(|event| event.1 == "writer");
    assert!(down.filter(|event| event.2 == "failed").count() >= 3, "a look at the cluster has a place in the history");
    monitor.end();
}

#[test]
fn a_replica_alone_reads_and_says_that_its_lag_is_not_known() {
    let bench = Bench::new();
    write(&bench, "slo.toml", PATIENT);
    // The servers of another monitor, which makes the table.
    let whole = Bench::new();
    write(&whole, "slo.toml", PATIENT);
    let cluster = Monitor::start(&whole, &[&["local:postgres?replicas=1"][..], &QUICK].concat());
    wait_until("no replica is good", || count(&whole, 0, "lag", "good") >= 3);
    let is_replica = |pid: &u32| command_line(*pid).contains("replica1") && command_line(*pid).contains("-D");
    let replica = servers(&whole).into_iter().find(is_replica).expect("a replica");
    let target = target_of(replica);
    let mut monitor = Monitor::start(&bench, &[&[&*target][..], &QUICK].concat());
    let line = monitor.wait_for("lag is not known: ");
    assert!(
        line.contains("the node that it follows is not watched beside it; name both in one target: db1,db2"),
        "{line}"
    );
    wait_until("it does not read", || count(&bench, 0, "read", "good") >= 3);
    assert!(count(&bench, 0, "lag", "not known") >= 1 && count(&bench, 0, "lag", "good") == 0);
    assert_eq!(count(&bench, 0, "writer", "failed"), 0, "one node is no cluster");
    let lines = monitor.end();
    assert!(!lines.iter().any(|line| line.contains("PAGE") || line.contains("TICKET")), "{lines:#?}");
    let report = bench.succeed(&["monitor", "report", "--month", &month()]).out;
    assert!(report.contains("lag"), "{report}");
    cluster.end();
}

#[test]
fn a_server_that_refuses_writes_after_a_failover_keeps_its_reads() {
    let bench = Bench::new();
    write(&bench, "slo.toml", PATIENT);
    let server = MariadbServer::start(&bench);
    // Root would write nevertheless.
    server.ask(
        "create database shop; create user bench identified by ''; grant all on *.* to bench; \
                revoke super, read only admin on *.* from bench",
    );
    let target = server.target("shop").replace("root@", "bench@");
    let mut monitor = Monitor::start(&bench, &[&[&*target][..], &QUICK].concat());
    wait_until("nothing is good", || count(&bench, 0, "commit", "good") >= 3);
    let demoted = now_ms();
    server.ask("set global read_only = on");
    monitor.wait_for("commit is refused: ");
    let line = monitor.wait_for("PAGE: commit down");
    assert!(line.contains("failed"), "{line}");
    server.ask("set global read_only = off");
    let promoted = now_ms();
    monitor.wait_for("over: commit down");
    let reads = events(&bench, "dbdyno-monitor.db", demoted).into_iter().filter(|event| event.1 == "read");
    let reads: Vec<_> = reads.filter(|event| event.0 < promoted).collect();
    assert!(reads.len() >= 3 && reads.iter().all(|event| event.2 == "good"), "{reads:?}");
    let lines = monitor.end();
    assert!(!lines.iter().any(|line| line.contains("PAGE: read")), "{lines:#?}");
}

/// The directory of the data of the server `pid`.
fn data_of(pid: u32) -> String {
    let command_line = command_line(pid);
    command_line.split('\0').skip_while(|word| *word != "-D").nth(1).expect("its directory").to_owned()
}

/// The target of the server `pid`, over its socket.
fn target_of(pid: u32) -> String {
    let text = fs::read_to_string(format!("{}/postmaster.pid", data_of(pid))).unwrap();
    let [port, socket] = [3, 4].map(|line| text.lines().nth(line).expect("a line").to_owned());
    format!("postgres://dbdyno@{}:{port}/postgres", socket.replace('/', "%2F"))
}

/// Has the server `pid` take writes.
fn promote(pid: u32) {
    let data = data_of(pid);
    let as_user: &[&str] = if is_root() { &["runuser", "-u", "postgres", "--"] } else { &["env"] };
    let pg_ctl = program("pg_ctl");
    let words = [as_user, &[&pg_ctl, "promote", "-D", &data]].concat();
    system(words[0], &words[1..]);
}

#[test]
fn the_lock_is_taken_again_after_a_restart_and_updates_touch_no_index() {
    let bench = Bench::new();
    write(&bench, "slo.toml", PATIENT);
    let mut server = Server::start(&bench);
    let target = server.target();
    let mut monitor = Monitor::start(&bench, &[&[&*target][..], &QUICK].concat());
    wait_until("nothing is good", || count(&bench, 0, "commit", "good") >= 40);
    let hot = "select (100 * n_tup_hot_upd / n_tup_upd)::int from pg_stat_all_tables where relname = 'monitor'";
    wait_until("nothing is counted", || {
        server.ask(&hot.replace("(100 * n_tup_hot_upd / n_tup_upd)::int", "n_tup_upd")) != "0"
    });
    assert!(server.ask(hot).parse::<u32>().unwrap() >= 95, "updates touch an index");
    let size = server.ask("select pg_relation_size('dbdyno.monitor')");
    server.restart();
    let lock = "select count(*) from pg_locks where locktype = 'advisory'";
    wait_until("the lock is not taken again", || server.ask(lock) == "1");
    monitor.wait_for("is answered again");
    let refused = bench.run(&[&["monitor", &*target, "--data", "second.db"][..], &QUICK].concat());
    assert!(refused.code == 1 && refused.err.contains("in use by another dbdyno"), "{}", refused.err);
    monitor.end();
    assert_eq!(server.ask("select pg_relation_size('dbdyno.monitor')"), size, "it grows");
}

#[test]
fn prometheus_scrapes_a_monitor_and_evaluates_its_rules() {
    let bench = Bench::new();
    write(&bench, "slo.toml", PATIENT);
    let mut monitor = Monitor::start(&bench, &[&["sqlite", "--listen", "127.0.0.1:0"][..], &QUICK].concat());
    let line = monitor.wait_for("metrics at http://");
    let address = line.strip_prefix("metrics at http://").unwrap().strip_suffix("/metrics").unwrap().to_owned();
    write(&bench, "rules.yml", &bench.succeed(&["monitor", "rules", "--slo", "slo.toml"]).out);
    let scrape = format!("scrape_configs: [{{job_name: dbdyno, static_configs: [{{targets: [\"{address}\"]}}]}}]\n");
    let times = "global: {scrape_interval: 500ms, scrape_timeout: 500ms, evaluation_interval: 500ms}\nrule_files: [rules.yml]\n";
    write(&bench, "prometheus.yml", &format!("{times}{scrape}"));
    let prometheus = Prometheus::start(&bench);
    let value = |query: &str| {
        let answer = prometheus.ask(&format!("/api/v1/query?query={query}"));
        answer["data"]["result"][0]["value"][1].as_str().map(|value| value.parse::<f64>().unwrap())
    };
    let good = |operation: &str| value(&format!("dbdyno_probe_good_total%7Boperation=%22{operation}%22%7D"));
    wait_until("nothing is scraped", || good("read") >= Some(6.0));
    let kept = count(&bench, 0, "read", "good") as f64;
    assert!(good("read") <= Some(kept + 2.0), "more than there were");
    // Each bucket holds those below it, and the edge at the threshold, 5 s, all of them.
    let bucket = "dbdyno_probe_duration_seconds_bucket%7Boperation=%22read%22,le=%225.0%22%7D";
    assert!(value(bucket) >= Some(6.0), "no edge at the threshold");
    let rules =
        || prometheus.ask("/api/v1/rules")["data"]["groups"][0]["rules"].as_array().cloned().unwrap_or_default();
    let is_quiet = |rule: &Value| rule["health"] == "ok" && rule["state"] == "inactive";
    // Before the first scrape the monitor is absent.
    wait_until("a rule does not work, or fires", || rules().len() == 8 && rules().iter().all(is_quiet));
    monitor.end();
    let firing = || {
        let alerts = prometheus.ask("/api/v1/alerts");
        let alerts = alerts["data"]["alerts"].as_array().cloned().unwrap_or_default();
        alerts.iter().any(|alert| alert["labels"]["alertname"] == "DbdynoAbsent")
    };
    wait_until("nobody notices that the monitor is gone", firing);
}

/// A Prometheus that runs.
struct Prometheus {
    child: Child,
    address: String,
}

impl Prometheus {
    fn start(bench: &Bench) -> Prometheus {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let address = format!("127.0.0.1:{port}");
        let mut command = Command::new("prometheus");
        command.args(["--config.file=prometheus.yml", "--storage.tsdb.path=tsdb", "--log.level=error"]);
        command.arg(format!("--web.listen-address={address}")).current_dir(bench.path()).stdin(Stdio::null());
        let child = command.spawn().expect("prometheus\nhint: run ./test.sh once, it installs it");
        wait_until("Prometheus does not answer", || std::net::TcpStream::connect(&address).is_ok());
        Prometheus { child, address }
    }

    fn ask(&self, path: &str) -> Value {
        let output =
            Command::new("curl").args(["-s", &format!("http://{}{path}", self.address)]).output().expect("curl");
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
