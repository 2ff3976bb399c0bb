//! The host: inventory, raw counters, CPU affinity, resource limits, the storage below files and devices, and NVMe over
//! fabrics.
//!
//! A crate of its own because it has several consumers that should not see how `/proc` and `/sys` are read. Every
//! reader takes the paths of both as a value, so that it is tested on recorded trees. What is absent stays absent;
//! counters are cumulative and raw: rates and shares are derived from two readings elsewhere.

mod counter;
pub mod fabric;
mod foreign;
mod inventory;
mod placement;
mod private_mount;
mod restriction;
mod route;
mod server_processes;
mod stack;
mod state;
mod storage;
mod system_program;
mod topology;

pub use base::Root;
pub use counter::{CacheCounters, CountedDevice, Counters, MemberCounters, members, members_at};
pub use foreign::Processes;
pub use inventory::{
    boot_id, clock_source, free_bytes, host_name, inventory, inventory_at, last_level_cache_bytes, machine_id,
    memory_total,
};
pub use placement::{
    PlacementError, bind_memory_of_this_thread, cpus_allowed, pin_process, pin_process_tree_to, pin_this_thread,
    pin_this_thread_to,
};
pub use private_mount::{MountError, PrivateMount, separate_mounts};
pub use restriction::{IoCounts, IoLimit, Limit, Restriction, RestrictionError, device_number, remove_stale_groups};
pub use route::{network_end, network_end_at};
pub use server_processes::ServerProcesses;
pub use state::state;
pub use storage::{
    BlockDeviceState, Extents, Medium, StorageLocation, block_device, cached_share, drop_cache, drop_clean, extents,
    is_same_device, loop_devices, place,
};
pub use topology::{cores, cores_at, node_free_bytes, one_thread_per_core};
