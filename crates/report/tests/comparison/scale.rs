//! The scalability of one test on a terminal.

use dbdyno_report::{LoadCurve, ScaleQuery, ScaleView, Style, scale};
use model::scalability::{LoadPoint, SharedCeiling, Weights};

use crate::fixture::{pair, published, remark};

fn text(points: &[(f64, f64)], query: ScaleQuery) -> String {
    scale(&ScaleView::new(curve(points), query)).text(Style::default(), 80)
}

fn curve(points: &[(f64, f64)]) -> LoadCurve {
    LoadCurve {
        title: "hosts.csv".to_owned(),
        unit: "IOPS".to_owned(),
        noun: "hosts".to_owned(),
        points: points.iter().map(|(n, rate)| LoadPoint::new(*n, *rate)).collect(),
        remarks: Vec::new(),
    }
}

/// The law with contention 2 % and coherency 0.2 %.
fn law(n: f64) -> f64 {
    100.0 * n / (1.0 + 0.02 * (n - 1.0) + 2e-3 * n * (n - 1.0))
}

#[test]
fn a_curve_with_knee_peak_and_picture() {
    let points: Vec<(f64, f64)> = (0..7).map(|power| f64::from(1u32 << power)).map(|n| (n, law(n))).collect();
    insta::assert_snapshot!(text(&points, ScaleQuery::default()));
}

#[test]
fn a_claim_from_one_point_is_unsupported_with_interval_and_how_far_to_measure() {
    let claim = ScaleQuery { at: Some(128.0), claim: Some(7e6), ..ScaleQuery::default() };
    let text = text(&[(3.0, 165_000.0)], claim);
    insta::assert_snapshot!(text);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for expected in ["verdict UNSUPPORTED", "to 7.040 M", "measure up to N = 128", "up to 39 for 90 % of linear"] {
        assert!(words.contains(expected), "no {expected} in\n{text}");
    }
}

#[test]
fn a_claim_above_what_is_shared_is_contradicted() {
    let points: Vec<(f64, f64)> = (0..7).map(|power| f64::from(1u32 << power)).map(|n| (n, law(n))).collect();
    let switch = SharedCeiling { name: "switch".to_owned(), capacity: Some(1_000.0) };
    let query = |rate| ScaleQuery {
        at: Some(80.0),
        claim: Some(rate),
        ceilings: vec![switch.clone()],
        ..ScaleQuery::default()
    };
    let text = words(&points, query(1_200.0));
    assert!(text.contains("verdict CONTRADICTED"), "{text}");
    assert!(!text.contains(" needed "), "more measurements would not help it\n{text}");
}

#[test]
fn what_is_added_is_what_the_points_differ_in() {
    let systems = pair();
    let curve = LoadCurve::of_test(&systems[0], &systems[0].tests[1]);
    assert_eq!((curve.noun.as_str(), curve.degrees()), ("jobs", vec![1.0, 2.0, 4.0]));
    assert_eq!(curve.points.len(), 30, "each repetition is a point");
    let mut test = published().tests[0].clone();
    test.points.truncate(1);
    test.points[0].degree.dop.nodes = 3;
    let curve = LoadCurve::of_test(&systems[0], &test);
    assert_eq!((curve.noun.as_str(), curve.degrees()), ("nodes", vec![3.0]), "a single point on three nodes");
}

#[test]
fn remarks_on_other_tests_are_left_out_and_no_others() {
    let mut systems = pair();
    let [own, other] =
        [1, 0].map(|index| remark(Some(&systems[0].tests[index].code), &format!("the rates of {index} jump")));
    systems[0].remarks = vec![own, other, remark(None, "the clock was changed")];
    let shown = LoadCurve::of_test(&systems[0], &systems[0].tests[1]).remarks;
    assert_eq!(shown, ["the rates of 1 jump", "the clock was changed"]);
}

#[test]
fn a_fit_of_unknown_scatter_has_no_knee_and_peak() {
    let points: Vec<(f64, f64)> = [1.0, 2.0, 4.0].map(|n| (n, law(n))).to_vec();
    let text = text(&points, ScaleQuery::default());
    assert!(text.contains("contention"), "{text}");
    let picture = text.split("\nCurve ").nth(1).unwrap();
    let drawn: String = picture.lines().filter(|line| line.contains(" |")).collect();
    assert!(drawn.contains('o') && !drawn.contains(['.', ':']), "{text}");
    assert!(!text.contains("\nknee ") && !text.contains("\npeak "), "{text}");
}

#[test]
fn a_ceiling_that_was_reached_is_shown_as_reached() {
    let flat = text(&[1.0, 2.0, 4.0, 8.0].map(|n| (n, 100.0)), ScaleQuery::default());
    assert!(
        flat.contains("ceiling    100.0 IOPS (95 %: ") && flat.contains("lambda/sigma,") && flat.contains("reached"),
        "{flat}"
    );
    let rising = text(&[1.0, 2.0, 4.0, 8.0].map(|n| (n, n / (1.0 + 0.05 * (n - 1.0)))), ScaleQuery::default());
    assert!(!rising.contains("reached"), "{rising}");
}

