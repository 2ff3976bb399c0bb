//! What sets the clock of the processors, and what they do while they have nothing to do.

use std::path::{Path, PathBuf};

use base::root::{self, Root};

/// What drives clock and sleep.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Power {
    pub(super) clock_driver: Option<String>,
    pub(super) boost: Option<bool>,
    pub(super) idle_driver: Option<String>,
    pub(super) idle_states: Vec<String>,
}

/// Reads it; of the first processor where each has its own.
pub(super) fn read(root: &Root) -> Power {
    let system = root.sys.join("devices/system/cpu");
    Power {
        clock_driver: root::text(system.join("cpu0/cpufreq/scaling_driver")),
        boost: boost(&system),
        idle_driver: root::text(system.join("cpuidle/current_driver")).filter(|driver| driver != "none"),
        idle_states: idle_states(&system.join("cpu0/cpuidle")),
    }
}

/// Drivers of one maker say whether it is off, all others whether it is on.
fn boost(system: &Path) -> Option<bool> {
    let off = root::switch(system.join("intel_pstate/no_turbo"));
    let on = || ["cpufreq/boost", "cpu0/cpufreq/boost"].iter().find_map(|file| root::switch(system.join(file)));
    off.map(|off| !off).or_else(on)
}

fn idle_states(directory: &Path) -> Vec<String> {
    let state = |number: u32| -> Option<String> {
        let state: PathBuf = directory.join(format!("state{number}"));
        let name = root::text(state.join("name"))?;
        let off = root::switch(state.join("disable")) == Some(true);
        Some(if off { format!("{name} (off)") } else { name })
    };
    root::numbered(directory, "state").into_iter().filter_map(state).collect()
}
