//! One series: its line, its band, its points with whiskers, and the sample of it in the key.

use super::axis::Direction;
use super::ruler::Plot;
use super::series::{LineChart, Point, Role, Series, drawn};
use super::svg::{Drawing, Tooltip, coordinate, xy};

/// The number of colours, dash patterns and shapes; further series reuse them.
const LINE_STYLE_COUNT: usize = 6;

/// From this number of points on, points have tooltips but no shape.
const DENSE_FROM: usize = 60;

/// The width of the sample of a line in the key.
pub(super) const SAMPLE_WIDTH: f64 = 30.0;

/// The style of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineStyle {
    role: Role,
    /// 1 to 6 for the colours, 0 for the neutral one.
    slot: usize,
    /// Whether points are drawn.
    pointed: bool,
}

impl Role {
    /// Whether the axis must cover it.
    pub(super) fn is_result(self) -> bool {
        matches!(self, Role::Measured | Role::Other | Role::Event | Role::Fit | Role::Claim)
    }

    fn class(self) -> &'static str {
        match self {
            Role::Measured => "measured",
            Role::Other => "other",
            Role::Event => "event",
            Role::Invalid => "invalid",
            Role::Fit => "fit",
            Role::Ideal => "ideal",
            Role::Ceiling => "ceiling",
            Role::Claim => "claim",
        }
    }

    fn has_line(self) -> bool {
        !matches!(self, Role::Event | Role::Invalid | Role::Claim)
    }

    fn has_points(self) -> bool {
        matches!(self, Role::Measured | Role::Other | Role::Event | Role::Invalid | Role::Claim)
    }
}

/// The style of each of `all`.
pub(super) fn styles(all: &[Series]) -> Vec<LineStyle> {
    let mut taken = 0;
    let mut styles = Vec::with_capacity(all.len());
    for series in all {
        let slot = match series.role {
            Role::Measured | Role::Other | Role::Event => {
                taken += 1;
                (taken - 1) % LINE_STYLE_COUNT + 1
            }
            Role::Invalid | Role::Fit if taken > 0 => (taken - 1) % LINE_STYLE_COUNT + 1,
            Role::Fit => 1,
            Role::Claim => 2,
            Role::Invalid | Role::Ideal | Role::Ceiling => 0,
        };
        let pointed = series.role.has_points() && series.points.len() < DENSE_FROM;
        styles.push(LineStyle { role: series.role, slot, pointed });
    }
    styles
}

/// Draws `series`; `haloed` where it must stand out from an underlay.
pub(super) fn draw(
    drawing: &mut Drawing,
    chart: &LineChart,
    series: &Series,
    style: &LineStyle,
    plot: &Plot<'_>,
    clip: &str,
    haloed: bool,
) {
    let points = drawn(&series.points);
    let at = |point: &Point| Some((plot.across(point.x)?, plot.up(series.panel, point.y)?));
    let positions: Vec<Option<(f64, f64)>> = points.iter().map(|point| at(point)).collect();
    drawing.open_clipped(&format!("{} s{}", style.role.class(), style.slot), clip);
    drawing.path("band", &band(series, plot));
    if style.role.has_line() {
        let line = match (style.role, positions.as_slice()) {
            // A single ceiling applies to the whole axis.
            (Role::Ceiling, [Some((_, y))]) => {
                format!("M{}H{}", xy((plot.left, *y)), coordinate(plot.left + plot.width))
            }
            _ => polyline(&positions),
        };
        if haloed {
            drawing.path("halo", &line);
        }
        drawing.path("line", &line);
    }
    drawing.path("whisker", &whiskers(&points, series, plot));
    drawing.close();
    if !style.role.has_points() && style.role != Role::Ceiling {
        return;
    }
    drawing.open(&format!("{} s{}", style.role.class(), style.slot));
    let (top, height) = plot.extent(series.panel);
    for (point, position) in points.iter().zip(&positions) {
        let inside = |(_, y): &(f64, f64)| (top - 1.0..=top + height + 1.0).contains(y);
        if let Some(position) = position.filter(inside) {
            draw_point(drawing, chart, series, style, point, position);
        }
    }
    drawing.close();
}

/// A point with its tooltip.
fn draw_point(
    drawing: &mut Drawing,
    chart: &LineChart,
    series: &Series,
    style: &LineStyle,
    point: &Point,
    at: (f64, f64),
) {
    let axis = if series.panel == super::Panel::Lower { chart.lower.as_ref().unwrap_or(&chart.y) } else { &chart.y };
    let (x, y) = (chart.x.figures.text(point.x), axis.figures.text(point.y));
    let mut label = format!(
        "{}: {}, {}",
        series.name,
        axis.with_unit(point.y, Direction::Up),
        chart.x.with_unit(point.x, Direction::Across)
    );
    if let Some((low, high)) = point.interval {
        label.push_str(&format!(", {} to {}", axis.figures.text(low), axis.figures.text(high)));
    }
    if !point.note.is_empty() {
        label.push_str(&format!("; {}", point.note));
    }
    let shape = if style.pointed {
        format!("path class=\"point shape\" d=\"{}\"", shape(style, at))
    } else {
        format!("circle class=\"point dense\" cx=\"{}\" cy=\"{}\" r=\"4\"", coordinate(at.0), coordinate(at.1))
    };
    drawing.with_tooltip(
        &shape,
        &Tooltip { x: &x, y: &y, label: &label, titled: style.pointed || style.role == Role::Ceiling },
    );
}

