//! The scalability of one test on a terminal.

use std::iter;

use model::Interval;
use model::scalability::{MeasuredPoint, Scalability};
use record::Ratio;

use super::picture::{LEGEND, picture};
use super::{LoadCurve, ScaleView};
use crate::figure::{UNKNOWN, number, percent, three_digits};
use crate::html::has_band;
use crate::layout::{Align, Head, Page, Table, clean, paragraph, spaced};
use crate::scalability::{judgement_text, noise_text, note_text, reason_text, verdict_word};
use crate::style::{Ink, Style};
use crate::words::plural;

const LEFT: usize = 11;

/// From this share of a ceiling on, the ceiling counts as reached.
const REACHED: f64 = 0.98;

const HEADS: [Head; 6] = [
    (&["N"], Align::Right),
    (&["measured"], Align::Right),
    (&["runs"], Align::Right),
    (&["fitted"], Align::Right),
    (&["95 % band"], Align::Right),
    (&["efficiency"], Align::Right),
];

/// The curve for `width` columns (at least 60 are used): the verdict on a claim, the fitted law with knee and peak, the
/// measurements, and a picture.
pub fn scale_text(view: &ScaleView, style: Style, width: usize) -> String {
    let title = format!("dbdyno scalability: {} [{}]", view.curve.title, view.curve.unit);
    let mut page = Page::new(&title, style, width);
    let width = page.width;
    let answer = summary(view).into_iter().flat_map(|(label, text)| paragraph(label, LEFT, &text, width));
    page.part("SUMMARY", answer.collect());
    page.part(&head(view), verdict(view, style, width));
    page.part("FIT", fit(view, width));
    page.part(&format!("MEASURED: N = {}", clean(&view.curve.noun)), measured(view, style, width));
    let drawn = picture(view, width);
    if !drawn.is_empty() {
        page.part("PICTURE", drawn.into_iter().chain(spaced(LEGEND, 10, width)).collect());
    }
    page.part("CAVEATS", page.paragraphs("!", LEFT, &view.curve.remarks));
    page.end()
}

/// The best measurement, how it scales, and the most that the fitted law expects.
pub(super) fn summary(view: &ScaleView) -> Vec<(&'static str, String)> {
    let curve = &view.curve;
    let (first, best) =
        (curve.points.first(), curve.points.iter().max_by(|one, other| one.rate.total_cmp(&other.rate)));
    let (Some(first), Some(best)) = (first, best) else { return Vec::new() };
    // A measured N is a whole number, that of a peak is not.
    let at = |n: f64| match n.fract() == 0.0 {
        true if n == 1.0 => format!("1 {}", curve.noun.trim_end_matches('s')),
        true => format!("{n} {}", curve.noun),
        false => format!("{} {}", three_digits(n), curve.noun),
    };
    let gain = match best.n > first.n && first.rate > 0.0 {
        true => format!(", {} times the rate with {}", three_digits(best.rate / first.rate), at(first.n)),
        false => String::new(),
    };
    let mut facts = vec![("result", format!("{} {} with {}{gain}", number(best.rate), curve.unit, at(best.n)))];
    let peak = view.fitted.as_ref().filter(|fitted| has_band(fitted)).and_then(|fitted| fitted.peak);
    facts.push(match peak {
        Some(peak) => {
            let with = peak.n.map_or_else(|| "any number".to_owned(), at);
            let basis = if peak.is_measured { "" } else { ", beyond the measurements" };
            ("limit", format!("at most {} {} with {with}, by the fitted law{basis}", number(peak.rate), curve.unit))
        }
        None => ("limit", "unknown: a fit with an interval needs runs at four degrees or more".to_owned()),
    });
    facts
}

/// The heading of the first part.
fn head(view: &ScaleView) -> String {
    let last = view.curve.degrees().last().copied();
    match (&view.judgement, view.query.at) {
        (Some(_), _) => "CLAIM".to_owned(),
        (None, Some(n)) if last.is_some_and(|last| n <= last) => format!("AT N = {n}"),
        _ => "EXTRAPOLATION".to_owned(),
    }
}

fn verdict(view: &ScaleView, style: Style, width: usize) -> Vec<String> {
    let Some(target) = &view.target else { return Vec::new() };
    let mut lines = Vec::new();
    let mut fact = |label: &str, text: &str| lines.extend(paragraph(label, LEFT, text, width));
    if let Some(judgement) = &view.judgement {
        let claim = &judgement.claim;
        fact("claim", &format!("{} {} at N = {}", number(claim.rate), view.curve.unit, claim.n));
        if let Some(text) = &view.query.claim_text {
            fact("", text);
        }
        fact("verdict", verdict_word(judgement.verdict));
        fact("", &judgement_text(judgement, &view.curve.noun));
    } else {
        fact("at", &format!("N = {}", target.n));
    }
    match target.estimate {
        Some(estimate) => fact("estimate", &format!("{} {}", number(estimate), view.curve.unit)),
        None => fact("estimate", "none: see the reasons below"),
    }
    fact(
        "interval",
        &format!("{}: all rates that the data do not exclude {}", span(target.interval), noise_text(target.noise)),
    );
    fact("linear", &format!("{}: the upper bound, not an estimate", number(target.linear)));
    if let Some(judgement) = view.open_claim() {
        let (all, contention) = (judgement.needed.coherency, judgement.needed.contention_only);
        let ninety =
            judgement.needed_for_ninety.map(|ninety| format!(", up to {} for 90 % of linear", ninety.coherency));
        let less = match contention < all {
            true => format!(" (up to {contention} if coherency is excluded by other means)"),
            false => String::new(),
        };
        let ninety = ninety.unwrap_or_default();
        let text = format!("measure up to N = {all} to support the claim{less}{ninety}");
        fact("needed", &text);
    }
    let label = if target.estimate.is_some() { "doubtful" } else { "refused" };
    for (index, reason) in target.reasons.iter().enumerate() {
        fact(if index == 0 { label } else { "" }, &reason_text(reason));
    }
    if let Some(line) = lines.iter_mut().find(|line| line.starts_with("verdict")) {
        *line = style.paint(line, Ink::Head);
    }
    lines
}

