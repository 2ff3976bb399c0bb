//! Scans of loaded tables.

use record::{Dop, Evidence, Finding, LoadModel, RunKind, Scan, ScanKind, Verdict};

use super::*;

/// Two scans of a table of 3 MB in a second and a half.
fn scanned(number: u32, scan: Scan) -> Run {
    let mut scanned = run(number);
    (scanned.test, scanned.kind) = (scan.code(), RunKind::Scan(scan));
    scanned.dop = Dop { nodes: 1, jobs: 1, threads: 4 };
    (scanned.totals.rows, scanned.totals.transactions) = (30_000, 2);
    (scanned.totals.bytes, scanned.data_bytes) = (Some(Bytes(6_000_000)), Some(Bytes(1_500_000)));
    scanned
}

#[test]
fn a_scan_is_a_row() {
    let directory = tempfile::tempdir().unwrap();
    let compressed = LoadModel { partitioned: false, compressed: true };
    let cold = scanned(1, Scan { kind: ScanKind::Sum, model: compressed, is_cold: true });
    let mut invalid = scanned(2, Scan { kind: ScanKind::Report, model: LoadModel::default(), is_cold: false });
    invalid.findings = vec![Finding::new(Verdict::Fail, Evidence::Steal(None))];
    let mut export = Export::begin(directory.path(), Format::Csv, Existing::Replace).unwrap();
    export.add(Record { runs: vec![cold, invalid, run(3)], ..record() }).unwrap();
    export.finish().unwrap();
    let scans = csv_rows(&directory.path().join("scans.csv"));
    let cell = |row: usize, name: &str| scans[row].get(name).map(String::as_str);
    assert_eq!(scans.len(), 2);
    assert_eq!((cell(0, "compressed"), cell(0, "cold"), cell(0, "threads")), (Some("true"), Some("true"), Some("4")));
    assert_eq!(
        (cell(0, "table_bytes_per_second"), cell(0, "flat_bytes_per_second")),
        (Some("4000000"), Some("2000000"))
    );
    assert_eq!((cell(0, "probe"), cell(0, "scans")), (None, Some("2")));
    assert_eq!((cell(1, "invalid"), cell(1, "cold"), cell(1, "rows_per_second")), (Some("true"), Some("false"), None));
}
