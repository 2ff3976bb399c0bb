//! Figures of the agents of a fleet, for text and HTML.

use record::Record;
use tables::agent::{self, AgentRow};

use crate::html::Cell;
use crate::layout::{Table, clean, cut};
use crate::nodes::fastest_runs;
use crate::view::View;
use crate::words::dop;

/// Characters of an agent's name.
const NAME_MAX: usize = 30;

/// The columns of agents, with their words.
pub(crate) fn view<'a>() -> View<AgentRow<'a>> {
    View::of(agent::columns()).words("at", ("", "at"), |of| Cell::Text(dop(of.run.dop, of.run.sweep))).words(
        "agent",
        ("", "agent"),
        |of| Cell::Text(cut(&clean(&of.of.agent), NAME_MAX)),
    )
}

/// The columns of the text table.
const SHOWN: [&str; 10] = [
    "run",
    "test",
    "at",
    "agent",
    "jobs",
    "operations_per_second",
    "service_ns_p50",
    "service_ns_p99",
    "after_first_start_ns",
    "clock_error_ns",
];

/// A line for each agent of the fastest valid run of each test.
pub(crate) fn agents(record: &Record) -> Table {
    let shown = fastest_runs(record, |run| !run.agents.is_empty());
    view().only(&SHOWN).text_table(agent::rows(record).filter(|of| shown.contains(&of.run.number)), |_| None)
}
