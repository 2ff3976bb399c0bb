//! `dbdyno fleet io`: storage from several agents.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::bench::{Bench, growth};
use crate::cmd_fleet::merged_histograms;
use crate::fleet_hosts::{another_machine, write};

/// Two threads that each write 23 blocks of 4 KiB, one at a time.
const WRITES: &str = "[w]\nrw=write\nbs=4k\nsize=92k\nnumjobs=2\nioengine=psync\ndirect=1\ngroup_reporting=1\n";

fn stream(run: &Value) -> &Value {
    &run["storage"]["streams"][0]
}

fn fleet_io(bench: &Bench, words: &str) -> crate::bench::Finished {
    let all = format!("fleet io {words} --no-html");
    bench.run(&all.split_whitespace().collect::<Vec<_>>())
}

#[test]
fn each_agent_carries_out_all_jobs_and_23_blocks_are_23() {
    let bench = Bench::new();
    write(&bench, "w.fio", WRITES);
    let output = fleet_io(&bench, "--agents 3 w.fio --record w.jsonl");
    let record = bench.record("w.jsonl");
    let run = &record["runs"][0];
    assert_eq!(run["outcome"]["status"], "done", "{}{}", output.out, output.err);
    assert_eq!((&run["dop"]["jobs"], &run["sweep"]["agents"]["jobs_each"]), (&6.into(), &2.into()), "{run}");
    let all = 3 * 2 * 23;
    assert_eq!(run["totals"]["operations"], all);
    assert_eq!((&stream(run)["operations"], &stream(run)["bytes"]), (&all.into(), &(all * 4096).into()));
    assert_eq!((&stream(run)["clones"], &stream(run)["service"]["count"]), (&6.into(), &all.into()));
    for agent in run["agents"].as_array().unwrap() {
        assert_eq!((&agent["totals"]["operations"], &agent["jobs"]), (&46.into(), &2.into()), "{agent}");
    }
    // The block layer saw them, too.
    assert!(growth(run, "device_write_bytes").is_none_or(|bytes| bytes >= all * 4096), "{run}");
    assert_eq!(merged_histograms(&bench, "w.jsonl"), (2, 2 * all));
    let files = run["storage"]["files"].as_array().unwrap();
    let of = |agent: &str| files.iter().filter(|file| file["agent"] == agent).count();
    assert_eq!((files.len(), of("agent-1"), of("agent-3")), (6, 2, 2), "each has files of its own");
    let left: Vec<_> = fs::read_dir(bench.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "the job file and the record are left: {left:?}");
}

#[test]
fn agents_are_added_with_their_jobs_and_a_claim_is_judged() {
    let bench = Bench::new();
    let output =
        fleet_io(&bench, "--agents 3 --sweep --repeats 2 --engine null --rw randread --seconds 0.1 --record s.jsonl");
    assert_eq!(output.code, 0, "{}{}", output.out, output.err);
    let record = bench.record("s.jsonl");
    let mut agents: Vec<usize> =
        record["runs"].as_array().unwrap().iter().map(|run| run["agents"].as_array().unwrap().len()).collect();
    agents.sort_unstable();
    assert_eq!(agents, [1, 1, 2, 2, 3, 3]);
    assert!(output.err.contains("H3J3"), "{}", output.err);
    let scale = bench.succeed(&["model", "scale", "s.jsonl", "--at", "128", "--claim", "1000G"]).out;
    assert!(scale.contains("N = agents") && !scale.contains(" SUPPORTED"), "{scale}");
    let details = bench.succeed(&["report", "s.jsonl", "--details"]).out;
    assert!(details.contains("Agents in the fastest run of each test") && details.contains("H3J3"), "{details}");
}

#[test]
fn a_rate_is_that_of_all_agents_together() {
    let bench = Bench::new();
    let words = "--agents 3 --rate 300 --arrival fixed --jobs 2 --engine null --rw randread --seconds 1 --warm-up 0 --record r.jsonl";
    let output = fleet_io(&bench, words);
    let record = bench.record("r.jsonl");
    let run = &record["runs"][0];
    assert_eq!(run["totals"]["operations"], 300, "{}{}", output.out, output.err);
    let steps_per_second = run["pace"]["rate"]["steps_per_second"].as_f64().unwrap();
    assert!((steps_per_second - 300.0).abs() < 1e-6, "{steps_per_second}");
}

