//! What is wrong with the parts of a platform: arrays that are not complete, links below what they can, paths that are
//! missing, devices behind another node.

use base::root::cpu_list;
use record::{BlockDevice, HostInventory, NumaNode, PciFunction, PciKind, PciLink, Ratio};

/// A part of a platform that gives less than it could, or less safety.
#[derive(Clone, Debug, PartialEq)]
pub enum Defect {
    /// An array without all of its members.
    Degraded {
        /// The array.
        device: String,
        /// Members that are missing or failed.
        missing: u32,
        /// Members that it should have.
        of: u32,
        /// The members that failed, where the array still knows them.
        failed: Vec<String>,
    },
    /// An array that reads or writes its members by itself.
    Syncing {
        /// The array.
        device: String,
        /// What it does (`resync`, `recover`, `check`, ...).
        action: String,
        /// How much of it is done.
        done: Option<Ratio>,
    },
    /// A link of fewer lanes or a lower speed than its device is capable of.
    SlowLink {
        /// The address of the function.
        address: String,
        /// What it is used as.
        names: Vec<String>,
        /// The link.
        link: PciLink,
    },
    /// A device with a path that is down.
    DeadPath {
        /// The device.
        device: String,
        /// The path.
        path: String,
        /// The state of the path.
        state: String,
    },
    /// A device of a fabric, or of dm-multipath, with one path.
    SinglePath {
        /// The device.
        device: String,
        /// The transport, where known.
        transport: Option<String>,
    },
    /// A device behind a NUMA node none of whose processors dbdyno may use: all I/O crosses the link between nodes.
    FarDevice {
        /// The device.
        device: String,
        /// Its node.
        node: u32,
        /// The nodes of the processors that may be used.
        allowed: Vec<u32>,
    },
}

impl Defect {
    /// The kernel name of the device, or the address of the function, that has it.
    pub fn part(&self) -> &str {
        match self {
            Defect::Degraded { device, .. }
            | Defect::Syncing { device, .. }
            | Defect::DeadPath { device, .. }
            | Defect::SinglePath { device, .. }
            | Defect::FarDevice { device, .. } => device,
            Defect::SlowLink { address, .. } => address,
        }
    }
}

/// The defects of `host`, of its devices below the measured directory from the top to the bottom.
pub fn defects(host: &HostInventory) -> Vec<Defect> {
    let allowed = allowed_nodes(host);
    let of_device = |device: &BlockDevice| {
        let far = device.numa_node.filter(|node| !allowed.is_empty() && !allowed.contains(node));
        let far = far.map(|node| Defect::FarDevice { device: device.name.clone(), node, allowed: allowed.clone() });
        array(device).into_iter().chain(paths(device)).chain(far).collect::<Vec<Defect>>()
    };
    let below: Vec<&str> = host.devices.iter().map(|device| device.name.as_str()).collect();
    let is_ours = |function: &&PciFunction| {
        function.kind == PciKind::Storage && function.names.iter().any(|name| below.contains(&name.as_str()))
    };
    let links = host.pci.iter().filter(is_ours).flat_map(|function| chain(&host.pci, function)).filter_map(slow_link);
    let mut found: Vec<Defect> = host.devices.iter().flat_map(of_device).collect();
    for link in links {
        if !found.contains(&link) {
            found.push(link);
        }
    }
    found
}

/// The nodes with a processor that the control group allows; empty where nothing is known of nodes.
fn allowed_nodes(host: &HostInventory) -> Vec<u32> {
    let allowed = host.cgroup.cpu_set.as_deref().and_then(cpu_list).unwrap_or_default();
    let is_allowed = |node: &&NumaNode| {
        let cpus = cpu_list(&node.cpus).unwrap_or_default();
        !cpus.is_empty() && (allowed.is_empty() || cpus.iter().any(|cpu| allowed.contains(cpu)))
    };
    host.cpu.numa_nodes.iter().filter(is_allowed).map(|node| node.number).collect()
}

/// `function` and what is above it, up to the root complex.
pub(crate) fn chain<'a>(all: &'a [PciFunction], function: &'a PciFunction) -> Vec<&'a PciFunction> {
    let mut found = vec![function];
    while let Some(next) = found.last().and_then(|last| last.above.as_ref())
        && let Some(above) = all.iter().find(|other| other.address == *next)
        && found.len() < all.len()
    {
        found.push(above);
    }
    found
}

fn array(device: &BlockDevice) -> Vec<Defect> {
    let Some(array) = &device.array else { return Vec::new() };
    let failed = array.members.iter().filter(|member| member.state.contains("faulty"));
    let degraded = (array.missing_count > 0).then(|| Defect::Degraded {
        device: device.name.clone(),
        missing: array.missing_count,
        of: array.member_count,
        failed: failed.map(|member| member.name.clone()).collect(),
    });
    // Frozen is an array whose synchronisation is held back.
    let action = array.sync_action.as_ref().filter(|action| *action != "frozen");
    let syncing = action.map(|action| Defect::Syncing {
        device: device.name.clone(),
        action: action.clone(),
        done: array.sync_done,
    });
    degraded.into_iter().chain(syncing).collect()
}

fn paths(device: &BlockDevice) -> Vec<Defect> {
    let is_up = |state: &str| matches!(state, "live" | "running");
    let is_remote = |transport: &Option<String>| transport.as_deref().is_none_or(|name| name != "pcie");
    let dead = device.paths.iter().filter_map(|path| {
        let state = path.state.clone().filter(|state| !is_up(state))?;
        Some(Defect::DeadPath { device: device.name.clone(), path: path.name.clone(), state })
    });
    let single = match &device.paths[..] {
        [path] if is_remote(&path.transport) => {
            Some(Defect::SinglePath { device: device.name.clone(), transport: path.transport.clone() })
        }
        _ => None,
    };
    dead.chain(single).collect()
}

