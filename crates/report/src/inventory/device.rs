//! The file system of the data and its devices.

use record::{BlockDevice, FileSystem};

use super::topology::network_mount_text;
use crate::fact::link_text;
use crate::figure::{memory, volume};
use crate::words::list;

pub(crate) fn file_system_facts(system: &FileSystem) -> Vec<(&'static str, Option<String>)> {
    let free = system.free_bytes.map(|size| format!("{} free", volume(size)));
    let size = system.size_bytes.map(volume);
    vec![
        ("file system", Some(format!("{} on {}, mounted at {}", system.kind, system.source, system.mount_point))),
        ("options", Some(system.options.clone())),
        ("size", Some(list([size, free].into_iter().flatten()))),
    ]
    .into_iter()
    .chain(system.network.iter().map(|mount| ("protocol", Some(network_mount_text(mount)))))
    .collect()
}

/// One device in words; unknown facts are left out.
pub(crate) fn device_text(device: &BlockDevice) -> String {
    let kind = |rotational| if rotational { "rotational" } else { "non-rotational" };
    list(
        [
            device.model.clone(),
            device.size_bytes.map(volume),
            device.rotational.map(|rotational| kind(rotational).to_owned()),
            device.write_cache.as_ref().map(|cache| format!("write cache: {cache}")),
            device.fua.map(|fua| if fua { "FUA" } else { "no FUA" }.to_owned()),
            device.scheduler.as_ref().map(|scheduler| format!("scheduler {scheduler}")),
            device.queue_depth.map(|depth| format!("queue depth {depth}")),
            device.logical_block_bytes.map(|size| format!("logical blocks of {}", memory(size))),
            device.firmware.as_ref().map(|firmware| format!("firmware {firmware}")),
            device.serial_masked.as_ref().map(|serial| format!("serial number {serial}")),
            device.link.map(|link| format!("link {}", link_text(link))),
            (!device.slaves.is_empty()).then(|| format!("made of {}", device.slaves.join(" and "))),
        ]
        .into_iter()
        .flatten(),
    )
}

/// Settings of the request queue, by the kernel's names.
pub(crate) fn queue_text(device: &BlockDevice) -> Option<String> {
    let settings = list(device.queue.iter().map(|(name, value)| format!("{name} = {value}")));
    (!settings.is_empty()).then_some(settings)
}
