//! The kernel's settings, its remedies, its clock; firmware and network of the machine.

use record::{HostInventory, Kernel, NetworkInterface};

use crate::figure::duration;
use crate::layout::clean;
use crate::words::{list, plural};

/// What is set, and what is done about weaknesses of processors.
pub(crate) fn kernel_facts(kernel: &Kernel) -> Vec<(&'static str, Option<String>)> {
    vec![
        ("time of day", time(kernel)),
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

/// Weaknesses that the processors have and what is done about them; of the others how many there are.
pub(crate) fn mitigations(kernel: &Kernel) -> Option<String> {
    const NOT_AFFECTED: &str = "Not affected";
    let (not, affected): (Vec<_>, Vec<_>) = kernel.mitigations.iter().partition(|(_, status)| *status == NOT_AFFECTED);
    let mut said: Vec<String> = affected.iter().map(|(name, status)| format!("{name}: {status}")).collect();
    if !not.is_empty() {
        said.push(format!("not affected by {} others", not.len()));
    }
    (!said.is_empty()).then(|| said.join("; "))
}

/// Whether the clock of the day is in time.
pub(crate) fn time(kernel: &Kernel) -> Option<String> {
    match (kernel.clock_synchronised?, kernel.clock_error_max_ns) {
        (true, Some(error)) => Some(format!("synchronised, wrong by {} at most", duration(error))),
        (true, None) => Some("synchronised".to_owned()),
        (false, _) => Some("not synchronised: times of this record may not be those of others".to_owned()),
    }
}

/// The interfaces with a device behind them.
pub(crate) fn network(host: &HostInventory) -> Option<String> {
    let interface = |interface: &NetworkInterface| {
        let packet = interface.packet_bytes_max.map(|size| format!("packets of {} bytes", size.0));
        let speed = interface.megabits_per_second.map(|speed| format!("{speed} Mbit/s"));
        let parts = [interface.driver.as_deref().map(clean), speed, packet];
        format!("{}: {}", clean(&interface.name), list(parts.into_iter().flatten()))
    };
    (!host.network.is_empty()).then(|| host.network.iter().map(interface).collect::<Vec<_>>().join("; "))
}

/// What idle processors do.
pub(crate) fn idle(driver: Option<&str>, states: &[String]) -> Option<String> {
    let driver = driver.map(|driver| format!("driver {driver}"));
    let states = (!states.is_empty()).then(|| format!("states {}", states.join(", ")));
    (driver.is_some() || states.is_some()).then(|| list([driver, states].into_iter().flatten()))
}

/// How many modules of memory there are, and of which kinds.
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
        let slot = module.slot.clone().unwrap_or_else(|| "an unnamed slot".to_owned());
        match kinds.iter_mut().find(|(known, _, _)| *known == text) {
            Some((_, count, slots)) => {
                *count += 1;
                slots.push(slot);
            }
            None => kinds.push((text, 1, vec![slot])),
        }
    }
    let said = kinds
        .iter()
        .map(|(text, count, slots)| format!("{} of {text} ({})", plural(*count, "module"), slots.join(", ")));
    (!kinds.is_empty()).then(|| said.collect::<Vec<_>>().join("; "))
}
