//! A comparison on a terminal.

use model::{PointFigures, TestComparison, Violation};

use super::sentence::violation_text;
use super::words::{
    self, CHANGE, MARKS, at, change, ends, grounds, group, letter, letters, marked, mean, origin, sweep, tally, verdict,
};
use super::{ComparisonView, point, price, shift, summary};
use crate::figure::{UNKNOWN, duration, number};
use crate::layout::{Page, clean, cut, paragraph, wrap};
use crate::style::{Ink, Style};
use crate::words::{LAYERS, plural, unit_per_second};

/// Columns of the label: the code of a test, or the letter of a system.
const LEFT: usize = 6;

/// Characters of a line of the table of tests, and of its part up to the change.
const ROW_WIDTH: usize = 80;
const CHANGE_END: usize = 47;

/// Points at equal degrees of parallelism that are listed, at most.
const POINTS_MAX: usize = 200;

/// The comparison for `width` columns (at least 60 are used): the systems, their differences, every test side by side
/// with the verdict and its evidence, the points at equal degrees of parallelism, the mean of all tests, prices, tests
/// that are not compared, and the gate.
pub fn comparison_text(view: &ComparisonView<'_>, style: Style, width: usize) -> String {
    let mut page = Page::new("dbdyno comparison", style, width);
    let width = page.width;
    page.part("", systems(view, width));
    page.part("SUMMARY", summary::lines(view, width));
    page.part("DIFFERENCES", differences(view, width));
    let (head, groups) = tests(view, style, width);
    page.part(
        "TESTS: best throughput, and the change from A",
        if groups.is_empty() { groups } else { [head, groups].concat() },
    );
    page.part("AT EQUAL DEGREES OF PARALLELISM: figures without a verdict", points(view, style, width));
    page.part("ALL TESTS", together(view, width));
    page.part("PRICES", prices(view, width));
    page.part("NOT COMPARED", unshared(view, width));
    page.part("CAVEATS", remarks(view, width));
    page.part("GATE", gate(view, style, width));
    page.end()
}

/// The comparison on a screen: the systems, the summary, a line per test, prices and the gate.
pub fn comparison_short_text(view: &ComparisonView<'_>, style: Style, width: usize) -> String {
    let mut page = Page::new("dbdyno comparison", style, width);
    let width = page.width;
    page.part("", names(view, width));
    page.part("SUMMARY", summary::lines(view, width));
    page.table(
        "TESTS: best throughput, and the change from A",
        summary::table(view, width),
        vec![CHANGE.to_owned(), MARKS.to_owned()],
    );
    page.part("PRICES", prices(view, width));
    page.part("GATE", gate(view, style, width));
    page.end()
}

/// What A, B, ... are, a line each.
fn names(view: &ComparisonView<'_>, width: usize) -> Vec<String> {
    let name = |(index, system): (usize, &model::System)| {
        let base = if index == 0 { ", the base" } else { "" };
        paragraph(&letter(index), LEFT, &format!("{}{base}: {}", clean(&system.title), clean(&system.name)), width)
    };
    view.systems.iter().enumerate().flat_map(name).collect()
}

fn systems(view: &ComparisonView<'_>, width: usize) -> Vec<String> {
    let system = |(index, system): (usize, &model::System)| {
        let base = if index == 0 { ", the base" } else { "" };
        paragraph(&letter(index), LEFT, &format!("{}{base}; {}", system.title, origin(system)), width)
    };
    let pairing =
        |index: usize| words::pairing(view, index).into_iter().flat_map(|text| paragraph("pair", LEFT, &text, width));
    view.systems.iter().enumerate().flat_map(system).chain((1..view.systems.len()).flat_map(pairing)).collect()
}

