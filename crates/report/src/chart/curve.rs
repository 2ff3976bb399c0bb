//! One series: its line, its band, its points with whiskers, and the sample of it in the key.

use super::line::LineChart;
use super::plot::Plot;
use super::series::{Point, Role, Series, drawn};
use super::svg::{Drawing, Told, coordinate, place};
use super::tick::Direction;

/// How many colours, dash patterns and shapes there are; the series after them begin again.
const LOOK_COUNT: usize = 6;

/// From this many points on, points are told to the pointer but not drawn.
const DENSE_FROM: usize = 60;

/// The width of a line's sample in the key.
pub(super) const SAMPLE_WIDTH: f64 = 30.0;

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Look {
    role: Role,
    /// 1 to 6 for the colours, 0 for the neutral one.
    slot: usize,
    /// Whether points are drawn.
    pointed: bool,
}

impl Role {
    /// Whether it is something that an axis must reach.
    pub(super) fn is_result(self) -> bool {
        matches!(self, Role::Measured | Role::Other | Role::Fit | Role::Claim)
    }

    fn class(self) -> &'static str {
        match self {
            Role::Measured => "measured",
            Role::Other => "other",
            Role::Invalid => "invalid",
            Role::Fit => "fit",
            Role::Ideal => "ideal",
            Role::Ceiling => "ceiling",
            Role::Claim => "claim",
        }
    }

    fn has_line(self) -> bool {
        !matches!(self, Role::Invalid | Role::Claim)
    }

    fn has_points(self) -> bool {
        matches!(self, Role::Measured | Role::Other | Role::Invalid | Role::Claim)
    }
}

/// How each of `all` is drawn.
pub(super) fn looks(all: &[Series]) -> Vec<Look> {
    let mut taken = 0;
    let mut looks = Vec::with_capacity(all.len());
    for series in all {
        let slot = match series.role {
            Role::Measured | Role::Other => {
                taken += 1;
                (taken - 1) % LOOK_COUNT + 1
            }
            Role::Invalid | Role::Fit if taken > 0 => (taken - 1) % LOOK_COUNT + 1,
            Role::Fit => 1,
            Role::Claim => 2,
            Role::Invalid | Role::Ideal | Role::Ceiling => 0,
        };
        let pointed = series.role.has_points() && series.points.len() < DENSE_FROM;
        looks.push(Look { role: series.role, slot, pointed });
    }
    looks
}

/// Draws `series`; `haloed` where it must stand out from what lies below it.
pub(super) fn draw(
    drawing: &mut Drawing,
    chart: &LineChart,
    series: &Series,
    look: &Look,
    plot: &Plot<'_>,
    clip: &str,
    haloed: bool,
) {
    let points = drawn(&series.points);
    let at = |point: &Point| Some((plot.across(point.x)?, plot.up(series.side, point.y)?));
    let places: Vec<Option<(f64, f64)>> = points.iter().map(|point| at(point)).collect();
    drawing.open_clipped(&format!("{} s{}", look.role.class(), look.slot), clip);
    drawing.path("band", &band(series, plot));
    if look.role.has_line() {
        let line = match (look.role, places.as_slice()) {
            // A single ceiling holds everywhere.
            (Role::Ceiling, [Some((_, y))]) => {
                format!("M{}H{}", place((plot.left, *y)), coordinate(plot.left + plot.width))
            }
            _ => polyline(&places),
        };
        if haloed {
            drawing.path("halo", &line);
        }
        drawing.path("line", &line);
    }
    drawing.path("whisker", &whiskers(&points, series, plot));
    drawing.close();
    if !look.role.has_points() && look.role != Role::Ceiling {
        return;
    }
    drawing.open(&format!("{} s{}", look.role.class(), look.slot));
    for (point, place) in points.iter().zip(&places) {
        let inside = |(_, y): &(f64, f64)| (plot.top - 1.0..=plot.bottom() + 1.0).contains(y);
        if let Some(place) = place.filter(inside) {
            draw_point(drawing, chart, series, look, point, place);
        }
    }
    drawing.close();
}

