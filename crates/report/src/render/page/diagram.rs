//! A chart on a page: the drawing, a note, and its data.

use maud::{Markup, PreEscaped, html};

use crate::document::Diagram;
use crate::layout::clean;

impl Diagram {
    /// The drawing with its data as comma-separated values, readable without a script; the script offers them as a file
    /// and as a table.
    pub(crate) fn html(&self) -> Markup {
        let csv = self.chart.csv();
        let lines = csv.lines().count().saturating_sub(1);
        html! {
            div class="diagram" {
                (PreEscaped(untitled(&self.chart.figure(&self.id))))
                @if !self.note.is_empty() { p class="aside" { (clean(&self.note)) } }
                @if lines > 0 {
                    details class="data" data-file=(self.id) {
                        summary { "Data: " (lines) (if lines == 1 { " line" } else { " lines" }) }
                        pre tabindex="0" { (csv.lines().map(clean).collect::<Vec<_>>().join("\n")) }
                    }
                }
            }
        }
    }
}

/// A drawing without the tooltips of browsers: the script shows the same from the attributes, and by keyboard. The
/// title of the drawing itself has an id and stays.
fn untitled(figure: &str) -> String {
    let (open, close) = ("<title>", "</title>");
    let mut rest = figure;
    let mut untitled = String::with_capacity(figure.len());
    while let Some((before, after)) = rest.split_once(open) {
        untitled.push_str(before);
        rest = after.split_once(close).map_or("", |(_, rest)| rest);
    }
    untitled.push_str(rest);
    untitled
}

/// Charts side by side where there is room; nothing where there are none.
pub(crate) fn gallery(charts: &[Diagram]) -> Markup {
    html! { @if !charts.is_empty() { div class="gallery" { @for chart in charts { (chart.html()) } } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_of_a_drawing_stays_and_those_of_its_points_go() {
        let figure = "<svg><title id=\"a\">T</title><path><title>x</title></path><path><title>y</title></path></svg>";
        assert_eq!(untitled(figure), "<svg><title id=\"a\">T</title><path></path><path></path></svg>");
    }
}
