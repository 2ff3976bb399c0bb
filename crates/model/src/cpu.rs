//! CPU time of the host, and of one party on it.

use record::{Nanos, Ratio, Reading, Run, name};

use crate::delta::{delta, share};
use crate::rules::RULES;

/// Shares of the time of all processors of the host; the rest up to 1 is idle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CpuShares {
    /// User.
    pub user: Ratio,
    /// System.
    pub system: Ratio,
    /// I/O wait.
    pub iowait: Ratio,
    /// Steal.
    pub steal: Ratio,
}

impl CpuShares {
    /// CPU utilisation: user and system.
    pub fn busy(&self) -> Ratio {
        Ratio(self.user.0 + self.system.0)
    }
}

/// CPU time of one party.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CpuUse {
    /// CPUs used: 1.5 is one and a half of them for the whole window.
    pub cores: f64,
    /// As a share of all processors of the host.
    pub of_host: Option<Ratio>,
}

/// Time of all processors in all states between the readings, nanoseconds; None where user, system or idle is missing,
/// and where the readings are too close to each other for clock ticks: a single tick then counts for much of the window,
/// and all processors together can have more time than passed.
pub(crate) fn host_cpu_ns(run: &Run) -> Option<f64> {
    (between_readings(run)?.0 >= RULES.cpu_times_ns_min).then(|| counted_host_cpu_ns(run))?
}

/// The time from the first reading to the last; None without readings.
pub(crate) fn between_readings(run: &Run) -> Option<Nanos> {
    let at = |reading: &Reading| reading.at_ns;
    Some(run.readings.iter().map(at).max()?.since(run.readings.iter().map(at).min()?))
}

/// [`host_cpu_ns`] at any distance of the readings. Some kernels do not count iowait and steal.
pub(crate) fn counted_host_cpu_ns(run: &Run) -> Option<f64> {
    let required = [name::HOST_CPU_USER_NS, name::HOST_CPU_SYSTEM_NS, name::HOST_CPU_IDLE_NS];
    let optional = [name::HOST_CPU_IOWAIT_NS, name::HOST_CPU_STEAL_NS];
    let required: f64 = required.iter().map(|name| Some(delta(run, name)? as f64)).sum::<Option<f64>>()?;
    let optional: f64 = optional.iter().filter_map(|name| delta(run, name)).map(|part| part as f64).sum();
    Some(required + optional).filter(|total| *total > 0.0)
}

/// The CPU states of the host.
pub(crate) fn cpu_shares(run: &Run) -> Option<CpuShares> {
    let total = host_cpu_ns(run)?;
    let part = |name: &str| Ratio(delta(run, name).unwrap_or(0) as f64 / total);
    Some(CpuShares {
        user: part(name::HOST_CPU_USER_NS),
        system: part(name::HOST_CPU_SYSTEM_NS),
        iowait: part(name::HOST_CPU_IOWAIT_NS),
        steal: part(name::HOST_CPU_STEAL_NS),
    })
}

/// The CPU time of the counter `name`.
pub(crate) fn cpu_use(run: &Run, name: &str) -> Option<CpuUse> {
    let used = delta(run, name)? as f64;
    let of_host = host_cpu_ns(run).and_then(|total| share(used, total)).map(Ratio);
    Some(CpuUse { cores: share(used, run.window_ns.0 as f64)?, of_host })
}
