//! The control groups of a process, version 1 or 2, their parents, and their limits.

use std::path::{Path, PathBuf};

use crate::mount::{Mount, mounts};
use crate::root::{self, Root, inside};

/// The control groups of this process, by controller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Groups {
    /// CPU time; none without control groups.
    pub cpu: Option<Tree>,
    /// Memory.
    pub memory: Option<Tree>,
    /// Set of processors.
    pub cpu_set: Option<Tree>,
}

/// A group and its parents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// 1 or 2.
    pub version: u32,
    /// Directories, from the group up.
    pub steps: Vec<PathBuf>,
}

/// A CPU quota.
#[derive(Clone, Debug, PartialEq)]
pub struct Quota {
    /// The quota in processors.
    pub processors: f64,
    /// Period, microseconds.
    pub period_us: u64,
    /// The group with this quota.
    pub directory: PathBuf,
}

impl Groups {
    /// Reads the groups of this process: for each controller the tree of version 1 if it exists, else that of version
    /// 2.
    pub fn of(root: &Root) -> Groups {
        let tree = |controller: &str| {
            let steps = |version: u32, controller: Option<&str>| {
                Some(Tree { version, steps: own_directories_of(root, "self", controller)? })
            };
            steps(1, Some(controller)).or_else(|| steps(2, None))
        };
        Groups { cpu: tree("cpu"), memory: tree("memory"), cpu_set: tree("cpuset") }
    }

    /// 1 if CPU or memory are controlled by version 1, else 2; none without control groups.
    pub fn version(&self) -> Option<u32> {
        [&self.cpu, &self.memory].into_iter().flatten().map(|tree| tree.version).min()
    }

    /// The lowest CPU quota of the group and its parents.
    pub fn quota(&self) -> Option<Quota> {
        let tree = self.cpu.as_ref()?;
        let of = |directory: &PathBuf| {
            let (quota, period_us) = match tree.version {
                1 => (
                    root::value::<i64>(directory.join("cpu.cfs_quota_us"))?,
                    root::value::<u64>(directory.join("cpu.cfs_period_us"))?,
                ),
                _ => {
                    let text = root::text(directory.join("cpu.max"))?;
                    let (quota, period) = text.split_once(' ')?;
                    (quota.parse().ok()?, period.trim().parse().ok()?)
                }
            };
            let limited = quota > 0 && period_us > 0;
            limited.then(|| Quota {
                processors: quota as f64 / period_us as f64,
                period_us,
                directory: directory.clone(),
            })
        };
        tree.steps.iter().filter_map(of).min_by(|left, right| left.processors.total_cmp(&right.processors))
    }

    /// The lowest memory limit of the group and its parents, bytes.
    pub fn memory_bytes_max(&self) -> Option<u64> {
        // Version 1 reports "unlimited" as the largest number of whole pages.
        const UNLIMITED: u64 = 1 << 62;
        let tree = self.memory.as_ref()?;
        let file = if tree.version == 1 { "memory.limit_in_bytes" } else { "memory.max" };
        let limits = tree.steps.iter().filter_map(|directory| root::value::<u64>(directory.join(file)));
        limits.filter(|limit| *limit < UNLIMITED).min()
    }

    /// The processors that this group may use.
    pub fn cpu_set(&self) -> Option<String> {
        let files = ["cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus"];
        let mut steps = self.cpu_set.iter().flat_map(|tree| &tree.steps);
        steps.find_map(|directory| files.iter().find_map(|file| root::text(directory.join(file))))
    }

    /// The `cpu.stat` with the throttled time: that of the group with the quota, or the nearest one.
    pub fn throttle_file(&self) -> Option<PathBuf> {
        let with_quota = self.quota().map(|quota| quota.directory);
        let steps = self.cpu.iter().flat_map(|tree| &tree.steps);
        let mut candidates = with_quota.iter().chain(steps).map(|directory| directory.join("cpu.stat"));
        candidates.find(|path| root::text(path).is_some_and(|text| throttled_ns(&text).is_some()))
    }
}

/// The group of this process for a controller of version 1, and its parents; none without that controller.
pub fn own_directories(root: &Root, controller: &str) -> Option<Vec<PathBuf>> {
    own_directories_of(root, "self", Some(controller))
}

