//! What limits each test at its best, and whether that was proved: the words that text and page have in common.

use model::{Attribution, Capacities, Cause, Limiter, Line, Proof, Sheet};
use record::{Dop, Record, Variation};

use crate::layout::{clean, paragraph};
use crate::load_curve::{answers, told};
use crate::words::{dop, short_code};

/// Where the words begin.
const INDENT: usize = 14;

/// What is said of a test of which nothing was counted.
pub(crate) const NOTHING_COUNTED: &str = "unexplained; nothing was counted that could tell";

/// A line for each test that needs an engine: what limits its best run, in words; below it, where the test was run again
/// with less of that, what that did, and what the checks say of those runs.
pub(crate) fn limits(record: &Record, width: usize) -> Vec<String> {
    let sheet = model::sheet(record);
    let (capacities, proofs) = (Capacities::of(record), model::proofs(record));
    tests(&sheet)
        .filter_map(|line| {
            let best = line.best.as_ref()?;
            let run = record.runs.iter().find(|run| run.number == best.run)?;
            let found = capacities.attribute(run);
            let (code, of) = short_code(&clean(&line.test));
            let label = format!("{code} {}", dop(best.dop, line.sweep));
            let proof = proof_of(&proofs, &line.test, best.dop);
            let mut lines = paragraph(&label, INDENT, &format!("{}{of}", headline(found.as_ref(), proof)), width);
            let tried = tried(record, proof, &line.test, best.dop);
            lines.extend(tried.iter().flat_map(|said| paragraph("", INDENT, said, width)));
            let alike = record.runs.iter().filter(|run| run.test == line.test && run.dop == best.dop);
            let perturbed = alike.filter(|run| matches!(run.variation, Some(Variation::Perturbed { .. })));
            let findings = perturbed.flat_map(|run| answers(run).map(move |finding| (run, finding)));
            lines.extend(told(findings, INDENT, width));
            Some(lines)
        })
        .flatten()
        .collect()
}

/// The tests of `sheet` that need an engine and have a result.
pub(crate) fn tests(sheet: &Sheet) -> impl Iterator<Item = &Line> {
    sheet.lines.iter().filter(|line| !line.is_probe && line.best.is_some())
}

/// What was tried last with `test` at a degree of parallelism.
pub(crate) fn proof_of<'p>(proofs: &'p [Proof], test: &str, dop: Dop) -> Option<&'p Proof> {
    proofs.iter().rev().find(|proof| proof.test == test && proof.dop == dop)
}

/// What came of trying whether what limits `test` is why it is not faster: what that did, or why nothing was tried. None
/// where the headline says it all.
pub(crate) fn tried(record: &Record, proof: Option<&Proof>, test: &str, dop: Dop) -> Option<String> {
    if let Some(proof) = proof {
        return (proof.cause != Cause::NotBecause).then(|| proof.sentence());
    }
    let unproved = record.unproved.iter().rev().find(|unproved| unproved.test == test && unproved.dop == dop)?;
    Some(format!("not proved: {}", clean(&unproved.reason)))
}

/// What limits a run, as far as a proof bears it out.
pub(crate) fn headline(found: Option<&Attribution>, proof: Option<&Proof>) -> String {
    let words = words(found);
    match proof.map(|proof| (proof.cause, proof)) {
        None | Some((Cause::Because, _)) => words,
        Some((Cause::InPart, _)) => format!("in part {words}"),
        Some((Cause::Undecided, _)) => format!("perhaps {words}"),
        Some((Cause::NotBecause, proof)) => format!("unexplained; not {words}: {}", proof.effect),
    }
}

