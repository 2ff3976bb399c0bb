//! What is being measured, while it is.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::time::{Duration, Instant};

use super::{Server, archive};
use crate::bench::Bench;

/// The lines of the record of `name` without its end, as of one that is being written; and the last run of it.
fn unfinished(bench: &Bench, name: &str) -> (String, String) {
    let text = fs::read_to_string(bench.path().join(name)).unwrap();
    let mut lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("{\"end\"")).collect();
    let last = lines.iter().rposition(|line| line.starts_with("{\"run\"")).unwrap();
    let run = lines.remove(last).to_owned() + "\n";
    (lines.iter().map(|line| format!("{line}\n")).collect(), run)
}

fn subscribe(server: &Server) -> BufReader<std::net::TcpStream> {
    let mut stream = server.connect();
    stream.write_all(format!("GET /live/events HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).as_bytes()).unwrap();
    BufReader::new(stream)
}

/// The next line that begins so.
fn next(events: &mut BufReader<std::net::TcpStream>, begin: &str) -> String {
    let mut line = String::new();
    loop {
        line.clear();
        assert!(events.read_line(&mut line).unwrap() > 0, "the events have ended");
        if line.starts_with(begin) {
            return line;
        }
    }
}

#[test]
fn a_run_that_is_recorded_is_seen_within_seconds() {
    let bench = archive();
    let server = Server::start(&bench, &[]);
    assert!(server.page("/live").contains("Nothing is being measured"));
    let (begin, run) = unfinished(&bench, "records/dbdyno-new.jsonl");
    fs::write(bench.path().join("records/dbdyno-new.jsonl"), &begin).unwrap();
    std::thread::sleep(Duration::from_millis(2100));
    let asked = Instant::now();
    let page = server.page("/live");
    assert!(asked.elapsed() < Duration::from_secs(1), "{:?}", asked.elapsed());
    assert!(page.contains("dbdyno-new") && page.contains("3 of 4 runs"), "{page}");
    assert!(page.contains("connect-src"), "{page}");
    let mut events = subscribe(&server);
    let first = next(&mut events, "data: ");
    assert!(first.contains("3 of 4"), "{first}");
    let mut file = fs::OpenOptions::new().append(true).open(bench.path().join("records/dbdyno-new.jsonl")).unwrap();
    file.write_all(run.as_bytes()).unwrap();
    let begun = Instant::now();
    while !next(&mut events, "data: ").contains("4 of 4 runs") {
        assert!(begun.elapsed() < Duration::from_secs(20), "it is not seen");
    }
    // No plan is made beside it.
    assert!(server.page("/plan?target=sqlite").contains("no plan is made"));
}

#[test]
fn a_run_that_is_killed_while_it_is_watched_stays_as_far_as_it_came() {
    let bench = archive();
    let server = Server::start(&bench, &[]);
    let mut watching = subscribe(&server);
    let words = ["run", "--preset", "smoke", "--tests", "C11", "--jobs", "1,2", "--seconds", "5", "--no-html"];
    let mut run = bench.start(&[&words[..], &["--record", "records/dbdyno-killed.jsonl"]].concat());
    while !next(&mut watching, "data: ").contains("dbdyno-killed") {}
    run.kill().unwrap();
    run.wait().unwrap();
    // It goes on for those who watch, and for those who come.
    for target in ["/", "/live", "/api/v1/records"] {
        assert_eq!(server.get(target).status, 200, "{target}");
    }
    let killed = super::id(&server, "dbdyno-killed");
    let (begin, _) = unfinished(&bench, "records/dbdyno-other.jsonl");
    fs::write(bench.path().join("records/dbdyno-other.jsonl"), begin).unwrap();
    while !next(&mut watching, "data: ").contains("dbdyno-other") {}
    let page = server.get(&format!("/r/{killed}"));
    assert!([200, 422].contains(&page.status), "{}: {}", page.status, page.body);
}

#[test]
fn there_are_no_more_viewers_than_there_may_be() {
    let bench = archive();
    let server = Server::start(&bench, &[]);
    let mut viewers: Vec<_> = (0..16).map(|_| subscribe(&server)).collect();
    for viewer in &mut viewers {
        let status = next(viewer, "HTTP/1.1");
        assert!(status.contains("200"), "{status}");
    }
    let refused = server.get("/live/events");
    assert_eq!((refused.status, refused.field("retry-after")), (503, Some("60")));
    assert_eq!(server.get("/").status, 200);
    drop(viewers);
    let begun = Instant::now();
    loop {
        let status = next(&mut subscribe(&server), "HTTP/1.1");
        if status.contains("200") {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(40), "a place of a viewer that has gone is not free");
        std::thread::sleep(Duration::from_millis(500));
    }
}
