//! Raw readings of cumulative counters, and the names of counters. Rates are derived from two readings, later, by
//! `model`.
//!
//! A common name is used only where the meaning is equal on every engine; counters of one engine have its name as a
//! prefix; wait times follow the scheme of [`name::wait`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Nanos;

/// Cumulative counters at one moment. A counter without a source is absent, never zero.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// When the reading was complete, on the monotonic clock of the invocation.
    pub at_ns: Nanos,
    /// Counters by name, see [`name`].
    pub values: BTreeMap<String, u64>,
}

impl Reading {
    /// The counter `name`, if present.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.values.get(name).copied()
    }
}

/// Names of counters in a [`crate::Reading`]. All are cumulative.
pub mod name {
    /// User time of all processors of the host, nanoseconds (nice included).
    pub const HOST_CPU_USER_NS: &str = "host_cpu_user_ns";
    /// System time of all processors of the host, nanoseconds (interrupts included).
    pub const HOST_CPU_SYSTEM_NS: &str = "host_cpu_system_ns";
    /// The part of the system time spent in hard and soft interrupts, nanoseconds.
    pub const HOST_CPU_INTERRUPT_NS: &str = "host_cpu_interrupt_ns";
    /// Idle time with outstanding I/O, nanoseconds: not a latency, and unreliable on more than one processor.
    pub const HOST_CPU_IOWAIT_NS: &str = "host_cpu_iowait_ns";
    /// Idle time of all processors, nanoseconds.
    pub const HOST_CPU_IDLE_NS: &str = "host_cpu_idle_ns";
    /// CPU steal: time in which the hypervisor ran other guests while a processor was runnable, nanoseconds.
    pub const HOST_CPU_STEAL_NS: &str = "host_cpu_steal_ns";
    /// Time in which this control group was throttled by its CPU quota, nanoseconds.
    pub const HOST_THROTTLED_NS: &str = "host_throttled_ns";
    /// Time during which a runnable task waited for a processor, nanoseconds (pressure stall information, `some`), of
    /// the whole machine.
    pub const HOST_CPU_PRESSURE_NS: &str = "host_cpu_pressure_ns";
    /// Time during which a task waited for a device, nanoseconds (pressure stall information, `some`).
    pub const HOST_IO_PRESSURE_NS: &str = "host_io_pressure_ns";
    /// Time during which a task waited for memory, nanoseconds (pressure stall information, `some`).
    pub const HOST_MEMORY_PRESSURE_NS: &str = "host_memory_pressure_ns";
    /// Pages swapped in.
    pub const HOST_SWAP_IN_COUNT: &str = "host_swap_in_count";

    /// User and system time of dbdyno itself, nanoseconds (an embedded engine included).
    pub const CLIENT_CPU_NS: &str = "client_cpu_ns";
    /// Bytes that dbdyno itself read from the block layer, ended children included: without reads served by the page
    /// cache, with read-ahead.
    pub const CLIENT_READ_BYTES: &str = "client_read_bytes";
    /// Bytes that dbdyno itself wrote to the block layer, ended children included: buffered writes count when they
    /// dirty a page, even if it is never written back; tmpfs does not count.
    pub const CLIENT_WRITE_BYTES: &str = "client_write_bytes";
    /// Requests of the jobs' sessions to the server that they waited for an answer to, however many statements or messages
    /// each had. Counted when a job publishes its counters: at the edges of the window.
    pub const CLIENT_ROUND_TRIP_COUNT: &str = "client_round_trip_count";
    /// User and system time of the engine's own processes, nanoseconds, where they run on this host.
    pub const SERVER_CPU_NS: &str = "server_cpu_ns";