fn differences(view: &ComparisonView<'_>, width: usize) -> Vec<String> {
    let all = words::differences(view);
    if all.is_empty() {
        return vec!["no known differences".to_owned()];
    }
    let mut lines = Vec::new();
    for (difference, values) in all {
        let sides: Vec<String> =
            values.iter().enumerate().map(|(index, value)| format!("{} {value}", letter(index))).collect();
        let text = format!("{}: {}", difference.name, sides.join("; "));
        lines.extend(paragraph(group(difference.group), 10, &text, width));
    }
    lines
}

fn tests(view: &ComparisonView<'_>, style: Style, width: usize) -> (Vec<String>, Vec<String>) {
    let heads = ["1 job", "best", "at", "p99", "change", "95 % interval", "verdict"].map(str::to_owned);
    let head = fitted(row("", heads), width).into_iter().map(|line| style.paint(&line, Ink::Head));
    let mut lines = Vec::new();
    let layers = LAYERS.map(|(layer, title)| (Some(layer), title)).into_iter().chain([(None, "OTHER")]);
    for (layer, title) in layers {
        let mut of_layer = view.comparison.tests.iter().filter(|test| test.layer == layer).peekable();
        if of_layer.peek().is_some() {
            lines.push(style.paint(title, Ink::Head));
            lines.extend(of_layer.flat_map(|test| entry(view, test, style, width)));
        }
    }
    let note =
        [CHANGE, MARKS].into_iter().flat_map(|note| wrap(note, width)).map(|line| style.paint(&line, Ink::Aside));
    (note.chain(head).collect(), lines)
}

/// One line of the table of tests, 79 characters wide.
fn row(left: &str, [speed, best, at, p99, change, interval, verdict]: [String; 7]) -> String {
    let left = format!("  {left:<3}{speed:>7} {best:>9} {at:<6} {p99:>7} {change:>8}  {interval:<18}");
    format!("{left} {verdict}").trim_end().to_owned()
}

fn entry(view: &ComparisonView<'_>, test: &TestComparison, style: Style, width: usize) -> Vec<String> {
    let title = format!("{} {} [{}]", clean(&test.code), clean(&test.title), unit_per_second(test.unit));
    let mut lines = vec![cut(&title, width)];
    for (index, side) in test.sides.iter().enumerate() {
        let Some(side) = side else { continue };
        let compared_test = test.compared_tests.get(index).and_then(Option::as_ref);
        let best = side.best.as_ref();
        let shift = compared_test.and_then(shift);
        let unknown = || UNKNOWN.to_owned();
        let figure = |point: Option<&PointFigures>| point.map_or_else(unknown, |point| number(point.rate.0));
        let p99 = best.and_then(|best| best.service_p99_ns);
        let line = row(
            &letter(index),
            [
                figure(side.speed.as_ref()),
                best.map_or_else(|| "invalid".to_owned(), |best| marked(view, index, &test.code, number(best.rate.0))),
                best.map_or_else(String::new, |best| at(best, sweep(view, index, &test.code))),
                p99.map_or_else(unknown, duration),
                shift.map_or_else(String::new, |shift| change(shift.ratio)),
                shift.and_then(|shift| shift.interval).map_or_else(String::new, ends),
                compared_test.map(verdict).unwrap_or_default(),
            ],
        );
        let paint = |line: String| if best.is_none() { style.paint(&line, Ink::Invalid) } else { line };
        lines.extend(fitted(line, width).into_iter().map(paint));
        let why =
            compared_test.map(|compared_test| grounds(view, test, index, compared_test).join("; ")).unwrap_or_default();
        if !why.is_empty() {
            lines.extend(paragraph("", LEFT, &why, width).iter().map(|line| style.paint(line, Ink::Aside)));
        }
    }
    lines
}

/// A line of the table of tests. Where it is too wide, the mark of the verdict is on the next line, and on a narrow
/// page interval and verdict are.
fn fitted(line: String, width: usize) -> Vec<String> {
    let length = line.chars().count();
    match line.rsplit_once(", ") {
        _ if length <= width => vec![line],
        _ if width < ROW_WIDTH => {
            let at = line.char_indices().nth(CHANGE_END).map_or(line.len(), |(at, _)| at);
            let (left, right) = line.split_at(at);
            vec![left.trim_end().to_owned(), format!("{:LEFT$}{}", "", right.trim_start())]
        }
        Some((word, mark)) => vec![format!("{word},"), format!("{mark:>width$}")],
        None => vec![line],
    }
}