/// The same for process `pid`, a number or `self`; without a controller, for version 2.
pub fn own_directories_of(root: &Root, pid: &str, controller: Option<&str>) -> Option<Vec<PathBuf>> {
    let text = root::text(root.proc.join(pid).join("cgroup"))?;
    let mounts = mounts(root);
    let has = |list: &str, name: &str| list.split(',').any(|known| known == name);
    let mount = mounts.iter().find(|mount| match controller {
        Some(name) => mount.kind == "cgroup" && has(&mount.super_options, name),
        None => mount.kind == "cgroup2",
    })?;
    let (_, path) = lines(&text).find(|(list, _)| match controller {
        Some(name) => has(list, name),
        None => list.is_empty(),
    })?;
    Some(directories(root, mount, path))
}

/// Throttled time of a group, nanoseconds, from its `cpu.stat`, version 1 or 2.
pub fn throttled_ns(text: &str) -> Option<u64> {
    text.lines().find_map(|line| match line.split_once(' ')? {
        ("throttled_usec", value) => value.trim().parse::<u64>().ok()?.checked_mul(1000),
        ("throttled_time", value) => value.trim().parse().ok(),
        _ => None,
    })
}

/// Controllers and path of each line of `/proc/self/cgroup`.
fn lines(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        Some((fields.next()?, fields.next()?))
    })
}

/// The directory of the group `path` below `mount`, and its parents up to the mount. In a container the path may be
/// outside of the mounted part of the hierarchy: then only the mount is returned.
fn directories(root: &Root, mount: &Mount, path: &str) -> Vec<PathBuf> {
    let top = inside(&root.top, &mount.mount_point);
    let below = Path::new(path).strip_prefix(&mount.root).ok();
    let below = below.filter(|below| !below.components().any(|step| step.as_os_str() == ".."));
    let group = below.map_or_else(|| top.clone(), |below| top.join(below));
    let is_mounted = |step: &&Path| step.starts_with(&top);
    let steps: Vec<PathBuf> = group.ancestors().take_while(is_mounted).map(Path::to_owned).collect();
    if group.is_dir() { steps } else { vec![top] }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn both_versions_report_throttled_time() {
        let second = "usage_usec 5\nuser_usec 3\nsystem_usec 2\nnr_periods 7\nnr_throttled 1\nthrottled_usec 250\n";
        assert_eq!(throttled_ns(second), Some(250_000));
        assert_eq!(throttled_ns("nr_periods 0\nnr_throttled 2\nthrottled_time 99\n"), Some(99));
        assert_eq!(throttled_ns("usage_usec 5\n"), None, "the root group does not report it");
        assert_eq!(throttled_ns("throttled_usec 18446744073709551615\n"), None);
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

    fn memory_limit(root: &tempfile::TempDir) -> Option<u64> {
        Groups::of(&Root::below(root.path())).memory_bytes_max()
    }

    #[test]
    fn the_lowest_limit_of_group_and_parents_applies() {
        let unified = ("proc/self/mountinfo", "25 23 0:22 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n");
        let limit = |group: &str, files: &[(&str, &str)]| {
            let files = [&[unified, ("proc/self/cgroup", group)], files].concat();
            memory_limit(&tree(&files))
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
        // Version 2 is mounted too, without controllers; another program has mounted the cpu controller.
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
        assert_eq!(memory_limit(&root), Some(1 << 29));
    }

    #[test]
    fn a_controller_not_in_version_1_is_in_version_2() {
        let root = tree(&[
            (
                "proc/self/mountinfo",
                "32 31 0:29 / /groups/cpu rw - cgroup cgroup rw,cpu\n41 31 0:38 / /groups/all rw - cgroup2 cgroup2 rw\n",
            ),
            ("proc/self/cgroup", "1:cpu:/x\n0::/y\n"),
            ("groups/cpu/x/cpu.cfs_quota_us", "150000\n"),
            ("groups/cpu/x/cpu.cfs_period_us", "100000\n"),
            ("groups/all/y/memory.max", "4096\n"),
        ]);
        let groups = Groups::of(&Root::below(root.path()));
        assert_eq!((groups.version(), groups.memory_bytes_max()), (Some(1), Some(4096)));
        assert_eq!(groups.quota().map(|quota| (quota.processors, quota.period_us)), Some((1.5, 100_000)));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[\\PC\n: ]*") {
            let _ = throttled_ns(&text);
            let _ = lines(&text).count();
        }
    }
}
