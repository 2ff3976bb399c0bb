//! The limit of the best run of each test, and its proof.

mod document;
mod words;

use model::{Attribution, Capacities, Cause, Limiter, Line, Proof, ResourceName, Sheet};
use record::{Dop, Record, Run};

pub(crate) use document::ceilings;
pub(crate) use words::{basis_note, limit, resource, time_class, time_class_name};
pub use words::{proof_text, unproved_text};

/// The text of a test without counters.
const NOTHING_COUNTED: &str = "unexplained; no counters";

/// The limits of the best runs of the tests of `sheet`, as far as they were measured.
pub(crate) fn limiters(record: &Record, sheet: &Sheet) -> Vec<Limiter> {
    let capacities = Capacities::of(record);
    let runs = tests(sheet).filter_map(|line| best_run(record, line));
    runs.filter_map(|run| capacities.attribute(run)).map(|found| found.limiter).collect()
}

/// The best run of a test.
fn best_run<'r>(record: &'r Record, line: &Line) -> Option<&'r Run> {
    let best = line.best.as_ref()?.run;
    record.runs.iter().find(|run| run.number == best)
}

/// The tests of `sheet` that need an engine and have a result.
fn tests(sheet: &Sheet) -> impl Iterator<Item = &Line> {
    sheet.lines.iter().filter(|line| !line.is_probe && line.best.is_some())
}

/// The last proof of `test` at a degree of parallelism.
pub(crate) fn proof_of<'p>(proofs: &'p [Proof], test: &str, dop: Dop) -> Option<&'p Proof> {
    proofs.iter().rev().find(|proof| proof.test == test && proof.dop == dop)
}

/// The result of the proof of the limit of `test`, or why there is none. Nothing where the headline states it.
fn tried(record: &Record, proof: Option<&Proof>, test: &str, dop: Dop) -> Option<String> {
    if let Some(proof) = proof {
        return (proof.cause != Cause::NotBecause).then(|| proof_text(proof));
    }
    let unproved = record.unproved.iter().rev().find(|unproved| unproved.test == test && unproved.dop == dop)?;
    Some(unproved_text(None, &unproved.reason))
}

/// The limit of a run, as far as it is proved.
pub(crate) fn headline(found: Option<&Attribution>, proof: Option<&Proof>) -> String {
    let words = limit_with_use(found);
    match proof.map(|proof| (proof.cause, proof)) {
        None | Some((Cause::Because, _)) => words,
        Some((Cause::InPart, _)) => format!("in part {words}"),
        Some((Cause::Undecided, _)) => format!("perhaps {words}"),
        Some((Cause::NotBecause, proof)) => format!("unexplained; not {words}: {}", words::effect(proof)),
    }
}

/// The limit of a run, short enough for a line.
fn limit_with_use(found: Option<&Attribution>) -> String {
    let Some(found) = found else { return NOTHING_COUNTED.to_owned() };
    let limit = words::limit(&found.limiter);
    let used = |name: &ResourceName| {
        let one = found.uses.iter().find(|one| one.name == *name);
        one.map_or_else(String::new, |one| format!(", {:.0} % used", one.used.0 * 100.0))
    };
    match &found.limiter {
        Limiter::Processors => format!("{limit}{}", used(&ResourceName::Processors)),
        Limiter::Resource(name) => format!("{limit}{}", used(name)),
        Limiter::Unexplained => match found.uses.first() {
            Some(fullest) => {
                format!("unexplained; fullest resource: {} {:.0} %", resource(&fullest.name), fullest.used.0 * 100.0)
            }
            None => "unexplained".to_owned(),
        },
        Limiter::OtherPrograms { .. }
        | Limiter::OneThread { .. }
        | Limiter::WakeUps(_)
        | Limiter::Offered
        | Limiter::TooFewClients { .. }
        | Limiter::Serialised(_) => limit,
    }
}

#[cfg(test)]
mod tests {
    use model::{ClosedSystem, Resource, TimeClass, TimeClassName, attribution};
    use record::Ratio;

    use super::words::tests::proof;
    use super::*;

    fn words_of(system: &ClosedSystem) -> String {
        limit_with_use(Some(&attribution(system)))
    }

    #[test]
    fn a_headline_states_no_more_than_was_proved() {
        let full =
            ClosedSystem { rate: 1_000.0, clients: 32.0, cpu_used: Some(Ratio(0.98)), ..ClosedSystem::default() };
        let found = attribution(&full);
        let of = |cause: Cause| headline(Some(&found), Some(&proof(cause, 1_000.0)));
        assert_eq!(of(Cause::Because), "CPU, 98 % used");
        assert_eq!(of(Cause::InPart), "in part CPU, 98 % used");
        assert_eq!(of(Cause::Undecided), "perhaps CPU, 98 % used");
        assert_eq!(
            of(Cause::NotBecause),
            "unexplained; not CPU, 98 % used: with 80 % of it, 100 % of the rate (elasticity 1.00, 0.99 to 1.01)"
        );
        assert_eq!(headline(Some(&found), None), "CPU, 98 % used");
    }

    #[test]
    fn a_limit_has_its_evidence_and_no_cause() {
        let none = ClosedSystem { rate: 1_000.0, clients: 32.0, ..ClosedSystem::default() };
        let full = ClosedSystem { cpu_used: Some(Ratio(0.98)), ..none.clone() };
        assert_eq!(words_of(&full), "CPU, 98 % used");
        let resource = Resource { name: ResourceName::SyncedWrites, capacity: 1_000.0, demand_per_operation: 0.95 };
        assert_eq!(words_of(&ClosedSystem { resources: vec![resource], ..none.clone() }), "log syncs, 95 % used");
        let class = TimeClass { name: TimeClassName::Locks, share: Ratio(0.87) };
        let locked = ClosedSystem { classes: vec![class], ..none.clone() };
        assert_eq!(words_of(&locked), "row and table lock waits, 87 % of the response time");
        let idle = ClosedSystem { cpu_used: Some(Ratio(0.4)), ..none.clone() };
        assert_eq!(words_of(&idle), "unexplained; fullest resource: processors 40 %");
        assert_eq!((words_of(&none), limit_with_use(None)), ("unexplained".to_owned(), NOTHING_COUNTED.to_owned()));
        let few = ClosedSystem { clients: 1.0, demand_seconds: Some(0.004), ..idle };
        assert_eq!(words_of(&few), "client-bound (1 client); filling the busiest resource takes at least 10");
        for system in [full, locked, few, none] {
            assert!(!words_of(&system).contains("because"), "nothing is proved");
        }
    }
}
