//! How the parts of a platform hang together: the tree of PCI Express, the layers of the volume, and what is wrong.

use model::platform::{Defect, defects};
use record::{
    Array, ArrayMember, BlockDevice, CacheDevice, DevicePath, HostInventory, NetworkMount, PciFunction, PciKind,
};

use crate::fact::link_text;
use crate::figure::{memory, percent};
use crate::layout::clean;
use crate::words::{list, plural};

/// A function of PCI Express in the tree, with its depth.
pub(crate) struct Branch<'a> {
    /// 0 at a root complex.
    pub(crate) depth: usize,
    /// The function.
    pub(crate) function: &'a PciFunction,
}

/// The functions of `host`, each port followed by what is below it.
pub(crate) fn tree(host: &HostInventory) -> Vec<Branch<'_>> {
    fn below<'a>(all: &'a [PciFunction], above: Option<&str>, depth: usize, tree: &mut Vec<Branch<'a>>) {
        for function in all.iter().filter(|function| function.above.as_deref() == above) {
            tree.push(Branch { depth, function });
            if tree.len() <= all.len() {
                below(all, Some(&function.address), depth + 1, tree);
            }
        }
    }
    let mut branches = Vec::new();
    below(&host.pci, None, 0, &mut branches);
    branches
}

/// A function in words: what it is, its link, its node.
pub(crate) fn function_text(function: &PciFunction) -> String {
    let kind = match function.kind {
        PciKind::RootPort => "root port",
        PciKind::UpstreamPort => "switch",
        PciKind::DownstreamPort => "port",
        PciKind::Storage => "storage",
        PciKind::Network => "network",
        PciKind::Other => "other",
    };
    let names = function.names.join(", ");
    let names = if names.is_empty() { kind.to_owned() } else { format!("{kind} {names}") };
    let node = function.numa_node.map(|node| format!("node {node}"));
    let is_end = !matches!(function.kind, PciKind::RootPort | PciKind::DownstreamPort);
    let link = function.link.filter(|_| is_end).map(link_text);
    list([Some(names), link, node].into_iter().flatten())
}

/// The distances between NUMA nodes, a line each; empty with one node.
pub(crate) fn distances(host: &HostInventory) -> Vec<String> {
    let nodes = host.cpu.numa_nodes.iter().filter(|node| node.distances.len() > 1);
    let line = |node: &record::NumaNode| {
        let distances: Vec<String> = node.distances.iter().map(u32::to_string).collect();
        format!("node {}: {}", node.number, distances.join(" "))
    };
    nodes.map(line).collect()
}

/// An array in words.
pub(crate) fn array_text(array: &Array) -> String {
    let member = |member: &ArrayMember| match member.state.as_str() {
        "in_sync" => member.name.clone(),
        state => format!("{} ({state})", member.name),
    };
    let missing = (array.missing_count > 0).then(|| {
        format!("DEGRADED: {} of {} missing", array.missing_count, plural(array.member_count.into(), "member"))
    });
    let syncing = array.sync_action.as_ref().map(|action| match array.sync_done {
        Some(done) => format!("{action} {}", percent(done)),
        None => action.clone(),
    });
    list(
        [
            Some(array.level.clone()),
            array.state.clone(),
            missing,
            syncing,
            array.chunk_bytes.map(|size| format!("chunks of {}", memory(size))),
            Some(format!("members {}", array.members.iter().map(member).collect::<Vec<String>>().join(" "))),
        ]
        .into_iter()
        .flatten(),
    )
}

/// A cache device in words: what it is, then which part has what.
pub(crate) fn cache_text(cache: &CacheDevice) -> String {
    let caches = match cache.caches.as_slice() {
        [] => "no cache attached".to_owned(),
        names => format!("cache {}", names.join(" ")),
    };
    list(
        [
            Some(cache.technique.clone()),
            cache.mode.clone(),
            cache.block_bytes.map(|size| format!("blocks of {}", memory(size))),
            Some(caches),
            cache.origin.as_ref().map(|origin| format!("origin {origin}")),
            cache.metadata.as_ref().map(|metadata| format!("metadata {metadata}")),
        ]
        .into_iter()
        .flatten(),
    )
}

/// A path to a device in words.
pub(crate) fn path_text(path: &DevicePath) -> String {
    let queues = path.queue_count.map(|count| plural(count.into(), "queue"));
    let parts = [path.transport.clone(), path.address.clone(), path.state.clone(), path.access.clone(), queues];
    list(parts.into_iter().flatten())
}

