//! The platform: in full for `dbdyno inventory`, in a few lines at the head of the spec sheet.

pub(crate) mod bandwidth;
mod device;
mod kernel;
mod state;
pub(crate) mod topology;

use model::platform::{MeasuredRates, oversubscriptions};
use record::{CgroupLimits, Cpu, EngineInventory, HostInventory, Location, Memory, NodeInventory};

use crate::figure::{memory, number, volume};
use crate::layout::{Align, Head, Table, clean, paragraph, section};
use crate::style::{Ink, Style};
use crate::words::{list, plural};

pub(crate) use self::device::{device_text, file_system_facts, queue_text};
pub(crate) use self::kernel::{idle, kernel_facts, mitigations, modules, network, settings, time};
pub(crate) use self::state::{Change, load};

/// Column of the texts after their labels.
const INDENT: usize = 18;

/// All that is known of the machine, the engine, and its `nodes` where it has several, `width` columns wide (at least
/// 60).
///
/// What could not be determined is `unknown`; what does not exist (swap, limits, NUMA) is shown as absent. With `rates`,
/// shared links are held against what is below them.
pub fn inventory(
    host: &HostInventory,
    engine: Option<&EngineInventory>,
    nodes: &[NodeInventory],
    rates: Option<&MeasuredRates>,
    style: Style,
    width: usize,
) -> String {
    let width = crate::page_width(width);
    let mut lines = Vec::new();
    let mut part = |title: &str, facts: Vec<(&str, Option<String>)>| {
        lines.push(section(title, style, width));
        for (label, text) in facts {
            let text = text.filter(|text| !text.trim().is_empty()).unwrap_or_else(|| "unknown".to_owned());
            lines.extend(paragraph(&format!("  {label}"), INDENT, &text, width));
        }
    };
    part("HOST", host_facts(host));
    part("CPU", [cpu_facts(&host.cpu), numa_facts(host)].concat());
    part("MEMORY", memory_facts(host));
    part("KERNEL", kernel_facts(&host.kernel));
    if let Some(state) = &host.at_start {
        part("CURRENT STATE", state::state_facts(state));
    }
    part("STORAGE", host.file_system.as_ref().map_or(vec![("file system", None)], file_system_facts));
    if host.devices.is_empty() {
        let is_nfs = host.file_system.as_ref().is_some_and(|system| system.kind.starts_with("nfs"));
        let device = if is_nfs { "at the server; the mount counts requests in its place" } else { "unknown" };
        lines.extend(paragraph("  device", INDENT, device, width));
    }
    for device in &host.devices {
        lines.extend(paragraph(&format!("  {}", clean(&device.name)), INDENT, &device_text(device), width));
        for (label, text) in topology::layers(device) {
            lines.extend(paragraph(&format!("    {label}"), INDENT, &text, width));
        }
        if let Some(queue) = queue_text(device) {
            lines.extend(paragraph("    queue", INDENT, &queue, width));
        }
    }
    lines.extend(pci(host, style, width));
    if let Some(rates) = rates {
        lines.extend(bandwidth_lines(host, rates, style, width));
    }
    if let Some(engine) = engine {
        lines.push(section("ENGINE", style, width));
        for (label, text) in engine_facts(engine) {
            lines.extend(paragraph(&format!("  {label}"), INDENT, &text, width));
        }
        for node in nodes {
            let name = if node.name.is_empty() { "unnamed" } else { &node.name };
            lines.extend(paragraph(&format!("    {}", role(node)), INDENT, name, width));
        }
        lines.extend(setting_table(engine).lines(style, width));
    }
    let defects = topology::defect_texts(host);
    if !defects.is_empty() {
        lines.push(section("WARNINGS", style, width));
        let warnings = defects.iter().flat_map(|defect| paragraph("  !", 4, defect, width));
        lines.extend(warnings.map(|line| style.paint(&line, Ink::Warning)));
    }
    style.encoded(lines.join("\n") + "\n")
}

