//! A device that caches another: bcache by sysfs, dm-cache and dm-writecache by their table, and without it by the names
//! that LVM gives to their parts.

use base::root;
use record::{Bytes, CacheDevice};

use super::device_mapper::{self, Target};
use crate::stack::{Device, SECTOR_BYTES};

/// The cache device that `device` is.
pub(crate) fn read(device: &Device) -> Option<CacheDevice> {
    bcache(device).or_else(|| mapped(device))
}

/// Whether `device` is one of the device mapper over several others whose table cannot be read, and of no owner that its
/// identifier names (LVM, multipath): it may be a cache device.
pub(crate) fn is_opaque(device: &Device) -> bool {
    let Some(name) = root::text(device.directory.join("dm/name")) else { return false };
    let is_owned = root::text(device.directory.join("dm/uuid")).is_some_and(|id| id.contains('-'));
    let is_host = device.directory.starts_with("/sys");
    device.slaves.len() > 1 && !is_owned && !(is_host && device_mapper::target(&name).is_some())
}

/// Of a bcache the directory `bcache` is that of its origin (Documentation/admin-guide/bcache.rst).
fn bcache(device: &Device) -> Option<CacheDevice> {
    if !device.name.starts_with("bcache") {
        return None;
    }
    let directory = device.directory.join("bcache").canonicalize().ok()?;
    let origin = directory.parent()?.file_name()?.to_str()?.to_owned();
    Some(CacheDevice {
        technique: "bcache".to_owned(),
        mode: root::chosen(directory.join("cache_mode")),
        caches: device.slaves.iter().filter(|name| **name != origin).cloned().collect(),
        origin: Some(origin),
        metadata: None,
        block_bytes: None,
    })
}

fn mapped(device: &Device) -> Option<CacheDevice> {
    let name = root::text(device.directory.join("dm/name"))?;
    let is_host = device.directory.starts_with("/sys");
    match is_host.then(|| device_mapper::target(&name)).flatten() {
        Some(target) => by_table(&target, |number| by_number(device, number)),
        None => by_lvm(device),
    }
}

/// By the table (Documentation/admin-guide/device-mapper/{cache,writecache}.rst).
fn by_table(target: &Target, name: impl Fn(&str) -> Option<String>) -> Option<CacheDevice> {
    let words: Vec<&str> = target.parameters.split_whitespace().collect();
    match (target.kind.as_str(), words.as_slice()) {
        ("cache", [metadata, cache, origin, sectors, feature_count, rest @ ..]) => {
            let features = rest.get(..feature_count.parse().ok()?)?;
            let mode = features.iter().find(|feature| ["writethrough", "passthrough"].contains(*feature));
            Some(CacheDevice {
                technique: "dm-cache".to_owned(),
                mode: Some((*mode.unwrap_or(&"writeback")).to_owned()),
                origin: name(origin),
                caches: name(cache).into_iter().collect(),
                metadata: name(metadata),
                block_bytes: sectors.parse::<u64>().ok()?.checked_mul(SECTOR_BYTES).map(Bytes),
            })
        }
        ("writecache", [_, origin, cache, block_bytes, ..]) => Some(CacheDevice {
            technique: "dm-writecache".to_owned(),
            mode: Some("writeback".to_owned()),
            origin: name(origin),
            caches: name(cache).into_iter().collect(),
            metadata: None,
            block_bytes: block_bytes.parse().ok().map(Bytes),
        }),
        _ => None,
    }
}

/// The part of `device` with this number.
fn by_number(device: &Device, number: &str) -> Option<String> {
    let slaves = device.directory.join("slaves");
    device.slaves.iter().find(|name| root::text(slaves.join(name).join("dev")).as_deref() == Some(number)).cloned()
}

