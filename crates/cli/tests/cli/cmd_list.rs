//! `dbdyno list`, completions, manual, schema.

use crate::bench::Bench;

#[test]
fn the_catalogue_is_listed_in_its_order() {
    let said = Bench::new().succeed(&["list", "tests"]);
    let place = |code: &str| said.out.find(code).unwrap_or_else(|| panic!("no {code} in\n{}", said.out));
    assert!(place("P111") < place("T131") && place("T131") < place("T611") && place("T611") < place("T716"));
}

#[test]
fn engines_are_listed_with_what_they_are() {
    let said = Bench::new().succeed(&["list", "engines"]);
    assert!(said.out.contains("SQLite") && said.out.contains("PostgreSQL"), "{}", said.out);
}

#[test]
fn records_are_listed_and_a_broken_one_is_no_obstacle() {
    let bench = Bench::new();
    bench.succeed(&["run", "--preset", "smoke", "--jobs", "1", "--tests", "P111"]);
    std::fs::write(bench.path().join("dbdyno-broken.jsonl"), "{").unwrap();
    let said = bench.succeed(&["list", "records"]);
    assert!(said.out.contains("finished"), "{}", said.out);
    assert!(said.out.contains("dbdyno-broken.jsonl"), "{}", said.out);
}

#[test]
fn a_record_of_somebody_else_cannot_command_the_terminal() {
    let bench = Bench::new();
    bench.succeed(&["run", "--preset", "smoke", "--jobs", "1", "--tests", "T611", "--record", "r.json"]);
    let mut record = bench.record("r.json");
    record["engine"]["title"] = "evil\u{1b}[2J\u{202e}\nengine".into();
    bench.write_record("r.json", &record);
    std::fs::rename(bench.path().join("r.json"), bench.path().join("r\u{1b}[31m.json")).unwrap();
    let said = bench.succeed(&["list", "records"]);
    assert_eq!(said.out.lines().count(), 1, "{:?}", said.out);
    assert!(said.out.contains("  evil [2J engine ") && said.out.contains("r [31m.json  20"), "{:?}", said.out);
    assert!(!said.out.contains(['\u{1b}', '\u{202e}']), "{:?}", said.out);
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
fn the_schema_is_the_one_that_is_published() {
    let said = Bench::new().succeed(&["schema"]);
    let published = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema/record-v1.json");
    assert_eq!(said.out, std::fs::read_to_string(published).unwrap());
}

#[test]
fn help_teaches() {
    let bench = Bench::new();
    let said = bench.succeed(&["run", "--help"]);
    for word in ["Examples:", "--target", "local:postgres", "--resume"] {
        assert!(said.out.contains(word), "{}", said.out);
    }
    assert_eq!(bench.run(&[]).code, 2, "without a verb it shows what there is");
}
