//! A comparison on a terminal.

use dbdyno_report::{ComparisonView, Style, comparison, comparison_csv, comparison_junit};
use model::{Fact, FactGroup, FactSize, FactValue, Gate, Origin, System};
use record::Bytes;

use crate::fixture::{book, compared, pair, published};

fn text(systems: &[System], width: usize) -> String {
    let compared = compared(systems);
    let view = ComparisonView { systems, comparison: &compared, prices: &[], gate: None };
    comparison(&view).text(Style::default(), width)
}

#[test]
fn both_sides_of_a_pair_at_80_columns() {
    insta::assert_snapshot!(text(&pair(), 80));
}

#[test]
fn with_prices_a_gate_and_a_published_system_at_100_columns() {
    let [a, b] = pair();
    let systems = [a, b, published()];
    let compared = compared(&systems);
    let gate: Gate = "slower>2%,incomparable".parse().unwrap();
    let prices = [Some(book(10_000.0)), Some(book(11_000.0)), systems[2].price.clone()];
    let view = ComparisonView { systems: &systems, comparison: &compared, prices: &prices, gate: Some(&gate) };
    insta::assert_snapshot!(comparison(&view).text(Style::default(), 100));
}

#[test]
fn a_published_fact_that_reads_as_the_measured_one_is_no_difference() {
    let differing = |published_memory: &str| {
        let fact = |value| Fact { group: FactGroup::Machine, name: "memory".to_owned(), value };
        let [mut measured, _] = pair();
        let mut other = published();
        measured.facts = vec![fact(FactValue::Size(FactSize(Bytes(64 << 30))))];
        other.facts = vec![fact(FactValue::Text(published_memory.to_owned()))];
        let systems = [measured, other];
        let compared = compared(&systems);
        let view = ComparisonView { systems: &systems, comparison: &compared, prices: &[], gate: None };
        let forms =
            [comparison(&view).text(Style::default(), 100), comparison(&view).comment(), comparison(&view).html()];
        forms.map(|form| form.contains(published_memory))
    };
    assert_eq!(differing("64 GiB"), [false; 3]);
    assert_eq!(differing("64 GB"), [true; 3]);
}

/// The two sides as if each had been measured on its own.
fn unpaired() -> [System; 2] {
    pair().map(|mut system| {
        if let Origin::Measured { paired, .. } = &mut system.origin {
            *paired = None;
        }
        system
    })
}

#[test]
fn a_verdict_that_does_not_rest_on_pairs_says_so_in_every_form() {
    let systems = unpaired();
    let compared = compared(&systems);
    let view = ComparisonView { systems: &systems, comparison: &compared, prices: &[], gate: None };
    let text = comparison(&view).text(Style::default(), 100);
    assert!(text.contains("SLOWER, unpaired") && text.contains("Unpaired: the machine may have changed"), "{text}");
    let narrow = comparison(&view).text(Style::default(), 80);
    assert!(narrow.contains("SLOWER, unpaired"), "{narrow}");
    assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
    assert!(comparison(&view).comment().contains("| SLOWER, unpaired |"));
    assert!(comparison_junit(&view).contains("SLOWER, unpaired -20."));
    let page = comparison(&view).html();
    assert!(page.contains("SLOWER, unpaired") && !page.contains("<strong>SLOWER"), "it is not bold");
}

#[test]
fn a_change_at_another_degree_than_the_best_says_where_it_is() {
    let [mut a, b] = pair();
    let position = a.tests.iter().position(|test| test.code == "T621").unwrap();
    // The base is best at 2 jobs, by little: both together give most at 4.
    for rate in &mut a.tests[position].points[1].rates {
        rate.per_second.0 *= 1.7;
    }
    let systems = [a, b];
    let compared = compared(&systems);
    let view = ComparisonView { systems: &systems, comparison: &compared, prices: &[], gate: None };
    let text = comparison(&view).text(Style::default(), 120);
    let joined = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(joined(&text).contains("change at J4 on both"), "{text}");
    assert_eq!(text.matches("on both").count(), 1, "only where it is not at the best of each\n{text}");
    assert!(comparison(&view).comment().contains("change at J4 on both"));
    assert!(comparison(&view).html().contains("change at J4 on both"));
}

