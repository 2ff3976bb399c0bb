//! Frequency scaling and idle states of the processors.

use std::path::{Path, PathBuf};

use base::root::{self, Root};

/// Frequency scaling and idle states.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Power {
    pub(super) clock_driver: Option<String>,
    pub(super) boost: Option<bool>,
    pub(super) idle_driver: Option<String>,
    pub(super) idle_states: Vec<String>,
}

/// Of the first processor where each has its own.
pub(super) fn read(root: &Root) -> Power {
    let system = root.sys.join("devices/system/cpu");
    Power {
        clock_driver: root::text(system.join("cpu0/cpufreq/scaling_driver")),
        boost: boost(&system),
        idle_driver: root::text(system.join("cpuidle/current_driver")).filter(|driver| driver != "none"),
        idle_states: idle_states(&system.join("cpu0/cpuidle")),
    }
}

/// `intel_pstate` has a file for off, all other drivers one for on.
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
