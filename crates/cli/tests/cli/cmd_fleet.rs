//! `dbdyno fleet` and `dbdyno agent`.

use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::bench::Bench;

const PATIENCE: Duration = Duration::from_secs(30);

#[test]
fn agents_are_asked_for_their_clocks_and_start_together() {
    let bench = Bench::new();
    let text = bench.succeed(&["fleet", "check", "--agents", "3"]).out;
    for agent in ["agent-1", "agent-2", "agent-3"] {
        let line = text.lines().find(|line| line.starts_with(agent)).unwrap_or_else(|| panic!("no {agent}\n{text}"));
        assert!(line.contains("ns") || line.contains("µs") || line.contains("ms"), "{line}");
    }
    assert!(text.contains("3 agents started within "), "{text}");
    assert!(text.contains("! on one machine, which they share: agent-1, agent-2, agent-3"), "{text}");
    assert_eq!(fs::read_dir(bench.path()).unwrap().count(), 0, "no file is written");
}

#[test]
fn numbers_of_agents_have_limits() {
    let bench = Bench::new();
    for (agents, word) in [("0", "agents"), ("301", "300"), ("x", "x")] {
        let output = bench.run(&["fleet", "check", "--agents", agents]);
        assert_eq!(output.code, 2, "{}", output.err);
        assert!(output.err.contains(word), "{}", output.err);
    }
}

#[test]
fn an_agent_without_a_ticket_says_so_and_shows_nothing_of_it() {
    let bench = Bench::new();
    for text in ["", "{\"seed\":\"SUSECRET\"}\n"] {
        let mut command = bench.command(&["agent", "--join", "-"]);
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("no ticket on the standard input") && said.contains("hint: "), "{said}");
        assert!(!said.contains("SECRET"), "{said}");
    }
    let argument = bench.run(&["agent", "--join", "SUSECRET"]);
    assert_eq!(argument.code, 2);
    assert!(argument.err.contains("standard input only") && !argument.err.contains("SECRET"), "{}", argument.err);
}

#[test]
fn a_coordinator_that_is_killed_leaves_no_server() {
    let bench = Bench::new();
    let mut child = bench.command(&["fleet", "check", "--agents", "2"]).stdout(Stdio::null()).spawn().unwrap();
    let children = format!("/proc/{0}/task/{0}/children", child.id());
    let comm = |pid: &str| fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    let start = Instant::now();
    let server = loop {
        let children = fs::read_to_string(&children).unwrap_or_default();
        let server = children.split_whitespace().find(|pid| comm(pid).trim() == "nats-server");
        if let Some(pid) = server {
            break pid.to_owned();
        }
        assert!(start.elapsed() < PATIENCE, "no server was started");
        std::thread::sleep(Duration::from_millis(2));
    };
    child.kill().unwrap();
    child.wait().unwrap();
    while comm(&server).trim() == "nats-server" && !is_zombie(&server) {
        assert!(start.elapsed() < PATIENCE, "the server goes on without its coordinator");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn is_zombie(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, fields)| fields.starts_with('Z'))
}
