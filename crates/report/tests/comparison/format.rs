//! A comparison for pipelines: Markdown, JUnit, lines of values.

use dbdyno_report::{ComparisonView, comparison, comparison_csv, comparison_junit};
use model::{Gate, System};
use proptest::prelude::*;
use roxmltree::{Document, Node};

use crate::fixture::{book, compared, pair, published};

fn junit(systems: &[System], gate: Option<&Gate>) -> String {
    let comparison = compared(systems);
    comparison_junit(&ComparisonView { systems, comparison: &comparison, prices: &[], gate })
}

fn named<'a>(document: &'a Document<'_>, tag: &str) -> Vec<Node<'a, 'a>> {
    document.descendants().filter(|node| node.has_tag_name(tag)).collect()
}

#[test]
fn a_case_for_each_test_and_a_failure_where_the_gate_is_violated() {
    let gate: Gate = "slower>2%,T999:slower".parse().unwrap();
    let xml = junit(&pair(), Some(&gate));
    let document = Document::parse(&xml).unwrap();
    let suite = named(&document, "testsuite")[0];
    let cases = named(&document, "testcase");
    assert_eq!(suite.attribute("tests"), Some(cases.len().to_string().as_str()));
    let failed = |case: &&Node<'_, '_>| case.children().any(|child| child.has_tag_name("failure"));
    let names: Vec<&str> = cases.iter().filter(failed).map(|case| case.attribute("name").unwrap()).collect();
    assert_eq!(names, ["T621 secondary key access, B against A", "T999"]);
    assert_eq!(suite.attribute("failures"), Some("2"));
    let skipped: Vec<&str> =
        named(&document, "skipped").iter().map(|node| node.attribute("message").unwrap()).collect();
    assert_eq!(suite.attribute("skipped"), Some("3"), "{skipped:?}");
    assert!(skipped.iter().any(|why| why.starts_with("incomparable: different durability")), "{skipped:?}");
    assert!(skipped.contains(&"only on B"), "{skipped:?}");
}

#[test]
fn without_a_gate_nothing_fails() {
    let xml = junit(&pair(), None);
    assert!(named(&Document::parse(&xml).unwrap(), "failure").is_empty());
    assert!(xml.contains("SLOWER -20."), "{xml}");
}

#[test]
fn markdown_is_a_table_that_no_name_breaks() {
    let [a, mut b] = pair();
    b.title = "a | b <img src=x> @everyone `x` #1".to_owned();
    b.tests[1].title = "ignored".to_owned();
    let systems = [a, b, published()];
    let compared = compared(&systems);
    let gate: Gate = "slower>2%".parse().unwrap();
    let prices = [Some(book(10_000.0)), Some(book(11_000.0)), systems[2].price.clone()];
    let view = ComparisonView { systems: &systems, comparison: &compared, prices: &prices, gate: Some(&gate) };
    let markdown = comparison(&view).comment();
    insta::assert_snapshot!(markdown);
    assert!(!markdown.contains("<img") && !markdown.contains("@everyone"), "{markdown}");
    // Each line of a table has as many cells as the line before.
    let bars = |line: &str| line.replace("\\|", "").matches('|').count();
    let lines: Vec<&str> = markdown.lines().collect();
    for pair in lines.windows(2).filter(|pair| pair.iter().all(|line| line.starts_with('|'))) {
        assert_eq!(bars(pair[0]), bars(pair[1]), "{pair:#?}");
    }
}

#[test]
fn values_are_exact_and_what_cannot_be_compared_has_none() {
    let systems = pair();
    let comparison = compared(&systems);
    let view = ComparisonView { systems: &systems, comparison: &comparison, prices: &[], gate: None };
    let text = comparison_csv(&view);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let heads: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let lines: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let value = |test: &str, head: &str| {
        let line = lines.iter().find(|line| &line[2] == test && &line[5] == "best").unwrap();
        line[heads.iter().position(|name| name == head).unwrap()].to_owned()
    };
    let ratio: f64 = value("T621", "ratio").parse().unwrap();
    let compared_test =
        comparison.tests.iter().find(|test| test.code == "T621").unwrap().compared_tests[1].as_ref().unwrap();
    assert_eq!(ratio, compared_test.headline.as_ref().unwrap().shift.ratio);
    assert_eq!((value("T621", "verdict"), value("T621", "evidence")), ("SLOWER".into(), "paired, 10 pairs".into()));
    assert_eq!((value("T716", "verdict"), value("T716", "ratio")), ("INCOMPARABLE".into(), String::new()));
    assert_eq!(value("T716", "service_p99_ratio"), "", "no ratio of what cannot be compared");
    assert!(value("T621", "service_p99_ratio").parse::<f64>().is_ok());
    assert!(value("T716", "reason").contains("different durability"));
    assert_eq!(value("T311", "base_per_second"), "", "invalid");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_a_system_is_called_the_xml_is_well_formed(name in any::<String>(), title in any::<String>()) {
        let [mut a, mut b] = pair();
        (a.title, b.name) = (title.clone(), name);
        b.tests[0].title = title.clone();
        a.tests[2].code = title;
        let xml = junit(&[a, b], Some(&"slower>2%".parse().unwrap()));
        prop_assert!(Document::parse(&xml).is_ok(), "{xml}");
    }
}
