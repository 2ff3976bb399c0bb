//! `dbdyno monitor`: what is promised, what is seen while things go wrong, and what others read.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::aborted::signal;
use crate::bench::{Bench, finished};
use crate::fleet_hosts::{wait_until, write};
use crate::local_server::servers;
use crate::monitored::{Monitor, Server, events, get};

/// Thresholds that a machine at work keeps.
pub const PATIENT: &str = "[read]\nthreshold = \"5s\"\n[commit]\nthreshold = \"5s\"\n[scan]\nthreshold = \"5s\"\n";
/// Mean time between two bursts.
const PERIOD: Duration = Duration::from_millis(250);
/// Options of a monitor that is quick, for tests.
const QUICK: [&str; 8] = ["--slo", "slo.toml", "--every", "250ms", "--timeout", "200ms", "--cpu", "100%"];

pub fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as i64
}

pub fn month() -> String {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    now[..7].to_owned()
}

#[test]
fn what_is_promised_is_taken_from_a_record_and_reported_by_month() {
    let bench = Bench::on_disk();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/samples/quick.jsonl");
    let slo = "objective = \"50 %\"\n[read]\nthreshold = \"5s\"\n";
    write(&bench, "slo.toml", slo);
    let arguments =
        ["monitor", "sqlite", "--baseline", sample, "--slo", "slo.toml", "--every", "200ms", "--timeout", "200ms"];
    let output = bench.succeed(&[&arguments[..], &["--for", "2s", "--cpu", "100%"]].concat());
    for words in [
        "sqlite, promised from ",
        "read    50 % of bursts of 32 rows by primary key in 30 days, within 5.00 s",
        // 3 x 276 479 ns.
        "within 830 µs, and without an error (3 x p99 of T311 at one job, 0.276 ms)",
        "scans of 1000 rows in 30 days, without an error; no time is promised",
        "sqlite: cost ",
    ] {
        assert!(output.out.contains(words), "no {words} in\n{}", output.out);
    }
    let seen = events(&bench, "dbdyno-monitor.db", 0);
    assert!(seen.len() >= 3 * 8, "{seen:?}");
    let report = bench.succeed(&["monitor", "report", "--month", &month()]);
    for words in ["Promise of sqlite", "read", "kept", "Incidents"] {
        assert!(report.out.contains(words), "no {words} in\n{}", report.out);
    }
    bench.succeed(&["monitor", "report", "--month", &month(), "--html", "month.html"]);
    assert!(fs::read_to_string(bench.path().join("month.html")).unwrap().contains("Promise of sqlite"));
    let csv = bench.succeed(&["monitor", "report", "--month", &month(), "--format", "csv"]).out;
    assert_eq!(csv.lines().count(), 4, "{csv}");
    assert!(bench.run(&["monitor", "report", "--month", "2026-13"]).err.contains("month 2026-13 is not a month"));
    assert_eq!(bench.files().len(), 3, "history, page and objectives: {:?}", bench.files());
}

#[test]
fn what_promises_nothing_is_refused_with_a_hint() {
    let bench = Bench::new();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/samples/quick.jsonl");
    let mut other = serde_json::to_value(store::read(std::path::Path::new(sample)).unwrap()).unwrap();
    other["engine"]["title"] = Value::from("Another");
    bench.write_record("other.jsonl", &other);
    write(&bench, "slo.toml", "days = 31");
    for (arguments, code, words) in [
        (&["sqlite"][..], 2, "nothing is promised of sqlite"),
        (&["sqlite", "--baseline", "other.jsonl"], 2, "is of Another, and sqlite is SQLite"),
        (&["sqlite", "--slo", "slo.toml"], 2, "days 31 is not 28 or 30"),
        (&["sqlite", "sqlite", "--baseline", sample], 2, "target sqlite is given twice"),
        (&["storage:", "--baseline", sample], 2, "target storage: names no directory"),
        (
            &["storage:/dev/null", "--baseline", sample],
            2,
            "storage file /dev/null/dbdyno-monitor.blocks cannot be used",
        ),
        (&["sqlite", "--baseline", sample, "--otlp", "https://h:4318"], 2, "is encrypted"),
        (&["sqlite", "--baseline", sample, "--on-alert", "'"], 2, "alert command"),
        (&["sqlite", "--baseline", sample, "--every", "1s", "--timeout", "2s"], 2, "timeout 2000 ms is longer"),
        (&["sqlite", "--baseline", sample, "--data", "other.jsonl"], 1, "other.jsonl"),
        (&["unit", "postgres://me:secret@h/d", "--baseline", sample], 2, "which everybody may read"),
        (&["report", "--month", "2026-11"], 2, "is not a file"),
    ] {
        let output = bench.run(&[&["monitor"], arguments].concat());
        assert!(output.code == code && output.err.contains(words), "{arguments:?}: {} {}", output.code, output.err);
        assert!(output.err.contains("hint: ") && !output.err.contains("secret"), "{}", output.err);
    }
}

