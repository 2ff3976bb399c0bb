//! Agents that differ in how fast they are, with nothing else that slows them.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::bench::Bench;
use crate::fleet_hosts::write;

#[test]
fn a_host_that_is_stopped_for_a_part_of_the_time_is_named_as_the_slow_one() {
    let bench = Bench::new().alone();
    // Becomes the agent, which another process stops for half of the time.
    let brake = "#!/bin/sh\np=$$\n(while kill -STOP $p; do sleep .04; kill -CONT $p; sleep .04; done) >/dev/null 2>&1 </dev/null &\n\
                 exec \"$@\"\n";
    let path = write(&bench, "brake", brake);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let home = bench.path().join("home");
    fs::create_dir(&home).unwrap();
    let via = |brake: &str| format!("via=\"env -u XDG_CACHE_HOME HOME={} {brake}\"", home.display());
    let slow = via(&path.display().to_string());
    write(&bench, "hosts", &format!("quick {}\nslow {slow}\n", via("")));
    let words = "fleet run --hosts hosts --target null --tests T311 --jobs 2 --preset smoke --duration 3s --no-html --details \
                 --record f.jsonl";
    let output = bench.run(&words.split_whitespace().collect::<Vec<_>>());
    assert_eq!(output.code, 0, "{}{}", output.out, output.err);
    let words = output.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("agent slow: the slowest, with "), "{}", output.out);
    assert!(output.out.contains("Agents in the fastest run of each test"), "{}", output.out);
    let record = bench.record("f.jsonl");
    let findings = record["runs"][0]["findings"].as_array().unwrap();
    let found = findings.iter().find(|finding| !finding["evidence"]["slow_agent"].is_null()).unwrap();
    assert_eq!((&found["verdict"], &found["agent"]), (&"warn".into(), &"slow".into()), "{found}");
    let share = found["evidence"]["slow_agent"]["share"].as_f64().unwrap();
    assert!((0.2..0.8).contains(&share), "{share}");
}
