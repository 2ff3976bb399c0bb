//! Kernel and operating system.

use record::Kernel;

use crate::root::{self, Root};

/// Reads them.
pub(super) fn read(root: &Root) -> Kernel {
    let name = rustix::system::uname();
    let release = root::text(root.proc.join("sys/kernel/osrelease"));
    let architecture = root::text(root.proc.join("sys/kernel/arch"));
    Kernel {
        release: release.unwrap_or_else(|| name.release().to_string_lossy().into_owned()),
        architecture: architecture.unwrap_or_else(|| name.machine().to_string_lossy().into_owned()),
        operating_system: operating_system(root),
        clock_source: clock_source(root),
        command_line: root::text(root.proc.join("cmdline")),
    }
}

/// The clock source in use.
pub(super) fn clock_source(root: &Root) -> Option<String> {
    root::text(root.sys.join("devices/system/clocksource/clocksource0/current_clocksource"))
}

fn operating_system(root: &Root) -> Option<String> {
    let files = ["etc/os-release", "usr/lib/os-release"].map(|file| root.top.join(file));
    let text = files.iter().find_map(root::text)?;
    let value = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    let said = value("PRETTY_NAME").or_else(|| value("NAME"))?;
    Some(said.trim_matches(['"', '\'']).to_owned()).filter(|said| !said.is_empty())
}