#[test]
fn a_server_that_stops_answering_is_down_within_three_periods_and_told_once() {
    let bench = Bench::new();
    write(&bench, "slo.toml", PATIENT);
    write(&bench, "told", "cat >> alerts; echo >> alerts");
    let server = Server::start(&bench);
    let target = server.target();
    let mut monitor = Monitor::start(&bench, &[&[&*target, "--on-alert", "sh told"][..], &QUICK].concat());
    let good = |bench: &Bench| events(bench, "dbdyno-monitor.db", 0).iter().filter(|event| event.2 == "good").count();
    wait_until("nothing is good", || good(&bench) >= 9);
    let stopped = now_ms();
    server.signal("STOP");
    let line = monitor.wait_for("PAGE: read down");
    let took = now_ms() - stopped;
    // The third start after the stop, at most a fifth of a period late, and the time to decide and to print.
    assert!(took < 4 * PERIOD.as_millis() as i64 + 500, "after {took} ms: {line}");
    std::thread::sleep(4 * PERIOD);
    let resumed = now_ms();
    server.signal("CONT");
    monitor.wait_for("over: read down");
    let seen: Vec<_> =
        events(&bench, "dbdyno-monitor.db", stopped).into_iter().filter(|event| event.0 < resumed).collect();
    assert!(seen.len() >= 3 * 6, "{seen:?}");
    let is_bad = |outcome: &str| ["timed out", "missed", "skipped", "failed"].contains(&outcome);
    assert!(seen.iter().all(|event| is_bad(&event.2)), "{seen:?}");
    monitor.end();
    let alerts = fs::read_to_string(bench.path().join("alerts")).unwrap();
    let alerts: Vec<Value> = alerts.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of_read = |state: &str| {
        let is_it = |alert: &&Value| alert["operation"] == "read" && alert["name"] == "down" && alert["state"] == state;
        alerts.iter().filter(is_it).count()
    };
    assert_eq!((of_read("firing"), of_read("resolved")), (1, 1), "{alerts:#?}");
    assert_eq!(alerts[0]["target"], target);
    // The table stays, and a second monitor goes on with it.
    assert_eq!(server.ask("select count(*) from dbdyno.monitor"), "1000");
    let more = [&["monitor", &*target, "--for", "1s", "--drop"][..], &QUICK].concat();
    let output = bench.succeed(&more);
    assert!(!output.out.contains("PAGE"), "{}", output.out);
    assert_eq!(server.ask("select to_regclass('dbdyno.monitor') is null"), "t", "it was dropped");
}

