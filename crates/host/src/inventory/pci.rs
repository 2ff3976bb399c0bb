//! The tree of PCI Express, from the controllers of storage and networks up to the root complexes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use base::root::{self, Root};
use record::{PciFunction, PciKind, PciLink};

use super::paths;
use super::pci_address::{address_of, addresses};

/// Base classes and the class of bridges, of the register of PCI.
const STORAGE: u32 = 0x01;
const NETWORK: u32 = 0x02;
const BRIDGE: u32 = 0x0604;

/// The controllers of storage and networks and the ports above them, by address.
pub(super) fn read(root: &Root) -> Vec<PciFunction> {
    let all = root.sys.join("bus/pci/devices");
    let directories = root::names(&all).into_iter().filter_map(|address| {
        let directory = all.join(&address).canonicalize().ok()?;
        Some((address, directory))
    });
    let directories: BTreeMap<String, PathBuf> = directories.collect();
    let is_controller =
        |directory: &&PathBuf| matches!(class(directory).map(|class| class >> 16), Some(STORAGE | NETWORK));
    let wanted: BTreeSet<String> =
        directories.values().filter(is_controller).flat_map(|path| addresses(path)).collect();
    let names = names(root);
    let wanted = wanted.into_iter().filter_map(|address| {
        let directory = directories.get(&address)?;
        Some(function(&address, directory, &names))
    });
    let mut functions: Vec<PciFunction> = wanted.collect();
    name_ports(&mut functions);
    functions
}

fn function(address: &str, directory: &Path, names: &BTreeMap<String, Vec<String>>) -> PciFunction {
    let class = class(directory).unwrap_or_default();
    let kind = match (class >> 8, class >> 16) {
        (BRIDGE, _) => PciKind::DownstreamPort,
        (_, STORAGE) => PciKind::Storage,
        (_, NETWORK) => PciKind::Network,
        _ => PciKind::Other,
    };
    PciFunction {
        address: address.to_owned(),
        above: addresses(directory).into_iter().rev().nth(1),
        kind,
        names: names.get(address).cloned().unwrap_or_default(),
        // -1 is unknown.
        numa_node: root::value(directory.join("numa_node")),
        link: link(directory),
    }
}

/// A bridge at a root complex is a root port; one below another bridge and above a third one is the port of a switch to
/// what is above it.
fn name_ports(functions: &mut [PciFunction]) {
    let is_port = |function: &&PciFunction| function.kind == PciKind::DownstreamPort;
    let above_ports: BTreeSet<String> =
        functions.iter().filter(is_port).filter_map(|function| function.above.clone()).collect();
    for function in functions.iter_mut().filter(|function| function.kind == PciKind::DownstreamPort) {
        if function.above.is_none() {
            function.kind = PciKind::RootPort;
        } else if above_ports.contains(&function.address) {
            function.kind = PciKind::UpstreamPort;
        }
    }
}

fn class(directory: &Path) -> Option<u32> {
    u32::from_str_radix(root::text(directory.join("class"))?.strip_prefix("0x")?, 16).ok()
}

/// The names of block devices and network interfaces by the address of their function.
fn names(root: &Root) -> BTreeMap<String, Vec<String>> {
    let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let blocks = root.sys.join("class/block");
    for name in root::names(&blocks) {
        let directory = blocks.join(&name);
        let is_part = directory.join("partition").exists() || root::switch(directory.join("hidden")) == Some(true);
        if !is_part {
            paths::functions(&directory).into_iter().for_each(|at| names.entry(at).or_default().push(name.clone()));
        }
    }
    let interfaces = root.sys.join("class/net");
    for name in root::names(&interfaces) {
        let address = address_of(&interfaces.join(&name).join("device"));
        address.into_iter().for_each(|address| names.entry(address).or_default().push(name.clone()));
    }
    names
}

/// The link of a function; none where sysfs does not know speed and width, as on emulated buses.
pub(super) fn link(directory: &Path) -> Option<PciLink> {
    let speed = |name: &str| -> Option<f64> {
        let text = root::text(directory.join(name))?;
        let figure = text.split_once(' ').filter(|(_, unit)| unit.starts_with("GT/s"))?.0.parse().ok()?;
        Some(figure).filter(|figure: &f64| figure.is_finite() && *figure > 0.0)
    };
    // A width of 0, or with all bits set, is none.
    let lanes = |name: &str| root::value::<u32>(directory.join(name)).filter(|lanes| (1..=32).contains(lanes));
    let (gigatransfers_per_second, width) = (speed("current_link_speed")?, lanes("current_link_width")?);
    Some(PciLink {
        gigatransfers_per_second,
        lanes: width,
        gigatransfers_per_second_max: speed("max_link_speed")
            .map_or(gigatransfers_per_second, |max| max.max(gigatransfers_per_second)),
        lanes_max: lanes("max_link_width").map_or(width, |max| max.max(width)),
    })
}