/// The controllers of storage and networks, below the ports that they are plugged into.
fn pci(host: &HostInventory, style: Style, width: usize) -> Vec<String> {
    if host.pci.is_empty() {
        return Vec::new();
    }
    let line = |branch: &topology::Branch<'_>| {
        let indent = 2 + 2 * branch.depth.min(8);
        let label = format!("{:indent$}{}", "", clean(&branch.function.address));
        paragraph(&label, INDENT + indent, &topology::function_text(branch.function), width)
    };
    let lines = topology::tree(host);
    [section("PCI EXPRESS", style, width)].into_iter().chain(lines.iter().flat_map(line)).collect()
}

/// What is below each shared link against what it carries.
fn bandwidth_lines(host: &HostInventory, rates: &MeasuredRates, style: Style, width: usize) -> Vec<String> {
    let found = oversubscriptions(host, rates);
    let mut lines = vec![section("BANDWIDTH", style, width)];
    let Some(first) = bandwidth::first_text(&found) else {
        lines.extend(paragraph("  -", 4, "no device has a link that sysfs knows", width));
        return lines;
    };
    let rows = found.iter().map(|one| {
        let ink = (one.ratio() > 1.0).then_some(Ink::Warning);
        (bandwidth::cells(one).to_vec(), ink)
    });
    lines.extend(Table::fitted(&bandwidth::HEADS, rows.collect(), bandwidth::FLEXIBLE, width).lines(style, width));
    lines.extend(paragraph("-", 2, &first, width));
    lines.extend(paragraph("-", 2, bandwidth::NOTE, width));
    lines
}

pub(crate) fn host_facts(host: &HostInventory) -> Vec<(&'static str, Option<String>)> {
    let kernel = &host.kernel;
    vec![
        ("name", host.host_name.clone()),
        ("product", host.product.clone()),
        ("virtualisation", Some(host.virtualisation.clone().unwrap_or_else(|| "none visible".to_owned()))),
        ("system", kernel.operating_system.clone()),
        ("kernel", Some(format!("{} {}", kernel.release, kernel.architecture))),
        ("clock source", kernel.clock_source.clone()),
        ("boot options", kernel.command_line.clone()),
        ("firmware", host.firmware.clone()),
        ("network", Some(network(host).unwrap_or_else(|| "no physical interface".to_owned()))),
        ("limits", Some(limits(&host.cgroup).unwrap_or_else(|| "no cgroup limits".to_owned()))),
    ]
}

pub(crate) fn cpu_facts(cpu: &Cpu) -> Vec<(&'static str, Option<String>)> {
    let caches = cpu.caches.iter().map(|cache| {
        let kind = if cache.kind == "unified" { String::new() } else { format!(" {}", cache.kind) };
        format!("{} × L{}{kind} {}", cache.instances, cache.level, memory(cache.size_bytes))
    });
    let nodes = cpu.numa_nodes.iter().map(|node| {
        let size = node.memory_bytes.map(|size| format!(", {}", memory(size))).unwrap_or_default();
        format!("node {}: CPU {}{size}", node.number, node.cpus)
    });
    let smt = match cpu.smt {
        Some(true) => ", SMT on",
        Some(false) => ", SMT off",
        None => "",
    };
    let clock = [
        cpu.clock_mhz.map(|clock| format!("current {clock:.0} MHz")),
        cpu.clock_mhz_max.map(|clock| format!("max {clock:.0} MHz")),
        cpu.governor.as_ref().map(|governor| format!("governor {governor}")),
        cpu.clock_driver.as_ref().map(|driver| format!("driver {driver}")),
        cpu.boost.map(|boost| if boost { "boost on" } else { "boost off" }.to_owned()),
    ];
    let microcode = cpu.microcode.as_ref().map(|microcode| format!("microcode {microcode}"));
    vec![
        ("model", cpu.model.clone()),
        ("topology", Some(topology(cpu) + smt)),
        ("stepping", Some(list([cpu.stepping.clone(), microcode].into_iter().flatten()))),
        ("clock", Some(list(clock.into_iter().flatten()))),
        ("idle", idle(cpu.idle_driver.as_deref(), &cpu.idle_states)),
        ("caches", Some(list(caches))),
        ("NUMA", Some(nodes.collect::<Vec<_>>().join("; "))),
    ]
}

