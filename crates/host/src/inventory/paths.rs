//! The paths to a block device: controllers of NVMe, disks of dm-multipath.

use std::path::{Path, PathBuf};

use base::root;
use record::DevicePath;

use super::pci_address::address_of;
use crate::stack::Device;

/// The name of the NVMe subsystem of a device (its NQN), and how its paths are chosen.
pub(super) fn subsystem(device: &Device) -> (Option<String>, Option<String>) {
    let Some(above) = above(&device.directory) else { return (None, None) };
    (root::text(above.join("subsysnqn")), root::text(above.join("iopolicy")))
}

/// The paths to `device`; none of a disk that has no controller of its own.
pub(super) fn paths(device: &Device) -> Vec<DevicePath> {
    if root::text(device.directory.join("dm/uuid")).is_some_and(|id| id.starts_with("mpath-")) {
        return device.slaves.iter().map(|name| disk(device, name)).collect();
    }
    controllers(&device.directory).iter().filter_map(|controller| path(device, controller)).collect()
}

/// The addresses of the PCI functions of the block device in `directory`: of all its controllers.
pub(super) fn functions(directory: &Path) -> Vec<String> {
    let Ok(directory) = directory.canonicalize() else { return Vec::new() };
    let controllers = controllers(&directory);
    let controllers = if controllers.is_empty() { vec![directory] } else { controllers };
    let mut found: Vec<String> = controllers.iter().filter_map(|controller| address_of(controller)).collect();
    found.dedup();
    found
}

/// The directory above a device: its controller, or the subsystem of its controllers.
fn above(directory: &Path) -> Option<PathBuf> {
    Some(directory.canonicalize().ok()?.parent()?.to_owned())
}

/// The NVMe controllers of a namespace: the one that it is below of, or those of its subsystem with native multipath.
fn controllers(directory: &Path) -> Vec<PathBuf> {
    let Some(above) = above(directory) else { return Vec::new() };
    let is_controller = |directory: &Path| directory.join("transport").is_file();
    if is_controller(&above) {
        return vec![above];
    }
    if !above.join("subsysnqn").is_file() {
        return Vec::new();
    }
    let names = root::names(&above).into_iter().filter(|name| name.starts_with("nvme"));
    names
        .map(|name| above.join(name))
        .filter(|path| is_controller(path))
        .filter_map(|path| path.canonicalize().ok())
        .collect()
}

fn path(device: &Device, controller: &Path) -> Option<DevicePath> {
    let file = |name: &str| root::text(controller.join(name));
    // The hidden device of this path: nvme5c6n1 of nvme5n1.
    let namespace = device.name.rsplit_once('n').map(|(_, number)| format!("n{number}")).unwrap_or_default();
    let hidden = root::names(controller).into_iter().find(|name| name.contains('c') && name.ends_with(&namespace));
    let access = hidden.and_then(|hidden| root::text(controller.join(hidden).join("ana_state")));
    Some(DevicePath {
        name: controller.file_name()?.to_str()?.to_owned(),
        transport: file("transport"),
        address: file("address"),
        state: file("state"),
        access: access.or_else(|| root::text(device.directory.join("ana_state"))),
        queue_count: root::value(controller.join("queue_count")),
    })
}

/// A disk of dm-multipath.
fn disk(device: &Device, name: &str) -> DevicePath {
    let directory = device.directory.join("slaves").join(name);
    let state = root::text(directory.join("device/state"));
    DevicePath {
        name: name.to_owned(),
        state,
        access: root::text(directory.join("device/access_state")),
        ..DevicePath::default()
    }
}