#[test]
fn a_monitor_that_is_stopped_or_killed_says_nothing_of_the_database() {
    let bench = Bench::new();
    write(&bench, "slo.toml", "[read]\nthreshold = \"150ms\"\n[commit]\nthreshold = \"150ms\"\n");
    let server = Server::start(&bench);
    let target = server.target();
    let monitor = Monitor::start(&bench, &[&[&*target][..], &QUICK].concat());
    wait_until("nothing is seen", || events(&bench, "dbdyno-monitor.db", 0).len() >= 9);
    signal(monitor.child.id(), "STOP");
    let stopped = now_ms();
    std::thread::sleep(6 * PERIOD);
    let resumed = now_ms();
    signal(monitor.child.id(), "CONT");
    let first = |bench: &Bench| events(bench, "dbdyno-monitor.db", stopped);
    wait_until("nothing is seen again", || first(&bench).iter().any(|event| event.0 > resumed + 500));
    let (margin, seen) = (PERIOD.as_millis() as i64 / 2, first(&bench));
    let meanwhile: Vec<_> =
        seen.iter().filter(|event| event.0 > stopped + margin && event.0 < resumed - margin).collect();
    assert!(meanwhile.len() >= 3 * 4, "{seen:?}");
    assert!(meanwhile.iter().all(|event| event.2 == "late"), "{seen:?}");
    let id = monitor.child.id();
    signal(id, "KILL");
    let killed = now_ms();
    drop(monitor);
    let last = events(&bench, "dbdyno-monitor.db", 0).last().map(|event| event.0).unwrap();
    assert!(killed - last < 2 * PERIOD.as_millis() as i64 + 200, "the last event is {} ms old", killed - last);
    // Its session is gone, and so is its lock; nothing was raised, and nothing is told.
    let lock = "select count(*) from pg_locks where locktype = 'advisory'";
    wait_until("the lock stays", || server.ask(lock) == "0");
    let monitor = Monitor::start(&bench, &[&[&*target][..], &QUICK].concat());
    wait_until("nothing is seen", || !events(&bench, "dbdyno-monitor.db", killed).is_empty());
    let refused = bench.run(&[&["monitor", &*target, "--data", "second.db"][..], &QUICK].concat());
    assert!(refused.code == 1 && refused.err.contains("in use by another dbdyno"), "{}", refused.err);
    let lines = monitor.end();
    assert!(!lines.iter().any(|line| line.contains("PAGE") || line.contains("TICKET")), "{lines:#?}");
}

#[test]
fn a_lock_on_its_table_makes_no_second_session_wait() {
    let bench = Bench::new();
    write(&bench, "slo.toml", PATIENT);
    let server = Server::start(&bench);
    let target = server.target();
    let mut monitor = Monitor::start(&bench, &[&[&*target, "--connect-every", "250ms"][..], &QUICK].concat());
    wait_until("nothing is good", || events(&bench, "dbdyno-monitor.db", 0).len() >= 9);
    let locked = now_ms();
    let mut holder = server.begin("begin; lock table dbdyno.monitor in access exclusive mode; select pg_sleep(3)");
    let waiting = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query like '%monitor%'";
    let most = (0..20).map(|_| server.ask(waiting).parse::<u32>().unwrap()).max().unwrap();
    assert!(most <= 1, "{most} sessions wait");
    monitor.wait_for("PAGE: commit down");
    holder.wait().unwrap();
    monitor.wait_for("over: commit down");
    let failed = events(&bench, "dbdyno-monitor.db", locked).iter().filter(|event| event.2 == "failed").count();
    assert!(failed >= 9, "the server ends what waits for a lock");
    monitor.end();
}

#[test]
fn a_scrape_runs_nothing_and_prometheus_reads_all_of_it() {
    let bench = Bench::new();
    write(&bench, "slo.toml", PATIENT);
    let server = Server::start(&bench);
    let target = server.target();
    let arguments = [&*target, "--slo", "slo.toml", "--every", "1h", "--listen", "127.0.0.1:0"];
    let mut monitor = Monitor::start(&bench, &arguments);
    let line = monitor.wait_for("metrics at http://");
    let address = line.strip_prefix("metrics at http://").unwrap().strip_suffix("/metrics").unwrap().to_owned();
    let value = |name: &str| {
        let text = get(&address, "/metrics");
        let line = text.lines().find(|line| line.starts_with(name)).map(str::to_owned);
        line.and_then(|line| line.rsplit(' ').next().map(|value| value.parse::<f64>().unwrap()))
    };
    wait_until("no burst", || value("dbdyno_probe_cost_statements_total") >= Some(43.0));
    let session = "select max(query_start), count(*) from pg_stat_activity where application_name = 'dbdyno monitor'";
    let statements = || (value("dbdyno_probe_cost_statements_total"), server.ask(session));
    let before = statements();
    let mut stream = std::net::TcpStream::connect(&address).unwrap();
    let mut answers = std::io::BufReader::new(stream.try_clone().unwrap());
    for _ in 0..10_000 {
        write!(stream, "GET /metrics HTTP/1.1\r\nHost: h\r\n\r\n").unwrap();
        let body = crate::monitored::read_answer(&mut answers);
        assert!(body.contains("dbdyno_probe_good_total"));
    }
    assert_eq!(statements(), before);
    let plain = get(&address, "/metrics");
    checked(&bench, &["check", "metrics"], &plain);
    monitor.end();
}

