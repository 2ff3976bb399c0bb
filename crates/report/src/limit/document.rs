//! The limit of the best run of each test and the share of its ceiling, as a part of a document.

use model::{Capacities, Limit, Line, Proof, Sheet};
use record::{Record, Run, Variation};

use super::words::{attribution_text, basis_note};
use super::{best_run, headline, proof_of, tests, tried};
use crate::chart::{Axis, Bar, BarChart, Figures, Mark, Scale, Tone};
use crate::document::{Block, Cell, Column, Diagram, Extent, Row, Section, Table};
use crate::load_curve::{answers, sentences};
use crate::wake_up::single_job;
use crate::words::{at, title};

/// Bars of the chart.
const BARS_MAX: usize = 60;

/// What a bar shows.
const SHARE: &str = "A probe does the work of a test without an engine. A small share shows the overhead of the engine, a share \
                     near 100 % that the machine is the limit, and a larger share that the probe is not an upper bound of the \
                     test.";

/// A row for each test that needs an engine: the limit of its best run, the result of perturbed runs with their findings, and
/// wake-ups of idle processors in its single job; and a bar for each test that has a ceiling.
pub(crate) fn ceilings(record: &Record, sheet: &Sheet) -> Section {
    let (capacities, proofs) = (Capacities::of(record), model::proofs(record));
    let rows = tests(sheet).flat_map(|line| rows(record, &capacities, &proofs, line));
    let columns = vec![
        Column::text("test"),
        Column::text("limit"),
        Column::text("from the figures of the run").from(Extent::Whole),
        Column::text("perturbed runs"),
    ];
    let table = Table::new("limits", "Limit of the best run of each test", columns).with(rows).without_empty();
    let bars =
        bars(sheet).map(|chart| vec![Block::Charts(vec![Diagram::new("efficiency", chart)]), Block::aside(SHARE)]);
    let body = [Block::from(table)].into_iter().chain(bars.into_iter().flatten()).collect();
    Section::new("ceilings", "Limits and ceilings", body).folded()
}

/// The limit of the best run of a test, and below it that of its single job where that has another one.
fn rows(record: &Record, capacities: &Capacities, proofs: &[Proof], line: &Line) -> Vec<Row> {
    let Some(run) = best_run(record, line) else { return Vec::new() };
    let found = capacities.attribute(run);
    let proof = proof_of(proofs, &line.test, run.dop);
    let is_perturbed = |one: &&Run| {
        one.test == line.test && one.dop == run.dop && matches!(one.variation, Some(Variation::Perturbed { .. }))
    };
    let perturbed = record.runs.iter().filter(is_perturbed);
    let findings = sentences(perturbed.flat_map(|run| answers(run).map(move |finding| (run, finding))));
    let tried: Vec<String> = tried(record, proof, &line.test, run.dop).into_iter().chain(findings).collect();
    let limit = format!("{}{}", headline(found.as_ref(), proof), basis_note(found.as_ref(), proof));
    let best = [
        format!("{} {}", line.test, at(run)),
        limit,
        found.as_ref().map(attribution_text).unwrap_or_default(),
        tried.join("; "),
    ];
    let single = single_job(line).map(|(at, text)| [format!("{} {at}", line.test), text, String::new(), String::new()]);
    let row = |cells: [String; 4]| Row::new(cells.into_iter().map(Cell::text).collect());
    [best].into_iter().chain(single).map(row).collect()
}

/// A bar for each test that has a ceiling; nothing where none has one.
fn bars(sheet: &Sheet) -> Option<BarChart> {
    let bar = |line: &Line| {
        let limit = line.best.as_ref()?.ceiling.as_ref()?;
        Some(Bar {
            label: format!("{} {}", line.test, title(line)),
            value: limit.efficiency.0,
            interval: None,
            note: note(limit),
            tone: Tone::Plain,
        })
    };
    let bars: Vec<Bar> = sheet.lines.iter().filter_map(bar).take(BARS_MAX).collect();
    (!bars.is_empty()).then(|| BarChart {
        title: "Share of the ceiling that the best run of each test reaches".to_owned(),
        description: "Each test relative to its probe; 100 % is the result of the probe on the same machine."
            .to_owned(),
        axis: Axis::new("share of the ceiling", Scale::FromZero, Figures::Percent),
        base: 0.0,
        bars,
        marks: vec![Mark { x: 1.0, label: "ceiling".to_owned() }],
    })
}

/// The ceiling of a bar; its figures are in the sheet.
fn note(limit: &Limit) -> String {
    let no_bound = if limit.is_exceeded() { ": no bound" } else { "" };
    match limit.in_flight {
        Some(in_flight) => format!("of {}, {in_flight} in flight{no_bound}", limit.probe),
        None => format!("of {}, J{}{no_bound}", limit.probe, limit.jobs),
    }
}
