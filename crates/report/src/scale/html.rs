//! The scalability of one test as a page.

use maud::{Markup, html};
use model::scalability::{FittedPoint, Scalability};
use record::Ratio;

use super::ScaleView;
use super::words::{self, Fact, claimed, points, span, summary, target};
use crate::chart::{Axis, Figures, LineChart, Mark, Point, Reach, Role, Scale, Series};
use crate::figure::{UNKNOWN, number, percent, three_digits};
use crate::html::{Cell, Column, Diagram, Page, Row, Section, Table, facts, gallery};
use crate::layout::clean;
use crate::scalability::{judgement_text, verdict_word};

/// The curve as a self-contained HTML file: the verdict, the chart, the law, the measurements.
pub fn scale_html(view: &ScaleView) -> String {
    let page = Page {
        title: format!("Scalability: {}", clean(&view.curve.title)),
        subtitle: format!("{} over {}", clean(&view.curve.unit), clean(&view.curve.noun)),
        lead: lead(view),
        sections: vec![
            Section::new("claim", "Claim", claim(view)),
            Section::new("curve", "Curve", gallery(&[diagram(view)])),
            Section::new("fit", "Fit", fit(view)),
            Section::new("measured", "Measured", measured(view)),
        ],
        foot: html! { p { "Drawn by dbdyno " (env!("CARGO_PKG_VERSION")) ". Intervals are 95 %." } },
    };
    page.html()
}

fn lead(view: &ScaleView) -> Markup {
    html! {
        dl class="facts" {
            @for (label, text) in summary(view) { div { dt { (label) } dd { (clean(&text)) } } }
        }
        @if !view.curve.remarks.is_empty() {
            div class="note warn" {
                p { strong { "Caveats" } }
                ul { @for remark in &view.curve.remarks { li { (clean(remark)) } } }
            }
        }
    }
}

/// The verdict on a claim, or the rate at the target without one.
fn claim(view: &ScaleView) -> Markup {
    html! {
        @if let Some(judgement) = &view.judgement {
            div class="note" {
                p { strong { (verdict_word(judgement.verdict)) } }
                p { (clean(&judgement_text(judgement, &view.curve.noun))) }
            }
        }
        (table(claimed(view).into_iter().chain(target(view)).collect()))
    }
}

/// Labelled facts as a table.
fn table(rows: Vec<Fact>) -> Markup {
    facts(&rows.into_iter().map(|(name, text)| (name.to_owned(), clean(&text))).collect::<Vec<_>>())
}

fn diagram(view: &ScaleView) -> Diagram {
    let measured = points(view).into_iter().map(|point| {
        let rates = view.curve.points.iter().filter(|one| one.n == point.n).map(|one| one.rate);
        let (low, high) = rates.fold((f64::MAX, f64::MIN), |(low, high), rate| (low.min(rate), high.max(rate)));
        let drawn = Point::new(point.n, point.rate);
        if point.repeats > 1 { drawn.within(low, high).noted(format!("mean of {} runs", point.repeats)) } else { drawn }
    });
    let mut series = vec![Series::new("measured", Role::Measured, measured.collect())];
    if let Some(fitted) = view.known() {
        let line = fitted.curve.iter().map(|point| Point::new(point.n, point.rate));
        let reach = |point: &FittedPoint| Some(Reach { x: point.n, low: point.band?.low, high: point.band?.high });
        let band = fitted.curve.iter().filter_map(reach).collect();
        series.push(Series::new("fitted", Role::Fit, line.collect()).with_band(band));
    }
    series.extend(beyond(view));
    if let Some((n, rate)) = view.query.at.zip(view.query.claim) {
        let note = view.query.claim_text.clone().unwrap_or_default();
        series.push(Series::new("claimed", Role::Claim, vec![Point::new(n, rate).noted(clean(&note))]));
    }
    for ceiling in &view.query.ceilings {
        let capacity = ceiling.capacity.map(|capacity| Point::new(1.0, capacity));
        series.extend(capacity.map(|point| Series::new(clean(&ceiling.name), Role::Ceiling, vec![point])));
    }
    let peak = view.known().and_then(Scalability::peak);
    let marks = peak.map(|peak| Mark { x: peak.knee_n, label: format!("knee {}", three_digits(peak.knee_n)) });
    let sentences = view.judgement.as_ref().map(|judgement| clean(&judgement_text(judgement, &view.curve.noun)));
    let chart = LineChart {
        marks: marks.into_iter().collect(),
        ..LineChart::new(
            clean(&view.curve.title),
            sentences.unwrap_or_default(),
            Axis::new(clean(&view.curve.noun), Scale::Log2, Figures::Plain),
            Axis::new(clean(&view.curve.unit), Scale::FromZero, Figures::Rate),
            series,
        )
    };
    Diagram::new("scale", chart)
}

/// The interval beyond the measurements, and linear scaling.
fn beyond(view: &ScaleView) -> Vec<Series> {
    let band = view.reach.iter().map(|(n, interval)| Reach { x: *n, low: interval.low, high: interval.high });
    let low = view.reach.iter().map(|(n, interval)| Point::new(*n, interval.low));
    let allowed = Series::new("lowest rate not excluded", Role::Other, low.collect()).with_band(band.collect());
    let last = view.curve.degrees().last().copied();
    let target = view.target.as_ref().zip(last).filter(|(target, last)| target.n > *last);
    let ideal = target.map(|(target, last)| {
        let points = [last, target.n].map(|n| Point::new(n, target.linear / target.n * n));
        Series::new("linear", Role::Ideal, points.to_vec())
    });
    [(!view.reach.is_empty()).then_some(allowed), ideal].into_iter().flatten().collect()
}

fn fit(view: &ScaleView) -> Markup {
    table(words::fit(view))
}

const COLUMNS: [Column; 6] = [
    Column::figures("N"),
    Column::figures("measured"),
    Column::figures("runs"),
    Column::figures("fitted"),
    Column::text("95 % band"),
    Column::figures("efficiency"),
];

fn measured(view: &ScaleView) -> Markup {
    let mut table = Table::new("measured-table", format!("Measured, N = {}", clean(&view.curve.noun)), &COLUMNS);
    table.rows = points(view)
        .into_iter()
        .map(|point| {
            let rate = view.fitted.as_ref().map(|fitted| fitted.fit.rate(point.n));
            let band = view.fitted.as_ref().and_then(|fitted| fitted.band(point.n));
            let efficiency = Some(point.efficiency).filter(|efficiency| efficiency.is_finite());
            Row::new(vec![
                Cell::Figure(point.n.to_string(), Some(point.n)),
                Cell::Figure(number(point.rate), Some(point.rate)),
                Cell::Figure(point.repeats.to_string(), Some(point.repeats as f64)),
                Cell::Figure(rate.map_or_else(|| UNKNOWN.to_owned(), number), rate),
                Cell::text(band.map_or_else(|| UNKNOWN.to_owned(), span)),
                Cell::Figure(efficiency.map_or_else(|| UNKNOWN.to_owned(), |value| percent(Ratio(value))), efficiency),
            ])
        })
        .collect();
    table.html()
}
