//! The data of a line chart: series of points with their roles, shaded ranges and marks of an axis.

use super::axis::Axis;

/// A chart of lines.
#[derive(Debug, Clone, PartialEq)]
pub struct LineChart {
    /// The title.
    pub title: String,
    /// Alternative text, one or two sentences.
    pub description: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The vertical axis of a second panel below, over the same horizontal axis, such as the service time.
    pub lower: Option<Axis>,
    /// The lines, in the order of the key.
    pub series: Vec<Series>,
    /// Shaded ranges of the x axis.
    pub shaded: Vec<Shade>,
    /// Marked positions of the x axis.
    pub marks: Vec<Mark>,
}

impl LineChart {
    /// A chart of lines with one vertical axis.
    pub fn new(
        title: impl Into<String>,
        description: impl Into<String>,
        x: Axis,
        y: Axis,
        series: Vec<Series>,
    ) -> LineChart {
        LineChart {
            title: title.into(),
            description: description.into(),
            x,
            y,
            lower: None,
            series,
            shaded: Vec::new(),
            marks: Vec::new(),
        }
    }
}

/// One line, or the points of one.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The name in the key.
    pub name: String,
    /// The role, which decides the style.
    pub role: Role,
    /// The panel that it is drawn in.
    pub panel: Panel,
    /// In the order of x.
    pub points: Vec<Point>,
    /// A band around the line, in the order of x; empty for none.
    pub band: Vec<Reach>,
}

impl Series {
    /// A series of the upper panel without a band.
    pub fn new(name: impl Into<String>, role: Role, points: Vec<Point>) -> Series {
        Series { name: name.into(), role, panel: Panel::Upper, points, band: Vec::new() }
    }

    /// The same series in the lower panel.
    #[must_use]
    pub fn below(self) -> Series {
        Series { panel: Panel::Lower, ..self }
    }

    /// The same series with a band.
    #[must_use]
    pub fn with_band(self, band: Vec<Reach>) -> Series {
        Series { band, ..self }
    }
}

/// The role of a series. Each `Measured`, each `Other` and each `Event` takes the next of six colours, with a dash pattern and a
/// shape of its own; a `Fit` takes the colour of the series before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Measured values: a line with points.
    Measured,
    /// A secondary measurement, such as the service time: a thinner line with hollow points.
    Other,
    /// Events, which follow each other in time and are no course of a quantity: points without a line, each series with a colour
    /// and a shape of its own.
    Event,
    /// Values that are no results: crosses without a line.
    Invalid,
    /// A fitted curve: a dashed line, its band shaded.
    Fit,
    /// Linear scaling: a thin neutral line. May leave the chart at the top.
    Ideal,
    /// A ceiling from a probe: a heavy neutral dashed line; a single point applies to the whole axis. May be above the
    /// chart, which the key then states.
    Ceiling,
    /// A claim: a single diamond.
    Claim,
}

/// Which of two panels over the same horizontal axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Panel {
    /// The main one.
    Upper,
    /// The one below it, of less height.
    Lower,
}

/// One value of a series.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The x value.
    pub x: f64,
    /// The y value. Not finite: unknown, with a gap in the line.
    pub y: f64,
    /// The interval of `y`, low and high, drawn as whiskers.
    pub interval: Option<(f64, f64)>,
    /// A note for the tooltip: `run 12, 3 repeats`. May be empty.
    pub note: String,
}

impl Point {
    /// A point without interval and note.
    pub fn new(x: f64, y: f64) -> Point {
        Point { x, y, interval: None, note: String::new() }
    }

    /// The same point with an interval from `low` to `high`.
    #[must_use]
    pub fn within(self, low: f64, high: f64) -> Point {
        Point { interval: Some((low, high)), ..self }
    }

    /// The same point with a note.
    #[must_use]
    pub fn noted(self, note: impl Into<String>) -> Point {
        Point { note: note.into(), ..self }
    }
}

/// The band at one x value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reach {
    /// The x value.
    pub x: f64,
    /// The lower edge.
    pub low: f64,
    /// The upper edge.
    pub high: f64,
}

/// A shaded range of the x axis: the counted window.
#[derive(Debug, Clone, PartialEq)]
pub struct Shade {
    /// Its start.
    pub from: f64,
    /// Its end.
    pub to: f64,
    /// The label.
    pub label: String,
}

/// An x value marked by a line: a change point, the knee, 100 %.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// The x value.
    pub x: f64,
    /// The label.
    pub label: String,
}

/// The number of points of a series that are drawn, each with a tooltip.
pub(super) const POINTS_MAX: usize = 240;

/// The points to draw: all of them, or, of many, the first, the lowest, the highest and the last of each of `POINTS_MAX
/// / 4` ranges, so that no extreme is lost (the M4 aggregation of Jugel et al., VLDB 2014).
pub(super) fn drawn(points: &[Point]) -> Vec<&Point> {
    if points.len() <= POINTS_MAX {
        return points.iter().collect();
    }
    let stretch = points.len().div_ceil(POINTS_MAX / 4);
    let mut drawn = Vec::with_capacity(POINTS_MAX);
    for start in (0..points.len()).step_by(stretch) {
        let indices = start..(start + stretch).min(points.len());
        let known = || indices.clone().filter(|index| points[*index].y.is_finite());
        let by_value = |a: &usize, b: &usize| points[*a].y.total_cmp(&points[*b].y);
        let mut kept = vec![indices.start, indices.end - 1];
        kept.extend(known().min_by(by_value));
        kept.extend(known().max_by(by_value));
        kept.sort_unstable();
        kept.dedup();
        drawn.extend(kept.into_iter().map(|index| &points[index]));
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_points_the_extremes_are_kept() {
        let mut points: Vec<Point> = (0..10_000).map(|x| Point::new(f64::from(x), 50.0)).collect();
        points[4321].y = 1.0;
        points[7777].y = 99.0;
        points[5000].y = f64::NAN;
        let drawn = drawn(&points);
        assert!(drawn.len() <= POINTS_MAX, "{} points", drawn.len());
        assert!(drawn.iter().any(|point| point.y == 1.0) && drawn.iter().any(|point| point.y == 99.0));
        assert_eq!((drawn[0].x, drawn[drawn.len() - 1].x), (0.0, 9999.0));
        assert!(drawn.windows(2).all(|pair| pair[0].x < pair[1].x));
    }

    #[test]
    fn of_few_points_all_are_drawn() {
        let points: Vec<Point> = (0..POINTS_MAX).map(|x| Point::new(x as f64, 1.0)).collect();
        assert_eq!(drawn(&points).len(), POINTS_MAX);
    }
}
