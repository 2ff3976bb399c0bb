//! Figures of the agents of a fleet, for text and HTML.

use model::fleet::{HostDifference, HostFact, host_differences, on_one_machine};
use record::{AgentHost, Record};
use tables::agent::{self, AgentRow};
use tables::agent_host;
use tables::provision::Owned;

use crate::document::Cell;
use crate::figure::UNKNOWN;
use crate::layout::{Table, clean, cut};
use crate::nodes::fastest_runs;
use crate::style::Style;
use crate::view::View;
use crate::words::{dop, list};

/// So many of the agents that share a machine are named.
const SHARING_SHOWN_MAX: usize = 6;

/// Characters of an agent's name.
const NAME_MAX: usize = 30;

/// The columns of agents, with their words.
pub(crate) fn view<'a>() -> View<AgentRow<'a>> {
    View::of(agent::columns()).words("at", ("", "at"), |of| Cell::text(dop(of.run.dop, of.run.sweep))).words(
        "agent",
        ("", "agent"),
        |of| name(&of.of.agent),
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

/// The columns of the hosts of agents, with their words.
pub(crate) fn hosts_view<'a>() -> View<Owned<'a, &'a AgentHost>> {
    View::of(agent_host::columns()).except(&["record"]).words("agent", ("", "agent"), |of| name(&of.of.agent)).words(
        "cpu_model",
        ("", "processor"),
        |of| name(of.of.host.cpu.model.as_deref().unwrap_or(UNKNOWN)),
    )
}

/// The warning about agents on one machine.
pub(crate) fn shared_text(agents: &[&str]) -> String {
    let more = agents.len().saturating_sub(SHARING_SHOWN_MAX);
    let more = (more > 0).then(|| format!("and {more} more"));
    let shown = agents.iter().take(SHARING_SHOWN_MAX).map(|agent| clean(agent));
    format!("on one machine, which they share: agents {}", list(shown.chain(more)))
}

fn name(text: &str) -> Cell {
    Cell::text(cut(&clean(text), NAME_MAX))
}

/// The agents and their hosts, titled, as far as there are some.
pub(crate) fn parts(record: &Record, style: Style, width: usize) -> Vec<(&'static str, Vec<String>)> {
    let titled = [
        ("AGENTS: the fastest run of each test, by most of them", agents(record)),
        ("AGENTS: their hosts", hosts(record)),
    ];
    let with_rows = titled.into_iter().filter(|(_, table)| !table.is_empty());
    with_rows.map(|(title, table)| (title, table.lines(style, width))).collect()
}

/// A line for each host of an agent.
fn hosts(record: &Record) -> Table {
    hosts_view().text_table(agent_host::rows(record), |_| None)
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

/// A line for each agent of the fastest valid run of each test by most of them.
fn agents(record: &Record) -> Table {
    let most = |test: &str| record.runs.iter().filter(|run| run.test == test).map(|run| run.agents.len()).max();
    let shown = fastest_runs(record, |run| !run.agents.is_empty() && Some(run.agents.len()) == most(&run.test));
    view().only(&SHOWN).text_table(agent::rows(record).filter(|of| shown.contains(&of.run.number)), |_| None)
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
