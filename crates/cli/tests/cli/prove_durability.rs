//! `dbdyno prove durability`: acknowledged commits and faults, on real engines, beside controls that have to lose.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::bench::{Bench, Finished};
use crate::durability_shown::unwrapped;
use crate::fleet_hosts::is_root;

/// Proves the durability of `target`, with `options`; the record and what was printed.
fn prove(bench: &Bench, target: &str, options: &[&str]) -> (Value, Finished) {
    let all = [&["prove", "durability", "--target", target, "--seed", "7", "--record", "r.jsonl"], options].concat();
    let output = bench.succeed(&all);
    (bench.record("r.jsonl"), output)
}

/// Of the states of crashes of the condition with this name, how many there were, and how many had a damage.
fn crashes(record: &Value, name: &str) -> (usize, usize) {
    let condition = |run: &Value| match &run["kind"]["proof"]["place"]["crashes"]["condition"] {
        Value::String(word) => word.clone(),
        other => match other["settings"]["settings"].as_str() {
            Some(settings) => settings.to_owned(),
            None => format!("lying_storage {}", other["lying_storage"]["every"]),
        },
    };
    let runs = record["runs"].as_array().unwrap().iter().filter(|run| condition(run) == name);
    let all: Vec<&Value> = runs.flat_map(|run| run["crashes"].as_array().unwrap()).collect();
    let is_damaged =
        |crash: &&&Value| ["damage", "would_not_start", "complaints"].iter().any(|field| crash.get(field).is_some());
    (all.len(), all.iter().filter(is_damaged).count())
}

/// Holds that of `count` crashes of `control` at least three of five lost something.
fn assert_loses(record: &Value, control: &str, count: usize) {
    let (found, damaged) = crashes(record, control);
    assert!(found == count && 5 * damaged >= 3 * count, "{control}: {damaged} of {found}");
}

/// Holds that the crashes as asked for have several states, of which earlier ones have fewer changes and no more commits.
fn assert_states(record: &Value) {
    let runs = record["runs"].as_array().unwrap().iter().filter(|run| run["test"].as_str().unwrap().len() == 2);
    let states: Vec<&Value> = runs.flat_map(|run| run["crashes"].as_array().unwrap()).collect();
    let figure = |crash: &Value, field: &str| crash[field].as_u64().unwrap();
    let crashes: Vec<&[&Value]> =
        states.chunk_by(|one, other| figure(one, "number") == figure(other, "number")).collect();
    assert!(crashes.iter().any(|states| states.len() > 1));
    for (fault, earlier) in crashes.iter().filter_map(|states| states.split_first()) {
        for state in earlier {
            let no_more = |field: &str| (1..=figure(fault, field)).contains(&figure(state, field));
            assert!(no_more("changes") && no_more("acknowledged"), "{state} of {fault}");
        }
    }
}

#[test]
fn sqlite_survives_and_loses_under_each_control() {
    let bench = Bench::new();
    let (record, output) = prove(&bench, "sqlite", &["--crashes", "5", "--states", "5"]);
    let shown = unwrapped(&output.out);
    assert!(shown.contains("SURVIVED D1") && shown.contains("0 of 5 runs, 25 states"), "{}", output.out);
    assert!(shown.contains("at most 45 % of such runs"), "{}", output.out);
    assert!(shown.contains("own protections: journal_mode=wal"), "{}", output.out);
    assert_eq!(crashes(&record, "asked"), (25, 0));
    assert_states(&record);
    for control in ["lying_storage 1", "synchronous=off", "synchronous=normal"] {
        assert_loses(&record, control, 5);
    }
    // A tail is lost, and what is left is whole.
    let normal = record["runs"].as_array().unwrap().iter().filter(|run| run["test"] == "D1,synchronous=normal");
    for crash in normal.flat_map(|run| run["crashes"].as_array().unwrap()) {
        let damage = &crash["damage"];
        assert!(damage["holes"].as_u64().unwrap_or(0) == 0 && damage["torn"].as_u64().unwrap_or(0) == 0, "{crash}");
        assert!(crash.get("complaints").is_none() && crash.get("would_not_start").is_none(), "{crash}");
    }
    assert_eq!(bench.files().len(), 1, "nothing but the record stays: {:?}", bench.files());
    assert_eq!(bench.succeed(&["report", "r.jsonl"]).out, output.out);
}

