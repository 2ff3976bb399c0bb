//! Rates, think times, and the search for the highest rate that meets a service level.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::aborted::{signal, wait_for_runs};
use crate::bench::{Bench, finished, runs};
use crate::local_server::wait_for_server;

const SQLITE: [&str; 7] = ["run", "--preset", "smoke", "--tests", "T611", "--record", "r.json"];

/// The latest of the files called `name` below `directory`.
fn found(directory: &Path, name: &str) -> Option<PathBuf> {
    let entries = directory.read_dir().ok()?.flatten();
    entries.map(|entry| entry.path()).find_map(|path| match path.is_dir() {
        true => found(&path, name),
        false => path.ends_with(name).then_some(path),
    })
}

/// Another session on the server of `bench` that executes `sql`.
fn session(bench: &Bench, sql: &str) -> Child {
    let pid_file = found(bench.path(), "postmaster.pid").expect("a server that runs");
    let socket = std::fs::read_to_string(pid_file).unwrap().lines().nth(4).expect("a socket directory").to_owned();
    let versions = Path::new("/usr/lib/postgresql").read_dir().map_or(Vec::new(), |all| all.flatten().collect());
    let installed = versions.into_iter().map(|version| version.path().join("bin/psql")).find(|psql| psql.exists());
    Command::new(installed.unwrap_or_else(|| "psql".into()))
        .args(["-X", "-q", "-h", &socket, "-p", "5432", "-U", "dbdyno", "-d", "postgres"])
        .args(["-v", "ON_ERROR_STOP=1", "-c", sql])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("psql")
}

fn nanos(run: &Value, latency: &str, figure: &str) -> u64 {
    run[latency][figure].as_u64().unwrap()
}

fn steps_per_second(run: &Value) -> f64 {
    run["totals"]["steps"].as_f64().unwrap() / (run["window_ns"].as_f64().unwrap() / 1e9)
}

/// A statement of two milliseconds that waits for table locks and uses almost no CPU, so that foreign load does not
/// affect it.
const WAITING: &str = r#"
code = "T902"
layer = "server"
unit = "statement"
operations = 1
summary = "a row, two milliseconds later"
answers = "nothing"
not = "anything"
cost = "nothing"
limits = "none"
sweep = "jobs"
tables = ["small"]

[[statement]]
name = "read"
sql = "select value, pg_sleep(0.002) from small where id = 1"
expect = { rows = 1 }
"#;

#[test]
fn a_lock_of_half_a_second_shows_in_the_open_loop_and_the_page_explains_why_not_in_the_closed_one() {
    let bench = Bench::new();
    std::fs::write(bench.path().join("waiting.toml"), WAITING).unwrap();
    let arguments =
        ["run", "--target", "local:postgres", "--preset", "smoke", "--jobs", "4", "--tests", "waiting.toml"];
    let more = ["--trace", "none", "--seconds", "2.5", "--warm-up", "0.2", "--rate", "50%", "--record", "r.json"];
    let child = bench.start(&[&arguments[..], &more].concat());
    wait_for_server(&bench);
    wait_for_runs(&bench, "r.json", 1);
    // The second run has started; its window is open after the warm-up, for two seconds more.
    std::thread::sleep(Duration::from_millis(900));
    let start = Instant::now();
    let sql = "begin; lock table dbdyno.small in access exclusive mode; select pg_sleep(0.5); commit";
    assert!(session(&bench, sql).wait().unwrap().success());
    let held_at_most = start.elapsed().as_nanos() as u64;
    let output = finished(child.wait_with_output().unwrap());
    let record = bench.record("r.json");
    let runs = runs(&record, "T902");
    assert_eq!(runs.len(), 2, "{}\n{}", output.out, output.err);
    let (closed, open) = (runs[0], runs[1]);
    assert_eq!((closed["variation"].is_null(), open["variation"]["kind"].as_str()), (true, Some("share_of_capacity")));
    let p99 = nanos(open, "response", "p99_ns");
    let ordinary = nanos(closed, "service", "p50_ns");
    assert!(p99 > 100 * ordinary, "response p99 {p99} ns, service p50 of the closed loop {ordinary} ns");
    // That of the first delayed step; a margin of 50 % allows for foreign load.
    assert!(p99 < held_at_most * 3 / 2, "response p99 {p99} ns, the lock was held for at most {held_at_most} ns");
    let page = output.out.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(
        page.contains("because a waiting job issues no new steps; open loop at 50 % of that rate"),
        "{}",
        output.out
    );
}