/// The layers of a device beside its own facts, each with a label: node, subsystem, array, cache, paths, file behind it.
pub(crate) fn layers(device: &BlockDevice) -> Vec<(String, String)> {
    let place = [
        device.pci_address.clone(),
        device.numa_node.map(|node| format!("node {node}")),
        device.hardware_queue_count.map(|count| plural(count.into(), "hardware queue")),
    ];
    let place = Some(list(place.into_iter().flatten())).filter(|place| !place.is_empty());
    let subsystem = [device.subsystem.clone(), device.path_policy.as_ref().map(|policy| format!("paths by {policy}"))];
    // Of a drive in a slot the subsystem says nothing that its model does not.
    let is_remote = |path: &DevicePath| path.transport.as_deref() != Some("pcie");
    let has_paths = device.paths.len() > 1 || device.paths.iter().any(is_remote);
    let subsystem = Some(list(subsystem.into_iter().flatten())).filter(|text| has_paths && !text.is_empty());
    let facts = [
        ("at", place),
        ("array", device.array.as_ref().map(array_text)),
        ("cache", device.cache.as_ref().map(cache_text)),
        ("mapping", device.is_opaque.then(|| OPAQUE.to_owned())),
        ("file", device.backing_file.as_ref().map(|path| backing_text(path, device.backing_is_direct))),
        ("medium", device.is_memory.then(|| "memory of this host".to_owned())),
        ("subsystem", subsystem),
    ];
    let facts = facts.into_iter().filter_map(|(label, text)| Some((label.to_owned(), text?)));
    let paths = device.paths.iter().filter(|_| has_paths);
    facts.chain(paths.map(|path| (format!("path {}", path.name), path_text(path)))).collect()
}

/// The file of a loop device, and how it is read.
fn backing_text(path: &str, is_direct: Option<bool>) -> String {
    match is_direct {
        Some(true) => format!("{path}, past the page cache"),
        Some(false) => format!("{path}, through the page cache"),
        None => path.to_owned(),
    }
}

/// Of a mapping whose table is not known.
const OPAQUE: &str =
    "not recognised: its table is shown to root alone; it may be a cache device (dm-cache), an array or others";

/// A network file system in words.
pub(crate) fn network_mount_text(mount: &NetworkMount) -> String {
    list(
        [
            mount.version.as_ref().map(|version| format!("version {version}")),
            mount.transport.clone(),
            Some(plural(mount.connections.into(), "connection")),
            mount.read_bytes_max.map(|size| format!("reads of at most {}", memory(size))),
            mount.write_bytes_max.map(|size| format!("writes of at most {}", memory(size))),
        ]
        .into_iter()
        .flatten(),
    )
}

/// What is wrong with the parts of `host`, a sentence each.
pub(crate) fn defect_texts(host: &HostInventory) -> Vec<String> {
    defects(host).iter().map(defect_text).collect()
}

fn defect_text(defect: &Defect) -> String {
    let text = match defect {
        Defect::Degraded { device, missing, of, failed } => {
            let failed = if failed.is_empty() { String::new() } else { format!(" ({} failed)", failed.join(", ")) };
            format!("{device} is degraded: {missing} of {} missing{failed}", plural((*of).into(), "member"))
        }
        Defect::Syncing { device, action, done } => {
            let done = done.map(|done| format!(", {} done", percent(done))).unwrap_or_default();
            format!("{device} is busy with its members ({action}{done}): figures are those of an array that does both")
        }
        Defect::SlowLink { address, names, link } => {
            let name = if names.is_empty() { address.clone() } else { names.join(", ") };
            format!("{name} runs below its link: {}", link_text(*link))
        }
        Defect::DeadPath { device, path, state } => format!("path {path} of {device} is {state}"),
        Defect::SinglePath { device, transport } => {
            let over = transport.as_ref().map(|transport| format!(" over {transport}")).unwrap_or_default();
            format!("{device} has one path{over}: if that fails, the device is gone")
        }
        Defect::FarDevice { device, node, allowed } => {
            let allowed: Vec<String> = allowed.iter().map(u32::to_string).collect();
            format!(
                "{device} is behind NUMA node {node}, and the processors that may be used are of node {}",
                allowed.join(", ")
            )
        }
    };
    clean(&text)
}
