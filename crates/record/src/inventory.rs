//! What the platform consists of. A field that could not be found out is absent, never guessed.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Bytes, HostState, MemoryModule, Nanos, NetworkInterface};

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
    /// Vendor, version and date of the machine's firmware.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub firmware: Option<String>,
    /// Network interfaces with a device behind them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub network: Vec<NetworkInterface>,
    /// The machine before the first run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_start: Option<HostState>,
    /// The machine after the last run; absent while the measurement goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_end: Option<HostState>,
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
    /// Family, model and stepping in the words of the kernel (`family 6, model 106, stepping 6`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stepping: Option<String>,
    /// Revision of the microcode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub microcode: Option<String>,
    /// What sets the clock (`intel_pstate`, `amd-pstate-epp`, ...).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_driver: Option<String>,
    /// Whether the clock may rise above the nominal one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boost: Option<bool>,
    /// What idle processors are put to sleep with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_driver: Option<String>,
    /// The states of sleep that the first processor knows, the lightest first; those that are off say so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub idle_states: Vec<String>,
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
    /// When transparent huge pages are made room for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transparent_huge_page_defragmentation: Option<String>,
    /// The modules, where the firmware's tables may be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modules: Vec<MemoryModule>,
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
    /// Revision of the firmware.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub firmware: Option<String>,
    /// Serial number, all but its last letters masked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serial_masked: Option<String>,
    /// Speed and width of the link on the bus, and what both ends could do where that is more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// Settings of the request queue, by the kernel's names and in its units.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub queue: BTreeMap<String, String>,
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
    /// What it does about each known weakness of processors, by the kernel's names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub mitigations: BTreeMap<String, String>,
    /// Settings that figures depend on (`vm.dirty_ratio`, ...), by the kernel's names and in its units.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// Whether the clock of the day is kept in time with others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_synchronised: Option<bool>,
    /// By how much it may be wrong at most, as the kernel reckons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_error_max_ns: Option<Nanos>,
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
    pub temporary: bool,
    /// Whether it reads its data files past the page cache of the operating system; absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direct_reads: Option<bool>,
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

/// One of several nodes of an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeInventory {
    /// What it is called, its address say.
    pub name: String,
    /// Whether its sessions may change the database; a replica that only reads does not.
    pub takes_writes: bool,
}
