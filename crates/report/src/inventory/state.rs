//! The machine at one moment, and what became of it between two.

use record::{BackgroundProgram, HostInventory, HostState, KernelLog};

use crate::figure::{memory, three_digits, volume};
use crate::layout::clean;
use crate::words::{list, plural};

/// A machine whose own speed differs by more than this between start and end was not one machine: ratio in [0, 1].
pub(crate) const SPEED_CHANGE_MAX: f64 = 0.05;

/// Messages that are quoted.
const FAULTS_QUOTED_MAX: usize = 3;

/// The state that an inventory found.
pub(crate) fn state_facts(state: &HostState) -> Vec<(&'static str, Option<String>)> {
    vec![
        ("load", load(state)),
        ("clock", state.clock_mhz.map(|clock| format!("{clock:.0} MHz on average"))),
        ("temperature", temperature(state)),
        ("multiplying", state.multiplication_ns.map(multiplication)),
        ("memory", state.memory_available_bytes.map(|size| format!("{} available", memory(size)))),
        ("kernel log", state.kernel_log.as_ref().map(log)),
    ]
}

fn multiplication(nanos: f64) -> String {
    format!("{} ns for a dependent multiplication", three_digits(nanos))
}

/// Load average, and who else was at work.
pub(crate) fn load(state: &HostState) -> Option<String> {
    let average =
        state.load_average_1_minute.map(|load| format!("{} on average over the last minute", three_digits(load)));
    let one = |one: &BackgroundProgram| format!("{} {:.0} %", clean(&one.name), one.processors * 100.0);
    let others = state.background_programs.as_ref().map(|others| match others.is_empty() {
        true => "no other program was busy".to_owned(),
        false => format!("busy programs of others: {} of one processor", list(others.iter().map(one))),
    });
    (average.is_some() || others.is_some()).then(|| list([average, others].into_iter().flatten()))
}

/// Temperature and slowings.
fn temperature(state: &HostState) -> Option<String> {
    let parts = [
        state.temperature_celsius_max.map(|celsius| format!("{celsius:.0} °C")),
        state
            .thermal_throttle_count
            .map(|count| format!("slowed down for heat {} since the start", plural(count, "time"))),
    ];
    parts.iter().any(Option::is_some).then(|| list(parts.into_iter().flatten()))
}

fn log(log: &KernelLog) -> String {
    match &log.unreadable {
        Some(reason) => format!("not available: {}", clean(reason)),
        None => format!("{}, {} that name faults", plural(log.warning_count, "warning"), log.fault_count),
    }
}

/// The two states of a measurement that has ended.
pub(crate) struct Change<'a> {
    /// Before the first run.
    pub(crate) start: &'a HostState,
    /// After the last.
    pub(crate) end: &'a HostState,
}

impl<'a> Change<'a> {
    /// Of a measurement that says both.
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

    /// Slowings for heat in between.
    pub(crate) fn throttles(&self) -> Option<u64> {
        Some(self.end.thermal_throttle_count?.saturating_sub(self.start.thermal_throttle_count?))
    }

    /// By which ratio a multiplication took longer at the end than at the start; negative where it was faster.
    pub(crate) fn slowing(&self) -> Option<f64> {
        let (start, end) = (self.start.multiplication_ns?, self.end.multiplication_ns?);
        (start > 0.0 && start.is_finite() && end.is_finite()).then(|| end / start - 1.0)
    }

    /// The probe of the processor at both ends.
    pub(crate) fn probe(&self) -> Option<String> {
        let slowing = self.slowing()?;
        let (start, end) = (self.start.multiplication_ns?, self.end.multiplication_ns?);
        let much = if slowing.abs() > SPEED_CHANGE_MAX { ": more than a machine that stays the same" } else { "" };
        Some(format!(
            "dependent multiplications on one processor: {} ns each before, {} ns after, {:+.1} %{much}",
            three_digits(start),
            three_digits(end),
            slowing * 100.0
        ))
    }

    /// Space that was taken in between.
    pub(crate) fn space(&self) -> Option<String> {
        let (start, end) = (self.start.free_bytes?, self.end.free_bytes?);
        let taken = record::Bytes(start.0.saturating_sub(end.0));
        let much = if end > start { "none: more was free at the end".to_owned() } else { volume(taken) };
        Some(format!("{much} of the file system of the directory, logs and what others wrote included"))
    }

    /// What the kernel said meanwhile, or why that is not known.
    pub(crate) fn kernel(&self) -> Result<String, String> {
        let log = self.end.kernel_log.as_ref().ok_or("the version that measured did not read it")?;
        if let Some(reason) = &log.unreadable {
            return Err(clean(reason));
        }
        let quoted: Vec<String> =
            log.faults.iter().take(FAULTS_QUOTED_MAX).map(|fault| format!("\"{}\"", clean(fault))).collect();
        let quoted = if quoted.is_empty() { String::new() } else { format!(": {}", quoted.join(", ")) };
        let warnings = plural(log.warning_count, "message");
        Ok(format!(
            "{warnings} of a warning's level or graver, {} naming faults of the machine{quoted}",
            log.fault_count
        ))
    }

    /// Messages that name faults.
    pub(crate) fn faults(&self) -> u64 {
        self.end.kernel_log.as_ref().map_or(0, |log| log.fault_count)
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
    fn a_machine_that_became_slower_says_by_how_much() {
        let (start, end) = (state(1.0, 5_000_000_000), state(1.1, 3_000_000_000));
        let change = Change { start: &start, end: &end };
        assert!(change.slowing().is_some_and(|slowing| (slowing - 0.1).abs() < 1e-9));
        let said = change.probe().expect("both are known");
        assert!(said.contains("+10.0 %: more than"), "{said}");
        assert!(change.space().is_some_and(|space| space.starts_with("2.00 GB")), "{:?}", change.space());
        let back = Change { start: &end, end: &start };
        assert!(back.space().is_some_and(|space| space.starts_with("none")));
        assert!(change.kernel().is_err() && change.heat().is_none() && change.throttles().is_none());
    }
}
