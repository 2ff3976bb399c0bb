//! Figures of each node, and node events.

use maud::{Markup, html};
use record::{Record, Run};
use tables::node;

use crate::finding::lost_node_text;
use crate::layout::clean;
use crate::nodes::view;
use crate::render::page::parts;

/// Lines of the table.
const LINES_MAX: usize = 1000;

/// The columns of the first table; as many fit on paper.
const FIRST: [&str; 13] = [
    "run",
    "test",
    "at",
    "node",
    "jobs",
    "operations_per_second",
    "commits_per_second",
    "service_ns_p50",
    "service_ns_p99",
    "response_ns_p50",
    "response_ns_p99",
    "failures",
    "unfinished",
];

/// The columns that the label of a node states, and the counts behind rates.
const LEFT_OUT: [&str; 10] =
    ["record", "nodes", "name", "takes_writes", "steps", "operations", "rows", "transactions", "commits", "invalid"];

/// The events, then one line per run and node; nothing with a single node.
pub(super) fn nodes(record: &Record) -> Markup {
    let spread = || record.runs.iter().filter(|run| !run.nodes.is_empty());
    let events: Vec<(&Run, String)> = record.runs.iter().flat_map(node_events).collect();
    if spread().next().is_none() && events.is_empty() {
        return Markup::default();
    }
    let lines = spread().map(|run| run.nodes.len()).sum::<usize>();
    let view = view().except(&LEFT_OUT).first(&FIRST);
    let tables = view.html_parts(
        "nodes-table",
        "Figures of each node",
        (4, FIRST.len()),
        node::rows(record).take(LINES_MAX),
        |_| "",
    );
    html! {
        p {
            "Jobs are spread evenly over the nodes of a run; a test that changes the database uses the read-write \
             nodes. Commits are counted by the node; the rate of a lost node covers the time until the loss."
        }
        @if !events.is_empty() {
            ul class="warn" {
                @for (run, event) in &events { li { "Run " (run.number) ", " (clean(&run.test)) ": " (event) "." } }
            }
        }
        @if lines > LINES_MAX {
            p class="note" { "The first " (LINES_MAX) " of " (lines) " lines are shown; the record has all." }
        }
        (parts(&tables, "All other figures of the nodes"))
    }
}

/// The node events of `run`, with the message of the engine.
fn node_events(run: &Run) -> impl Iterator<Item = (&Run, String)> {
    run.events.iter().map(move |event| {
        let message = clean(event.message.trim());
        let message = if message.is_empty() { message } else { format!(" ({message})") };
        (run, clean(&lost_node_text(&model::lost_node(run, event))) + &message)
    })
}
