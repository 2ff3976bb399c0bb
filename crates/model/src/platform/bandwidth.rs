//! Oversubscription: what is below each shared link against what it carries, and which is saturated first.

use std::collections::BTreeMap;

use record::{BlockDevice, HostInventory, Layer, PciFunction, PciKind, PciLink, ProofPlace, Rate, Record, Run, Unit};

use super::cached_volume::{CachedVolume, cached_volumes};
use super::defect::chain;
use super::pcie::Generation;
use crate::row::row;
use crate::verdict::is_invalid;

/// The payload of a packet where the setting of the platform is not known: the most common one.
const PAYLOAD_BYTES: f64 = 256.0;

/// Where a rate is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Basis {
    /// A run of this record.
    Measured,
    /// What its link, its modules or its maker say.
    Rated,
    /// What nobody measured or promised.
    Assumed,
}

/// What one device below a shared link can ask for.
#[derive(Clone, Debug, PartialEq)]
pub struct Demand {
    /// The device or interface; of a cache device with cache and origin below the same resource, that.
    pub name: String,
    /// Such a cache device, with its parts.
    pub cached: Option<CachedVolume>,
    /// Bytes per second in one direction.
    pub rate: Rate,
    /// Where that is from.
    pub basis: Basis,
}

/// What a resource that several devices share must carry.
#[derive(Clone, Debug, PartialEq)]
pub enum Shared {
    /// The link above a port of a switch, or below a root port.
    Link {
        /// The address of the function at its lower end.
        address: String,
        /// What that is.
        kind: PciKind,
        /// The link.
        link: PciLink,
    },
    /// The memory of a machine: each byte read from a device is written to it.
    Memory,
}

/// A shared resource with what is below it.
#[derive(Clone, Debug, PartialEq)]
pub struct Oversubscription {
    /// The resource.
    pub shared: Shared,
    /// What it carries, bytes per second in one direction.
    pub carries: Rate,
    /// Where that is from.
    pub basis: Basis,
    /// What is below it.
    pub demands: Vec<Demand>,
}

impl Oversubscription {
    /// The sum of what is below.
    pub fn below(&self) -> Rate {
        Rate(self.demands.iter().map(|demand| demand.rate.0).sum())
    }

    /// The sum below over what it carries; above 1 it is saturated before the devices are.
    pub fn ratio(&self) -> f64 {
        self.below().0 / self.carries.0
    }
}

/// What is known of rates by measurement: bytes per second of devices by name, and of memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeasuredRates {
    /// Of block devices and network interfaces.
    pub devices: BTreeMap<String, Rate>,
    /// Of memory, read or written.
    pub memory: Option<Rate>,
}

/// The rates of `record`: the best of memory and, where all I/O goes to one drive or to one cache device, the best of
/// storage.
pub fn measured_rates(record: &Record) -> MeasuredRates {
    let valid = record.runs.iter().filter(|run| !is_invalid(run) && run.variation.is_none());
    let best = |runs: &mut dyn Iterator<Item = &Run>| {
        let rate = |run: &Run| match (row(run), run.unit) {
            (row, Unit::Byte) => row.operations_per_second,
            (row, _) => row.bytes_per_second,
        };
        let rates = runs.filter_map(|run| Some(rate(run)?.0));
        rates.reduce(f64::max).map(Rate)
    };
    let memory = best(&mut valid.clone().filter(|run| run.layer == Layer::Memory));
    let is_whole = |run: &&Run| run.kind.proof().is_none_or(|part| !matches!(part.place, ProofPlace::Member { .. }));
    let storage = best(&mut valid.filter(|run| run.storage.is_some()).filter(is_whole));
    let devices = whole_device(&record.host).zip(storage).map(|(name, rate)| (name.to_owned(), rate));
    let devices = devices.into_iter().collect();
    MeasuredRates { devices, memory }
}

/// The device that all I/O passes: the only drive, or a cache device with all drives below it.
pub(crate) fn whole_device(host: &HostInventory) -> Option<&str> {
    let ends: Vec<&str> = drives(host).map(|device| device.name.as_str()).collect();
    if let [end] = ends[..] {
        return Some(end);
    }
    let is_all = |volume: &CachedVolume| ends.iter().all(|end| volume.has(end));
    let volume = cached_volumes(host).into_iter().find(is_all)?;
    host.devices.iter().map(|device| device.name.as_str()).find(|name| *name == volume.name)
}

