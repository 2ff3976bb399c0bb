//! Limits of the control group.

use base::Root;
use base::group::Groups;
use record::{Bytes, CgroupLimits, Nanos};

/// Reads the limits that this process is under, its own group's and those of the groups above.
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
