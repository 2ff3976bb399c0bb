//! Cache devices among the devices below a file system: a block comes from the cache or from the origin, so that both
//! together are one volume, and its capacity for misses is that of the origin.

use record::{BlockDevice, HostInventory};

/// A cache device, with the drives below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CachedVolume {
    /// Kernel name of the cache device.
    pub name: String,
    /// Kernel names of the drives with cached blocks or metadata, and nothing of the origin.
    pub caches: Vec<String>,
    /// Kernel names of the drives with all blocks.
    pub origins: Vec<String>,
}

impl CachedVolume {
    /// Whether `drive` is one of its parts.
    pub fn has(&self, drive: &str) -> bool {
        self.caches.iter().chain(&self.origins).any(|name| name == drive)
    }
}

/// The cache devices of `host` that have a cache attached.
pub fn cached_volumes(host: &HostInventory) -> Vec<CachedVolume> {
    let devices = &host.devices;
    let of = |device: &BlockDevice| {
        let cache = device.cache.as_ref().filter(|cache| !cache.caches.is_empty())?;
        let origins = drives(devices, cache.origin.iter());
        let mut caches = drives(devices, cache.caches.iter().chain(&cache.metadata));
        caches.retain(|name| !origins.contains(name));
        let is_whole = !origins.is_empty() && !caches.is_empty();
        is_whole.then(|| CachedVolume { name: device.name.clone(), caches, origins })
    };
    devices.iter().filter_map(of).collect()
}

/// The drives that these devices or partitions consist of.
fn drives<'a>(devices: &'a [BlockDevice], names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut next: Vec<&BlockDevice> = names.filter_map(|name| device(devices, name)).collect();
    let (mut seen, mut found): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
    while let Some(one) = next.pop() {
        if seen.contains(&one.name.as_str()) {
            continue;
        }
        seen.push(&one.name);
        match one.slaves.is_empty() {
            true => found.push(one.name.clone()),
            false => next.extend(one.slaves.iter().filter_map(|name| device(devices, name))),
        }
    }
    found.sort_unstable();
    found
}

/// The device with this name, or the one of which it names a partition: `sda` of `sda2`, `nvme0n1` of `nvme0n1p2`.
fn device<'a>(devices: &'a [BlockDevice], name: &str) -> Option<&'a BlockDevice> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|letter| letter.is_ascii_digit());
    let is_partition_of = |disk: &str| {
        let rest = name.strip_prefix(disk)?;
        let ends_in_digit = disk.ends_with(|letter: char| letter.is_ascii_digit());
        Some(is_number(if ends_in_digit { rest.strip_prefix('p')? } else { rest }))
    };
    let own = devices.iter().find(|device| device.name == name);
    own.or_else(|| devices.iter().find(|device| is_partition_of(&device.name) == Some(true)))
}

#[cfg(test)]
mod tests {
    use record::CacheDevice;

    use super::*;

    fn device(name: &str, slaves: &[&str]) -> BlockDevice {
        let slaves = slaves.iter().map(|name| (*name).to_owned()).collect();
        BlockDevice { name: name.to_owned(), slaves, ..BlockDevice::default() }
    }

    fn cached(name: &str, cache: &str, origin: &str, metadata: Option<&str>) -> BlockDevice {
        let parts = CacheDevice {
            technique: "dm-cache".to_owned(),
            origin: Some(origin.to_owned()),
            caches: vec![cache.to_owned()],
            metadata: metadata.map(str::to_owned),
            ..CacheDevice::default()
        };
        let slaves: Vec<&str> = [cache, origin].into_iter().chain(metadata).collect();
        BlockDevice { cache: Some(parts), ..device(name, &slaves) }
    }

    fn found(devices: Vec<BlockDevice>) -> Vec<CachedVolume> {
        cached_volumes(&HostInventory { devices, ..HostInventory::default() })
    }

    fn volume(name: &str, caches: &[&str], origins: &[&str]) -> CachedVolume {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        CachedVolume { name: name.to_owned(), caches: owned(caches), origins: owned(origins) }
    }

    #[test]
    fn partitions_are_those_of_their_drives() {
        let devices = vec![cached("bcache0", "nvme0n1p2", "sda3", None), device("nvme0n1", &[]), device("sda", &[])];
        assert_eq!(found(devices), [volume("bcache0", &["nvme0n1"], &["sda"])]);
    }

    #[test]
    fn the_origin_may_be_an_array_and_the_metadata_lie_on_a_drive_of_its_own() {
        let devices = vec![
            cached("dm-3", "dm-1", "md0", Some("dm-2")),
            device("dm-1", &["nvme0n1"]),
            device("dm-2", &["nvme1n1"]),
            device("md0", &["sda1", "sdb1"]),
            device("nvme0n1", &[]),
            device("nvme1n1", &[]),
            device("sda", &[]),
            device("sdb", &[]),
        ];
        assert_eq!(found(devices), [volume("dm-3", &["nvme0n1", "nvme1n1"], &["sda", "sdb"])]);
    }

    #[test]
    fn two_parts_of_one_drive_are_no_volume_of_two() {
        let devices = vec![cached("dm-0", "sda1", "sda2", None), device("sda", &[])];
        assert_eq!(found(devices), []);
        // `nvme0n12` is a namespace, and no partition of `nvme0n1`.
        let devices = vec![cached("dm-0", "nvme0n12", "sda2", None), device("nvme0n1", &[]), device("sda", &[])];
        assert_eq!(found(devices), []);
    }
}
