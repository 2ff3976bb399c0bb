//! What a run can be given less of, to see whether that is what limits it.

use record::{Ratio, Resource, Run, name};

use crate::attribution::{Limiter, RANDOM_READS, RANDOM_WRITES, SEQUENTIAL_READS, SEQUENTIAL_WRITES, SYNCED_WRITES};
use crate::delta::{delta, share};

/// What a run is left with.
#[derive(Clone, Debug, PartialEq)]
pub enum Perturbation {
    /// So many processors' worth of time, of dbdyno and the engine together.
    Processors {
        /// Seconds of processor time per second.
        processors: f64,
        /// Whether one processor fewer is as good: not for a single thread, which needs no more than one.
        by_affinity: bool,
    },
    /// Less I/O of this kind of the device. How much the run had is to be counted first: what the device counts is that of
    /// everybody.
    DeviceIo(IoPart),
    /// So many steps that arrive in a second, as a share of those that were asked for.
    ArrivalRate,
}

/// What can be limited of the I/O of a device.
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
    /// The resource, as a run says it.
    pub fn resource(&self) -> Resource {
        match self {
            Perturbation::Processors { .. } => Resource::Processors,
            Perturbation::DeviceIo(_) => Resource::DeviceIo,
            Perturbation::ArrivalRate => Resource::ArrivalRate,
        }
    }
}

/// What `run` is left with where it has `left` of what limits it.
///
/// A resource is full where it is the limit: what the run used is what it had of it, whatever else used the machine.
///
/// # Errors
/// Why there is nothing to take away, as a clause: `locks cannot be taken away`.
pub fn perturbation(run: &Run, limiter: &Limiter, left: Ratio) -> Result<Perturbation, String> {
    match limiter {
        Limiter::Processors => processors(run, left, true),
        Limiter::OtherPrograms { .. } => Err("others used the processors: repeat without them".to_owned()),
        Limiter::OneThread { .. } => processors(run, left, false),
        Limiter::Resource(name) => device(name),
        Limiter::Offered => Ok(Perturbation::ArrivalRate),
        Limiter::TooFewClients { .. } => Err("fewer clients are a run of its sweep (--jobs)".to_owned()),
        Limiter::Serialised(_) => Err("a wait is no resource of which a run can have less".to_owned()),
        Limiter::Unexplained => Err("nothing is known that it could have less of".to_owned()),
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
        None => Err("how much processor time it used is not known".to_owned()),
    }
}

fn device(name: &str) -> Result<Perturbation, String> {
    let part = match name {
        RANDOM_READS => IoPart::Reads,
        SEQUENTIAL_READS => IoPart::ReadBytes,
        SEQUENTIAL_WRITES => IoPart::WriteBytes,
        RANDOM_WRITES | SYNCED_WRITES => IoPart::Writes,
        _ => return Err(format!("{name} are no resource of which a run can have less")),
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
    fn what_is_left_is_a_share_of_what_was_used() {
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
    fn io_is_taken_away_where_it_is_the_limit() {
        let of = |name: &str| perturbation(&run("T626", 2), &Limiter::Resource(name.to_owned()), LEFT);
        assert_eq!(of(RANDOM_READS), Ok(Perturbation::DeviceIo(IoPart::Reads)));
        assert_eq!(of(SEQUENTIAL_READS), Ok(Perturbation::DeviceIo(IoPart::ReadBytes)));
        assert_eq!(of(SYNCED_WRITES), Ok(Perturbation::DeviceIo(IoPart::Writes)));
        assert!(of("threads of dbdyno that drive Engine").is_err());
    }

    #[test]
    fn what_is_no_resource_cannot_be_taken_away() {
        let class = TimeClass { name: "waiting for locks".to_owned(), share: Ratio(0.7) };
        for limiter in [Limiter::Serialised(class), Limiter::Unexplained, Limiter::TooFewClients { knee: 4.0 }] {
            let reason = perturbation(&run("T716", 2), &limiter, LEFT).unwrap_err();
            assert!(!reason.is_empty() && !reason.ends_with('.'), "{reason}");
        }
        assert_eq!(perturbation(&run("T716", 2), &Limiter::Offered, LEFT), Ok(Perturbation::ArrivalRate));
    }
}
