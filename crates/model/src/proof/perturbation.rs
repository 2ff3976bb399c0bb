//! Reductions of a resource that test whether it limits a run.

use record::{Ratio, Resource, Run, name};

use crate::attribution::{Limiter, RANDOM_READS, RANDOM_WRITES, SEQUENTIAL_READS, SEQUENTIAL_WRITES, SYNCED_WRITES};
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
/// The reason why the limit cannot be reduced, as a clause.
pub fn perturbation(run: &Run, limiter: &Limiter, left: Ratio) -> Result<Perturbation, String> {
    match limiter {
        Limiter::Processors => processors(run, left, true),
        Limiter::OtherPrograms { .. } => Err("other programs used the CPU: repeat without them".to_owned()),
        Limiter::OneThread { .. } => processors(run, left, false),
        Limiter::Resource(name) => device(name),
        Limiter::Offered => Ok(Perturbation::ArrivalRate),
        Limiter::TooFewClients { .. } => {
            Err("client-bound: compare with other degrees of its sweep (--jobs)".to_owned())
        }
        Limiter::Serialised(_) => Err("a wait is not a resource that can be reduced".to_owned()),
        Limiter::Unexplained => Err("no limiting resource is known".to_owned()),
    }
}

fn processors(run: &Run, left: Ratio, by_affinity: bool) -> Result<Perturbation, String> {
    let client = delta(run, name::CLIENT_CPU_NS);
    let used = client.and_then(|client| {
        let server = delta(run, name::SERVER_CPU_NS).unwrap_or(0);
        share((client as f64 + server as f64) * left.0, run.window_ns.0 as f64)
    });
    match used.filter(|used| *used > 0.0) {
        Some(processors) => Ok(Perturbation::Processors { processors, by_affinity }),
        None => Err("its CPU time is not known".to_owned()),
    }
}

fn device(name: &str) -> Result<Perturbation, String> {
    let part = match name {
        RANDOM_READS => IoPart::Reads,
        SEQUENTIAL_READS => IoPart::ReadBytes,
        SEQUENTIAL_WRITES => IoPart::WriteBytes,
        RANDOM_WRITES | SYNCED_WRITES => IoPart::Writes,
        _ => return Err(format!("{name} cannot be reduced")),
    };
    Ok(Perturbation::DeviceIo(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attribution::TimeClass;
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
        let of = |name: &str| perturbation(&run("T626", 2), &Limiter::Resource(name.to_owned()), LEFT);
        assert_eq!(of(RANDOM_READS), Ok(Perturbation::DeviceIo(IoPart::Reads)));
        assert_eq!(of(SEQUENTIAL_READS), Ok(Perturbation::DeviceIo(IoPart::ReadBytes)));
        assert_eq!(of(SYNCED_WRITES), Ok(Perturbation::DeviceIo(IoPart::Writes)));
        assert!(of("dbdyno client threads for Engine").is_err());
    }

    #[test]
    fn limits_that_are_no_resource_cannot_be_reduced() {
        let class = TimeClass { name: "row and table lock waits".to_owned(), share: Ratio(0.7) };
        for limiter in [Limiter::Serialised(class), Limiter::Unexplained, Limiter::TooFewClients { knee: 4.0 }] {
            let reason = perturbation(&run("T716", 2), &limiter, LEFT).unwrap_err();
            assert!(!reason.is_empty() && !reason.ends_with('.'), "{reason}");
        }
        assert_eq!(perturbation(&run("T716", 2), &Limiter::Offered, LEFT), Ok(Perturbation::ArrivalRate));
    }
}
