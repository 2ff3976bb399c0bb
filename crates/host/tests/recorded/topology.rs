//! How the parts of recorded machines hang together.

use std::path::Path;

use dbdyno_host::{MemberCounters, members_at};
use record::{Bytes, PciKind, PciLink, Ratio};

use super::tree::build;
use super::{counter, inventory};

#[test]
fn a_drive_behind_a_switch_has_all_ports_above_it() {
    let tree = recording!("pci_switch");
    let found = inventory(&tree, "/data");
    let functions: Vec<(&str, Option<&str>, PciKind)> =
        found.pci.iter().map(|one| (one.address.as_str(), one.above.as_deref(), one.kind)).collect();
    let expected = [
        ("0000:80:01.0", None, PciKind::RootPort),
        ("0000:81:00.0", Some("0000:80:01.0"), PciKind::UpstreamPort),
        ("0000:82:00.0", Some("0000:81:00.0"), PciKind::DownstreamPort),
        ("0000:82:01.0", Some("0000:81:00.0"), PciKind::DownstreamPort),
        ("0000:82:02.0", Some("0000:81:00.0"), PciKind::DownstreamPort),
        ("0000:83:00.0", Some("0000:82:00.0"), PciKind::Storage),
        ("0000:84:00.0", Some("0000:82:01.0"), PciKind::Storage),
        ("0000:85:00.0", Some("0000:82:02.0"), PciKind::Network),
    ];
    assert_eq!(functions, expected, "and the bridge of the chip set is not there");
    let slow = PciLink { gigatransfers_per_second: 16.0, lanes: 2, gigatransfers_per_second_max: 16.0, lanes_max: 4 };
    let drive = &found.pci[5];
    assert_eq!(
        (drive.names.as_slice(), drive.numa_node, drive.link),
        (&["nvme0n1".to_owned()][..], Some(1), Some(slow))
    );
    assert_eq!((found.pci[6].numa_node, found.pci[7].link), (None, None), "-1 and Unknown are not known");
    assert_eq!(found.pci[7].names, ["eth0"]);
    let device = &found.devices[0];
    assert_eq!((device.pci_address.as_deref(), device.numa_node), (Some("0000:83:00.0"), Some(1)));
    assert_eq!((device.hardware_queue_count, device.paths.len()), (Some(2), 1));
    assert_eq!(device.link, Some(slow));
    let distances: Vec<&[u32]> = found.cpu.numa_nodes.iter().map(|node| node.distances.as_slice()).collect();
    assert_eq!(distances, [[10, 21], [21, 10]]);
}

#[test]
fn a_fabric_has_transport_address_and_state_of_each_path() {
    let tree = recording!("nvme_fabric");
    let found = inventory(&tree, "/data");
    let device = &found.devices[0];
    assert_eq!(
        (device.subsystem.as_deref(), device.path_policy.as_deref()),
        (Some("nqn.2014-08.org.example:lab"), Some("numa"))
    );
    let paths: Vec<[Option<&str>; 4]> = device
        .paths
        .iter()
        .map(|path| [&path.transport, &path.address, &path.state, &path.access].map(|text| text.as_deref()))
        .collect();
    let first = "traddr=10.0.0.1,trsvcid=4420,src_addr=10.0.0.2";
    let expected = [
        [Some("tcp"), Some(first), Some("live"), Some("optimized")],
        [Some("tcp"), Some("traddr=10.0.1.1,trsvcid=4420"), Some("connecting"), Some("non-optimized")],
    ];
    assert_eq!(paths, expected);
    assert_eq!((device.pci_address.as_deref(), device.numa_node), (None, None));
    assert_eq!(
        counter(&tree, "/data", record::name::DEVICE_READ_COUNT),
        Some(100),
        "of the path, as the head is silent"
    );
}

#[test]
fn an_array_has_its_members_and_what_it_does() {
    let tree = recording!("md_degraded");
    let found = inventory(&tree, "/data");
    assert_eq!(found.devices[0].backing_file.as_deref(), Some("/srv/disk.img"));
    assert_eq!(found.devices[0].array, None);
    let array = found.devices[1].array.as_ref().unwrap();
    assert_eq!((array.level.as_str(), array.state.as_deref()), ("raid5", Some("active")));
    assert_eq!((array.member_count, array.missing_count, array.chunk_bytes), (3, 1, Some(Bytes(524_288))));
    assert_eq!((array.sync_action.as_deref(), array.sync_done), (Some("recover"), Some(Ratio(0.25))));
    let members: Vec<(&str, &str)> =
        array.members.iter().map(|member| (member.name.as_str(), member.state.as_str())).collect();
    assert_eq!(members, [("sda", "in_sync"), ("sdb", "in_sync"), ("sdc", "faulty"), ("sdd", "spare")]);
}

