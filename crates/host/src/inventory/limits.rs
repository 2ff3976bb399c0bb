//! Cgroup limits.

use base::Root;
use base::group::Groups;
use record::{Bytes, CgroupLimits, Nanos};

/// The limits of this process, of its own cgroup and its ancestors.
pub(super) fn read(root: &Root) -> CgroupLimits {
    let groups = Groups::of(root);
    let quota = groups.quota();
    CgroupLimits {
        version: groups.version(),
        cpu_quota: quota.as_ref().map(|quota| quota.processors),
        cpu_set: groups.cpu_set(),
        memory_max_bytes: groups.memory_bytes_max().map(Bytes),
        cpu_period_ns: quota.map(|quota| Nanos(quota.period_us.saturating_mul(1000))),
    }
}
