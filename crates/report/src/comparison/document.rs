//! A comparison as a document: the answer, a row for each test, and below them the evidence, curves, points and systems.

use model::{ComparedTest, ComparisonOutcome, PointFigures, TestComparison, TestSide};
use record::Verdict;

use super::answer::answer;
use super::words::{
    self, CHANGE, at, change, ends, grounds, group, has_warning, is_estimate, is_unpaired, letter, letters, origin,
    pairing, sweep, verdict, violated,
};
use super::{ComparisonView, chart, point, price, shift, summary};
use crate::document::{Block, Cell, Column, Document, Extent, Note, Row, Section, Table, Text, Tone};
use crate::figure::number;
use crate::inventory::commits_word;
use crate::times;
use crate::verdict::{verdict_cell, word_of};
use crate::words::{LAYERS, list, plural, unit_per_second};

/// Points at equal degrees of parallelism that are listed, at most.
const POINTS_MAX: usize = 500;

/// Column headings of the systems that have letters.
const LETTERS: [&str; 26] = [
    "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N", "O", "P", "Q", "R", "S", "T", "U", "V", "W",
    "X", "Y", "Z",
];

/// The view of a comparison. On a screen: the systems, the summary, a line per test, prices and the gate.
pub fn comparison(view: &ComparisonView<'_>) -> Document {
    let differences = words::differences(view).len();
    Document {
        lead: lead(view),
        foot: vec![Block::whole(vec![Block::text(format!(
            "Drawn by dbdyno {}. A is the base. Intervals are 95 % unless stated otherwise.",
            env!("CARGO_PKG_VERSION")
        ))])],
        ..Document::new(
            "dbdyno comparison",
            vec![
                Section::new("ratios", "Results: best throughput, and the change from A", results(view))
                    .from(Extent::Screen),
                Section::new("limits", "Limits", vec![Block::labelled(summary::limited(view))]).from(Extent::Screen),
                Section::new("prices", "Prices", prices(view)).from(Extent::Screen),
                Section::new("differences", format!("Differences: {differences}"), self::differences(view)).folded(),
                Section::new("verdicts", "Evidence of the verdicts", evidence(view)).folded(),
                Section::new("throughput", "Throughput over degree of parallelism", curves(view))
                    .from(Extent::Whole)
                    .folded(),
                Section::new("points", "Rates at equal degrees of parallelism, without a verdict", points(view))
                    .folded(),
                Section::new("unshared", "Not compared", unshared(view)).folded(),
                Section::new("systems", "Systems", systems(view)).folded(),
            ],
        )
    }
}

/// The answer, the systems with the summary, gate violations, and caveats.
fn lead(view: &ComparisonView<'_>) -> Vec<Block> {
    let system = |(index, system): (usize, &model::System)| {
        let base = if index == 0 { ", the base" } else { "" };
        let durability = system.durability.as_ref().map(commits_word);
        let system = format!("{}{base}: {}", system.title, system.name);
        (letter(index), vec![list([Some(system), durability].into_iter().flatten())])
    };
    let summary = summary::facts(view).into_iter().map(|(label, sentences)| (label.to_owned(), sentences));
    let caveats = view.remarks().into_iter().map(Text::from).collect();
    let caveats = Note { tone: Tone::Warning, title: "Caveats".to_owned(), sentences: caveats };
    let mut lead: Vec<Block> = answer(view).into_iter().collect();
    lead.push(Block::labelled(view.systems.iter().enumerate().map(system).chain(summary)));
    lead.extend(gate(view));
    lead.push(Block::details(vec![Block::Note(caveats)]));
    lead
}

fn gate(view: &ComparisonView<'_>) -> Option<Block> {
    let gate = view.gate?;
    let violations = view.violations();
    if violations.is_empty() {
        return Some(Block::note(Tone::Good, [format!("Gate {gate}: passed")]));
    }
    let title = format!("Gate {gate}: {}", plural(violations.len() as u64, "violation"));
    let sentences = violations.iter().map(|violation| Text::from(violated(violation))).collect();
    Some(Block::Note(Note { tone: Tone::Invalid, title, sentences }))
}

