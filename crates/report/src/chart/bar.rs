//! Horizontal bars: efficiency against each ceiling, ratios of a comparison around 1.

use super::axis::{Direction, exact};
use super::ruler::{Reachable, Ruler};
use super::svg::{self, Anchor, Drawing, Tooltip, coordinate, width_of, xy};
use super::{Axis, Chart, Mark, WIDTH};
use crate::layout::{bar, clean, cut};
use crate::view::line as csv_line;

/// A chart of horizontal bars.
#[derive(Debug, Clone, PartialEq)]
pub struct BarChart {
    /// The title.
    pub title: String,
    /// Alternative text, one or two sentences.
    pub description: String,
    /// The axis of the values.
    pub axis: Axis,
    /// The start of the bars: 0, or 1 for ratios (on a log scale, so that 2 and 0.5 are equally long).
    pub base: f64,
    /// From top to bottom.
    pub bars: Vec<Bar>,
    /// Vertical lines: 100 %, a threshold.
    pub marks: Vec<Mark>,
}

/// One bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// The label.
    pub label: String,
    /// The value. Not finite: unknown, and only the text is drawn.
    pub value: f64,
    /// The interval of `value`, low and high, drawn as whiskers.
    pub interval: Option<(f64, f64)>,
    /// A note after the figure: a verdict, the ceiling. May be empty.
    pub note: String,
    /// The colour; the note must state the same in words.
    pub tone: Tone,
}

/// The meaning of the colour of a bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Nothing.
    Plain,
    /// Better than what it is compared with.
    Better,
    /// Worse than what it is compared with.
    Worse,
    /// Not decided, or equivalent.
    Open,
}

/// The widest labels left of their bars; wider ones are above them.
const LABELS_WIDTH_MAX: f64 = 190.0;

/// The widest text right of the bars.
const WORDS_WIDTH_MAX: f64 = 190.0;

/// The height of a bar.
const BAR_HEIGHT: f64 = 15.0;

/// Between a figure and its note.
const NOTE_GAP: f64 = 10.0;

/// Characters of a whole bar and of its label, at least and at most.
const BAR_MIN: usize = 12;
const BAR_MAX: usize = 32;
const LABEL_MAX: usize = 28;

/// A bar and its figure on each line; for ratios around 1 the bar begins there, to the left where the figure is smaller.
fn in_characters(chart: &BarChart, width: usize) -> Vec<String> {
    let label_width = chart.bars.iter().map(|bar| clean(&bar.label).chars().count()).max().unwrap_or(0).min(LABEL_MAX);
    let figures: Vec<String> = chart.bars.iter().map(|bar| chart.axis.figures.text(bar.value)).collect();
    let figure_width = figures.iter().map(|figure| figure.chars().count()).max().unwrap_or(0);
    let note_width = chart.bars.iter().map(|bar| clean(&bar.note).chars().count()).max().unwrap_or(0);
    let room = width.saturating_sub(label_width + figure_width + note_width + 6).clamp(BAR_MIN, BAR_MAX);
    // The length of a bar, negative to the left of the base.
    let length = |value: f64| match (chart.axis.scale.position(value), chart.axis.scale.position(chart.base)) {
        (Some(at), Some(base)) => at - base,
        _ => 0.0,
    };
    let lengths = || chart.bars.iter().map(|bar| length(bar.value));
    let ends = || lengths().chain(chart.marks.iter().map(|mark| length(mark.x)));
    let (least, most) = (ends().fold(0.0, f64::min), ends().fold(0.0, f64::max));
    if most - least <= 0.0 {
        return Vec::new();
    }
    let before = (room as f64 * -least / (most - least)).round() as usize;
    let line = |(of, figure): (&Bar, &String)| {
        let drawn = length(of.value);
        let blocks = bar(drawn.abs(), most - least, room);
        let area = match drawn < 0.0 {
            true => format!("{blocks:>before$}"),
            false => format!("{}{blocks}", " ".repeat(before)),
        };
        let label = cut(&clean(&of.label), label_width);
        let note = if of.note.is_empty() { String::new() } else { format!("  {}", clean(&of.note)) };
        let line = format!("{label:<label_width$}  {area:<room$} {figure:>figure_width$}{note}");
        cut(line.trim_end(), width)
    };
    chart.bars.iter().zip(&figures).map(line).collect()
}

