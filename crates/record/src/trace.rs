//! Latencies of the layers below the engine, from a traced run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Bytes, Latency};

/// Measuring points of latencies, in the order of the layers from the client down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MeasuringPoint {
    /// From the intended start of a step to its last answer, in the generator.
    ClientResponse,
    /// From the call of the driver to its last answer, in the generator.
    ClientService,
    /// Active in a statement, in the engine.
    DatabaseTime,
    /// Duration of a wait, in the engine.
    Wait,
    /// From entry to exit of a system call of the engine's processes, in the kernel.
    SystemCall,
    /// From the allocation of a request to its completion, in the block layer (Q2C); with tracefs from its insertion
    /// into the queue, or from its issue if it was never inserted (I2C).
    Block,
    /// From the issue of a request to the driver to its completion, in the block layer (D2C).
    Device,
}

/// Classes of operations, common to all layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OperationClass {
    /// A step of the test.
    Step,
    /// A read.
    Read,
    /// A write of data, or of the log if the layer does not distinguish them.
    Write,
    /// A write of the log.
    LogWrite,
    /// A log flush to stable storage.
    LogSync,
    /// A sync of any file.
    Sync,
    /// A flush of the device's write cache.
    Flush,
    /// A discard.
    Discard,
}

/// Tracers, the most detailed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TracerKind {
    /// All events, timed in the kernel by BPF programs.
    Bpf,
    /// All events of the block layer, from a tracefs instance; no system calls.
    Tracefs,
    /// The kernel's counters of the block layer: means only, no system calls.
    Counters,
    /// Only figures of the engine; nothing below it.
    Engine,
}

/// An unavailable tracer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnavailableTracer {
    /// The tracer.
    pub tracer: TracerKind,
    /// Reason, as a clause.
    pub reason: String,
    /// How to enable it.
    pub hint: String,
}

/// The latencies of one kind of operation at one measuring point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LayerLatency {
    /// Measuring point.
    pub point: MeasuringPoint,
    /// Class of operation.
    pub class: OperationClass,
    /// Its name in the layer: `fdatasync`, `FLUSH`.
    pub name: String,
    /// Bytes, if the layer knows them.
    pub bytes: Option<Bytes>,
    /// Latency, in buckets of 1/32 of their values: mean, minimum and maximum are exact, quantiles and histogram have
    /// an error of at most 1/64.
    pub latency: Latency,
}

/// A layer without latencies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MissingLayer {
    /// The layer.
    pub point: MeasuringPoint,
    /// Reason, as a clause.
    pub reason: String,
    /// How to enable it.
    pub hint: String,
}

/// Trace of one run: operations that started and ended within the window. Failed calls, and calls on sockets, pipes and
/// `/proc` are not counted; block requests are those of all programs on the device. In a plain run it holds the reason
/// why no run was traced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// The tracer.
    pub tracer: TracerKind,
    /// Unavailable better tracers, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unavailable: Vec<UnavailableTracer>,
    /// Layers without latencies.
    pub missing: Vec<MissingLayer>,
    /// Events lost because a table or ring buffer of the tracer was full: latencies are of the other events, and counts
    /// are too small.
    pub lost_count: u64,
    /// Latencies, in the order of the layers.
    pub latencies: Vec<LayerLatency>,
}
