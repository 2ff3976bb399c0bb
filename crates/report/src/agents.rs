//! Figures of the agents of a fleet, for text and HTML.

use std::collections::{BTreeSet, HashMap};

use record::{Record, Run};
use tables::agent::{self, AgentRow};

use crate::html::Cell;
use crate::layout::{Table, clean, cut};
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
    let mut fastest: HashMap<&str, &Run> = HashMap::new();
    for run in record.runs.iter().filter(|run| !run.agents.is_empty() && !model::is_invalid(run)) {
        let rate = |run: &Run| run.totals.operations as f64 / run.window_ns.seconds().max(f64::MIN_POSITIVE);
        let best = fastest.entry(&run.test).or_insert(run);
        if rate(run) > rate(best) {
            *best = run;
        }
    }
    let shown: BTreeSet<u32> = fastest.values().map(|run| run.number).collect();
    view().only(&SHOWN).text_table(agent::rows(record).filter(|of| shown.contains(&of.run.number)), |_| None)
}