#[test]
fn shares_of_the_capacity_follow_the_plain_run_that_tells_it() {
    let bench = Bench::new();
    let output = bench.succeed(&[&SQLITE[..], &["--jobs", "1,2", "--seconds", "0.5", "--rate", "20%,40%"]].concat());
    let record = bench.record("r.json");
    let all = runs(&record, "T611");
    assert_eq!(all.len(), 6);
    for of_degree in all.chunks(3) {
        let capacity = steps_per_second(of_degree[0]);
        for (run, share) in of_degree[1..].iter().zip([0.2, 0.4]) {
            assert_eq!(run["variation"]["share"], share);
            let asked = run["pace"]["poisson"]["steps_per_second"].as_f64().unwrap();
            assert!((asked / (capacity * share) - 1.0).abs() < 1e-9, "{asked} of {capacity}");
        }
    }
    assert!(output.out.contains("Latency over rate"), "{}", output.out);
    assert!(output.err.contains("20 % of capacity"), "{}", output.err);
    bench.succeed(&["report", "r.json", "--html", "page.html"]);
    let page = std::fs::read_to_string(bench.path().join("page.html")).unwrap();
    assert!(page.contains("Latency over rate") && page.contains("response p99"));
}

#[test]
fn several_rates_and_think_times_are_runs_beside_the_plain_one() {
    let bench = Bench::new();
    let short = ["--jobs", "2", "--seconds", "0.3"];
    let dry = bench.succeed(&[&SQLITE[..], &short, &["--rate", "50,100,200", "--dry-run"]].concat());
    assert!(dry.out.contains("T611") && dry.out.contains("then at 2 jobs: 50.00 steps/s, Poisson"), "{}", dry.out);
    assert!(dry.out.contains("4 runs of"), "{}", dry.out);
    let output = bench.succeed(&[&SQLITE[..], &short, &["--think", "0,5ms,10ms"]].concat());
    let record = bench.record("r.json");
    let all = runs(&record, "T611");
    let thinks: Vec<Option<u64>> = all.iter().map(|run| run["pace"]["think_time"]["think_ns"].as_u64()).collect();
    assert_eq!(thinks, [None, Some(5_000_000), Some(10_000_000)]);
    for (run, think_ns) in all[1..].iter().zip([5_000_000, 10_000_000]) {
        let most = 2 * (run["window_ns"].as_u64().unwrap() / think_ns + 1);
        let steps = run["totals"]["steps"].as_u64().unwrap();
        assert!(steps > 0 && steps <= most, "{steps} steps, where two jobs that wait do {most}");
    }
    assert!(output.out.contains("Think time"), "{}", output.out);
    let whose = "processors used and CPU time: dbdyno and the engine";
    assert!(output.out.contains(whose), "{}", output.out);
    let mut untold = record.clone();
    for reading in untold["runs"][1]["readings"].as_array_mut().unwrap() {
        reading["values"].as_object_mut().unwrap().remove("client_cpu_ns");
    }
    bench.write_record("untold.json", &untold);
    let output = bench.succeed(&["report", "untold.json"]);
    let words = output.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&format!("{whose}; in run 2: the whole host")), "{words}");
}

#[test]
fn the_highest_rate_that_keeps_a_level_is_searched_for_and_every_run_is_recorded() {
    let bench = Bench::new();
    let level = ["--jobs", "2", "--seconds", "0.2", "--until", "p50=200ms"];
    let dry = bench.succeed(&[&SQLITE[..], &level, &["--dry-run"]].concat());
    assert!(dry.out.contains("duration    not known"), "{}", dry.out);
    let output = bench.succeed(&[&SQLITE[..], &level].concat());
    let record = bench.record("r.json");
    assert_eq!(record["plan"]["until"]["level"], "p50=200ms");
    let all = runs(&record, "T611");
    let planned = record["plan"]["runs"].as_array().unwrap();
    assert_eq!(all.len(), planned.len());
    for (run, planned) in all.iter().zip(planned) {
        assert_eq!((&run["number"], &run["variation"]), (&planned["number"], &planned["variation"]));
    }
    // Doubled from a quarter of the capacity until the level is missed or the end is reached.
    let capacity = steps_per_second(all[0]);
    let first = all[1]["pace"]["poisson"]["steps_per_second"].as_f64().unwrap();
    assert!((first * 4.0 / capacity - 1.0).abs() < 1e-9);
    assert!(all[1]["findings"].as_array().unwrap().iter().any(|finding| finding["evidence"].get("bound").is_some()));
    assert!(output.out.contains("Highest rate within the service level"), "{}", output.out);
    let page = output.out.split_whitespace().collect::<Vec<&str>>().join(" ");
    let doubt = ["95 % interval for a repeat", "no higher rate was measured", "miss p50=200ms"];
    assert!(page.contains("p50=200ms") && doubt.iter().any(|words| page.contains(words)), "{page}");
    let last = all.last().unwrap()["findings"].as_array().unwrap().last().unwrap();
    assert_eq!(last["evidence"]["bound"]["search"]["level"], "p50=200ms", "{last}");
}