#[test]
fn prometheus_accepts_the_rules() {
    let bench = Bench::new();
    for slo in ["", "objective = \"99.99 %\"", "objective = \"50 %\""] {
        write(&bench, "slo.toml", slo);
        let rules = bench.succeed(&["monitor", "rules", "--slo", "slo.toml"]).out;
        let path = write(&bench, "rules.yml", &rules).display().to_string();
        checked(&bench, &["check", "rules", &path], "");
        let names =
            ["DbdynoFastBurn", "DbdynoSlowBurn", "DbdynoBudgetBurn", "DbdynoDown", "DbdynoDrift", "DbdynoAbsent"];
        assert!(names.iter().all(|name| rules.contains(&format!("alert: {name}"))), "{rules}");
    }
    assert!(bench.succeed(&["monitor", "slo"]).out.contains("apiVersion: openslo/v1"));
    assert!(bench.succeed(&["monitor", "slo", "--form", "sloth"]).out.contains("version: prometheus/v1"));
    let dashboard = bench.succeed(&["monitor", "dashboard"]).out;
    assert!(serde_json::from_str::<Value>(&dashboard).is_ok());
    let unit = bench.succeed(&["monitor", "unit", "sqlite", "--slo", "slo.toml"]).out;
    let slo = bench.path().canonicalize().unwrap().join("slo.toml");
    assert!(unit.contains(&format!("monitor sqlite --slo {}", slo.display())), "{unit}");
}

/// Has promtool read `text`, or the file among `arguments`.
fn checked(bench: &Bench, arguments: &[&str], text: &str) {
    let mut command = Command::new("promtool");
    command.args(arguments).current_dir(bench.path());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("promtool\nhint: run ./test.sh once, it installs the package prometheus");
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = finished(child.wait_with_output().unwrap());
    assert!(output.code == 0, "{arguments:?}: {} {}\n{text}", output.out, output.err);
}

#[test]
fn several_servers_are_watched_and_one_that_hangs_stalls_no_other() {
    let bench = Bench::on_disk();
    write(&bench, "slo.toml", PATIENT);
    let server = Server::start(&bench);
    let target = server.target();
    let mut monitor = Monitor::start(&bench, &[&[&*target, "local:mariadb"][..], &QUICK].concat());
    wait_until("nothing is seen", || events(&bench, "dbdyno-monitor.db", 0).len() >= 18);
    let [mariadb] = servers(&bench).into_iter().filter(|pid| is_mariadb(*pid)).collect::<Vec<u32>>()[..] else {
        panic!("no server of MariaDB in {:?}", servers(&bench))
    };
    let stopped = now_ms();
    signal(mariadb, "STOP");
    monitor.wait_for("local:mariadb: PAGE: read down");
    std::thread::sleep(4 * PERIOD);
    signal(mariadb, "CONT");
    monitor.wait_for("local:mariadb: over: read down");
    let good = events(&bench, "dbdyno-monitor.db", stopped).iter().filter(|event| event.2 == "good").count();
    assert!(good >= 3 * 5, "the other one goes on");
    let lines = monitor.end();
    assert!(!lines.iter().any(|line| line.contains("postgres") && line.contains("PAGE")), "{lines:#?}");
    assert!(!servers(&bench).into_iter().any(is_mariadb), "it was stopped");
}

fn is_mariadb(pid: u32) -> bool {
    fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|program| program.ends_with("mariadbd"))
}
