//! A comparison as one page.

use maud::{Markup, html};
use model::{ComparedTest, ComparisonOutcome, PointFigures, TestComparison};

use super::words::{
    self, CHANGE, MARKS, at, change, ends, grounds, group, has_warning, is_estimate, is_unpaired, letter, letters,
    marked, mean, origin, sweep, tally,
};
use super::{ComparisonView, chart, point, price, shift, summary};
use crate::figure::{UNKNOWN, duration, number};
use crate::html::{Cell, Column, Page, Row, Section, Table, facts, gallery};
use crate::layout::clean;
use crate::words::{LAYERS, unit_per_second};

/// The comparison as a self-contained HTML file: caveats, systems, differences, verdicts with their evidence, ratios,
/// curves, points, prices.
pub fn comparison_html(view: &ComparisonView<'_>) -> String {
    let names = view.systems.iter().map(|system| clean(&system.title)).collect::<Vec<_>>();
    let (curves, drawable) = chart::curves(view);
    let page = Page {
        title: "Comparison".to_owned(),
        subtitle: names.join(" · "),
        lead: lead(view),
        sections: vec![
            Section::new("ratios", "Results, and the change from A", ratios(view)),
            Section::new("differences", "What differs between the systems", differences(view)),
            Section::collapsed("verdicts", "Verdicts and evidence", verdicts(view)),
            Section::collapsed(
                "throughput",
                "Throughput over degree of parallelism",
                html! {
                    (gallery(&curves))
                    @if drawable > curves.len() {
                        p class="note" { "Charts of the first " (curves.len()) " of " (drawable) " tests are shown." }
                    }
                },
            ),
            Section::collapsed("points", "At equal degrees of parallelism", points(view)),
            Section::new("prices", "Prices", prices(view)),
            Section::collapsed("unshared", "Not compared", unshared(view)),
            Section::collapsed("systems", "Systems", systems(view)),
        ],
        foot: html! { p { "Drawn by dbdyno " (env!("CARGO_PKG_VERSION")) ". A is the base. Intervals are 95 % unless stated otherwise." } },
    };
    page.html()
}

/// Gate violations and caveats.
fn lead(view: &ComparisonView<'_>) -> Markup {
    let violations = view.violations();
    let remarks = view.remarks();
    // A section of its own has the differences.
    let summary = summary::facts(view).into_iter().filter(|(label, _)| *label != "differences");
    html! {
        dl class="facts" {
            @for (index, system) in view.systems.iter().enumerate() {
                div { dt { (letter(index)) } dd { (clean(&system.title)) @if index == 0 { ", the base" } } }
            }
            @for (label, sentences) in summary {
                div { dt { (label) } dd { @for sentence in &sentences { (sentence) br; } } }
            }
        }
        @if let Some(gate) = view.gate {
            @if violations.is_empty() { div class="note" { p { "Gate " code { (gate) } ": no violations." } } }
            @else {
                div class="note fail" {
                    p { strong { "Gate " code { (gate) } " is violated" } }
                    ul { @for violation in &violations { li { (clean(&super::text::violated(violation))) } } }
                }
            }
        }
        @if !remarks.is_empty() {
            div class="note warn" {
                p { strong { "Caveats" } }
                ul { @for remark in &remarks { li { (clean(remark)) } } }
            }
        }
    }
}

fn systems(view: &ComparisonView<'_>) -> Markup {
    let system = |(index, system): (usize, &model::System)| {
        let base = if index == 0 { ", the base" } else { "" };
        (format!("{}{base}", letter(index)), format!("{}; {}", clean(&system.title), origin(system)))
    };
    let list: Vec<(String, String)> = view.systems.iter().enumerate().map(system).collect();
    let means = view.comparison.means.iter().enumerate().skip(1).map(|(index, found)| {
        let mean = found
            .as_ref()
            .filter(|found| found.tests > 1)
            .map(|found| format!("; {}", mean(found)))
            .unwrap_or_default();
        (format!("{} overall", letter(index)), format!("{}{mean}", tally(&view.comparison.tests, index)))
    });
    let pairing = |index: usize| words::pairing(view, index).into_iter().map(|text| ("pairs".to_owned(), text));
    let pairs: Vec<(String, String)> = (1..view.systems.len()).flat_map(pairing).collect();
    html! { (facts(&list)) (facts(&pairs)) (facts(&means.collect::<Vec<_>>())) }
}

