//! Oversubscription in words: what is below each shared link against what it carries. Behind each figure stands where it
//! is from: m measured, r rated.

use model::platform::{Basis, CachedVolume, Demand, Oversubscription, Shared};
use record::{PciKind, Ratio};

use crate::figure::{megabytes, percent};
use crate::layout::{Align, Head, clean};

/// The columns: resource, its link, what is below it, the sum of that, what it carries, the share.
pub(crate) const HEADS: [Head; 6] = [
    (&["shared"], Align::Left),
    (&["link"], Align::Left),
    (&["below it"], Align::Left),
    (&["below"], Align::Right),
    (&["carries"], Align::Right),
    (&["share"], Align::Right),
];

/// The column that is cut where the table is too wide.
pub(crate) const FLEXIBLE: usize = 2;

/// The cells of a shared resource.
pub(crate) fn cells(found: &Oversubscription) -> [String; 6] {
    let names: Vec<String> = found.demands.iter().map(demand_text).collect();
    let link = match &found.shared {
        Shared::Memory => String::new(),
        Shared::Link { link, .. } => format!("{} GT/s x{}", link.gigatransfers_per_second, link.lanes),
    };
    let mut below: Vec<Basis> = found.demands.iter().map(|demand| demand.basis).collect();
    below.sort_unstable();
    below.dedup();
    [
        shared_text(&found.shared),
        link,
        names.join(", "),
        format!("{} {}", megabytes(Some(found.below().0)), below.into_iter().map(letter).collect::<String>()),
        format!("{} {}", megabytes(Some(found.carries.0)), letter(found.basis)),
        percent(Ratio(found.ratio())),
    ]
}

/// `nvme0n1`; `bcache0 (nvme0n1 caches sda)`.
fn demand_text(demand: &Demand) -> String {
    clean(&match &demand.cached {
        None => demand.name.clone(),
        Some(CachedVolume { name, caches, origins }) => {
            format!("{name} ({} caches {})", caches.join(" "), origins.join(" "))
        }
    })
}

fn letter(basis: Basis) -> char {
    match basis {
        Basis::Measured => 'm',
        Basis::Rated => 'r',
        Basis::Assumed => 'a',
    }
}

fn shared_text(shared: &Shared) -> String {
    match shared {
        Shared::Memory => "memory".to_owned(),
        Shared::Link { address, kind: PciKind::UpstreamPort, .. } => format!("switch {}", clean(address)),
        Shared::Link { address, .. } => clean(address),
    }
}

/// Which is saturated first.
pub(crate) fn first_text(found: &[Oversubscription]) -> Option<String> {
    let first = found.first()?;
    let name = shared_text(&first.shared);
    let share = percent(Ratio(first.ratio()));
    Some(match first.ratio() > 1.0 {
        true => format!("{name} is saturated first: what is below it can ask for {share} of what it carries"),
        false => format!("nothing that is shared is saturated before the devices; the fullest is {name}, at {share}"),
    })
}

/// What the figures are.
pub(crate) const NOTE: &str = "MB/s of data in one direction. m: measured in this record; r: rated by the speed of the \
                               link (with packets of 256 bytes), of the network interface, or of the memory modules. \
                               Devices whose link sysfs does not know are not counted; a \
                               cache device counts once, as the faster of its cache and its origin";
