//! The state of the machine at one moment, and its change between two.

use model::MachineChange;
use record::{BackgroundProgram, HostInventory, HostState, KernelLog};

use crate::figure::{memory, three_digits, volume};
use crate::words::{list, plural};

/// Kernel messages that are quoted.
const FAULTS_QUOTED_MAX: usize = 3;

/// The state that an inventory found.
pub(crate) fn state_facts(state: &HostState) -> Vec<(&'static str, Option<String>)> {
    vec![
        ("load", load(state)),
        ("clock", state.clock_mhz.map(|clock| format!("{clock:.0} MHz on average"))),
        ("temperature", temperature(state)),
        ("CPU probe", state.multiplication_ns.map(multiplication)),
        ("memory", state.memory_available_bytes.map(|size| format!("{} available", memory(size)))),
        ("kernel log", state.kernel_log.as_ref().map(log)),
    ]
}

fn multiplication(nanos: f64) -> String {
    format!("{} ns per dependent multiplication", three_digits(nanos))
}

/// Load average and busy background programs.
pub(crate) fn load(state: &HostState) -> Option<String> {
    let average = state.load_average_1_minute.map(|load| format!("1-minute load average {}", three_digits(load)));
    let one = |one: &BackgroundProgram| format!("{} {:.0} %", one.name, one.processors * 100.0);
    let others = state.background_programs.as_ref().map(|others| match others.is_empty() {
        true => "no busy background programs".to_owned(),
        false => format!("background programs: {} of one CPU", list(others.iter().map(one))),
    });
    (average.is_some() || others.is_some()).then(|| list([average, others].into_iter().flatten()))
}

/// Temperature and thermal throttling.
fn temperature(state: &HostState) -> Option<String> {
    let parts = [
        state.temperature_celsius_max.map(|celsius| format!("{celsius:.0} °C")),
        state.thermal_throttle_count.map(|count| format!("thermal throttling {} since boot", plural(count, "time"))),
    ];
    parts.iter().any(Option::is_some).then(|| list(parts.into_iter().flatten()))
}

fn log(log: &KernelLog) -> String {
    match &log.unreadable {
        Some(reason) => format!("not available: {reason}"),
        None => format!("{}, {} about hardware faults", plural(log.warning_count, "warning"), log.fault_count),
    }
}

/// The states before and after a measurement.
pub(crate) struct Change<'a> {
    /// Before the first run.
    pub(crate) start: &'a HostState,
    /// After the last.
    pub(crate) end: &'a HostState,
}

impl<'a> Change<'a> {
    /// Of a measurement with both states.
    pub(crate) fn of(host: &'a HostInventory) -> Option<Change<'a>> {
        Some(Change { start: host.at_start.as_ref()?, end: host.at_end.as_ref()? })
    }

    /// Clock and temperature at both ends.
    pub(crate) fn heat(&self) -> Option<String> {
        let parts = |state: &HostState| {
            let parts = [
                state.clock_mhz.map(|clock| format!("{clock:.0} MHz")),
                state.temperature_celsius_max.map(|celsius| format!("{celsius:.0} °C")),
            ];
            list(parts.into_iter().flatten())
        };
        let (start, end) = (parts(self.start), parts(self.end));
        (!start.is_empty() && !end.is_empty()).then(|| format!("{start} before, {end} after"))
    }

    /// The figures of the change.
    pub(crate) fn figures(&self) -> MachineChange {
        MachineChange::between(self.start, self.end)
    }

    /// The probe of the processor at both ends.
    pub(crate) fn probe(&self) -> Option<String> {
        let figures = self.figures();
        let slowing = figures.slowing?;
        let (start, end) = (self.start.multiplication_ns?, self.end.multiplication_ns?);
        let warning = if figures.is_unstable() { ": more than on a stable machine" } else { "" };
        Some(format!(
            "dependent multiplications on one CPU: {} ns each before, {} ns after, {:+.1} %{warning}",
            three_digits(start),
            three_digits(end),
            slowing.0 * 100.0
        ))
    }

    /// Space used in between.
    pub(crate) fn space(&self) -> Option<String> {
        let (start, end) = (self.start.free_bytes?, self.end.free_bytes?);
        let taken = record::Bytes(start.0.saturating_sub(end.0));
        let used = if end > start { "none: more space was free at the end".to_owned() } else { volume(taken) };
        Some(format!("{used} of the file system of the directory, logs and writes of other programs included"))
    }

    /// Kernel messages in between, or why they are not known.
    pub(crate) fn kernel(&self) -> Result<String, String> {
        let log = self.end.kernel_log.as_ref().ok_or("the dbdyno version that measured did not read it")?;
        if let Some(reason) = &log.unreadable {
            return Err(reason.clone());
        }
        let quoted: Vec<String> =
            log.faults.iter().take(FAULTS_QUOTED_MAX).map(|fault| format!("\"{fault}\"")).collect();
        let quoted = if quoted.is_empty() { String::new() } else { format!(": {}", quoted.join(", ")) };
        let warnings = plural(log.warning_count, "message");
        Ok(format!("{warnings} of level warning or above, {} about hardware faults{quoted}", log.fault_count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(multiplication_ns: f64, free_bytes: u64) -> HostState {
        HostState {
            multiplication_ns: Some(multiplication_ns),
            free_bytes: Some(record::Bytes(free_bytes)),
            ..HostState::default()
        }
    }

    #[test]
    fn the_slowdown_of_a_machine_is_stated() {
        let (start, end) = (state(1.0, 5_000_000_000), state(1.1, 3_000_000_000));
        let change = Change { start: &start, end: &end };
        assert!(change.figures().slowing.is_some_and(|slowing| (slowing.0 - 0.1).abs() < 1e-9));
        let probe = change.probe().expect("both are known");
        assert!(probe.contains("+10.0 %: more than"), "{probe}");
        assert!(change.space().is_some_and(|space| space.starts_with("2.00 GB")), "{:?}", change.space());
        let back = Change { start: &end, end: &start };
        assert!(back.space().is_some_and(|space| space.starts_with("none")));
        assert!(change.kernel().is_err() && change.heat().is_none() && change.figures().throttle_count.is_none());
    }
}
