//! Settings, mitigations and clock of the kernel; idle states, memory modules and network of the machine.

use record::{HostInventory, Kernel, NetworkInterface};

use crate::figure::duration;
use crate::words::{list, plural};

/// Clock, settings and CPU vulnerability mitigations.
pub(crate) fn kernel_facts(kernel: &Kernel) -> Vec<(&'static str, Option<String>)> {
    vec![
        ("system clock", time(kernel)),
        ("settings", Some(settings(kernel)).filter(|settings| !settings.is_empty())),
        ("mitigations", mitigations(kernel)),
    ]
}

/// All settings that are known, as the kernel writes them.
pub(crate) fn settings(kernel: &Kernel) -> String {
    // Some have several words, with tabs between them.
    let value = |value: &str| value.split_whitespace().collect::<Vec<_>>().join(" ");
    list(kernel.settings.iter().map(|(name, text)| format!("{name} = {}", value(text))))
}

/// CPU vulnerabilities with their mitigations, and the number of those that do not affect the CPU.
pub(crate) fn mitigations(kernel: &Kernel) -> Option<String> {
    const NOT_AFFECTED: &str = "Not affected";
    let (not, affected): (Vec<_>, Vec<_>) = kernel.mitigations.iter().partition(|(_, status)| *status == NOT_AFFECTED);
    let mut parts: Vec<String> = affected.iter().map(|(name, status)| format!("{name}: {status}")).collect();
    if !not.is_empty() {
        parts.push(format!("not affected by {} others", not.len()));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Whether the system clock is synchronised.
pub(crate) fn time(kernel: &Kernel) -> Option<String> {
    match (kernel.clock_synchronised?, kernel.clock_error_max_ns) {
        (true, Some(error)) => Some(format!("synchronised, max error {}", duration(error))),
        (true, None) => Some("synchronised".to_owned()),
        (false, _) => Some("not synchronised: timestamps may differ from those of other hosts".to_owned()),
    }
}

/// The physical network interfaces.
pub(crate) fn network(host: &HostInventory) -> Option<String> {
    let interface = |interface: &NetworkInterface| {
        let packet = interface.packet_bytes_max.map(|size| format!("MTU {}", size.0));
        let speed = interface.megabits_per_second.map(|speed| format!("{speed} Mbit/s"));
        let parts = [interface.driver.clone(), speed, packet];
        format!("{}: {}", interface.name, list(parts.into_iter().flatten()))
    };
    (!host.network.is_empty()).then(|| host.network.iter().map(interface).collect::<Vec<_>>().join("; "))
}

/// Idle driver and idle states.
pub(crate) fn idle(driver: Option<&str>, states: &[String]) -> Option<String> {
    let driver = driver.map(|driver| format!("driver {driver}"));
    let states = (!states.is_empty()).then(|| format!("states {}", states.join(", ")));
    (driver.is_some() || states.is_some()).then(|| list([driver, states].into_iter().flatten()))
}

/// The memory modules by kind.
pub(crate) fn modules(host: &HostInventory) -> Option<String> {
    let mut kinds: Vec<(String, u64, Vec<String>)> = Vec::new();
    for module in &host.memory.modules {
        let speed = module.megatransfers_per_second.or(module.megatransfers_per_second_max);
        let parts = [
            Some(crate::figure::memory(module.size_bytes)),
            module.kind.clone(),
            speed.map(|speed| format!("{speed} MT/s")),
            module.megatransfers_per_second_max.filter(|most| Some(*most) != speed).map(|most| format!("of {most}")),
        ];
        let text = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let slot = module.slot.clone().unwrap_or_else(|| "unnamed slot".to_owned());
        match kinds.iter_mut().find(|(known, _, _)| *known == text) {
            Some((_, count, slots)) => {
                *count += 1;
                slots.push(slot);
            }
            None => kinds.push((text, 1, vec![slot])),
        }
    }
    let modules = kinds
        .iter()
        .map(|(text, count, slots)| format!("{} of {text} ({})", plural(*count, "module"), slots.join(", ")));
    (!kinds.is_empty()).then(|| modules.collect::<Vec<_>>().join("; "))
}
