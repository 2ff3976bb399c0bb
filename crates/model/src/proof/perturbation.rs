//! Reductions of a resource that test whether it limits a run.

use record::{Ratio, Resource, Run, UnprovedReason, name};

use crate::attribution::{Limiter, ResourceName};
use crate::delta::{delta, share};

/// A reduction.
#[derive(Clone, Debug, PartialEq)]
pub enum Perturbation {
    /// CPU time of dbdyno and the engine together.
    Processors {
        /// CPU seconds per second.
        processors: f64,
        /// Whether removing one processor is equivalent; not for a single thread, which needs only one.
        by_affinity: bool,
    },
    /// Device I/O of this kind. The I/O of the run has to be counted first, since device counters include other
    /// programs.
    DeviceIo(IoPart),
    /// The target rate.
    ArrivalRate,
}

/// A kind of device I/O that can be limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IoPart {
    /// Reads per second.
    Reads,
    /// Writes per second, flushes among them.
    Writes,
    /// Bytes read per second.
    ReadBytes,
    /// Bytes written per second.
    WriteBytes,
}

impl Perturbation {
    /// The resource, as in records.
    pub fn resource(&self) -> Resource {
        match self {
            Perturbation::Processors { .. } => Resource::Processors,
            Perturbation::DeviceIo(_) => Resource::DeviceIo,
            Perturbation::ArrivalRate => Resource::ArrivalRate,
        }
    }
}

/// The reduction of the limit of `run` to the share `left`.
///
/// A limiting resource is saturated, so that the use of the run is all that was available to it.
///
/// # Errors
/// The reason why the limit cannot be reduced.
pub fn perturbation(run: &Run, limiter: &Limiter, left: Ratio) -> Result<Perturbation, UnprovedReason> {
    let io = |part| Ok(Perturbation::DeviceIo(part));
    match limiter {
        Limiter::Processors | Limiter::Resource(ResourceName::Processors) => processors(run, left, true),
        Limiter::OneThread { .. } => processors(run, left, false),
        Limiter::Resource(ResourceName::RandomReads) => io(IoPart::Reads),
        Limiter::Resource(ResourceName::SequentialReads) => io(IoPart::ReadBytes),
        Limiter::Resource(ResourceName::RandomWrites | ResourceName::SyncedWrites) => io(IoPart::Writes),
        Limiter::Resource(ResourceName::SequentialWrites) => io(IoPart::WriteBytes),
        Limiter::Offered => Ok(Perturbation::ArrivalRate),
        Limiter::Resource(ResourceName::NetworkSends | ResourceName::NetworkReceives) => Err(UnprovedReason::Network),
        Limiter::Resource(ResourceName::ClientThreads { engine }) => {
            Err(UnprovedReason::ClientThreads { engine: engine.clone() })
        }
        Limiter::OtherPrograms { .. } => Err(UnprovedReason::OtherPrograms),
        Limiter::TooFewClients { .. } => Err(UnprovedReason::TooFewClients),
        Limiter::WakeUps(_) | Limiter::Serialised(_) => Err(UnprovedReason::Wait),
        Limiter::Unexplained => Err(UnprovedReason::Unexplained),
    }
}

fn processors(run: &Run, left: Ratio, by_affinity: bool) -> Result<Perturbation, UnprovedReason> {
    let client = delta(run, name::CLIENT_CPU_NS);
    let used = client.and_then(|client| {
        let server = delta(run, name::SERVER_CPU_NS).unwrap_or(0);
        share((client as f64 + server as f64) * left.0, run.window_ns.0 as f64)
    });
    let processors = used.filter(|used| *used > 0.0).ok_or(UnprovedReason::UnknownCpuTime)?;
    Ok(Perturbation::Processors { processors, by_affinity })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attribution::{TimeClass, TimeClassName};
    use crate::fixture::{counted, run};

    const SECOND: u64 = 1_000_000_000;
    const LEFT: Ratio = Ratio(0.8);

    #[test]
    fn a_reduction_is_a_share_of_the_use() {
        // 15 s of processor time in 10 s.
        let busy = counted(run("T132", 2), &[(name::CLIENT_CPU_NS, SECOND), (name::SERVER_CPU_NS, 14 * SECOND)]);
        let found = perturbation(&busy, &Limiter::Processors, LEFT).unwrap();
        assert!(
            matches!(found, Perturbation::Processors { processors, by_affinity: true } if (processors - 1.2).abs() < 1e-9)
        );
        let found = perturbation(&busy, &Limiter::OneThread { used: Ratio(0.95) }, LEFT).unwrap();
        assert!(matches!(found, Perturbation::Processors { by_affinity: false, .. }));
        assert!(perturbation(&run("T132", 2), &Limiter::Processors, LEFT).is_err(), "nothing was counted");
    }

    #[test]
    fn io_is_reduced_where_it_is_the_limit() {
        let of = |name: ResourceName| perturbation(&run("T626", 2), &Limiter::Resource(name), LEFT);
        assert_eq!(of(ResourceName::RandomReads), Ok(Perturbation::DeviceIo(IoPart::Reads)));
        assert_eq!(of(ResourceName::SequentialReads), Ok(Perturbation::DeviceIo(IoPart::ReadBytes)));
        assert_eq!(of(ResourceName::SyncedWrites), Ok(Perturbation::DeviceIo(IoPart::Writes)));
        let threads = ResourceName::ClientThreads { engine: "engine".to_owned() };
        assert_eq!(of(threads), Err(UnprovedReason::ClientThreads { engine: "engine".to_owned() }));
    }

    #[test]
    fn limits_that_are_no_resource_cannot_be_reduced() {
        let of = |limiter| perturbation(&run("T716", 2), &limiter, LEFT);
        let class = TimeClass { name: TimeClassName::Locks, share: Ratio(0.7) };
        assert_eq!(of(Limiter::Serialised(class)), Err(UnprovedReason::Wait));
        assert_eq!(of(Limiter::Unexplained), Err(UnprovedReason::Unexplained));
        assert_eq!(of(Limiter::TooFewClients { clients: 1.0, knee: 4.0 }), Err(UnprovedReason::TooFewClients));
        assert_eq!(of(Limiter::Offered), Ok(Perturbation::ArrivalRate));
    }
}
