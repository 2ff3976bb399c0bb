//! Efficiency: the share of the ceiling, a probe of the same record, that each test reaches.

use maud::{Markup, html};
use model::{Attribution, Capacities, Limit, Proof, Sheet};
use record::Record;

use super::curve::{Load, Test};
use crate::chart::{Axis, Bar, BarChart, Figures, Mark, Scale, Tone};
use crate::document::Diagram;
use crate::layout::clean;
use crate::limit;
use crate::render::page::{Cell, Column, Row, Table};
use crate::text::title;
use crate::words::dop;

/// Bars of the chart.
const BARS_MAX: usize = 60;

/// One bar per test that has a ceiling, and the limit of the best run of each test.
pub(super) fn ceilings(record: &Record, limited: &[Limited<'_>], sheet: &Sheet) -> Markup {
    html! { (bars(sheet)) (limits(record, limited, sheet, &model::proofs(record))) }
}

/// A test, its best run, and the limit of that.
pub(super) type Limited<'a> = (&'a Test<'a>, &'a Load<'a>, Attribution);

/// The limit of the best run of each test, as far as it was measured.
pub(super) fn limited<'a>(record: &Record, tests: &'a [Test<'a>]) -> Vec<Limited<'a>> {
    let capacities = Capacities::of(record);
    let best = tests.iter().filter_map(|test| Some((test, test.best()?)));
    best.filter_map(|(test, best)| Some((test, best, capacities.attribute(best.run)?))).collect()
}

fn limits(record: &Record, limited: &[Limited<'_>], sheet: &Sheet, proofs: &[Proof]) -> Markup {
    let columns = [Column::text("test"), Column::text("at"), Column::text("limit, from the figures of the run")];
    let mut table = Table::new("limits", "Limit of the best run of each test", &columns);
    let row = |code: &str, at: String, words: String| {
        Row::new(vec![Cell::text(clean(code)), Cell::text(at), Cell::text(clean(&words))])
    };
    let known = limited.iter().map(|(test, best, found)| {
        let proof = limit::proof_of(proofs, test.code, best.run.dop);
        let tried = limit::tried(record, proof, test.code, best.run.dop).map(|text| format!("; {text}"));
        let text = match proof {
            Some(_) => {
                let basis = limit::basis_note(Some(found), proof);
                format!("limit{basis}: {}", limit::headline(Some(found), proof))
            }
            None => limit::attribution_text(found),
        };
        row(test.code, best.at(), format!("{text}{}", tried.unwrap_or_default()))
    });
    let others = limit::tests(sheet).filter(|line| limited.iter().all(|(test, ..)| test.code != line.test));
    let unknown = others.filter_map(|line| {
        let best = line.best.as_ref()?.dop;
        let proof = limit::proof_of(proofs, &line.test, best);
        let tried = limit::tried(record, proof, &line.test, best).map(|text| format!("; {text}"));
        let words = format!("{}{}", limit::NOTHING_COUNTED, tried.unwrap_or_default());
        Some(row(&line.test, dop(best, line.sweep), words))
    });
    table.rows = known.chain(unknown).take(BARS_MAX).collect();
    html! { @if !table.rows.is_empty() { h3 { "Limits" } (table.html()) } }
}

fn bars(sheet: &Sheet) -> Markup {
    let bars: Vec<Bar> = sheet
        .lines
        .iter()
        .filter_map(|line| {
            let limit = line.best.as_ref()?.ceiling.as_ref()?;
            Some(Bar {
                label: format!("{} {}", clean(&line.test), clean(title(line))),
                value: limit.efficiency.0,
                interval: None,
                note: note(limit),
                tone: Tone::Plain,
            })
        })
        .take(BARS_MAX)
        .collect();
    if bars.is_empty() {
        return Markup::default();
    }
    let chart = BarChart {
        title: "Share of the ceiling that the best run of each test reaches".to_owned(),
        description: "Each test relative to its probe; 100 % is the result of the probe on the same machine."
            .to_owned(),
        axis: Axis::new("share of the ceiling", Scale::FromZero, Figures::Percent),
        base: 0.0,
        bars,
        marks: vec![Mark { x: 1.0, label: "ceiling".to_owned() }],
    };
    html! {
        p {
            "A probe does the work of a test without an engine. A small share shows the overhead of the engine, a \
             share near 100 % that the machine is the limit, and a larger share that the probe is not an upper bound of the test."
        }
        (Diagram::new("efficiency", chart).html())
    }
}

/// The ceiling of a bar; its figures are in the sheet.
fn note(limit: &Limit) -> String {
    let no_bound = if limit.is_exceeded() { ": no bound" } else { "" };
    match limit.in_flight {
        Some(in_flight) => format!("of {}, {in_flight} in flight{no_bound}", limit.probe),
        None => format!("of {}, J{}{no_bound}", limit.probe, limit.jobs),
    }
}
