//! The value of a fact of a platform.

use record::{Bytes, Location, Nanos, Pace, PciLink, Placement, Preset};

/// The value of a fact. Figures are as precise as they are shown, so that values that are equal on paper are equal.
#[derive(Clone, Debug, PartialEq)]
pub enum FactValue {
    /// As a record or a publication states it.
    Text(String),
    /// A size.
    Size(FactSize),
    /// A number of things.
    Count(u64),
    /// Whether it is on.
    Switch(bool),
    /// A clock frequency, in MHz.
    Megahertz(u64),
    /// Processor time that is allowed, in hundredths of a processor.
    ProcessorQuota {
        /// The quota.
        hundredths: u64,
    },
    /// Processors, each number above 0 where known.
    Topology {
        /// Sockets.
        sockets: Option<u32>,
        /// Cores.
        cores: Option<u32>,
        /// Hardware threads.
        threads: Option<u32>,
    },
    /// NUMA nodes.
    NumaNodes(u32),
    /// A block device.
    Device(DeviceFact),
    /// Where the engine is.
    Location(Location),
    /// Whether dbdyno started the server.
    Server {
        /// Not already running.
        is_temporary: bool,
    },
    /// A build of dbdyno.
    Build {
        /// The version.
        version: String,
        /// Whether the compiler optimised it.
        is_optimised: bool,
    },
    /// A preset.
    Preset(Preset),
    /// A span of time.
    Time(Nanos),
    /// A pace.
    Pace(Pace),
    /// Where jobs run.
    Placement(Placement),
    /// One hardware thread of each core is used.
    OneThreadPerCore,
    /// A table.
    Table {
        /// Its rows.
        rows: u64,
        /// Its size.
        size: FactSize,
    },
    /// Settings of an engine that others lack.
    OwnSettings {
        /// How many.
        count: u64,
        /// The engine.
        engine: String,
    },
    /// One of several values of a fact, with a name of its own.
    Named {
        /// The name.
        name: String,
        /// The value.
        value: Box<FactValue>,
    },
    /// One of several published numbers of a fact.
    Counted {
        /// The number.
        value: Box<FactValue>,
        /// What it counts, in the plural.
        noun: String,
    },
}

/// What is known of a block device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceFact {
    /// Its model.
    pub model: Option<String>,
    /// Its size.
    pub size: Option<FactSize>,
    /// Whether it rotates.
    pub is_rotational: Option<bool>,
    /// Its write cache.
    pub write_cache: Option<String>,
    /// The scheduler of the kernel.
    pub scheduler: Option<String>,
    /// Requests that the kernel queues for it.
    pub queue_depth: Option<u32>,
    /// Its firmware.
    pub firmware: Option<String>,
    /// How it is attached.
    pub link: Option<PciLink>,
}

impl FactValue {
    /// What a record or a publication states literally; all values of publications are of this kind.
    pub fn text(&self) -> Option<&str> {
        match self {
            FactValue::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// A size as a fact, equal to others that are the same in tenths of the largest binary unit that fits; a multiple of
/// that unit is equal to itself only.
#[derive(Clone, Copy, Debug)]
pub struct FactSize(pub Bytes);

impl FactSize {
    /// The unit, the size in tenths of it, whether it is a multiple of it.
    fn rounded(self) -> (u64, f64, bool) {
        let Bytes(bytes) = self.0;
        let unit = [1u64 << 40, 1 << 30, 1 << 20, 1 << 10].into_iter().find(|unit| bytes >= *unit).unwrap_or(1);
        (unit, (bytes as f64 / unit as f64 * 10.0).round_ties_even(), bytes.is_multiple_of(unit))
    }
}

impl PartialEq for FactSize {
    fn eq(&self, other: &FactSize) -> bool {
        self.rounded() == other.rounded()
    }
}