/// The text without line breaks.
fn words(points: &[(f64, f64)], query: ScaleQuery) -> String {
    text(points, query).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn html(points: &[(f64, f64)], query: ScaleQuery) -> String {
    scale(&ScaleView::new(curve(points), query)).html()
}

/// A wall at 16, each N measured three times.
fn wall() -> Vec<(f64, f64)> {
    let degrees = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];
    degrees.iter().flat_map(|n: &f64| [0.99, 1.0, 1.01].map(|shaken| (*n, 100.0 * n.min(16.0) * shaken))).collect()
}

#[test]
fn where_the_law_does_not_fit_only_what_was_measured_is_said() {
    let there = words(&wall(), ScaleQuery { at: Some(64.0), claim: Some(1_590.0), ..ScaleQuery::default() });
    let expected = [
        "limit not known: the law does not fit, rates are",
        "above the curve",
        "verdict SUPPORTED",
        "the mean of 3 runs",
    ];
    for expected in expected {
        assert!(there.contains(expected), "no {expected} in\n{there}");
    }
    let query = ScaleQuery { at: Some(100.0), claim: Some(2_000.0), ..ScaleQuery::default() };
    let page = html(&wall(), query.clone());
    let beyond = words(&wall(), query);
    for text in [&there, &beyond, &page] {
        let is_said =
            ["peak of", "peak ", "knee", "95 %: ", "ESTIMATE", "fitted,"].iter().find(|word| text.contains(*word));
        assert_eq!(is_said, None, "{text}");
    }
    for expected in ["verdict UNSUPPORTED", "interval none: the law does not fit", "estimate none"] {
        assert!(beyond.contains(expected), "no {expected} in\n{beyond}");
    }
    assert!(page.contains("none: the law does not fit") && page.contains("refused"), "{page}");
}

#[test]
fn without_significant_coherency_no_view_names_a_peak_or_a_knee() {
    let points = [1.0, 4.0, 8.0, 16.0, 32.0, 48.0, 64.0].map(|n| (n, 20.0 * n / (1.0 + 0.05 * (n - 1.0))));
    let (text, page) = (words(&points, ScaleQuery::default()), html(&points, ScaleQuery::default()));
    assert!(text.contains("limit a ceiling of 400.0 IOPS (95 %: ") && text.contains("; no peak is known"), "{text}");
    assert!(text.contains("lambda/sigma, approached asymptotically"), "{text}");
    assert!(!text.contains("knee") && !text.contains("a peak of"), "{text}");
    assert!(page.contains("a ceiling of 400.0 IOPS") && !page.contains(">knee"), "{page}");
    let linear = words(&points.map(|(n, _)| (n, 20.0 * n)), ScaleQuery::default());
    assert!(linear.contains("limit not known: neither contention nor coherency is significantly above 0"), "{linear}");
}

#[test]
fn text_and_page_say_the_same_of_a_target() {
    let points: Vec<(f64, f64)> = (0..7).map(|power| f64::from(1u32 << power)).map(|n| (n, law(n))).collect();
    for (at, claim) in [(64.0, Some(610.0)), (64.0, None), (24.0, Some(900.0)), (100.0, None), (200.0, Some(400.0))] {
        let query = ScaleQuery { at: Some(at), claim, ..ScaleQuery::default() };
        let (text, page) = (words(&points, query.clone()), html(&points, query));
        let plain = page.replace("<strong>", "").replace("</strong>", "").replace("&lt;", "<").replace("&gt;", ">");
        let facts = plain.split("<dd").skip(1).filter_map(|part| Some(part.split_once('>')?.1.split_once("</dd>")?.0));
        let facts: Vec<&str> = facts.flat_map(|fact| fact.split("<br>")).filter(|fact| !fact.is_empty()).collect();
        assert!(facts.len() > 8, "{page}");
        for fact in facts {
            assert!(text.contains(fact), "{at}: no {fact} in\n{text}");
        }
    }
}

#[test]
fn the_weights_of_the_fit_are_named() {
    let points: Vec<(f64, f64)> = (0..7).map(|power| f64::from(1u32 << power)).map(|n| (n, law(n))).collect();
    for (weights, named) in [(Weights::Relative, "weights relative: "), (Weights::Absolute, "weights absolute: ")] {
        let query = ScaleQuery { weights, ..ScaleQuery::default() };
        let text = words(&points, query.clone());
        assert!(text.contains(named) && text.contains("sigma = 0.02000 (95 %: "), "{text}");
        assert!(html(&points, query).contains(named.trim_start_matches("weights ")));
    }
}

#[test]
fn at_a_measured_degree_run_and_band_name_their_noise() {
    let rates = [20.0, 78.0, 130.0, 170.0, 190.0, 200.0, 210.0, 230.0, 260.0, 280.0, 310.0];
    let degrees = [1.0, 4.0, 8.0, 12.0, 16.0, 20.0, 24.0, 28.0, 32.0, 48.0, 64.0];
    let points: Vec<(f64, f64)> = degrees.into_iter().zip(rates).collect();
    let text = words(&points, ScaleQuery { at: Some(64.0), ..ScaleQuery::default() });
    for expected in [
        "interval 297.8 to 322.2: the interval of the measurement, if runs repeat within 2.0 % (assumed)",
        "fitted 302.4, 270.0 to 338.7 by the law, with 95 % confidence (noise 5.7 % of a run, from the residuals)",
        "64 310.0 1 302.4 270.0 to 338.7",
    ] {
        assert!(text.contains(expected), "no {expected} in\n{text}");
    }
}