/// The distances between NUMA nodes; nothing with one node.
pub(crate) fn numa_facts(host: &HostInventory) -> Vec<(&'static str, Option<String>)> {
    let distances = topology::distances(host);
    let text = (!distances.is_empty()).then(|| distances.join("; "));
    text.into_iter().map(|text| ("distances", Some(text))).collect()
}

pub(crate) fn memory_facts(host: &HostInventory) -> Vec<(&'static str, Option<String>)> {
    let sizes: &Memory = &host.memory;
    let pool = sizes.huge_page_pool_bytes.map(|size| format!("pool {}", memory(size)));
    let transparent = sizes.transparent_huge_pages.as_ref().map(|mode| format!("transparent: {mode}"));
    let defragmentation = sizes.transparent_huge_page_defragmentation.as_ref().map(|mode| format!("defrag: {mode}"));
    vec![
        ("total", (sizes.total_bytes.0 > 0).then(|| memory(sizes.total_bytes))),
        ("available", sizes.available_bytes.map(memory)),
        ("swap", sizes.swap_bytes.map(|size| if size.0 == 0 { "none".to_owned() } else { memory(size) })),
        ("huge pages", Some(list([pool, transparent, defragmentation].into_iter().flatten()))),
        ("modules", modules(host)),
    ]
}

/// Whether the host is a virtual machine; a container is none.
pub(crate) fn is_virtual(host: &HostInventory) -> bool {
    const CONTAINERS: [&str; 6] = ["kubernetes", "podman", "docker", "lxc", "systemd-nspawn", "container"];
    host.virtualisation.as_ref().is_some_and(|kind| kind.contains(" on ") || !CONTAINERS.contains(&kind.as_str()))
}

pub(crate) fn engine_facts(engine: &EngineInventory) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("engine", engine_line(engine)),
        ("blocks", engine_sizes(engine).unwrap_or_else(|| "unknown".to_owned())),
        ("commits", durability(engine)),
    ];
    if engine.nodes != 1 {
        facts.push(("nodes", engine.nodes.to_string()));
    }
    facts
}

/// Whether a node takes writes, in a word.
fn role(node: &NodeInventory) -> &'static str {
    if node.takes_writes { "read-write" } else { "read-only" }
}

fn setting_table(engine: &EngineInventory) -> Table {
    let heads: [Head; 3] = [(&["  setting"], Align::Left), (&["value"], Align::Left), (&["default"], Align::Left)];
    let mut table = Table::new(&heads, &[]);
    for setting in &engine.settings {
        let default = setting.default.as_deref().map_or_else(|| "-".to_owned(), clean);
        table.push(vec![format!("  {}", clean(&setting.name)), clean(&setting.value), default], None);
    }
    table
}

/// Sockets, cores and threads, as far as they are known: `2 sockets, 16 cores, 32 threads`.
pub(crate) fn topology(cpu: &Cpu) -> String {
    let counted = [(cpu.sockets, "socket"), (cpu.cores, "core"), ((cpu.threads > 0).then_some(cpu.threads), "thread")];
    list(counted.into_iter().filter_map(|(count, word)| Some(plural(count?.into(), word))))
}

/// What the control group allows, if it limits anything.
fn limits(group: &CgroupLimits) -> Option<String> {
    let parts: Vec<String> = [
        group.cpu_quota.map(|quota| format!("CPU quota {quota:.2} cores")),
        group.cpu_set.as_ref().map(|set| format!("cpuset {set}")),
        group.memory_max_bytes.map(|size| format!("{} of memory", memory(size))),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!parts.is_empty()).then(|| list(parts))
}

