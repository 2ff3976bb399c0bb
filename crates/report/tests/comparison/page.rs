//! The pages of a comparison and of a curve.

use dbdyno_report::{ComparisonView, LoadCurve, ScaleQuery, ScaleView, comparison, scale};
use model::{Gate, System};
use roxmltree::Document;

use crate::document::{parse, select, texts, xml};
use crate::fixture::{book, compared, pair, published};

/// The page as XML.
fn page(systems: &[System]) -> String {
    let compared = compared(systems);
    let gate: Gate = "slower>2%".parse().unwrap();
    let prices = [Some(book(10_000.0)), Some(book(11_000.0))];
    let view = ComparisonView { systems, comparison: &compared, prices: &prices, gate: Some(&gate) };
    xml(&comparison(&view).html())
}

/// Every name of an element, each once: links and labels mean one place.
fn unlike_each_other(document: &Document<'_>) {
    let mut ids: Vec<&str> =
        select(document.root(), "[id]").iter().map(|element| element.attribute("id").unwrap()).collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all);
}

#[test]
fn the_figures_of_the_page_are_those_of_the_comparison() {
    let [a, b] = pair();
    let systems = [a, b, published()];
    let text = page(&systems);
    let page = parse(&text);
    unlike_each_other(&page);
    let rows = texts(&page, "#verdicts-table tbody tr:not(.group)");
    let sides: usize = compared(&systems).tests.iter().map(|test| test.sides.iter().flatten().count()).sum();
    assert_eq!(rows.len(), sides);
    let results = texts(&page, "#results-table tbody tr");
    let verdicts = texts(&page, "#results-table strong");
    for word in ["FASTER", "SLOWER", "EQUIVALENT", "INCONCLUSIVE", "INCOMPARABLE"] {
        assert!(verdicts.iter().any(|expected| expected == word), "{word} in {verdicts:?}");
    }
    let published = results.iter().filter(|row| row.contains("no verdict")).count();
    assert!(published == 1 && !text.contains("PUBLISHED"), "{results:?}");
    // Bars of T131, T611, T621, T626, and of the published T611.
    assert_eq!(texts(&page, "#ratios figure").len(), 2);
    assert_eq!(texts(&page, "#ratios .data pre").join("\n").lines().count(), 2 + 4 + 1);
    assert_eq!(texts(&page, "#throughput figure").len(), 5, "T311 is invalid");
    assert!(texts(&page, ".note.fail").concat().contains("T621 on B"));
    assert!(texts(&page, "#prices-table").concat().contains("CHF"));
    let two = self::page(&systems[..2]);
    let differences = texts(&parse(&two), "#differences-table").concat();
    assert!(differences.contains("sample_cache") && differences.contains("default"), "{differences}");
}

#[test]
fn a_hostile_name_is_only_text() {
    let [mut a, mut b] = pair();
    for system in [&mut a, &mut b] {
        system.title = "<script>alert(1)</script>".to_owned();
        system.tests[0].title = "\"><img src=x onerror=alert(1)>".to_owned();
        system.facts[0].value = model::FactValue::Text(format!("</td><script>{}</script>", system.name));
    }
    let text = page(&[a, b]);
    let page = parse(&text);
    assert_eq!(texts(&page, "script").len(), 1, "that of the page");
    assert!(texts(&page, "img").is_empty());
}

#[test]
fn a_claim_has_its_verdict_and_its_picture() {
    let mut system = published();
    system.tests[0].points.truncate(1);
    let curve = LoadCurve::of_test(&system, &system.tests[0]);
    let query = ScaleQuery { at: Some(64.0), claim: Some(700e3), ..ScaleQuery::default() };
    let text = xml(&scale(&ScaleView::new(curve, query)).html());
    let page = parse(&text);
    unlike_each_other(&page);
    assert_eq!(texts(&page, "#claim strong"), ["UNSUPPORTED"]);
    assert_eq!(texts(&page, "#curve figure").len(), 1);
    assert_eq!(texts(&page, "#measured-table tbody tr").len(), 1);
}
