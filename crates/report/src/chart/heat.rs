//! Latency over time: counts of operations as shades, with percentile lines.

use super::axis::exact;
use super::line::{self, Underlay};
use super::ruler::{LINE_HEIGHT, Plot};
use super::svg::{self, Anchor, Drawing, Tooltip, coordinate, xy};
use super::{Axis, Chart, LineChart, Series, Shade};
use crate::figure;
use crate::view::line as csv_line;

/// A heat map of counts over time and latency.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatMap {
    /// The title.
    pub title: String,
    /// Alternative text, one or two sentences.
    pub description: String,
    /// Time.
    pub x: Axis,
    /// Latency; logarithmic.
    pub y: Axis,
    /// From the first slice of time to the last.
    pub columns: Vec<Column>,
    /// Lines such as p50 and p99, one point at the middle of each column.
    pub lines: Vec<Series>,
    /// Shaded ranges of time, such as the counted window.
    pub shaded: Vec<Shade>,
}

/// One slice of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its start, in the unit of the x axis.
    pub from: f64,
    /// Its end.
    pub to: f64,
    /// The buckets of a histogram: low and high edge in the unit of the y axis, and the count.
    pub cells: Vec<(f64, f64, u64)>,
    /// A note for the tooltip: `p50 1.2 ms, p99 3 ms`. May be empty.
    pub note: String,
}

/// The number of rows.
const ROW_COUNT: usize = 60;

/// The number of shades.
const LEVEL_COUNT: usize = 8;

/// The width of a shade in the key.
const SWATCH_WIDTH: f64 = 18.0;

/// One shade over adjacent columns of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Stripe {
    from: f64,
    to: f64,
    row: usize,
    level: usize,
}

impl Chart for HeatMap {
    fn figure(&self, id: &str) -> String {
        let cells = || self.columns.iter().flat_map(|column| &column.cells).filter(|(_, _, count)| *count > 0);
        let on_axis = |(low, high, _): &&(f64, f64, u64)| self.edges(*low, *high).is_some();
        let columns = self.columns.iter().filter(|column| column.cells.iter().any(|cell| cell.2 > 0));
        let x_values: Vec<f64> = columns.flat_map(|column| [column.from, column.to]).collect();
        let y_values: Vec<f64> = cells().filter(on_axis).flat_map(|(low, high, _)| [*low, *high]).collect();
        if x_values.is_empty() || y_values.is_empty() {
            return svg::nothing(id, &self.title);
        }
        let (x, y) = (self.x.clone(), self.y.clone());
        let mut chart = LineChart::new(self.title.as_str(), self.description.as_str(), x, y, self.lines.clone());
        chart.shaded.clone_from(&self.shaded);
        let draw = |drawing: &mut Drawing, plot: &Plot<'_>| self.draw(drawing, plot);
        let draw_key = |drawing: &mut Drawing, top: f64| self.draw_key(drawing, top);
        line::figure(id, &chart, Some(&Underlay { x_values, y_values, draw: &draw, draw_key: &draw_key }))
    }

    fn title(&self) -> &str {
        &self.title
    }

    /// Its lines; the shades need a page.
    fn text(&self, width: usize) -> Vec<String> {
        let (x, y) = (self.x.clone(), self.y.clone());
        LineChart::new(self.title.as_str(), self.description.as_str(), x, y, self.lines.clone()).text(width)
    }

    /// One line per cell, then one per point of the lines over it.
    fn csv(&self) -> String {
        let (x, y) = (self.x.measure(), self.y.measure());
        let heads = [format!("{x} from"), format!("{x} to"), format!("{y} low"), format!("{y} high")];
        let mut text = String::new();
        let mut append = |fields: &[&str]| csv_line(&mut text, fields.iter());
        append(&[&heads[0], &heads[1], &heads[2], &heads[3], "count", "line"]);
        for column in &self.columns {
            for (low, high, count) in &column.cells {
                let edges = [exact(column.from), exact(column.to), exact(*low), exact(*high)];
                append(&[&edges[0], &edges[1], &edges[2], &edges[3], &count.to_string(), ""]);
            }
        }
        for series in &self.lines {
            for point in &series.points {
                let (x, y) = (exact(point.x), exact(point.y));
                append(&[&x, &x, &y, &y, "", &series.name]);
            }
        }
        text
    }
}

impl HeatMap {
    /// The edges of a cell as positions. A lower edge without a position (0 ns) is half of the upper one.
    fn edges(&self, low: f64, high: f64) -> Option<(f64, f64)> {
        let upper = self.y.scale.position(high)?;
        let lower = self.y.scale.position(low).or_else(|| self.y.scale.position(high / 2.0))?;
        (lower <= upper).then_some((lower, upper))
    }

