//! `dbdyno size`: a load held against records, published and planned platforms; and a live server that is watched while a
//! known load is put on it.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::bench::{Bench, finished};
use crate::mariadb_server::MariadbServer;
use crate::monitored::Server;

/// The record of the documentation: SQLite on two processors.
fn sample() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/samples/quick.jsonl").display().to_string()
}

/// A load of 24 hours, with its peak at 14 o'clock.
fn load(bench: &Bench, name: &str, scale: f64) {
    let interval = |hour: i64| {
        let busy = if hour == 14 { 2.0 } else { 1.0 } * scale;
        let amount = |average: f64| json!({ "average": average * busy });
        json!({
            "source": 0, "instance": 0, "started_at_ms": 1_790_000_000_000i64 / 86_400_000 * 86_400_000 + hour * 3_600_000,
            "seconds": 3600.0,
            "amounts": {
                "physical_reads_per_second": amount(1_000.0),
                "physical_writes_per_second": amount(200.0),
                "commits_per_second": amount(300.0),
                "active_sessions": amount(2.0),
                "database_processor_seconds_per_second": amount(0.5),
                "host_busy_share": { "average": 0.1 },
            },
        })
    };
    let profile = json!({
        "format": "dbdyno load profile", "version": 1,
        "sources": [{ "form": "awr", "scope": "database", "engine": "oracle", "version": "19.0.0.0.0",
            "zone": { "offset_minutes": 0 }, "files": 24, "database_name": "SECRET" }],
        "instances": [{ "number": 1, "host_name": "SECRET", "hardware_threads": 2 }],
        "intervals": (0..24).map(interval).collect::<Vec<Value>>(),
        "absent": [{ "source": 0, "quantity": "sessions", "elsewhere": { "section": { "heading": "Load Profile" } } }],
    });
    fs::write(bench.path().join(name), profile.to_string()).unwrap();
}

fn json_of(bench: &Bench, arguments: &[&str]) -> Value {
    let output = bench.succeed(&[&["size"], arguments, &["--format", "json"]].concat());
    serde_json::from_str(&output.out).unwrap()
}

fn resource<'a>(platform: &'a Value, name: &str) -> &'a Value {
    let resources = platform["resources"].as_array().unwrap();
    resources.iter().find(|one| one["resource"] == name).unwrap_or_else(|| panic!("no {name} in {platform:#}"))
}

