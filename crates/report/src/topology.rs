//! How the parts of a platform hang together: nodes with the ports and controllers below them, the volume with its layers; what
//! is wrong; and what is below each shared link against what it carries.

use std::collections::BTreeSet;

use model::platform::{Defect, defects, measured_rates, oversubscriptions};
use record::{BlockDevice, HostInventory, PciFunction, Record};

use crate::document::{Block, Branch, Extent, Section, Tone};
use crate::figure::memory;
use crate::inventory::bandwidth;
use crate::inventory::topology::{array_text, cache_text, defect_texts, function_text, path_text};

/// Nodes, links and volume of `record`; nothing where neither links nor layers are known.
pub(crate) fn topology(record: &Record) -> Section {
    let host = &record.host;
    let found = defects(host);
    let parts = Parts { host, wrong: found.iter().map(Defect::part).collect() };
    let mut body = Vec::new();
    if !host.pci.is_empty() || !host.devices.is_empty() {
        body.push(Block::note(Tone::Warning, defect_texts(host)));
        body.push(Block::Tree(parts.nodes().into_iter().chain(parts.volume()).collect()));
        body.extend(bandwidth::blocks(&oversubscriptions(host, &measured_rates(record))));
    }
    Section::new("topology", "Nodes, links and volume", body).from(Extent::Whole).folded()
}

/// The platform.
struct Parts<'a> {
    host: &'a HostInventory,
    /// Devices by name and functions by address that have a defect.
    wrong: BTreeSet<&'a str>,
}

impl Parts<'_> {
    /// The NUMA nodes with the functions of PCI Express below them.
    fn nodes(&self) -> Vec<Branch> {
        let is_of = |function: &PciFunction, node: Option<u32>| function.above.is_none() && function.numa_node == node;
        let below = |node: Option<u32>| -> Vec<Branch> {
            let tops = self.host.pci.iter().filter(|function| is_of(function, node));
            tops.map(|top| self.function(top, self.host.pci.len())).collect()
        };
        let nodes = self.host.cpu.numa_nodes.iter().map(|node| {
            let size = node.memory_bytes.map(|size| format!(", {}", memory(size))).unwrap_or_default();
            plain(format!("node {}: CPU {}{size}", node.number, node.cpus), below(Some(node.number)))
        });
        let others = Some(below(None)).filter(|below| !below.is_empty());
        nodes.chain(others.map(|below| plain("PCI Express of no known node".to_owned(), below))).collect()
    }

    /// A function with what is below it, at most `depth` levels.
    fn function(&self, top: &PciFunction, depth: usize) -> Branch {
        let below = self.host.pci.iter().filter(|function| function.above.as_deref() == Some(top.address.as_str()));
        Branch {
            name: format!("{} {}", top.address, function_text(top)),
            tone: self.tone(&top.address),
            below: below.filter(|_| depth > 0).map(|one| self.function(one, depth - 1)).collect(),
        }
    }

    /// The file system, or the devices where there is none.
    fn volume(&self) -> Vec<Branch> {
        let tops = self.host.devices.iter().filter(|device| !is_member(self.host, device));
        let below: Vec<Branch> = tops.map(|top| self.device(top, self.host.devices.len())).collect();
        match &self.host.file_system {
            Some(system) => vec![plain(format!("{} at {}", system.kind, system.mount_point), below)],
            None => below,
        }
    }

    /// A device with its members and its paths, at most `depth` levels.
    fn device(&self, top: &BlockDevice, depth: usize) -> Branch {
        let stacked = top.array.as_ref().map(array_text).or_else(|| top.cache.as_ref().map(cache_text));
        let what = stacked.or_else(|| top.model.clone()).map(|what| format!(": {what}")).unwrap_or_default();
        let members = self.host.devices.iter().filter(|one| top.slaves.iter().any(|slave| is_on(slave, &one.name)));
        let members = members.filter(|_| depth > 0).map(|one| self.device(one, depth - 1));
        let paths = top.paths.iter().filter(|path| path.transport.as_deref() != Some("pcie"));
        let paths = paths.map(|path| plain(format!("path {}: {}", path.name, path_text(path)), Vec::new()));
        let below = members.chain(paths).collect();
        Branch { name: format!("{}{what}", top.name), tone: self.tone(&top.name), below }
    }

    /// The role of a device or a function.
    fn tone(&self, name: &str) -> Tone {
        if self.wrong.contains(name) { Tone::Warning } else { Tone::Plain }
    }
}

fn plain(name: String, below: Vec<Branch>) -> Branch {
    Branch { name, tone: Tone::Plain, below }
}

/// Whether `one` is, or has a partition that is, a part of another device.
fn is_member(host: &HostInventory, one: &BlockDevice) -> bool {
    host.devices.iter().any(|device| device.slaves.iter().any(|slave| is_on(slave, &one.name)))
}

/// Whether `part` is the disk `disk` or a partition of it: `sda1`, `nvme0n1p2`.
fn is_on(part: &str, disk: &str) -> bool {
    let rest = part.strip_prefix(disk).map(|rest| rest.strip_prefix('p').unwrap_or(rest));
    rest.is_some_and(|rest| rest.bytes().all(|digit| digit.is_ascii_digit()))
        && (part == disk
            || !disk.ends_with(|letter: char| letter.is_ascii_digit())
            || part[disk.len()..].starts_with('p'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_is_on_its_disk_and_no_other() {
        assert!(is_on("sda1", "sda") && is_on("sda", "sda") && is_on("nvme0n1p2", "nvme0n1"));
        assert!(!is_on("nvme0n11", "nvme0n1") && !is_on("sdaa", "sda") && !is_on("md0p1", "md1"));
    }
}
