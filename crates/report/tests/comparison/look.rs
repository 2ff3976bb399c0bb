//! The pages of a comparison, of a claim and of a load in a browser. The pictures go to target/screenshots.

use std::fs;
use std::path::PathBuf;

use dbdyno_report::{ComparisonView, LoadCurve, ScaleQuery, ScaleView, comparison, load_prediction, scale};
use model::Gate;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::fixture::{book, compared, pair, published};
use crate::load_plan;

const AXE: &str = include_str!("../page/axe.min.js");

/// The pages, written into the folder of the pictures.
fn pages() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/screenshots");
    fs::create_dir_all(&folder).unwrap();
    let folder = folder.canonicalize().unwrap();
    let [a, b] = pair();
    let systems = [a, b, published()];
    let compared = compared(&systems);
    let gate: Gate = "slower>2%".parse().unwrap();
    let prices = [Some(book(10_000.0)), Some(book(11_000.0)), systems[2].price.clone()];
    let view = ComparisonView { systems: &systems, comparison: &compared, prices: &prices, gate: Some(&gate) };
    let curve = LoadCurve::of_test(&systems[2], &systems[2].tests[0]);
    let query = ScaleQuery { at: Some(64.0), claim: Some(700e3), ..ScaleQuery::default() };
    let pages = [
        ("comparison.html", comparison(&view).html()),
        ("scale.html", scale(&ScaleView::new(curve, query)).html()),
        ("load-plan.html", dbdyno_report::load_plan(&load_plan::plan()).html()),
        ("load-prediction.html", load_prediction(&load_plan::prediction()).html()),
    ];
    let write = |(name, page): (&str, String)| {
        fs::write(folder.join(name), page).unwrap();
        folder.join(name)
    };
    pages.into_iter().map(write).collect()
}

#[test]
fn the_pages_are_quiet_fit_and_can_be_used_by_everyone() {
    let mut browser = Browser::start();
    for file in pages() {
        for (width, height) in [(1280, 800), (390, 844)] {
            for scheme in ["light", "dark"] {
                let place = format!("{} {width} {scheme}", file.display());
                browser.open(&file, (width, height), scheme);
                let overflow = browser.evaluate("document.documentElement.scrollWidth - innerWidth");
                assert!(overflow.as_i64().unwrap() <= 0, "{place}: the page is {overflow} pixels too wide");
                let size = json!({"x": 0, "y": 0, "width": width, "height": 3_000, "scale": 1});
                let wanted = json!({"format": "png", "captureBeyondViewport": true, "clip": size});
                let picture = browser.bytes("Page.captureScreenshot", wanted);
                fs::write(file.with_extension(format!("{width}-{scheme}.png")), picture).unwrap();
                let loud = |event: &&Value| {
                    let method = event["method"].as_str().unwrap_or_default();
                    method == "Runtime.exceptionThrown" || method == "Log.entryAdded"
                };
                assert_eq!(browser.events.iter().find(loud), None, "{place}");
                assert_eq!(serious(&mut browser), Vec::<String>::new(), "{place}");
            }
        }
    }
}

/// What axe-core finds that is serious or critical.
fn serious(browser: &mut Browser) -> Vec<String> {
    browser.evaluate(&format!("{AXE}; undefined"));
    let found = browser.evaluate(
        "axe.run(document, { resultTypes: ['violations'] }).then((found) => ({ passes: found.passes.length, \
         violations: found.violations.map(({ id, impact, nodes }) => ({ id, impact, node: nodes[0].html.slice(0, 200) })) }))",
    );
    assert!(found["passes"].as_u64().unwrap() > 15, "axe has checked too little: {found}");
    let violations = found["violations"].as_array().unwrap().iter();
    let bad = |violation: &&Value| violation["impact"] == "serious" || violation["impact"] == "critical";
    violations.filter(bad).map(Value::to_string).collect()
}