/// What limits a run, short enough for a line.
fn words(found: Option<&Attribution>) -> String {
    let Some(found) = found else { return NOTHING_COUNTED.to_owned() };
    let gist = found.gist.strip_prefix("limit: ").unwrap_or(&found.gist);
    let fullest = || found.uses.first().map(|one| format!("{} {:.0} %", one.name, one.used.0 * 100.0));
    let used = |name: &str| {
        let one = found.uses.iter().find(|one| one.name == name);
        one.map_or_else(String::new, |one| format!(", {:.0} % used", one.used.0 * 100.0))
    };
    match &found.limiter {
        Limiter::Processors => format!("{gist}{}", used("processors")),
        Limiter::Resource(name) => format!("{gist}{}", used(name)),
        Limiter::Unexplained => match fullest() {
            Some(fullest) => format!("unexplained; used most: {fullest}"),
            None => "unexplained".to_owned(),
        },
        Limiter::OtherPrograms { .. }
        | Limiter::OneThread { .. }
        | Limiter::Offered
        | Limiter::TooFewClients { .. }
        | Limiter::Serialised(_) => gist.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use model::{ClosedSystem, Resource, TimeClass, attribution};
    use record::{Rate, Ratio, Sweep};

    use super::*;

    fn said(drive: &ClosedSystem) -> String {
        words(Some(&attribution(drive)))
    }

    #[test]
    fn a_headline_says_no_more_than_was_proved() {
        let full =
            ClosedSystem { rate: 1_000.0, clients: 32.0, cpu_used: Some(Ratio(0.98)), ..ClosedSystem::default() };
        let found = attribution(&full);
        let proof = |cause: Cause| Proof {
            test: "T132".to_owned(),
            sweep: Sweep::Jobs,
            dop: Dop::jobs(2),
            resource: record::Resource::Processors,
            share: Ratio(0.8),
            control: Rate(1_000.0),
            perturbed: Rate(1_000.0),
            elasticity: 0.0,
            interval: None,
            pairs: 3,
            cause,
            what: "the processors".to_owned(),
            effect: "with 80 % of that, 100 % of the rate".to_owned(),
        };
        let of = |cause: Cause| headline(Some(&found), Some(&proof(cause)));
        assert_eq!(of(Cause::Because), "the processors, 98 % used");
        assert_eq!(of(Cause::InPart), "in part the processors, 98 % used");
        assert_eq!(of(Cause::Undecided), "perhaps the processors, 98 % used");
        assert_eq!(
            of(Cause::NotBecause),
            "unexplained; not the processors, 98 % used: with 80 % of that, 100 % of the rate"
        );
        assert_eq!(headline(Some(&found), None), "the processors, 98 % used");
    }

    #[test]
    fn a_limit_is_said_with_what_speaks_for_it_and_without_a_cause() {
        let none = ClosedSystem { rate: 1_000.0, clients: 32.0, ..ClosedSystem::default() };
        let full = ClosedSystem { cpu_used: Some(Ratio(0.98)), ..none.clone() };
        assert_eq!(said(&full), "the processors, 98 % used");
        let resource =
            Resource { name: "forced writes of the log".to_owned(), capacity: 1_000.0, demand_per_operation: 0.95 };
        assert_eq!(
            said(&ClosedSystem { resources: vec![resource], ..none.clone() }),
            "forced writes of the log, 95 % used"
        );
        let class = TimeClass { name: "waiting for locks of rows and tables".to_owned(), share: Ratio(0.87) };
        let locked = ClosedSystem { classes: vec![class], ..none.clone() };
        assert_eq!(said(&locked), "waiting for locks of rows and tables, 87 % of the response time");
        let idle = ClosedSystem { cpu_used: Some(Ratio(0.4)), ..none.clone() };
        assert_eq!(said(&idle), "unexplained; used most: processors 40 %");
        assert_eq!((said(&none), words(None)), ("unexplained".to_owned(), NOTHING_COUNTED.to_owned()));
        let few = ClosedSystem { clients: 1.0, demand_seconds: Some(0.004), ..idle };
        assert_eq!(said(&few), "its 1 client; what is used most would bear 10");
        for drive in [full, locked, few, none] {
            assert!(!said(&drive).contains("because"), "nothing is proved");
        }
    }
}
