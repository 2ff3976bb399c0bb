//! Line charts, drawn and as comma-separated values: throughput over the degree of parallelism, percentile curves,
//! throughput per second, history.

use super::axis::{Axis, Direction, exact};
use super::curve;
use super::key::Key;
use super::ruler::{LINE_HEIGHT, Lower, Plot, Reachable, Ruler};
use super::series::{LineChart, Panel, Role, Series};
use super::svg::{self, Anchor, Drawing, width_of};
use super::{Chart, WIDTH, picture};
use crate::view::line as csv_line;

/// The height of the plot area.
const PLOT_HEIGHT: f64 = 230.0;

/// The height of the plot area of a lower panel, and the space above it for the label of its axis.
const LOWER_HEIGHT: f64 = 80.0;
const LOWER_GAP: f64 = 2.0 * LINE_HEIGHT;

/// The space right of an area: half a label of the horizontal axis.
const MARGIN_RIGHT: f64 = 18.0;

/// A layer between the grid and the lines, with its own line in the key.
pub(super) struct Underlay<'a> {
    /// Further values of the horizontal axis.
    pub(super) x_values: Vec<f64>,
    /// Further values of the vertical axis.
    pub(super) y_values: Vec<f64>,
    /// Draws it.
    pub(super) draw: &'a dyn Fn(&mut Drawing, &Plot<'_>),
    /// Draws its line of the key at a height.
    pub(super) draw_key: &'a dyn Fn(&mut Drawing, f64),
}

impl Chart for LineChart {
    fn figure(&self, id: &str) -> String {
        figure(id, self, None)
    }

    fn title(&self) -> &str {
        &self.title
    }

    fn text(&self, width: usize) -> Vec<String> {
        picture::lines(self, width)
    }

    /// One line per point and per band value: series, x, y, low, high, measure, note.
    fn csv(&self) -> String {
        let mut text = String::new();
        let mut append = |fields: &[&str]| csv_line(&mut text, fields.iter());
        append(&["series", &self.x.measure(), "value", "low", "high", "measure", "note"]);
        for series in &self.series {
            let axis = if series.panel == Panel::Lower { self.lower.as_ref().unwrap_or(&self.y) } else { &self.y };
            let measure = axis.measure();
            for point in &series.points {
                let (low, high) = point.interval.map_or_else(Default::default, |(low, high)| (exact(low), exact(high)));
                let (x, y) = (self.x.exact(point.x), axis.exact(point.y));
                append(&[&series.name, &x, &y, &low, &high, &measure, &point.note]);
            }
            for reach in &series.band {
                let (x, low, high) = (self.x.exact(reach.x), exact(reach.low), exact(reach.high));
                append(&[&series.name, &x, "", &low, &high, &measure, "band"]);
            }
        }
        text
    }
}

/// Draws `chart`, with `underlay` below its lines.
pub(super) fn figure(id: &str, chart: &LineChart, underlay: Option<&Underlay<'_>>) -> String {
    let nothing = || svg::nothing(id, &chart.title);
    let measured = |series: &Series| series.role.is_result() || series.role == Role::Invalid;
    let anything = underlay.is_some() || chart.series.iter().any(measured);
    let (true, Some(y)) = (anything, upright(chart, &chart.y, Panel::Upper, underlay)) else { return nothing() };
    let lower = chart.lower.as_ref().and_then(|axis| upright(chart, axis, Panel::Lower, None));
    let styles = curve::styles(&chart.series);
    let left = labels_width(&y).max(lower.as_ref().map_or(0.0, labels_width));
    let ends: Vec<Option<f64>> = chart.series.iter().map(|series| end_share(series, &y)).collect();
    let key = Key::of(chart, &styles, &ends, underlay.is_some());
    let width = WIDTH - left - MARGIN_RIGHT.max(key.width());
    let Some(x) = lengthways(chart, underlay, width) else { return nothing() };
    let marked = !chart.marks.is_empty() || chart.shaded.iter().any(|shade| !shade.label.is_empty());
    let key_height = key.height() + if underlay.is_some() { LINE_HEIGHT + 6.0 } else { 0.0 };
    let top = key_height + 2.0 * LINE_HEIGHT - if marked { 0.0 } else { 10.0 };
    let lower = lower.map(|y| Lower { top: top + PLOT_HEIGHT + LOWER_GAP, height: LOWER_HEIGHT, y });
    let plot = Plot { left, top, width, height: PLOT_HEIGHT, x, y, lower };
    let mut drawing = Drawing::default();
    let clips = [Panel::Upper, Panel::Lower].map(|panel| match panel {
        Panel::Upper => format!("{id}-clip"),
        Panel::Lower => format!("{id}-clip-lower"),
    });
    drawing.clip(&clips[0], (plot.left, plot.top), (plot.width, plot.height));
    if let Some(lower) = &plot.lower {
        drawing.clip(&clips[1], (plot.left, lower.top), (plot.width, lower.height));
    }
    key.draw(&mut drawing, &plot);
    draw_shades(&mut drawing, chart, &plot);
    draw_axes(&mut drawing, &plot, key_height);
    if let Some(underlay) = underlay {
        (underlay.draw_key)(&mut drawing, key.height());
        (underlay.draw)(&mut drawing, &plot);
    }
    for (series, style) in chart.series.iter().zip(&styles) {
        let clip = &clips[usize::from(series.panel == Panel::Lower)];
        curve::draw(&mut drawing, chart, series, style, &plot, clip, underlay.is_some());
    }
    draw_marks(&mut drawing, chart, &plot);
    let height = plot.end() + 2.0 * LINE_HEIGHT + 6.0;
    svg::figure(id, &chart.title, &chart.description, (WIDTH, height), &drawing.finish())
}

