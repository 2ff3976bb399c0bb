//! Network interfaces.

use std::fs;
use std::path::Path;

use base::root::{self, Root};
use record::{Bytes, NetworkInterface};

/// Interfaces with a device; loopback, bridges and tunnels have none.
pub(super) fn read(root: &Root) -> Vec<NetworkInterface> {
    let all = root.sys.join("class/net");
    let devices = root::names(&all).into_iter().filter(|name| all.join(name).join("device").exists());
    devices.map(|name| read_one(root, &name)).collect()
}

/// One interface, with a device or without.
pub(crate) fn read_one(root: &Root, name: &str) -> NetworkInterface {
    let interface = root.sys.join("class/net").join(name);
    let driver = fs::read_link(interface.join("device/driver")).ok();
    NetworkInterface {
        name: name.to_owned(),
        driver: driver.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned()),
        packet_bytes_max: root::value(interface.join("mtu")).map(Bytes),
        // -1 or absent for virtual devices and those without a link.
        megabits_per_second: root::value(interface.join("speed")),
    }
}
