//! Random blocks beside the probe of their device.

use serde_json::Value;

use crate::bench::{Bench, is_invalid, runs};
use crate::cmd_blocks::only_run;

#[test]
fn blocks_are_compared_with_the_probe_of_the_device() {
    let bench = Bench::on_disk().alone();
    let sizes = ["--scale", "4096", "--run-time", "2", "--threads", "2", "--update-pct", "0"];
    let output = bench.succeed(&[&["blocks", "--target", "sqlite", "--record", "r.json"], &sizes[..]].concat());
    let record = bench.record("r.json");
    let blocks = only_run(&record);
    if !is_invalid(blocks) {
        assert!(output.out.contains("Limits and ceilings ─") && output.out.contains("B100 J2"), "{}", output.out);
    }
    assert_eq!(blocks["number"], record["runs"].as_array().unwrap().len());
    match record["plan"]["skipped"].as_array().unwrap().as_slice() {
        [] => {
            let probe = runs(&record, "S21")[0];
            assert_eq!((&probe["number"], &probe["dop"]["jobs"]), (&1.into(), &2.into()));
            assert!(probe["totals"]["operations"].as_u64().unwrap() > 0);
            assert_eq!(blocks["ceiling"]["probe"], "S21");
        }
        // A tmpfs has no device.
        [skipped] => assert_eq!((&skipped["test"], &blocks["ceiling"]), (&"S21".into(), &Value::Null)),
        more => panic!("{more:?}"),
    }
}
