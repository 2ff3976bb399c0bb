//! What a block device says of itself.

use std::collections::BTreeMap;
use std::path::Path;

use base::root;
use record::{BlockDevice, Bytes};

use crate::stack::Device;

/// Sysfs counts sizes in these, whatever the device's blocks are.
const SECTOR_BYTES: u64 = 512;

/// Settings of the request queue that figures depend on.
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

/// Letters of a serial number that are not masked.
const SERIAL_LETTERS_SHOWN: usize = 4;

/// What the inventory has of one block device.
pub(crate) fn read(device: &Device) -> BlockDevice {
    let file = |name: &str| device.directory.join(name);
    let sectors = root::value::<u64>(file("size"));
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
        queue: queue(&device.directory),
    }
}

/// Whether it rotates. The kernel says so of every virtual disk whose hypervisor does not say otherwise: there it is not
/// known.
fn rotational(device: &Device) -> Option<bool> {
    let is_virtual = ["vd", "xvd"].iter().any(|beginning| device.name.starts_with(beginning));
    root::switch(device.directory.join("queue/rotational")).filter(|rotates| !(*rotates && is_virtual))
}

/// The serial number, where an NVMe, virtio or SCSI device says it. The page of SCSI has a head of four bytes.
fn serial(directory: &Path) -> Option<String> {
    let said = ["device/serial", "serial"].iter().find_map(|name| root::text(directory.join(name)));
    said.or_else(|| {
        let page = std::fs::read(directory.join("device/vpd_pg80")).ok()?;
        let text = String::from_utf8_lossy(page.get(4..)?).trim_matches([' ', '\0']).to_owned();
        (!text.is_empty()).then_some(text)
    })
}

/// A serial number that can be recognised by who knows it, and not be guessed by others.
fn masked(serial: &str) -> String {
    let letters: Vec<char> = serial.trim().chars().collect();
    let hidden =
        if letters.len() >= 2 * SERIAL_LETTERS_SHOWN { letters.len() - SERIAL_LETTERS_SHOWN } else { letters.len() };
    letters.iter().enumerate().map(|(place, letter)| if place < hidden { '*' } else { *letter }).collect()
}

/// The link of the nearest device above that has one: `16.0 GT/s PCIe x4`, with what it could be where that is more.
fn link(directory: &Path) -> Option<String> {
    let place = directory.canonicalize().ok()?;
    let on = place.ancestors().find(|above| above.join("current_link_speed").exists())?;
    let said = |speed: &str, width: &str| {
        let (speed, width) = (root::text(on.join(speed))?, root::value::<u32>(on.join(width))?);
        // Invented buses have no speed, and a width of none or of all bits.
        (!speed.contains("Unknown") && (1..=32).contains(&width)).then(|| format!("{speed} x{width}"))
    };
    let now = said("current_link_speed", "current_link_width")?;
    match said("max_link_speed", "max_link_width") {
        Some(best) if best != now => Some(format!("{now} (could be {best})")),
        _ => Some(now),
    }
}

fn queue(directory: &Path) -> BTreeMap<String, String> {
    let value = |name: &str| root::text(directory.join("queue").join(name));
    QUEUE.iter().filter_map(|name| Some(((*name).to_owned(), value(name)?))).collect()
}

/// Vendor and model of a disk; kind and name of a device that is made of others.
fn model(device: &Device) -> Option<String> {
    let file = |name: &str| root::text(device.directory.join(name));
    if let Some(name) = file("dm/name") {
        // The beginning of the identifier says who made it: LVM-..., CRYPT-LUKS2-..., mpath-...
        let kind = file("dm/uuid").and_then(|id| Some(id.split_once('-')?.0.to_lowercase()));
        return Some(format!("{} {name}", kind.as_deref().unwrap_or("device mapper")));
    }
    if let Some(level) = file("md/level") {
        return Some(format!("md {level}"));
    }
    let parts = ["device/vendor", "device/model"].map(file);
    // What should be the vendor of a virtio disk is a number, and of SATA the name of the bus.
    let said = parts.into_iter().flatten().filter(|part| !part.starts_with("0x") && part != "ATA");
    let said = said.collect::<Vec<String>>().join(" ");
    (!said.is_empty()).then_some(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serial_numbers_are_masked_but_for_their_end() {
        assert_eq!(masked("S64GNE0R123456"), "**********3456");
        assert_eq!(masked("12345678"), "****5678");
        assert_eq!(masked("1234567"), "*******", "of a short one nothing is shown");
        assert_eq!(masked(""), "");
    }
}