/// Ports of switches are capable of more than what is plugged into them: only the ends of links are judged.
fn slow_link(function: &PciFunction) -> Option<Defect> {
    let link = function.link?;
    let is_end = !matches!(function.kind, PciKind::RootPort | PciKind::DownstreamPort);
    let is_slow = link.lanes < link.lanes_max || link.gigatransfers_per_second < link.gigatransfers_per_second_max;
    (is_end && is_slow).then(|| Defect::SlowLink {
        address: function.address.clone(),
        names: function.names.clone(),
        link,
    })
}

#[cfg(test)]
mod tests {
    use record::{Array, ArrayMember, CgroupLimits, Cpu, DevicePath};

    use super::*;

    fn device(name: &str) -> BlockDevice {
        BlockDevice { name: name.to_owned(), ..BlockDevice::default() }
    }

    fn host(devices: Vec<BlockDevice>, nodes: u32) -> HostInventory {
        let node = |number: u32| NumaNode { number, cpus: number.to_string(), ..NumaNode::default() };
        let cpu = Cpu { numa_nodes: (0..nodes).map(node).collect(), ..Cpu::default() };
        HostInventory { cpu, devices, ..HostInventory::default() }
    }

    #[test]
    fn an_array_that_is_not_complete_or_busy_with_itself() {
        let member = |name: &str, state: &str| ArrayMember { name: name.to_owned(), state: state.to_owned() };
        let array = Array {
            level: "raid1".to_owned(),
            member_count: 2,
            missing_count: 1,
            sync_action: Some("recover".to_owned()),
            sync_done: Some(Ratio(0.25)),
            members: vec![member("sda", "in_sync"), member("sdb", "faulty")],
            ..Array::default()
        };
        let found = defects(&host(vec![BlockDevice { array: Some(array.clone()), ..device("md0") }], 1));
        let degraded = Defect::Degraded { device: "md0".to_owned(), missing: 1, of: 2, failed: vec!["sdb".to_owned()] };
        let syncing =
            Defect::Syncing { device: "md0".to_owned(), action: "recover".to_owned(), done: Some(Ratio(0.25)) };
        assert_eq!(found, [degraded, syncing]);
        for idle in [None, Some("frozen".to_owned())] {
            let whole = Array { missing_count: 0, sync_action: idle, ..array.clone() };
            assert_eq!(defects(&host(vec![BlockDevice { array: Some(whole), ..device("md0") }], 1)), []);
        }
    }

    #[test]
    fn paths_that_are_down_or_missing() {
        let path = |name: &str, transport: &str, state: &str| DevicePath {
            name: name.to_owned(),
            transport: Some(transport.to_owned()),
            state: Some(state.to_owned()),
            ..DevicePath::default()
        };
        let of = |paths: Vec<DevicePath>| defects(&host(vec![BlockDevice { paths, ..device("nvme5n1") }], 1));
        assert_eq!(of(vec![path("nvme0", "pcie", "live")]), [], "a drive in a slot has one path");
        assert_eq!(of(vec![path("nvme5", "tcp", "live"), path("nvme6", "tcp", "live")]), []);
        let single = Defect::SinglePath { device: "nvme5n1".to_owned(), transport: Some("tcp".to_owned()) };
        assert_eq!(of(vec![path("nvme5", "tcp", "live")]), [single]);
        let dead =
            Defect::DeadPath { device: "nvme5n1".to_owned(), path: "nvme6".to_owned(), state: "connecting".to_owned() };
        assert_eq!(of(vec![path("nvme5", "tcp", "live"), path("nvme6", "tcp", "connecting")]), [dead]);
    }

    #[test]
    fn a_drive_below_its_link_is_named_and_an_empty_slot_of_a_switch_is_not() {
        let link =
            PciLink { gigatransfers_per_second: 16.0, lanes: 2, gigatransfers_per_second_max: 16.0, lanes_max: 4 };
        let function = |address: &str, above: Option<&str>, kind: PciKind, names: &[&str]| PciFunction {
            address: address.to_owned(),
            above: above.map(str::to_owned),
            kind,
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            numa_node: Some(1),
            link: Some(link),
        };
        let pci = vec![
            function("0000:00:01.0", None, PciKind::RootPort, &[]),
            function("0000:01:00.0", Some("0000:00:01.0"), PciKind::Storage, &["nvme0n1"]),
            function("0000:02:00.0", Some("0000:00:02.0"), PciKind::Storage, &["nvme1n1"]),
        ];
        let drive = BlockDevice { numa_node: Some(1), ..device("nvme0n1") };
        let host = HostInventory { pci, ..host(vec![drive], 2) };
        let slow = Defect::SlowLink { address: "0000:01:00.0".to_owned(), names: vec!["nvme0n1".to_owned()], link };
        assert_eq!(defects(&host), std::slice::from_ref(&slow), "of the drives of the directory only");
        let cgroup = CgroupLimits { cpu_set: Some("0".to_owned()), ..CgroupLimits::default() };
        let far = Defect::FarDevice { device: "nvme0n1".to_owned(), node: 1, allowed: vec![0] };
        assert_eq!(defects(&HostInventory { cgroup, ..host }), [far, slow]);
    }
}
