//! Oversubscription in words: what is below each shared link against what it carries. Behind each figure stands where it
//! is from: m measured, r rated.

use model::platform::{Basis, CachedVolume, Demand, Oversubscription, Shared};
use record::{PciKind, Rate, Ratio};

use crate::document::{Block, Cell, Column, Row, Table, Tone};
use crate::figure::{megabytes, percent};

/// Which shared link is saturated first, all of them, and what the figures are; nothing where no device has a known link.
pub(crate) fn blocks(found: &[Oversubscription]) -> Vec<Block> {
    let Some(first) = first_text(found) else { return Vec::new() };
    vec![Block::text(format!("{first}.")), table(found).into(), Block::aside(NOTE)]
}

/// The place of the column of what is below a link, which gives way to the figures.
const BELOW: usize = 2;

/// A line for each shared resource: its link, what is below it, the sum of that, what it carries, the share.
fn table(found: &[Oversubscription]) -> Table {
    let columns = vec![
        Column::text("shared"),
        Column::text("link"),
        Column::text("below it"),
        Column::figure("below"),
        Column::figure("carries"),
        Column::figure("share"),
    ];
    let table = Table::new("bandwidth", "Shared bandwidth", columns).with(found.iter().map(row));
    Table { flexible: Some(BELOW), ..table }
}

fn row(found: &Oversubscription) -> Row {
    let names: Vec<String> = found.demands.iter().map(demand_text).collect();
    let link = match &found.shared {
        Shared::Memory => String::new(),
        Shared::Link { link, .. } => format!("{} GT/s x{}", link.gigatransfers_per_second, link.lanes),
    };
    let mut below: Vec<Basis> = found.demands.iter().map(|demand| demand.basis).collect();
    below.sort_unstable();
    below.dedup();
    let below: String = below.into_iter().map(letter).collect();
    let rate =
        |rate: Rate, basis: &str| Cell::figure(Some(rate.0), |rate| format!("{} {basis}", megabytes(Some(rate))));
    let cells = vec![
        Cell::text(shared_text(&found.shared)),
        Cell::text(link),
        Cell::text(names.join(", ")),
        rate(found.below(), &below),
        rate(found.carries, &letter(found.basis).to_string()),
        Cell::figure(Some(found.ratio()), |ratio| percent(Ratio(ratio))),
    ];
    Row::new(cells).in_tone(if found.ratio() > 1.0 { Tone::Warning } else { Tone::Plain })
}

/// `nvme0n1`; `bcache0 (nvme0n1 caches sda)`.
fn demand_text(demand: &Demand) -> String {
    match &demand.cached {
        None => demand.name.clone(),
        Some(CachedVolume { name, caches, origins }) => {
            format!("{name} ({} caches {})", caches.join(" "), origins.join(" "))
        }
    }
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
        Shared::Link { address, kind: PciKind::UpstreamPort, .. } => format!("switch {address}"),
        Shared::Link { address, .. } => address.clone(),
    }
}

/// Which is saturated first.
fn first_text(found: &[Oversubscription]) -> Option<String> {
    let first = found.first()?;
    let name = shared_text(&first.shared);
    let share = percent(Ratio(first.ratio()));
    Some(match first.ratio() > 1.0 {
        true => format!("{name} is saturated first: what is below it can ask for {share} of what it carries"),
        false => format!("nothing that is shared is saturated before the devices; the fullest is {name}, at {share}"),
    })
}

/// What the figures are.
const NOTE: &str = "MB/s of data in one direction. m: measured in this record; r: rated by the speed of the \
                               link (with packets of 256 bytes), of the network interface, or of the memory modules. \
                               Devices whose link sysfs does not know are not counted; a \
                               cache device counts once, as the faster of its cache and its origin.";
