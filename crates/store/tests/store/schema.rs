//! The published schemas are those of the types, and records conform to them.

use std::fs;
use std::path::PathBuf;

use dbdyno_store::Form;
use record::{
    Check, JudgedWarning, Judgement, RecordDocument, ResultClass, RunCounts, RunVerdict, TestVerdict, Verdict,
    WarningSubject,
};
use serde_json::{Value, json};

use crate::file::lines;
use crate::sample;

const FORMS: [Form; 3] = [Form::Line, Form::Document, Form::LoadProfile];

fn published(form: Form) -> (PathBuf, Option<Value>) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../schema").join(form.file_name());
    let text = fs::read_to_string(&path).unwrap_or_default();
    (path, serde_json::from_str(&text).ok())
}

#[test]
fn the_published_schemas_are_current() {
    for form in FORMS {
        let (path, published) = published(form);
        // As values: the order of keys is irrelevant.
        assert!(
            published == Some(dbdyno_store::schema(form)),
            "{} is not current; renew it with\n    cargo run -p dbdyno-store --example schema -- schema",
            path.display(),
        );
    }
}

/// Verdicts of every kind; whether they are right is not the schema's.
fn judgement() -> Judgement {
    let warning = |subject: WarningSubject| JudgedWarning {
        verdict: Verdict::Warn,
        subject,
        text: "the rate fell".to_owned(),
        tests: vec!["T611".to_owned()],
        runs: vec![1],
    };
    Judgement {
        result_class: ResultClass::FirstLook,
        good_for: "a first look".to_owned(),
        is_basis: false,
        obstacles: vec!["one run of T611".to_owned()],
        doubtful_results: vec!["T611".to_owned()],
        counts: RunCounts { runs: 1, with_warnings: 1, ..RunCounts::default() },
        runs: vec![RunVerdict { run: 1, verdict: Verdict::Warn }],
        tests: vec![TestVerdict { test: "T611".to_owned(), verdict: Verdict::Warn }],
        warnings: [
            WarningSubject::Abort,
            WarningSubject::Check(Check::Steal),
            WarningSubject::Gain,
            WarningSubject::Drift,
            WarningSubject::State,
        ]
        .map(warning)
        .into(),
    }
}

/// `record` in `form`.
fn written(record: &record::Record, form: Form) -> Vec<Value> {
    match form {
        Form::Line => lines(record).lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
        Form::Document => vec![json!(RecordDocument { record, judgement: judgement() })],
        Form::LoadProfile => Vec::new(),
    }
}

#[test]
fn records_conform_to_the_published_schemas() {
    for form in FORMS {
        let validator = jsonschema::validator_for(&published(form).1.unwrap()).unwrap();
        for value in [sample::full(), sample::sparse()].iter().flat_map(|record| written(record, form)) {
            let errors: Vec<String> =
                validator.iter_errors(&value).map(|error| format!("{}: {error}", error.instance_path())).collect();
            assert!(errors.is_empty(), "{errors:#?}");
        }
    }
}

#[test]
fn every_kind_of_line_conforms_to_the_published_schema() {
    let validator = jsonschema::validator_for(&published(Form::Line).1.unwrap()).unwrap();
    let planned = sample::full().plan.runs.remove(0);
    let kept = [
        json!(record::Line::<()>::Planned(planned)),
        json!(record::Line::<()>::Unplanned { numbers: vec![3] }),
        json!(record::Line::<()>::Resumed { repeated: vec![3] }),
        json!(record::Line::<()>::Unproved(Vec::new())),
    ];
    assert!(kept.iter().all(|line| validator.is_valid(line)), "{kept:#?}");
    for line in
        [json!({"resumed": {}}), json!({"paused": {}}), json!({"end": {}, "resumed": {"repeated": []}}), json!("end")]
    {
        assert!(!validator.is_valid(&line), "{line}");
    }
}

#[test]
fn other_documents_do_not_conform() {
    let spoiled = |form: Form, place: usize, spoil: &dyn Fn(&mut Value)| {
        let mut value = written(&sample::full(), form).remove(place);
        spoil(&mut value);
        !jsonschema::validator_for(&dbdyno_store::schema(form)).unwrap().is_valid(&value)
    };
    let document = |spoil: fn(&mut Value)| spoiled(Form::Document, 0, &spoil);
    assert!(!document(|_| {}));
    assert!(document(|value| value["schema_version"] = json!(3)));
    assert!(document(|value| value["surprise"] = json!(1)));
    let head = |spoil: fn(&mut Value)| spoiled(Form::Line, 0, &|line| spoil(&mut line["head"]));
    assert!(head(|value| value["schema_version"] = json!(3)));
    assert!(head(|value| value["surprise"] = json!(1)));
    for spoil in [
        (|run| run["totals"]["steps"] = json!(-1)) as fn(&mut Value),
        |run| run["layer"] = json!("session"),
        |run| drop(run.as_object_mut().unwrap().remove("window_ns")),
    ] {
        assert!(spoiled(Form::Document, 0, &|value| spoil(&mut value["runs"][0])));
        assert!(spoiled(Form::Line, 2, &|line| spoil(&mut line["run"])));
    }
}

#[test]
fn a_load_profile_conforms_to_the_published_schema() {
    let text = fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/store/load.json")).unwrap();
    let profile = dbdyno_store::parse_load_profile(text.as_bytes()).unwrap();
    let validator = jsonschema::validator_for(&published(Form::LoadProfile).1.unwrap()).unwrap();
    let mut value: Value = serde_json::from_str(&dbdyno_store::load_profile_text(&profile)).unwrap();
    assert!(validator.is_valid(&value) && validator.is_valid(&serde_json::from_str(&text).unwrap()));
    value["version"] = json!(2);
    assert!(!validator.is_valid(&value));
}
