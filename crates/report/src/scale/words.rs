//! What is said of a curve, as labelled facts: the same for terminal and page.

use std::iter;

use model::Interval;
use model::scalability::{Limit, MeasuredPoint, Measurement, Misfit, Scalability, UnknownLimit, Weights};

use super::ScaleView;
use crate::figure::{number, three_digits};
use crate::scalability::{
    beside_text, coefficient, noise_source, noise_text, note_text, reason_text, unknown_limit_text,
};

/// A label, empty where the fact goes on, and the text.
pub(super) type Fact = (&'static str, String);

/// The best measurement, how it scales, and the limit by the fitted law.
pub(super) fn summary(view: &ScaleView) -> Vec<Fact> {
    let points = points(view);
    let best = points.iter().max_by(|one, other| one.rate.total_cmp(&other.rate));
    let Some((first, best)) = points.first().zip(best) else { return Vec::new() };
    let gain = match best.n > first.n && first.rate > 0.0 {
        true => format!(", {} times the rate with {}", three_digits(best.rate / first.rate), with(view, first.n)),
        false => String::new(),
    };
    let runs = if best.repeats > 1 { format!(", the mean of {} runs", best.repeats) } else { String::new() };
    let result = format!("{} {} with {}{runs}{gain}", number(best.rate), view.curve.unit, with(view, best.n));
    vec![("result", result), ("limit", limit(view))]
}

/// `1 host`, `22.1 hosts`: a measured N is a whole number, that of a peak is not.
fn with(view: &ScaleView, n: f64) -> String {
    let noun = &view.curve.noun;
    match n.fract() == 0.0 {
        true if n == 1.0 => format!("1 {}", noun.trim_end_matches('s')),
        true => format!("{n} {noun}"),
        false => format!("{} {noun}", three_digits(n)),
    }
}

/// The limit by the fitted law.
fn limit(view: &ScaleView) -> String {
    let unit = &view.curve.unit;
    let unknown = |why| format!("not known: {}", unknown_limit_text(why));
    let Some(fitted) = &view.fitted else { return unknown(UnknownLimit::FewDegrees) };
    match fitted.limit {
        Limit::Peak(peak) => {
            let basis = if peak.is_measured { "" } else { ", beyond the measurements" };
            let interval = within(fitted.band(peak.n));
            format!(
                "a peak of {} {unit}{interval} with {}, by the fitted law{basis}",
                number(peak.rate),
                with(view, peak.n)
            )
        }
        Limit::Ceiling(ceiling) => {
            let (rate, interval) = (number(ceiling.rate.estimate), within(Some(ceiling.rate)));
            let how = if ceiling.is_reached { "reached" } else { "approached asymptotically, beyond the measurements" };
            format!("a ceiling of {rate} {unit}{interval} by the fitted law, {how}; no peak is known")
        }
        Limit::Unknown(UnknownLimit::Misfit) => {
            let beside = fitted.misfits().find_map(|misfit| match misfit {
                Misfit::Beside(sides) => Some(format!(", rates are {}", beside_text(sides))),
                _ => None,
            });
            unknown(UnknownLimit::Misfit) + &beside.unwrap_or_default()
        }
        Limit::Unknown(why) => unknown(why),
    }
}

/// ` (95 %: 303.4 to 482.4)`, nothing without an interval.
fn within(interval: Option<Interval>) -> String {
    interval.map(|interval| format!(" (95 %: {})", span(interval))).unwrap_or_default()
}

/// The heading of what is said of the target.
pub(super) fn head(view: &ScaleView) -> String {
    let last = view.curve.degrees().last().copied();
    match (&view.judgement, view.query.at) {
        (Some(_), _) => "Claim".to_owned(),
        (None, Some(n)) if last.is_some_and(|last| n <= last) => format!("At N = {n}"),
        _ => "Extrapolation".to_owned(),
    }
}

/// The claim and the verdict on it; nothing without one.
pub(super) fn claimed(view: &ScaleView) -> Vec<Fact> {
    let Some(judgement) = &view.judgement else { return Vec::new() };
    let claim = &judgement.claim;
    let claimed = ("claim", format!("{} {} at N = {}", number(claim.rate), view.curve.unit, claim.n));
    let source = view.query.claim_text.iter().map(|text| ("", text.clone()));
    iter::once(claimed).chain(source).collect()
}

/// The rate at the target: estimate, interval, upper bound, what is to be measured, and the reasons against it.
pub(super) fn target(view: &ScaleView) -> Vec<Fact> {
    let Some(target) = &view.target else { return Vec::new() };
    let unit = &view.curve.unit;
    let mut facts = Vec::new();
    if view.judgement.is_none() {
        facts.push(("at", format!("N = {}", target.n)));
    }
    let basis = noise_text(target.interval_noise());
    facts.push(match (target.estimate, target.measured) {
        (Some(estimate), None) => ("estimate", format!("{} {unit}, by the fitted law", number(estimate))),
        (_, Some(measured)) => ("measured", measured_text(measured, unit)),
        (None, None) => ("estimate", "none: see the reasons below".to_owned()),
    });
    let interval = match (target.interval(), target.measured) {
        (Some(interval), Some(_)) => format!("{}: the interval of the measurement, {basis}", span(interval)),
        (Some(interval), None) => {
            format!("{}: all rates that law and data do not exclude, {basis}", span(interval))
        }
        (None, _) => "none: the law does not fit".to_owned(),
    };
    facts.push(("interval", interval));
    let fitted = view.known().filter(|_| target.measured.is_some());
    facts.extend(fitted.and_then(|fitted| fitted.band(target.n)).map(|band| {
        ("fitted", format!("{}, {} by the law, {}", number(band.estimate), span(band), noise_text(target.noise)))
    }));
    facts.push(("linear", format!("{}: the upper bound, not an estimate", number(target.linear))));
    facts.extend(needed(view));
    let label = match (target.estimate, target.measured) {
        (Some(_), _) => "doubtful",
        (None, Some(_)) => "reasons",
        (None, None) => "refused",
    };
    facts.extend(iter::once(label).chain(iter::repeat("")).zip(target.reasons.iter().map(reason_text)));
    facts
}

/// `164.5 k nopm, the mean of 6 runs`.
fn measured_text(measured: Measurement, unit: &str) -> String {
    let runs = match measured.runs {
        1 => "one run".to_owned(),
        runs => format!("the mean of {runs} runs"),
    };
    format!("{} {unit}, {runs}", number(measured.rate))
}

/// Up to which N to measure, where that may support the claim.
fn needed(view: &ScaleView) -> Option<Fact> {
    let judgement = view.open_claim()?;
    let (all, contention) = (judgement.needed.coherency, judgement.needed.contention_only);
    let ninety = judgement.needed_for_ninety.map(|ninety| format!(", up to {} for 90 % of linear", ninety.coherency));
    let less = match contention < all {
        true => format!(" (up to {contention} if coherency is excluded by other means)"),
        false => String::new(),
    };
    Some(("needed", format!("measure up to N = {all} to support the claim{less}{}", ninety.unwrap_or_default())))
}

/// `48.00 k to 7.040 M`.
pub(super) fn span(interval: Interval) -> String {
    format!("{} to {}", number(interval.low), number(interval.high))
}

/// Law, weights, noise, coefficients, limit and notes of the fit.
pub(super) fn fit(view: &ScaleView) -> Vec<Fact> {
    let Some(fitted) = &view.fitted else {
        let distinct = view.curve.degrees().len();
        return vec![("law", format!("none: {distinct} different N measured, a curve needs 3"))];
    };
    let mut facts = vec![
        (
            "law",
            "Universal Scalability Law (Gunther 1993): lambda N / (1 + sigma (N - 1) + kappa N (N - 1))".to_owned(),
        ),
        ("weights", weights_text(view.query.weights).to_owned()),
    ];
    facts.extend(fitted.noise.map(|noise| ("noise", format!("{}; for all intervals by the law", noise_source(noise)))));
    facts.extend(coefficients(view, fitted));
    facts.extend(limits(view, fitted));
    facts.extend(iter::once("note").chain(iter::repeat("")).zip(fitted.notes.iter().map(note_text)));
    facts
}

/// Which errors the fit weighs alike.
fn weights_text(weights: Weights) -> &'static str {
    match weights {
        Weights::Relative => {
            "relative: the sum of squared errors as a share of the rate is least; most other tools fit absolute ones \
             (--weights absolute)"
        }
        Weights::Absolute => {
            "absolute: the sum of squared errors in the unit of the rate is least; noise is then a share of the root mean \
             square of the rates (default: --weights relative)"
        }
    }
}

