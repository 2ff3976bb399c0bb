//! A run that is followed live says so.

use std::fs;
use std::io::Write;
use std::time::Duration;

use serde_json::json;

use super::{Server, archive};
use crate::bench::Bench;

/// Longer than it takes until a sign shows who has come.
const SHOWN: Duration = Duration::from_millis(1500);

fn viewers(bench: &Bench, name: &str) -> Vec<serde_json::Value> {
    let record = bench.record(&format!("records/{name}.jsonl"));
    record["runs"].as_array().unwrap().iter().map(|run| run["live_viewers"].clone()).collect()
}

fn run(bench: &Bench, name: &str) -> String {
    let record = format!("records/{name}.jsonl");
    bench.succeed(&["run", "--preset", "smoke", "--tests", "C11", "--jobs", "1", "--record", &record, "--no-html"]).err
}

#[test]
fn a_run_that_is_followed_live_says_so_and_others_do_not() {
    let bench = archive();
    let server = Server::start(&bench, &[]);
    let told = run(&bench, "unseen");
    assert!(!told.contains("follow"), "a server alone takes nothing: {told}");
    assert!(viewers(&bench, "unseen").iter().all(serde_json::Value::is_null));
    let mut stream = server.connect();
    stream.write_all(format!("GET /live/events HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).as_bytes()).unwrap();
    std::thread::sleep(SHOWN);
    let told = run(&bench, "seen");
    assert!(told.contains("1 viewer follows this record live"), "{told}");
    let seen = viewers(&bench, "seen");
    assert!(!seen.is_empty() && seen.iter().all(|viewers| *viewers == json!(1)), "{seen:?}");
    let page = bench.succeed(&["report", "records/seen.jsonl", "--format", "markdown"]).out;
    assert!(page.contains("followed live"), "{page}");
    // Beside another directory nobody is disturbed.
    bench.succeed(&["run", "--preset", "smoke", "--tests", "C11", "--jobs", "1", "--record", "elsewhere.jsonl", "-q"]);
    let elsewhere = bench.record("elsewhere.jsonl");
    assert!(elsewhere["runs"].as_array().unwrap().iter().all(|run| run["live_viewers"].is_null()));
}

#[test]
fn the_sign_of_a_server_goes_with_it_and_one_that_was_killed_is_seen_as_such() {
    let bench = archive();
    let signs = || {
        let entries = fs::read_dir(bench.path().join("records")).unwrap().map(|entry| entry.unwrap().file_name());
        entries.filter(|name| name.to_string_lossy().starts_with(".dbdyno-serve-")).count()
    };
    let server = Server::start(&bench, &[]);
    assert_eq!(signs(), 1);
    server.interrupt();
    assert_eq!(signs(), 0, "it is taken down");
    let server = Server::start(&bench, &[]);
    let mut stream = server.connect();
    stream.write_all(format!("GET /live/events HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).as_bytes()).unwrap();
    std::thread::sleep(SHOWN);
    drop(server);
    assert_eq!(signs(), 1, "a killed server leaves it");
    let told = run(&bench, "after");
    assert!(!told.contains("follow") && viewers(&bench, "after").iter().all(serde_json::Value::is_null), "{told}");
    let _server = Server::start(&bench, &[]);
    assert_eq!(signs(), 1, "the next server removes it");
}