#[test]
fn a_control_that_does_not_lose_leaves_no_power() {
    let bench = Bench::new();
    let (_, output) = prove(&bench, "sqlite", &["--crashes", "2", "--control", "none"]);
    assert!(output.out.contains("NO POWER on D1"), "{}", output.out);
}

/// Whether this user may have rung D1 for servers, which needs root: where root has no FUSE, that is an error.
fn has_d1() -> bool {
    let is_there = std::fs::File::options().read(true).write(true).open("/dev/fuse").is_ok();
    assert!(is_there || !is_root(), "rung D1 is out: /dev/fuse cannot be opened");
    is_root()
}

#[test]
fn postgres_survives_and_loses_without_fsync() {
    if !has_d1() {
        return;
    }
    let bench = Bench::new();
    let (record, output) =
        prove(&bench, "local:postgres", &["--crashes", "5", "--states", "4", "--control", "lying-storage,fsync=off"]);
    assert!(output.out.contains("SURVIVED D1"), "{}", output.out);
    assert!(unwrapped(&output.out).contains("data_checksums=on, full_page_writes=on"), "{}", output.out);
    assert_eq!(crashes(&record, "asked"), (20, 0));
    assert_states(&record);
    for control in ["lying_storage 1", "fsync=off"] {
        assert_loses(&record, control, 5);
    }
}

#[test]
fn a_log_of_mariadb_that_is_written_and_not_synced_survives_killed_processes_alone() {
    if !has_d1() {
        return;
    }
    let (bench, control) = (Bench::new(), "innodb_flush_log_at_trx_commit=2");
    let (record, output) = prove(&bench, "local:mariadb", &["--crashes", "5", "--states", "4", "--control", control]);
    assert!(output.out.contains("SURVIVED D1"), "{}", output.out);
    assert_eq!(crashes(&record, "asked"), (20, 0));
    assert_states(&record);
    assert_loses(&record, control, 5);
    std::fs::remove_file(bench.path().join("r.jsonl")).unwrap();
    let killed = ["--rung", "D0", "--crashes", "2", "--control", control];
    let (record, _) = prove(&bench, "local:mariadb", &killed);
    assert_eq!((crashes(&record, "asked"), crashes(&record, control)), ((2, 0), (2, 0)));
}

/// The same of rung D2, which also needs loop devices.
fn has_d2() -> bool {
    let is_there = std::path::Path::new("/dev/loop-control").exists();
    assert!(is_there || !is_root(), "rung D2 is out: there are no loop devices");
    has_d1()
}

#[test]
fn a_disk_loses_what_postgres_or_its_file_system_does_not_flush() {
    if !has_d2() {
        return;
    }
    let bench = Bench::new();
    let options = ["--rung", "D2", "--crashes", "3", "--control", "lying-storage,fsync=off"];
    let (record, output) = prove(&bench, "local:postgres", &options);
    assert!(output.out.contains("SURVIVED D2") && output.out.contains("the disk below ext4"), "{}", output.out);
    assert_eq!(crashes(&record, "asked"), (3, 0));
    for control in ["lying_storage 1", "fsync=off"] {
        assert_loses(&record, control, 3);
    }
}

#[test]
fn pages_stay_torn_on_a_disk_where_postgres_does_not_log_them() {
    if !has_d2() {
        return;
    }
    let (bench, control) = (Bench::new(), "full_page_writes=off");
    let options = ["--rung", "D2", "--crashes", "3", "--control", control];
    let (record, _) = prove(&bench, "local:postgres", &options);
    let (count, damaged) = crashes(&record, control);
    assert!(crashes(&record, "asked") == (3, 0) && count == 3 && damaged > 0, "{damaged} of {count}");
}

