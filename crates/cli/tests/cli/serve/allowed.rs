//! Runs that readers start, where the server was started so.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use super::{Answer, Server, archive};
use crate::bench::{Bench, finished};

pub const TOKEN: &str = "0123456789abcdef0123456789abcdef";

const FORM: &str = "Content-Type: application/x-www-form-urlencoded";

/// Two targets, one of them with a password.
const TARGETS: &str = "[targets]\nhere = \"sqlite\"\ncrm = \"postgres://bench:s3cret@127.0.0.1:1/crm\"\n";

const LONG: &str = "target=here&preset=standard&tests=T611&jobs=1";

pub fn place() -> Bench {
    let bench = archive();
    for (name, text) in [("targets.toml", TARGETS), ("token", TOKEN)] {
        fs::write(bench.path().join(name), text).unwrap();
        fs::set_permissions(bench.path().join(name), fs::Permissions::from_mode(0o600)).unwrap();
    }
    bench
}

pub fn start(bench: &Bench) -> Server {
    Server::start(bench, &["--allow-run", "targets.toml", "--token-file", "token"])
}

pub fn get(server: &Server, target: &str) -> String {
    let answer = server.ask("GET", target, &[&format!("Authorization: Bearer {TOKEN}")], "");
    assert_eq!(answer.status, 200, "{target}: {}", answer.body);
    answer.body
}

pub fn post(server: &Server, target: &str, body: &str) -> Answer {
    let (token, origin) = (format!("Authorization: Bearer {TOKEN}"), format!("Origin: http://{}", server.address));
    server.ask("POST", target, &[&token, &origin, FORM], body)
}

/// Records of the directory beside the three that were there.
fn new_records(bench: &Bench) -> Vec<String> {
    let names = fs::read_dir(bench.path().join("records")).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    let old = ["dbdyno-old.jsonl", "dbdyno-new.jsonl", "dbdyno-other.jsonl"];
    names.filter(|name| name.ends_with(".jsonl") && !old.contains(&name.as_str())).collect()
}