    /// The operations in each row of each column; a bucket that covers several rows is divided among them.
    fn densities(&self, plot: &Plot<'_>) -> Vec<[f64; ROW_COUNT]> {
        let row_of = |position: f64| plot.y.share_of_position(position).clamp(0.0, 1.0) * ROW_COUNT as f64;
        let column_densities = |column: &Column| {
            let mut rows = [0.0; ROW_COUNT];
            for (low, high, count) in &column.cells {
                let Some((low, high)) = self.edges(*low, *high) else { continue };
                let (low, high) = (row_of(low), row_of(high));
                let first = (low as usize).min(ROW_COUNT - 1);
                let last = (high.ceil() as usize).clamp(first + 1, ROW_COUNT);
                for (row, density) in rows.iter_mut().enumerate().take(last).skip(first) {
                    let shared = (high.min(row as f64 + 1.0) - low.max(row as f64)).max(0.0);
                    let share = if high > low { shared / (high - low) } else { 1.0 };
                    *density += *count as f64 * share;
                }
            }
            rows
        };
        self.columns.iter().map(column_densities).collect()
    }

    /// The shades, with equal adjacent columns merged.
    fn stripes(&self, densities: &[[f64; ROW_COUNT]]) -> Vec<Stripe> {
        let most = densities.iter().flatten().copied().fold(0.0, f64::max);
        let mut stripes: Vec<Stripe> = Vec::new();
        for row in 0..ROW_COUNT {
            for (column, rows) in self.columns.iter().zip(densities) {
                let Some(level) = level(rows[row], most) else { continue };
                match stripes.last_mut() {
                    Some(last) if last.row == row && last.level == level && last.to == column.from => {
                        last.to = column.to;
                    }
                    _ => stripes.push(Stripe { from: column.from, to: column.to, row, level }),
                }
            }
        }
        stripes
    }

    fn draw(&self, drawing: &mut Drawing, plot: &Plot<'_>) {
        let densities = self.densities(plot);
        let row_height = plot.height / ROW_COUNT as f64;
        let mut paths = vec![String::new(); LEVEL_COUNT];
        for stripe in self.stripes(&densities) {
            let (Some(from), Some(to)) = (plot.across(stripe.from), plot.across(stripe.to)) else { continue };
            let top = plot.bottom() - (stripe.row + 1) as f64 * row_height;
            let corner = xy((from, top));
            let (right, bottom) = (coordinate(to), coordinate(top + row_height));
            paths[stripe.level - 1].push_str(&format!("M{corner}H{right}V{bottom}H{}z", coordinate(from)));
        }
        for (index, path) in paths.iter().enumerate() {
            drawing.path(&format!("heat h{}", index + 1), path);
        }
        for column in &self.columns {
            self.draw_column(drawing, plot, column);
        }
    }

    /// The tooltip of a column.
    fn draw_column(&self, drawing: &mut Drawing, plot: &Plot<'_>, column: &Column) {
        let (Some(from), Some(to)) = (plot.across(column.from), plot.across(column.to)) else { return };
        let shape = format!("rect class=\"column\" {}", svg::rectangle((from, plot.top), (to - from, plot.height)));
        let figures = &self.x.figures;
        let x = format!("{} to {}", figures.text(column.from), figures.text(column.to));
        let y = figure::count(column.cells.iter().fold(0, |sum, (_, _, count)| sum.saturating_add(*count)));
        let separator = if column.note.is_empty() { "" } else { "; " };
        let label = format!("{} {x}: {y} operations{separator}{}", self.x.label, column.note);
        drawing.with_tooltip(&shape, &Tooltip { x: &x, y: &y, label: &label, titled: true });
    }

    /// The shades from few to many.
    fn draw_key(&self, drawing: &mut Drawing, top: f64) {
        let words = "operations: few";
        drawing.text("name", (2.0, top + 13.0), Anchor::Start, words);
        let left = 2.0 + svg::width_of(words) + 6.0;
        for level in 1..=LEVEL_COUNT {
            let x = left + (level - 1) as f64 * SWATCH_WIDTH;
            drawing.rectangle(&format!("heat h{level}"), (x, top + 2.0), (SWATCH_WIDTH, LINE_HEIGHT - 5.0));
        }
        let right = left + LEVEL_COUNT as f64 * SWATCH_WIDTH + 6.0;
        drawing.text("name", (right, top + 13.0), Anchor::Start, "many (logarithmic)");
    }
}

/// The shade of `density` operations where the maximum is `most`, on a log scale; `None` for zero.
fn level(density: f64, most: f64) -> Option<usize> {
    if density <= 0.0 {
        return None;
    }
    let share = density.ln_1p() / most.ln_1p();
    Some(((share * LEVEL_COUNT as f64).ceil() as usize).clamp(1, LEVEL_COUNT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shades_are_logarithmic() {
        assert_eq!(level(0.0, 100.0), None);
        assert_eq!(level(1e6, 1e6), Some(LEVEL_COUNT));
        assert_eq!(level(1e3, 1e6), Some(LEVEL_COUNT / 2 + 1));
        assert_eq!(level(0.01, 1e6), Some(1));
        assert_eq!(level(1.0, 1.0), Some(LEVEL_COUNT));
    }
}
