//! Cards on a terminal: a row of figures, and below it where the time goes and what to do.

use super::{Terminal, ink};
use crate::document::{Card, CurvePoint, Part, Text, Tone};
use crate::layout::{Align, Head, Table, clean, cut, paragraph};
use crate::style::Ink;

/// Columns left of the lines below a row.
const INDENT: usize = 2;

/// Characters of a curve and of the load, which stand before the bar.
const CURVE_WIDTH: usize = 8;
const AT_WIDTH: usize = 9;

/// Characters of the bar of the whole time.
const BAR_WIDTH: usize = 16;

/// The fillings of known parts by what they are part of, and that of the unknown ones.
const FILLINGS: [char; 5] = ['█', '▓', '▒', '░', '▚'];
const UNKNOWN: char = '·';

/// Heights of a curve.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

const HEADS: [Head; 6] = [
    (&["workload"], Align::Left),
    (&["rate"], Align::Right),
    (&[""], Align::Left),
    (&["latency"], Align::Right),
    (&["trust"], Align::Left),
    (&["test"], Align::Left),
];

impl Terminal {
    /// A row for each card; below it the curve, the load and where the time goes; below that its facts.
    pub(super) fn cards(&self, cards: &[Card]) -> Vec<String> {
        let cells = |card: &Card| {
            [&card.name, &card.figure, &card.unit, &card.latency, &card.trust.0, &card.code]
                .map(|text| clean(text))
                .to_vec()
        };
        let rows = cards.iter().map(|card| (cells(card), row_ink(card))).collect();
        let (mut lines, rows) = Table::fitted(&HEADS, rows, 0, self.width).row_lines(self.style, self.width);
        for (card, row) in cards.iter().zip(rows) {
            lines.extend(row);
            lines.extend(self.time(card));
            lines.extend(card.facts.iter().flat_map(|fact| self.below(&clean(&fact.label), &fact.sentences)));
        }
        lines
    }

    /// The curve, the load, and the bar of the whole time with the names of its parts.
    fn time(&self, card: &Card) -> Vec<String> {
        let parts = card.whole();
        let (bar, key) = if parts.is_empty() { (String::new(), String::new()) } else { bar(&parts) };
        let before = format!("{:INDENT$}{:<CURVE_WIDTH$} {:<AT_WIDTH$} {bar}", "", curve(&card.curve), clean(&card.at));
        if before.trim().is_empty() {
            return Vec::new();
        }
        let room = self.width.saturating_sub(before.chars().count() + 1);
        vec![cut(format!("{before} {}", first_parts(&key, room)).trim_end(), self.width)]
    }

    /// Sentences below a row, in the column of the loads.
    fn below(&self, label: &str, sentences: &[Text]) -> Vec<String> {
        let indent = INDENT + CURVE_WIDTH + 1;
        let label = format!("{:INDENT$}{label}", "");
        let labels = [label.as_str()].into_iter().chain(std::iter::repeat(""));
        labels.zip(sentences).flat_map(|(label, text)| paragraph(label, indent, &text.words(), self.width)).collect()
    }
}

/// A row without a caveat is in no colour.
fn row_ink(card: &Card) -> Option<Ink> {
    match card.trust.1 {
        Tone::Warning | Tone::Invalid => ink(card.trust.1),
        _ => None,
    }
}

/// As many of the names as there is room for, whole, and a sign that there are more.
fn first_parts(names: &str, room: usize) -> String {
    let mut shown = String::new();
    for name in names.split(", ") {
        let longer = if shown.is_empty() { name.to_owned() } else { format!("{shown}, {name}") };
        // The sign needs room after all but the last one.
        let sign = if longer == names { 0 } else { 2 };
        if longer.chars().count() + sign > room {
            return cut(&format!("{shown} …"), room);
        }
        shown = longer;
    }
    cut(&shown, room)
}

/// The parts one after the other, each as long as its share, and the key.
fn bar(parts: &[Part]) -> (String, String) {
    let mut bar = String::new();
    let mut end = 0.0;
    let mut key = Vec::new();
    for part in parts {
        let filling = part.series.map_or(UNKNOWN, |series| FILLINGS[series % FILLINGS.len()]);
        end += part.share;
        let filled = (end * BAR_WIDTH as f64).round() as usize;
        bar.extend(std::iter::repeat_n(filling, filled.saturating_sub(bar.chars().count())));
        key.push(format!("{} {}", clean(&part.name), crate::figure::percent(record::Ratio(part.share))));
    }
    (format!("{bar:<BAR_WIDTH$}"), key.join(", "))
}

/// The heights of a curve from zero; nothing of a single point.
fn curve(points: &[CurvePoint]) -> String {
    let most = points.iter().map(|point| point.y).fold(0.0, f64::max);
    if points.len() < 2 || most <= 0.0 {
        return String::new();
    }
    // Of many points those at equal distances, the last one always.
    let step = points.len().div_ceil(CURVE_WIDTH);
    let shown = points.iter().rev().step_by(step).collect::<Vec<_>>();
    let height = |point: &&CurvePoint| {
        let level = (point.y / most * HEIGHTS.len() as f64).ceil() as usize;
        HEIGHTS[level.clamp(1, HEIGHTS.len()) - 1]
    };
    shown.iter().rev().map(height).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_has_heights_from_zero() {
        let points = |values: &[f64]| -> Vec<CurvePoint> {
            values.iter().zip(1u32..).map(|(y, x)| CurvePoint { x: f64::from(x), y: *y }).collect()
        };
        assert_eq!(curve(&points(&[1.0, 2.0, 4.0, 8.0])), "▁▂▄█");
        assert_eq!(curve(&points(&[5.0, 5.0])), "██");
        assert_eq!(curve(&points(&[5.0])), "");
        assert_eq!(curve(&points(&[0.0, 0.0])), "");
    }

    #[test]
    fn parts_are_told_apart_in_ascii() {
        let drawn: String = FILLINGS.into_iter().chain([UNKNOWN]).collect();
        let ascii = crate::style::Style { colour: false, ascii: true }.encoded(drawn);
        assert_eq!(ascii, "#=-:%.");
    }

    #[test]
    fn a_bar_is_as_long_as_the_whole() {
        let part = |name: &str, share, series| Part { name: name.to_owned(), share, series };
        let (bar, key) = bar(&[part("CPU", 0.5, Some(0)), part("reads", 0.25, Some(1)), part("unknown", 0.25, None)]);
        assert_eq!(bar, "████████▓▓▓▓····");
        assert_eq!(key, "CPU 50 %, reads 25 %, unknown 25 %");
    }
}
