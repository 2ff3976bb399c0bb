//! What the platform consists of. A field that could not be found out is absent, never guessed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Bytes, Nanos};

/// The machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostInventory {
    /// Its name.
    pub host_name: Option<String>,
    /// Vendor and product as the firmware says.
    pub product: Option<String>,
    /// Processors.
    pub cpu: Cpu,
    /// Memory.
    pub memory: Memory,
    /// The file system that holds the measured directory.
    pub file_system: Option<FileSystem>,
    /// The block devices below it, the topmost first.
    pub devices: Vec<BlockDevice>,
    /// Kernel and operating system.
    pub kernel: Kernel,
    /// Hypervisor or container technology, if any is visible (`kvm`, `docker`, ...).
    pub virtualisation: Option<String>,
    /// Limits of the control group that dbdyno runs in.
    pub cgroup: CgroupLimits,
}

/// Processors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cpu {
    /// Model name.
    pub model: Option<String>,
    /// Physical packages.
    pub sockets: Option<u32>,
    /// Cores of all packages.
    pub cores: Option<u32>,
    /// Hardware threads that are on line.
    pub threads: u32,
    /// Whether simultaneous multithreading is active.
    pub smt: Option<bool>,
    /// Clock as the kernel reports it at the time of the inventory.
    pub clock_mhz: Option<f64>,
    /// Highest clock that the frequency driver allows.
    pub clock_mhz_max: Option<f64>,
    /// Frequency governor.
    pub governor: Option<String>,
    /// Caches seen by the first processor, the nearest first.
    pub caches: Vec<Cache>,
    /// NUMA nodes.
    pub numa_nodes: Vec<NumaNode>,
}

/// One cache level.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cache {
    /// 1 is the nearest.
    pub level: u32,
    /// `data`, `instruction` or `unified`.
    pub kind: String,
    /// Size of one instance.
    pub size_bytes: Bytes,
    /// Instances on the machine.
    pub instances: u32,
}

/// One NUMA node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NumaNode {
    /// Its number.
    pub number: u32,
    /// Its processors, as the kernel lists them (`0-15,32-47`).
    pub cpus: String,
    /// Its memory.
    pub memory_bytes: Option<Bytes>,
}

/// Main memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// Total.
    pub total_bytes: Bytes,
    /// Available when the inventory was made.
    pub available_bytes: Option<Bytes>,
    /// Swap space.
    pub swap_bytes: Option<Bytes>,
    /// Mode of transparent huge pages.
    pub transparent_huge_pages: Option<String>,
    /// Pages of the huge page pool, in bytes.
    pub huge_page_pool_bytes: Option<Bytes>,
}

/// A mounted file system.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileSystem {
    /// Type (`ext4`, `xfs`, `overlay`, ...).
    pub kind: String,
    /// Where it is mounted.
    pub mount_point: String,
    /// What is mounted.
    pub source: String,
    /// Mount options.
    pub options: String,
    /// Size.
    pub size_bytes: Option<Bytes>,
    /// Space that an ordinary user may fill.
    pub free_bytes: Option<Bytes>,
}

/// A block device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockDevice {
    /// Kernel name (`nvme0n1`, `dm-0`, `vda`).
    pub name: String,
    /// Model, as the device says.
    pub model: Option<String>,
    /// Size.
    pub size_bytes: Option<Bytes>,
    /// Whether the kernel takes it for a rotating disk; virtual disks often say so and are not.
    pub rotational: Option<bool>,
    /// I/O scheduler in use.
    pub scheduler: Option<String>,
    /// Requests that the queue holds.
    pub queue_depth: Option<u32>,
    /// `write back` or `write through`: whether a flush is needed for data to be safe.
    pub write_cache: Option<String>,
    /// Whether forced unit access is supported.
    pub fua: Option<bool>,
    /// Logical block size.
    pub logical_block_bytes: Option<Bytes>,
    /// Devices that this one is made of (device mapper, md).
    pub slaves: Vec<String>,
}

/// Kernel and operating system.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    /// Release.
    pub release: String,
    /// Architecture.
    pub architecture: String,
    /// Operating system as it calls itself.
    pub operating_system: Option<String>,
    /// Clock source.
    pub clock_source: Option<String>,
    /// Parameters that the kernel was started with.
    pub command_line: Option<String>,
}

/// Limits of a control group.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CgroupLimits {
    /// 1 or 2; absent where there is none.
    pub version: Option<u32>,
    /// Processors' worth of time per second; absent where unlimited.
    pub cpu_quota: Option<f64>,
    /// Processors that may be used, as the kernel lists them.
    pub cpu_set: Option<String>,
    /// Memory limit; absent where unlimited.
    pub memory_max_bytes: Option<Bytes>,
    /// Period of the processor quota.
    pub cpu_period_ns: Option<Nanos>,
}

/// Where the engine runs, as seen from the jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Location {
    /// In the process of dbdyno.
    InProcess,
    /// On this host, over a Unix socket.
    UnixSocket,
    /// On this host, over TCP.
    LocalTcp,
    /// On another host.
    Remote,
}

/// A setting of the engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its value, with the unit.
    pub value: String,
    /// The engine's default, where it is known.
    pub default: Option<String>,
}

/// The engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EngineInventory {
    /// Short name, as in a target.
    pub name: String,
    /// Name as its makers write it.
    pub title: String,
    /// Version, as the engine says.
    pub version: String,
    /// Where it runs.
    pub location: Location,
    /// Nodes.
    pub nodes: u32,
    /// Whether the connection is encrypted, and how.
    pub encryption: Option<String>,
    /// Whether dbdyno started it.
    pub throwaway: bool,
    /// Page or block size.
    pub block_bytes: Option<Bytes>,
    /// Buffer cache: of the node, or of each session where the engine caches per session.
    pub cache_bytes: Option<Bytes>,
    /// Whether a commit that was acknowledged survives a crash of the operating system, and why it does or does not,
    /// as far as settings can tell.
    pub durable: Option<bool>,
    /// The settings that `durable` follows from, in words.
    pub durability: String,
    /// Settings that differ from the default, and the ones that figures depend on most.
    pub settings: Vec<Setting>,
}