/// The layout of a chart.
struct Layout<'a> {
    ruler: Ruler<'a>,
    left: f64,
    width: f64,
    /// From one bar to the next.
    pitch: f64,
    stacked: bool,
    top: f64,
    bottom: f64,
    /// The right edge of the figures.
    figures_right: f64,
}

impl Layout<'_> {
    fn across(&self, value: f64) -> Option<f64> {
        self.ruler.share_inside(value).map(|share| self.left + share * self.width)
    }

    /// The upper edge of the bar at `index`.
    fn bar_top(&self, index: usize) -> f64 {
        self.top + index as f64 * self.pitch + self.pitch - BAR_HEIGHT - 5.0
    }
}

impl Chart for BarChart {
    fn figure(&self, id: &str) -> String {
        let Some(layout) = self.layout() else { return svg::nothing(id, &self.title) };
        let mut drawing = Drawing::default();
        drawing.open("bars");
        self.draw_axis(&mut drawing, &layout);
        for (index, bar) in self.bars.iter().enumerate() {
            self.draw_bar(&mut drawing, &layout, bar, layout.bar_top(index));
        }
        drawing.close();
        self.draw_marks(&mut drawing, &layout);
        let size = (WIDTH, layout.bottom + 42.0);
        svg::figure(id, &self.title, &self.description, size, &drawing.finish())
    }

    fn title(&self) -> &str {
        &self.title
    }

    fn text(&self, width: usize) -> Vec<String> {
        in_characters(self, width)
    }

    /// One line per bar.
    fn csv(&self) -> String {
        let mut text = String::new();
        let mut append = |fields: &[&str]| csv_line(&mut text, fields.iter());
        append(&["label", &self.axis.measure(), "low", "high", "note"]);
        for bar in &self.bars {
            let (low, high) = bar.interval.map_or_else(Default::default, |(low, high)| (exact(low), exact(high)));
            append(&[&bar.label, &exact(bar.value), &low, &high, &bar.note]);
        }
        text
    }
}

