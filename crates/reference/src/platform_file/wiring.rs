//! Links of PCI Express and networks, and that they fit together.

use model::platform::{Basis, FibreChannel, InfiniBand, SerialAttached};
use model::platform_plan::{Link, Network, PlatformPlan, Protocol, SerialLanes, Wire};

use super::PlatformError;
use super::equipment::pci_link;
use super::section::{COUNT_MAX, File, Section};

type Read<T> = Result<T, PlatformError>;

const PROTOCOLS: [(&str, Protocol); 4] =
    [("tcp", Protocol::Tcp), ("rdma", Protocol::Rdma), ("iscsi", Protocol::Iscsi), ("nvme-tcp", Protocol::NvmeTcp)];
const INFINIBAND: [(&str, InfiniBand); 8] = [
    ("sdr", InfiniBand::Sdr),
    ("ddr", InfiniBand::Ddr),
    ("qdr", InfiniBand::Qdr),
    ("fdr", InfiniBand::Fdr),
    ("edr", InfiniBand::Edr),
    ("hdr", InfiniBand::Hdr),
    ("ndr", InfiniBand::Ndr),
    ("xdr", InfiniBand::Xdr),
];
const FIBRE_CHANNEL: [(&str, FibreChannel); 5] = [
    ("8gfc", FibreChannel::Gfc8),
    ("16gfc", FibreChannel::Gfc16),
    ("32gfc", FibreChannel::Gfc32),
    ("64gfc", FibreChannel::Gfc64),
    ("128gfc", FibreChannel::Gfc128),
];
const SERIAL: [(&str, SerialAttached); 3] =
    [("sata6", SerialAttached::Sata6), ("sas3", SerialAttached::Sas3), ("sas4", SerialAttached::Sas4)];
/// Default payload of a packet of InfiniBand, and of RoCE over frames that take it.
const PAYLOAD_BYTES: f64 = 4_096.0;
/// Default payload of RoCE over frames of 1500 bytes.
const SMALL_PAYLOAD_BYTES: f64 = 1_024.0;
/// Default MTU of Ethernet.
const MTU_BYTES: f64 = 1_500.0;
const WIRES: &str = "give one of ethernet = 25, infiniband = \"hdr\", fibre_channel = \"32gfc\" and serial = \"sas4\"";

/// All shared links.
pub(super) fn links(file: &mut File<'_>) -> Read<Vec<Link>> {
    let mut links: Vec<Link> = Vec::new();
    for mut section in file.take("link") {
        let name = section.words("name")?;
        let name = section.needed("name", name, "others name it as what is above them")?;
        let link = pci_link(&mut section)?;
        let (generation, lanes) =
            section.needed("generation and lanes", link, "such as generation = 4 and lanes = 16")?;
        if links.iter().any(|other| other.name == name) {
            return Err(
                section.wrong(format!("name of link {name:?} is there twice"), "give each link a name of its own")
            );
        }
        // The speed of a link is that of its standard.
        let origin = section.origin(Basis::Rated)?;
        links.push(Link { origin, name, generation, lanes, above: section.words("above")? });
        file.done(section);
    }
    Ok(links)
}

/// A network: `network` to clients and replicas, `fabric` to storage.
pub(super) fn network(file: &mut File<'_>, name: &str) -> Read<Option<Network>> {
    let Some(mut section) = file.one(name) else { return Ok(None) };
    let wire = wire(&mut section)?;
    let wired = match wire {
        Wire::InfiniBand(_) => Protocol::Rdma,
        _ => Protocol::Tcp,
    };
    let protocol = section.choice("protocol", &PROTOCOLS)?.unwrap_or(wired);
    let mtu = section.number("mtu", 256.0..=65_535.0, "9000")?;
    let mtu_bytes = match (wire, protocol) {
        (Wire::InfiniBand(_), _) => mtu.unwrap_or(PAYLOAD_BYTES),
        (_, Protocol::Rdma) if mtu.unwrap_or(MTU_BYTES) < PAYLOAD_BYTES => SMALL_PAYLOAD_BYTES,
        (_, Protocol::Rdma) => PAYLOAD_BYTES,
        _ => mtu.unwrap_or(MTU_BYTES),
    };
    let network = Network {
        origin: section.origin(Basis::Rated)?,
        wire,
        ports: section.count("ports", 1..=COUNT_MAX)?.unwrap_or(1),
        protocol,
        mtu_bytes,
        cycles_per_io: section.positive("cycles_per_io", "30_000")?,
        kilometres: section.number("kilometres", 0.0..=50_000.0, "80")?,
        above: section.words("above")?,
        price: section.price()?,
    };
    file.done(section);
    Ok(Some(network))
}

fn wire(section: &mut Section<'_>) -> Read<Wire> {
    let ethernet = section.positive("ethernet", "25")?.map(|gigabits| Wire::Ethernet { gigabits });
    let infiniband = section.choice("infiniband", &INFINIBAND)?.map(Wire::InfiniBand);
    let fibre_channel = section.choice("fibre_channel", &FIBRE_CHANNEL)?.map(Wire::FibreChannel);
    let serial = section.choice("serial", &SERIAL)?;
    let lanes = section.count("lanes", 1..=1_024)?;
    let serial = serial.map(|kind| Wire::Serial(SerialLanes { kind, lanes: lanes.unwrap_or(1) }));
    if lanes.is_some() && serial.is_none() {
        let message = format!("lanes of {} are there without serial", section.name);
        return Err(section.wrong(message, "lanes are those of serial = \"sas4\"; ports are those of others"));
    }
    let found: Vec<Wire> = [ethernet, infiniband, fibre_channel, serial].into_iter().flatten().collect();
    match found[..] {
        [one] => Ok(one),
        [] => Err(section.wrong(format!("{} has no speed", section.name), WIRES)),
        _ => Err(section.wrong(format!("{} is of {} kinds, exactly 1 is possible", section.name, found.len()), WIRES)),
    }
}

/// Refuses links that are not there, and circles of them.
pub(super) fn check(file: &File<'_>, plan: &PlatformPlan) -> Read<()> {
    let names: Vec<&str> = plan.links.iter().map(|link| link.name.as_str()).collect();
    let links = plan.links.iter().enumerate().map(|(index, link)| ("link", index, &link.above));
    let drives = plan.drives.iter().enumerate().map(|(index, drive)| ("drive", index, &drive.above));
    let networks = [("network", &plan.network), ("fabric", &plan.fabric)];
    let networks = networks.iter().filter_map(|(name, network)| Some((*name, 0, &network.as_ref()?.above)));
    for (section, index, above) in links.chain(drives).chain(networks) {
        if let Some(above) = above.as_deref().filter(|above| !names.contains(above)) {
            let hint = match names[..] {
                [] => "add it as [[link]] with name, generation and lanes".to_owned(),
                _ => format!("the links of this file are: {}", names.join(", ")),
            };
            return Err(file.about(
                section,
                index,
                format!("above of {section} {above:?} is no [[link]] of this file"),
                &hint,
            ));
        }
    }
    for (index, link) in plan.links.iter().enumerate() {
        let mut next = link.above.as_deref();
        for _ in 0..plan.links.len() {
            next = next
                .and_then(|name| plan.links.iter().find(|other| other.name == name))
                .and_then(|other| other.above.as_deref());
        }
        if next.is_some() {
            let message = format!("link {:?} is above itself, or above such a one", link.name);
            return Err(file.about("link", index, message, "above leads from drives towards memory, and ends there"));
        }
    }
    Ok(())
}