fn coefficients(view: &ScaleView, fitted: &Scalability) -> Vec<Fact> {
    let found = &fitted.fit;
    let [of_one, sigma, kappa] = match fitted.intervals() {
        Some([of_one, sigma, kappa]) => {
            let between = |interval: Interval| {
                format!(" (95 %: {} to {})", coefficient(interval.low), coefficient(interval.high))
            };
            [within(Some(of_one)), between(sigma), between(kappa)]
        }
        None => Default::default(),
    };
    vec![
        ("lambda", format!("{} {}{of_one}: rate of one", number(found.per_unit), view.curve.unit)),
        ("contention", format!("sigma = {}{sigma}", coefficient(found.contention))),
        ("coherency", format!("kappa = {}{kappa}", coefficient(found.coherency))),
    ]
}

/// Knee and peak, or the ceiling, or why neither is known.
fn limits(view: &ScaleView, fitted: &Scalability) -> Vec<Fact> {
    let unit = &view.curve.unit;
    match fitted.limit {
        Limit::Peak(peak) => {
            let (estimate, how) = if peak.is_measured { ("", "") } else { ("ESTIMATE: ", ", beyond the measurements") };
            let interval = within(fitted.band(peak.n));
            let text = format!("{estimate}{} {unit}{interval} at N = {}{how}", number(peak.rate), three_digits(peak.n));
            let knee = format!("N = {}: linear scaling would reach the peak there", three_digits(peak.knee_n));
            vec![("knee", knee), ("peak", text)]
        }
        Limit::Ceiling(ceiling) => {
            let (estimate, how) =
                if ceiling.is_reached { ("", "reached") } else { ("ESTIMATE: ", "approached asymptotically") };
            let (rate, interval) = (number(ceiling.rate.estimate), within(Some(ceiling.rate)));
            vec![("ceiling", format!("{estimate}{rate} {unit}{interval}, lambda/sigma, {how}"))]
        }
        Limit::Unknown(why) => vec![("limit", format!("not known: {}", unknown_limit_text(why)))],
    }
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
