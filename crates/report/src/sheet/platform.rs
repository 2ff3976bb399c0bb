//! The platform and the measurement, in a few lines.

use record::{EngineInventory, HostInventory, Record};

use crate::database_state::states_at_begin;
use crate::document::{Block, Section};
use crate::figure::memory;
use crate::fleet::{agents, server_hosts, storage_hosts};
use crate::head::{data_reads, instrument, settled, started};
use crate::inventory::{durability, engine_line, engine_sizes, limits, storage_line, topology};
use crate::network::network_path;
use crate::plan::settings;
use crate::wake_up::local_round_trips;
use crate::words::{list, plural};

/// Longer values of settings are not shown.
const SETTING_LENGTH_MAX: usize = 40;

/// Characters of the settings that are named; all of them are in the inventory.
const SETTINGS_LENGTH_MAX: usize = 300;

/// The platform, and how the measurement was made.
pub(super) fn section(record: &Record) -> Section {
    Section::new("measured", "Measured", vec![Block::facts(facts(record))]).folded()
}

fn facts(record: &Record) -> Vec<(&'static str, String)> {
    let subject = record.plan.subject().properties();
    let mut facts = machine(&record.host);
    match &record.engine {
        Some(engine) => facts.extend(self::engine(engine)),
        None if subject.has_spec_sheet => {
            facts.push(("engine", "none: probes only".to_owned()));
        }
        None => {}
    }
    // Directories of agents are named with their files.
    let directory = subject.is_about_storage && record.plan.agents.is_none();
    let known = [
        ("directory", directory.then(|| record.plan.directory.clone())),
        ("reads", data_reads(record)),
        ("prepared", settled(record)),
        ("begin", states_at_begin(record)),
        ("server on", server_hosts(record)),
        ("stored on", storage_hosts(record)),
        ("network", network_path(record)),
        ("agents", agents(record)),
        ("measured", Some(format!("{}, {}", started(record), extent(record)))),
        ("dbdyno", Some(instrument(record))),
        ("wake-ups", local_round_trips(record)),
    ];
    facts.extend(known.into_iter().filter_map(|(label, fact)| Some((label, fact?))));
    facts
}

/// How much was measured: settings of the spec sheet, runs of other kinds.
fn extent(record: &Record) -> String {
    match record.plan.subject().properties().has_spec_sheet {
        true => settings(&record.plan),
        false => plural(record.runs.len() as u64, "run"),
    }
}

fn engine(engine: &EngineInventory) -> impl Iterator<Item = (&'static str, String)> {
    let sizes = list([Some(engine_line(engine)), engine_sizes(engine)].into_iter().flatten());
    let facts = [("engine", Some(sizes)), ("settings", settings_text(engine)), ("commits", Some(durability(engine)))];
    facts.into_iter().filter_map(|(label, fact)| Some((label, fact?)))
}

/// The first settings; none where the engine has none.
fn settings_text(engine: &EngineInventory) -> Option<String> {
    let short = engine.settings.iter().filter(|setting| setting.value.len() <= SETTING_LENGTH_MAX);
    let mut named: Vec<String> = Vec::new();
    let mut length = 0;
    for setting in short {
        let text = format!("{} = {}", setting.name, setting.value);
        length += text.chars().count();
        if length > SETTINGS_LENGTH_MAX {
            break;
        }
        named.push(text);
    }
    let more = engine.settings.len() - named.len();
    let more = (more > 0).then(|| format!("and {more} more in the record"));
    (!engine.settings.is_empty()).then(|| list(named.into_iter().chain(more)))
}

fn machine(host: &HostInventory) -> Vec<(&'static str, String)> {
    let kernel = &host.kernel;
    let clock = host.cpu.clock_mhz_max.or(host.cpu.clock_mhz).map(|clock| format!("{:.2} GHz", clock / 1000.0));
    let virtualisation = host.virtualisation.as_ref().map(|kind| format!("virtualised ({kind})"));
    let release = format!("{} {}", kernel.release, kernel.architecture);
    let nodes = host.cpu.numa_nodes.len();
    let numa = (nodes > 1).then(|| plural(nodes as u64, "NUMA node"));
    let lines = [
        ("host", list([host.host_name.clone(), host.product.clone(), virtualisation].into_iter().flatten())),
        ("processors", list([host.cpu.model.clone(), clock, Some(topology(&host.cpu))].into_iter().flatten())),
        ("memory", list([Some(memory(host.memory.total_bytes)), numa].into_iter().flatten())),
        ("storage", storage_line(host)),
        ("kernel", list([Some(release), kernel.operating_system.clone()].into_iter().flatten())),
    ];
    let known = |text: String| if text.trim().is_empty() { "unknown".to_owned() } else { text };
    let limits = limits(&host.cgroup).map(|limits| ("limits", limits));
    lines.into_iter().map(|(name, value)| (name, known(value))).chain(limits).collect()
}