fn results(view: &ComparisonView<'_>) -> Vec<Block> {
    if view.comparison.tests.is_empty() {
        return vec![Block::text("The systems have no test in common.")];
    }
    let mut blocks = vec![result_table(view).into()];
    blocks.push(Block::aside(CHANGE));
    blocks.extend(words::own_verdicts(view).map(Block::aside));
    let charts = chart::ratios(view);
    if !charts.is_empty() {
        let reading = "Bars start at 1, equal throughput, on a log scale; dotted lines: the margin within which systems \
                       are equivalent. A bar without whiskers has no interval.";
        blocks.push(Block::whole(vec![Block::text(reading), Block::Charts(charts)]));
    }
    blocks
}

/// A line for each test and system.
fn result_table(view: &ComparisonView<'_>) -> Table {
    let is_pair = view.systems.len() == 2;
    let mut columns = vec![Column::text("test"), Column::text("title")];
    columns.extend((!is_pair).then(|| Column::text("system")));
    columns.extend([
        Column::text("unit"),
        Column::figure("A"),
        Column::figure(if is_pair { "B" } else { "other" }),
        Column::figure("change"),
        Column::text("95 % interval"),
        Column::text("verdict"),
    ]);
    let row = |(test, index, compared): (&TestComparison, usize, &ComparedTest)| {
        let best = |index: usize| {
            let best = test.sides.get(index).and_then(Option::as_ref).and_then(|side| side.best.as_ref());
            best_rate(best)
        };
        let found = shift(compared);
        let ratio = found.map(|shift| shift.ratio);
        let interval = found.and_then(|shift| shift.interval);
        let mut cells = vec![Cell::text(test.code.as_str()), Cell::text(test.title.as_str())];
        cells.extend((!is_pair).then(|| Cell::text(letter(index))));
        cells.extend([
            Cell::text(unit_per_second(test.unit)),
            best(0),
            best(index),
            Cell::Figure(ratio.map_or_else(String::new, change), ratio),
            Cell::Figure(interval.map_or_else(String::new, ends), interval.map(|interval| interval.low)),
            Cell::text(word(compared)),
        ]);
        Row::new(cells)
    };
    let table = Table::new("results-table", "", columns).with(view.compared_tests().map(row));
    Table { flexible: Some(1), ..table }
}

/// The verdict; bold only where there is one, and it is free of drift.
fn word(compared: &ComparedTest) -> Text {
    if compared.outcome == ComparisonOutcome::Unjudged {
        return "no verdict".into();
    }
    let word = verdict(compared);
    match is_estimate(compared) || is_unpaired(compared) || has_warning(compared) {
        true => word.into(),
        false => Text::default().strong(word),
    }
}

/// The best rate of a system.
fn best_rate(best: Option<&PointFigures>) -> Cell {
    let shown = best.map_or_else(|| word_of(Verdict::Fail).to_owned(), |best| number(best.rate.0));
    Cell::Figure(shown, best.map(|best| best.rate.0))
}

fn differences(view: &ComparisonView<'_>) -> Vec<Block> {
    let mut columns = vec![Column::text("fact"), Column::text("group")];
    columns.extend(LETTERS.iter().take(view.systems.len()).map(|letter| Column::text(letter)));
    let row = |(difference, values): (&model::Difference, Vec<String>)| {
        let head = [Cell::text(difference.name.as_str()), Cell::text(group(difference.group))];
        Row::new(head.into_iter().chain(values.into_iter().map(Cell::text)).collect())
    };
    let all = words::differences(view);
    if all.is_empty() {
        return vec![Block::text("No known differences.")];
    }
    let table = Table::new("differences-table", "", columns).with(all.into_iter().map(row));
    vec![Table { is_labelled: true, ..table }.into()]
}

/// Each system in each test, and why the verdicts are what they are.
fn evidence(view: &ComparisonView<'_>) -> Vec<Block> {
    let first = [Column::text("system"), Column::figure("1 job"), Column::figure("best"), Column::text("at")];
    let times = times::tail_columns(|head| Column { head: format!("service\n{head}").into(), ..Column::figure("") });
    let columns = first.into_iter().chain(times).chain([Column::text("trust")]).collect();
    let layers = LAYERS.map(|(layer, _)| Some(layer)).into_iter().chain([None]);
    let tests = layers.flat_map(|layer| view.comparison.tests.iter().filter(move |test| test.layer == layer));
    let of_test = |test: &TestComparison| {
        let head = Row::group(format!("{} {}, {}", test.code, test.title, unit_per_second(test.unit)));
        let sides =
            test.sides.iter().enumerate().filter_map(|(index, side)| Some(side_row(view, test, index, side.as_ref()?)));
        [head].into_iter().chain(sides).collect::<Vec<_>>()
    };
    let why = |(test, index, compared): (&TestComparison, usize, &ComparedTest)| {
        let why = grounds(view, test, index, compared).join("; ");
        (!why.is_empty()).then(|| (format!("{} {}", test.code, letter(index)), why))
    };
    vec![
        Block::text(
            "A verdict needs an interval, and an interval needs repeats; only interleaved pairs are free of drift. \
             Inconclusive: the data do not decide.",
        ),
        Block::facts(view.compared_tests().filter_map(why)),
        Table::new("verdicts-table", "Each system in each test", columns).with(tests.flat_map(of_test)).into(),
    ]
}

