//! The platform: in full for `dbdyno inventory`, in a few lines at the head of the spec sheet.

pub(crate) mod bandwidth;
mod device;
mod document;
mod kernel;
mod state;
pub(crate) mod topology;

use model::Durability;
use model::durability::loss_bound;
use record::{CgroupLimits, Cpu, DurabilityShown, EngineInventory, HostInventory, Location, Memory};

use crate::figure::{memory, number, percent, volume};
use crate::platform_proof::cluster_words;
use crate::words::{list, plural};

pub(crate) use self::device::{device_text, file_system_facts, queue_text};
pub use self::document::inventory;
pub(crate) use self::document::platform;
pub(crate) use self::kernel::{idle, mitigations, modules, network, settings, time};
pub(crate) use self::state::{Change, load};

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
fn numa_facts(host: &HostInventory) -> Vec<(&'static str, Option<String>)> {
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

fn engine_facts(engine: &EngineInventory) -> Vec<(&'static str, String)> {
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

/// Sockets, cores and threads, as far as they are known: `2 sockets, 16 cores, 32 threads`.
pub(crate) fn topology(cpu: &Cpu) -> String {
    let counted = [(cpu.sockets, "socket"), (cpu.cores, "core"), ((cpu.threads > 0).then_some(cpu.threads), "thread")];
    list(counted.into_iter().filter_map(|(count, word)| Some(plural(count?.into(), word))))
}

/// What the control group allows, if it limits anything.
pub(crate) fn limits(group: &CgroupLimits) -> Option<String> {
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

/// Whether an acknowledged commit survives a crash of the operating system, and whether settings say so or faults have
/// shown it.
pub(crate) fn durability_word(durability: &Durability) -> String {
    match (durability.durable, &durability.shown) {
        (_, Some(shown)) if shown.damaged > 0 => format!("NOT durable: shown on {}", crashes_word(shown)),
        // Without a sync a commit survives the end of the processes, and no more.
        (Some(false), _) => "NOT durable: settings".to_owned(),
        (_, Some(shown)) => format!("durable: shown on {}", crashes_word(shown)),
        (Some(true), None) => "durable: settings".to_owned(),
        (None, None) => "of unknown durability".to_owned(),
    }
}

/// `D1, 0 of 300`: crashes with a damage.
fn crashes_word(shown: &DurabilityShown) -> String {
    let cluster = shown.cluster.map_or_else(String::new, |cluster| format!(" ({})", cluster_words(cluster)));
    let states = shown.states.map_or_else(String::new, |states| format!(" runs, {states} states"));
    format!("{}{cluster}, {} of {}{states}", shown.rung.word(), shown.damaged, shown.crashes)
}

/// The same of commits.
pub(crate) fn commits_word(durability: &Durability) -> String {
    format!("commits {}", durability_word(durability))
}

/// The same, with the settings and the proof.
pub(crate) fn durability(engine: &EngineInventory) -> String {
    let found = Durability::of(engine);
    let settings = Some(found.words.trim()).filter(|words| !words.is_empty()).map(|words| format!(" ({words})"));
    let proof = found.shown.as_ref().map(|shown| {
        let of = if shown.states.is_some() { "runs" } else { "crashes" };
        let bound = loss_bound(shown.crashes).filter(|_| shown.damaged == 0);
        let bound =
            bound.map(|bound| format!(", at most {} of such {of} lose one, at 95 % confidence", percent(bound)));
        let host = shown.host_name.as_ref().map(|host| format!(", on {host}"));
        format!("; proof {}{}{}", shown.record, host.unwrap_or_default(), bound.unwrap_or_default())
    });
    format!("{}{}{}", durability_word(&found), settings.unwrap_or_default(), proof.unwrap_or_default())
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