    /// Read requests completed by the block device below the measured directory.
    pub const DEVICE_READ_COUNT: &str = "device_read_count";
    /// Bytes read by it.
    pub const DEVICE_READ_BYTES: &str = "device_read_bytes";
    /// Data write requests completed by it: the kernel's count minus the flush requests that it counts as writes. Where
    /// several jobs sync at the same time, the kernel merges their flushes but still counts each as a write, so the
    /// count is too large then. [`DEVICE_WRITE_BYTES`] does not have this error.
    pub const DEVICE_WRITE_COUNT: &str = "device_write_count";
    /// Bytes written by it.
    pub const DEVICE_WRITE_BYTES: &str = "device_write_bytes";
    /// Cache flush requests completed by it: fewer than syncs where several jobs sync at the same time.
    pub const DEVICE_FLUSH_COUNT: &str = "device_flush_count";
    /// Discard (trim) requests completed by it.
    pub const DEVICE_DISCARD_COUNT: &str = "device_discard_count";
    /// Bytes discarded by it.
    pub const DEVICE_DISCARD_BYTES: &str = "device_discard_bytes";
    /// Time of its read requests, summed, nanoseconds (counted in milliseconds): divided by [`DEVICE_READ_COUNT`], the
    /// mean latency at the block layer.
    pub const DEVICE_READ_NS: &str = "device_read_ns";
    /// The same of its write requests, nanoseconds. Unlike [`DEVICE_WRITE_COUNT`], it includes flush requests that the
    /// kernel counts as writes.
    pub const DEVICE_WRITE_NS: &str = "device_write_ns";
    /// The same of its flush requests, nanoseconds, from their issue to the device.
    pub const DEVICE_FLUSH_NS: &str = "device_flush_ns";
    /// Time during which it had at least one request in flight, nanoseconds: not a measure of utilisation for a device
    /// that serves several requests at once.
    pub const DEVICE_IO_TICKS_NS: &str = "device_io_ticks_ns";
    /// Time of all its requests, summed, nanoseconds: divided by the time between two readings, the mean number of
    /// requests in flight.
    pub const DEVICE_IN_QUEUE_NS: &str = "device_in_queue_ns";

    /// From sending to reply, of the reads of a mount of NFS, summed, nanoseconds (counted in milliseconds):
    /// [`DEVICE_READ_NS`] of such a mount also has the time before sending. The `device_` counters of a directory on
    /// NFS are those of the mount: requests of the protocol (READ, WRITE, COMMIT) in place of requests of the block
    /// layer.
    pub const MOUNT_READ_ROUND_TRIP_NS: &str = "mount_read_round_trip_ns";
    /// The same of its writes, nanoseconds.
    pub const MOUNT_WRITE_ROUND_TRIP_NS: &str = "mount_write_round_trip_ns";
    /// Requests of any kind that a mount of NFS sent again.
    pub const MOUNT_RETRANSMISSION_COUNT: &str = "mount_retransmission_count";

    /// Bytes received by the interface on the path to the peer of the network probes, headers included, for all programs.
    pub const INTERFACE_RECEIVED_BYTES: &str = "interface_received_bytes";
    /// Bytes sent by it. On loopback, every byte is both sent and received.
    pub const INTERFACE_SENT_BYTES: &str = "interface_sent_bytes";

    /// Pages requested from the buffer cache of the engine (buffer gets).
    pub const LOGICAL_READ_COUNT: &str = "logical_read_count";
    /// Reads that the engine issued to the operating system; the page cache may serve them.
    pub const PHYSICAL_READ_COUNT: &str = "physical_read_count";
    /// Bytes of these reads.
    pub const PHYSICAL_READ_BYTES: &str = "physical_read_bytes";
    /// Data writes that the engine issued to the operating system, without the log.
    pub const PHYSICAL_WRITE_COUNT: &str = "physical_write_count";
    /// Bytes of these writes.
    pub const PHYSICAL_WRITE_BYTES: &str = "physical_write_bytes";
    /// Bytes of redo (write-ahead log) that the engine produced.
    pub const REDO_WRITE_BYTES: &str = "redo_write_bytes";
    /// Log flushes to stable storage.
    pub const REDO_SYNC_COUNT: &str = "redo_sync_count";
    /// Transactions committed. Whether a transaction that only read is one of them is a capability of the engine.
    pub const COMMIT_COUNT: &str = "commit_count";
    /// Transactions in [`COMMIT_COUNT`] that dbdyno caused outside of its jobs: reading and publishing counters.
    pub const BOOKKEEPING_COMMIT_COUNT: &str = "bookkeeping_commit_count";
    /// Transactions rolled back.
    pub const ROLLBACK_COUNT: &str = "rollback_count";
    /// Time in which sessions were active in a statement, summed, nanoseconds: on CPU, runnable, or waiting for
    /// anything but the client. Without background processes where the engine distinguishes them.
    pub const DATABASE_TIME_NS: &str = "database_time_ns";
    /// Waits of jobs for a locked database.
    pub const BUSY_WAIT_COUNT: &str = "busy_wait_count";

