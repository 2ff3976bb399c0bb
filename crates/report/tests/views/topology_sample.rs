//! An invented server whose parts are not as they should be: two nodes, a switch, an array without a member, a fabric.

use record::{
    Array, ArrayMember, BlockDevice, Bytes, Cpu, DevicePath, FileSystem, HostInventory, NetworkInterface, NumaNode,
    PciFunction, PciKind, PciLink, Ratio,
};

/// A link of the fourth generation.
fn link(lanes: u32, lanes_max: u32) -> Option<PciLink> {
    Some(PciLink { gigatransfers_per_second: 16.0, lanes, gigatransfers_per_second_max: 16.0, lanes_max })
}

fn function(address: &str, above: &str, kind: PciKind, names: &[&str], link: Option<PciLink>) -> PciFunction {
    PciFunction {
        address: address.to_owned(),
        above: Some(above.to_owned()).filter(|above| !above.is_empty()),
        kind,
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        numa_node: Some(1),
        link,
    }
}

fn member(name: &str, state: &str) -> ArrayMember {
    ArrayMember { name: name.to_owned(), state: state.to_owned() }
}

fn path(name: &str, address: &str, state: &str) -> DevicePath {
    DevicePath {
        name: name.to_owned(),
        transport: Some("tcp".to_owned()),
        address: Some(format!("traddr={address},trsvcid=4420")),
        state: Some(state.to_owned()),
        access: Some("optimized".to_owned()),
        queue_count: Some(3),
    }
}

/// The machine, with a local drive and a namespace of a fabric in one array.
pub fn host() -> HostInventory {
    let node = |number: u32| NumaNode {
        number,
        cpus: format!("{}-{}", number * 8, number * 8 + 7),
        memory_bytes: Some(Bytes::GIB.times(64)),
        distances: if number == 0 { vec![10, 21] } else { vec![21, 10] },
    };
    let device = |name: &str| BlockDevice { name: name.to_owned(), ..BlockDevice::default() };
    HostInventory {
        host_name: Some("db2".to_owned()),
        cpu: Cpu { threads: 16, sockets: Some(2), numa_nodes: (0..2).map(node).collect(), ..Cpu::default() },
        file_system: Some(FileSystem {
            kind: "xfs".to_owned(),
            mount_point: "/data".to_owned(),
            source: "/dev/md0".to_owned(),
            options: "rw".to_owned(),
            ..FileSystem::default()
        }),
        devices: vec![
            BlockDevice {
                slaves: vec!["nvme0n1".to_owned(), "nvme5n1".to_owned()],
                array: Some(Array {
                    level: "raid5".to_owned(),
                    state: Some("active".to_owned()),
                    member_count: 3,
                    missing_count: 1,
                    sync_action: Some("recover".to_owned()),
                    sync_done: Some(Ratio(0.25)),
                    chunk_bytes: Some(Bytes(524_288)),
                    members: vec![member("nvme0n1", "in_sync"), member("nvme5n1", "in_sync"), member("sdc", "faulty")],
                }),
                ..device("md0")
            },
            BlockDevice {
                model: Some("Example Flash 1TB".to_owned()),
                pci_address: Some("0000:83:00.0".to_owned()),
                numa_node: Some(1),
                hardware_queue_count: Some(16),
                ..device("nvme0n1")
            },
            BlockDevice {
                subsystem: Some("nqn.2014-08.org.example:lab".to_owned()),
                path_policy: Some("numa".to_owned()),
                paths: vec![path("nvme5", "10.0.0.1", "live"), path("nvme6", "10.0.1.1", "connecting")],
                ..device("nvme5n1")
            },
        ],
        network: vec![NetworkInterface {
            name: "eth0".to_owned(),
            megabits_per_second: Some(100_000),
            ..NetworkInterface::default()
        }],
        pci: vec![
            function("0000:80:01.0", "", PciKind::RootPort, &[], link(16, 16)),
            function("0000:81:00.0", "0000:80:01.0", PciKind::UpstreamPort, &[], link(8, 8)),
            function("0000:82:00.0", "0000:81:00.0", PciKind::DownstreamPort, &[], link(2, 4)),
            function("0000:82:01.0", "0000:81:00.0", PciKind::DownstreamPort, &[], link(16, 16)),
            function("0000:83:00.0", "0000:82:00.0", PciKind::Storage, &["nvme0n1"], link(2, 4)),
            function("0000:84:00.0", "0000:82:01.0", PciKind::Network, &["eth0"], link(16, 16)),
        ],
        ..HostInventory::default()
    }
}
