//! Results as cards: a row of a screen, a tile of a page.

use super::{Fact, Tone};
use crate::figure::grouped;

/// One result with what it rests on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Card {
    /// What was measured, in words.
    pub(crate) name: String,
    /// Its code; may be empty.
    pub(crate) code: String,
    /// The figure.
    pub(crate) figure: String,
    /// Its unit.
    pub(crate) unit: String,
    /// At which load: `2 jobs`; may be empty.
    pub(crate) at: String,
    /// The latency that stands for it; may be empty.
    pub(crate) latency: String,
    /// Whether it can be trusted.
    pub(crate) trust: (String, Tone),
    /// The figure over what was varied.
    pub(crate) curve: Vec<CurvePoint>,
    /// What the curve is over: `jobs`.
    pub(crate) varied: String,
    /// Where the time goes.
    pub(crate) parts: Vec<Part>,
    /// What else is known of the figure; for media with room.
    pub(crate) notes: Vec<String>,
    /// Further sentences under labels.
    pub(crate) facts: Vec<Fact>,
}

/// A point of the curve of a card.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CurvePoint {
    /// The degree of what was varied.
    pub(crate) x: f64,
    /// The figure there.
    pub(crate) y: f64,
}

/// A part of the time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    /// Its name.
    pub(crate) name: String,
    /// Its share of the whole, in [0, 1].
    pub(crate) share: f64,
    /// The place of what it is part of in the colours and fillings, the same in all cards; absent where nothing is known of it.
    pub(crate) series: Option<usize>,
}

impl Card {
    /// The first and the last point of the curve, in words; nothing of a single point.
    pub(crate) fn curve_ends(&self) -> Option<String> {
        let (first, last) = self.curve.first().zip(self.curve.last()).filter(|_| self.curve.len() > 1)?;
        let [from, to] = [first, last].map(|point| grouped(point.y));
        Some(format!("{from} at {} to {to} at {} {}", first.x, last.x, self.varied))
    }

    /// The parts that add up to no more than the whole, without those of nothing.
    pub(crate) fn whole(&self) -> Vec<Part> {
        let sum: f64 = self.parts.iter().map(|part| part.share.max(0.0)).sum();
        let scale = if sum > 1.0 { 1.0 / sum } else { 1.0 };
        let known = self.parts.iter().filter(|part| part.share > 0.0);
        known.map(|part| Part { share: part.share * scale, ..part.clone() }).collect()
    }
}