/// Column headings of the systems that have letters.
const LETTERS: [&str; 26] = [
    "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N", "O", "P", "Q", "R", "S", "T", "U", "V", "W",
    "X", "Y", "Z",
];

fn differences(view: &ComparisonView<'_>) -> Markup {
    let mut columns = vec![Column::text("fact"), Column::text("of")];
    columns.extend(LETTERS.iter().take(view.systems.len()).map(|letter| Column::text(letter)));
    let mut table = Table::new("differences-table", "Facts and settings that differ", &columns);
    table.rows = words::differences(view)
        .into_iter()
        .map(|(difference, values)| {
            let values = values.into_iter().map(Cell::text);
            let head = [Cell::text(clean(&difference.name)), Cell::text(group(difference.group))];
            Row::new(head.into_iter().chain(values).collect())
        })
        .collect();
    html! {
        @if table.rows.is_empty() { p { "No known differences." } }
        (table.html())
    }
}

const VERDICTS: [Column; 9] = [
    Column::text("system"),
    Column::text("verdict"),
    Column::figures("change"),
    Column::figures("95 % interval"),
    Column::figures("best"),
    Column::text("at"),
    Column::figures("1 job"),
    Column::figures("service p99"),
    Column::text("why"),
];

fn verdicts(view: &ComparisonView<'_>) -> Markup {
    if view.comparison.tests.is_empty() {
        return html! { p { "The systems have no test in common." } };
    }
    let mut table = Table::new("verdicts-table", "Each test on each system, and the change against A", &VERDICTS);
    let layers = LAYERS.map(|(layer, _)| Some(layer)).into_iter().chain([None]);
    for layer in layers {
        for test in view.comparison.tests.iter().filter(|test| test.layer == layer) {
            let unit = unit_per_second(test.unit);
            table.rows.push(Row::group(format!("{} {}, {unit}", clean(&test.code), clean(&test.title))));
            table.rows.extend((0..test.sides.len()).filter_map(|index| verdict(view, test, index)));
        }
    }
    html! {
        p {
            "A verdict needs an interval, and an interval needs repeats; only interleaved pairs are free of drift. \
             Inconclusive: the data do not decide. "
            (CHANGE) ". " (MARKS) "."
        }
        (table.html())
    }
}

fn verdict(view: &ComparisonView<'_>, test: &TestComparison, index: usize) -> Option<Row> {
    let side = test.sides.get(index)?.as_ref()?;
    let compared_test = test.compared_tests.get(index).and_then(Option::as_ref);
    let shift = compared_test.and_then(shift);
    let best = side.best.as_ref();
    let ratio = shift.map(|shift| shift.ratio);
    let interval = shift.and_then(|shift| shift.interval);
    let why = compared_test.map(|compared_test| grounds(view, test, index, compared_test)).unwrap_or_default();
    let cells = vec![
        Cell::text(letter(index)),
        Cell::Markup(compared_test.map_or_else(Markup::default, word)),
        Cell::Figure(ratio.map_or_else(String::new, change), ratio),
        Cell::Figure(interval.map_or_else(String::new, ends), interval.map(|interval| interval.low)),
        match best {
            Some(best) => Cell::Figure(marked(view, index, &test.code, number(best.rate.0)), Some(best.rate.0)),
            None => rate(None),
        },
        Cell::text(best.map_or_else(|| "invalid".to_owned(), |best| at(best, sweep(view, index, &test.code)))),
        rate(side.speed.as_ref()),
        time(best),
        Cell::text(why.join("; ")),
    ];
    Some(Row { class: if best.is_none() { "invalid" } else { "" }, cells })
}