#[test]
fn a_file_that_is_there_is_read_only_where_it_is_named_and_written_only_where_named_twice() {
    let bench = Bench::new();
    let file = bench.path().join("mine");
    fs::write(&file, vec![7u8; 1 << 20]).unwrap();
    let named = format!("--agents 2 --bs 4k --buffered --seconds 0.1 --device {}", file.display());
    let output = fleet_io(&bench, &format!("{named} --rw randread --record r.jsonl"));
    let record = bench.record("r.jsonl");
    assert!(stream(&record["runs"][0])["operations"].as_u64() > Some(0), "{}{}", output.out, output.err);
    assert_eq!(record["runs"][0]["storage"]["files"][1]["found"], true);
    let output = fleet_io(&bench, &format!("{named} --rw randwrite --record w.jsonl"));
    assert_eq!(output.code, 2, "before anything is started: {}", output.err);
    assert!(output.err.contains("would destroy its data") && !bench.path().join("w.jsonl").exists(), "{}", output.err);
    assert!(fs::read(&file).unwrap().iter().all(|byte| *byte == 7), "nothing was written");
    let twice = format!("{named} --destroy-data {} --rw write --record d.jsonl", file.display());
    fleet_io(&bench, &twice);
    assert!(fs::read(&file).unwrap().iter().any(|byte| *byte != 7), "it was permitted");
}

#[test]
fn what_a_fleet_cannot_do_with_storage_is_refused() {
    let bench = Bench::new();
    let refused = [
        ("--agents 2 --rw read --log x", "a log of every I/O (--log) is not supported by a fleet"),
        ("--agents 2 --rw read --sweep --until p99=1ms", "cannot be used with"),
        ("--agents 2", "no job given"),
        ("--rw read", "--agents"),
        ("--agents 2 --rw read --bs 8191 --size 16M", "8191"),
        ("--agents 2 --rw read --dir nowhere", "nowhere is not a directory"),
        ("--agents 2 --rw read --repeats 0", "0"),
    ];
    // More than half of what is free, for each of two.
    let free = Command::new("df").args(["--output=avail", "-B1"]).arg(bench.path()).output().unwrap().stdout;
    let free: u64 = String::from_utf8(free).unwrap().lines().last().unwrap().trim().parse().unwrap();
    let large = fleet_io(&bench, &format!("--agents 2 --rw randread --size {}", free / 10 * 6 / 4096 * 4096));
    assert_eq!(large.code, 1, "{}", large.err);
    assert!(large.err.contains(" bytes are required in ") && large.err.contains("hint: "), "{}", large.err);
    for (words, message) in refused {
        let output = fleet_io(&bench, words);
        assert_eq!(output.code, 2, "{words}: {}", output.err);
        assert!(output.err.contains(message), "{words}: {}", output.err);
    }
    assert!(bench.files().is_empty(), "{:?}", bench.files());
}

#[test]
fn devices_of_other_hosts_are_counted_there() {
    let bench = Bench::new();
    let Some(other) = another_machine(&bench) else { return };
    let dir = |name: &str| {
        let path = bench.path().join(name);
        fs::create_dir(&path).unwrap();
        path.display().to_string()
    };
    let (left, right) = (dir("left"), dir("right"));
    // The agents have a name of their own, by which they differ from whatever else reads the device meanwhile.
    let name = format!("agent{}", std::process::id());
    let program = bench.path().join(&name);
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_dbdyno"), &program).unwrap();
    let host = |name: &str, dir: &str| format!("{name} via={other} dir={dir} program={}\n", program.display());
    write(&bench, "hosts", &(host("left", &left) + &host("right", &right)));
    let output = fleet_io(
        &bench,
        "--hosts hosts --rw randread --bs 4k --jobs 1 --depth 4 --size 8M --seconds 1 --record h.jsonl",
    );
    let record = bench.record("h.jsonl");
    let run = &record["runs"][0];
    assert_eq!(run["outcome"]["status"], "done", "{}{}", output.out, output.err);
    assert_eq!(record["plan"]["agent_hosts"], serde_json::json!(["left", "right"]));
    let files = run["storage"]["files"].as_array().unwrap();
    let is_in = |file: &Value, directory: &str| file["path"].as_str().unwrap().starts_with(directory);
    assert!(files.len() == 2 && is_in(&files[0], &left) && is_in(&files[1], &right), "{files:?}");
    // What the devices of the hosts did is in the run; here both are one host, whose device counts once.
    let of_agents: Vec<u64> =
        run["agents"].as_array().unwrap().iter().filter_map(|agent| growth(agent, "device_read_bytes")).collect();
    if of_agents.len() == 2 {
        assert_eq!(growth(run, "device_read_bytes"), Some(of_agents[0]));
        let foreign = |of: &&Value| !of["evidence"]["foreign_io"].is_null();
        let foreign = run["findings"].as_array().unwrap().iter().find(foreign).expect("a verdict on foreign I/O");
        assert!(
            !foreign.to_string().contains(&name),
            "agents of one host are no foreign load to each other: {foreign}"
        );
        let is_named = |finding: &&Value| finding["agent"] == "left" || finding["agent"] == "right";
        let named = run["findings"].as_array().unwrap().iter().filter(is_named).count();
        assert!(named >= 5, "what is said of a host says which: {}", run["findings"]);
    }
    assert!(fs::read_dir(&left).unwrap().next().is_none(), "nothing is left on a host");
}
