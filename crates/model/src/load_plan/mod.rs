//! Resources that a load within a given time requires of processors, network and disks, compared with those available.
//!
//! With V bytes of flat file in T seconds, R = V/T bytes per second go through every stage of the pipeline:
//!
//! - network: R over the compression ratio;
//! - processors: R / u times the sum of 1 / rate over the stages, where rates are bytes of flat file per second and
//!   core, and u is the CPU utilisation;
//! - disks: R times write amplification, times the copies;
//! - links to replicas: R times the bytes of log per byte of flat file, times the replicas.
//!
//! Stages of a pipeline run concurrently, so that the load takes as long as the slowest of them. What follows the load
//! (indexes, checks) is a phase of its own; the load has the rest of T.
//!
//! A stage without a rate is listed as unknown: the requirement is then a lower bound. The result is as accurate as the
//! rates. It is wrong where a stage does not scale over cores, or where a resource outside the plan (a switch, a file
//! server) is the bottleneck.

mod measured;
mod need;
mod phase;
mod stage;
#[cfg(test)]
mod tests;

use record::{Bytes, Rate, Ratio};

pub use measured::{MeasuredPlan, measured_plan};
pub use need::{Need, Needs, Part, Resource, needs};
pub use phase::{PhaseKind, PhaseTime};
pub use stage::{Place, RateSource, Stage, StageCost, StageRate, WrittenSource, starting_rates};

/// The plan of a load. Absent values are unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Flat file, uncompressed.
    pub volume: Bytes,
    /// Time until the data can be used, seconds; above 0.
    pub window_seconds: f64,
    /// The form of the input.
    pub input: Input,
    /// The costs of the stages, in the order of the pipeline; missing ones are unknown.
    pub stages: Vec<StageCost>,
    /// Processors.
    pub cores: Cores,
    /// CPU utilisation to plan with, in (0, 1].
    pub utilisation: Ratio,
    /// Links for the flat file.
    pub network: Option<Units>,
    /// Disks of all copies together.
    pub disks: Option<Units>,
    /// Write amplification: table, indexes and log, of one copy.
    pub written_per_byte: Option<(f64, WrittenSource)>,
    /// Bytes of log per byte of flat file.
    pub log_per_byte: Option<f64>,
    /// Copies beside the first one.
    pub replicas: u32,
}

/// The form in which the flat file is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Its compression; absent where uncompressed.
    pub name: Option<String>,
    /// Compression ratio, uncompressed over compressed; above 0, 1 where uncompressed.
    pub ratio: f64,
}

impl Input {
    /// Uncompressed input.
    pub fn plain() -> Input {
        Input { name: None, ratio: 1.0 }
    }
}

/// Processors, as far as known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cores {
    /// Client and server share them.
    Shared(Option<u32>),
    /// Client and server have their own.
    Apart {
        /// Those of the client.
        client: Option<u32>,
        /// Those of the server.
        server: Option<u32>,
    },
}

/// Several equal links or disks.
#[derive(Clone, Debug, PartialEq)]
pub struct Units {
    /// Their number.
    pub count: u32,
    /// Bandwidth of one of them, bytes per second.
    pub each: Rate,
    /// The display name: `1 GbE`, `200MB/s`.
    pub name: String,
    /// The origin of the bandwidth.
    pub basis: Basis,
}

/// The origin of a bandwidth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Basis {
    /// Given.
    Given,
    /// Goodput of TCP on links of Ethernet.
    TcpGoodput {
        /// The MTU, bytes.
        mtu_bytes: f64,
    },
    /// Published.
    Published,
}

impl Units {
    /// Bandwidth of all of them, bytes per second.
    pub fn all(&self) -> Rate {
        Rate(f64::from(self.count) * self.each.0)
    }
}

impl Plan {
    /// Bytes of flat file per second over the whole time.
    pub fn rate(&self) -> Rate {
        Rate(self.volume.0 as f64 / self.window_seconds)
    }

    /// The cost of `stage`; None where unknown.
    pub fn cost(&self, stage: Stage) -> Option<&StageCost> {
        self.stages.iter().find(|cost| cost.stage() == stage)
    }
}
