//! Inventory of the platform. Unknown values are absent, never guessed.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Array, Bytes, DevicePath, DurabilityShown, HostState, Nanos, NetworkMount, PciFunction, PciLink};

/// The machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostInventory {
    /// Its name.
    pub host_name: Option<String>,
    /// Vendor and product from the firmware.
    pub product: Option<String>,
    /// Processors.
    pub cpu: Cpu,
    /// Memory.
    pub memory: Memory,
    /// The file system that holds the measured directory.
    pub file_system: Option<FileSystem>,
    /// The block devices below it, from top to bottom.
    pub devices: Vec<BlockDevice>,
    /// Kernel and operating system.
    pub kernel: Kernel,
    /// Hypervisor or container technology, if any is visible (`kvm`, `docker`, ...).
    pub virtualisation: Option<String>,
    /// Limits of the control group of dbdyno.
    pub cgroup: CgroupLimits,
    /// Vendor, version and date of the machine's firmware.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub firmware: Option<String>,
    /// Network interfaces with a device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub network: Vec<NetworkInterface>,
    /// Controllers of storage and networks on PCI Express, and the ports above them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pci: Vec<PciFunction>,
    /// State before the first run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_start: Option<HostState>,
    /// State after the last run; absent during the measurement.
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
    /// Online hardware threads.
    pub threads: u32,
    /// Whether simultaneous multithreading is active.
    pub smt: Option<bool>,
    /// Clock frequency at the time of the inventory.
    pub clock_mhz: Option<f64>,
    /// Maximum clock frequency of the frequency driver.
    pub clock_mhz_max: Option<f64>,
    /// Frequency governor.
    pub governor: Option<String>,
    /// Caches of the first processor, from level 1 up.
    pub caches: Vec<Cache>,
    /// NUMA nodes.
    pub numa_nodes: Vec<NumaNode>,
    /// Family, model and stepping (`family 6, model 106, stepping 6`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stepping: Option<String>,
    /// Revision of the microcode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub microcode: Option<String>,
    /// Frequency driver (`intel_pstate`, `amd-pstate-epp`, ...).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_driver: Option<String>,
    /// Whether boost is enabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boost: Option<bool>,
    /// cpuidle driver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_driver: Option<String>,
    /// Idle states of the first processor, the lightest first; disabled ones are marked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub idle_states: Vec<String>,
}

/// One cache level.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cache {
    /// Cache level.
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
    /// Distances to the nodes in their order, its own included; 10 is the own memory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub distances: Vec<u32>,
}

/// Main memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// Total.
    pub total_bytes: Bytes,
    /// Available at the time of the inventory.
    pub available_bytes: Option<Bytes>,
    /// Swap space.
    pub swap_bytes: Option<Bytes>,
    /// Mode of transparent huge pages.
    pub transparent_huge_pages: Option<String>,
    /// Pages of the huge page pool, in bytes.
    pub huge_page_pool_bytes: Option<Bytes>,
    /// Defragmentation mode of transparent huge pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transparent_huge_page_defragmentation: Option<String>,
    /// The modules, if the firmware tables are readable.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modules: Vec<MemoryModule>,
}

/// A memory module, as described by the firmware.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryModule {
    /// Slot, with channel (`P0 CHANNEL A DIMM 0`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<String>,
    /// Size.
    pub size_bytes: Bytes,
    /// Type (`DDR5`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Maximum speed, MT/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub megatransfers_per_second_max: Option<u32>,
    /// Configured speed, MT/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub megatransfers_per_second: Option<u32>,
}

/// A network interface with a device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NetworkInterface {
    /// Kernel name (`eth0`).
    pub name: String,
    /// Driver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// MTU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packet_bytes_max: Option<Bytes>,
    /// Link speed, Mbit/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub megabits_per_second: Option<u64>,
}

/// A mounted file system.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileSystem {
    /// Type (`ext4`, `xfs`, `overlay`, ...).
    pub kind: String,
    /// Mount point.
    pub mount_point: String,
    /// Mounted device or source.
    pub source: String,
    /// Mount options.
    pub options: String,
    /// Size.
    pub size_bytes: Option<Bytes>,
    /// Free space for ordinary users.
    pub free_bytes: Option<Bytes>,
    /// The protocol, where it is a network file system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkMount>,
}

