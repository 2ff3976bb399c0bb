//! What would help: changes of the platform, with what each gains as an estimate, and the most that it can gain.
//!
//! Three laws hold of every closed system, however its jobs wait for each other:
//!
//! - an operation that takes d of a resource with the capacity C allows a rate of C/d at most, which is the measured rate
//!   over the utilisation (utilisation law);
//! - where one part becomes so many times as fast, the rate becomes at most as many times as high: it would, if all else and
//!   the time between two steps became as fast;
//! - where one wait becomes shorter, the others do not: more jobs are there then. A step takes at least the rest of its time.

use record::Resource;

use crate::attribution::{Attribution, Limiter, ResourceName, TimeClassName};
use crate::claim::ClaimBasis;
use crate::proof::{Cause, Proof};
use crate::rules::RULES;

/// A remedy with a smaller gain is not named, nor one with a larger: then something unknown limits the rate long before.
const GAINS: std::ops::RangeInclusive<f64> = 1.1..=10.0;

/// Processors that a platform may be given more.
const MORE_PROCESSORS: u32 = 2;

/// Steps per unit of a factor as it is shown.
const TENTHS: f64 = 10.0;

/// What computing with shares and factors is off by, at most.
const ROUNDING: f64 = 1e-12;

/// A change of the platform, with the gain that it has where all else stays as it is, and the one that it can have at most:
/// all else is assumed to be unlimited then.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    /// The change.
    pub remedy: Remedy,
    /// The largest factor of the rate, rounded up to a tenth: the part of the time of which nothing is known counts as if
    /// the change helped it. Absent where that is all of the time, which has no bound.
    pub factor_max: Option<f64>,
    /// The factor of the rate where each wait that is known to be of the part becomes as much shorter as its latency, rounded
    /// to a tenth: an estimate, at most `factor_max`. Absent where only a bound is known.
    pub factor_estimated: Option<f64>,
    /// Whether the bound is from runs with less of the resource, or from the figures of one run.
    pub basis: ClaimBasis,
}

/// A change of the platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// So many more processors.
    Processors(u32),
    /// No other programs on the processors.
    NoOtherPrograms,
    /// A log device with half the latency.
    LogLatency,
    /// A data device with half the latency.
    DataLatency,
    /// Half the time of a round trip.
    NetworkLatency,
    /// Memory for all data, so that none is read from the device.
    Memory,
    /// A device with twice the rate.
    DeviceRate,
    /// More sessions: the client is the limit.
    Sessions,
}

/// A gain before it is rounded; a bound may be infinite.
struct Exact {
    remedy: Remedy,
    factor_max: f64,
    factor_estimated: Option<f64>,
    basis: ClaimBasis,
}

impl Exact {
    /// What it is named and ordered by.
    fn factor(&self) -> f64 {
        self.factor_estimated.unwrap_or(self.factor_max)
    }

    fn rounded(&self) -> Gain {
        Gain {
            remedy: self.remedy,
            factor_max: self.factor_max.is_finite().then(|| tenths_up(self.factor_max)),
            factor_estimated: self.factor_estimated.map(|factor| (factor * TENTHS).round() / TENTHS),
            basis: self.basis,
        }
    }
}

/// `factor` as a bound is shown: the next tenth that is not below it. Errors of the computation are no tenth.
fn tenths_up(factor: f64) -> f64 {
    (factor * TENTHS * (1.0 - ROUNDING)).ceil() / TENTHS
}

/// What would help, the largest gain first. A limit that was disproved helps nothing; in an open loop the rate is given.
/// `processors` are the hardware threads of the host whose utilisation `found` has; absent where not known.
pub(super) fn remedies(
    found: &Attribution,
    proof: Option<&Proof>,
    processors: Option<u32>,
    is_closed: bool,
) -> Vec<Gain> {
    if !is_closed || proof.is_some_and(|proof| proof.cause == Cause::NotBecause) {
        return Vec::new();
    }
    // Beside other programs, the shares of the response time are not those of the platform.
    let is_disturbed = matches!(found.limiter, Limiter::OtherPrograms { .. });
    let waits = of_waits(found).filter(|_| !is_disturbed);
    let mut gains: Vec<Exact> = of_limit(found, proof, processors).into_iter().chain(waits).collect();
    gains.retain(|gain| GAINS.contains(&gain.factor()));
    gains.sort_by(|one, other| other.factor().total_cmp(&one.factor()));
    gains.iter().map(Exact::rounded).collect()
}

