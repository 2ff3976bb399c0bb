//! Kernel and operating system.

use std::collections::BTreeMap;

use base::root::{self, Root};
use record::Kernel;

use super::time;

/// Settings that affect performance: writeback, swap, huge pages, NUMA, scheduling, asynchronous I/O, network.
const SETTINGS: &[&str] = &[
    "fs.aio-max-nr",
    "kernel.nmi_watchdog",
    "kernel.numa_balancing",
    "kernel.sched_autogroup_enabled",
    "kernel.sched_migration_cost_ns",
    "kernel.sched_min_granularity_ns",
    "kernel.tainted",
    "net.core.rmem_max",
    "net.core.somaxconn",
    "net.core.wmem_max",
    "net.ipv4.tcp_congestion_control",
    "vm.dirty_background_bytes",
    "vm.dirty_background_ratio",
    "vm.dirty_bytes",
    "vm.dirty_expire_centisecs",
    "vm.dirty_ratio",
    "vm.dirty_writeback_centisecs",
    "vm.min_free_kbytes",
    "vm.nr_hugepages",
    "vm.overcommit_memory",
    "vm.overcommit_ratio",
    "vm.swappiness",
    "vm.vfs_cache_pressure",
    "vm.zone_reclaim_mode",
];

/// The kernel and its readable settings.
pub(super) fn read(root: &Root) -> Kernel {
    let name = rustix::system::uname();
    let time = time::read(root);
    let release = root::text(root.proc.join("sys/kernel/osrelease"));
    let architecture = root::text(root.proc.join("sys/kernel/arch"));
    Kernel {
        release: release.unwrap_or_else(|| name.release().to_string_lossy().into_owned()),
        architecture: architecture.unwrap_or_else(|| name.machine().to_string_lossy().into_owned()),
        operating_system: operating_system(root),
        clock_source: clock_source(root),
        command_line: root::text(root.proc.join("cmdline")),
        mitigations: mitigations(root),
        settings: settings(root),
        clock_synchronised: time.map(|(synchronised, _)| synchronised),
        clock_error_max_ns: time.map(|(_, error)| error),
    }
}

/// The clock source in use.
pub(super) fn clock_source(root: &Root) -> Option<String> {
    root::text(root.sys.join("devices/system/clocksource/clocksource0/current_clocksource"))
}

/// The mitigation of each known CPU vulnerability.
fn mitigations(root: &Root) -> BTreeMap<String, String> {
    let directory = root.sys.join("devices/system/cpu/vulnerabilities");
    root::names(&directory)
        .into_iter()
        .filter_map(|name| Some((name.clone(), root::text(directory.join(name))?)))
        .collect()
}

/// The [`SETTINGS`] that this kernel has.
fn settings(root: &Root) -> BTreeMap<String, String> {
    let value = |name: &str| root::text(root.proc.join("sys").join(name.replace('.', "/")));
    SETTINGS.iter().filter_map(|name| Some(((*name).to_owned(), value(name)?))).collect()
}

fn operating_system(root: &Root) -> Option<String> {
    let files = ["etc/os-release", "usr/lib/os-release"].map(|file| root.top.join(file));
    let text = files.iter().find_map(root::text)?;
    let value = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    let name = value("PRETTY_NAME").or_else(|| value("NAME"))?;
    Some(name.trim_matches(['"', '\'']).to_owned()).filter(|name| !name.is_empty())
}
