//! Processor time: of the host, and of one party on it.

use record::{Ratio, Run, name};

use crate::delta::{delta, share};

/// Shares of the time of all processors of the host; what is missing to 1 was idle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CpuShares {
    /// In programs.
    pub user: Ratio,
    /// In the kernel.
    pub system: Ratio,
    /// Idle with I/O outstanding.
    pub iowait: Ratio,
    /// Given to others by the hypervisor.
    pub steal: Ratio,
}

impl CpuShares {
    /// What the published tables call CPU %: user and system.
    pub fn busy(&self) -> Ratio {
        Ratio(self.user.0 + self.system.0)
    }
}

/// Processor time of one party.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CpuUse {
    /// In processors: 1.5 is one and a half of them, busy for the whole window.
    pub cores: f64,
    /// As a share of all processors of the host.
    pub of_host: Option<Ratio>,
}

/// Time of all processors between the readings, all states together, in nanoseconds; none where one of the states that
/// every kernel counts is missing. Waiting for I/O and steal are states that some kernels do not have.
pub(crate) fn host_cpu_ns(run: &Run) -> Option<f64> {
    let always = [name::HOST_CPU_USER_NS, name::HOST_CPU_SYSTEM_NS, name::HOST_CPU_IDLE_NS];
    let sometimes = [name::HOST_CPU_IOWAIT_NS, name::HOST_CPU_STEAL_NS];
    let always: f64 = always.iter().map(|name| Some(delta(run, name)? as f64)).sum::<Option<f64>>()?;
    let sometimes: f64 = sometimes.iter().filter_map(|name| delta(run, name)).map(|part| part as f64).sum();
    Some(always + sometimes).filter(|total| *total > 0.0)
}

/// What all processors of the host did.
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

/// The processor time that the counter `name` tells of.
pub(crate) fn cpu_use(run: &Run, name: &str) -> Option<CpuUse> {
    let used = delta(run, name)? as f64;
    let of_host = host_cpu_ns(run).and_then(|total| share(used, total)).map(Ratio);
    Some(CpuUse { cores: share(used, run.window_ns.0 as f64)?, of_host })
}
