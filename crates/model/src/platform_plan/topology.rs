//! Shared links: what is below each of them against what it carries.

use record::Rate;

use super::{Drive, Link, Network, PlatformPlan, Protocol, Wire};
use crate::platform::{
    ISCSI_HEADER_BYTES, NVME_TCP_HEADER_BYTES, ethernet_goodput, fair_share, infiniband_share, oversubscription,
    pdu_share, roce_share,
};

/// The payload of a packet of PCI Express: the most common setting.
const PAYLOAD_BYTES: f64 = 256.0;

/// A shared link with what is below it.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkLoad {
    /// Its name.
    pub name: String,
    /// What it carries in one direction.
    pub carries: Rate,
    /// What is below it: links, drives, adapters.
    pub below: Vec<String>,
    /// What these can ask for, each no more than its own link carries.
    pub asked: Rate,
    /// That over what it carries.
    pub ratio: f64,
    /// What each drive gets where all below ask for all they can, with what it could; absent without drives.
    pub each: Option<(Rate, Rate)>,
}

impl Link {
    /// Bytes of data per second in one direction.
    pub fn carries(&self) -> Rate {
        self.generation.payload(self.lanes, PAYLOAD_BYTES)
    }
}

impl Drive {
    /// Bytes per second that each may ask for: what it reads, and no more than its link carries.
    pub fn asks(&self) -> Option<Rate> {
        let link = self.link.map(|(generation, lanes)| generation.payload(lanes, PAYLOAD_BYTES).0);
        [self.read_rate.map(|rate| rate.0), link].into_iter().flatten().reduce(f64::min).map(Rate)
    }
}

impl Network {
    /// Bytes of data per second over all ports in one direction, in I/Os of `io_bytes` where headers are per I/O.
    pub fn carries(&self, io_bytes: Option<f64>) -> Rate {
        let one = match self.wire {
            Wire::Ethernet { gigabits } => match self.protocol {
                Protocol::Rdma => gigabits * 1e9 / 8.0 * roce_share(self.mtu_bytes),
                Protocol::Tcp => ethernet_goodput(gigabits, self.mtu_bytes).0,
                Protocol::Iscsi => self.over_tcp(gigabits, io_bytes, ISCSI_HEADER_BYTES),
                Protocol::NvmeTcp => self.over_tcp(gigabits, io_bytes, NVME_TCP_HEADER_BYTES),
            },
            Wire::InfiniBand(link) => link.link().0 * infiniband_share(self.mtu_bytes),
            Wire::FibreChannel(port) => port.data().0,
            Wire::Serial(serial) => serial.kind.lane().0 * f64::from(serial.lanes),
        };
        Rate(one * f64::from(self.ports))
    }

    fn over_tcp(&self, gigabits: f64, io_bytes: Option<f64>, header_bytes: f64) -> f64 {
        let share = io_bytes.map_or(1.0, |io_bytes| pdu_share(io_bytes, header_bytes));
        ethernet_goodput(gigabits, self.mtu_bytes).0 * share
    }
}

impl PlatformPlan {
    /// The links between `above` and memory, the nearest first.
    pub(super) fn links_above<'a>(&'a self, above: Option<&'a str>) -> Vec<&'a Link> {
        let mut found = Vec::new();
        let mut next = above;
        while let Some(link) = next.and_then(|name| self.links.iter().find(|link| link.name == name)) {
            // More than there are: a circle.
            if found.len() == self.links.len() {
                break;
            }
            found.push(link);
            next = link.above.as_deref();
        }
        found
    }
}

/// What is directly below the link `name`: names, and rates that are known.
fn children(plan: &PlatformPlan, name: &str, depth: usize) -> Vec<(String, Rate)> {
    let is_below = |above: &Option<String>| above.as_deref() == Some(name);
    let drives = plan.drives.iter().filter(|drive| is_below(&drive.above)).filter_map(|drive| {
        let label = if drive.count == 1 { drive.name.clone() } else { format!("{} x {}", drive.count, drive.name) };
        Some((label, Rate(drive.asks()?.0 * f64::from(drive.count))))
    });
    let ports = [("network", &plan.network), ("fabric", &plan.fabric)].into_iter().filter_map(|(name, network)| {
        let network = network.as_ref().filter(|network| is_below(&network.above))?;
        Some((name.to_owned(), network.carries(plan.required.io_bytes)))
    });
    // Deeper than there are links: a circle.
    let links = plan.links.iter().filter(|link| is_below(&link.above) && depth < plan.links.len());
    let links = links.map(|link| {
        let below = children(plan, &link.name, depth + 1);
        let asked: f64 = below.iter().map(|(_, rate)| rate.0).sum();
        // Of a link with nothing below it that is known, its own rate is what it can ask for.
        let rate = if below.is_empty() { link.carries().0 } else { asked.min(link.carries().0) };
        (link.name.clone(), Rate(rate))
    });
    drives.chain(ports).chain(links).collect()
}

/// Every shared link with something below it, the one with the highest ratio first.
pub fn oversubscribed(plan: &PlatformPlan) -> Vec<LinkLoad> {
    let of = |link: &Link| {
        let below = children(plan, &link.name, 0);
        let rates: Vec<Rate> = below.iter().map(|(_, rate)| *rate).collect();
        let carries = link.carries();
        let drives = plan
            .drives
            .iter()
            .filter(|drive| plan.links_above(drive.above.as_deref()).iter().any(|above| above.name == link.name));
        let drives: Vec<&Drive> = drives.collect();
        let count: u32 = drives.iter().map(|drive| drive.count).fold(0, u32::saturating_add);
        let each = drives.iter().filter_map(|drive| drive.asks()).map(|rate| rate.0).reduce(f64::max).map(Rate);
        (!below.is_empty()).then(|| LinkLoad {
            name: link.name.clone(),
            carries,
            asked: Rate(rates.iter().map(|rate| rate.0).sum()),
            ratio: oversubscription(&rates, carries),
            each: each.map(|each| (fair_share(each, carries, count), each)),
            below: below.into_iter().map(|(name, _)| name).collect(),
        })
    };
    let mut found: Vec<LinkLoad> = plan.links.iter().filter_map(of).collect();
    found.sort_by(|one, other| other.ratio.total_cmp(&one.ratio));
    found
}