impl BarChart {
    fn layout(&self) -> Option<Layout<'_>> {
        if self.bars.is_empty() {
            return None;
        }
        let widest = |texts: &mut dyn Iterator<Item = f64>| texts.fold(0.0, f64::max);
        let labels = widest(&mut self.bars.iter().map(|bar| width_of(&bar.label)));
        let figures = widest(&mut self.bars.iter().map(|bar| width_of(&self.axis.figures.text(bar.value))));
        let notes = widest(&mut self.bars.iter().map(|bar| width_of(&bar.note)));
        let words = if notes > 0.0 { figures + NOTE_GAP + notes } else { figures }.min(WORDS_WIDTH_MAX);
        let stacked = labels > LABELS_WIDTH_MAX;
        let left = if stacked { 12.0 } else { labels + 10.0 };
        let width = WIDTH - left - words - 16.0;
        let ruler = Ruler::over(&self.axis, self.values(), width, Direction::Across)?;
        let pitch = BAR_HEIGHT + if stacked { 28.0 } else { 10.0 };
        // Marks have their labels above the bars.
        let top = if self.marks.is_empty() { 4.0 } else { 22.0 };
        let bottom = top + self.bars.len() as f64 * pitch + 4.0;
        let figures_right = left + width + 12.0 + figures.min(WORDS_WIDTH_MAX);
        Some(Layout { ruler, left, width, pitch, stacked, top, bottom, figures_right })
    }

    /// The values of the axis; intervals within limits, so that bars stay visible.
    fn values(&self) -> impl Iterator<Item = f64> {
        let core = self.bars.iter().map(|bar| bar.value).chain([self.base]).chain(self.marks.iter().map(|mark| mark.x));
        let core: Vec<f64> = core.filter(|value| self.axis.scale.position(*value).is_some()).collect();
        let reach = Reachable::of(&self.axis, core.iter().copied());
        let ends = self.bars.iter().filter_map(|bar| bar.interval).flat_map(|(low, high)| [low, high]);
        let ends: Vec<f64> = ends.filter_map(|end| reach.as_ref().map(|reach| reach.limited(end))).collect();
        core.into_iter().chain(ends)
    }

    fn draw_axis(&self, drawing: &mut Drawing, layout: &Layout<'_>) {
        for tick in &layout.ruler.ticks {
            let x = layout.left + layout.ruler.share_of_position(tick.position) * layout.width;
            drawing.line("grid", (x, layout.top), (x, layout.bottom));
            let half = width_of(&tick.label) / 2.0;
            let middle = x.clamp(half, (WIDTH - half).max(half));
            drawing.text("", (middle, layout.bottom + 17.0), Anchor::Middle, &tick.label);
        }
        if let Some(x) = layout.across(self.base) {
            drawing.line("axis", (x, layout.top), (x, layout.bottom));
        }
        let label = svg::fitted(&self.axis.label, WIDTH - 4.0);
        let x = (layout.left + layout.width).max(width_of(&label)).min(WIDTH - 2.0);
        drawing.text("name", (x, layout.bottom + 36.0), Anchor::End, &label);
    }

    fn draw_bar(&self, drawing: &mut Drawing, layout: &Layout<'_>, bar: &Bar, top: f64) {
        let baseline = top + BAR_HEIGHT / 2.0 + 5.0;
        if layout.stacked {
            let label = svg::fitted(&bar.label, WIDTH - layout.left);
            drawing.text("name", (layout.left, top - 5.0), Anchor::Start, &label);
        } else {
            drawing.text("name", (layout.left - 8.0, baseline), Anchor::End, &bar.label);
        }
        let figure = self.axis.figures.text(bar.value);
        drawing.text("name", (layout.figures_right, baseline), Anchor::End, &svg::fitted(&figure, WORDS_WIDTH_MAX));
        if !bar.note.is_empty() {
            let left = layout.figures_right + NOTE_GAP;
            drawing.text("name", (left, baseline), Anchor::Start, &svg::fitted(&bar.note, WIDTH - left));
        }
        let start = layout.across(self.base).unwrap_or(layout.left);
        let Some(end) = layout.across(bar.value) else { return };
        drawing.open(bar.tone.class());
        let shape = format!(
            "rect class=\"bar point\" {}",
            svg::rectangle((start.min(end), top), ((end - start).abs().max(1.0), BAR_HEIGHT))
        );
        let label = self.tooltip(bar);
        drawing.with_tooltip(&shape, &Tooltip { x: &figure, y: &bar.label, label: &label, titled: true });
        drawing.path("whisker", &self.whisker(layout, bar, top + BAR_HEIGHT / 2.0));
        drawing.close();
    }

    fn tooltip(&self, bar: &Bar) -> String {
        let figures = &self.axis.figures;
        let mut text = format!("{}: {}", bar.label, figures.text(bar.value));
        if let Some((low, high)) = bar.interval {
            text.push_str(&format!(", {} to {}", figures.text(low), figures.text(high)));
        }
        if !bar.note.is_empty() {
            text.push_str(&format!("; {}", bar.note));
        }
        text
    }

    /// The interval of a bar; an end beyond the axis has no cap.
    fn whisker(&self, layout: &Layout<'_>, bar: &Bar, y: f64) -> String {
        let Some((low, high)) = bar.interval else { return String::new() };
        let (Some(from), Some(to)) = (layout.across(low), layout.across(high)) else { return String::new() };
        let mut path = format!("M{}H{}", xy((from, y)), coordinate(to));
        for end in [low, high] {
            let inside = layout.ruler.share(end).is_some_and(|share| (-1e-9..=1.0 + 1e-9).contains(&share));
            if let Some(x) = layout.across(end).filter(|_| inside) {
                path.push_str(&format!("M{}v8", xy((x, y - 4.0))));
            }
        }
        path
    }

    fn draw_marks(&self, drawing: &mut Drawing, layout: &Layout<'_>) {
        let mut free_from = 0.0;
        for mark in &self.marks {
            let Some(x) = layout.across(mark.x) else { continue };
            drawing.line("mark", (x, layout.top - 4.0), (x, layout.bottom));
            let half = width_of(&mark.label) / 2.0;
            let middle = x.clamp(half, (WIDTH - half).max(half));
            if middle - half >= free_from && half * 2.0 <= WIDTH {
                drawing.text("name", (middle, layout.top - 8.0), Anchor::Middle, &mark.label);
                free_from = middle + half + 8.0;
            }
        }
    }
}

impl Tone {
    fn class(self) -> &'static str {
        match self {
            Tone::Plain => "plain",
            Tone::Better => "better",
            Tone::Worse => "worse",
            Tone::Open => "open",
        }
    }
}