fn wait(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Waits until the run of the server writes its record.
fn wait_for_record(bench: &Bench) -> String {
    wait("no record is written", || !new_records(bench).is_empty());
    format!("records/{}", new_records(bench)[0])
}

fn is_measured_directory_gone(bench: &Bench) -> bool {
    !bench.path().join("records/dbdyno-data").exists()
}

#[test]
fn a_listed_target_is_measured_one_at_a_time_and_can_be_cancelled() {
    let bench = place();
    let server = start(&bench);
    assert!(get(&server, "/live").contains("Plan a run"));
    let page = get(&server, "/plan?target=here&preset=smoke&tests=T611&jobs=1");
    assert!(page.contains("action=\"run\"") && page.contains("--target TARGET"), "{page}");
    let begun = post(&server, "/run", LONG);
    assert_eq!((begun.status, begun.field("location")), (303, Some("live")), "{}", begun.body);
    assert_eq!(post(&server, "/run", LONG).status, 409, "two at once");
    assert!(get(&server, "/live").contains("RUNNING"));
    let record = wait_for_record(&bench);
    assert_eq!(post(&server, "/cancel", "run=7").status, 422, "another run");
    assert_eq!(post(&server, "/cancel", "run=1").status, 303);
    wait("it is not cancelled", || get(&server, "/live").contains("ENDED WITHOUT SUCCESS"));
    assert_eq!(bench.record(&record)["status"], "interrupted");
    assert!(is_measured_directory_gone(&bench), "it has cleaned up");
    assert_eq!(post(&server, "/cancel", "run=1").status, 422, "it has ended");
    // The record of the next one has a name of its own second.
    fs::rename(bench.path().join(&record), bench.path().join("records/dbdyno-cancelled.jsonl")).unwrap();
    std::thread::sleep(Duration::from_millis(1100));
    let begun = post(&server, "/run", "target=here&preset=smoke&tests=C11&jobs=1");
    assert_eq!(begun.status, 303, "{}", begun.body);
    wait("it does not end", || get(&server, "/live").contains("FINISHED"));
    let names = new_records(&bench);
    assert_eq!(names.len(), 2, "{names:?}");
    let finished = names.iter().find(|name| *name != "dbdyno-cancelled.jsonl").unwrap();
    wait("it is not in the list", || get(&server, "/").contains(finished.trim_end_matches(".jsonl")));
}

#[test]
fn nothing_else_is_run() {
    let bench = place();
    let server = start(&bench);
    let (token, own) = (format!("Authorization: Bearer {TOKEN}"), format!("Origin: http://{}", server.address));
    let ask = |fields: &[&str], body: &str| server.ask("POST", "/run", fields, body).status;
    for (fields, status) in [
        (&[&*own, FORM][..], 401),
        (&[&own, FORM, "Authorization: Bearer wrong"], 401),
        (&[&token, FORM], 403),
        (&[&token, FORM, "Origin: http://evil.example"], 403),
        (&[&token, FORM, "Origin: null"], 403),
        (&[&token, FORM, &own, "Sec-Fetch-Site: cross-site"], 403),
        (&[&token, &own, "Content-Type: text/plain"], 415),
    ] {
        assert_eq!(ask(fields, LONG), status, "{fields:?}");
    }
    let forms = [
        ("target=sqlite", 422),
        ("target=", 422),
        ("target=postgres%3A%2F%2Fdb9%2Fx", 422),
        ("target=--dir%3D%2F", 422),
        ("target=here+--dir+%2F", 422),
        ("target=%40%2Fetc%2Fpasswd", 422),
        ("target=here&tests=--dir", 422),
        ("target=here&tests=%2Fetc%2Fpasswd", 422),
        ("target=here&tests=T611%2C--dir", 422),
        ("target=here&jobs=1+--dir+%2F", 422),
        ("target=here&jobs=--dir", 422),
        ("target=here&jobs=100000", 422),
        ("target=here&jobs=%24%28id%29", 422),
        ("target=here&preset=--dir", 400),
        ("target=here&dir=%2F", 400),
        ("target=here&record=%2Ftmp%2Fx", 400),
        ("target=here&--dir=%2F", 400),
    ];
    for (body, status) in forms {
        let answer = post(&server, "/run", body);
        assert_eq!(answer.status, status, "{body}");
        assert!(!answer.body.contains("s3cret"), "{body}");
    }
    assert_eq!(server.ask("GET", "/run?target=here", &[&token], "").status, 404, "a link starts nothing");
    assert_eq!(post(&server, "/cancel", "run=1").status, 422);
    assert!(new_records(&bench).is_empty() && is_measured_directory_gone(&bench), "nothing was started");
    for target in ["/plan?target=crm", "/plan", "/live", "/"] {
        let page = get(&server, target);
        assert!(!page.contains("s3cret") && !page.contains("127.0.0.1:1/"), "{target}: {page}");
    }
    // A target that does not answer: what its process says has no password either.
    assert_eq!(post(&server, "/run", "target=crm&preset=smoke&tests=T611&jobs=1").status, 303);
    wait("it does not end", || get(&server, "/live").contains("ENDED WITHOUT SUCCESS"));
    assert!(!get(&server, "/live").contains("s3cret"));
    drop(server);
    let server = Server::start(&bench, &["--token-file", "token"]);
    let answer = post(&server, "/run", LONG);
    assert!(answer.status == 422 && answer.body.contains("--allow-run"), "{}", answer.status);
    assert!(!get(&server, "/plan?target=sqlite&preset=smoke&tests=T611").contains("action=\"run\""));
}

#[test]
fn what_runs_ends_with_the_server() {
    let bench = place();
    for is_killed in [false, true] {
        let server = start(&bench);
        assert_eq!(post(&server, "/run", LONG).status, 303);
        let record = wait_for_record(&bench);
        wait("nothing is measured", || !is_measured_directory_gone(&bench));
        match is_killed {
            true => drop(server),
            false => assert_eq!(server.interrupt().code, 0),
        }
        let status = || bench.record(&record)["status"] == "interrupted";
        if !is_killed {
            assert!(status() && is_measured_directory_gone(&bench), "the server waits until it has cleaned up");
        }
        wait("it goes on without the server", || status() && is_measured_directory_gone(&bench));
        fs::remove_file(bench.path().join(&record)).unwrap();
    }
}

#[test]
fn the_file_of_targets_is_the_servers_own() {
    let bench = place();
    let refused = |more: &[&str]| {
        let words = [&["serve", "records", "--listen", "127.0.0.1:0"], more].concat();
        let output = finished(bench.as_given(&words).output().unwrap());
        assert_eq!(output.code, 2, "{more:?}: {}", output.err);
        assert!(!output.err.contains("s3cret"), "{}", output.err);
        output.err
    };
    assert!(refused(&["--allow-run", "targets.toml"]).contains("--token-file"));
    let set = |mode: u32| {
        let mode = fs::Permissions::from_mode(mode);
        fs::set_permissions(bench.path().join("targets.toml"), mode).unwrap();
    };
    let with_token = ["--allow-run", "targets.toml", "--token-file", "token"];
    for mode in [0o620, 0o602] {
        set(mode);
        assert!(refused(&with_token).contains("lets others write"));
    }
    set(0o600);
    fs::write(bench.path().join("targets.toml"), "[targets]\na = \"--dir=/s3cret\"\n").unwrap();
    refused(&with_token);
}
