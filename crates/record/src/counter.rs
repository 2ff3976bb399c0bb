//! The names of counters. A common name is used only where the meaning is equal on every engine; what only one
//! engine knows carries that engine's name as a prefix; times that its sessions waited are told by [`name::wait`].

/// Names of counters in a [`crate::Reading`]. All are cumulative; which source fills them is said beside each.
pub mod name {
    /// User time of all processors of the host, nanoseconds (nice included).
    pub const HOST_CPU_USER_NS: &str = "host_cpu_user_ns";
    /// System time of all processors of the host, nanoseconds (interrupts included).
    pub const HOST_CPU_SYSTEM_NS: &str = "host_cpu_system_ns";
    /// The part of the system time that went into interrupts, hard and soft, nanoseconds.
    pub const HOST_CPU_INTERRUPT_NS: &str = "host_cpu_interrupt_ns";
    /// Idle time with I/O outstanding, nanoseconds: idle, not latency, and unreliable on more than one processor.
    pub const HOST_CPU_IOWAIT_NS: &str = "host_cpu_iowait_ns";
    /// Idle time of all processors, nanoseconds.
    pub const HOST_CPU_IDLE_NS: &str = "host_cpu_idle_ns";
    /// Time the hypervisor gave to others while a processor wanted to run, nanoseconds.
    pub const HOST_CPU_STEAL_NS: &str = "host_cpu_steal_ns";
    /// Time this control group was held back by its processor quota, nanoseconds.
    pub const HOST_THROTTLED_NS: &str = "host_throttled_ns";
    /// Time during which something that wanted to run waited for a processor, nanoseconds (pressure stall information,
    /// `some`): of the whole machine, of others too.
    pub const HOST_CPU_PRESSURE_NS: &str = "host_cpu_pressure_ns";
    /// Time during which something waited for a device, nanoseconds (pressure stall information, `some`).
    pub const HOST_IO_PRESSURE_NS: &str = "host_io_pressure_ns";
    /// Time during which something waited for memory, nanoseconds (pressure stall information, `some`).
    pub const HOST_MEMORY_PRESSURE_NS: &str = "host_memory_pressure_ns";
    /// Pages brought in from swap.
    pub const HOST_SWAP_IN_COUNT: &str = "host_swap_in_count";

    /// User and system time of dbdyno itself, nanoseconds (an embedded engine included).
    pub const CLIENT_CPU_NS: &str = "client_cpu_ns";
    /// Bytes that dbdyno itself had the block layer read, children that have ended included: reads served by the page
    /// cache are not among them, those ahead of need are.
    pub const CLIENT_READ_BYTES: &str = "client_read_bytes";
    /// Bytes that dbdyno itself had the block layer write, children that have ended included: buffered writes count when
    /// they make a page dirty, even where it is then never written; memory (tmpfs) does not count.
    pub const CLIENT_WRITE_BYTES: &str = "client_write_bytes";
    /// User and system time of the engine's own processes, nanoseconds, where they run on this host.
    pub const SERVER_CPU_NS: &str = "server_cpu_ns";

    /// Read requests completed by the block device below the measured directory.
    pub const DEVICE_READ_COUNT: &str = "device_read_count";
    /// Bytes read by it.
    pub const DEVICE_READ_BYTES: &str = "device_read_bytes";
    /// Data write requests completed by it: the kernel's count less the flush requests that it counts as writes. Where
    /// several jobs sync at the same time, the kernel makes one flush of their syncs and still counts each as a write:
    /// these are then among them. Its bytes do not have this error.
    pub const DEVICE_WRITE_COUNT: &str = "device_write_count";
    /// Bytes written by it.
    pub const DEVICE_WRITE_BYTES: &str = "device_write_bytes";
    /// Cache flush requests completed by it: fewer than syncs where several jobs sync at the same time.
    pub const DEVICE_FLUSH_COUNT: &str = "device_flush_count";
    /// Discard (trim) requests completed by it.
    pub const DEVICE_DISCARD_COUNT: &str = "device_discard_count";
    /// Bytes discarded by it.
    pub const DEVICE_DISCARD_BYTES: &str = "device_discard_bytes";
    /// Time that its read requests took, summed over the requests, nanoseconds (counted in milliseconds): over
    /// [`DEVICE_READ_COUNT`], the mean latency at the block layer.
    pub const DEVICE_READ_NS: &str = "device_read_ns";
    /// The same of its write requests, nanoseconds: that of the flush requests which the kernel counts as writes is
    /// included, other than in [`DEVICE_WRITE_COUNT`].
    pub const DEVICE_WRITE_NS: &str = "device_write_ns";
    /// The same of its flush requests, nanoseconds, from where they are handed to the device.
    pub const DEVICE_FLUSH_NS: &str = "device_flush_ns";
    /// Time during which it had at least one request in flight, nanoseconds: no measure of load where a device serves
    /// many at once.
    pub const DEVICE_IO_TICKS_NS: &str = "device_io_ticks_ns";
    /// Time that all its requests took, summed, nanoseconds: over the time between two readings, the mean number of
    /// requests in flight.
    pub const DEVICE_IN_QUEUE_NS: &str = "device_in_queue_ns";