#[test]
fn a_disk_loses_what_mariadb_does_not_flush() {
    if !has_d2() {
        return;
    }
    let (bench, control) = (Bench::new(), "innodb_flush_log_at_trx_commit=2");
    // The log is written out once a second, so that a crash right after it may lose nothing.
    let (record, output) = prove(&bench, "local:mariadb", &["--rung", "D2", "--crashes", "5", "--control", control]);
    // Of 75 crashes under changes of tables three had a damage, of 225 others none.
    let survives = |crash: &Value| crash["moment"] == "tables" || crash.get("damage").is_none();
    let run = record["runs"].as_array().unwrap().iter().find(|run| run["test"] == "D2").unwrap();
    let asked = run["crashes"].as_array().unwrap();
    assert!(asked.len() == 5 && asked.iter().all(survives), "{}", output.out);
    assert_loses(&record, control, 5);
}

#[test]
fn sqlite_survives_on_the_highest_rung_of_the_machine() {
    if !has_d2() {
        return;
    }
    let bench = Bench::new();
    let log = ["--log-writes", "log"];
    let options = ["--rung", "auto", "--crashes", "4", "--states", "3", "--control", "lying-storage"];
    let options = [&options[..], &log].concat();
    let (record, output) = prove(&bench, "sqlite", &options);
    assert!(output.out.contains("SURVIVED D2") && output.out.contains("the disk below ext4"), "{}", output.out);
    assert_eq!(crashes(&record, "asked"), (12, 0));
    assert_states(&record);
    // The magic number of dm-log-writes, its version, and changes of the first crash that are logged.
    let log = std::fs::read(bench.path().join("log")).unwrap();
    let number = |at: usize| u64::from_le_bytes(log[at..at + 8].try_into().unwrap());
    assert_eq!((number(0), number(8)), (0x006a_7366_7773_6872, 1));
    assert!(number(16) > 10, "{} entries", number(16));
    assert_eq!(bench.files().len(), 2, "nothing but the record and the log stays: {:?}", bench.files());
}

#[test]
fn a_promoted_replica_has_what_the_primary_acknowledged_if_it_is_synchronous() {
    if !has_d1() {
        return;
    }
    let (bench, target) = (Bench::new(), "local:postgres?replicas=1");
    let (record, output) = prove(&bench, target, &["--crashes", "2", "--control", "synchronous=off"]);
    let sentence = "SURVIVED D1, primary of 2 nodes lost, replica promoted";
    assert!(unwrapped(&output.out).contains(sentence), "{}", output.out);
    assert!(record["plan"]["target"].as_str().unwrap().contains("synchronous=on"), "it is set where it is not given");
    assert_eq!(crashes(&record, "asked"), (2, 0));
    assert_loses(&record, "synchronous=off", 2);
    std::fs::remove_file(bench.path().join("r.jsonl")).unwrap();
    let (record, output) =
        prove(&bench, target, &["--fault", "all-nodes", "--rung", "D0", "--crashes", "1", "--control", "none"]);
    assert!(unwrapped(&output.out).contains("NO POWER on D0, all 2 nodes lost at once"), "{}", output.out);
    assert_eq!(crashes(&record, "asked"), (1, 0));
}

#[test]
fn a_galera_cluster_that_dies_as_a_whole_loses_what_no_node_has_flushed() {
    if !has_d1() {
        return;
    }
    let (bench, control) = (Bench::new(), "innodb_flush_log_at_trx_commit=0");
    let (record, output) = prove(&bench, "local:mariadb?nodes=2", &["--crashes", "1", "--control", control]);
    assert!(unwrapped(&output.out).contains("SURVIVED D1, all 2 nodes lost at once"), "{}", output.out);
    assert_eq!(crashes(&record, "asked"), (1, 0));
    assert_loses(&record, control, 2);
    assert_eq!(bench.files().len(), 1, "nothing but the record stays: {:?}", bench.files());
}

