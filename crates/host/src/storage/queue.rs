//! How the request queue of a block device is set, beside what the inventory has.

use std::path::Path;

use base::root;
use record::{Bytes, Nanos};

/// Settings of a request queue (Documentation/ABI/stable/sysfs-block). What the device does not say is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueSettings {
    /// What the device writes at once: smaller blocks make it read and write again.
    pub physical_block_bytes: Option<Bytes>,
    /// The smallest I/O that it likes.
    pub minimum_io_bytes: Option<Bytes>,
    /// The I/O that it likes best, a stripe for instance; absent where it says nothing.
    pub optimal_io_bytes: Option<Bytes>,
    /// Larger I/O is split.
    pub io_bytes_max: Option<Bytes>,
    /// Queues to the hardware.
    pub hardware_queues: Option<u32>,
    /// 0: neighbouring requests are merged; 1: only where it is simple; 2: never.
    pub nomerges: Option<u32>,
    /// Buffered writes are held back so that reads do not take longer than this (writeback throttling); 0 is off.
    pub writeback_latency_ns: Option<Nanos>,
    /// Whether completions can be polled for.
    pub polled: Option<bool>,
    /// Largest discard; 0 where the device has none.
    pub discard_bytes_max: Option<Bytes>,
    /// Discards smaller than this, or not at multiples of it, are of no effect; 0 where the device has none.
    pub discard_granularity_bytes: Option<Bytes>,
    /// Whether the kernel counts I/O; where not, the device's counters stand still.
    pub counted: Option<bool>,
}

/// Reads those of the device with this directory in sysfs.
pub(super) fn read(directory: &Path) -> QueueSettings {
    let queue = directory.join("queue");
    let bytes = |name: &str| root::value::<u64>(queue.join(name)).map(Bytes);
    let hardware_queues = root::names(directory.join("mq")).len() as u32;
    QueueSettings {
        physical_block_bytes: bytes("physical_block_size"),
        minimum_io_bytes: bytes("minimum_io_size"),
        optimal_io_bytes: bytes("optimal_io_size").filter(|size| *size > Bytes(0)),
        io_bytes_max: bytes("max_sectors_kb").map(|size| size.times(1024)),
        hardware_queues: (hardware_queues > 0).then_some(hardware_queues),
        nomerges: root::value(queue.join("nomerges")),
        writeback_latency_ns: root::value::<u64>(queue.join("wbt_lat_usec"))
            .map(|time| Nanos(time.saturating_mul(1000))),
        polled: root::switch(queue.join("io_poll")),
        discard_bytes_max: bytes("discard_max_bytes"),
        discard_granularity_bytes: bytes("discard_granularity"),
        counted: root::switch(queue.join("iostats")),
    }
}