/// The devices that consist of no others.
pub(crate) fn drives(host: &HostInventory) -> impl Iterator<Item = &BlockDevice> {
    host.devices.iter().filter(|device| device.slaves.is_empty())
}

impl Generation {
    /// The generation of a link with so many 10^9 transfers per second.
    pub fn of(gigatransfers: f64) -> Option<Generation> {
        use Generation::{Gen1, Gen2, Gen3, Gen4, Gen5, Gen6, Gen7};
        [Gen1, Gen2, Gen3, Gen4, Gen5, Gen6, Gen7].into_iter().find(|one| one.gigatransfers() == gigatransfers)
    }
}

/// What a link carries in one direction, in bytes of data per second.
pub fn link_rate(link: PciLink) -> Option<Rate> {
    Some(Generation::of(link.gigatransfers_per_second)?.payload(link.lanes, PAYLOAD_BYTES))
}

/// What a controller asks for.
type Below<'a> = (&'a PciFunction, Demand);

/// Every link of `host` with a controller of storage or a network below it, and its memory, by the order in which they
/// are saturated: the one with the highest ratio first.
pub fn oversubscriptions(host: &HostInventory, measured: &MeasuredRates) -> Vec<Oversubscription> {
    let controllers = host.pci.iter().filter(|one| matches!(one.kind, PciKind::Storage | PciKind::Network));
    let mut below: BTreeMap<&str, Vec<Below<'_>>> = BTreeMap::new();
    let mut all: Vec<Below<'_>> = Vec::new();
    for controller in controllers {
        let Some(demand) = demand(host, controller, measured) else { continue };
        for function in chain(&host.pci, controller).into_iter().filter(|function| function.link.is_some()) {
            below.entry(&function.address).or_default().push((controller, demand.clone()));
        }
        all.push((controller, demand));
    }
    let volumes = cached_volumes(host);
    let plain = |demands: Vec<Below<'_>>| -> Vec<Demand> {
        let demands = volumes.iter().fold(demands, |demands, volume| once(demands, volume, measured));
        demands.into_iter().map(|(_, demand)| demand).collect()
    };
    let links = below.into_iter().filter_map(|(address, demands)| {
        let function = host.pci.iter().find(|function| function.address == address)?;
        // The link of a port above others is told by what is at its lower end.
        let is_end = !matches!(function.kind, PciKind::RootPort | PciKind::DownstreamPort);
        let link = function.link.filter(|_| is_end)?;
        let shared = Shared::Link { address: address.to_owned(), kind: function.kind, link };
        Some(Oversubscription { shared, carries: link_rate(link)?, basis: Basis::Rated, demands: plain(demands) })
    });
    let memory = memory_rate(host, measured).filter(|_| !all.is_empty());
    let memory =
        memory.map(|(carries, basis)| Oversubscription { shared: Shared::Memory, carries, basis, demands: plain(all) });
    let mut found: Vec<Oversubscription> = links.chain(memory).collect();
    found.sort_by(|one, other| other.ratio().total_cmp(&one.ratio()));
    found
}

/// The demands with one of the cache device `volume` in place of those of its cache and its origin, where both are among
/// them: what was measured of it, or else that of the faster of the two, because a block comes from one of them.
fn once<'a>(demands: Vec<Below<'a>>, volume: &CachedVolume, measured: &MeasuredRates) -> Vec<Below<'a>> {
    let is_of = |controller: &PciFunction, drives: &[String]| {
        controller.names.iter().any(|name| drives.contains(name))
            && controller.names.iter().all(|name| volume.has(name))
    };
    let of = |drives: &[String]| {
        let rates = demands.iter().filter(|(controller, _)| is_of(controller, drives)).map(|(_, demand)| demand.rate.0);
        let sum: f64 = rates.sum();
        (sum > 0.0).then_some(sum)
    };
    let Some((cache, origin)) = of(&volume.caches).zip(of(&volume.origins)) else { return demands };
    let (rate, basis) = match measured.devices.get(&volume.name) {
        Some(rate) => (*rate, Basis::Measured),
        None => (Rate(cache.max(origin)), Basis::Rated),
    };
    let demand = Demand { name: volume.name.clone(), cached: Some(volume.clone()), rate, basis };
    let is_part = |controller: &PciFunction| is_of(controller, &volume.caches) || is_of(controller, &volume.origins);
    let mut whole = Some(demand);
    let put = |(controller, demand): Below<'a>| match is_part(controller) {
        true => whole.take().map(|whole| (controller, whole)),
        false => Some((controller, demand)),
    };
    demands.into_iter().filter_map(put).collect()
}

