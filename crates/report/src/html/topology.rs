//! The parts of a platform as nested boxes: nodes with the ports and controllers below them, the volume with its
//! layers; and what is below each shared link against what it carries.

use std::collections::BTreeSet;

use maud::{Markup, html};
use model::platform::{Defect, defects, measured_rates, oversubscriptions};
use record::{BlockDevice, HostInventory, PciFunction, Record};

use crate::figure::memory;
use crate::inventory::bandwidth::{self, NOTE, first_text};
use crate::inventory::topology::{array_text, cache_text, defect_texts, function_text, path_text};
use crate::layout::{Align, clean};
use crate::render::page::{Cell, Column, Row, Table};

/// Nodes, links and volume of `record`; nothing where neither links nor layers are known.
pub(super) fn topology(record: &Record) -> Markup {
    let host = &record.host;
    let warnings = defect_texts(host);
    let found = defects(host);
    let picture = Picture { host, wrong: found.iter().map(Defect::part).collect() };
    html! {
        @if !host.pci.is_empty() || !host.devices.is_empty() {
            @if !warnings.is_empty() {
                div class="note warn" { ul { @for warning in &warnings { li { (warning) } } } }
            }
            div class="topology" { (nodes(&picture)) (volume(&picture)) }
            (shared(record))
        }
    }
}

/// The platform that is drawn.
struct Picture<'a> {
    host: &'a HostInventory,
    /// Devices by name and functions by address that have a defect.
    wrong: BTreeSet<&'a str>,
}

/// A box with a text, and what is inside it.
fn part(text: &str, is_wrong: bool, inside: &Markup) -> Markup {
    html! { div class=(if is_wrong { "part wrong" } else { "part" }) { span { (clean(text)) } (inside) } }
}

fn nodes(picture: &Picture<'_>) -> Markup {
    let host = picture.host;
    let is_of = |function: &PciFunction, node: Option<u32>| function.above.is_none() && function.numa_node == node;
    let below = |node: Option<u32>| {
        let tops: Vec<&PciFunction> = host.pci.iter().filter(|function| is_of(function, node)).collect();
        html! { @for top in tops { (function(picture, top, host.pci.len())) } }
    };
    html! {
        @for node in &host.cpu.numa_nodes {
            @let size = node.memory_bytes.map(|size| format!(", {}", memory(size))).unwrap_or_default();
            (part(&format!("node {}: CPU {}{size}", node.number, node.cpus), false, &below(Some(node.number))))
        }
        @if host.pci.iter().any(|function| is_of(function, None)) {
            (part("PCI Express of no known node", false, &below(None)))
        }
    }
}

/// A function with what is below it, at most `depth` levels.
fn function(picture: &Picture<'_>, top: &PciFunction, depth: usize) -> Markup {
    let is_wrong = picture.wrong.contains(top.address.as_str());
    let below = picture.host.pci.iter().filter(|function| function.above.as_deref() == Some(top.address.as_str()));
    let inside = html! { @if depth > 0 { @for one in below { (function(picture, one, depth - 1)) } } };
    part(&format!("{} {}", top.address, function_text(top)), is_wrong, &inside)
}

fn volume(picture: &Picture<'_>) -> Markup {
    let host = picture.host;
    let tops: Vec<&BlockDevice> = host.devices.iter().filter(|device| !is_member(host, device)).collect();
    let inside = html! { @for top in &tops { (device(picture, top, host.devices.len())) } };
    match &host.file_system {
        Some(system) => part(&format!("{} at {}", system.kind, system.mount_point), false, &inside),
        None => inside,
    }
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

fn device(picture: &Picture<'_>, top: &BlockDevice, depth: usize) -> Markup {
    let host = picture.host;
    let is_wrong = picture.wrong.contains(top.name.as_str());
    let stacked = top.array.as_ref().map(array_text).or_else(|| top.cache.as_ref().map(cache_text));
    let what = stacked.or_else(|| top.model.clone());
    let what = what.map(|what| format!(": {what}")).unwrap_or_default();
    let below = host.devices.iter().filter(|one| top.slaves.iter().any(|slave| is_on(slave, &one.name)));
    let inside = html! {
        @if depth > 0 { @for one in below { (device(picture, one, depth - 1)) } }
        @for path in top.paths.iter().filter(|path| path.transport.as_deref() != Some("pcie")) {
            (part(&format!("path {}: {}", path.name, path_text(path)), false, &html! {}))
        }
    };
    part(&format!("{}{what}", top.name), is_wrong, &inside)
}

/// What is below each shared link against what it carries.
fn shared(record: &Record) -> Markup {
    let found = oversubscriptions(&record.host, &measured_rates(record));
    let columns = bandwidth::HEADS.iter().map(|(head, align)| match align {
        Align::Left => Column::text(head[0]),
        Align::Right => Column::figures(head[0]),
    });
    let mut table = Table::new("bandwidth", "Shared bandwidth", &columns.collect::<Vec<Column>>());
    table.rows = found
        .iter()
        .map(|one| Row {
            class: if one.ratio() > 1.0 { "warn" } else { "" },
            cells: bandwidth::cells(one).map(Cell::text).into(),
        })
        .collect();
    html! {
        @if let Some(first) = first_text(&found) {
            p { (first) "." }
            (table.html())
            p class="muted" { (NOTE) "." }
        }
    }
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
