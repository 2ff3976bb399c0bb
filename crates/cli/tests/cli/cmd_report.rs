//! `dbdyno report`: the same record, in every form, valid by the published schema.

use crate::bench::Bench;

#[test]
fn a_record_is_valid_by_the_published_schema_and_shown_in_every_form() {
    let bench = Bench::new();
    let run = ["run", "--preset", "smoke", "--jobs", "1,2", "--tests", "T611,T616,P111", "--record", "r.json"];
    let sheet = bench.succeed(&run).out;
    let schema: serde_json::Value = serde_json::from_str(&bench.succeed(&["schema"]).out).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let record = bench.record("r.json");
    let faults: Vec<String> = validator.iter_errors(&record).map(|fault| fault.to_string()).collect();
    assert!(faults.is_empty(), "{faults:#?}");
    assert_eq!(bench.succeed(&["report", "r.json"]).out, sheet, "a report is the sheet that the run printed");
    let json: serde_json::Value =
        serde_json::from_str(&bench.succeed(&["report", "r.json", "--format", "json"]).out).unwrap();
    assert_eq!(json, record);
    let csv = bench.succeed(&["report", "r.json", "--format", "csv"]).out;
    assert_eq!(csv.lines().count(), 1 + 6, "{csv}");
}
