//! Lines over an axis: throughput over the degree of parallelism, percentile curves, throughput per second, history.

use super::{Axis, Chart, Mark, Series, Shade, plot, table};

/// A chart of lines.
#[derive(Debug, Clone, PartialEq)]
pub struct LineChart {
    /// What it shows.
    pub title: String,
    /// One or two sentences for a reader who does not see it: what the lines do.
    pub description: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis, at the left.
    pub y: Axis,
    /// A second vertical axis, at the right, such as the service time.
    pub right: Option<Axis>,
    /// The lines, in the order of the key.
    pub series: Vec<Series>,
    /// Stretches of the x axis.
    pub shaded: Vec<Shade>,
    /// Places of the x axis.
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
            right: None,
            series,
            shaded: Vec::new(),
            marks: Vec::new(),
        }
    }
}

impl Chart for LineChart {
    fn figure(&self, id: &str) -> String {
        plot::figure(id, self, None)
    }

    fn csv(&self) -> String {
        table::of_lines(self)
    }
}