/// What a controller can ask for: what was measured of its devices, or else what its link carries or its interface is
/// rated for.
fn demand(host: &HostInventory, controller: &PciFunction, measured: &MeasuredRates) -> Option<Demand> {
    let name = match &controller.names[..] {
        [] => controller.address.clone(),
        names => names.join(", "),
    };
    let known: Vec<f64> = controller.names.iter().filter_map(|name| Some(measured.devices.get(name)?.0)).collect();
    if !known.is_empty() {
        return Some(Demand { name, cached: None, rate: Rate(known.iter().sum()), basis: Basis::Measured });
    }
    let interface = host.network.iter().find(|interface| controller.names.contains(&interface.name));
    let interface = interface.and_then(|interface| interface.megabits_per_second);
    let rate = match interface {
        Some(megabits) => Rate(megabits as f64 * 1e6 / 8.0),
        None => link_rate(controller.link?)?,
    };
    Some(Demand { name, cached: None, rate, basis: Basis::Rated })
}

/// What memory carries: measured, or else the peak of its modules.
pub(crate) fn memory_rate(host: &HostInventory, measured: &MeasuredRates) -> Option<(Rate, Basis)> {
    let peak = || {
        let modules = host.memory.modules.iter().filter(|module| module.size_bytes.0 > 0);
        let rates = modules.filter_map(|module| {
            let speed = module.megatransfers_per_second.or(module.megatransfers_per_second_max)?;
            Some((channel(module.slot.as_deref())?, super::channel_bytes_per_second(f64::from(speed)).0))
        });
        // Modules of one channel share it.
        let channels: BTreeMap<String, f64> = rates.collect();
        (!channels.is_empty()).then(|| (Rate(channels.values().sum()), Basis::Rated))
    };
    measured.memory.map(|rate| (rate, Basis::Measured)).or_else(peak)
}

