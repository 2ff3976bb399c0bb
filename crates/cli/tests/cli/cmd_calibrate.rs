//! `dbdyno calibrate`: the result of CALIBRATE_IO, reproducible within its interval.

use serde_json::Value;

use crate::bench::{Bench, is_invalid, runs};

/// A tenth of a second each, with a latency bound that even a busy machine meets.
const SHORT: [&str; 7] = ["calibrate", "--size", "64M", "--seconds", "0.1", "--max-latency", "200"];

/// The calibration in a record: rates of `test` at the level with most measurements.
fn best(record: &Value, test: &str) -> Vec<f64> {
    let mut levels: std::collections::BTreeMap<u64, Vec<f64>> = std::collections::BTreeMap::new();
    for run in runs(record, test) {
        let stream = &run["storage"]["streams"][0];
        let level = stream["clones"].as_u64().unwrap() * stream["depth"].as_u64().unwrap();
        let rate = stream["operations"].as_f64().unwrap() / (stream["window_ns"].as_f64().unwrap() / 1e9);
        levels.entry(level).or_default().push(rate);
    }
    levels.into_values().max_by_key(Vec::len).unwrap()
}

/// The lowest and the highest rate.
fn range(rates: &[f64]) -> (f64, f64) {
    (rates.iter().copied().fold(f64::INFINITY, f64::min), rates.iter().copied().fold(0.0, f64::max))
}

/// Calibrates; returns the rates at the best level, for small and large blocks. None if foreign load made measurements
/// invalid.
fn calibrated(bench: &Bench, name: &str) -> Option<[Vec<f64>; 2]> {
    let output = bench.run(&[&SHORT[..], &["--record", name]].concat());
    let record = bench.record(name);
    assert_eq!(record["status"], "finished", "{}", output.err);
    // The record has all that the figures and their intervals are made of.
    assert_eq!(bench.succeed(&["report", name]).out, output.out);
    let rates = ["max_iops", "max_mbps"].map(|test| best(&record, test));
    if record["runs"].as_array().unwrap().iter().any(is_invalid) && rates.iter().any(|rates| rates.len() < 5) {
        return None;
    }
    assert!(rates.iter().all(|rates| rates.len() >= 5), "{rates:?}\n{}", output.out);
    for word in ["MAX_IOPS", "MAX_MBPS", "ACTUAL_LATENCY", "in flight", "  met "] {
        assert!(output.out.contains(word), "no {word:?} in\n{}\n{}", output.out, output.err);
    }
    Some(rates)
}

/// Whether two calibrations agree: the measurements of both, widened by a factor of two to either side, overlap.
fn agree(one: &[Vec<f64>; 2], other: &[Vec<f64>; 2]) -> bool {
    one.iter().zip(other).all(|(one, other)| {
        let ((low, high), (other_low, other_high)) = (range(one), range(other));
        low / 2.0 <= other_high * 2.0 && other_low / 2.0 <= high * 2.0
    })
}

// With windows of a tenth of a second and parallel tests, rates may vary by a factor of a hundred between calibrations,
// or be invalid. Two calibrations that disagree are therefore a failure only after two more, and only if each was
// steady. The printed interval applies to idle machines.
#[test]
#[expect(clippy::print_stderr, reason = "a test that tests nothing has to say so")]
fn repeated_calibrations_agree() {
    let bench = Bench::on_disk();
    let mut tries: Vec<[Vec<f64>; 2]> = Vec::new();
    let mut agreed = false;
    for name in ["1.json", "2.json", "3.json", "4.json"] {
        let next = calibrated(&bench, name);
        assert_eq!(bench.files().last().unwrap().to_str(), Some(name), "a record and nothing else");
        agreed = next.as_ref().is_some_and(|next| tries.iter().any(|one| agree(one, next)));
        tries.extend(next);
        if agreed {
            break;
        }
    }
    if tries.len() < 2 {
        eprintln!("not tested: two calibrations that agree, on a machine with so much else to do");
    }
    let steady = |rates: &Vec<f64>| range(rates).1 < 2.0 * range(rates).0;
    assert!(agreed || tries.len() < 2 || !tries.iter().flatten().all(steady), "{tries:?}");
}

#[test]
fn each_level_has_its_distribution_and_the_bound() {
    let bench = Bench::on_disk();
    let bound = ["--max-latency", "p99=900ms", "--disks", "2", "--quiet", "--record", "r.json"];
    let output = bench.run(&[&SHORT[..5], &bound[..]].concat());
    let record = bench.record("r.json");
    let curve = runs(&record, "max_iops");
    assert!(curve.len() >= 3, "{}", output.err);
    assert_eq!(curve[0]["storage"]["streams"][0]["depth"], 2, "one I/O on each disk to begin with");
    for run in curve {
        assert_eq!(run["storage"]["bound"], "p99=900ms");
        assert!(run["service"]["count"].as_u64().unwrap() > 0 && run["service"]["p50_ns"].as_u64().unwrap() > 0);
    }
    assert!(output.out.contains("p99=900ms"), "{}", output.out);
}

#[test]
fn invalid_calibrations_are_refused() {
    let bench = Bench::on_disk();
    let refused = |arguments: &[&str], code: i32, words: &[&str]| {
        let output = bench.run(&[&["calibrate"], arguments].concat());
        assert_eq!(output.code, code, "{arguments:?}\n{}\n{}", output.out, output.err);
        for word in words.iter().chain(&["hint: "]) {
            assert!(output.err.contains(word), "no {word:?} in {:?}", output.err);
        }
        assert!(bench.files().is_empty(), "{:?}", bench.files());
    };
    refused(&["--disks", "0"], 2, &["disks 0 is less than 1"]);
    refused(&["--disks", "many"], 2, &["disks many"]);
    refused(&["--max-latency", "0"], 2, &["0"]);
    refused(&["--max-latency", "soon"], 2, &["soon"]);
    refused(&["--seconds", "0"], 2, &["seconds 0 is less than 1ms"]);
    refused(&["--size", "1P"], 1, &["bytes are required"]);
    refused(&["--size", "0"], 2, &["0"]);
    refused(&["--bs", "1000", "--size", "1M"], 2, &["1000", "512"]);
    refused(&["--dir", "misspelt"], 2, &["misspelt is not a directory"]);
    refused(&["--device", "/dev/null"], 2, &["/dev/null"]);
}
