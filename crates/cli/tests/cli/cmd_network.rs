//! `dbdyno network`: a peer in one process, its measurement from another.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::bench::{Bench, Finished, finished, growth, runs};

/// A peer in a process of its own, ended with the value.
pub struct Peer {
    child: Option<Child>,
    pub address: SocketAddr,
}

impl Peer {
    pub fn start(bench: &Bench) -> Peer {
        let arguments = ["network", "serve", "--listen", "127.0.0.1:0"];
        let mut child = bench.as_given(&arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.strip_prefix("listening at ").and_then(|rest| rest.split(';').next());
        let address = address.unwrap_or_else(|| panic!("{line:?}")).parse().unwrap();
        Peer { child: Some(child), address }
    }

    /// Ends it as Ctrl-C does.
    pub fn interrupt(mut self) -> Finished {
        let child = self.child.take().unwrap();
        let process = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
        finished(child.wait_with_output().unwrap())
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Measures without details of the sheet, into `record`.
pub fn measure(bench: &Bench, peer: &[&str], record: &str) -> Finished {
    let options = ["--jobs", "1,2", "--seconds", "0.3", "--record", record, "--no-html"];
    finished(bench.as_given(&[&["network"], peer, &options].concat()).output().unwrap())
}

/// `text` without its line breaks.
pub fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub fn of<'a>(record: &'a Value, test: &str) -> Vec<&'a Value> {
    let found = runs(record, test);
    assert_eq!(found.len(), 2, "{test} with one job and with two");
    found
}

#[test]
fn with_an_engine_the_network_is_measured_first_and_limits_nothing_in_the_process() {
    let bench = Bench::new();
    let peer = Peer::start(&bench);
    let address = peer.address.to_string();
    let with = ["run", "--network", &address, "--tests", "T611", "--preset", "smoke", "--jobs", "1"];
    let output = bench.run(&[&with[..], &["--record", "run.jsonl"]].concat());
    assert_eq!(output.code, 0, "{}\n{}", output.out, output.err);
    let record = bench.record("run.jsonl");
    let codes: Vec<&str> = record["runs"].as_array().unwrap().iter().filter_map(|run| run["test"].as_str()).collect();
    assert_eq!(codes[..3], ["N11", "N21", "N22"]);
    assert!(codes.contains(&"T611"));
    let test = runs(&record, "T611")[0];
    assert!(growth(test, "interface_sent_bytes").is_some(), "the interface is read in every window");
    assert_eq!(growth(test, "client_round_trip_count"), None, "an engine in the process has no round trips");
    assert!(!output.out.contains("network round trips"), "{}", output.out);
}

#[test]
fn a_stranger_is_refused_by_name_on_both_sides() {
    let bench = Bench::new();
    let peer = Peer::start(&bench);
    let mut stream = TcpStream::connect(peer.address).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    // A reset is an end, too.
    let _ = stream.read_to_end(&mut answer);
    let ended = peer.interrupt();
    let from = stream.local_addr().unwrap();
    assert!(ended.err.contains(&format!("refused {from}: it does not speak the protocol of dbdyno")), "{}", ended.err);
    assert!(answer.is_empty());

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let stranger = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"220 mail.example.org ESMTP\r\n").unwrap();
        let _ = stream.read(&mut [0; 64]);
    });
    let output = measure(&bench, &[&address], "stranger.jsonl");
    stranger.join().unwrap();
    assert_eq!(output.code, 1);
    assert!(
        output.err.contains("it is no peer of dbdyno: it answered \"220 mail.example.org ESMTP\""),
        "{}",
        output.err
    );
}

#[test]
fn mistakes_end_with_2_and_a_hint() {
    let bench = Bench::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    for (arguments, code, message) in [
        (&["network", "db1:0"][..], 2, "peer db1:0 has no port from 1 to 65535"),
        (&["network", "db1:5250", "--jobs", "0"], 2, "jobs 0"),
        (&["network", "serve", "--listen", "db1"], 2, "listen db1 is not an address with a port"),
        (&["network", "serve", "--listen", &taken], 1, "cannot be listened at"),
        (&["run", "--tests", "N11"], 2, "N11 (network, round trip) needs a peer"),
        (&["run", "--tests", "network"], 2, "needs a peer"),
        (&["run", "--resume", "r.jsonl", "--client-threads", "2"], 2, "cannot be used with"),
    ] {
        let output = finished(bench.as_given(arguments).output().unwrap());
        assert!(output.code == code && output.err.contains(message), "{}: {}", output.code, output.err);
    }
}

#[test]
fn a_peer_is_loopback_unless_told_and_says_what_it_is_otherwise() {
    let bench = Bench::new();
    let mut child = bench.as_given(&["network", "serve", "--listen", "0.0.0.0:0"]).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    child.kill().unwrap();
    let output = finished(child.wait_with_output().unwrap());
    assert!(output.err.contains("there is no authentication"), "{}", output.err);
    assert!(line.starts_with("listening at 0.0.0.0:"), "{line}");
}