/// By the parts of a logical volume: `..._corig`, and the end of the identifiers `LVM-...-cdata`, `LVM-...-cmeta`; of a
/// dm-writecache the origin is `..._wcorig`.
fn by_lvm(device: &Device) -> Option<CacheDevice> {
    let slaves = device.directory.join("slaves");
    let text = |name: &str, file: &str| root::text(slaves.join(name).join("dm").join(file)).unwrap_or_default();
    let ends = |file: &str, endings: &[&str]| {
        let found = |name: &&String| endings.iter().any(|ending| text(name, file).ends_with(ending));
        device.slaves.iter().find(found).cloned()
    };
    let is_logical = root::text(device.directory.join("dm/uuid")).is_some_and(|id| id.starts_with("LVM-"));
    let origin = ends("name", &["_corig", "_wcorig"]).filter(|_| is_logical)?;
    let metadata = ends("uuid", &["-cmeta"]).or_else(|| ends("name", &["_cmeta"]));
    let is_part = |name: &&String| **name != origin && Some(*name) != metadata.as_ref();
    let is_writecache = text(&origin, "name").ends_with("_wcorig");
    Some(CacheDevice {
        technique: if is_writecache { "dm-writecache" } else { "dm-cache" }.to_owned(),
        mode: is_writecache.then(|| "writeback".to_owned()),
        caches: device.slaves.iter().filter(is_part).cloned().collect(),
        origin: Some(origin),
        metadata,
        block_bytes: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(kind: &str, parameters: &str) -> Option<CacheDevice> {
        let names = [("259:1", "nvme0n1p1"), ("259:2", "nvme0n1p2"), ("8:0", "sda")];
        let name = |number: &str| names.iter().find(|(known, _)| *known == number).map(|(_, name)| (*name).to_owned());
        by_table(&Target { kind: kind.to_owned(), parameters: parameters.to_owned() }, name)
    }

    #[test]
    fn the_table_of_a_dm_cache_names_its_parts_and_its_mode() {
        let expected = CacheDevice {
            technique: "dm-cache".to_owned(),
            mode: Some("writethrough".to_owned()),
            origin: Some("sda".to_owned()),
            caches: vec!["nvme0n1p2".to_owned()],
            metadata: Some("nvme0n1p1".to_owned()),
            block_bytes: Some(Bytes(65_536)),
        };
        let with = |features: &str| parsed("cache", &format!("259:1 259:2 8:0 128 {features} smq 0"));
        assert_eq!(with("1 writethrough"), Some(expected.clone()));
        assert_eq!(with("2 metadata2 writethrough"), Some(expected));
        assert_eq!(with("0").and_then(|found| found.mode).as_deref(), Some("writeback"), "where nothing is said");
        assert_eq!(with("9 writethrough"), None, "more features than words");
    }

    #[test]
    fn that_of_a_dm_writecache_too_and_others_are_none() {
        let found = parsed("writecache", "s 8:0 259:2 4096 0").expect("a cache device");
        assert_eq!((found.origin.as_deref(), found.caches.as_slice()), (Some("sda"), &["nvme0n1p2".to_owned()][..]));
        assert_eq!((found.mode.as_deref(), found.block_bytes), (Some("writeback"), Some(Bytes(4096))));
        assert_eq!((parsed("striped", "2 128 8:0 0 259:1 0"), parsed("cache", "")), (None, None));
    }

    #[test]
    fn a_mapping_of_several_devices_without_an_owner_is_not_known_without_its_table() {
        let scratch = tempfile::tempdir().expect("a directory");
        let directory = scratch.path().join("dm-0");
        std::fs::create_dir_all(directory.join("dm")).expect("made");
        let with = |slaves: &[&str], id: &str| {
            std::fs::write(directory.join("dm/name"), "cached\n").expect("written");
            std::fs::write(directory.join("dm/uuid"), id).expect("written");
            let slaves = slaves.iter().map(|name| (*name).to_owned()).collect();
            is_opaque(&Device {
                name: "dm-0".to_owned(),
                directory: directory.clone(),
                slaves,
                loop_file: None,
                depth: 0,
            })
        };
        assert!(with(&["sda", "sdb"], ""));
        assert!(!with(&["sda", "sdb"], "LVM-x") && !with(&["sda", "sdb"], "mpath-3600"));
        assert!(!with(&["sda"], ""), "one device below says what it is");
    }
}
