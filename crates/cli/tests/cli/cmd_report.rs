//! `dbdyno report`: a record in every format, valid by the published schema.

use crate::bench::Bench;

#[test]
fn a_record_is_valid_by_the_published_schema_and_shown_in_every_form() {
    let bench = Bench::new();
    let run = ["run", "--preset", "smoke", "--jobs", "1,2", "--tests", "T611,T616,C11", "--record", "r.json"];
    let sheet = bench.succeed(&run).out;
    let keeps = |schema: &str, text: &str| {
        let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
        let value = serde_json::from_str(text).unwrap();
        let faults: Vec<String> = validator.iter_errors(&value).map(|fault| fault.to_string()).collect();
        assert!(faults.is_empty(), "{faults:#?}");
    };
    let schema = bench.succeed(&["schema"]).out;
    let lines = std::fs::read_to_string(bench.path().join("r.json")).unwrap();
    assert!(lines.lines().count() >= 8, "a head, six runs, an end");
    lines.lines().for_each(|line| keeps(&schema, line));
    let document = bench.succeed(&["report", "r.json", "--format", "json"]).out;
    keeps(include_str!("../../../../schema/record-document-v1.json"), &document);
    assert_eq!(bench.succeed(&["report", "r.json"]).out, sheet, "a report is the sheet that the run printed");
    let mut document: serde_json::Value = serde_json::from_str(&document).unwrap();
    let judgement = document.as_object_mut().unwrap().remove("judgement").unwrap();
    assert_eq!(document, bench.record("r.json"));
    assert_eq!(judgement["runs"].as_array().unwrap().len(), 6, "{judgement}");
    let csv = bench.succeed(&["report", "r.json", "--format", "csv"]).out;
    assert_eq!(csv.lines().count(), 1 + 6, "{csv}");
}

/// The error of the program: a mistake of the user.
fn refused(bench: &Bench, arguments: &[&str]) -> String {
    let output = bench.run(arguments);
    assert_eq!(output.code, 2, "dbdyno {}\n{}", arguments.join(" "), output.err);
    output.err
}

#[test]
fn a_page_is_written_beside_the_record_and_over_nothing_but_a_page() {
    let bench = Bench::new();
    bench.succeed(&["run", "--preset", "smoke", "--jobs", "1,2", "--tests", "T611,C11", "--record", "r.json"]);
    let output = bench.succeed(&["report", "r.json", "--html", "r.html"]).out;
    assert_eq!(output, "page in r.html\n");
    let page = std::fs::read_to_string(bench.path().join("r.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>"));
    for part in ["T611", "C11", "Full disclosure", "SHA-256 of the file"] {
        assert!(page.contains(part), "no {part}");
    }
    bench.succeed(&["report", "r.json", "--html", "r.html"]);
    let before = bench.record("r.json");
    assert!(refused(&bench, &["report", "r.json", "--html", "r.json"]).contains("is the record itself"));
    assert!(refused(&bench, &["report", "r.json", "--html", "./r.json"]).contains("exists and is not a page"));
    assert_eq!(bench.record("r.json"), before);
    assert!(
        refused(&bench, &["report", "r.json", "--html", "p.html", "--format", "csv"]).contains("cannot be used with")
    );
}

