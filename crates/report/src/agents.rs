//! Figures of the agents of a fleet and their hosts, and warnings about hosts.

use std::collections::HashMap;

use model::fleet::{HostDifference, HostFact, host_differences, on_one_machine};
use record::{AgentHost, Record, Run};
use tables::agent::{self, AgentRow};
use tables::agent_host;

use crate::document::{Block, Cell, Section, Table, Tone};
use crate::layout::clean;
use crate::nodes::fastest_runs;
use crate::view::View;
use crate::words::{dop, list};

/// So many of the agents that share a machine are named.
const SHARING_SHOWN_MAX: usize = 6;

/// Lines of the table of a page.
const LINES_MAX: usize = 1000;

/// The columns that are shown everywhere; the first four name the line.
const FIRST: [&str; 10] = [
    "run",
    "test",
    "at",
    "agent",
    "jobs",
    "operations_per_second",
    "service_ns_*",
    "response_ns_p9*",
    "after_first_start_ns",
    "clock_error_ns",
];

/// The place of the column of agents, whose names give way to the figures.
const AGENT: usize = 3;

/// The counts behind rates.
const LEFT_OUT: [&str; 6] = ["record", "steps", "operations", "rows", "transactions", "invalid"];

/// The columns that name a host of an agent; the last one gives way to the others.
const HOST: [&str; 3] = ["agent", "host", "cpu_model"];

/// How to read the figures.
const READING: &str = "The jobs of a run are spread over agents that start at one agreed moment: the start is that after the \
                       first of them, by a clock that is known to the error beside it. Rates are over the agent's own window.";

/// A line per agent, by line those of the fastest valid run of each test by most of them, on a page those of all runs; and the
/// hosts. Nothing without agents.
pub(crate) fn agents(record: &Record) -> Section {
    let lines = record.runs.iter().map(|run| run.agents.len()).sum::<usize>();
    let mut most: HashMap<&str, usize> = HashMap::new();
    for run in &record.runs {
        let most = most.entry(&run.test).or_default();
        *most = run.agents.len().max(*most);
    }
    let is_by_most = |run: &Run| most.get(run.test.as_str()) == Some(&run.agents.len());
    let shown = fastest_runs(record, |run| !run.agents.is_empty() && is_by_most(run));
    let fastest = agent::rows(record).filter(|of| shown.contains(&of.run.number));
    let fastest = table("agents-fastest", "Agents in the fastest run of each test, by most of them", fastest);
    let more = format!("The first {LINES_MAX} of {lines} lines are shown; the record has all.");
    let whole = [
        (lines > 0).then(|| Block::text(READING)),
        (lines > LINES_MAX).then(|| Block::note(Tone::Plain, [more])),
        Some(table("agents-table", "Figures of each agent", agent::rows(record).take(LINES_MAX)).into()),
    ];
    let whole = whole.into_iter().flatten().collect();
    let body = vec![Block::by_line(vec![fastest.into()]), Block::whole(whole), hosts(record).into()];
    Section::new("agents", "Agents", body).folded()
}

fn table<'a>(id: &str, caption: &str, rows: impl Iterator<Item = AgentRow<'a>>) -> Table {
    let view = View::of(agent::columns())
        .words("at", ("", "at"), |of| Cell::text(dop(of.run.dop, of.run.sweep)))
        .except(&LEFT_OUT)
        .first(&FIRST)
        .with_others(AGENT + 1);
    Table { flexible: Some(AGENT), ..view.table(id, caption, rows, |_| Tone::Plain) }
}

/// A line for each host of an agent.
fn hosts(record: &Record) -> Table {
    let view = View::of(agent_host::columns()).except(&["record"]).first(&HOST);
    let table = view.table("agent-hosts-table", "Hosts of the agents", agent_host::rows(record), |_| Tone::Plain);
    Table { flexible: Some(HOST.len() - 1), ..table }
}

/// The warning about agents on one machine.
pub(crate) fn shared_text(agents: &[&str]) -> String {
    let more = agents.len().saturating_sub(SHARING_SHOWN_MAX);
    let more = (more > 0).then(|| format!("and {more} more"));
    let shown = agents.iter().take(SHARING_SHOWN_MAX).map(|agent| clean(agent));
    format!("on one machine, which they share: agents {}", list(shown.chain(more)))
}

/// The facts in which `hosts` differ, a warning each, and agents that share a machine.
pub(crate) fn host_warnings(hosts: &[AgentHost]) -> Vec<String> {
    let known = |value: &Option<String>| value.as_deref().map_or_else(|| "unknown".to_owned(), clean);
    let differs = |found: HostDifference<'_>| {
        let what = match found.fact {
            HostFact::Processor => "processor",
            HostFact::Threads => "number of processors",
            HostFact::Kernel => "kernel",
            HostFact::ClockSource => "clock source",
            HostFact::Virtualisation => "virtualisation",
        };
        let of_others = |(value, agents): &(Option<String>, Vec<&str>)| {
            format!("{} on {}", known(value), list(agents.iter().map(|agent| clean(agent))))
        };
        let others = found.others.iter().map(of_others).collect::<Vec<_>>().join("; ");
        format!("hosts of agents differ in the {what}: {} on most, {others}", known(&found.usual))
    };
    let pairs = hosts.iter().map(|host| (host.agent.as_str(), host.boot_id.as_deref()));
    let shared = on_one_machine(pairs);
    host_differences(hosts).into_iter().map(differs).chain(shared.iter().map(|names| shared_text(names))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_that_differs_is_named_with_its_value_and_that_of_the_others() {
        let host = |agent: &str, kernel: &str| {
            let mut host = record::HostInventory::default();
            host.kernel.release = kernel.to_owned();
            AgentHost { agent: agent.to_owned(), boot_id: Some(agent.to_owned()), host }
        };
        let mut hosts = vec![host("a", "6.1"), host("b", "6.1"), host("c", "6.12")];
        assert_eq!(host_warnings(&hosts), ["hosts of agents differ in the kernel: 6.1 on most, 6.12 on c"]);
        hosts[1].boot_id = Some("a".to_owned());
        hosts.pop();
        assert_eq!(host_warnings(&hosts), ["on one machine, which they share: agents a, b"]);
    }
}
