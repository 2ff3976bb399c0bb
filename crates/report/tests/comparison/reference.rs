//! Published systems on a terminal.

use dbdyno_report::Style;
use model::{Cell, Claim, FactTable};
use record::Rate;

use crate::fixture::{book, published};

#[test]
fn the_sheet_of_a_published_system_in_the_columns_of_its_report() {
    let mut system = published();
    system.claims.push(Claim {
        test: "T611".to_owned(),
        n: 128,
        rate: Rate(7e6),
        bytes_per_second: Some(Rate(55.4e9)),
        text: "extrapolated".to_owned(),
    });
    system.tables.push(FactTable {
        title: "waits".to_owned(),
        columns: vec!["event".to_owned(), "s".to_owned()],
        rows: vec![vec![Cell::Text("cursor".to_owned()), Cell::Number(576.0)], vec![Cell::Absent, Cell::Number(0.5)]],
        curves: false,
    });
    insta::assert_snapshot!(dbdyno_report::system(&system, None).text(Style::default(), 80));
}

#[test]
fn prices_of_the_reader_take_the_place_of_published_ones() {
    let of = |prices| dbdyno_report::system(&published(), prices).text(Style::default(), 80);
    assert!(of(None).contains("CHF 800,000") && of(Some(&book(500.0))).contains("CHF 400 over"));
}

#[test]
fn references_are_listed_with_year_source_and_tests() {
    let text = dbdyno_report::references(&[published()]).text(Style::default(), 120);
    for words in ["sample-2012  2012  Sample 9000", "Sample Ltd, report", "T611, T721"] {
        assert!(text.contains(words), "no {words} in\n{text}");
    }
}