    /// Prefixes of counters that do not belong to one engine.
    const COMMON_PREFIXES: [&str; 6] = ["host_", "client_", "server_", "device_", "mount_", "interface_"];

    /// A wait event of an engine, parsed from the name of its counter.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Wait<'a> {
        /// The engine: the prefix of the counter.
        pub engine: &'a str,
        /// The event, with underscores between words.
        pub event: &'a str,
        /// The name of the counter without the unit.
        stem: &'a str,
    }

    impl Wait<'_> {
        /// The name of the counter of the number of waits.
        pub fn count_name(&self) -> String {
            format!("{}_count", self.stem)
        }
    }

    /// The wait whose time `counter` holds; none for any other counter.
    ///
    /// Wait times are cumulative, of all sessions together, in nanoseconds, and named `ENGINE_wait_EVENT_ns`; the
    /// number of waits is `ENGINE_wait_EVENT_count`. Times of one known purpose may be named `ENGINE_EVENT_time_ns`,
    /// with `ENGINE_EVENT_count`. Active time (`ENGINE_active_time_ns`) is not a wait.
    pub fn wait(counter: &str) -> Option<Wait<'_>> {
        let without_unit = counter.strip_suffix("_ns")?;
        if COMMON_PREFIXES.iter().any(|prefix| counter.starts_with(prefix)) {
            return None;
        }
        let (engine, rest) = without_unit.split_once('_')?;
        let (event, stem) = match rest.strip_prefix("wait_") {
            Some(event) => (event, without_unit),
            None => (rest.strip_suffix("_time")?, without_unit.strip_suffix("_time")?),
        };
        let is_wait = !engine.is_empty() && !event.is_empty() && event != "active";
        is_wait.then_some(Wait { engine, event, stem })
    }
}

#[cfg(test)]
mod tests {
    use super::name::{self, wait};

    #[test]
    fn wait_events_are_parsed_from_names() {
        for (counter, event, count) in [
            ("example_wait_log_file_sync_ns", "log_file_sync", "example_wait_log_file_sync_count"),
            ("example_wal_sync_time_ns", "wal_sync", "example_wal_sync_count"),
            ("example_row_lock_wait_time_ns", "row_lock_wait", "example_row_lock_wait_count"),
        ] {
            let wait = wait(counter).expect("a wait");
            assert_eq!((wait.engine, wait.event, wait.count_name().as_str()), ("example", event, count));
        }
    }

    #[test]
    fn other_counters_are_no_waits() {
        for counter in [
            name::DEVICE_READ_NS,
            name::MOUNT_READ_ROUND_TRIP_NS,
            name::HOST_IO_PRESSURE_NS,
            name::SERVER_CPU_NS,
            name::COMMIT_COUNT,
            name::DATABASE_TIME_NS,
            "example_active_time_ns",
            "example_wait_x_count",
            "example_wait_ns",
            "example_cpu_ns",
            "_time_ns",
            "_ns",
            "",
        ] {
            assert_eq!(wait(counter), None, "{counter}");
        }
    }
}
