//! The agents of a fleet: those of a record in one line, the one on the host of the server, and what a check of them found.

use model::fleet::start_spread;
use model::fleet::{CheckedAgent, on_one_machine};
use record::{Nanos, ObservedHost, Plan, PlanSubject, ProofSubject, Record, Run, SignedNanos, StreamBackend};

use crate::agents::shared_text;
use crate::figure::{duration, volume};
use crate::inventory::machine_line;
use crate::layout::{Align, Head, Table, clean, paragraph};
use crate::scripts::script_options;
use crate::shell_word::shell_word;
use crate::style::Style;
use crate::words::{list, plural};

/// The command that measures a plan as `plan` was.
pub fn run_command(plan: &Plan) -> String {
    let mut each = plan.jobs_per_agent.map(|count| format!(" --jobs-per-agent {count}")).unwrap_or_default();
    if plan.database_per_agent {
        each += " --database-per-agent";
    }
    match plan.agents {
        None => "dbdyno run".to_owned(),
        Some(count) if plan.agent_hosts.is_empty() => format!("dbdyno fleet run --agents {count}{each}"),
        Some(_) => format!("dbdyno fleet run --hosts FILE{each}"),
    }
}

/// The command that goes on with the plan of a record, but for the path of the record, which follows. What a record does not
/// decide is named again: its target, files of tests, a peer. Passwords and observed hosts are not in it.
pub fn resume_command(plan: &Plan) -> String {
    if plan.subject() == PlanSubject::Proof(ProofSubject::Durability) {
        // All that it needs is in the record.
        return "dbdyno prove durability --resume".to_owned();
    }
    let target = Some(format!(" --target {}", shell_word(&plan.target)));
    let tests = (!plan.test_files.is_empty()).then(|| format!(" --tests {}", shell_word(&plan.test_files.join(","))));
    let scripts: String = script_options(plan).iter().map(|option| format!(" {option}")).collect();
    let peer = plan.network.as_ref().and_then(|path| path.peer.as_deref());
    let peer = peer.map(|peer| format!(" --network {}", shell_word(peer)));
    let named: String = [target, tests, Some(scripts), peer].into_iter().flatten().collect();
    format!("{}{named} --resume", run_command(plan))
}

/// The agents that carried out the runs of `record`, and how far apart they started at most; None where there were none.
pub(crate) fn agents(record: &Record) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for agent in record.runs.iter().flat_map(|run| &run.agents) {
        if !names.contains(&agent.agent.as_str()) {
            names.push(&agent.agent);
        }
    }
    let spread = record.runs.iter().filter_map(start_spread).max()?;
    let count = plural(names.len() as u64, "agent");
    let names = list(names.into_iter().map(clean));
    let within = if record.runs.iter().any(|run| run.agents.len() > 1) {
        format!(", which started within {}", duration(spread))
    } else {
        String::new()
    };
    let apart = if record.plan.database_per_agent { ", each with a database of its own" } else { "" };
    Some(format!("by {count} ({names}){within}{apart}"))
}

