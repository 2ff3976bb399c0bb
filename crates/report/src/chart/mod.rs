//! Charts drawn as SVG: lines over an axis, bars with whiskers, a heat map of latency over time.
//!
//! A chart is a value; [`Chart::figure`] draws it as one HTML `<figure>` that needs neither script nor network,
//! [`Chart::csv`] writes its data with all digits. Colours are custom properties only ([`STYLE`] defines them for
//! light, dark and print), and series are never distinguished by colour alone.
//!
//! For scripts, `.point` and `.column` have `data-x`, `data-y` and `data-label` (the tooltip), and the same text as a
//! `<title>`, which browsers show without a script.
//!
//! A drawing is [`WIDTH`] units wide with text of 14 units: at the smallest width that the style sheet allows (448 px,
//! inside a frame that scrolls) text is 11.2 px high, so that it can be read on a page of 390 px.

mod axis;
mod bar;
mod curve;
mod heat;
mod key;
mod line;
mod picture;
mod ruler;
mod series;
mod svg;
mod tick;

#[cfg(test)]
mod palette;
#[cfg(test)]
mod tests;

pub use axis::{Axis, Figures, Scale};
pub use bar::{Bar, BarChart, Tone};
pub use heat::{Column, HeatMap};
pub use series::{LineChart, Mark, Panel, Point, Reach, Role, Series, Shade};

/// The colours (custom properties for light, dark and print) and the classes that charts use.
pub const STYLE: &str = concat!(include_str!("palette.css"), include_str!("chart.css"));

/// The width of every drawing, in its own units.
const WIDTH: f64 = 560.0;

/// A chart that can be drawn and exported.
pub trait Chart {
    /// The chart as HTML: `<figure class="chart">` with one `<svg role="img">`, or a sentence where there is nothing
    /// to draw. `id` must be unique on the page; ids inside start with it.
    fn figure(&self, id: &str) -> String;

    /// Its title.
    fn title(&self) -> &str;

    /// The chart in characters, on lines of at most `width` of them; empty where it cannot be drawn so.
    fn text(&self, width: usize) -> Vec<String>;

    /// All of the chart's data as comma-separated values (RFC 4180) with a header line, every figure exact, also those
    /// that the drawing leaves out.
    fn csv(&self) -> String;
}
