//! What a load within a given time needs of processors, network and disks, and what of it there is.
//!
//! With V bytes of flat file in T seconds, R = V/T bytes go through every stage of the pipeline in a second:
//!
//! - network: R over the compression of what is sent;
//! - processors: R / u times the sum of 1 / rate over the stages, where rates are bytes of flat file per second of one
//!   core and u is how busy processors may be;
//! - disks: R times the bytes written for a byte of flat file, times the copies;
//! - links to replicas: R times the bytes of log for a byte of flat file, times the replicas.
//!
//! Stages of a pipeline run at the same time, so that the load takes as long as the slowest of them; what begins when the
//! load has ended (indexes, checks) is a phase of its own, and its time is added. The load then has what is left of T.
//!
//! A stage of which no rate is known is told as such: what is needed is then at least what the others need. The
//! arithmetic is as true as its rates are. It lies where a stage does not scale over cores, or where a resource that is
//! not in the plan (a switch, a file server) sets the pace.

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

/// What is to be loaded, by when, and with what. What is absent is not known.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Flat file, uncompressed.
    pub volume: Bytes,
    /// Time for it and for all that has to be done before it may be used, seconds; above 0.
    pub window_seconds: f64,
    /// What is sent in its place.
    pub input: Input,
    /// What the stages cost, in the order of the way; of one that is not in it nothing is known.
    pub stages: Vec<StageCost>,
    /// Processors.
    pub cores: Cores,
    /// How busy processors may be, in (0, 1].
    pub utilisation: Ratio,
    /// Links over which the flat file comes.
    pub network: Option<Units>,
    /// Disks, of all copies together.
    pub disks: Option<Units>,
    /// Bytes written for a byte of flat file: table, indexes and log, of one copy.
    pub written_per_byte: Option<(f64, WrittenSource)>,
    /// Bytes of log for a byte of flat file.
    pub log_per_byte: Option<f64>,
    /// Copies beside the first one.
    pub replicas: u32,
}

/// In which form the flat file is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// The name of its compression; absent where it is sent as it is.
    pub name: Option<String>,
    /// Uncompressed over compressed; above 0, 1 where it is sent as it is.
    pub ratio: f64,
}

impl Input {
    /// Not compressed.
    pub fn plain() -> Input {
        Input { name: None, ratio: 1.0 }
    }
}

/// Processors, as far as they are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cores {
    /// Client and server share them.
    Shared(Option<u32>),
    /// Each has its own.
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
    /// How many.
    pub count: u32,
    /// What one of them carries or writes, bytes per second.
    pub each: Rate,
    /// What one of them is, for people: `1 GbE`, `200MB/s`.
    pub name: String,
    /// How its rate follows from its name; absent where it was given.
    pub basis: Option<String>,
}

impl Units {
    /// What all of them give, bytes per second.
    pub fn all(&self) -> Rate {
        Rate(f64::from(self.count) * self.each.0)
    }
}

impl Plan {
    /// Bytes of flat file per second over the whole time.
    pub fn rate(&self) -> Rate {
        Rate(self.volume.0 as f64 / self.window_seconds)
    }

    /// What is known of `stage`; none where nothing is.
    pub fn cost(&self, stage: Stage) -> Option<&StageCost> {
        self.stages.iter().find(|cost| cost.stage() == stage)
    }
}