#[test]
fn a_load_is_held_against_what_a_record_showed() {
    let bench = Bench::new();
    load(&bench, "load.json", 1.0);
    let sample = sample();
    let found = json_of(&bench, &["load.json", "--on", &sample, "--from", &sample]);
    let platform = &found["platforms"][0];
    // 12,596 transactions in two seconds of T311, and 69,195 reads in one of S22.
    let commits = resource(platform, "commits_per_second");
    assert_eq!(commits["by"], "T311 J1");
    assert!((commits["share"].as_f64().unwrap() - 600.0 / 6_298.0).abs() < 1e-3, "{commits}");
    let reads = resource(platform, "random_reads_per_second");
    assert!((reads["share"].as_f64().unwrap() - 2_000.0 / 69_195.0).abs() < 1e-3, "{reads}");
    // The same sheet on both sides: one of two hardware threads at the peak.
    let processors = resource(platform, "processors_threads");
    assert!((processors["share"].as_f64().unwrap() - 0.5).abs() < 1e-9, "{processors}");
    assert_eq!(platform["first_to_be_full"], "processors_threads");
    assert!((platform["multiple"].as_f64().unwrap() - 2.0).abs() < 1e-9);
    let text = bench.succeed(&["size", "load.json", "--on", &sample, "--from", &sample]).out;
    let flowing = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "needs 50 % of the processors",
        "First to be full: processors, at 2.00 times today's peak; at that point p99 of a commit is at most 276 µs (T311)",
        "Valid within what was measured; beyond it nothing is known.",
        "Random writes: 400.0/s are needed; the platform was not measured for it (dbdyno run --tests S22,S23).",
        "The load does not tell: ",
        "Sessions: they stand in section \"Load Profile\", which is missing.",
    ] {
        assert!(flowing.contains(words), "{words}\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn processors_without_an_old_sheet_are_unknown_and_growth_is_told_in_years() {
    let bench = Bench::new();
    load(&bench, "load.json", 1.0);
    let found = json_of(&bench, &["load.json", "--on", &sample(), "--growth", "100%/y", "--years", "2"]);
    let platform = &found["platforms"][0];
    let unknown = platform["unknown"].as_array().unwrap();
    assert!(unknown.iter().any(|one| one["resource"] == "processors_threads" && one["reason"] == "no_old_sheet"));
    let commits = resource(platform, "commits_per_second");
    assert!((commits["share"].as_f64().unwrap() - 4.0 * 600.0 / 6_298.0).abs() < 1e-3, "{commits}");
    let (multiple, years) = (platform["multiple"].as_f64().unwrap(), platform["years"].as_f64().unwrap());
    assert!((years - multiple.log2()).abs() < 1e-9);
}

#[test]
fn several_platforms_stand_side_by_side_on_a_terminal_a_page_and_in_markdown() {
    let bench = Bench::new();
    load(&bench, "load.json", 1.0);
    fs::write(
        bench.path().join("planned.toml"),
        "[[drive]]\nread_iops = '1k'\nwrite_iops = '1k'\n[commit]\nflush = '1ms'\n",
    )
    .unwrap();
    let sample = sample();
    let on = ["size", "load.json", "--on", &sample, "--on", "planned.toml", "--on", "hp-dl980"];
    let output = bench.run(&on);
    assert_eq!(output.code, 0, "{}", output.err);
    for words in ["side by side", "planned.toml: does not fit", "hp-dl980-violin-vma3205", "first to be full"] {
        assert!(output.out.split_whitespace().collect::<Vec<_>>().join(" ").contains(words), "{words}\n{}", output.out);
    }
    bench.succeed(&[&on[..], &["--html", "sizing.html"]].concat());
    let page = fs::read_to_string(bench.path().join("sizing.html")).unwrap();
    assert!(page.contains("by hour of the day") && page.contains("<svg"), "charts of the hours");
    let markdown = bench.succeed(&[&on[..], &["--format", "markdown"]].concat()).out;
    assert!(markdown.contains("| random reads |") || markdown.contains("random reads"), "{markdown}");
}

#[test]
fn what_is_given_away_has_no_names_unless_asked() {
    let bench = Bench::new();
    load(&bench, "load.json", 1.0);
    bench.succeed(&["size", "load.json", "--save", "away.json"]);
    bench.succeed(&["size", "load.json", "--save", "named.json", "--names"]);
    let text = |name: &str| fs::read_to_string(bench.path().join(name)).unwrap();
    assert!(!text("away.json").contains("SECRET") && text("named.json").contains("SECRET"));
    assert_eq!(json_of(&bench, &["away.json"])["load"]["demands"], json_of(&bench, &["load.json"])["load"]["demands"]);
    // The same file twice is one history.
    let twice = json_of(&bench, &["load.json", "away.json"]);
    assert_eq!(twice["load"]["intervals"], 24);
}

#[test]
fn files_of_others_are_told_by_their_content_and_held_against_a_record() {
    let bench = Bench::new();
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../history/tests/history/files");
    let file = |name: &str| files.join(name).display().to_string();
    let found = json_of(&bench, &[&file("awr-19c.txt"), "--on", &sample(), "--save", "awr.json"]);
    assert!(found["load"]["intervals"].as_u64().unwrap() >= 1, "{found:#}");
    assert!(resource(&found["platforms"][0], "commits_per_second")["share"].as_f64().unwrap() > 0.0);
    // What was saved is the same load.
    assert_eq!(json_of(&bench, &["awr.json"])["load"]["demands"], found["load"]["demands"]);
    for name in ["awr-19c-comma.html", "awr-miner.out", "awr-rac-12c.txt", "statspack-11g.txt"] {
        bench.succeed(&["size", &file(name), "--on", &sample()]);
    }
    assert!(bench.succeed(&["size", "queries", "postgres"]).out.contains("pg_stat_database"));
}

#[test]
fn mistakes_are_refused_with_a_hint() {
    let bench = Bench::new();
    load(&bench, "load.json", 1.0);
    fs::write(bench.path().join("other.json"), "{}").unwrap();
    let sample = sample();
    for (arguments, words) in [
        (&["size", "watch", "sqlite"][..], "has no counters to watch"),
        (&["size", "watch", "postgres://me@a,b/shop"], "names 2 nodes"),
        (&["size", "watch", "postgres://me@localhost/shop", "--save", "other.json"], "is not a load profile"),
        (&["size", "other.json"], "other.json"),
        (&["size", "queries", "sqlite"], "known: postgres, mariadb, mysql"),
        (&["size", "missing.json"], "missing.json cannot be read"),
        (&["size", "load.json", "--on", "nobody"], "neither a file nor a published system"),
        (&["size", "load.json", "--on", &sample, "--growth", "lots", "--years", "2"], "is not a growth"),
        (&["size", "load.json", "--on", &sample, "--growth", "30%/y"], "--years"),
        (&["size", "load.json", "--on", &sample, "--prices", "a,b"], "2 price books for 1 platforms"),
        (&["size", "load.json", "--on", &sample, "--from", "hp-dl980"], "no valid run of a test of processors"),
    ] {
        let output = bench.run(arguments);
        assert!(output.code != 0 && output.err.contains(words), "{arguments:?}: {}", output.err);
    }
}

/// The profile that a watch of so many seconds writes while `work` goes on.
fn watched<T>(bench: &Bench, target: &str, seconds: u32, name: &str, work: impl FnOnce() -> T) -> (Value, T) {
    let length = format!("{seconds}s");
    let child = bench.start(&["size", "watch", target, "--for", &length, "--every", "1s", "--save", name]);
    thread::sleep(Duration::from_millis(1_500));
    let done = work();
    let output = finished(child.wait_with_output().unwrap());
    assert_eq!(output.code, 0, "{}{}", output.out, output.err);
    assert!(output.out.contains("cost:"), "{}", output.out);
    (serde_json::from_str(&fs::read_to_string(bench.path().join(name)).unwrap()).unwrap(), done)
}

fn intervals(profile: &Value) -> impl Iterator<Item = &Value> {
    profile["intervals"].as_array().unwrap().iter().filter(|interval| interval["source"] == 0)
}

/// What there was of a quantity in all intervals of the database.
fn total(profile: &Value, quantity: &str) -> f64 {
    let of = |interval: &Value| interval["amounts"][quantity]["average"].as_f64().unwrap() * seconds(interval);
    intervals(profile).map(of).sum()
}

fn seconds(interval: &Value) -> f64 {
    interval["seconds"].as_f64().unwrap()
}

/// Milliseconds since 1970 of the time of day in a timestamp of a record, on the day of `near_ms`.
fn moment_ms(stamp: &str, near_ms: f64) -> f64 {
    let time: Vec<f64> = stamp[11..23].split(':').map(|part| part.parse().unwrap()).collect();
    let of_day = (time[0] * 3_600.0 + time[1] * 60.0 + time[2]) * 1e3;
    let day = (near_ms / 86_400_000.0).floor() * 86_400_000.0;
    [day - 86_400_000.0, day, day + 86_400_000.0]
        .map(|day| day + of_day)
        .into_iter()
        .min_by(|one, other| (one - near_ms).abs().total_cmp(&(other - near_ms).abs()))
        .unwrap()
}

/// A session of PostgreSQL publishes its counters at most once a second: what is read when a load begins lags by that.
const PUBLISHED_MS: f64 = 1_500.0;

/// Puts 200 commits per second on `target` while it is watched, and holds what was watched against the record.
/// Counters of sessions may lag by `lag_seconds` at either end of what is compared; that no commit is lost is held by the totals of whole
/// watches.
fn hold_against_record(bench: &Bench, target: &str, lag_seconds: f64, counters: &[(&str, &str)]) {
    let run = [
        "run",
        "--target",
        target,
        "--preset",
        "smoke",
        "--tests",
        "T311",
        "--jobs",
        "2",
        "--rate",
        "200",
        "--arrival",
        "fixed",
        "--seconds",
        "9",
        "--no-html",
        "--record",
        "run.jsonl",
    ];
    let (profile, ()) = watched(bench, target, 19, "rates.json", || {
        bench.succeed(&run);
    });
    let record = bench.record("run.jsonl");
    let run = crate::bench::runs(&record, "T311")[0];
    let first_ms = intervals(&profile).next().unwrap()["started_at_ms"].as_f64().unwrap();
    let began_ms = moment_ms(run["started_at"].as_str().unwrap(), first_ms);
    let window = run["window_ns"].as_f64().unwrap() / 1e9;
    let within: Vec<&Value> = intervals(&profile)
        .filter(|interval| {
            let start = interval["started_at_ms"].as_f64().unwrap();
            start >= began_ms + PUBLISHED_MS && start + seconds(interval) * 1e3 <= began_ms + window * 1e3
        })
        .collect();
    assert!(within.len() >= 3, "{} intervals lie within the run", within.len());
    let all_seconds: f64 = within.iter().map(|interval| seconds(interval)).sum();
    let average = |quantity: &str| {
        let of = |interval: &&Value| interval["amounts"][quantity]["average"].as_f64().unwrap() * seconds(interval);
        within.iter().map(of).sum::<f64>() / all_seconds
    };
    let close = |found: f64, known: f64, of: &str| {
        let lag = if of == "log_bytes_per_second" { 0.0 } else { lag_seconds / all_seconds };
        assert!((found / known - 1.0).abs() < 0.05 + lag, "{of}: {found} watched, {known} put on");
    };
    close(average("commits_per_second"), 200.0, "commits");
    for (counter, quantity) in counters {
        let growth = crate::bench::growth(run, counter).unwrap_or_else(|| panic!("no {counter}")) as f64;
        close(average(quantity), growth / window, quantity);
    }
}

#[test]
fn a_known_load_on_postgres_is_what_is_watched() {
    let bench = Bench::new();
    let server = Server::start(&bench);
    // Autovacuum commits transactions of its own.
    server.ask("alter system set autovacuum = off");
    server.ask("select pg_reload_conf()");
    server.ask("create table known (number int)");
    let commits = |count: u32, name: &str| {
        let work = format!(
            "do $$ begin for number in 1..{count} loop insert into known values (number); commit; end loop; end $$"
        );
        let (profile, _) = watched(&bench, &server.target(), 5, name, || server.ask(&work));
        total(&profile, "commits_per_second")
    };
    let (few, many) = (commits(100, "few.json"), commits(400, "many.json"));
    assert_eq!((many - few).round(), 300.0, "{few} and {many}");
    assert!((few - many + 300.0).abs() < 1e-6 && (100.0..=103.0).contains(&few), "with login and end: {few}");
    hold_against_record(
        &bench,
        &server.target(),
        1.0,
        &[("redo_write_bytes", "log_bytes_per_second"), ("logical_read_count", "logical_reads_per_second")],
    );
    let sizing = json_of(&bench, &["rates.json", "--on", "run.jsonl"]);
    let share = resource(&sizing["platforms"][0], "commits_per_second")["share"].as_f64().unwrap();
    assert!(share > 0.0 && share.is_finite());
}

#[test]
fn a_known_load_on_mariadb_is_what_is_watched() {
    let bench = Bench::new();
    let server = MariadbServer::start(&bench);
    server.ask("create database known; create table known.rows (number int)");
    let commits = |count: u32, name: &str| {
        let work = "insert into known.rows values (1);\n".repeat(count as usize);
        let (profile, _) = watched(&bench, &server.target("known"), 5, name, || server.ask(&work));
        total(&profile, "commits_per_second").round()
    };
    assert_eq!((commits(100, "few.json"), commits(400, "many.json")), (100.0, 400.0));
    server.ask("create database bench");
    hold_against_record(&bench, &server.target("bench"), 0.0, &[("redo_write_bytes", "log_bytes_per_second")]);
}

#[test]
fn an_interrupted_watch_keeps_what_it_has() {
    let bench = Bench::new();
    let server = Server::start(&bench);
    // PostgreSQL publishes the counters of a session once a second: at that distance an interval may have what the watch did
    // itself in the one before.
    let child =
        bench.start(&["size", "watch", &server.target(), "--for", "1h", "--every", "2s", "--save", "kept.json"]);
    thread::sleep(Duration::from_millis(7_000));
    crate::aborted::signal(child.id(), "INT");
    let output = finished(child.wait_with_output().unwrap());
    assert_eq!(output.code, 0, "{}", output.err);
    let profile: Value = serde_json::from_str(&fs::read_to_string(bench.path().join("kept.json")).unwrap()).unwrap();
    assert!(intervals(&profile).count() >= 2);
    assert!(profile["sources"][0].get("database_name").is_none(), "no names unless asked");
    let doubts = json_of(&bench, &["kept.json"])["load"]["doubts"].to_string();
    assert!(doubts.contains("idle"), "nothing was done on it: {doubts}");
}
