//! The scalability of one test: the verdict on a claim, the curve, the fitted law with its limit, the measurements.

use model::scalability::{FittedPoint, MeasuredPoint, Scalability};
use record::Ratio;

use super::ScaleView;
use super::words::{Fact, claimed, fit, head, points, span, summary, target};
use crate::chart::{Axis, Figures, LineChart, Mark, Point, Reach, Role, Scale, Series};
use crate::document::{Block, Cell, Column, Diagram, Document, Note, Row, Section, Table, Text, Tone};
use crate::figure::{UNKNOWN, number, percent, three_digits};
use crate::layout::clean;
use crate::scalability::{judgement_text, verdict_word};

/// The view of a curve.
pub fn scale(view: &ScaleView) -> Document {
    let caveats = view.curve.remarks.iter().map(|remark| Text::from(remark.as_str())).collect();
    let caveats = Note { tone: Tone::Warning, title: "Caveats".to_owned(), sentences: caveats };
    Document {
        subtitle: format!("{} over {}", view.curve.unit, view.curve.noun),
        lead: vec![Block::facts(summary(view)), Block::Note(caveats)],
        foot: vec![Block::whole(vec![Block::text("Intervals are 95 %.")])],
        ..Document::new(
            format!("Scalability: {}", view.curve.title),
            vec![
                Section::new("claim", head(view), claim(view)),
                Section::new("curve", "Curve", vec![Block::Charts(vec![diagram(view)])]),
                Section::new("fit", "Fit", vec![Block::facts(fit(view))]),
                Section::new("measured", "Measured", vec![measured(view).into()]),
            ],
        )
    }
}

/// The verdict on a claim, or the rate at the target without one.
fn claim(view: &ScaleView) -> Vec<Block> {
    let plain = |(label, words): Fact| (label, Text::from(words));
    let verdict = view.judgement.iter().flat_map(|judgement| {
        let word = Text::default().strong(verdict_word(judgement.verdict));
        [("verdict", word), ("", judgement_text(judgement, &view.curve.noun).into())]
    });
    vec![Block::facts(claimed(view).into_iter().map(plain).chain(verdict).chain(target(view).into_iter().map(plain)))]
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

/// The measured points beside the fitted law.
fn measured(view: &ScaleView) -> Table {
    let columns = vec![
        Column::figure("N"),
        Column::figure("measured"),
        Column::figure("runs"),
        Column::figure("fitted"),
        Column::figure("95 % band"),
        Column::figure("efficiency"),
    ];
    let row = |point: MeasuredPoint| {
        let fitted = view.fitted.as_ref();
        let band = fitted.and_then(|fitted| fitted.band(point.n));
        let efficiency = fitted.map(|_| point.efficiency);
        Row::new(vec![
            Cell::Figure(point.n.to_string(), Some(point.n)),
            Cell::figure(Some(point.rate), number),
            Cell::count(point.repeats as u64),
            Cell::figure(fitted.map(|fitted| fitted.fit.rate(point.n)), number),
            Cell::Figure(band.map_or_else(|| UNKNOWN.to_owned(), span), band.map(|band| band.low)),
            Cell::figure(efficiency, |value| percent(Ratio(value))),
        ])
    };
    Table::new("measured-table", format!("N = {}", view.curve.noun), columns).with(points(view).into_iter().map(row))
}
