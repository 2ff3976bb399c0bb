//! How large the host is, as far as the settings of a server depend on it.

use std::fs;
use std::path::Path;

/// What settings are sized to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Memory that dbdyno and the server may use.
    pub memory_bytes: u64,
    /// Processors that may be used.
    pub processors: u64,
    /// Free space in the measured directory.
    pub free_bytes: u64,
    /// Room for POSIX shared memory.
    pub shared_memory_bytes: u64,
}

impl Machine {
    /// This host, seen from the measured directory.
    pub fn here(directory: &Path) -> Machine {
        let memory = rustix::system::sysinfo();
        let total_bytes = (memory.totalram as u64).saturating_mul(u64::from(memory.mem_unit));
        let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let limit_bytes = memory_limit(&groups, Path::new("/sys/fs/cgroup")).unwrap_or(u64::MAX);
        let processors = rustix::thread::sched_getaffinity(None).map_or(1, |cpus| u64::from(cpus.count()));
        Machine {
            memory_bytes: total_bytes.min(limit_bytes),
            processors: processors.max(1),
            free_bytes: free_bytes(directory),
            shared_memory_bytes: free_bytes(Path::new("/dev/shm")),
        }
    }
}

fn free_bytes(path: &Path) -> u64 {
    rustix::fs::statvfs(path).map_or(0, |found| found.f_bavail.saturating_mul(found.f_frsize))
}

/// The tightest memory limit of the control groups in `groups` (the text of `/proc/self/cgroup`) and of those above
/// them. In a container the path may lie outside of what is mounted; its own group is the root of the mount then.
fn memory_limit(groups: &str, mount: &Path) -> Option<u64> {
    let of_line = |line: &str| {
        let mut fields = line.splitn(3, ':');
        let (controllers, path) = (fields.nth(1)?.to_owned(), fields.next()?.to_owned());
        let (top, file) = match controllers.as_str() {
            "" => (mount.to_owned(), "memory.max"),
            list if list.split(',').any(|name| name == "memory") => (mount.join("memory"), "memory.limit_in_bytes"),
            _ => return None,
        };
        let group = top.join(path.trim_start_matches('/'));
        let steps = group.ancestors().take_while(|step| step.starts_with(&top));
        steps.filter_map(|step| fs::read_to_string(step.join(file)).ok()?.trim().parse().ok()).min()
    };
    groups.lines().filter_map(of_line).min()
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

    #[test]
    fn the_tightest_group_on_the_way_up_limits() {
        let mount = tempfile::tempdir().expect("temporary directory");
        let write = |path: &str, text: &str| {
            let path = mount.path().join(path);
            fs::create_dir_all(path.parent().expect("parent")).expect("group");
            fs::write(path, text).expect("limit");
        };
        write("user/job/memory.max", "max\n");
        write("user/memory.max", "1073741824\n");
        assert_eq!(memory_limit("0::/user/job\n", mount.path()), Some(1 << 30));
        assert_eq!(memory_limit("0::/elsewhere\n", mount.path()), None);
        write("memory/memory.limit_in_bytes", "9223372036854771712\n");
        write("memory/box/memory.limit_in_bytes", "536870912\n");
        assert_eq!(memory_limit("4:cpu,memory:/box\n1:name=systemd:/x\n", mount.path()), Some(1 << 29));
        write("memory.max", "268435456");
        assert_eq!(memory_limit("0::/../outside\n", mount.path()), Some(1 << 28), "the root of the mount");
        assert_eq!(memory_limit("nonsense\n::\n", mount.path()), Some(1 << 28));
    }
}
