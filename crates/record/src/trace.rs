//! What the layers below the engine said of their latencies while a run was traced.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Bytes, Latency};

/// Where a latency is measured, from the client down. The order is that of the layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MeasuringPoint {
    /// From the due time of a step to its last answer, in the generator.
    ClientResponse,
    /// From the call of the driver to its last answer, in the generator.
    ClientService,
    /// At work for a statement, in the engine.
    DatabaseTime,
    /// From the beginning of a wait to its end, in the engine.
    Wait,
    /// From entry to exit of a system call of the engine's processes, in the kernel.
    SystemCall,
    /// From the allocation of a request to its completion, in the block layer (Q2C); on the rung of handed-over events
    /// from where it was put into the queue, or issued where it never was (I2C).
    Block,
    /// From the issue of a request to the driver to its completion, in the block layer (D2C).
    Device,
}

/// What was done, in words that every layer can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OperationClass {
    /// A step of the test.
    Step,
    /// A read.
    Read,
    /// A write, of data or of the log where the layer cannot tell them apart.
    Write,
    /// A write of the log.
    LogWrite,
    /// The log forced to stable storage.
    LogSync,
    /// Any file forced to stable storage.
    Sync,
    /// A flush of the device's write cache.
    Flush,
    /// A discard.
    Discard,
}

/// How far down the layers could be seen: the rungs of the ladder, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rung {
    /// Every event, timed in the kernel by programs of our own (BPF).
    Bpf,
    /// Every event of the block layer, handed over one by one by the kernel's own tracer (an instance in tracefs); no
    /// system calls.
    Tracefs,
    /// Sums of the kernel's own counters: means only, of the block layer, and no system calls.
    Counters,
    /// What the engine says itself: nothing below it was seen.
    Engine,
}

/// A rung that was not to be had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PassedRung {
    /// Which one.
    pub rung: Rung,
    /// Why, as a clause.
    pub reason: String,
    /// How to get it.
    pub hint: String,
}

/// The latencies of one kind of operation at one measuring point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LayerLatency {
    /// Where it was measured.
    pub point: MeasuringPoint,
    /// What was done.
    pub class: OperationClass,
    /// What the layer itself calls it: `fdatasync`, `FLUSH`.
    pub name: String,
    /// Bytes moved, where the layer knows them.
    pub bytes: Option<Bytes>,
    /// How long it took. Counted in buckets of 1/32 of their values: mean, least and most are exact,
    /// quantiles and the histogram at most 1/64 off.
    pub latency: Latency,
}

/// A layer that could not be seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MissingLayer {
    /// Which one.
    pub point: MeasuringPoint,
    /// Why, as a clause.
    pub reason: String,
    /// How to get it.
    pub hint: String,
}

/// What was traced during one run, from the release of its jobs to the end of the last step: what began and ended in
/// between. Calls that failed are not counted, nor those on sockets, pipes and files of the kernel's own (`/proc`);
/// requests are those of everybody on the device. Of a plain run it says why no run was traced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// How far down it was possible to see.
    pub rung: Rung,
    /// The better rungs that were tried and not to be had, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed: Vec<PassedRung>,
    /// What could not be seen.
    pub missing: Vec<MissingLayer>,
    /// Events that were dropped because a table or a ring of the tracer was full: latencies are of those that were not, and
    /// counts too small.
    pub lost_count: u64,
    /// What was seen, in the order of the layers.
    pub latencies: Vec<LayerLatency>,
}
