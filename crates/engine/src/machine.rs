//! How large the host is, as far as the settings of a server depend on it.

use std::fs;
use std::path::{Path, PathBuf};

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

/// Main memory, or what the control groups of this process allow of it.
fn memory_bytes() -> u64 {
    let memory = rustix::system::sysinfo();
    let total_bytes = (memory.totalram as u64).saturating_mul(u64::from(memory.mem_unit));
    total_bytes.min(memory_limit(Path::new("/")).unwrap_or(u64::MAX))
}

/// The tightest memory limit of the control groups of this process and of those above it, version 1 and 2, as far as they
/// are mounted below `root`. In a container the path of a group may lie outside of what is mounted; its own group is the
/// root of the mount then.
fn memory_limit(root: &Path) -> Option<u64> {
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    let mounts = fs::read_to_string(root.join("proc/self/mountinfo")).ok()?;
    let mounts: Vec<GroupMount<'_>> = mounts.lines().filter_map(GroupMount::parse).collect();
    let of_line = |line: &str| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        let (kind, file) = match controllers {
            "" => ("cgroup2", "memory.max"),
            list if has_memory(list) => ("cgroup", "memory.limit_in_bytes"),
            _ => return None,
        };
        let limits = mounts.iter().filter(|mount| mount.kind == kind).flat_map(|mount| mount.groups(root, path));
        limits.filter_map(|group| fs::read_to_string(group.join(file)).ok()?.trim().parse().ok()).min()
    };
    groups.lines().filter_map(of_line).min()
}

fn has_memory(list: &str) -> bool {
    list.split(',').any(|name| name == "memory")
}

/// A mount of control groups that may limit memory.
struct GroupMount<'a> {
    /// `cgroup` or `cgroup2`.
    kind: &'a str,
    /// The group that is mounted.
    top: &'a str,
    place: &'a str,
}

impl GroupMount<'_> {
    /// From a line of `/proc/self/mountinfo`; none of any other mount.
    fn parse(line: &str) -> Option<GroupMount<'_>> {
        let (mount, system) = line.split_once(" - ")?;
        let mut mount = mount.split(' ').skip(3);
        let mut system = system.split(' ');
        let (kind, options) = (system.next()?, system.nth(1)?);
        let fits = kind == "cgroup2" || (kind == "cgroup" && has_memory(options));
        fits.then_some(GroupMount { kind, top: mount.next()?, place: mount.next()? })
    }

    /// The directory of the group `path`, and those above it.
    fn groups(&self, root: &Path, path: &str) -> Vec<PathBuf> {
        let top = root.join(self.place.trim_start_matches('/'));
        let below = Path::new(path).strip_prefix(self.top).ok();
        let below = below.filter(|below| below.components().all(|step| step.as_os_str() != ".."));
        let group = below.map_or_else(|| top.clone(), |below| top.join(below));
        group.ancestors().take_while(|step| step.starts_with(&top)).map(Path::to_owned).collect()
    }
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

    /// A tree with these files.
    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("temporary directory");
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().expect("parent")).expect("directory");
            fs::write(path, text).expect("file");
        }
        root
    }

    #[test]
    fn the_tightest_group_on_the_way_up_limits() {
        let unified = ("proc/self/mountinfo", "25 23 0:22 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n");
        let limit = |group: &str, files: &[(&str, &str)]| {
            let files = [&[unified, ("proc/self/cgroup", group)], files].concat();
            memory_limit(tree(&files).path())
        };
        let own = ("sys/fs/cgroup/user/job/memory.max", "max\n");
        let above = ("sys/fs/cgroup/user/memory.max", "1073741824\n");
        let top = ("sys/fs/cgroup/memory.max", "268435456");
        assert_eq!(limit("0::/user/job\n", &[own, above]), Some(1 << 30));
        assert_eq!(limit("0::/elsewhere\n", &[own, above]), None);
        assert_eq!(limit("0::/../outside\n", &[above, top]), Some(1 << 28), "the root of the mount");
        assert_eq!(limit("nonsense\n::\n", &[above, top]), Some(1 << 28));
        assert_eq!(limit("", &[above, top]), None);
    }

    #[test]
    fn groups_of_version_1_limit_wherever_they_are_mounted() {
        // Version 2 is there beside it and has no controllers; another program has mounted the processor time.
        let mounts = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n\
                      32 31 0:29 / /sys/fs/cgroup/cpu rw shared:7 - cgroup cgroup rw,cpu\n\
                      35 31 0:32 /docker/ab /groups/mem rw shared:9 master:2 - cgroup cgroup rw,hugetlb,memory\n\
                      41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
        let groups = "4:hugetlb,memory:/docker/ab/box/job\n1:cpu:/x\n0::/\n";
        let root = tree(&[
            ("proc/self/mountinfo", mounts),
            ("proc/self/cgroup", groups),
            ("groups/mem/memory.limit_in_bytes", "9223372036854771712\n"),
            ("groups/mem/box/memory.limit_in_bytes", "536870912\n"),
            ("groups/mem/box/job/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/cpu/x/memory.limit_in_bytes", "1\n"),
            ("memory.limit_in_bytes", "1\n"),
        ]);
        assert_eq!(memory_limit(root.path()), Some(1 << 29));
    }
}