#[test]
fn windows_of_a_search_are_as_long_as_its_quantile_needs_and_one_that_would_take_too_long_is_refused() {
    let bench = Bench::new();
    let level = ["--jobs", "1", "--seconds", "0.1", "--until", "p99.9=1us"];
    let output = bench.succeed(&[&SQLITE[..], &level].concat());
    assert!(output.err.contains("so that ten values lie beyond p99.9"), "{}", output.err);
    let record = bench.record("r.json");
    for run in &runs(&record, "T611")[1..] {
        let rate = run["pace"]["poisson"]["steps_per_second"].as_f64().unwrap();
        let needed = (10_000.0 / rate).clamp(0.1, 60.0);
        let window = run["window_ns"].as_f64().unwrap() / 1e9;
        assert!(window >= needed * 0.999, "{window} s at {rate} steps/s");
    }
    let output =
        Bench::new().run(&[&SQLITE[..], &["--jobs", "1", "--seconds", "0.1", "--until", "p99.9999999=1s"]].concat());
    assert_eq!(output.code, 2, "{}", output.err);
    assert!(output.err.contains("to have ten values beyond it"), "{}", output.err);
}

#[test]
fn a_search_that_was_aborted_goes_on_with_what_it_had_measured() {
    let bench = Bench::new();
    let level = ["--jobs", "1", "--seconds", "0.3", "--until", "p50=200ms"];
    let child = bench.start(&[&SQLITE[..], &level].concat());
    wait_for_runs(&bench, "r.json", 3);
    signal(child.id(), "INT");
    assert_eq!(finished(child.wait_with_output().unwrap()).code, 130);
    let before = bench.record("r.json")["runs"].clone();
    let before = before.as_array().unwrap();
    bench.succeed(&["run", "--resume", "r.json"]);
    let record = bench.record("r.json");
    assert_eq!(record["status"], "finished");
    let after = record["runs"].as_array().unwrap();
    assert!(before.len() >= 3 && after.len() > before.len());
    assert_eq!(&after[..before.len()], before.as_slice(), "nothing was measured again");
    let numbers: Vec<&Value> = after.iter().map(|run| &run["number"]).collect();
    let planned: Vec<&Value> = record["plan"]["runs"].as_array().unwrap().iter().map(|run| &run["number"]).collect();
    assert_eq!(numbers, planned);
}

#[test]
fn what_cannot_be_asked_of_a_load_is_refused() {
    let bench = Bench::new();
    let refused = |arguments: &[&str], words: &str| {
        let output = bench.run(&[&SQLITE[..], arguments].concat());
        assert_eq!(output.code, 2, "{}\n{}", output.out, output.err);
        assert!(output.err.contains(words), "{}", output.err);
    };
    refused(&["--rate", "50,fast"], "rate fast is not a number of steps per second");
    refused(&["--rate", "500%"], "rate 500% is not");
    refused(&["--until", "p99=soon"], "service level \"p99=soon\"");
    refused(&["--until", "p99=soon"], "\nhint: write it as p99=1ms");
    refused(&["--until", "p99=1ms", "--rate", "50"], "--rate");
    refused(&["--poisson"], "--rate");
    let only_probes = ["run", "--preset", "smoke", "--tests", "C11", "--until", "p99=1ms", "--record", "p.json"];
    let output = bench.run(&only_probes);
    assert_eq!(output.code, 2, "{}", output.err);
    assert!(output.err.contains("there is no test for a rate search"), "{}", output.err);
    assert!(bench.files().is_empty(), "{:?}", bench.files());
}

#[test]
fn a_machine_with_one_hardware_thread_per_core_compares_nothing() {
    let bench = Bench::new();
    let text = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let shared = (0..64).any(|cpu| {
        let list = text(&format!("/sys/devices/system/cpu/cpu{cpu}/topology/core_cpus_list"));
        list.contains([',', '-'])
    });
    let arguments = [&SQLITE[..], &["--jobs", "1", "--smt", "both"]].concat();
    match shared {
        false => {
            for word in ["both", "off"] {
                let output = bench.run(&[&SQLITE[..], &["--jobs", "1", "--smt", word]].concat());
                assert_eq!(output.code, 2, "{}", output.err);
                assert!(output.err.contains(&format!("smt {word}: each core")), "{}", output.err);
            }
        }
        true => {
            bench.succeed(&arguments);
            let record = bench.record("r.json");
            assert_eq!(runs(&record, "T611")[1]["variation"]["one_thread_per_core"], true);
            bench.succeed(&[&SQLITE[..], &["--jobs", "1", "--smt", "off", "--record", "off.json"]].concat());
            assert_eq!(bench.record("off.json")["plan"]["one_thread_per_core"], true);
        }
    }
}
