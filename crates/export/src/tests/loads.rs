//! Loads as tables.

use record::{Evidence, Finding, IndexTime, Load, LoadForm, LoadModel, LoadStage, LoadStageKind, Verdict};

use super::*;

/// A megabyte in a second and a half, of which one thread was at work for one second.
fn loaded(number: u32) -> Run {
    let mut loaded = run(number);
    loaded.test = "L100@compressed".to_owned();
    loaded.totals.bytes = Some(Bytes(1_500_000));
    let stage = LoadStage {
        kind: LoadStageKind::Send,
        threads: 2,
        busy_ns: Nanos(1_500_000_000),
        cpu_ns: None,
        bytes: Bytes(1_500_000),
    };
    loaded.load = Some(Box::new(Load {
        model: LoadModel { partitioned: false, compressed: true },
        form: LoadForm::AsIs,
        source: "cards.tbl".to_owned(),
        compression: "none".to_owned(),
        layout: "cards".to_owned(),
        input_bytes: Bytes(1_500_000),
        flat_bytes: Bytes(1_500_000),
        batch_bytes: Bytes(1_000),
        batches: 1_500,
        rows: 15_000,
        rejected_rows: 3,
        resumed_rows: 0,
        retried_batches: 1,
        deferred_batches: 1_500,
        notes: Vec::new(),
        in_flight_bytes_max: Bytes(9_000),
        stages: vec![stage],
        table_bytes: Some(Bytes(750_000)),
        index_bytes: None,
        indexes: IndexTime::After,
        index_build_ns: Some(Nanos(7)),
        first_query_ns: None,
        checked: Vec::new(),
    }));
    loaded
}

#[test]
fn a_load_is_a_row_and_so_is_each_of_its_stages() {
    let directory = tempfile::tempdir().unwrap();
    let mut invalid = loaded(2);
    invalid.findings = vec![Finding::new(Verdict::Fail, Evidence::Steal(None))];
    let mut export = Export::begin(directory.path(), Format::Csv, Existing::Replace).unwrap();
    export.add(Record { runs: vec![loaded(1), invalid], ..record() }).unwrap();
    export.finish().unwrap();
    let loads = csv_rows(&directory.path().join("loads.csv"));
    let cell = |row: usize, name: &str| loads[row].get(name).map(String::as_str);
    assert_eq!(
        (cell(0, "compressed"), cell(0, "form"), cell(0, "indexes")),
        (Some("true"), Some("as_is"), Some("after"))
    );
    assert_eq!((cell(0, "flat_bytes_per_second"), cell(0, "flat_over_table")), (Some("1000000"), Some("2")));
    assert_eq!((cell(0, "index_bytes"), cell(0, "server_cpus")), (None, None), "a figure without a source is empty");
    assert_eq!(
        (cell(1, "invalid"), cell(1, "flat_bytes_per_second"), cell(1, "flat_over_table")),
        (Some("true"), None, None)
    );
    let stages = csv_rows(&directory.path().join("load_stages.csv"));
    let cell = |row: usize, name: &str| stages[row].get(name).map(String::as_str);
    assert_eq!((cell(0, "stage"), cell(0, "busy_ratio"), cell(0, "cpu_ns")), (Some("send"), Some("0.5"), None));
    assert_eq!((cell(1, "busy_ratio"), stages.len()), (None, 2));
}
