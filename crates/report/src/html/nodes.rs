//! What each node did, and what happened to nodes.

use maud::{Markup, html};
use record::{NodeRun, Record, Run};

use super::runs::{rate, time};
use super::table::{Cell, Column, Row, Table};
use crate::finding::lost_node_text;
use crate::layout::clean;
use crate::nodes::{commits_per_second, name};
use crate::words::dop;

/// Lines of the table.
const LINES_MAX: usize = 1000;

const COLUMNS: [Column; 9] = [
    Column::figures("run"),
    Column::text("test"),
    Column::text("at"),
    Column::text("node"),
    Column::figures("#J"),
    Column::figures("ops/s"),
    Column::figures("commits/s"),
    Column::figures("p50"),
    Column::figures("p99"),
];

/// The events, then one line per run and node; nothing of a record with one node.
pub(super) fn nodes(record: &Record) -> Markup {
    let spread = || record.runs.iter().filter(|run| !run.nodes.is_empty());
    let events: Vec<(&Run, String)> = record.runs.iter().flat_map(said).collect();
    if spread().next().is_none() && events.is_empty() {
        return Markup::default();
    }
    let lines = || spread().flat_map(|run| run.nodes.iter().map(move |node| (run, node)));
    let mut table = Table::new("nodes-table", "What each node did", &COLUMNS);
    table.sortable = true;
    table.rows = lines().take(LINES_MAX).map(|(run, node)| row(record, run, node)).collect();
    html! {
        p {
            "Jobs are spread evenly over the nodes of a run; a test that changes the database uses those that take \
             writes. Commits are the node's own count; the rate of a lost node is that until it was lost."
        }
        @if !events.is_empty() {
            ul class="warn" {
                @for (run, event) in &events { li { "Run " (run.number) ", " (clean(&run.test)) ": " (event) "." } }
            }
        }
        @if lines().count() > LINES_MAX {
            p class="note" { "The first " (LINES_MAX) " of " (lines().count()) " lines are shown; the record has all." }
        }
        @if lines().next().is_some() { div class="compact" { (table.html()) } }
    }
}

fn row(record: &Record, run: &Run, node: &NodeRun) -> Row {
    let count = |value: u32| Cell::Figure(value.to_string(), Some(f64::from(value)));
    let quantiles = model::quantiles(&node.service);
    let cells = vec![
        count(run.number),
        Cell::text(clean(&run.test)),
        Cell::text(dop(run.dop, run.sweep)),
        Cell::text(name(record, node.node)),
        count(node.jobs),
        rate(model::node_rate(run, node)),
        rate(commits_per_second(run, node)),
        time(quantiles, |quantiles| Some(quantiles.p50_ns)),
        time(quantiles, |quantiles| quantiles.p99_ns),
    ];
    Row { class: "", cells }
}

/// What happened to nodes in `run`, and what the engine said of it.
fn said(run: &Run) -> impl Iterator<Item = (&Run, String)> {
    run.events.iter().map(move |event| {
        let message = clean(event.message.trim());
        let message = if message.is_empty() { message } else { format!(" ({message})") };
        (run, clean(&lost_node_text(&model::lost_node(run, event))) + &message)
    })
}
