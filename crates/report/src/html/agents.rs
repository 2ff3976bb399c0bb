//! Figures of each agent of a fleet.

use maud::{Markup, html};
use record::Record;
use tables::{agent, agent_host};

use crate::agents::{hosts_view, view};
use crate::render::page::parts;

/// Lines of the table.
const LINES_MAX: usize = 1000;

/// The columns of the first table; as many fit on paper.
const FIRST: [&str; 11] = [
    "run",
    "test",
    "at",
    "agent",
    "jobs",
    "operations_per_second",
    "service_ns_p50",
    "service_ns_p99",
    "response_ns_p99",
    "after_first_start_ns",
    "clock_error_ns",
];

/// The counts behind rates.
const LEFT_OUT: [&str; 6] = ["record", "steps", "operations", "rows", "transactions", "invalid"];

/// One line per run and agent; nothing without agents.
pub(super) fn agents(record: &Record) -> Markup {
    let lines = record.runs.iter().map(|run| run.agents.len()).sum::<usize>();
    if lines == 0 {
        return Markup::default();
    }
    let rows = agent::rows(record).take(LINES_MAX);
    let tables = view().except(&LEFT_OUT).first(&FIRST).html_parts(
        "agents-table",
        "Figures of each agent",
        (4, FIRST.len()),
        rows,
        |_| "",
    );
    html! {
        p {
            "The jobs of a run are spread over agents that start at one agreed moment: the start is that after the first \
             of them, by a clock that is known to the error beside it. Rates are over the agent's own window."
        }
        @if lines > LINES_MAX {
            p class="note" { "The first " (LINES_MAX) " of " (lines) " lines are shown; the record has all." }
        }
        (parts(&tables, "All other figures of the agents"))
        @if !record.agent_hosts.is_empty() {
            (hosts_view().html("agent-hosts-table", "Hosts of the agents", agent_host::rows(record), |_| "").html())
        }
    }
}