/// The verdict; bold only where there is one, and it is free of drift.
fn word(compared_test: &ComparedTest) -> Markup {
    let word = words::verdict(compared_test);
    let is_plain = compared_test.outcome == ComparisonOutcome::Unjudged || is_estimate(compared_test);
    html! {
        @if is_plain || is_unpaired(compared_test) || has_warning(compared_test) { (word) } @else { strong { (word) } }
    }
}

fn rate(point: Option<&PointFigures>) -> Cell {
    let rate = point.map(|point| point.rate.0);
    Cell::Figure(rate.map_or_else(|| UNKNOWN.to_owned(), number), rate)
}

fn time(point: Option<&PointFigures>) -> Cell {
    let time = point.and_then(|point| point.service_p99_ns);
    Cell::Figure(time.map_or_else(|| UNKNOWN.to_owned(), duration), time.map(|time| time.0 as f64))
}

fn ratios(view: &ComparisonView<'_>) -> Markup {
    let charts = chart::ratios(view);
    html! {
        (summary::page_table(view).html())
        p class="muted" { (CHANGE) ". " (MARKS) "." }
        @if !charts.is_empty() {
            p {
                "Bars start at 1, equal throughput, on a log scale; dotted lines: the margin within which systems are \
                 equivalent. A bar without whiskers has no interval."
            }
        }
        (gallery(&charts))
    }
}

/// Rows of the table of points, at most.
const POINTS_MAX: usize = 2_000;

fn points(view: &ComparisonView<'_>) -> Markup {
    let caption = "Points at equal degrees of parallelism: figures without a verdict";
    let table = point::view().html("points-table", caption, point::points(view).take(POINTS_MAX), |_| "");
    let all = point::points(view).count();
    html! {
        (table.html())
        @if all > POINTS_MAX { p class="note" { "The first " (POINTS_MAX) " of " (all) " points are shown." } }
    }
}

const PRICES: [Column; 6] = [
    Column::text("test"),
    Column::text("system"),
    Column::figures("cost"),
    Column::text("per"),
    Column::text("at 20 points more or less discount"),
    Column::text("against A"),
];

fn prices(view: &ComparisonView<'_>) -> Markup {
    let totals = price::totals(view);
    let mut table = Table::new("prices-table", "Cost of the best throughput", &PRICES);
    table.rows = price::costs(view)
        .into_iter()
        .map(|cost| {
            let against = cost.against_base.map_or_else(String::new, |ratio| {
                let interval = ratio.interval.map(|interval| format!(" ({})", ends(interval))).unwrap_or_default();
                let turns = if ratio.turns() { "; another discount reverses the ranking" } else { "" };
                format!("{}{interval}{turns}", change(ratio.ratio))
            });
            Row::new(vec![
                Cell::text(clean(&cost.test)),
                Cell::text(letter(cost.system)),
                Cell::Figure(format!("{} {}", clean(&cost.currency), number(cost.amount)), Some(cost.amount)),
                Cell::text(cost.unit),
                Cell::text(format!("{} to {}", number(cost.low), number(cost.high))),
                Cell::text(against),
            ])
        })
        .collect();
    let totals: Vec<(String, String)> = totals
        .into_iter()
        .chain(price::without_ratio(view))
        .map(|(index, text)| (letter(index), clean(&text)))
        .collect();
    html! { @if !totals.is_empty() { (facts(&totals)) (table.html()) } }
}

fn unshared(view: &ComparisonView<'_>) -> Markup {
    let columns = [Column::text("test"), Column::text("title"), Column::text("only on")];
    let mut table = Table::new("unshared-table", "Tests without a counterpart", &columns);
    let row = |test: &model::Unshared| {
        Row::new(vec![
            Cell::text(clean(&test.code)),
            Cell::text(clean(&test.title)),
            Cell::text(letters(&test.systems)),
        ])
    };
    table.rows = view.comparison.unshared.iter().map(row).collect();
    table.html()
}