#[test]
fn a_record_beside_another_one_says_how_much_faster_each_workload_is() {
    let bench = Bench::new();
    let run = |name: &str| {
        bench.succeed(&["run", "--preset", "smoke", "--jobs", "1", "--tests", "T611,T131", "--record", name]);
    };
    run("old.jsonl");
    run("new.jsonl");
    let measured = ["run", "--preset", "smoke", "--jobs", "1", "--tests", "T611", "--beside", "old.jsonl"];
    // A build for tests measures nothing that can be compared.
    for words in [
        &["report", "new.jsonl", "--beside", "old.jsonl"][..],
        &["report", "new.jsonl", "--beside", "old.jsonl", "--details"],
        &["report", "new.jsonl", "--beside", "old.jsonl", "--format", "markdown"],
        &measured,
    ] {
        let text = bench.succeed(words).out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("beside") && text.contains(" with old.jsonl: "), "{words:?}: {text}");
    }
    let error = refused(&bench, &["report", "new.jsonl", "--beside", "gone.jsonl"]);
    assert!(error.contains("gone.jsonl cannot be read"), "{error}");
    assert!(refused(&bench, &["report", "new.jsonl", "--beside", "nobody"]).contains("neither a file nor a published"));
    assert!(refused(&bench, &["report", "hp-dl980", "--beside", "old.jsonl"]).contains("published system"));
    assert!(
        refused(&bench, &["report", "new.jsonl", "--beside", "old.jsonl", "--format", "csv"])
            .contains("--format csv shows nothing")
    );
    // What cannot be compared is said before anything is measured.
    let before = bench.files().len();
    refused(&bench, &["run", "--preset", "smoke", "--tests", "T611", "--beside", "gone.jsonl"]);
    assert_eq!(bench.files().len(), before);
    bench.succeed(&["run", "--preset", "smoke", "--jobs", "1", "--tests", "C11", "--record", "other.jsonl"]);
    let error = refused(&bench, &["report", "other.jsonl", "--beside", "old.jsonl"]);
    assert!(error.contains("old.jsonl has no test of this record") && error.contains("hint: "), "{error}");
}

#[test]
fn markdown_has_what_the_page_has() {
    let bench = Bench::new();
    bench.succeed(&["run", "--preset", "smoke", "--jobs", "1,2", "--tests", "T611,C11", "--record", "r.jsonl"]);
    let text = bench.succeed(&["report", "r.jsonl", "--format", "markdown"]).out;
    for part in ["# dbdyno: SQLite on ", "\n## Workloads\n", "\n## Spec sheet\n", "Full disclosure", "| T611 |"] {
        assert!(text.contains(part), "no {part:?}\n{text}");
    }
}

#[test]
fn prices_are_read_and_their_errors_are_reported() {
    let bench = Bench::new();
    bench.succeed(&["run", "--preset", "smoke", "--jobs", "1", "--tests", "T611", "--record", "r.json"]);
    let book = |price: &str| {
        let text = format!(
            "currency = \"EUR\"\ndate = \"2026-01-31\"\nsource = \"an offer\"\n[[item]]\nname = \"server\"\nkind = \"once\"\n\
             quantity = 1\nlist_price = {price}\ndiscount = 0.2\n"
        );
        std::fs::write(bench.path().join("p.toml"), text).unwrap();
    };
    book("10000");
    assert!(bench.succeed(&["report", "r.json", "--prices", "p.toml"]).out.contains("EUR 8,000 over 3 years"));
    bench.succeed(&["report", "r.json", "--prices", "p.toml", "--html", "r.html"]);
    assert!(std::fs::read_to_string(bench.path().join("r.html")).unwrap().contains("Cost per throughput in EUR"));
    book("-1");
    assert!(refused(&bench, &["report", "r.json", "--prices", "p.toml"]).contains("-1"));
    assert!(refused(&bench, &["report", "r.json", "--prices", "none.toml"]).contains("none.toml"));
}

#[test]
fn a_published_system_is_shown_by_its_name() {
    let bench = Bench::new();
    let text = bench.succeed(&["report", "hp-dl980"]).out;
    assert!(text.contains("Benchware Ltd"), "{text}");
    bench.succeed(&["report", "hp-dl980", "--html", "hp.html"]);
    assert!(std::fs::read_to_string(bench.path().join("hp.html")).unwrap().contains("not measured by dbdyno"));
    assert!(
        refused(&bench, &["report", "hp-dl980", "--format", "csv"]).contains("a published system has no format csv")
    );
    let refused = refused(&bench, &["report", "nobody"]);
    assert!(refused.contains("there is no record nobody") && refused.contains("hint"), "{refused}");
}
