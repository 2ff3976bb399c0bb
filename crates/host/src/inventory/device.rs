//! What a block device says of itself.

use record::{BlockDevice, Bytes};

use crate::root;
use crate::stack::Device;

/// Sysfs counts sizes in these, whatever the device's blocks are.
const SECTOR_BYTES: u64 = 512;

/// Reads one device.
pub(crate) fn read(device: &Device) -> BlockDevice {
    let file = |name: &str| device.directory.join(name);
    let sectors = root::value::<u64>(file("size"));
    BlockDevice {
        name: device.name.clone(),
        model: model(device),
        size_bytes: sectors.and_then(|sectors| sectors.checked_mul(SECTOR_BYTES)).map(Bytes),
        rotational: root::switch(file("queue/rotational")),
        scheduler: root::chosen(file("queue/scheduler")),
        queue_depth: root::value(file("queue/nr_requests")),
        write_cache: root::text(file("queue/write_cache")),
        fua: root::switch(file("queue/fua")),
        logical_block_bytes: root::value(file("queue/logical_block_size")).map(Bytes),
        slaves: device.slaves.clone(),
    }
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
