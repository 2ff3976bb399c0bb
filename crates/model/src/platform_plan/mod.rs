//! What a platform that is not there yet gives at best: its parts, what is required of them, and what follows.
//!
//! All results are bounds: a part may give less. [`bounds`] holds every part against what is required, the
//! fullest first; [`oversubscribed`] looks at links alone, [`storage`] at redundancy and wear, [`second_level`] at a
//! cache on flash, [`purchases`] at what moves the bottleneck, [`prices`] at what all of it costs.

mod alternative;
mod bound;
mod memory;
mod part;
mod price;
mod purchase;
mod recorded;
mod required;
mod second_level;
mod storage;
#[cfg(test)]
mod tests;
mod topology;

pub use alternative::Alternative;
pub use bound::{Bound, FITS_BASIS, Measure, bounds, fits};
pub use memory::{MemoryAccess, memory_access};
pub use part::{
    Commit, Drive, Endurance, Licence, Link, Memory, Misses, Money, Network, Origin, Part, Processor, Protocol,
    Required, SecondLevel, SerialLanes, Volume, Wire,
};
pub use price::{prices, unplaced};
pub use purchase::{Purchase, purchases};
pub use recorded::recorded_plan;
pub use required::{Clients, Demands, clients, commit_latency_seconds, demands};
pub use second_level::{SecondLevelTimes, second_level};
pub use storage::{Storage, storage};
pub use topology::{LinkLoad, oversubscribed};

use crate::PriceBook;
use crate::platform::CachedVolume;

/// A platform on paper. What is not known is absent, and nothing follows from it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlatformPlan {
    /// Its name.
    pub name: Option<String>,
    /// Processors of the database host.
    pub processor: Option<Processor>,
    /// Memory of the database host.
    pub memory: Option<Memory>,
    /// Links that several devices share; the one `above` another exists, and there is no circle.
    pub links: Vec<Link>,
    /// Sets of equal drives.
    pub drives: Vec<Drive>,
    /// The volume over one of these sets.
    pub volume: Option<Volume>,
    /// The network to clients and to a replica.
    pub network: Option<Network>,
    /// The network to storage; absent for drives within the host.
    pub fabric: Option<Network>,
    /// How a commit becomes durable.
    pub commit: Option<Commit>,
    /// A second level of the buffer cache.
    pub cache: Option<SecondLevel>,
    /// The licence of the database.
    pub licence: Option<Licence>,
    /// The currency of all prices, their date and period.
    pub money: Option<Money>,
    /// Prices that stand in a book of their own.
    pub book: Option<PriceBook>,
    /// The cache devices of a record.
    pub cached: Vec<CachedVolume>,
    /// What is required.
    pub required: Required,
}

impl PlatformPlan {
    /// The drives of the volume, or of the only set.
    pub fn data_drives(&self) -> Option<&Drive> {
        match (&self.volume, &self.drives[..]) {
            (Some(volume), drives) => drives.iter().find(|drive| drive.name == volume.drives),
            (None, [only]) => Some(only),
            (None, _) => None,
        }
    }

    /// This plan, with the parts of `other` that it does not have. Drives, links and the volume name each other, and are
    /// taken together.
    pub fn completed_by(self, other: PlatformPlan) -> PlatformPlan {
        let has_storage = !self.drives.is_empty() || !self.links.is_empty() || self.volume.is_some();
        let storage =
            |own: &PlatformPlan| (own.links.clone(), own.drives.clone(), own.volume.clone(), own.cached.clone());
        let (links, drives, volume, cached) = storage(if has_storage { &self } else { &other });
        PlatformPlan {
            name: self.name.or(other.name),
            processor: self.processor.or(other.processor),
            memory: self.memory.or(other.memory),
            links,
            drives,
            volume,
            network: self.network.or(other.network),
            fabric: self.fabric.or(other.fabric),
            commit: self.commit.or(other.commit),
            cache: self.cache.or(other.cache),
            licence: self.licence.or(other.licence),
            money: self.money.or(other.money),
            book: self.book.or(other.book),
            cached,
            required: self.required,
        }
    }
}
