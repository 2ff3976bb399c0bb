//! The control group of this process, version 1 or 2, and the groups above it.

use std::path::{Path, PathBuf};

use crate::mount::{Mount, mounts};
use crate::root::{self, Root, inside};

/// The control groups that this process is in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Groups {
    /// 1 where processor or memory are controlled by it, else 2; none without control groups.
    pub(crate) version: Option<u32>,
    /// Directories for processor time, this process's own first, then those above it.
    pub(crate) cpu: Vec<PathBuf>,
    /// The same for memory.
    pub(crate) memory: Vec<PathBuf>,
    /// The same for the set of processors.
    pub(crate) cpu_set: Vec<PathBuf>,
}

/// A limit of processor time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Quota {
    /// Processors' worth of time per second.
    pub(crate) processors: f64,
    /// Microseconds after which time is given anew.
    pub(crate) period_us: u64,
    /// The group that has this limit.
    pub(crate) directory: PathBuf,
}

impl Groups {
    /// Reads where this process belongs.
    pub(crate) fn of(root: &Root) -> Groups {
        let text = root::text(root.proc.join("self/cgroup")).unwrap_or_default();
        let mounts = mounts(root);
        let first = |name: &str| lines(&text).find(|(list, _)| list.split(',').any(|known| known == name));
        let version_1 = |name: &str| {
            let path = first(name)?.1;
            let mount = mounts
                .iter()
                .find(|mount| mount.kind == "cgroup" && mount.super_options.split(',').any(|option| option == name))?;
            Some(directories(root, mount, path))
        };
        let [cpu, memory, cpu_set] = ["cpu", "memory", "cpuset"].map(version_1);
        if cpu.is_some() || memory.is_some() {
            let [cpu, memory, cpu_set] = [cpu, memory, cpu_set].map(Option::unwrap_or_default);
            return Groups { version: Some(1), cpu, memory, cpu_set };
        }
        let unified = mounts.iter().find(|mount| mount.kind == "cgroup2");
        let (Some(mount), Some((_, path))) = (unified, lines(&text).find(|(list, _)| list.is_empty())) else {
            return Groups::default();
        };
        let all = directories(root, mount, path);
        Groups { version: Some(2), cpu: all.clone(), memory: all.clone(), cpu_set: all }
    }

    /// The tightest limit of processor time on the way up.
    pub(crate) fn quota(&self) -> Option<Quota> {
        let of = |directory: &PathBuf| {
            let (quota, period_us) = match self.version {
                Some(1) => (
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
        self.cpu.iter().filter_map(of).min_by(|left, right| left.processors.total_cmp(&right.processors))
    }

    /// The tightest limit of memory on the way up, in bytes.
    pub(crate) fn memory_max(&self) -> Option<u64> {
        // Version 1 says "unlimited" as the largest number of whole pages.
        const UNLIMITED: u64 = 1 << 62;
        let file = if self.version == Some(1) { "memory.limit_in_bytes" } else { "memory.max" };
        let limits = self.memory.iter().filter_map(|directory| root::value::<u64>(directory.join(file)));
        limits.filter(|limit| *limit < UNLIMITED).min()
    }

    /// The processors that this group may use.
    pub(crate) fn cpu_set(&self) -> Option<String> {
        let files = ["cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus"];
        self.cpu_set.iter().find_map(|directory| files.iter().find_map(|file| root::text(directory.join(file))))
    }

    /// The file that says how long this process was held back: of the group with the quota, or of the nearest one
    /// that has such a file.
    pub(crate) fn throttle_file(&self) -> Option<PathBuf> {
        let with_quota = self.quota().map(|quota| quota.directory);
        let candidates = with_quota.iter().chain(&self.cpu).map(|directory| directory.join("cpu.stat"));
        candidates.into_iter().find(|path| root::text(path).is_some_and(|text| throttled_ns(&text).is_some()))
    }
}

/// The group of this process for a controller of version 1, and those above it; none where version 1 does not have it.
pub(crate) fn own_directories(root: &Root, controller: &str) -> Option<Vec<PathBuf>> {
    own_directories_of(root, "self", Some(controller))
}

/// The same of process `pid`, a number or `self`, and, without a controller, of version 2.
pub(crate) fn own_directories_of(root: &Root, pid: &str, controller: Option<&str>) -> Option<Vec<PathBuf>> {
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

/// Nanoseconds that a group was held back, from its `cpu.stat`, version 1 or 2.
pub(crate) fn throttled_ns(text: &str) -> Option<u64> {
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

/// The directory of the group `path` below `mount`, and those above it, up to the mount. In a container only a part
/// of the hierarchy is mounted, and the path may lie outside of it: then the mount is all that can be seen.
fn directories(root: &Root, mount: &Mount, path: &str) -> Vec<PathBuf> {
    let top = inside(&root.top, &mount.mount_point);
    let below = Path::new(path).strip_prefix(&mount.root).ok();
    let below = below.filter(|below| !below.components().any(|step| step.as_os_str() == ".."));
    let group = below.map_or_else(|| top.clone(), |below| top.join(below));
    let seen = |step: &&Path| step.starts_with(&top);
    let steps: Vec<PathBuf> = group.ancestors().take_while(seen).map(Path::to_owned).collect();
    if group.is_dir() { steps } else { vec![top] }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn both_versions_say_how_long_a_group_was_held_back() {
        let second = "usage_usec 5\nuser_usec 3\nsystem_usec 2\nnr_periods 7\nnr_throttled 1\nthrottled_usec 250\n";
        assert_eq!(throttled_ns(second), Some(250_000));
        assert_eq!(throttled_ns("nr_periods 0\nnr_throttled 2\nthrottled_time 99\n"), Some(99));
        assert_eq!(throttled_ns("usage_usec 5\n"), None, "the root group does not say");
        assert_eq!(throttled_ns("throttled_usec 18446744073709551615\n"), None);
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(text in "[\\PC\n: ]*") {
            let _ = throttled_ns(&text);
            let _ = lines(&text).count();
        }
    }
}