/// More of the limiting resource, as far as the busiest of the others allows.
fn of_limit(found: &Attribution, proof: Option<&Proof>, processors: Option<u32>) -> Option<Exact> {
    let gain = |remedy, factor: f64, basis| {
        let factor = factor.min(until_next(found, remedy));
        factor.is_finite().then_some(Exact { remedy, factor_max: factor, factor_estimated: None, basis })
    };
    let bound = |remedy, factor| gain(remedy, factor, ClaimBasis::Bound);
    match &found.limiter {
        Limiter::Processors => {
            let remedy = Remedy::Processors(MORE_PROCESSORS);
            // Other programs take no more of them.
            let own = f64::from(processors.filter(|count| *count > 0)?) * (1.0 - found.foreign.0);
            let factor = (own + f64::from(MORE_PROCESSORS)) / own;
            match proof.filter(|proof| proof.resource == Resource::Processors && is_decided(proof)) {
                Some(proof) => {
                    let elasticity = proof.interval.map_or(proof.elasticity, |interval| interval.high).clamp(0.0, 1.0);
                    gain(remedy, factor.powf(elasticity), ClaimBasis::Measured)
                }
                None => bound(remedy, factor),
            }
        }
        // All of the processors are there then, of which the run has used what the others have not.
        Limiter::OtherPrograms { used } => {
            let all = found.uses.iter().find(|one| one.name == ResourceName::Processors)?.used;
            bound(Remedy::NoOtherPrograms, 1.0 / (all.0 - used.0).max(0.0))
        }
        Limiter::Resource(ResourceName::ClientThreads { .. }) => None,
        Limiter::Resource(_) => bound(Remedy::DeviceRate, 2.0),
        Limiter::TooFewClients { .. } => bound(Remedy::Sessions, f64::INFINITY),
        Limiter::OneThread { .. }
        | Limiter::WakeUps(_)
        | Limiter::Offered
        | Limiter::Serialised(_)
        | Limiter::Unexplained => None,
    }
}

/// The factor of the rate at which the first resource is full that `remedy` adds nothing to.
fn until_next(found: &Attribution, remedy: Remedy) -> f64 {
    let of_device = |name: &ResourceName| match (&found.limiter, name) {
        (Limiter::Resource(limiting), name) => limiting == name || limiting.is_of_same_device(name),
        _ => false,
    };
    let grows = |name: &ResourceName| match remedy {
        // Threads of dbdyno are as many as jobs, and run on the processors of its host.
        Remedy::Sessions => name.is_of_jobs(),
        Remedy::Processors(_) => *name == ResourceName::Processors || name.is_of_jobs(),
        Remedy::NoOtherPrograms => *name == ResourceName::Processors,
        Remedy::DeviceRate => of_device(name),
        Remedy::LogLatency | Remedy::DataLatency | Remedy::NetworkLatency | Remedy::Memory => true,
    };
    let others = found.uses.iter().filter(|one| !grows(&one.name));
    others.map(|one| found.rate_factor_max(one)).fold(f64::INFINITY, f64::min)
}

fn is_decided(proof: &Proof) -> bool {
    proof.pairs >= RULES.proof_pairs_min && matches!(proof.cause, Cause::Because | Cause::InPart)
}

/// Shorter waits. A wait is the service and the queue before it: where each becomes as much shorter as the service, the
/// factor is the one that is estimated. The queue may vanish where the service becomes faster, so that all of the wait may be
/// saved; but a service of half the time makes nothing more than twice as fast. What is not known of the time may be the same
/// wait: only with all of it is the factor a bound.
fn of_waits(found: &Attribution) -> impl Iterator<Item = Exact> {
    let share = |names: [TimeClassName; 2]| -> f64 {
        found.classes.iter().filter(|class| names.contains(&class.name)).map(|class| class.share.0).fold(0.0, f64::max)
    };
    let log = share([TimeClassName::LogSyncs, TimeClassName::DeviceFlushes]);
    let data = share([TimeClassName::DataIo, TimeClassName::DeviceReads]);
    let network = share([TimeClassName::RoundTrips; 2]);
    let unknown = found.unknown_share().0;
    // `left`: what is left of the service time. Errors of the sum of all shares are no rest.
    let shorter = |remedy, left: f64, share: f64| {
        let rest = |share: f64| if share < 1.0 - ROUNDING { 1.0 - share } else { 0.0 };
        Exact {
            remedy,
            factor_max: 1.0 / rest(share + unknown).max(left),
            factor_estimated: Some(1.0 / rest(share * (1.0 - left))),
            basis: ClaimBasis::Bound,
        }
    };
    [
        shorter(Remedy::LogLatency, 0.5, log),
        shorter(Remedy::DataLatency, 0.5, data),
        shorter(Remedy::Memory, 0.0, data),
        shorter(Remedy::NetworkLatency, 0.5, network),
    ]
    .into_iter()
}

#[cfg(test)]
mod tests;
