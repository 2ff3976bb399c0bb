//! The tracer on this machine: exact with privileges, and with a reason without.

mod agreement;
mod async_io;
mod left;
mod permitted;
mod refused;

use std::fs;

/// Whether this thread may trace, in the initial PID and user namespaces; what a test expects depends on it.
fn may_trace() -> bool {
    let is_initial = |(kind, number): (&str, u32)| {
        fs::read_link(format!("/proc/self/ns/{kind}")).unwrap().as_os_str() == format!("{kind}:[{number}]").as_str()
    };
    has_capabilities() && [("pid", 4_026_531_836), ("user", 4_026_531_837)].into_iter().all(is_initial)
}

fn has_capabilities() -> bool {
    has_capability(39) && has_capability(38)
}

/// Whether this thread may read and mount tracefs: root with CAP_SYS_ADMIN.
fn may_read_tracefs() -> bool {
    may_trace() && has_capability(21) && rustix::process::geteuid().is_root()
}

fn has_capability(bit: u32) -> bool {
    let status = fs::read_to_string("/proc/thread-self/status").unwrap();
    let set = status.lines().find_map(|line| line.strip_prefix("CapEff:")).unwrap();
    u64::from_str_radix(set.trim(), 16).unwrap() >> bit & 1 == 1
}