/// Title, version, connection, and whether it is a temporary server.
pub(crate) fn engine_line(engine: &EngineInventory) -> String {
    let connection = match engine.location {
        Location::InProcess => "in-process",
        Location::UnixSocket => "local over a Unix socket",
        Location::LocalTcp => "local over TCP",
        Location::Remote => "remote",
    };
    let encryption = match (&engine.encryption, engine.location) {
        (Some(encryption), _) => format!(", {encryption}"),
        (None, Location::LocalTcp | Location::Remote) => ", not encrypted".to_owned(),
        (None, Location::InProcess | Location::UnixSocket) => String::new(),
    };
    let temporary = if engine.temporary && engine.location != Location::InProcess { ", temporary server" } else { "" };
    let nodes = if engine.nodes > 1 { format!(", {} nodes", engine.nodes) } else { String::new() };
    format!("{} {}{nodes}, {connection}{encryption}{temporary}", engine.title, engine.version)
}

pub(crate) fn engine_sizes(engine: &EngineInventory) -> Option<String> {
    let block = engine.block_bytes.map(|size| format!("{} blocks", memory(size)));
    let cache = engine.cache_bytes.map(|size| format!("{} buffer cache", memory(size)));
    let parts: Vec<String> = [block, cache].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| list(parts))
}

/// Whether an acknowledged commit survives a crash of the operating system.
pub(crate) fn durability_word(engine: &EngineInventory) -> String {
    let word = match engine.durable {
        Some(true) => "durable",
        Some(false) => "NOT durable",
        None => "of unknown durability",
    };
    format!("commits {word}")
}

/// The same, and why.
pub(crate) fn durability(engine: &EngineInventory) -> String {
    let word = match engine.durable {
        Some(true) => "durable",
        Some(false) => "NOT durable",
        None => "durability unknown",
    };
    let reason = engine.durability.trim();
    if reason.is_empty() { word.to_owned() } else { format!("{word}: {reason}") }
}

/// Longer values of settings are not shown.
const SETTING_LENGTH_MAX: usize = 40;

/// Lines of settings at the head of a sheet.
const SETTING_LINES_MAX: usize = 3;

/// The machine in a few lines, for the head of a view.
pub(crate) fn machine(host: &HostInventory, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut fact = |label: &str, text: String| lines.extend(paragraph(label, 10, &text, width));
    let clock = host.cpu.clock_mhz_max.or(host.cpu.clock_mhz).map(|clock| format!("{:.2} GHz", clock / 1000.0));
    let model = host.cpu.model.clone().unwrap_or_else(|| "model unknown".to_owned());
    let virtualisation = host.virtualisation.as_ref().map(|kind| format!("virtualised ({kind})"));
    let machine = list([host.host_name.clone(), host.product.clone(), virtualisation].into_iter().flatten());
    fact("host", if machine.is_empty() { "unknown".to_owned() } else { machine });
    fact("CPU", list([Some(model), clock, Some(topology(&host.cpu))].into_iter().flatten()));
    let nodes = host.cpu.numa_nodes.len();
    let numa = (nodes > 1).then(|| plural(nodes as u64, "NUMA node"));
    fact("memory", list([Some(memory(host.memory.total_bytes)), numa].into_iter().flatten()));
    fact("storage", storage_line(host));
    let kernel = &host.kernel;
    let release = format!("{} {}", kernel.release, kernel.architecture);
    fact("kernel", list([Some(release), kernel.operating_system.clone()].into_iter().flatten()));
    if let Some(limits) = limits(&host.cgroup) {
        fact("limits", limits);
    }
    lines
}

