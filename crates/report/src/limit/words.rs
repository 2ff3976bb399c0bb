//! The limit of a run and its proof, in words: lower case, without a full stop.

use model::{Attribution, Cause, Limiter, Proof, RULES, ResourceName, TimeClassName, limit_basis};
use record::{Ratio, Resource, UnprovedReason};

use crate::figure::{duration, percent};
use crate::layout::clean;
use crate::words::{basis, list, plural};

/// The limit of a run as a clause: `limit: CPU`.
fn limit_text(limiter: &Limiter) -> String {
    format!("limit: {}", limit(limiter))
}

/// The limit with its evidence.
pub(crate) fn attribution_text(found: &Attribution) -> String {
    let used = list(found.uses.iter().map(|one| format!("{} {}", resource(&one.name), percent(one.used))));
    let spent = list(found.classes.iter().map(|class| format!("{} {}", time_class(class.name), percent(class.share))));
    let used = if used.is_empty() { used } else { format!("; utilisation: {used}") };
    let spent = if spent.is_empty() { spent } else { format!("; response time: {spent}") };
    format!("limit{}: {}{used}{spent}", basis_note(Some(found), None), limit(&found.limiter))
}

/// What a limit rests on, for behind its name; nothing where no limit is named.
pub(crate) fn basis_note(found: Option<&Attribution>, proof: Option<&Proof>) -> String {
    limit_basis(found, proof).map_or_else(String::new, |found| format!(" ({})", basis(found)))
}

/// The limit alone.
pub(crate) fn limit(limiter: &Limiter) -> String {
    match limiter {
        Limiter::Processors => "CPU".to_owned(),
        Limiter::OtherPrograms { used } => format!("CPU, {} of which used by other programs", percent(*used)),
        Limiter::Resource(name) => resource(name),
        Limiter::OneThread { used } => {
            format!("a single thread, {} of the time on CPU", percent(Ratio(used.0.min(1.0))))
        }
        Limiter::WakeUps(wake_up) => {
            format!("wake-ups of idle processors, {} of {}", duration(wake_up.added_ns), duration(wake_up.step_ns))
        }
        Limiter::Offered => "the target rate".to_owned(),
        Limiter::TooFewClients { clients, knee } => {
            let clients = plural(clients.round() as u64, "client");
            format!("client-bound ({clients}); filling the busiest resource takes at least {:.0}", knee.ceil())
        }
        Limiter::Serialised(class) => {
            format!("{}, {} of the response time", time_class(class.name), percent(class.share))
        }
        Limiter::Unexplained => "unexplained; no measured resource is saturated".to_owned(),
    }
}

/// A resource.
pub(crate) fn resource(name: &ResourceName) -> String {
    let name = match name {
        ResourceName::Processors => "processors",
        ResourceName::RandomReads => "random device reads",
        ResourceName::SequentialReads => "device read bandwidth",
        ResourceName::RandomWrites => "random device writes",
        ResourceName::SequentialWrites => "device write bandwidth",
        ResourceName::SyncedWrites => "log syncs",
        ResourceName::NetworkSends => "network bandwidth to the server",
        ResourceName::NetworkReceives => "network bandwidth from the server",
        ResourceName::ClientThreads { engine } => return client_threads(engine),
    };
    name.to_owned()
}

/// A part of the response time in a word or two, for the key of a bar.
pub(crate) fn time_class_name(name: TimeClassName) -> &'static str {
    match name {
        TimeClassName::OnProcessor => "CPU",
        TimeClassName::Locks => "locks",
        TimeClassName::InEngine => "waits in the engine",
        TimeClassName::LogSyncs => "log syncs",
        TimeClassName::DeviceFlushes => "device flushes",
        TimeClassName::DataIo => "data reads and writes",
        TimeClassName::DeviceReads => "device reads",
        TimeClassName::RoundTrips => "network",
        TimeClassName::WakeUps => "wake-ups of processors",
    }
}

/// A part of the response time.
pub(crate) fn time_class(name: TimeClassName) -> &'static str {
    match name {
        TimeClassName::OnProcessor => "on CPU",
        TimeClassName::Locks => "row and table lock waits",
        TimeClassName::InEngine => "waits inside the engine",
        TimeClassName::LogSyncs => "log sync waits",
        TimeClassName::DeviceFlushes => "device flushes",
        TimeClassName::DataIo => "data I/O waits",
        TimeClassName::DeviceReads => "device reads",
        TimeClassName::RoundTrips => "network round trips",
        TimeClassName::WakeUps => "wake-ups of idle processors",
    }
}

/// The conclusion of a proof as a clause.
pub fn proof_text(proof: &Proof) -> String {
    let conclusion = match proof.cause {
        Cause::Because => "limited by",
        Cause::InPart => "partly limited by",
        Cause::NotBecause => "not limited by",
        Cause::Undecided => "undecided whether limited by",
    };
    format!("{conclusion} {}: {}", reduced(proof), effect(proof))
}

/// Why a limit was not proved as a clause; with the limit, as a proof that ends there is noted.
pub fn unproved_text(limiter: Option<&Limiter>, reason: &UnprovedReason) -> String {
    let reason = reason_text(reason);
    match limiter {
        Some(limiter) => format!("{}; cannot be reduced: {reason}", limit_text(limiter)),
        None => format!("not proved: {reason}"),
    }
}

