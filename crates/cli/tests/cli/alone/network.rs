//! Measurements of the network with valid runs, and with what crossed the interface meanwhile.

use serde_json::Value;

use crate::bench::{Bench, growth};
use crate::cmd_network::{Peer, measure, of, words};

#[test]
fn a_peer_in_another_process_is_measured_in_both_directions() {
    let bench = Bench::new().alone();
    let peer = Peer::start(&bench);
    let address = peer.address.to_string();
    let output = measure(&bench, &[&address], "peer.jsonl");
    assert_eq!(output.code, 0, "{}\n{}", output.out, output.err);
    let record = bench.record("peer.jsonl");
    for run in of(&record, "N11") {
        let (trips, median) = (&run["totals"]["operations"], &run["service"]["p50_ns"]);
        assert_eq!((trips, &run["unit"]), (&run["totals"]["steps"], &Value::from("round_trip")));
        assert!(median.as_u64().is_some_and(|median| (1_000..50_000_000).contains(&median)), "{median}");
    }
    for run in of(&record, "N21").into_iter().chain(of(&record, "N22")) {
        let bytes = run["totals"]["bytes"].as_u64().unwrap();
        // Each byte crosses loopback once, with headers and what confirms it; some are in flight at the edges.
        let (sent, received) =
            (growth(run, "interface_sent_bytes").unwrap(), growth(run, "interface_received_bytes").unwrap());
        assert!(bytes > 1_000_000 && bytes < sent * 11 / 10, "{bytes} bytes arrived, the interface sent {sent}");
        assert!(received.abs_diff(sent) < sent / 10, "loopback receives what it sends: {sent} {received}");
    }
    let path = &record["plan"]["network"];
    assert_eq!((&path["peer"], &path["is_same_host"]), (&Value::from(address.as_str()), &Value::from(true)));
    assert_eq!(
        (&path["far"]["host_name"], &path["near"]["interface"]["name"]),
        (&record["host"]["host_name"], &"lo".into())
    );
    assert!(words(&output.out).contains("both ends are on this host"), "{}", output.out);
    assert!(words(&output.out).contains(&format!("dbdyno network {address} --preset standard")), "{}", output.out);
    for (code, what) in [("N11", "trip/s"), ("N21", "MB/s"), ("N22", "MB/s")] {
        assert!(output.out.lines().any(|line| line.contains(code) && line.contains(what)), "{code}: {}", output.out);
    }
    // What the peer does is no load of other programs, although it is another process.
    for run in record["runs"].as_array().unwrap() {
        let programs = run["foreign_load"]["programs"].to_string();
        assert!(!programs.contains("dbdyno"), "{programs}");
    }
    let ended = peer.interrupt();
    assert_eq!(ended.code, 0, "Ctrl-C is how it ends: {}", ended.err);
    let output = measure(&bench, &[&address], "gone.jsonl");
    assert_eq!(output.code, 1);
    assert!(output.err.contains(&format!("error: peer {address}: it cannot be reached")), "{}", output.err);
    assert!(output.err.contains("hint: start `dbdyno network serve") && !bench.path().join("gone.jsonl").exists());
}

#[test]
fn without_a_peer_loopback_is_measured_and_called_so() {
    let bench = Bench::new().alone();
    let output = measure(&bench, &[], "own.jsonl");
    assert_eq!(output.code, 0, "{}\n{}", output.out, output.err);
    assert!(
        output.err.contains("nothing of a wire") && words(&output.out).contains("nothing of a wire"),
        "{}",
        output.out
    );
    let record = bench.record("own.jsonl");
    assert_eq!(record["plan"]["network"]["peer"], Value::Null);
    assert_eq!(record["runs"].as_array().map(Vec::len), Some(6));
    assert_eq!(record["engine"], Value::Null, "no engine is opened");
}