/// `48.00 k to 7.040 M`.
pub(super) fn span(interval: Interval) -> String {
    format!("{} to {}", number(interval.low), number(interval.high))
}

fn fit(view: &ScaleView, width: usize) -> Vec<String> {
    let Some(fitted) = &view.fitted else {
        let distinct = view.curve.degrees().len();
        let text = format!("none: {} measured, a curve needs 3 different ones", plural(distinct as u64, "N"));
        return paragraph("law", LEFT, &text, width);
    };
    facts(&view.curve, fitted).into_iter().flat_map(|(name, text)| paragraph(name, LEFT, &text, width)).collect()
}

/// Law, coefficients, knee, peak and notes.
pub(super) fn facts(curve: &LoadCurve, fitted: &Scalability) -> Vec<(&'static str, String)> {
    let found = &fitted.fit;
    let intervals = found.intervals();
    let coefficient = |at: usize, text: String| match intervals {
        Some(intervals) => format!("{text} (95 %: {:.3e} to {:.3e})", intervals[at].low, intervals[at].high),
        None => text,
    };
    let of_one = format!("{} {}", number(found.per_unit), curve.unit);
    let of_one = match intervals {
        Some([interval, ..]) => format!("{of_one} (95 %: {})", span(interval)),
        None => of_one,
    };
    let mut facts = vec![
        (
            "law",
            "Universal Scalability Law (Gunther 1993): lambda N / (1 + sigma (N - 1) + kappa N (N - 1))".to_owned(),
        ),
        ("lambda", format!("{of_one}: rate of one")),
        ("contention", coefficient(1, format!("sigma = {:.4}", found.contention))),
        ("coherency", coefficient(2, format!("kappa = {:.3e}", found.coherency))),
    ];
    facts.extend(
        fitted
            .knee_n
            .filter(|_| has_band(fitted))
            .map(|knee| ("knee", format!("N = {}: linear scaling would reach the peak there", three_digits(knee)))),
    );
    facts.extend(fitted.peak.filter(|_| has_band(fitted)).map(|peak| {
        let rate = format!("{} {}", number(peak.rate), curve.unit);
        let (estimate, how) = if peak.is_measured { ("", "") } else { ("ESTIMATE: ", ", beyond the measurements") };
        match peak.n {
            Some(n) => ("peak", format!("{estimate}{rate} at N = {}{how}", three_digits(n))),
            None if found.rate(found.n_range.1) >= REACHED * peak.rate => ("ceiling", format!("{rate}, reached")),
            None => ("ceiling", format!("{estimate}{rate}, approached asymptotically")),
        }
    }));
    facts.extend(iter::once("note").chain(iter::repeat("")).zip(fitted.notes.iter().map(note_text)));
    facts
}

fn measured(view: &ScaleView, style: Style, width: usize) -> Vec<String> {
    let mut table = Table::new(&HEADS, &[]);
    for point in points(view) {
        let fitted = view.fitted.as_ref();
        let band = fitted.and_then(|fitted| fitted.fit.band(point.n));
        table.push(
            vec![
                point.n.to_string(),
                number(point.rate),
                point.repeats.to_string(),
                fitted.map_or_else(|| UNKNOWN.to_owned(), |fitted| number(fitted.fit.rate(point.n))),
                band.map_or_else(|| UNKNOWN.to_owned(), span),
                fitted.map_or_else(|| UNKNOWN.to_owned(), |_| percent(Ratio(point.efficiency))),
            ],
            None,
        );
    }
    table.lines(style, width)
}

/// The measurements per N; without a fit the efficiency is not known.
pub(super) fn points(view: &ScaleView) -> Vec<MeasuredPoint> {
    if let Some(fitted) = &view.fitted {
        return fitted.measured.clone();
    }
    let of = |n: f64| {
        let rates: Vec<f64> = view.curve.points.iter().filter(|point| point.n == n).map(|point| point.rate).collect();
        let rate = rates.iter().sum::<f64>() / rates.len() as f64;
        MeasuredPoint { n, rate, efficiency: f64::NAN, repeats: rates.len() }
    };
    view.curve.degrees().into_iter().map(of).collect()
}
