//! Shares of the caches, from what the block layer counts for all programs.

use crate::bench::Bench;

/// Hits follow from sizes alone, whatever the device: half of the visited blocks fit the buffer cache, and half of the table
/// is in the page cache.
#[test]
fn each_cache_hits_in_proportion_to_what_it_holds() {
    for target in ["sqlite", "local:postgres"] {
        // The block layer counts for all programs.
        let bench = Bench::on_disk().alone();
        let arguments = ["prove", "tiers", "--target", target, "--cache", "8MiB", "--rounds", "1", "--seconds", "0.5"];
        let output = bench.run(&[&arguments[..], &["--record", "proof.jsonl"]].concat());
        let record = bench.record("proof.jsonl");
        assert_eq!(record["status"], "finished", "{target}: {}", output.err);
        let shares = |size: u64, page_cache: &str| {
            let place = |run: &&serde_json::Value| {
                let place = &run["kind"]["proof"]["place"]["working_set"];
                place["size_bytes"] == size << 20 && place["page_cache"] == page_cache
            };
            let run = record["runs"].as_array().unwrap().iter().find(place).expect("a run of this point");
            let rise = |name: &str| {
                let values = |at: usize| run["readings"][at]["values"][name].as_f64().unwrap_or(0.0);
                values(run["readings"].as_array().unwrap().len() - 1) - values(0)
            };
            let visited = run["totals"]["operations"].as_f64().unwrap() * 64.0;
            let missed = rise("physical_read_count");
            (missed / visited, if missed > 0.0 { rise("device_read_count") / missed } else { 0.0 })
        };
        assert!(shares(4, "all").0 < 0.05, "{target}: {:?}", shares(4, "all"));
        let (missed, of_device) = shares(32, "all");
        assert!((0.6..0.9).contains(&missed) && of_device < 0.2, "{target}: {missed} {of_device}");
        let (missed, of_device) = shares(32, "nothing");
        assert!((0.6..0.9).contains(&missed) && of_device > 0.8, "{target}: {missed} {of_device}");
        let (missed, of_device) = shares(16, "half");
        assert!((0.35..0.65).contains(&missed) && (0.3..0.75).contains(&of_device), "{target}: {missed} {of_device}");
    }
}