/// The horizontal ruler: over all series and the underlay.
fn lengthways<'a>(chart: &'a LineChart, underlay: Option<&Underlay<'_>>, width: f64) -> Option<Ruler<'a>> {
    let values = chart.series.iter().flat_map(|series| &series.points).filter(|point| point.y.is_finite());
    let below = underlay.iter().flat_map(|underlay| underlay.x_values.iter().copied());
    Ruler::over(&chart.x, values.map(|point| point.x).chain(below), width, Direction::Across)
}

/// The vertical ruler of `panel`: over all measurements with their whiskers, and within limits over ideal lines, bands
/// and ceilings, which must not flatten the results.
fn upright<'a>(chart: &LineChart, axis: &'a Axis, panel: Panel, underlay: Option<&Underlay<'_>>) -> Option<Ruler<'a>> {
    let in_panel = || chart.series.iter().filter(move |series| series.panel == panel);
    let below = || underlay.iter().flat_map(|underlay| underlay.y_values.iter().copied());
    let placed = |value: &f64| axis.scale.position(*value).is_some();
    let results = in_panel().filter(|series| series.role.is_result());
    let mut core: Vec<f64> = results.flat_map(values_of).chain(below()).filter(placed).collect();
    if core.is_empty() {
        core = in_panel().flat_map(values_of).filter(placed).collect();
    }
    let reach = Reachable::of(axis, core.iter().copied())?;
    let measured = in_panel().filter(|series| series.role.is_result() || series.role == Role::Invalid);
    core.extend(measured.flat_map(|series| values_of(series).chain(whiskers_of(series))).filter(placed));
    let beside: Vec<f64> = in_panel()
        .flat_map(|series| match series.role {
            Role::Ideal => values_of(series).map(|value| reach.limited(value)).collect::<Vec<f64>>(),
            Role::Ceiling => values_of(series).filter(|value| reach.shows_ceiling(*value)).collect(),
            _ => bands_of(series).map(|value| reach.limited(value)).collect(),
        })
        .collect();
    let height = if panel == Panel::Lower { LOWER_HEIGHT } else { PLOT_HEIGHT };
    Ruler::over(axis, core.into_iter().chain(beside), height, Direction::Up)
}

fn values_of(series: &Series) -> impl Iterator<Item = f64> {
    series.points.iter().map(|point| point.y)
}

/// The ends of intervals.
fn whiskers_of(series: &Series) -> impl Iterator<Item = f64> {
    series.points.iter().filter_map(|point| point.interval).flat_map(|(low, high)| [low, high])
}

/// The edges of a band.
fn bands_of(series: &Series) -> impl Iterator<Item = f64> {
    series.band.iter().flat_map(|reach| [reach.low, reach.high])
}

/// The height of the end of a series of the upper panel, for its label; above 1 where it ends above the area. `None`
/// where it is not drawn, and in the lower panel, whose axis names its series.
fn end_share(series: &Series, ruler: &Ruler<'_>) -> Option<f64> {
    series.points.iter().rev().filter(|_| series.panel == Panel::Upper).find_map(|point| ruler.share(point.y))
}

