//! Hosts of agents: one row for each agent on another host.

use record::{AgentHost, Record};

use crate::column::{Column, Kind};
use crate::provision::Owned;

/// The hosts of the agents of `record`.
pub fn rows(record: &Record) -> impl Iterator<Item = Owned<'_, &AgentHost>> {
    record.agent_hosts.iter().map(move |of| Owned { record, of })
}

/// What agents run on.
pub fn columns<'a>() -> Vec<Column<Owned<'a, &'a AgentHost>>> {
    type Figure<'a> = Column<Owned<'a, &'a AgentHost>>;
    vec![
        Figure::fact("record", Kind::Text, |of| (&of.record.id).into()),
        Figure::fact("agent", Kind::Text, |of| (&of.of.agent).into()),
        Figure::fact("host", Kind::Text, |of| of.of.host.host_name.as_ref().into()),
        Figure::fact("cpu_model", Kind::Text, |of| of.of.host.cpu.model.as_ref().into()).head("processor"),
        Figure::fact("threads", Kind::Count, |of| of.of.host.cpu.threads.into()).head("CPUs"),
        Figure::fact("memory_bytes", Kind::Bytes, |of| of.of.host.memory.total_bytes.into()).head("memory"),
        Figure::fact("kernel", Kind::Text, |of| (&of.of.host.kernel.release).into()),
        Figure::fact("clock_source", Kind::Text, |of| of.of.host.kernel.clock_source.as_ref().into())
            .head("clock\nsource"),
        Figure::fact("virtualisation", Kind::Text, |of| of.of.host.virtualisation.as_ref().into()),
    ]
}
