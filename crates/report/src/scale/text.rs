//! The scalability of one test on a terminal.

use record::Ratio;

use super::ScaleView;
use super::picture::{LEGEND, picture};
use super::words::{Fact, claimed, fit, head, points, span, summary, target};
use crate::figure::{UNKNOWN, number, percent};
use crate::layout::{Align, Head, Page, Table, clean, paragraph, spaced};
use crate::scalability::judgement_text;
use crate::style::{Ink, Style};

const LEFT: usize = 11;

const HEADS: [Head; 6] = [
    (&["N"], Align::Right),
    (&["measured"], Align::Right),
    (&["runs"], Align::Right),
    (&["fitted"], Align::Right),
    (&["95 % band"], Align::Right),
    (&["efficiency"], Align::Right),
];

/// The curve for `width` columns (at least 60 are used): the verdict on a claim, the fitted law with its limit, the
/// measurements, and a picture.
pub fn scale_text(view: &ScaleView, style: Style, width: usize) -> String {
    let title = format!("dbdyno scalability: {} [{}]", view.curve.title, view.curve.unit);
    let mut page = Page::new(&title, style, width);
    let width = page.width;
    page.part("SUMMARY", lines(&summary(view), width));
    page.part(&head(view), verdict(view, style, width));
    page.part("FIT", lines(&fit(view), width));
    page.part(&format!("MEASURED: N = {}", clean(&view.curve.noun)), measured(view, style, width));
    let drawn = picture(view, width);
    if !drawn.is_empty() {
        page.part("PICTURE", drawn.into_iter().chain(spaced(LEGEND, 10, width)).collect());
    }
    page.part("CAVEATS", page.paragraphs("!", LEFT, &view.curve.remarks));
    page.end()
}

fn lines(facts: &[Fact], width: usize) -> Vec<String> {
    facts.iter().flat_map(|(label, text)| paragraph(label, LEFT, text, width)).collect()
}

/// The verdict on a claim in words, and the rate at the target.
fn verdict(view: &ScaleView, style: Style, width: usize) -> Vec<String> {
    let sentences = view.judgement.as_ref().map(|judgement| ("", judgement_text(judgement, &view.curve.noun)));
    let facts: Vec<Fact> = claimed(view).into_iter().chain(sentences).chain(target(view)).collect();
    let mut lines = lines(&facts, width);
    if let Some(line) = lines.iter_mut().find(|line| line.starts_with("verdict")) {
        *line = style.paint(line, Ink::Head);
    }
    lines
}

fn measured(view: &ScaleView, style: Style, width: usize) -> Vec<String> {
    let mut table = Table::new(&HEADS, &[]);
    for point in points(view) {
        let fitted = view.fitted.as_ref();
        let band = fitted.and_then(|fitted| fitted.band(point.n));
        table.push(
            vec![
                point.n.to_string(),
                number(point.rate),
                point.repeats.to_string(),
                fitted.map_or_else(|| UNKNOWN.to_owned(), |fitted| number(fitted.fit.rate(point.n))),
                band.map_or_else(|| UNKNOWN.to_owned(), span),
                fitted.map_or_else(|| UNKNOWN.to_owned(), |_| percent(Ratio(point.efficiency))),
            ],
            None,
        );
    }
    table.lines(style, width)
}