#[test]
fn members_of_an_array_that_failed_or_are_spare_take_no_part() {
    let tree = recording!("md_degraded");
    let path = Path::new("/data");
    assert_eq!(members_at(&tree.root, path), ["sda", "sdb"]);
    let counted = MemberCounters::at(&tree.root, path).expect("an array").read();
    let found: Vec<(&str, u64, u64)> =
        counted.iter().map(|member| (member.name.as_str(), member.read_count, member.write_bytes.0)).collect();
    assert_eq!(found, [("sda", 10, 40 * 512), ("sdb", 20, 80 * 512)]);
    assert_eq!(members_at(&recording!("nvme_partition").root, Path::new("/var/lib")), [""; 0], "a single device");
}

#[test]
fn a_cache_device_is_known_with_its_origin_and_what_each_part_did() {
    let tree = recording!("bcache");
    let found = inventory(&tree, "/data").devices[0].cache.clone().expect("a cache device");
    assert_eq!((found.technique.as_str(), found.mode.as_deref()), ("bcache", Some("writeback")));
    assert_eq!((found.origin.as_deref(), found.caches), (Some("sda1"), vec!["nvme0n1".to_owned()]));
    let counted = MemberCounters::at(&tree.root, Path::new("/data")).expect("parts").read();
    let reads: Vec<(&str, u64)> = counted.iter().map(|part| (part.name.as_str(), part.read_count)).collect();
    assert_eq!(reads, [("nvme0n1", 100), ("sda1", 50)]);
    let found = inventory(&tree, "/lvm").devices[0].cache.clone().expect("by the names of LVM");
    assert_eq!((found.technique.as_str(), found.mode), ("dm-cache", None));
    assert_eq!(
        (found.origin.as_deref(), found.caches, found.metadata.as_deref()),
        (Some("dm-2"), vec!["dm-0".to_owned()], Some("dm-1"))
    );
    assert_eq!(inventory(&recording!("md_degraded"), "/data").devices[1].cache, None, "an array is none");
}

#[test]
fn a_mount_of_nfs_counts_requests_in_place_of_a_device() {
    let tree = recording!("nfs");
    let of = |name: &str| counter(&tree, "/mnt/nfs/db", name);
    let requests =
        [record::name::DEVICE_READ_COUNT, record::name::DEVICE_WRITE_COUNT, record::name::DEVICE_FLUSH_COUNT];
    assert_eq!(requests.map(of), [Some(101), Some(100), Some(3)]);
    assert_eq!(of(record::name::DEVICE_READ_BYTES), Some(819_200));
    assert_eq!(of(record::name::DEVICE_READ_NS), Some(315_000_000));
    assert_eq!(of(record::name::MOUNT_READ_ROUND_TRIP_NS), Some(301_000_000));
    assert_eq!(of(record::name::MOUNT_RETRANSMISSION_COUNT), Some(1));
    assert_eq!(of(record::name::DEVICE_IO_TICKS_NS), None, "a mount does not say when it was busy");
    assert_eq!(counter(&tree, "/mnt/old", record::name::DEVICE_READ_COUNT), None, "its statistics were not recorded");
}

#[test]
fn a_mount_of_nfs_has_version_connections_and_sizes() {
    let tree = recording!("nfs");
    let mount = |directory: &str| inventory(&tree, directory).file_system.unwrap().network;
    let new = mount("/mnt/nfs/db").unwrap();
    assert_eq!((new.version.as_deref(), new.transport.as_deref(), new.connections), (Some("4.2"), Some("tcp"), 4));
    assert_eq!((new.read_bytes_max, new.write_bytes_max), (Some(Bytes::MIB), Some(Bytes(524_288))));
    assert_eq!(mount("/mnt/old").unwrap().connections, 1);
    assert_eq!(mount("/srv"), None);
}