fn points(view: &ComparisonView<'_>, style: Style, width: usize) -> Vec<String> {
    // One point alone is the headline.
    let rows = || point::points(view).filter(|of| of.compared_test.points.len() > 1);
    let all = rows().count();
    if all == 0 {
        return Vec::new();
    }
    let mut lines = point::view().text_table(rows().take(POINTS_MAX), |_| None).lines(style, width);
    if all > POINTS_MAX {
        lines.push(format!("the first {POINTS_MAX} of {all}; see --html for all"));
    }
    lines
}

fn together(view: &ComparisonView<'_>, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, found) in view.comparison.means.iter().enumerate().skip(1) {
        let tally = tally(&view.comparison.tests, index);
        let mean = found.as_ref().filter(|found| found.tests > 1).map(mean);
        let text = [Some(tally).filter(|tally| !tally.is_empty()), mean].into_iter().flatten().collect::<Vec<_>>();
        if !text.is_empty() {
            lines.extend(paragraph(&letter(index), LEFT, &text.join("; "), width));
        }
    }
    lines
}

fn prices(view: &ComparisonView<'_>, width: usize) -> Vec<String> {
    let totals = [price::totals(view), price::without_ratio(view)].concat();
    let mut lines: Vec<String> =
        totals.iter().flat_map(|(index, text)| paragraph(&letter(*index), LEFT, text, width)).collect();
    for cost in price::costs(view) {
        let against = cost.against_base.map_or_else(String::new, |ratio| {
            let interval = ratio.interval.map(|interval| format!(" ({})", ends(interval))).unwrap_or_default();
            let turns = if ratio.turns() { "; another discount reverses the ranking" } else { "" };
            format!(", {}{interval} relative to A{turns}", change(ratio.ratio))
        });
        let text = format!(
            "{} {} {} per {} ({} to {}){against}",
            letter(cost.system),
            cost.currency,
            number(cost.amount),
            cost.unit,
            number(cost.low),
            number(cost.high)
        );
        lines.extend(paragraph(&clean(&cost.test), LEFT, &text, width));
    }
    lines
}

fn unshared(view: &ComparisonView<'_>, width: usize) -> Vec<String> {
    let line = |test: &model::Unshared| {
        let text = format!("{}: only on {}", test.title, letters(&test.systems));
        paragraph(&clean(&test.code), LEFT, &text, width)
    };
    view.comparison.unshared.iter().flat_map(line).collect()
}

fn remarks(view: &ComparisonView<'_>, width: usize) -> Vec<String> {
    view.remarks().into_iter().flat_map(|remark| paragraph("!", LEFT, &remark, width)).collect()
}

fn gate(view: &ComparisonView<'_>, style: Style, width: usize) -> Vec<String> {
    let Some(gate) = view.gate else { return Vec::new() };
    let violations = view.violations();
    if violations.is_empty() {
        return paragraph("", 0, &format!("{gate}: passed"), width);
    }
    let head = format!("{gate}: {}", plural(violations.len() as u64, "violation"));
    let mut lines = paragraph("", 0, &head, width);
    let of = |violation: &Violation| paragraph("!", LEFT, &violated(violation), width);
    let found = violations.iter().flat_map(of);
    lines.extend(found.map(|line| style.paint(&line, Ink::Warning)));
    lines
}

/// A violation in words.
pub(super) fn violated(violation: &Violation) -> String {
    let who = violation.system.map(|index| format!(" on {}", letter(index))).unwrap_or_default();
    let test = violation.test.as_deref().unwrap_or("all tests");
    format!("{test}{who}: {} ({})", violation_text(&violation.found), violation.rule)
}