/// A point with what it says.
fn draw_point(drawing: &mut Drawing, chart: &LineChart, series: &Series, look: &Look, point: &Point, at: (f64, f64)) {
    let axis = if series.side == super::Side::Right { chart.right.as_ref().unwrap_or(&chart.y) } else { &chart.y };
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
    let shape = if look.pointed {
        format!("path class=\"point shape\" d=\"{}\"", shape(look, at))
    } else {
        format!("circle class=\"point dense\" cx=\"{}\" cy=\"{}\" r=\"4\"", coordinate(at.0), coordinate(at.1))
    };
    drawing.told(&shape, &Told { x: &x, y: &y, label: &label, titled: look.pointed || look.role == Role::Ceiling });
}

/// The line of a series in the key, `SAMPLE_WIDTH` wide, at the middle height of its text.
pub(super) fn draw_sample(drawing: &mut Drawing, look: &Look, (x, y): (f64, f64)) {
    drawing.open(&format!("{} s{}", look.role.class(), look.slot));
    if look.role.has_line() {
        drawing.line("line", (x, y), (x + SAMPLE_WIDTH, y));
    }
    if look.pointed {
        drawing.path("shape", &shape(look, (x + SAMPLE_WIDTH / 2.0, y)));
    }
    drawing.close();
}

/// A line through places, with gaps where there is none.
fn polyline(places: &[Option<(f64, f64)>]) -> String {
    let mut path = String::new();
    let mut down = false;
    for at in places {
        if let Some(at) = at {
            path.push(if down { 'L' } else { 'M' });
            path.push_str(&place(*at));
        }
        down = at.is_some();
    }
    path
}

/// The outline of a band: along its upper edge and back along the lower one.
fn band(series: &Series, plot: &Plot<'_>) -> String {
    let edge = |x: f64, y: f64| Some((plot.across(x)?, plot.ruler(series.side)?.share_inside(y)?));
    let whole: Vec<((f64, f64), (f64, f64))> = series
        .band
        .iter()
        .filter_map(|reach| Some((edge(reach.x, reach.low)?, edge(reach.x, reach.high)?)))
        .map(|((x, low), (_, high))| (x, plot.top + (1.0 - low) * plot.height, plot.top + (1.0 - high) * plot.height))
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

/// The intervals of points: a line with a foot at each end; an end beyond the axis has none.
fn whiskers(points: &[&Point], series: &Series, plot: &Plot<'_>) -> String {
    let mut path = String::new();
    for point in points {
        let Some((low, high)) = point.interval else { continue };
        let ends = (plot.across(point.x), plot.up(series.side, low), plot.up(series.side, high));
        let (Some(x), Some(low), Some(high)) = ends else { continue };
        path.push_str(&format!("M{}V{}", place((x, low)), coordinate(high)));
        for end in [low, high] {
            path.push_str(&format!("M{}h8", place((x - 4.0, end))));
        }
    }
    path
}

/// The outline of a point of this look, around `at`.
fn shape(look: &Look, (x, y): (f64, f64)) -> String {
    match (look.role, look.slot) {
        (Role::Invalid, _) => format!("M{}l8 8m0 -8l-8 8", place((x - 4.0, y - 4.0))),
        (Role::Claim, _) => format!("M{}l7 7l-7 7l-7 -7z", place((x, y - 7.0))),
        (_, 2) => format!("M{}h8v8h-8z", place((x - 4.0, y - 4.0))),
        (_, 3) => format!("M{}l5 9h-10z", place((x, y - 5.5))),
        (_, 4) => format!("M{}l5.5 5.5l-5.5 5.5l-5.5 -5.5z", place((x, y - 5.5))),
        (_, 5) => format!("M{}h10l-5 9z", place((x - 5.0, y - 3.5))),
        (_, 6) => format!("M{}h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5v-3h3.5z", place((x - 1.5, y - 5.0))),
        _ => format!("M{}a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z", place((x - 4.5, y))),
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
        let slots: Vec<usize> = looks(&all).iter().map(|look| look.slot).collect();
        assert_eq!(slots, [1, 1, 2, 2, 0]);
    }

    #[test]
    fn every_slot_has_a_shape_of_its_own() {
        let looks = (1..=LOOK_COUNT).map(|slot| Look { role: Role::Measured, slot, pointed: true });
        let shapes: std::collections::BTreeSet<String> = looks.map(|look| shape(&look, (0.0, 0.0))).collect();
        assert_eq!(shapes.len(), LOOK_COUNT);
    }

    #[test]
    fn an_unknown_value_is_a_gap() {
        assert_eq!(polyline(&[Some((0.0, 1.0)), None, Some((2.0, 3.0)), Some((4.0, 5.0))]), "M0 1M2 3L4 5");
    }
}
