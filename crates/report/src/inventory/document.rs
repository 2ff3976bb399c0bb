//! The platform as a document of its own, and as a part of the page of a record.

use model::platform::{MeasuredRates, oversubscriptions};
use record::{BlockDevice, EngineInventory, HostInventory, NodeInventory, Record};

use super::bandwidth;
use super::device::{device_text, file_system_facts, queue_text};
use super::kernel::kernel_facts;
use super::state::state_facts;
use super::topology::{Branch, defect_texts, function_text, layers, tree};
use super::{cpu_facts, engine_facts, host_facts, memory_facts, numa_facts};
use crate::document::{Block, Cell, Column, Document, Extent, Row, Section, Table, Text, Tone};
use crate::figure::UNKNOWN;

/// Levels of ports that are drawn before the address of a function.
const DEPTH_MAX: usize = 8;

/// All that is known of the machine, the engine, and its `nodes` where it has several.
///
/// What could not be determined is `unknown`; what does not exist (swap, limits, NUMA) is shown as absent. With `rates`,
/// shared links are held against what is below them.
pub fn inventory(
    host: &HostInventory,
    engine: Option<&EngineInventory>,
    nodes: &[NodeInventory],
    rates: Option<&MeasuredRates>,
) -> Document {
    let state = host.at_start.as_ref().map(|state| vec![facts(state_facts(state))]);
    let others = [
        Section::new("state", "Current state", state.unwrap_or_default()),
        Section::new("pci", "PCI Express", vec![Block::facts(pci(host))]),
        Section::new("shared-bandwidth", "Bandwidth", rates.map(|rates| shared(host, rates)).unwrap_or_default()),
        Section::new("engine", "Engine", engine.map(|engine| engine_blocks(engine, nodes)).unwrap_or_default()),
        Section::new("defects", "Warnings", vec![Block::note(Tone::Warning, defect_texts(host))]),
    ];
    let machine = machine(host).into_iter().map(|(id, title, body)| Section::new(id, title, vec![body]));
    let name = host.host_name.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
    Document::new(format!("Platform{name}"), machine.chain(others).collect())
}

/// The platform of `record` and its settings.
pub(crate) fn platform(record: &Record) -> Section {
    let heading = |title: &str| Block::Heading(title.to_owned());
    let mut body: Vec<Block> =
        machine(&record.host).into_iter().flat_map(|(_, title, facts)| [heading(title), facts]).collect();
    if let Some(engine) = &record.engine {
        body.push(heading("Engine"));
        body.extend(engine_blocks(engine, &[]));
    }
    Section::new("platform", "Platform and settings", body).from(Extent::Whole).folded()
}

/// The parts of the machine, each with its name and title.
fn machine(host: &HostInventory) -> [(&'static str, &'static str, Block); 5] {
    [
        ("host", "Host", facts(host_facts(host))),
        ("processors", "Processors", facts([cpu_facts(&host.cpu), numa_facts(host)].concat())),
        ("memory", "Memory", facts(memory_facts(host))),
        ("kernel", "Kernel", facts(kernel_facts(&host.kernel))),
        ("storage", "Storage", storage(host)),
    ]
}

/// Facts, with `unknown` for absent values.
fn facts(facts: Vec<(&str, Option<String>)>) -> Block {
    Block::facts(known(facts))
}

fn known(facts: Vec<(&str, Option<String>)>) -> Vec<(String, String)> {
    let value =
        |text: Option<String>| text.filter(|text| !text.trim().is_empty()).unwrap_or_else(|| "unknown".to_owned());
    facts.into_iter().map(|(label, text)| (label.to_owned(), value(text))).collect()
}

/// The file system, and each device with its layers and its queue.
fn storage(host: &HostInventory) -> Block {
    let system = host.file_system.as_ref().map_or(vec![("file system", None)], file_system_facts);
    let is_nfs = host.file_system.as_ref().is_some_and(|system| system.kind.starts_with("nfs"));
    let none = if is_nfs { "at the server; the mount counts requests in its place" } else { "unknown" };
    let none = host.devices.is_empty().then(|| ("device".to_owned(), none.to_owned()));
    let of_device = |device: &BlockDevice| {
        let queue = queue_text(device).map(|queue| ("queue".to_owned(), queue));
        let below = layers(device).into_iter().chain(queue);
        let below = below.map(|(label, text)| (format!("{} {label}", device.name), text));
        [(device.name.clone(), device_text(device))].into_iter().chain(below).collect::<Vec<_>>()
    };
    Block::facts(known(system).into_iter().chain(none).chain(host.devices.iter().flat_map(of_device)))
}

/// The controllers of storage and networks, below the ports that they are plugged into.
fn pci(host: &HostInventory) -> Vec<(String, String)> {
    let line = |branch: Branch<'_>| {
        let depth = "·".repeat(branch.depth.min(DEPTH_MAX));
        (format!("{depth} {}", branch.function.address), function_text(branch.function))
    };
    tree(host).into_iter().map(line).collect()
}

/// What is below each shared link against what it carries.
fn shared(host: &HostInventory, rates: &MeasuredRates) -> Vec<Block> {
    let blocks = bandwidth::blocks(&oversubscriptions(host, rates));
    if blocks.is_empty() { vec![Block::text("No device has a link that sysfs knows.")] } else { blocks }
}

/// The engine, its nodes and its settings.
fn engine_blocks(engine: &EngineInventory, nodes: &[NodeInventory]) -> Vec<Block> {
    let facts = engine_facts(engine).into_iter();
    let nodes = nodes.iter().map(|node| {
        let role = if node.takes_writes { "read-write" } else { "read-only" };
        (role, if node.name.is_empty() { "unnamed".to_owned() } else { node.name.clone() })
    });
    let rows = engine.settings.iter().map(|setting| {
        let differs = setting.default.as_ref().is_some_and(|default| *default != setting.value);
        let value = if differs { Text::default().strong(&*setting.value) } else { Text::from(&*setting.value) };
        let default = setting.default.as_deref().unwrap_or(UNKNOWN);
        Row::new(vec![Cell::text(&*setting.name), Cell::text(value), Cell::text(default)])
    });
    let columns = vec![Column::text("setting"), Column::text("value"), Column::text("default")];
    let caption = "Non-default and performance-relevant settings";
    let table = Table { is_labelled: true, ..Table::new("settings", caption, columns).with(rows) };
    vec![Block::facts(facts.chain(nodes)), table.into()]
}