fn reason_text(reason: &UnprovedReason) -> String {
    let reason = match reason {
        UnprovedReason::UnknownLimit => "its limit is unknown",
        UnprovedReason::OtherPrograms => "other programs used the CPU: repeat without them",
        UnprovedReason::TooFewClients => "client-bound: compare with other degrees of its sweep (--jobs)",
        UnprovedReason::Network => "the bandwidth of a network is not reduced by dbdyno",
        UnprovedReason::Wait => "a wait is not a resource that can be reduced",
        UnprovedReason::Unexplained => "no limiting resource is known",
        UnprovedReason::UnknownCpuTime => "its CPU time is not known",
        UnprovedReason::ClientThreads { engine } => return format!("{} cannot be reduced", client_threads(engine)),
        UnprovedReason::Refused { reason } => return clean(reason),
    };
    reason.to_owned()
}

fn client_threads(engine: &str) -> String {
    format!("dbdyno client threads for {engine}")
}

/// The resource that a proof reduced.
fn reduced(proof: &Proof) -> String {
    match (proof.resource, &proof.limiter) {
        (Resource::Processors, Some(Limiter::OneThread { .. })) => "a single thread".to_owned(),
        (Resource::Processors, _) => "CPU".to_owned(),
        (Resource::DeviceIo, Some(Limiter::Resource(name))) => resource(name),
        (Resource::DeviceIo, _) => "device I/O".to_owned(),
        (Resource::ArrivalRate, _) => "the target rate".to_owned(),
    }
}

/// The effect as a clause: `with 80 % of it, 80 % of the rate (elasticity 1.00, 0.98 to 1.02)`.
pub(crate) fn effect(proof: &Proof) -> String {
    let interval = proof.interval.map(|interval| format!(", {:.2} to {:.2}", interval.low, interval.high));
    let few = match proof.pairs {
        1 => ", a single pair".to_owned(),
        few if few < RULES.proof_pairs_min => format!(", {few} pairs"),
        _ => String::new(),
    };
    let (share, ratio) = (percent(proof.share), percent(Ratio(proof.perturbed.0 / proof.control.0)));
    let (elasticity, interval) = (proof.elasticity, interval.unwrap_or_default());
    format!("with {share} of it, {ratio} of the rate (elasticity {elasticity:.2}{interval}{few})")
}

#[cfg(test)]
pub(crate) mod tests {
    use model::{ClosedSystem, Interval, attribution};
    use record::{Dop, Rate, Sweep};

    use super::*;

    /// A proof of three pairs with 80 % of the processors.
    pub(crate) fn proof(cause: Cause, perturbed: f64) -> Proof {
        Proof {
            test: "T132".to_owned(),
            sweep: Sweep::Jobs,
            dop: Dop::jobs(2),
            resource: Resource::Processors,
            share: Ratio(0.8),
            control: Rate(1_000.0),
            perturbed: Rate(perturbed),
            elasticity: 1.0,
            interval: Some(Interval { estimate: 1.0, low: 0.994, high: 1.006 }),
            pairs: 3,
            cause,
            limiter: Some(Limiter::Processors),
        }
    }

    #[test]
    fn a_limit_has_its_evidence() {
        let threads = ResourceName::ClientThreads { engine: "engine".to_owned() };
        let resource = |name, capacity, demand_per_operation| model::Resource { name, capacity, demand_per_operation };
        let system = ClosedSystem {
            rate: 1_000.0,
            clients: 32.0,
            cpu_used: Some(Ratio(0.97)),
            resources: vec![resource(ResourceName::RandomReads, 10_000.0, 6.2), resource(threads, 1e9, 8e4)],
            ..ClosedSystem::default()
        };
        assert_eq!(
            attribution_text(&attribution(&system)),
            "limit (estimate): CPU; utilisation: processors 97 %, random device reads 62 %, dbdyno client threads for engine 8.0 %"
        );
        let taken = attribution(&ClosedSystem { foreign: Some(Ratio(0.4)), ..system });
        assert_eq!(limit_text(&taken.limiter), "limit: CPU, 40 % of which used by other programs");
        let nothing = attribution(&ClosedSystem { rate: 1.0, ..ClosedSystem::default() });
        assert_eq!(attribution_text(&nothing), "limit: unexplained; no measured resource is saturated");
    }

    #[test]
    fn a_proof_has_its_effect_and_says_where_pairs_are_few() {
        let three = proof(Cause::Because, 800.0);
        let effect = "with 80 % of it, 80 % of the rate (elasticity 1.00, 0.99 to 1.01)";
        assert_eq!(proof_text(&three), format!("limited by CPU: {effect}"));
        assert_eq!(proof_text(&proof(Cause::NotBecause, 800.0)), format!("not limited by CPU: {effect}"));
        assert_eq!(proof_text(&proof(Cause::InPart, 800.0)), format!("partly limited by CPU: {effect}"));
        let one = Proof { pairs: 1, interval: None, ..proof(Cause::Undecided, 800.0) };
        assert_eq!(
            proof_text(&one),
            "undecided whether limited by CPU: with 80 % of it, 80 % of the rate (elasticity 1.00, a single pair)"
        );
        assert!(proof_text(&Proof { pairs: 2, ..three }).ends_with(", 2 pairs)"));
    }
}
