//! Tables of published systems.

use super::*;

/// A made-up publication with something in every table.
fn publication() -> model::System {
    use model::{
        Cell, Claim, Columns, Degree, Fact, FactGroup, FactTable, FactValue, MeasuredRate, Origin, PriceBook, PriceItem,
    };
    use model::{PriceKind, System, SystemPoint, SystemTest};
    use record::{Rate, Ratio};
    let service = model::times(&Latency { count: 1, p50_ns: Nanos(7), ..Latency::default() });
    let point = |jobs: u32| SystemPoint {
        degree: Degree { dop: Dop::jobs(jobs), in_flight: None },
        rates: vec![MeasuredRate { repeat: 1, per_second: Rate(1e3 * f64::from(jobs)) }],
        columns: Columns { cpu_busy: Some(Ratio(0.5)), service, ..Columns::default() },
        ..SystemPoint::default()
    };
    let kind = PriceKind::PerCore { core_factor: 0.5 };
    System {
        name: "sample-2012".to_owned(),
        title: "Sample 9000".to_owned(),
        origin: Origin::Published { year: 2012, source: "a \"report\"".to_owned() },
        facts: vec![Fact {
            group: FactGroup::Machine,
            name: "processor".to_owned(),
            value: FactValue::Text("two, of them".to_owned()),
        }],
        durability: None,
        tests: vec![SystemTest {
            is_probe: false,
            code: "T611".to_owned(),
            title: "primary key".to_owned(),
            layer: None,
            unit: Unit::Statement,
            sweep: Sweep::Jobs,
            pace: Pace::Unthrottled,
            data_bytes: None,
            changes: None,
            parameters: BTreeMap::new(),
            conditions: Vec::new(),
            points: vec![point(1), point(2)],
            verdict: None,
            warnings: Vec::new(),
            note: None,
        }],
        limits: Vec::new(),
        remarks: vec![model::Remark::Published { test: None, text: "it contradicts itself".to_owned() }],
        price: Some(PriceBook {
            currency: "USD".to_owned(),
            date: "2012".to_owned(),
            source: "a list".to_owned(),
            years: 3,
            items: vec![PriceItem {
                name: "licences".to_owned(),
                kind,
                quantity: 8.0,
                list_price: 100.0,
                discount: Ratio(0.25),
            }],
        }),
        claims: vec![Claim {
            test: "T611".to_owned(),
            n: 128,
            rate: Rate(7e6),
            bytes_per_second: None,
            text: "128 hosts".to_owned(),
        }],
        tables: vec![FactTable {
            title: "SMT".to_owned(),
            columns: vec!["threads".to_owned(), "note".to_owned()],
            rows: vec![vec![Cell::Number(2.0), Cell::Text("x".to_owned())], vec![Cell::Absent, Cell::Absent]],
            curves: false,
        }],
    }
}

#[test]
fn a_publication_has_tables_of_its_own_in_both_formats() {
    let directory = tempfile::tempdir().unwrap();
    let written = |format: Format, name: &str| {
        let mut export = Export::begin(&directory.path().join(name), format, Existing::Refuse).unwrap();
        export.add_reference(&publication()).unwrap();
        export.finish().unwrap()
    };
    let (csv, parquet) = (written(Format::Csv, "csv"), written(Format::Parquet, "parquet"));
    assert_eq!(csv, parquet);
    let rows: Vec<(&str, usize)> = csv.tables.iter().map(|(name, rows)| (name.as_str(), *rows)).collect();
    assert_eq!(
        rows,
        [
            ("reference_points", 2),
            ("reference_facts", 1),
            ("reference_figures", 4),
            ("reference_claims", 1),
            ("reference_prices", 1),
            ("reference_remarks", 1)
        ]
    );
    assert_eq!((csv.records, csv.references), (0, 1));
    assert!(!directory.path().join("csv/runs.csv").exists(), "no record, no table of records");
    for (table, _) in rows {
        let of_csv = csv_rows(&directory.path().join(format!("csv/{table}.csv")));
        assert_eq!(of_csv, parquet_rows(&directory.path().join(format!("parquet/{table}.parquet"))), "{table}");
    }
    let text = fs::read_to_string(directory.path().join("csv/reference_points.csv")).unwrap();
    let second = text.lines().nth(2).unwrap();
    assert!(
        second.starts_with("sample-2012,2012,\"a \"\"report\"\"\",T611,primary key,,statement,1,2,1,,2000,"),
        "{second}"
    );
    let mut logs = Export::begin(&directory.path().join("hdr"), Format::Hdr, Existing::Refuse).unwrap();
    let refused = logs.add_reference(&publication()).unwrap_err();
    assert_eq!(refused.to_string(), "sample-2012 is published and has no histograms");
    assert!(refused.hint().is_some());
}
