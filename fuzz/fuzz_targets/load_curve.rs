//! Any text as the rates of a load curve in comma-separated values, and a claim about them: a verdict in words, as a
//! page and as Markdown, or a refusal. The first line is the claim, how many and the rate; where it is none, the rates are only read.

#![no_main]

use libfuzzer_sys::fuzz_target;
use report::{ScaleQuery, ScaleView, Style, scale};

#[path = "../../crates/cli/src/load_points.rs"]
mod load_points;

/// Points that are fitted.
const POINTS_MAX: usize = 6;

fuzz_target!(|text: &str| {
    let (asked, text) = text.split_once('\n').unwrap_or(("", text));
    let (at, claim) = asked.split_once(' ').unwrap_or((asked, ""));
    let Ok(curve) = load_points::load_curve(text, "fuzz.csv") else { return };
    let at: Option<f64> = at.parse().ok().filter(|at| (1.0..=load_points::DEGREE_MAX).contains(at));
    let claim = claim.parse().ok().filter(|rate| (load_points::RATE_MIN..=load_points::RATE_MAX).contains(rate));
    // A verdict takes a tenth of a second.
    if at.is_none() || claim.is_none() || curve.points.is_empty() || curve.points.len() > POINTS_MAX {
        return;
    }
    let view = ScaleView::new(curve, ScaleQuery { at, claim, ..ScaleQuery::default() });
    let document = scale(&view);
    let _ = (document.text(Style::default(), 100), document.html(), document.markdown());
});