/// The line of a series in the key, `SAMPLE_WIDTH` wide, at the middle height of its text.
pub(super) fn draw_sample(drawing: &mut Drawing, style: &LineStyle, (x, y): (f64, f64)) {
    drawing.open(&format!("{} s{}", style.role.class(), style.slot));
    if style.role.has_line() {
        drawing.line("line", (x, y), (x + SAMPLE_WIDTH, y));
    }
    if style.pointed {
        drawing.path("shape", &shape(style, (x + SAMPLE_WIDTH / 2.0, y)));
    }
    drawing.close();
}

/// A line through positions, with gaps for absent ones.
fn polyline(positions: &[Option<(f64, f64)>]) -> String {
    let mut path = String::new();
    let mut down = false;
    for at in positions {
        if let Some(at) = at {
            path.push(if down { 'L' } else { 'M' });
            path.push_str(&xy(*at));
        }
        down = at.is_some();
    }
    path
}

/// The outline of a band: along its upper edge and back along the lower one.
fn band(series: &Series, plot: &Plot<'_>) -> String {
    let (top, height) = plot.extent(series.panel);
    let edge = |x: f64, y: f64| Some((plot.across(x)?, plot.ruler(series.panel)?.share_inside(y)?));
    let whole: Vec<((f64, f64), (f64, f64))> = series
        .band
        .iter()
        .filter_map(|reach| Some((edge(reach.x, reach.low)?, edge(reach.x, reach.high)?)))
        .map(|((x, low), (_, high))| (x, top + (1.0 - low) * height, top + (1.0 - high) * height))
        .map(|(x, low, high)| ((x, low), (x, high)))
        .collect();
    if whole.len() < 2 {
        return String::new();
    }
    let upper = whole.iter().map(|(_, high)| *high);
    let lower = whole.iter().rev().map(|(low, _)| *low);
    let outline: Vec<Option<(f64, f64)>> = upper.chain(lower).map(Some).collect();
    format!("{}Z", polyline(&outline))
}

/// The intervals of points: a line with a cap at each end; an end beyond the axis has none.
fn whiskers(points: &[&Point], series: &Series, plot: &Plot<'_>) -> String {
    let mut path = String::new();
    for point in points {
        let Some((low, high)) = point.interval else { continue };
        let ends = (plot.across(point.x), plot.up(series.panel, low), plot.up(series.panel, high));
        let (Some(x), Some(low), Some(high)) = ends else { continue };
        path.push_str(&format!("M{}V{}", xy((x, low)), coordinate(high)));
        for end in [low, high] {
            path.push_str(&format!("M{}h8", xy((x - 4.0, end))));
        }
    }
    path
}

/// The outline of a point of this style, around `at`.
fn shape(style: &LineStyle, (x, y): (f64, f64)) -> String {
    match (style.role, style.slot) {
        (Role::Invalid, _) => format!("M{}l8 8m0 -8l-8 8", xy((x - 4.0, y - 4.0))),
        (Role::Claim, _) => format!("M{}l7 7l-7 7l-7 -7z", xy((x, y - 7.0))),
        (_, 2) => format!("M{}h8v8h-8z", xy((x - 4.0, y - 4.0))),
        (_, 3) => format!("M{}l5 9h-10z", xy((x, y - 5.5))),
        (_, 4) => format!("M{}l5.5 5.5l-5.5 5.5l-5.5 -5.5z", xy((x, y - 5.5))),
        (_, 5) => format!("M{}h10l-5 9z", xy((x - 5.0, y - 3.5))),
        (_, 6) => format!("M{}h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5v-3h3.5z", xy((x - 1.5, y - 5.0))),
        _ => format!("M{}a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z", xy((x - 4.5, y))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(role: Role) -> Series {
        Series::new("", role, Vec::new())
    }

    #[test]
    fn a_fit_has_the_colour_of_what_it_fits() {
        let all = [
            series(Role::Measured),
            series(Role::Fit),
            series(Role::Measured),
            series(Role::Invalid),
            series(Role::Ideal),
        ];
        let slots: Vec<usize> = styles(&all).iter().map(|style| style.slot).collect();
        assert_eq!(slots, [1, 1, 2, 2, 0]);
    }

    #[test]
    fn every_slot_has_a_shape_of_its_own() {
        let styles = (1..=LINE_STYLE_COUNT).map(|slot| LineStyle { role: Role::Measured, slot, pointed: true });
        let shapes: std::collections::BTreeSet<String> = styles.map(|style| shape(&style, (0.0, 0.0))).collect();
        assert_eq!(shapes.len(), LINE_STYLE_COUNT);
    }

    #[test]
    fn an_unknown_value_is_a_gap() {
        assert_eq!(polyline(&[Some((0.0, 1.0)), None, Some((2.0, 3.0)), Some((4.0, 5.0))]), "M0 1M2 3L4 5");
    }
}
