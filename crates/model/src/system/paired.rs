//! The pairing of one side of a paired comparison, and its control probe.

use record::{LoadBeside, Nanos, Pairing, Rate, Record, Run, Unit};

use crate::delta::rate_in;
use crate::rules::RULES;
use crate::verdict::is_invalid;

/// The pairing of one side.
#[derive(Clone, Debug, PartialEq)]
pub struct Paired {
    /// The record of the other side.
    pub with: String,
    /// Hash of the common plan; absent in older records.
    pub plan_hash: Option<String>,
    /// The loads beside the tests of this side.
    pub loads_beside: Vec<LoadBeside>,
    /// The control probe of the machine; absent in older records.
    pub control_probe: Option<ControlProbe>,
}

/// A probe of the machine that is run before the first pair and after the last one. It belongs to both sides and is not
/// a test of either.
#[derive(Clone, Debug, PartialEq)]
pub struct ControlProbe {
    /// The code of the probe.
    pub probe: String,
    /// The unit.
    pub unit: Unit,
    /// Its rate before the first pair; absent where that run is invalid.
    pub before: Option<Rate>,
    /// Its rate after the last pair; absent where that run is invalid, or the pairs were aborted before.
    pub after: Option<Rate>,
}

impl ControlProbe {
    /// The longest window of the probe.
    pub const WINDOW_NS_MAX: Nanos = Nanos(2_000_000_000);
    /// Its longest warm-up.
    pub const WARM_UP_NS_MAX: Nanos = Nanos(400_000_000);

    /// Control drift: relative change from before the first pair to after the last one.
    pub fn change(&self) -> Option<f64> {
        let (before, after) = (self.before?.0, self.after?.0);
        (before > 0.0).then(|| after / before - 1.0)
    }

    /// A warning about the pairs: control drift above the limit, or not known.
    pub fn drift(&self) -> Option<ControlDrift> {
        let probe = self.probe.clone();
        match self.change() {
            None => Some(ControlDrift::Unknown { probe, is_before: self.before.is_none() }),
            Some(change) if change.abs() > RULES.control_probe_change_max => {
                Some(ControlDrift::AboveLimit { probe, change })
            }
            Some(_) => None,
        }
    }
}

/// A warning about control drift.
#[derive(Clone, Debug, PartialEq)]
pub enum ControlDrift {
    /// It is unknown.
    Unknown {
        /// The code of the probe.
        probe: String,
        /// Whether the valid run that is missing is that before the first pair, not that after the last one.
        is_before: bool,
    },
    /// It is above the limit.
    AboveLimit {
        /// The code of the probe.
        probe: String,
        /// Relative change from before the first pair to after the last one.
        change: f64,
    },
}

/// The pairing of `record`; None where it is unpaired.
pub(super) fn paired(record: &Record) -> Option<Paired> {
    let Pairing { other, plan_hash, .. } = record.plan.paired.as_ref()?;
    let loads_beside = record.plan.loads_beside.clone();
    Some(Paired {
        with: other.clone(),
        plan_hash: plan_hash.clone(),
        loads_beside,
        control_probe: control_probe(record),
    })
}

/// Whether `run` of `record` is a run of the control probe: in a paired record all probes are.
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

    /// A side whose control probe has `after` times the rate after the pairs.
    fn side(after: u64) -> Record {
        let mut record = record(vec![run("C11", 2), run("T611", 2), faster(run("C11", 2), after)]);
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
    fn the_probes_of_a_pair_are_its_control_probe_and_not_tests() {
        let record = side(1);
        let system = system(&record);
        assert_eq!(system.tests.iter().map(|test| test.code.as_str()).collect::<Vec<_>>(), ["T611"]);
        let Origin::Measured { paired: Some(paired), .. } = system.origin else { panic!("it is one side of a pair") };
        assert_eq!((paired.with.as_str(), paired.plan_hash.as_deref()), ("other", Some("sha256:00")));
        let control_probe = paired.control_probe.unwrap();
        assert_eq!((control_probe.change(), control_probe.drift()), (Some(0.0), None));
    }

    #[test]
    fn control_drift_above_the_limit_is_a_warning() {
        let above = |change| Some(ControlDrift::AboveLimit { probe: "C11".to_owned(), change });
        assert_eq!(found(&side(2)).drift(), above(1.0));
        let at = |after: f64| {
            let control_probe = found(&side(1));
            ControlProbe { after: control_probe.before.map(|before| Rate(before.0 * after)), ..control_probe }.drift()
        };
        assert_eq!((at(1.049), at(0.951)), (None, None));
        assert_eq!(at(0.5), above(-0.5));
    }

    #[test]
    fn unknown_control_drift_is_a_warning() {
        let mut aborted = side(1);
        aborted.runs.pop();
        let unknown = |is_before| Some(ControlDrift::Unknown { probe: "C11".to_owned(), is_before });
        assert_eq!(found(&aborted).drift(), unknown(false));
        let mut invalid = side(1);
        invalid.runs[0].findings = vec![finding(Check::Steal, Verdict::Fail)];
        assert_eq!(found(&invalid).drift(), unknown(true));
        let mut old = side(1);
        old.runs.retain(|run| run.test != "C11");
        old.plan.runs.retain(|run| run.test != "C11");
        assert_eq!(paired(&old).unwrap().control_probe, None, "an older record");
    }
}