/// The platform in a few lines, for the head of the sheet.
pub(crate) fn head(host: &HostInventory, engine: Option<&EngineInventory>, style: Style, width: usize) -> Vec<String> {
    let mut lines = machine(host, width);
    let mut fact = |label: &str, text: String| lines.extend(paragraph(label, 10, &text, width));
    let Some(engine) = engine else {
        fact("engine", "none: probes only".to_owned());
        return lines;
    };
    fact("engine", list([Some(engine_line(engine)), engine_sizes(engine)].into_iter().flatten()));
    let short = engine.settings.iter().filter(|setting| setting.value.len() <= SETTING_LENGTH_MAX);
    let settings = short.map(|setting| format!("{} = {}", setting.name, setting.value));
    let mut shown = paragraph("settings", 10, &list(settings), width);
    if shown.len() > SETTING_LINES_MAX {
        shown.truncate(SETTING_LINES_MAX);
        shown.push(format!("{:10}... and more: see the record", ""));
    }
    if !engine.settings.is_empty() {
        lines.extend(shown);
    }
    let commits = paragraph("commits", 10, &durability(engine), width);
    let is_warning = engine.durable != Some(true);
    lines.extend(commits.iter().map(|line| if is_warning { style.paint(line, Ink::Warning) } else { line.clone() }));
    lines
}

/// Processors, memory and storage in a sentence.
pub(crate) fn machine_line(host: &HostInventory) -> String {
    let model = host.cpu.model.clone().unwrap_or_else(|| "processors".to_owned());
    let processors = format!("{} x {model}", host.cpu.threads);
    let virtualised = host.virtualisation.clone();
    let limits = host.cgroup.cpu_quota.map(|quota| format!("limit of {} processors", number(quota)));
    let memory = memory(host.memory.total_bytes);
    list([Some(processors), virtualised, limits, Some(memory), Some(storage_place(host))].into_iter().flatten())
}

/// File system and device.
pub(crate) fn storage_place(host: &HostInventory) -> String {
    let system = host.file_system.as_ref().map(|system| system.kind.clone());
    let device = host.devices.first().map(|device| {
        let bottom = host.devices.iter().rev().find_map(|device| device.model.clone());
        let model = bottom.map(|model| format!(" ({})", model.trim())).unwrap_or_default();
        let size = device.size_bytes.map(|size| format!(" ({})", volume(size))).unwrap_or_default();
        format!("{}{model}{size}{}", device.name, backing(host))
    });
    let known: Vec<String> = [system, device].into_iter().flatten().collect();
    if known.is_empty() { "storage unknown".to_owned() } else { known.join(" on ") }
}

/// What is below the first device where that is no device: memory, or a file.
fn backing(host: &HostInventory) -> String {
    let memory = host.devices.iter().find(|device| device.is_memory);
    let through = host.devices.iter().find_map(|device| Some((&device.name, device.backing_file.as_ref()?)));
    match (memory, through) {
        (Some(device), _) => format!(", in memory ({})", device.name),
        (None, Some((device, path))) => format!(", {device} on the file {path}"),
        (None, None) => String::new(),
    }
}

/// File system, device and its write cache.
pub(crate) fn storage_line(host: &HostInventory) -> String {
    let system = host.file_system.as_ref().map(|system| format!("{} at {}", system.kind, system.mount_point));
    let device = host.devices.first().map(|device| {
        let bottom = host.devices.iter().rev().find_map(|device| device.model.clone());
        let size = device.size_bytes.map(volume);
        let name = match bottom {
            Some(model) => format!("{} ({})", device.name, model.trim()),
            None => device.name.clone(),
        };
        let cache = device.write_cache.as_ref().map(|cache| format!("write cache: {cache}"));
        let rotational = device.rotational.filter(|rotational| *rotational).map(|_| "rotational".to_owned());
        list([Some(name), size, rotational, cache].into_iter().flatten()) + &backing(host)
    });
    let known: Vec<String> = [system, device].into_iter().flatten().collect();
    if known.is_empty() { "unknown".to_owned() } else { known.join(" on ") }
}