#[test]
fn a_gate_to_which_nothing_came_fails_in_every_form() {
    let [a, mut b] = pair();
    b.tests.iter_mut().for_each(|test| test.pace = record::Pace::Rate { steps_per_second: 1.0 });
    let systems = [a, b];
    let compared = compared(&systems);
    let gate: Gate = "slower>2%".parse().unwrap();
    let view = ComparisonView { systems: &systems, comparison: &compared, prices: &[], gate: Some(&gate) };
    let text = comparison(&view).text(Style::default(), 100);
    assert!(text.contains("all tests: nothing was compared"), "{text}");
    let xml = comparison_junit(&view);
    assert!(xml.contains("failures=\"1\"") && xml.contains("name=\"all tests\""), "{xml}");
}

#[test]
fn no_line_is_wider_than_the_page_and_ascii_is_ascii() {
    let [a, mut b] = pair();
    b.facts[0].value = model::FactValue::Text("a very long name of a processor ".repeat(9));
    b.title = "\u{1b}[2Jinjected".to_owned();
    for width in [20, 60, 70, 80, 99, 120, 300] {
        for line in text(&[a.clone(), b.clone()], width).lines() {
            assert!(line.chars().count() <= width.clamp(60, 120), "{line}");
            assert!(!line.contains('\u{1b}'), "{line}");
        }
    }
    let systems = [a, b];
    let compared = compared(&systems);
    let view = ComparisonView { systems: &systems, comparison: &compared, prices: &[], gate: None };
    assert!(comparison(&view).text(Style { colour: false, ascii: true }, 80).is_ascii());
}

#[test]
fn remarks_about_tests_that_are_not_compared_are_left_out() {
    let text = text(&pair(), 80);
    assert!(text.contains("the clock was changed") && !text.contains("rows do not add up"), "{text}");
    assert!(text.contains("T331      bulk load: only on B"), "{text}");
}

#[test]
fn what_cannot_be_compared_has_no_ratio() {
    let text = text(&pair(), 80);
    let line = text.lines().find(|line| line.starts_with("T716")).unwrap();
    assert!(line.ends_with("INCOMPARABLE") && !line.contains('%'), "{line}");
}

#[test]
fn two_currencies_have_no_ratio_with_a_reason() {
    let systems = pair();
    let compared = compared(&systems);
    let other = model::PriceBook { currency: "USD".to_owned(), ..book(11_000.0) };
    let prices = [Some(book(10_000.0)), Some(other)];
    let view = ComparisonView { systems: &systems, comparison: &compared, prices: &prices, gate: None };
    let why = "no cost relative to A: one is priced in CHF and the other in USD";
    let text = comparison(&view).text(Style::default(), 100);
    assert!(text.contains(&format!("B         {why}\n")) && !text.contains("reverses the ranking"), "{text}");
    assert!(comparison(&view).comment().contains(&format!("- **B**: {why}\n")));
    assert!(comparison(&view).html().contains(why));
    let same = [Some(book(10_000.0)), Some(book(11_000.0))];
    let view = ComparisonView { prices: &same, ..view };
    assert!(!comparison(&view).text(Style::default(), 100).contains("no cost relative to A"));
}

/// The two sides on a machine that gave less after the last pair.
fn on_a_changed_machine() -> [System; 2] {
    pair().map(|mut system| {
        if let Origin::Measured { paired: Some(paired), .. } = &mut system.origin
            && let Some(control_probe) = &mut paired.control_probe
        {
            control_probe.after = Some(record::Rate(2e9));
        }
        system
    })
}

#[test]
fn pairs_on_a_machine_that_changed_have_a_warning_in_every_form() {
    let systems = on_a_changed_machine();
    let compared = compared(&systems);
    let view = ComparisonView { systems: &systems, comparison: &compared, prices: &[], gate: None };
    let text = comparison(&view).text(Style::default(), 100);
    assert!(text.contains("SLOWER, warning") && text.contains("the machine was not steady"), "{text}");
    assert!(
        text.split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .contains("2.000 G after the last: -20.0 %; warning: the pairs may include this drift"),
        "{text}"
    );
    assert!(comparison(&view).comment().contains("| SLOWER, warning |"));
    assert!(comparison_junit(&view).contains("SLOWER, warning -20."));
    assert!(comparison_csv(&view).contains("control drift of -20 % from before the first pair to after the last"));
    let page = comparison(&view).html();
    assert!(page.contains("SLOWER, warning") && !page.contains("<strong>SLOWER"), "it is not bold");
    assert!(page.contains("A and B had an identical workload, plan sha256:0123456789abcdef"), "the hash is disclosed");
}