/// A block device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockDevice {
    /// Kernel name (`nvme0n1`, `dm-0`, `vda`).
    pub name: String,
    /// Model, reported by the device.
    pub model: Option<String>,
    /// Size.
    pub size_bytes: Option<Bytes>,
    /// Whether the kernel reports it as a rotating disk; unreliable for virtual disks.
    pub rotational: Option<bool>,
    /// I/O scheduler in use.
    pub scheduler: Option<String>,
    /// Size of the request queue.
    pub queue_depth: Option<u32>,
    /// `write back` or `write through`: whether durability needs a flush.
    pub write_cache: Option<String>,
    /// Whether forced unit access is supported.
    pub fua: Option<bool>,
    /// Logical block size.
    pub logical_block_bytes: Option<Bytes>,
    /// Underlying devices (device mapper, md).
    pub slaves: Vec<String>,
    /// Revision of the firmware.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub firmware: Option<String>,
    /// Serial number, masked except for the last characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serial_masked: Option<String>,
    /// The link of its PCI function, or of the nearest one above it that has a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<PciLink>,
    /// The address of its PCI function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pci_address: Option<String>,
    /// Its NUMA node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numa_node: Option<u32>,
    /// Hardware queues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hardware_queue_count: Option<u32>,
    /// The array, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub array: Option<Array>,
    /// The cache device, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheDevice>,
    /// Whether it is a device of the device mapper over several others of which nobody knows what it does with them: its
    /// table is shown to root alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_opaque: bool,
    /// The NVMe subsystem that it is of, by its qualified name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subsystem: Option<String>,
    /// How the kernel chooses among the paths (`numa`, `round-robin`, ...).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_policy: Option<String>,
    /// The paths to it: NVMe controllers, or the disks of dm-multipath.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<DevicePath>,
    /// The file behind a loop device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backing_file: Option<String>,
    /// Whether the loop device reads and writes that file past the page cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backing_is_direct: Option<bool>,
    /// Whether it keeps its blocks in the memory of the host: a RAM disk, zram, a loop device on a file in memory.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_memory: bool,
    /// Settings of the request queue, by the kernel's names and in its units.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub queue: BTreeMap<String, String>,
}

/// A device that keeps blocks of another, its origin, on a faster one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CacheDevice {
    /// What makes it: `dm-cache`, `dm-writecache`, `bcache`.
    pub technique: String,
    /// When a write reaches the origin: `writeback` (later), `writethrough`, `writearound`, ...; absent where it is not
    /// shown.
    pub mode: Option<String>,
    /// Kernel name of the device with all blocks.
    pub origin: Option<String>,
    /// Kernel names of the devices with the blocks that are cached; empty where none is attached.
    pub caches: Vec<String>,
    /// Kernel name of the device with the metadata, where that is one of its own.
    pub metadata: Option<String>,
    /// The unit that is cached; absent where it is not shown.
    pub block_bytes: Option<Bytes>,
}

/// Kernel and operating system.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    /// Release.
    pub release: String,
    /// Architecture.
    pub architecture: String,
    /// Name of the operating system.
    pub operating_system: Option<String>,
    /// Clock source.
    pub clock_source: Option<String>,
    /// Kernel command line.
    pub command_line: Option<String>,
    /// Mitigations of CPU vulnerabilities, by the kernel's names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub mitigations: BTreeMap<String, String>,
    /// Settings that affect figures (`vm.dirty_ratio`, ...), by the kernel's names and in its units.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// Whether the system clock is synchronised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_synchronised: Option<bool>,
    /// Maximum error of the system clock, as estimated by the kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_error_max_ns: Option<Nanos>,
}

/// Limits of a control group.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CgroupLimits {
    /// 1 or 2; absent without control groups.
    pub version: Option<u32>,
    /// CPU quota in processors; absent if unlimited.
    pub cpu_quota: Option<f64>,
    /// Allowed processors, as listed by the kernel.
    pub cpu_set: Option<String>,
    /// Memory limit; absent if unlimited.
    pub memory_max_bytes: Option<Bytes>,
    /// Period of the processor quota.
    pub cpu_period_ns: Option<Nanos>,
}

/// Location of the engine, relative to the jobs.
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
    /// The engine's default, if known.
    pub default: Option<String>,
}

/// The engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EngineInventory {
    /// Short name, as in a target.
    pub name: String,
    /// Name as written by its vendor.
    pub title: String,
    /// Version, reported by the engine.
    pub version: String,
    /// Where it runs.
    pub location: Location,
    /// Nodes.
    pub nodes: u32,
    /// Whether the connection is encrypted, and how.
    pub encryption: Option<String>,
    /// Whether it is a temporary server, started by dbdyno.
    pub temporary: bool,
    /// Whether it reads data files by direct I/O; absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direct_reads: Option<bool>,
    /// Whether the sessions of a process share the lock of the file of the data: a single one takes and releases it in each
    /// transaction, several rarely.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sessions_share_file_lock: bool,
    /// Page or block size.
    pub block_bytes: Option<Bytes>,
    /// Size of the buffer cache: per node, or per session if the engine caches per session.
    pub cache_bytes: Option<Bytes>,
    /// Whether an acknowledged commit survives a crash of the operating system, as far as the settings tell.
    pub durable: Option<bool>,
    /// The settings that determine `durable`, in words.
    pub durability: String,
    /// What faults have shown of commits with these settings; absent where no proof was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durability_shown: Option<DurabilityShown>,
    /// Settings that differ from the default, and the most important ones.
    pub settings: Vec<Setting>,
}

/// One of several nodes of an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeInventory {
    /// Its name, such as its address.
    pub name: String,
    /// Whether it accepts writes; a read-only replica does not.
    pub takes_writes: bool,
}
