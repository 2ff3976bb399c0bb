//! The page of a published system.

use std::collections::BTreeMap;

use crate::document::{parse, texts, xml};
use crate::drawn::html;
use crate::sample;
use dbdyno_report::SheetOptions;
use model::{
    Cell, Claim, Columns, Degree, Fact, FactGroup, FactTable, FactValue, MeasuredRate, Origin, PriceBook, PriceItem,
    PriceKind, Remark, System, SystemPoint, SystemTest,
};
use record::{Dop, Nanos, Pace, Rate, Ratio, Sweep, Unit};

fn point(jobs: u32, rate: f64, service_ns: u64) -> SystemPoint {
    SystemPoint {
        degree: Degree { dop: Dop::jobs(jobs), in_flight: None },
        rates: vec![MeasuredRate { repeat: 1, per_second: Rate(rate) }],
        columns: Columns {
            operations_per_second: Some(Rate(rate)),
            reads_per_second: Some(Rate(rate * 0.5)),
            service_mean_ns: Some(Nanos(service_ns)),
            ..Columns::default()
        },
        ..SystemPoint::default()
    }
}

/// A system of one test, with everything that a publication may have.
pub fn system() -> System {
    System {
        name: "example-2012".to_owned(),
        title: "Example & Sons <blade>".to_owned(),
        origin: Origin::Published { year: 2012, source: "an example report, table 3".to_owned() },
        facts: vec![Fact {
            group: FactGroup::Machine,
            name: "processors".to_owned(),
            value: FactValue::Text("80 cores".to_owned()),
        }],
        durability: None,
        tests: vec![SystemTest {
            is_probe: false,
            code: "T626".to_owned(),
            title: "random read".to_owned(),
            layer: None,
            unit: Unit::Block,
            sweep: Sweep::Jobs,
            pace: Pace::Unthrottled,
            data_bytes: None,
            changes: None,
            parameters: BTreeMap::new(),
            conditions: Vec::new(),
            points: vec![
                point(1, 1_500.0, 650_000),
                point(2, 2_950.0, 660_000),
                point(4, 5_700.0, 690_000),
                point(8, 10_900.0, 720_000),
                point(16, 19_800.0, 790_000),
            ],
            verdict: None,
            warnings: Vec::new(),
            note: Some("not the same device".to_owned()),
        }],
        limits: Vec::new(),
        remarks: vec![Remark::Published {
            test: None,
            text: "4 jobs at 690 µs give 5 797 per second, and 5 700 are published".to_owned(),
        }],
        price: None,
        claims: vec![Claim {
            test: "T626".to_owned(),
            n: 128,
            rate: Rate(190_000.0),
            bytes_per_second: None,
            text: "scales without limit".to_owned(),
        }],
        tables: vec![FactTable {
            title: "load over time".to_owned(),
            columns: vec!["minute".to_owned(), "MB/s".to_owned(), "remark".to_owned()],
            rows: vec![
                vec![Cell::Number(1.0), Cell::Number(410.0), Cell::Text("start".to_owned())],
                vec![Cell::Number(2.0), Cell::Number(435.0), Cell::Absent],
            ],
            curves: false,
        }],
    }
}

#[test]
fn a_published_system_is_shown_with_source_figures_contradictions_and_claims() {
    let page = dbdyno_report::system(&system(), None).html();
    let xml_of_page = xml(&page);
    let document = parse(&xml_of_page);
    assert_eq!(texts(&document, "h1"), ["Example & Sons <blade>"]);
    assert!(texts(&document, ".subtitle")[0].contains("not measured by dbdyno"));
    assert!(texts(&document, ".note.warn p")[1].starts_with("4 jobs at 690"));
    assert_eq!(texts(&document, "#runs-table tbody tr").len(), 5);
    let values = texts(&document, "#runs-table tbody td");
    assert!(values.contains(&"19.80 k".to_owned()) && values.contains(&"790 µs".to_owned()), "{values:?}");
    assert_eq!(texts(&document, "#throughput figure").len(), 1);
    let claims = texts(&document, "#claims-table tbody td");
    assert_eq!(claims, ["128", "190.0 k", "scales without limit"]);
    assert!(texts(&document, "#tables td.figure").contains(&"435".to_owned()));
    assert!(page.contains("an example report, table 3 (2012)"));
}

/// Hardware for 100 000 at 20 % discount and 10 000 a year: 110 000 in three years.
fn prices() -> PriceBook {
    let item = |name: &str, kind, list_price, discount| PriceItem {
        name: name.to_owned(),
        kind,
        quantity: 1.0,
        list_price,
        discount: Ratio(discount),
    };
    PriceBook {
        currency: "CHF".to_owned(),
        date: "2026-01-31".to_owned(),
        source: "an offer".to_owned(),
        years: 3,
        items: vec![
            item("server", PriceKind::Once, 100_000.0, 0.2),
            item("support", PriceKind::PerYear, 10_000.0, 0.0),
        ],
    }
}

#[test]
fn cost_stands_beside_throughput() {
    let book = prices();
    let options = SheetOptions { prices: Some(&book), ..SheetOptions::default() };
    let published = xml(&dbdyno_report::system(&system(), Some(&book)).html());
    let document = parse(&published);
    let cost = texts(&document, "#cost tbody tr td");
    // 110 000 over 19 800 per second.
    assert_eq!((&*cost[0], &*cost[1]), ("19.80 k blk/s", "5.556"), "{cost:?}");
    let measured = xml(&html(&sample::record(), &options));
    let document = parse(&measured);
    let tests = model::sheet(&sample::record()).lines.iter().filter(|line| line.best.is_some()).count();
    assert_eq!(texts(&document, "#cost tbody tr").len(), tests);
    assert_eq!(texts(&document, "#prices tbody tr").len(), 2);
    assert!(texts(&document, "#price p").iter().any(|text| text.contains("CHF 110,000 over 3 years")));
}
