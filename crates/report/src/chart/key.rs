//! The key of a chart: labels at the ends of the lines where they fit, else rows of samples above the chart.

use super::WIDTH;
use super::curve::{LineStyle, SAMPLE_WIDTH, draw_sample};
use super::ruler::{LINE_HEIGHT, Plot};
use super::series::{LineChart, Role, Series};
use super::svg::{Anchor, Drawing, fitted, width_of};

/// The widest name that is written at the end of a line.
const END_WIDTH_MAX: f64 = 96.0;

/// With more lines the key is rows of samples.
const END_COUNT_MAX: usize = 5;

/// Between a sample and its name.
const GAP: f64 = 6.0;

/// Between one entry of a row and the next.
const ENTRY_GAP: f64 = 16.0;

/// The key of a chart.
#[derive(Debug)]
pub(super) struct Key {
    entries: Vec<Entry>,
    layout: KeyLayout,
}

#[derive(Debug)]
struct Entry {
    name: String,
    style: LineStyle,
    /// The height of its end on the axis, 0 to 1.
    end: f64,
}

impl Entry {
    /// The entry of a series that ends at `end`. A ceiling above the area, whose line is not visible, is stated here.
    fn of(chart: &LineChart, series: &Series, style: LineStyle, end: f64) -> Entry {
        let above = series.points.last().filter(|_| series.role == Role::Ceiling && end > 1.0 + 1e-9);
        let name = match above {
            Some(point) => format!("{} (above: {})", series.name, chart.y.figures.text(point.y)),
            None => series.name.clone(),
        };
        Entry { name, style, end: end.clamp(0.0, 1.0) }
    }
}

#[derive(Debug)]
enum KeyLayout {
    /// No key for a single line.
    None,
    /// At the right of the area, at the height where the line ends.
    Ends { width: f64 },
    /// Above the area: x and row of each entry.
    Rows { positions: Vec<(f64, usize)>, row_count: usize },
}

impl Key {
    /// The key of `chart`; `crowded` where something else is at the right of the area.
    pub(super) fn of(chart: &LineChart, styles: &[LineStyle], ends: &[Option<f64>], crowded: bool) -> Key {
        let named = chart.series.iter().zip(styles).zip(ends).filter(|((series, _), _)| !series.name.is_empty());
        let entries: Vec<Entry> =
            named.filter_map(|((series, style), end)| Some(Entry::of(chart, series, *style, (*end)?))).collect();
        let width = entries.iter().map(|entry| width_of(&entry.name)).fold(0.0, f64::max);
        let layout = if entries.len() < 2 && !crowded {
            KeyLayout::None
        } else if !crowded && width <= END_WIDTH_MAX && entries.len() <= END_COUNT_MAX {
            KeyLayout::Ends { width: width + SAMPLE_WIDTH + GAP + 12.0 }
        } else {
            rows(&entries)
        };
        Key { entries, layout }
    }

    /// Its width right of the area.
    pub(super) fn width(&self) -> f64 {
        if let KeyLayout::Ends { width } = self.layout { width } else { 0.0 }
    }

    /// Its height above the area.
    pub(super) fn height(&self) -> f64 {
        match self.layout {
            KeyLayout::Rows { row_count, .. } => row_count as f64 * (LINE_HEIGHT + 2.0) + 4.0,
            _ => 0.0,
        }
    }

    /// Draws it.
    pub(super) fn draw(&self, drawing: &mut Drawing, plot: &Plot<'_>) {
        match &self.layout {
            KeyLayout::None => {}
            KeyLayout::Ends { .. } => {
                for (entry, y) in self.entries.iter().zip(self.heights(plot)) {
                    self.draw_entry(drawing, entry, (plot.left + plot.width + 8.0, y), END_WIDTH_MAX);
                }
            }
            KeyLayout::Rows { positions, .. } => {
                for (entry, (x, row)) in self.entries.iter().zip(positions) {
                    let y = 9.0 + *row as f64 * (LINE_HEIGHT + 2.0);
                    self.draw_entry(drawing, entry, (*x, y), WIDTH - x - SAMPLE_WIDTH - GAP);
                }
            }
        }
    }

    fn draw_entry(&self, drawing: &mut Drawing, entry: &Entry, (x, y): (f64, f64), room: f64) {
        draw_sample(drawing, &entry.style, (x, y));
        drawing.text("name", (x + SAMPLE_WIDTH + GAP, y + 5.0), Anchor::Start, &fitted(&entry.name, room));
    }

    /// The heights of the labels at the ends: close to their lines, in the same order, without overlap, inside the
    /// area.
    fn heights(&self, plot: &Plot<'_>) -> Vec<f64> {
        let mut order: Vec<usize> = (0..self.entries.len()).collect();
        order.sort_by(|a, b| self.entries[*b].end.total_cmp(&self.entries[*a].end));
        let wanted = |index: usize| plot.top + (1.0 - self.entries[index].end) * plot.height;
        let mut heights = vec![0.0; self.entries.len()];
        let mut free_from = plot.top;
        for index in &order {
            heights[*index] = wanted(*index).max(free_from);
            free_from = heights[*index] + LINE_HEIGHT;
        }
        let mut free_until = plot.bottom();
        for index in order.iter().rev() {
            heights[*index] = heights[*index].min(free_until);
            free_until = heights[*index] - LINE_HEIGHT;
        }
        heights
    }
}

/// Entries side by side, in as many rows as needed.
fn rows(entries: &[Entry]) -> KeyLayout {
    let (mut x, mut row) = (2.0, 0);
    let mut positions = Vec::with_capacity(entries.len());
    for entry in entries {
        let width = SAMPLE_WIDTH + GAP + width_of(&entry.name);
        if x > 2.0 && x + width > WIDTH {
            (x, row) = (2.0, row + 1);
        }
        positions.push((x, row));
        x += width + ENTRY_GAP;
    }
    KeyLayout::Rows { positions, row_count: if entries.is_empty() { 0 } else { row + 1 } }
}
