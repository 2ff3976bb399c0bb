//! Size of the host, as far as the settings of a server depend on it.

use std::path::Path;

use base::Root;
use base::group::Groups;

/// Resources that settings are sized to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Memory available to dbdyno and the server.
    pub memory_bytes: u64,
    /// CPUs available to this process.
    pub processors: u64,
    /// Free space in the measured directory.
    pub free_bytes: u64,
    /// Free space for POSIX shared memory.
    pub shared_memory_bytes: u64,
}

impl Machine {
    /// This host, with the file system of the measured directory.
    pub fn here(directory: &Path) -> Machine {
        let processors = rustix::thread::sched_getaffinity(None).map_or(1, |cpus| u64::from(cpus.count()));
        Machine {
            memory_bytes: memory_bytes(),
            processors: processors.max(1),
            free_bytes: free_bytes(directory),
            shared_memory_bytes: free_bytes(Path::new("/dev/shm")),
        }
    }
}

fn free_bytes(path: &Path) -> u64 {
    rustix::fs::statvfs(path).map_or(0, |found| found.f_bavail.saturating_mul(found.f_frsize))
}

/// Main memory, or the limit of the control groups of this process if that is lower.
fn memory_bytes() -> u64 {
    let memory = rustix::system::sysinfo();
    let total_bytes = (memory.totalram as u64).saturating_mul(u64::from(memory.mem_unit));
    total_bytes.min(Groups::of(&Root::host()).memory_bytes_max().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_a_size() {
        let machine = Machine::here(Path::new("/tmp"));
        assert!(machine.memory_bytes > 1 << 20);
        assert!(machine.processors >= 1);
        assert!(machine.free_bytes > 0);
    }
}