/// The channel of a slot: `P0 CHANNEL A` of `P0 CHANNEL A DIMM 0`, `A` of `DIMM_A1`. Where neither is found, the slot
/// stands for a channel of its own.
fn channel(slot: Option<&str>) -> Option<String> {
    let slot = slot?;
    let upper = slot.to_ascii_uppercase();
    if let Some((before, _)) = upper.split_once(" DIMM").filter(|(before, _)| before.contains("CHANNEL")) {
        return Some(before.to_owned());
    }
    Some(upper.trim_end_matches(|letter: char| letter.is_ascii_digit()).to_owned()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use record::{CacheDevice, MemoryModule, NetworkInterface};

    use super::*;

    fn link(lanes: u32) -> Option<PciLink> {
        Some(PciLink { gigatransfers_per_second: 16.0, lanes, gigatransfers_per_second_max: 16.0, lanes_max: lanes })
    }

    fn function(address: &str, above: &str, kind: PciKind, lanes: u32, names: &[&str]) -> PciFunction {
        PciFunction {
            address: address.to_owned(),
            above: Some(above.to_owned()).filter(|above| !above.is_empty()),
            kind,
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            numa_node: None,
            link: link(lanes).filter(|_| kind != PciKind::RootPort),
        }
    }

    /// A switch with 16 lanes above it and two controllers of 8 and 16 lanes below: the published 24 over 16.
    fn host() -> HostInventory {
        HostInventory {
            pci: vec![
                function("0000:00:01.0", "", PciKind::RootPort, 16, &[]),
                function("0000:01:00.0", "0000:00:01.0", PciKind::UpstreamPort, 16, &[]),
                function("0000:02:00.0", "0000:01:00.0", PciKind::DownstreamPort, 8, &[]),
                function("0000:02:01.0", "0000:01:00.0", PciKind::DownstreamPort, 16, &[]),
                function("0000:03:00.0", "0000:02:00.0", PciKind::Storage, 8, &["nvme0n1"]),
                function("0000:04:00.0", "0000:02:01.0", PciKind::Network, 16, &["eth0"]),
            ],
            ..HostInventory::default()
        }
    }

    #[test]
    fn twenty_four_lanes_over_sixteen_are_oversubscribed_by_a_half() {
        let found = oversubscriptions(&host(), &MeasuredRates::default());
        assert_eq!(found.len(), 3, "the two controllers and the switch");
        assert!(matches!(&found[0].shared, Shared::Link { kind: PciKind::UpstreamPort, .. }));
        assert!((found[0].ratio() - 1.5).abs() < 1e-12);
        assert!(found[1..].iter().all(|one| (one.ratio() - 1.0).abs() < 1e-12));
    }

    #[test]
    fn measured_rates_replace_rated_ones() {
        let devices = BTreeMap::from([("nvme0n1".to_owned(), Rate(3e9))]);
        let measured = MeasuredRates { devices, memory: Some(Rate(20e9)) };
        let network = NetworkInterface {
            name: "eth0".to_owned(),
            megabits_per_second: Some(100_000),
            ..NetworkInterface::default()
        };
        let found = oversubscriptions(&HostInventory { network: vec![network], ..host() }, &measured);
        let memory = found.iter().find(|one| one.shared == Shared::Memory).unwrap();
        assert_eq!((memory.below(), memory.basis), (Rate(15.5e9), Basis::Measured));
        assert_eq!(memory.demands.iter().map(|one| one.basis).collect::<Vec<_>>(), [Basis::Measured, Basis::Rated]);
        assert_eq!(found[0].shared, Shared::Memory, "the first to be saturated");
    }

    /// A switch with 16 lanes above it, and below it a cache with 8 lanes and its origin with 4.
    fn cached_host() -> HostInventory {
        let mut host = host();
        host.pci[4] = function("0000:03:00.0", "0000:02:00.0", PciKind::Storage, 8, &["nvme0n1"]);
        host.pci[5] = function("0000:04:00.0", "0000:02:01.0", PciKind::Storage, 4, &["nvme1n1"]);
        let cache = CacheDevice {
            technique: "bcache".to_owned(),
            origin: Some("nvme1n1".to_owned()),
            caches: vec!["nvme0n1".to_owned()],
            ..CacheDevice::default()
        };
        let slaves = ["nvme0n1", "nvme1n1"].map(str::to_owned).to_vec();
        let top = BlockDevice { name: "bcache0".to_owned(), slaves, cache: Some(cache), ..BlockDevice::default() };
        let drive = |name: &str| BlockDevice { name: name.to_owned(), ..BlockDevice::default() };
        host.devices = vec![top, drive("nvme0n1"), drive("nvme1n1")];
        host
    }

    #[test]
    fn a_cache_and_its_origin_count_once_where_both_are_below() {
        let found = oversubscriptions(&cached_host(), &MeasuredRates::default());
        let switch = found.iter().find(|one| matches!(&one.shared, Shared::Link { kind: PciKind::UpstreamPort, .. }));
        let switch = switch.unwrap();
        assert_eq!(switch.demands.len(), 1, "{switch:?}");
        assert_eq!((switch.demands[0].name.as_str(), switch.demands[0].cached.is_some()), ("bcache0", true));
        assert!((switch.ratio() - 0.5).abs() < 1e-12, "the 8 lanes of the faster one: {switch:?}");
        // Each alone on its own link is itself.
        let own: Vec<&str> = found[1..].iter().map(|one| one.demands[0].name.as_str()).collect();
        let own: BTreeSet<&str> = found[..1].iter().map(|one| one.demands[0].name.as_str()).chain(own).collect();
        assert_eq!(own, BTreeSet::from(["bcache0", "nvme0n1", "nvme1n1"]));

        let devices = BTreeMap::from([("bcache0".to_owned(), Rate(3e9))]);
        let measured = MeasuredRates { devices, memory: Some(Rate(20e9)) };
        let found = oversubscriptions(&cached_host(), &measured);
        let memory = found.iter().find(|one| one.shared == Shared::Memory).unwrap();
        assert_eq!((memory.below(), memory.demands.len(), memory.demands[0].basis), (Rate(3e9), 1, Basis::Measured));
        assert_eq!(whole_device(&cached_host()), Some("bcache0"));
    }

    #[test]
    fn two_modules_of_one_channel_share_it() {
        let module = |slot: &str| MemoryModule {
            slot: Some(slot.to_owned()),
            size_bytes: record::Bytes(1),
            megatransfers_per_second: Some(3_200),
            ..MemoryModule::default()
        };
        let mut host = host();
        host.memory.modules = ["DIMM_A1", "DIMM_A2", "DIMM_B1"].map(module).to_vec();
        let found = oversubscriptions(&host, &MeasuredRates::default());
        let memory = found.iter().find(|one| one.shared == Shared::Memory).unwrap();
        assert_eq!((memory.carries, memory.basis), (Rate(51.2e9), Basis::Rated));
        assert_eq!(channel(Some("P0 CHANNEL A DIMM 0")).as_deref(), Some("P0 CHANNEL A"));
    }
}