/// The observed hosts of the server; None without any.
pub(crate) fn server_hosts(record: &Record) -> Option<String> {
    // Probes and files on the file system have no part of the server.
    let is_served = |run: &&Run| {
        let backend = run.streams.as_ref().map_or(StreamBackend::Engine, |streams| streams.backend);
        !run.kind.is_probe() && backend == StreamBackend::Engine
    };
    // With several nodes not every run uses each.
    let several = record.server_hosts.len() > 1;
    let is_unread = |run: &&Run, host: &ObservedHost| match several {
        true => run.server_hosts.len() < run.dop.nodes as usize,
        false => !run.server_hosts.contains_key(&host.name),
    };
    let told = |host: &ObservedHost| {
        let unread = record.runs.iter().filter(is_served).filter(|run| is_unread(run, host)).count();
        observed_host(host, "client and server", unread)
    };
    let told: Vec<String> = record.server_hosts.iter().map(told).collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// The observed hosts of storage; None without any.
pub(crate) fn storage_hosts(record: &Record) -> Option<String> {
    let told = |host: &ObservedHost| {
        let unread = record.runs.iter().filter(|run| !run.storage_hosts.contains_key(&host.name)).count();
        observed_host(host, "client and storage", unread)
    };
    let told: Vec<String> = record.storage_hosts.iter().map(told).collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// An observed host, which is not shared by `sides` as a rule, and has no counters of `unread` runs.
fn observed_host(found: &ObservedHost, sides: &str, unread: usize) -> String {
    let unread = (unread > 0).then(|| format!("not observed in {}", plural(unread as u64, "run")));
    let shared = found.is_same_machine.then(|| format!("the same machine, which {sides} share"));
    let program = found.program.as_deref().map(|program| format!("processes of {}", clean(program)));
    let told = Some(format!("{}: {}", clean(&found.name), machine_line(&found.host)));
    let unknown =
        found.directory.is_none().then(|| "directory of the data unknown: its device is not counted".to_owned());
    list([told, program, shared, unknown, unread].into_iter().flatten())
}

/// The agents with their clocks and a start without work, one line each, and what is to be known of all.
pub fn fleet_check(agents: &[CheckedAgent<'_>], style: Style, width: usize) -> String {
    let heads: [Head; 9] = [
        (&["agent"], Align::Left),
        (&["host"], Align::Left),
        (&["CPUs"], Align::Right),
        (&["space", "free"], Align::Right),
        (&["kernel"], Align::Left),
        (&["clock", "source"], Align::Left),
        (&["round", "trip"], Align::Right),
        (&["clock", "error"], Align::Right),
        (&["start"], Align::Right),
    ];
    let mut table = Table::new(&heads, &[]);
    for agent in agents {
        let host = &agent.hello.host;
        let unknown = || "-".to_owned();
        let cells = vec![
            agent.name.to_owned(),
            host.host_name.as_deref().map_or_else(unknown, clean),
            host.cpu.threads.to_string(),
            host.file_system.as_ref().and_then(|system| system.free_bytes).map_or_else(unknown, volume),
            clean(&host.kernel.release),
            host.kernel.clock_source.as_deref().map_or_else(unknown, clean),
            duration(agent.round_trip),
            duration(agent.start.clock_error_ns),
            signed(agent.start.offset_ns),
        ];
        table.push(cells, None);
    }
    let offsets = || agents.iter().map(|agent| agent.start.offset_ns.0);
    let spread = offsets().min().zip(offsets().max()).map_or(0, |(first, last)| last.abs_diff(first));
    let error = agents.iter().map(|agent| agent.start.clock_error_ns).max().unwrap_or_default();
    let mut text: String = table.lines(style, width).into_iter().map(|line| line + "\n").collect();
    text += &format!(
        "{} started within {}, by clocks known to {}\n",
        plural(agents.len() as u64, "agent"),
        duration(Nanos(spread)),
        duration(error)
    );
    for names in on_one_machine(agents.iter().map(|agent| (agent.name, agent.hello.boot_id.as_deref()))) {
        let lines = paragraph("!", 2, &shared_text(&names), width);
        text.extend(lines.into_iter().map(|line| line + "\n"));
    }
    text
}

/// A span with its sign.
fn signed(span: SignedNanos) -> String {
    let sign = if span.0 < 0 { "-" } else { "+" };
    format!("{sign}{}", duration(Nanos(span.0.unsigned_abs())))
}

#[cfg(test)]
mod tests {
    use record::{Gauge, NetworkPath, Preset, Role, Script, Scripts};

    use super::*;

    #[test]
    fn what_a_record_does_not_decide_is_named_again() {
        let mut plan = Plan::new("null", "/data/dbdyno-data", Preset::Smoke);
        assert_eq!(resume_command(&plan), "dbdyno run --target null --resume");
        plan.target = "null?rows=7".to_owned();
        assert_eq!(resume_command(&plan), "dbdyno run --target 'null?rows=7' --resume");
        plan.target = "null".to_owned();
        plan.test_files = vec!["./mine.toml".to_owned(), "it's.toml".to_owned()];
        plan.network = Some(NetworkPath { peer: Some("db1:5250".to_owned()), ..NetworkPath::default() });
        let named = " --tests './mine.toml,it'\\''s.toml' --network db1:5250";
        assert_eq!(resume_command(&plan), format!("dbdyno run --target null{named} --resume"));
        let script = |name: &str, weight| Script::new(name, weight, "");
        let of_scripts = Plan {
            scripts: Some(Scripts {
                scripts: vec![script("my read.sql", 9), script("builtin:tpcb-like", 1)],
                variables: [("size".to_owned(), "100".to_owned())].into(),
                initialized_scale: Some(3),
                tries_max: std::num::NonZeroU32::new(5),
                query_mode: record::QueryMode::Simple,
                connect: true,
                roles: vec![Role { name: "my read.sql".to_owned(), jobs: Some(2), rate: Some(0.5) }],
                gauges: vec![Gauge { name: "depth".to_owned(), sql: "select 1".to_owned() }],
            }),
            ..Plan::new("null", "/data/dbdyno-data", Preset::Smoke)
        };
        let named = " --script 'my read.sql@9' --builtin tpcb-like@1 --define size=100 --initialize --scale 3 --max-tries 5 --query-mode simple --connect \
                     --role 'my read.sql:jobs=2,rate=0.5' --gauge 'depth=select 1'";
        assert_eq!(resume_command(&of_scripts), format!("dbdyno run --target null{named} --resume"));
    }
}