fn side_row(view: &ComparisonView<'_>, test: &TestComparison, index: usize, side: &TestSide) -> Row {
    let best = side.best.as_ref();
    let first = [
        Cell::text(letter(index)),
        Cell::figure(side.speed.as_ref().map(|point| point.rate.0), number),
        best_rate(best),
        Cell::text(best.map_or_else(String::new, |best| at(best, sweep(view, index, &test.code)))),
    ];
    let times = times::tail_cells(best.and_then(|best| best.service));
    let trust = view.test(index, &test.code).and_then(|test| test.verdict).map_or_else(Cell::empty, verdict_cell);
    Row::new(first.into_iter().chain(times).chain([trust]).collect()).in_tone(if best.is_none() {
        Tone::Invalid
    } else {
        Tone::Plain
    })
}

fn curves(view: &ComparisonView<'_>) -> Vec<Block> {
    let (curves, drawable) = chart::curves(view);
    let rest = (drawable > curves.len())
        .then(|| Block::aside(format!("Charts of the first {} of {drawable} tests are shown.", curves.len())));
    [Block::Charts(curves)].into_iter().chain(rest).collect()
}

fn points(view: &ComparisonView<'_>) -> Vec<Block> {
    // One point alone is the headline.
    let rows = || point::points(view).filter(|of| of.compared_test.points.len() > 1);
    let all = rows().count();
    let table = point::view().table("points-table", "", rows().take(POINTS_MAX), |_| Tone::Plain);
    let rest = (all > POINTS_MAX)
        .then(|| Block::aside(format!("The first {POINTS_MAX} of {all} points are shown; --format csv has all.")));
    [table.into()].into_iter().chain(rest).collect()
}

fn prices(view: &ComparisonView<'_>) -> Vec<Block> {
    let totals = price::totals(view).into_iter().chain(price::without_ratio(view));
    let columns = vec![
        Column::text("test"),
        Column::text("system"),
        Column::figure("cost"),
        Column::text("per"),
        Column::text("at 20 points more\nor less discount"),
        Column::figure("against A"),
        Column::text("95 % interval"),
        Column::text("remark"),
    ];
    let row = |cost: price::TestCost| {
        let ratio = cost.against_base.map(|against| against.ratio);
        let interval = cost.against_base.and_then(|against| against.interval);
        let turns = cost.against_base.is_some_and(|against| against.turns());
        Row::new(vec![
            Cell::text(cost.test),
            Cell::text(letter(cost.system)),
            Cell::Figure(format!("{} {}", cost.currency, number(cost.amount)), Some(cost.amount)),
            Cell::text(cost.unit),
            Cell::text(format!("{} to {}", number(cost.low), number(cost.high))),
            Cell::Figure(ratio.map_or_else(String::new, change), ratio),
            Cell::text(interval.map_or_else(String::new, ends)),
            Cell::text(if turns { "another discount reverses the ranking" } else { "" }),
        ])
    };
    vec![
        Block::facts(totals.map(|(index, text)| (letter(index), text))),
        Table::new("prices-table", "Cost of the best throughput", columns)
            .with(price::costs(view).into_iter().map(row))
            .into(),
    ]
}

fn unshared(view: &ComparisonView<'_>) -> Vec<Block> {
    let unshared = view.comparison.unshared.iter();
    vec![Block::facts(
        unshared.map(|test| (test.code.as_str(), format!("{}: only on {}", test.title, letters(&test.systems)))),
    )]
}

/// Where the figures come from.
fn systems(view: &ComparisonView<'_>) -> Vec<Block> {
    let systems = view.systems.iter().enumerate().map(|(index, system)| (letter(index), origin(system)));
    let pairs = (1..view.systems.len()).flat_map(|index| pairing(view, index)).map(|text| ("pair".to_owned(), text));
    vec![Block::facts(systems.chain(pairs))]
}
