//! Where a load profile comes from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Bytes;

/// One kind of file of one database or host, or a live server that was watched; several files of a kind are one source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Name of the form, as the reader calls it (`awr`, `statspack`, `sadf`, `watch`, ...).
    pub form: String,
    /// What its counters count.
    pub scope: Scope,
    /// Name of the engine, as targets name it; absent for host statistics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// Version of the engine or of the program that wrote it, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// What tells this database from others, as the source has it (a number); absent if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database_id: Option<String>,
    /// Name of the database; only where the user asks for names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database_name: Option<String>,
    /// Clock of its moments.
    pub zone: Zone,
    /// Number of files that it was read from; 0 for a live server.
    pub files: u32,
    /// Instances that the database has, as the source says; more than were read if some are missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instances_expected: Option<u32>,
    /// Size of the database on disk at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<Bytes>,
    /// Its growth within the time of the source; below 0 if it shrank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub growth_bytes_per_day: Option<f64>,
    /// Processor seconds of dbdyno that reading a live server took, for each second of watching.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watching_seconds_per_second: Option<f64>,
}

/// What the counters of a source count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The work of the database alone, as it counts itself.
    Database,
    /// All that a host does, as its kernel counts it.
    Host,
}

/// The clock of the moments of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Zone {
    /// Moments are UTC; hours of the day are those of this many minutes east of it.
    OffsetMinutes(i16),
    /// The source does not say; moments are as its clock shows them.
    Unknown,
}

/// An instance of the database (one of several of a cluster), or a host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// Its number in the cluster, as the source has it; 1 without a cluster. 0 where a report of the whole cluster tells of all
    /// instances as one: amounts, hardware threads and memory are then sums.
    pub number: u32,
    /// Name of the instance; only where the user asks for names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Name of its host; only where the user asks for names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_name: Option<String>,
    /// Model of the processor, as the source has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor: Option<String>,
    /// Hardware threads of the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hardware_threads: Option<u32>,
    /// Cores of the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores: Option<u32>,
    /// Sockets of the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sockets: Option<u32>,
    /// Memory of the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<Bytes>,
    /// Buffer cache of the instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_cache_bytes: Option<Bytes>,
    /// Shared memory of the instance, the buffer cache included (SGA).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_memory_bytes: Option<Bytes>,
    /// Memory of its sessions (PGA).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_memory_bytes: Option<Bytes>,
}
