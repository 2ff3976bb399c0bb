//! Properties of a block device.

use std::collections::BTreeMap;
use std::path::Path;

use base::root;
use record::{BlockDevice, Bytes, PciLink};

use super::{array, cache_device, paths, pci};
use crate::stack::{Device, SECTOR_BYTES};

/// Settings of the request queue that affect performance.
const QUEUE: &[&str] = &[
    "io_poll",
    "iostats",
    "max_sectors_kb",
    "minimum_io_size",
    "nomerges",
    "optimal_io_size",
    "physical_block_size",
    "read_ahead_kb",
    "rq_affinity",
    "wbt_lat_usec",
    "zoned",
];

/// Unmasked characters at the end of a serial number.
const SERIAL_LETTERS_SHOWN: usize = 4;

/// The inventory of one block device.
pub(crate) fn read(device: &Device) -> BlockDevice {
    let file = |name: &str| device.directory.join(name);
    let sectors = root::value::<u64>(file("size"));
    let functions = paths::functions(&device.directory);
    let (subsystem, path_policy) = paths::subsystem(device);
    BlockDevice {
        name: device.name.clone(),
        model: model(device),
        size_bytes: sectors.and_then(|sectors| sectors.checked_mul(SECTOR_BYTES)).map(Bytes),
        rotational: rotational(device),
        scheduler: root::chosen(file("queue/scheduler")),
        queue_depth: root::value(file("queue/nr_requests")),
        write_cache: root::text(file("queue/write_cache")),
        fua: root::switch(file("queue/fua")),
        logical_block_bytes: root::value(file("queue/logical_block_size")).map(Bytes),
        slaves: device.slaves.clone(),
        firmware: ["device/firmware_rev", "device/rev"].iter().find_map(|name| root::text(file(name))),
        serial_masked: serial(&device.directory).map(|serial| masked(&serial)),
        link: link(&device.directory),
        pci_address: functions.first().cloned(),
        numa_node: numa_node(device),
        hardware_queue_count: Some(root::numbered(file("mq"), "").len() as u32).filter(|count| *count > 0),
        array: array::read(device),
        cache: cache_device::read(device),
        is_opaque: cache_device::is_opaque(device),
        subsystem,
        path_policy,
        paths: paths::paths(device),
        backing_file: device.loop_file.as_ref().map(|file| file.path.display().to_string()),
        backing_is_direct: device.loop_file.as_ref().and_then(|file| file.is_direct),
        is_memory: device.is_memory(),
        queue: queue(&device.directory),
    }
}

/// The NUMA node of its controller; -1 is unknown.
fn numa_node(device: &Device) -> Option<u32> {
    let path = device.directory.canonicalize().ok()?;
    path.ancestors().find_map(|above| root::text(above.join("numa_node")))?.parse().ok()
}

/// Whether it rotates. Unknown for virtual disks with `rotational` 1, which is the default of the kernel.
fn rotational(device: &Device) -> Option<bool> {
    let is_virtual = ["vd", "xvd"].iter().any(|beginning| device.name.starts_with(beginning));
    root::switch(device.directory.join("queue/rotational")).filter(|rotates| !(*rotates && is_virtual))
}

/// The serial number of an NVMe, virtio or SCSI device. The VPD page of SCSI has a header of four bytes.
fn serial(directory: &Path) -> Option<String> {
    let text = ["device/serial", "serial"].iter().find_map(|name| root::text(directory.join(name)));
    text.or_else(|| {
        let page = std::fs::read(directory.join("device/vpd_pg80")).ok()?;
        let text = String::from_utf8_lossy(page.get(4..)?).trim_matches([' ', '\0']).to_owned();
        (!text.is_empty()).then_some(text)
    })
}

/// The serial number with all but the last characters replaced by `*`.
fn masked(serial: &str) -> String {
    let letters: Vec<char> = serial.trim().chars().collect();
    let hidden =
        if letters.len() >= 2 * SERIAL_LETTERS_SHOWN { letters.len() - SERIAL_LETTERS_SHOWN } else { letters.len() };
    letters.iter().enumerate().map(|(index, letter)| if index < hidden { '*' } else { *letter }).collect()
}

/// The link of the nearest ancestor that has one.
fn link(directory: &Path) -> Option<PciLink> {
    let path = directory.canonicalize().ok()?;
    pci::link(path.ancestors().find(|above| above.join("current_link_speed").exists())?)
}

fn queue(directory: &Path) -> BTreeMap<String, String> {
    let value = |name: &str| root::text(directory.join("queue").join(name));
    QUEUE.iter().filter_map(|name| Some(((*name).to_owned(), value(name)?))).collect()
}

/// Vendor and model of a disk; kind and name of a stacked device.
fn model(device: &Device) -> Option<String> {
    let file = |name: &str| root::text(device.directory.join(name));
    if let Some(name) = file("dm/name") {
        // The prefix of the identifier is the owner: LVM-..., CRYPT-LUKS2-..., mpath-...
        let kind = file("dm/uuid").and_then(|id| Some(id.split_once('-')?.0.to_lowercase()));
        return Some(format!("{} {name}", kind.as_deref().unwrap_or("device mapper")));
    }
    if let Some(level) = file("md/level") {
        return Some(format!("md {level}"));
    }
    let parts = ["device/vendor", "device/model"].map(file);
    // The vendor of a virtio disk is a number, and that of a SATA disk the name of the bus.
    let names = parts.into_iter().flatten().filter(|part| !part.starts_with("0x") && part != "ATA");
    let name = names.collect::<Vec<String>>().join(" ");
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serial_numbers_are_masked_except_their_end() {
        assert_eq!(masked("S64GNE0R123456"), "**********3456");
        assert_eq!(masked("12345678"), "****5678");
        assert_eq!(masked("1234567"), "*******", "a short one is masked completely");
        assert_eq!(masked(""), "");
    }
}
