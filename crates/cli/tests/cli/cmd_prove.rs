//! `dbdyno prove`: verdicts over parts of a platform.

use crate::bench::Bench;

/// A file of random content that stands for a device.
fn device(bench: &Bench, name: &str) -> String {
    let path = bench.path().join(name);
    let content: Vec<u8> = (0..4_u64 << 20)
        .scan(1_u64, |state, _| {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            Some((*state >> 56) as u8)
        })
        .collect();
    std::fs::write(&path, content).unwrap();
    path.display().to_string()
}

#[test]
fn each_side_is_measured_in_each_round() {
    let bench = Bench::new();
    let file = device(&bench, "drive");
    let short = ["--seconds", "0.1", "--bs", "4k", "--depth", "2", "--record", "proof.jsonl"];
    let both = ["prove", "fabric", "--local", &file, "--remote", &file, "--rounds", "3"];
    let output = bench.run(&[&both[..], &short].concat());
    assert!(output.err.contains("both are the same device"), "{}", output.err);
    let record = bench.record("proof.jsonl");
    assert_eq!(record["status"], "finished", "{}", output.err);
    let runs = record["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 18, "three loads on two sides, three times");
    let sides = |side: &str| runs.iter().filter(|run| run["kind"]["proof"]["place"] == side).count();
    assert_eq!((sides("local"), sides("remote")), (9, 9));
    assert_eq!(bench.succeed(&["report", "proof.jsonl"]).out, output.out);
}

#[test]
fn one_round_decides_nothing() {
    let bench = Bench::new();
    let file = device(&bench, "drive");
    let both = ["prove", "fabric", "--local", &file, "--remote", &file, "--rounds", "1", "--seconds", "0.1"];
    let output = bench.run(&both);
    assert!(!output.out.contains("EQUIVALENT") && !output.out.contains("SLOWER"), "{}", output.out);
}

#[test]
fn what_has_no_parts_has_nothing_to_prove() {
    let bench = Bench::new();
    let nodes = std::fs::read_dir("/sys/devices/system/node").map_or(0, |entries| {
        entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with("node")).count()
    });
    if nodes <= 1 {
        let output = bench.succeed(&["prove", "numa"]);
        assert_eq!(output.out, "there is nothing to prove: this machine has one NUMA node\n");
    }
    let output = bench.run(&["prove", "volume", "--dir", "/dev/shm"]);
    assert_eq!(output.code, 2);
    let expected = "error: there is nothing to prove: below /dev/shm is no block device, and no volume of several devices\n\
                    hint: give a --dir on a software array, a logical volume or a file system of several devices\n";
    assert_eq!(output.err, expected);
}

#[test]
fn mistakes_end_with_2_and_a_hint() {
    let bench = Bench::new();
    for (arguments, message) in [
        (&["prove", "fabric", "--local", "/dev/none", "--remote", "/dev/none"][..], "device /dev/none is not there"),
        (&["prove", "volume", "--dir", "nowhere"], "nowhere is not a directory"),
        (&["prove", "volume", "--rounds", "0"], "rounds 0"),
        (&["prove", "volume", "--depth", "-1"], "depth -1"),
        (&["prove", "numa", "--seconds", "0"], "0"),
        (&["prove", "tiers", "--cache", "1k"], "cache 1k"),
        (&["prove", "tiers", "--target", "local:mariadb"], "there is no tier between MariaDB and the device"),
        (&["prove", "tiers", "--target", "duckdb"], "random blocks cannot be measured on DuckDB"),
    ] {
        let output = bench.run(arguments);
        assert!(output.code == 2 && output.err.contains(message), "{}: {}", output.code, output.err);
    }
}
