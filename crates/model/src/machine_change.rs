//! What changed on the machine while it was measured.

use record::{HostInventory, HostState, Ratio};

use crate::rules::RULES;

/// What changed on the machine from before the first run to after the last.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MachineChange {
    /// Messages of the kernel about hardware faults in between.
    pub fault_count: u64,
    /// Events of thermal throttling in between; absent where they are not counted.
    pub throttle_count: Option<u64>,
    /// By which ratio the probe of the processor took longer at the end than at the start; negative where it was faster,
    /// absent where it was not made.
    pub slowing: Option<Ratio>,
}

impl MachineChange {
    /// Of a measurement with both states; None without one of them.
    pub fn of(host: &HostInventory) -> Option<MachineChange> {
        Some(MachineChange::between(host.at_start.as_ref()?, host.at_end.as_ref()?))
    }

    /// From `start` to `end`.
    pub fn between(start: &HostState, end: &HostState) -> MachineChange {
        let throttles = end.thermal_throttle_count.zip(start.thermal_throttle_count);
        let probe = end.multiplication_ns.zip(start.multiplication_ns);
        let probe = probe.filter(|(end, start)| *start > 0.0 && start.is_finite() && end.is_finite());
        MachineChange {
            fault_count: end.kernel_log.as_ref().map_or(0, |log| log.fault_count),
            throttle_count: throttles.map(|(end, start)| end.saturating_sub(start)),
            slowing: probe.map(|(end, start)| Ratio(end / start - 1.0)),
        }
    }

    /// Whether the probe of the processor changed by more than it does on a stable machine.
    pub fn is_unstable(&self) -> bool {
        self.slowing.is_some_and(|slowing| slowing.0.abs() > RULES.processor_change_max)
    }
}
