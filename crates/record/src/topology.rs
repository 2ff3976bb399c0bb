//! How the parts of a platform hang together: links, arrays, paths, network file systems.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Bytes, Ratio};

/// A function on PCI Express, and its link to the port above it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PciFunction {
    /// Its address (`0000:3b:00.0`).
    pub address: String,
    /// The address of the port above it; absent at a root complex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<String>,
    /// What it is.
    pub kind: PciKind,
    /// Kernel names of the block devices and network interfaces that it is (`nvme0n1`, `eno1`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Its NUMA node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numa_node: Option<u32>,
    /// Its link to the port above; absent where it has none, as on an emulated bus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<PciLink>,
}

/// What a PCI function is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PciKind {
    /// A port of a root complex.
    RootPort,
    /// The port of a switch to what is above it.
    UpstreamPort,
    /// A port of a switch to what is below it, or a bridge.
    DownstreamPort,
    /// A controller of storage.
    Storage,
    /// A controller of a network.
    Network,
    /// Anything else.
    #[default]
    Other,
}

/// A link of PCI Express.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PciLink {
    /// Speed of a lane, 10^9 transfers per second.
    pub gigatransfers_per_second: f64,
    /// Lanes.
    pub lanes: u32,
    /// The speed that the function is capable of.
    pub gigatransfers_per_second_max: f64,
    /// The lanes that it is capable of.
    pub lanes_max: u32,
}

/// A software RAID (md).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Array {
    /// Its level, as the kernel writes it (`raid5`).
    pub level: String,
    /// State (`clean`, `active`, `inactive`, ...).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Members that a complete array has.
    pub member_count: u32,
    /// Members that are missing or failed.
    pub missing_count: u32,
    /// What it does to its members (`resync`, `recover`, `check`, ...); absent while idle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync_action: Option<String>,
    /// How much of that is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync_done: Option<Ratio>,
    /// Size of a chunk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk_bytes: Option<Bytes>,
    /// Its members, spares included.
    pub members: Vec<ArrayMember>,
}

/// A member of an array.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArrayMember {
    /// Kernel name.
    pub name: String,
    /// State (`in_sync`, `faulty`, `spare`, ...).
    pub state: String,
}

/// A path to a device: a controller of an NVMe subsystem, or a disk of dm-multipath.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DevicePath {
    /// Kernel name of the controller or disk (`nvme5`, `sdb`).
    pub name: String,
    /// Transport (`pcie`, `tcp`, `rdma`, `fc`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<String>,
    /// Address of the other side (`traddr=10.0.0.1,trsvcid=4420`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// State (`live`, `connecting`, `running`, ...).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Access through it (`optimized`, `non-optimized`, ...).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<String>,
    /// Queues, the administrative one included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_count: Option<u32>,
}

/// A mount of a network file system.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NetworkMount {
    /// Version of the protocol (`4.2`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Transport (`tcp`, `rdma`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<String>,
    /// Connections to the server (`nconnect`).
    pub connections: u32,
    /// Largest read of one request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_bytes_max: Option<Bytes>,
    /// Largest write of one request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_bytes_max: Option<Bytes>,
}
