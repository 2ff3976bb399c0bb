//! `dbdyno list`, completions, manual, schema.

use crate::bench::Bench;

#[test]
fn the_catalogue_is_listed_in_its_order() {
    let output = Bench::new().succeed(&["list", "tests"]);
    let place = |code: &str| output.out.find(code).unwrap_or_else(|| panic!("no {code} in\n{}", output.out));
    assert!(place("C11") < place("T131") && place("T131") < place("T611") && place("T611") < place("T716"));
}

#[test]
fn engines_are_listed_with_what_they_are() {
    let output = Bench::new().succeed(&["list", "engines"]);
    assert!(output.out.contains("SQLite") && output.out.contains("PostgreSQL"), "{}", output.out);
}

#[test]
fn records_are_listed_also_beside_a_broken_one() {
    let bench = Bench::new();
    bench.succeed(&["run", "--preset", "smoke", "--jobs", "1", "--tests", "C11"]);
    std::fs::write(bench.path().join("dbdyno-broken.jsonl"), "{").unwrap();
    let output = bench.succeed(&["list", "records"]);
    assert!(output.out.contains("finished"), "{}", output.out);
    assert!(output.out.contains("dbdyno-broken.jsonl"), "{}", output.out);
}

#[test]
fn control_characters_of_a_record_are_not_printed() {
    let bench = Bench::new();
    bench.succeed(&["run", "--preset", "smoke", "--jobs", "1", "--tests", "T611", "--record", "r.json"]);
    let mut record = bench.record("r.json");
    record["engine"]["title"] = "evil\u{1b}[2J\u{202e}\nengine".into();
    bench.write_record("r.json", &record);
    std::fs::rename(bench.path().join("r.json"), bench.path().join("r\u{1b}[31m.json")).unwrap();
    let output = bench.succeed(&["list", "records"]);
    // The record, and its result.
    assert_eq!(output.out.lines().count(), 2, "{:?}", output.out);
    assert!(output.out.contains("\n    T611 primary key access: "), "{:?}", output.out);
    assert!(output.out.contains("  evil [2J engine ") && output.out.contains("r [31m.json  20"), "{:?}", output.out);
    assert!(!output.out.contains(['\u{1b}', '\u{202e}']), "{:?}", output.out);
}

#[test]
fn completions_and_manual_are_generated() {
    let bench = Bench::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(bench.succeed(&["completions", shell]).out.contains("dbdyno"));
    }
    assert!(bench.succeed(&["man"]).out.contains(".TH"));
    std::fs::create_dir(bench.path().join("pages")).unwrap();
    bench.succeed(&["man", "--out", "pages"]);
    assert!(bench.path().join("pages/dbdyno-run.1").exists());
}

#[test]
fn the_schema_is_the_published_one() {
    let output = Bench::new().succeed(&["schema"]);
    let published = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema/record-v1.json");
    assert_eq!(output.out, std::fs::read_to_string(published).unwrap());
}

#[test]
fn help_has_examples() {
    let bench = Bench::new();
    let output = bench.succeed(&["run", "--help"]);
    for word in ["Examples:", "--target", "local:postgres", "--resume"] {
        assert!(output.out.contains(word), "{}", output.out);
    }
    assert_eq!(bench.run(&[]).code, 2, "without a verb it prints help");
}
