//! What one side of a comparison in pairs says of the measurement that both are from.

use record::{Nanos, Pairing, Rate, Record, Run, Unit};

use crate::checks::percent;
use crate::efficiency::rate_in;
use crate::row::is_invalid;
use crate::rules::RULES;

/// That a system is one side of a comparison in pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct Paired {
    /// The record of the other side.
    pub with: String,
    /// Hash of what both sides were asked; absent where the record is older than that.
    pub plan_hash: Option<String>,
    /// What the machine itself gave meanwhile; absent where the record is older than that.
    pub control_probe: Option<ControlProbe>,
}

/// A probe of the machine that was carried out before the first pair and again after the last one. It belongs to both
/// sides alike and is no test of either.
#[derive(Clone, Debug, PartialEq)]
pub struct ControlProbe {
    /// The code of the probe.
    pub probe: String,
    /// What it counts.
    pub unit: Unit,
    /// What it gave before the first pair; absent where that run is invalid.
    pub before: Option<Rate>,
    /// What it gave after the last pair; absent where that run is invalid, or the pairs were broken off before.
    pub after: Option<Rate>,
}

impl ControlProbe {
    /// The longest window of the probe.
    pub const WINDOW_NS_MAX: Nanos = Nanos(2_000_000_000);
    /// Its longest warm-up.
    pub const WARM_UP_NS_MAX: Nanos = Nanos(400_000_000);

    /// By which share the machine gave more (or less, below 0) after the last pair than before the first.
    pub fn change(&self) -> Option<f64> {
        let (before, after) = (self.before?.0, self.after?.0);
        (before > 0.0).then(|| after / before - 1.0)
    }

    /// Why the pairs in between are in doubt, as a clause: that the machine gave more or less by a larger share than the
    /// rules allow, or that nobody knows. None where they are not.
    pub fn doubt(&self) -> Option<String> {
        let probe = &self.probe;
        let Some(change) = self.change() else {
            let when = if self.before.is_none() { "before the first pair" } else { "after the last pair" };
            return Some(format!("what the machine itself gave {when} is not known ({probe})"));
        };
        let word = if change > 0.0 { "more" } else { "less" };
        (change.abs() > RULES.control_probe_change_max).then(|| {
            format!(
                "the machine itself gave {} {word} after the last pair than before the first ({probe}), the limit is {}",
                percent(change.abs()),
                percent(RULES.control_probe_change_max)
            )
        })
    }
}

/// What `record` says of its pairing; none where it is no side of one.
pub(super) fn paired(record: &Record) -> Option<Paired> {
    let Pairing { other, plan_hash, .. } = record.plan.paired.as_ref()?;
    Some(Paired { with: other.clone(), plan_hash: plan_hash.clone(), control_probe: control_probe(record) })
}

/// Whether `run` of `record` is one of its control_probe: the probes of a pair are.
pub(super) fn is_control_probe(record: &Record, run: &Run) -> bool {
    record.plan.paired.is_some() && run.kind.is_probe()
}

fn control_probe(record: &Record) -> Option<ControlProbe> {
    let runs = || record.runs.iter().filter(|run| is_control_probe(record, run));
    let planned = record.plan.runs.iter().filter(|planned| planned.kind.is_probe());
    let [before, after] = planned.map(|planned| planned.number).collect::<Vec<_>>().try_into().ok()?;
    let first = runs().next()?;
    let rate = |number: u32| {
        let run = runs().find(|run| run.number == number && run.window_ns > Nanos(0) && !is_invalid(run))?;
        rate_in(run, run.unit).filter(|rate| rate.0 > 0.0)
    };
    Some(ControlProbe { probe: first.test.clone(), unit: first.unit, before: rate(before), after: rate(after) })
}

#[cfg(test)]
mod tests {
    use record::{Check, Dop, PlannedRun, Side, Verdict};

    use super::*;
    use crate::fixture::{faster, finding, record, run};
    use crate::system::{Origin, system};

    /// A side whose machine gave `after` times as much after the pairs as before.
    fn side(after: u64) -> Record {
        let mut record = record(vec![run("P111", 2), run("T611", 2), faster(run("P111", 2), after)]);
        let planned = |run: &Run| PlannedRun {
            kind: run.kind.clone(),
            number: run.number,
            test: run.test.clone(),
            dop: Dop::jobs(2),
            repeat: 1,
            variation: None,
        };
        record.plan.runs = record.runs.iter().map(planned).collect();
        record.plan.paired = Some(Pairing {
            side: Side::A,
            other: "other".to_owned(),
            other_target: String::new(),
            plan_hash: Some("sha256:00".to_owned()),
        });
        record
    }

    fn found(record: &Record) -> ControlProbe {
        paired(record).unwrap().control_probe.unwrap()
    }

    #[test]
    fn the_probes_of_a_pair_are_its_control_probe_and_no_test() {
        let record = side(1);
        let system = system(&record);
        assert_eq!(system.tests.iter().map(|test| test.code.as_str()).collect::<Vec<_>>(), ["T611"]);
        let Origin::Measured { paired: Some(paired), .. } = system.origin else { panic!("it is one side of a pair") };
        assert_eq!((paired.with.as_str(), paired.plan_hash.as_deref()), ("other", Some("sha256:00")));
        let control_probe = paired.control_probe.unwrap();
        assert_eq!((control_probe.change(), control_probe.doubt()), (Some(0.0), None));
    }

    #[test]
    fn a_machine_that_changed_puts_the_pairs_in_doubt() {
        assert_eq!(
            found(&side(2)).doubt().unwrap(),
            "the machine itself gave 100 % more after the last pair than before the first (P111), the limit is 5.0 %"
        );
        let at = |after: f64| {
            let control_probe = found(&side(1));
            ControlProbe { after: control_probe.before.map(|before| Rate(before.0 * after)), ..control_probe }.doubt()
        };
        assert_eq!((at(1.049), at(0.951)), (None, None));
        assert!(at(0.949).unwrap().starts_with("the machine itself gave 5.1 % less after"));
    }

    #[test]
    fn what_is_not_known_of_the_machine_is_a_doubt() {
        let mut aborted = side(1);
        aborted.runs.pop();
        let doubt = found(&aborted).doubt().unwrap();
        assert_eq!(doubt, "what the machine itself gave after the last pair is not known (P111)");
        let mut invalid = side(1);
        invalid.runs[0].findings = vec![finding(Check::Steal, Verdict::Fail)];
        assert!(found(&invalid).doubt().unwrap().contains("before the first pair is not known"));
        let mut old = side(1);
        old.runs.retain(|run| run.test != "P111");
        old.plan.runs.retain(|run| run.test != "P111");
        assert_eq!(paired(&old).unwrap().control_probe, None, "a record of before there was one");
    }
}