/// The width of the labels of a vertical axis.
fn labels_width(ruler: &Ruler<'_>) -> f64 {
    ruler.ticks.iter().map(|tick| width_of(&tick.label)).fold(12.0, f64::max) + 12.0
}

fn draw_axes(drawing: &mut Drawing, plot: &Plot<'_>, words_top: f64) {
    draw_panel(drawing, plot, Panel::Upper);
    drawing.text("name", (2.0, words_top + 13.0), Anchor::Start, &svg::fitted(&plot.y.axis.label, WIDTH * 0.55));
    if let Some(lower) = &plot.lower {
        draw_panel(drawing, plot, Panel::Lower);
        drawing.text("name", (2.0, lower.top - 9.0), Anchor::Start, &svg::fitted(&lower.y.axis.label, WIDTH * 0.9));
    }
    draw_length(drawing, plot);
}

/// The grid of a panel with the labels of its vertical axis, and its edges.
fn draw_panel(drawing: &mut Drawing, plot: &Plot<'_>, panel: Panel) {
    let (left, right) = (plot.left, plot.left + plot.width);
    let (top, height) = plot.extent(panel);
    for tick in plot.ruler(panel).iter().flat_map(|ruler| &ruler.ticks) {
        let share = plot.ruler(panel).map_or(0.0, |ruler| ruler.share_of_position(tick.position));
        let y = top + (1.0 - share) * height;
        drawing.line("grid", (left, y), (right, y));
        drawing.text("", (left - 7.0, y + 5.0), Anchor::End, &tick.label);
    }
    let (foot, end) = (svg::coordinate(top + height), svg::coordinate(right));
    drawing.path("axis", &format!("M{}V{foot}H{end}", svg::xy((left, top))));
}

/// The horizontal axis with its ticks and its label.
fn draw_length(drawing: &mut Drawing, plot: &Plot<'_>) {
    let (left, right, bottom) = (plot.left, plot.left + plot.width, plot.end());
    for tick in &plot.x.ticks {
        let x = left + plot.x.share_of_position(tick.position) * plot.width;
        drawing.line("axis", (x, bottom), (x, bottom + 4.0));
        let half = width_of(&tick.label) / 2.0;
        let x = x.clamp(half, (WIDTH - half).max(half));
        drawing.text("", (x, bottom + LINE_HEIGHT), Anchor::Middle, &tick.label);
    }
    let label = svg::fitted(&plot.x.axis.label, plot.width);
    drawing.text("name", (right, bottom + 2.0 * LINE_HEIGHT), Anchor::End, &label);
}

fn draw_shades(drawing: &mut Drawing, chart: &LineChart, plot: &Plot<'_>) {
    for shade in &chart.shaded {
        let ends = (plot.x.share_inside(shade.from), plot.x.share_inside(shade.to));
        let (Some(from), Some(to)) = ends else { continue };
        if to <= from {
            continue;
        }
        let (from, width) = (plot.left + from * plot.width, (to - from) * plot.width);
        drawing.rectangle("shade", (from, plot.top), (width, plot.height));
        if width_of(&shade.label) <= width {
            drawing.text("", (from + width / 2.0, plot.top - 5.0), Anchor::Middle, &shade.label);
        }
    }
}

/// Lines at marked positions, with labels above the area where there is room for them; all have tooltips.
fn draw_marks(drawing: &mut Drawing, chart: &LineChart, plot: &Plot<'_>) {
    let mut free_from = 0.0;
    for mark in &chart.marks {
        let Some(share) = plot.x.share(mark.x).filter(|share| (-1e-9..=1.0 + 1e-9).contains(share)) else { continue };
        let x = plot.left + share * plot.width;
        let at = plot.x.axis.figures.text(mark.x);
        let line =
            format!("path class=\"mark point\" d=\"M{}V{}\"", svg::xy((x, plot.top)), svg::coordinate(plot.bottom()));
        let label = format!("{}: {at}", mark.label);
        drawing.with_tooltip(&line, &svg::Tooltip { x: &at, y: "", label: &label, titled: true });
        let half = width_of(&mark.label) / 2.0;
        let middle = x.clamp(half, (WIDTH - half).max(half));
        if middle - half >= free_from && half * 2.0 <= WIDTH {
            drawing.text("name", (middle, plot.top - 5.0), Anchor::Middle, &mark.label);
            free_from = middle + half + 8.0;
        }
    }
}