#[test]
fn a_killed_proof_goes_on_with_its_record() {
    let bench = Bench::new();
    let options = ["prove", "durability", "--crashes", "8", "--control", "none", "--seed", "7", "--record", "r.jsonl"];
    let mut proof = bench.start(&options);
    let path = bench.path().join("r.jsonl");
    let start = Instant::now();
    let is_begun = || std::fs::read_to_string(&path).is_ok_and(|text| text.contains("2 of 8 crashes are done"));
    while !is_begun() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    proof.kill().unwrap();
    proof.wait().unwrap();
    let of = |record: &Value| record["runs"][0]["crashes"].as_array().unwrap().clone();
    let before = of(&bench.record("r.jsonl"));
    assert!((2..8).contains(&before.len()), "{}", before.len());
    let refused = bench.run(&["run", "--resume", "r.jsonl"]);
    assert!(refused.code == 2 && refused.err.contains("prove durability --resume"), "{}", refused.err);
    let refused = bench.run(&["prove", "durability", "--resume", "r.jsonl", "--target", "sqlite?synchronous=off"]);
    assert!(refused.code == 2 && refused.err.contains("was started with target sqlite"), "{}", refused.err);
    bench.succeed(&["prove", "durability", "--resume", "r.jsonl"]);
    let after = of(&bench.record("r.jsonl"));
    assert_eq!(
        after.iter().map(|crash| crash["number"].as_u64().unwrap()).collect::<Vec<u64>>(),
        [1, 2, 3, 4, 5, 6, 7, 8]
    );
    let drawn = |crash: &Value| (crash["seed"].clone(), crash["acknowledged"].clone());
    let [before_drawn, kept] =
        [&before[..], &after[..before.len()]].map(|all| all.iter().map(drawn).collect::<Vec<_>>());
    assert_eq!(before_drawn, kept, "crashes that were done are not carried out again");
}

#[test]
fn a_killed_proof_leaves_no_mount_and_its_server_is_found() {
    if has_d1() {
        a_killed_proof_leaves_nothing("D1");
    }
}

#[test]
fn a_killed_proof_leaves_no_disk() {
    if has_d2() {
        a_killed_proof_leaves_nothing("D2");
    }
}

fn a_killed_proof_leaves_nothing(rung: &str) {
    let bench = Bench::new();
    let target = ["prove", "durability", "--target", "local:postgres", "--rung", rung];
    let options = [&target[..], &["--crashes", "500", "--control", "none"]].concat();
    let mut proof = bench.start(&options);
    let place = bench.path().display().to_string();
    let servers = || {
        let found = Command::new("pgrep").args(["-f", &format!("postgres -D {place}")]).output().unwrap();
        !found.stdout.is_empty()
    };
    let start = Instant::now();
    // In the midst of crashes: the server has come and gone.
    let mut changes = 0;
    let mut was_there = false;
    while changes < 4 && start.elapsed() < Duration::from_secs(60) {
        let is_there = servers();
        changes += u32::from(is_there != was_there);
        was_there = is_there;
        std::thread::sleep(Duration::from_millis(20));
    }
    proof.kill().unwrap();
    proof.wait().unwrap();
    bench.succeed(&["clean", "--yes"]);
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    assert!(!mounts.contains(&place), "{mounts}");
    assert!(!servers(), "a server is left");
    let is_used = || {
        let devices = std::fs::read_dir("/sys/block").unwrap().flatten();
        let backing = devices.map(|device| std::fs::read_to_string(device.path().join("loop/backing_file")));
        backing.flatten().any(|backing| backing.contains(&place))
    };
    let start = Instant::now();
    while is_used() && start.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!is_used(), "a loop device is left");
}

#[test]
fn a_server_of_somebody_else_is_not_killed() {
    let bench = Bench::new();
    let output = bench.run(&["prove", "durability", "--target", "postgres://localhost/x"]);
    assert_eq!(output.code, 2);
    assert!(
        output.err.contains("kills nothing that it did not start") && output.err.contains("hint:"),
        "{}",
        output.err
    );
    let output = bench.run(&["prove", "durability", "--control", "luck"]);
    assert_eq!(output.code, 2);
    assert!(output.err.contains("known are lying-storage, synchronous=off"), "{}", output.err);
    for (target, why) in [
        ("sqlite", "is one of several nodes, and sqlite is a single one"),
        ("local:mariadb?nodes=2", "needs a replica to promote"),
    ] {
        let output = bench.run(&["prove", "durability", "--target", target, "--fault", "primary"]);
        assert!(output.code == 2 && output.err.contains(why) && output.err.contains("hint:"), "{}", output.err);
    }
    let output = bench.run(&["prove", "durability", "--target", "local:postgres", "--rung", "D0", "--states", "2"]);
    assert_eq!(output.code, 2);
    assert!(output.err.contains("2 states of a crash cannot be had on rung D0"), "{}", output.err);
}
