//! The inventory of the machine.

mod arm;
mod array;
pub(crate) mod cache_device;
mod cpu;
mod device;
pub(crate) mod device_mapper;
mod file_system;
mod kernel;
mod limits;
mod memory;
mod module;
mod network;
mod paths;
mod pci;
mod pci_address;
mod power;
mod time;
mod virtualisation;

use std::path::Path;

use base::root::{self, Root};
use record::{Bytes, HostInventory};

use crate::stack;

pub(crate) use device::read as block_device;
pub use file_system::free_bytes;
pub(crate) use file_system::read as file_system;
pub(crate) use network::read_one as network_interface;

/// The inventory of this host, with the file system and the devices below `directory`.
pub fn inventory(directory: &Path) -> HostInventory {
    inventory_at(&Root::host(), directory)
}

/// The same, of the machine below `root`; `directory` is a path on that machine.
pub fn inventory_at(root: &Root, directory: &Path) -> HostInventory {
    let devices = stack::devices(root, directory);
    HostInventory {
        host_name: root::text(root.proc.join("sys/kernel/hostname")),
        product: product(root),
        cpu: cpu::read(root),
        memory: memory::read(root),
        file_system: file_system::read(root, directory),
        devices: devices.iter().map(device::read).collect(),
        kernel: kernel::read(root),
        virtualisation: virtualisation::read(root),
        cgroup: limits::read(root),
        firmware: firmware(root),
        network: network::read(root),
        pci: pci::read(root),
        at_start: None,
        at_end: None,
    }
}

/// The name of this host; `localhost` if unknown.
pub fn host_name() -> String {
    root::text(Root::host().proc.join("sys/kernel/hostname")).unwrap_or_else(|| "localhost".to_owned())
}

/// The clock source of this host, `tsc` on a healthy x86.
pub fn clock_source() -> Option<String> {
    kernel::clock_source(&Root::host())
}

/// Identifies the running kernel: equal for all processes on one host. None where it is not known.
pub fn boot_id() -> Option<String> {
    base::root::text(Root::host().proc.join("sys/kernel/random/boot_id"))
}

/// Identifies this installation, also after a restart; copies of a disk have the same one. None where it is not known.
pub fn machine_id() -> Option<String> {
    base::root::text("/etc/machine-id").filter(|text| !text.is_empty())
}

/// Total memory of this host; zero if unknown.
pub fn memory_total() -> Bytes {
    memory::read(&Root::host()).total_bytes
}

/// Sum of all last-level caches: a larger array is not cached, whichever processors read it.
pub fn last_level_cache_bytes() -> Option<Bytes> {
    cpu::last_level_cache(&cpu::read(&Root::host()).caches)
}

/// The current clock, mean over all online processors.
pub(crate) fn clock_mhz(root: &Root) -> Option<f64> {
    cpu::read_clock(root)
}

/// Vendor, version and date of the firmware.
fn firmware(root: &Root) -> Option<String> {
    let dmi = root.sys.join("class/dmi/id");
    let [vendor, version, date] = ["bios_vendor", "bios_version", "bios_date"].map(|name| root::text(dmi.join(name)));
    let name = [vendor, version].into_iter().flatten().collect::<Vec<String>>().join(" ");
    let date = date.map(|date| format!(" of {date}")).unwrap_or_default();
    (!name.is_empty()).then(|| name + &date)
}

/// Vendor and product from the firmware; the model on a machine with a device tree.
fn product(root: &Root) -> Option<String> {
    let dmi = root.sys.join("class/dmi/id");
    let parts = ["sys_vendor", "product_name"].map(|name| root::text(dmi.join(name)));
    let name = parts.into_iter().flatten().collect::<Vec<String>>().join(" ");
    let dmi = Some(name).filter(|name| !name.is_empty());
    dmi.or_else(|| root::text(root.proc.join("device-tree/model")))
}
