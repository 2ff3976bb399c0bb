//! Cards on a page: tiles.

use maud::{Markup, html};

use super::table::word_class;
use super::text::words;
use crate::document::{Card, CurvePoint, Part, Tone};
use crate::figure::percent;
use crate::layout::clean;
use crate::words::list;

/// The units of the drawing of a curve.
const CURVE_WIDTH: f64 = 120.0;
const CURVE_HEIGHT: f64 = 32.0;

/// Colours of parts; more of them repeat.
const COLOURS: usize = 6;

pub(super) fn cards(cards: &[Card]) -> Markup {
    html! {
        ul class="tiles" {
            @for card in cards {
                li class=[class(card.trust.1)] {
                    span class="what" { (clean(&card.name)) @if !card.code.is_empty() { " " small { (clean(&card.code)) } } }
                    span class="much" { (clean(&card.figure)) " " small { (clean(&card.unit)) } }
                    span class="how" { (how(card)) }
                    (curve(card))
                    (parts(card))
                    @if !card.facts.is_empty() {
                        dl class="about" {
                            @for fact in &card.facts {
                                dt { (clean(&fact.label)) }
                                @for sentence in &fact.sentences { dd { (words(sentence)) } }
                            }
                        }
                    }
                    @if !card.trust.0.is_empty() {
                        span class="how" { span class=(word_class(card.trust.1)) { (clean(&card.trust.0)) } }
                    }
                }
            }
        }
    }
}

fn how(card: &Card) -> String {
    let known = [&card.at, &card.latency].into_iter().chain(&card.notes).map(|text| clean(text));
    list(known)
}

/// The class of a tile: figures in doubt look different from others.
fn class(tone: Tone) -> Option<&'static str> {
    match tone {
        Tone::Warning => Some("warn"),
        Tone::Invalid => Some("fail"),
        Tone::Plain | Tone::Aside | Tone::Good | Tone::Unknown => None,
    }
}

/// The figure over what was varied, from zero; the values are in its text alternative.
fn curve(card: &Card) -> Markup {
    let most = card.curve.iter().map(|point| point.y).fold(0.0, f64::max);
    let last = card.curve.len().saturating_sub(1);
    if last == 0 || most <= 0.0 {
        return Markup::default();
    }
    let place = |(index, point): (usize, &CurvePoint)| {
        let x = index as f64 / last as f64 * (CURVE_WIDTH - 6.0) + 3.0;
        let y = CURVE_HEIGHT - 3.0 - (point.y / most).clamp(0.0, 1.0) * (CURVE_HEIGHT - 6.0);
        (x, y)
    };
    let places: Vec<(f64, f64)> = card.curve.iter().enumerate().map(place).collect();
    let path = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ");
    let label = clean(&card.curve_ends().unwrap_or_default());
    html! {
        svg class="spark" viewBox={ "0 0 " (CURVE_WIDTH) " " (CURVE_HEIGHT) } role="img" aria-label=(label) {
            polyline points=(path) {}
            @for (x, y) in &places { circle cx={ (format!("{x:.1}")) } cy={ (format!("{y:.1}")) } r="2.2" {} }
        }
        span class="how" { (label) }
    }
}

/// Where the time goes: a bar of the whole, and its key.
fn parts(card: &Card) -> Markup {
    let parts = card.whole();
    let mut end = 0.0;
    let mut place = |share: f64| {
        let start = end;
        end += share * 100.0;
        (format!("{start:.2}"), format!("{:.2}", share * 100.0))
    };
    let class = |part: &Part| {
        part.series.map_or_else(|| "part-unknown".to_owned(), |series| format!("part-{}", series % COLOURS + 1))
    };
    html! {
        @if !parts.is_empty() {
            svg class="parts" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false" {
                @for part in &parts {
                    @let (x, width) = place(part.share);
                    rect class=(class(part)) x=(x) y="0" width=(width) height="8" {}
                }
            }
            ul class="key" {
                @for part in &parts {
                    li {
                        svg viewBox="0 0 8 8" aria-hidden="true" focusable="false" { rect class=(class(part)) width="8" height="8" {} }
                        (clean(&part.name)) " " (percent(record::Ratio(part.share)))
                    }
                }
            }
        }
    }
}