    /// Pages that the engine asked its own cache for (buffer gets).
    pub const LOGICAL_READ_COUNT: &str = "logical_read_count";
    /// Reads that the engine asked the operating system for; the page cache may serve them.
    pub const PHYSICAL_READ_COUNT: &str = "physical_read_count";
    /// Bytes of these reads.
    pub const PHYSICAL_READ_BYTES: &str = "physical_read_bytes";
    /// Data writes that the engine asked the operating system for, the log not included.
    pub const PHYSICAL_WRITE_COUNT: &str = "physical_write_count";
    /// Bytes of these writes.
    pub const PHYSICAL_WRITE_BYTES: &str = "physical_write_bytes";
    /// Bytes of redo (write-ahead log) that the engine produced.
    pub const REDO_WRITE_BYTES: &str = "redo_write_bytes";
    /// Times that the engine forced its log to stable storage.
    pub const REDO_SYNC_COUNT: &str = "redo_sync_count";
    /// Transactions committed. Whether a transaction that only read is one of them is a capability of the engine.
    pub const COMMIT_COUNT: &str = "commit_count";
    /// Transactions among [`COMMIT_COUNT`] that dbdyno caused beside its jobs: reading counters, publishing them.
    pub const BOOKKEEPING_COMMIT_COUNT: &str = "bookkeeping_commit_count";
    /// Transactions rolled back.
    pub const ROLLBACK_COUNT: &str = "rollback_count";
    /// Time that sessions of the engine were at work for a statement, all together, nanoseconds: on a processor, ready for
    /// one, or waiting for anything but the client. Without the engine's own processes where it can tell them apart.
    pub const DATABASE_TIME_NS: &str = "database_time_ns";
    /// Times that a job found the database locked and had to wait.
    pub const BUSY_WAIT_COUNT: &str = "busy_wait_count";

    /// Beginnings of the names of counters that are not an engine's own.
    const NOT_OF_AN_ENGINE: [&str; 4] = ["host_", "client_", "server_", "device_"];

    /// A wait of an engine's sessions, as the name of its counter says it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Wait<'a> {
        /// The engine, as counters of its own begin.
        pub engine: &'a str,
        /// What was waited for, with underscores between words.
        pub event: &'a str,
        /// The name of the time without its unit; that of the number of waits has the same beginning.
        stem: &'a str,
    }

    impl Wait<'_> {
        /// The name of the counter that says how often there was something to wait for.
        pub fn count_name(&self) -> String {
            format!("{}_count", self.stem)
        }
    }

    /// The wait whose time `counter` holds; none for any other counter.
    ///
    /// Times that the sessions of an engine waited are cumulative, of all sessions together, in nanoseconds, and are
    /// called `ENGINE_wait_EVENT_ns`; how often they waited is `ENGINE_wait_EVENT_count`. What counts time for one known
    /// purpose may be called `ENGINE_EVENT_time_ns` instead, with `ENGINE_EVENT_count` beside it. Time at work
    /// (`ENGINE_active_time_ns`) is no wait.
    pub fn wait(counter: &str) -> Option<Wait<'_>> {
        let without_unit = counter.strip_suffix("_ns")?;
        if NOT_OF_AN_ENGINE.iter().any(|beginning| counter.starts_with(beginning)) {
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
    fn names_say_what_was_waited_for() {
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
    fn what_is_no_time_of_a_wait_is_none() {
        for counter in [
            name::DEVICE_READ_NS,
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
