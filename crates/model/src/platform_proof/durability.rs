//! Acknowledged commits and faults: what was tried as it is asked for, beside controls that have to lose.

use std::collections::BTreeMap;

use record::{Crash, CrashCluster, CrashCondition, CrashFileSystem, CrashMoment, CrashRung, Nanos, ProofPlace, Ratio};

use super::Parts;
use crate::durability::{CONTROL_SHARE_MIN, CrashVerdict, loss_bound};

/// What faults have shown.
#[derive(Clone, Debug, PartialEq)]
pub struct DurabilityProof {
    /// What a fault takes away.
    pub rung: CrashRung,
    /// The file system on the disk that loses what was not flushed.
    pub file_system: Option<CrashFileSystem>,
    /// Of several nodes, which of them a fault took.
    pub cluster: Option<CrashCluster>,
    /// What was tried: as asked for first, then the controls.
    pub conditions: Vec<DurabilityCondition>,
    /// Of what is asked for.
    pub verdict: CrashVerdict,
    /// Its crashes.
    pub crashes: u64,
    /// Its crashes with a loss or another damage.
    pub damaged: u64,
    /// The largest probability of a loss that its crashes leave at 95 % confidence; absent where one had a damage.
    pub bound: Option<Ratio>,
    /// Its crashes by what the engine was doing.
    pub strata: Vec<Stratum>,
    /// The crash whose events are kept: one of those asked for with a damage, else the first that has some.
    pub shown: Option<Crash>,
}

/// Crashes in which the engine was doing the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stratum {
    /// What it was doing.
    pub moment: CrashMoment,
    /// Crashes.
    pub crashes: u64,
    /// Crashes with a loss or another damage.
    pub damaged: u64,
    /// Commits that were acknowledged.
    pub acknowledged: u64,
    /// The largest probability of a loss that they leave at 95 % confidence; absent where one had a damage.
    pub bound: Option<Ratio>,
}

/// What one condition has shown.
#[derive(Clone, Debug, PartialEq)]
pub struct DurabilityCondition {
    /// What was tried.
    pub condition: CrashCondition,
    /// Whether it has to lose.
    pub must_lose: bool,
    /// Crashes.
    pub crashes: u64,
    /// Crashes with a damage.
    pub damaged: u64,
    /// The worst of its crashes; of a control that has to lose and did not in enough of them, no power.
    pub verdict: CrashVerdict,
    /// Commits that were acknowledged.
    pub acknowledged: u64,
    /// Commits without an answer.
    pub unknown: u64,
    /// Acknowledged commits that were not there.
    pub lost: u64,
    /// The median of the times until the engine took sessions again.
    pub ready_ns_median: Option<Nanos>,
    /// The longest of them.
    pub ready_ns_max: Option<Nanos>,
}

pub(super) fn durability_proof(parts: &Parts<'_>) -> Option<DurabilityProof> {
    let mut by_condition: BTreeMap<(CrashRung, &CrashCondition, bool), Vec<&Crash>> = BTreeMap::new();
    let (mut on, mut of) = (None, None);
    for (part, run) in &parts.0 {
        if let ProofPlace::Crashes { rung, file_system, cluster, condition, must_lose, .. } = &part.place {
            (on, of) = (on.or(*file_system), of.or(*cluster));
            by_condition.entry((*rung, condition, *must_lose)).or_default().extend(&run.crashes);
        }
    }
    by_condition.retain(|_, crashes| !crashes.is_empty());
    let rung = by_condition.keys().find(|(_, condition, _)| **condition == CrashCondition::Asked)?.0;
    let conditions: Vec<DurabilityCondition> = by_condition
        .iter()
        .filter(|((other, ..), _)| *other == rung)
        .map(|((_, condition, must_lose), crashes)| of_condition(condition, *must_lose, crashes))
        .collect();
    let asked = conditions.iter().find(|found| found.condition == CrashCondition::Asked)?.clone();
    let has_power = conditions.iter().any(|found| found.must_lose)
        && conditions.iter().all(|found| found.verdict != CrashVerdict::NoPower);
    let verdict = match asked.verdict {
        CrashVerdict::Survived if !has_power => CrashVerdict::NoPower,
        other => other,
    };
    let crashes_asked = by_condition.get(&(rung, &CrashCondition::Asked, false))?;
    let with_events = || crashes_asked.iter().filter(|crash| !crash.timeline.is_empty());
    let damaged = with_events().find(|crash| CrashVerdict::of(crash) != CrashVerdict::Survived);
    let shown = damaged.or_else(|| with_events().next());
    Some(DurabilityProof {
        rung,
        file_system: on,
        cluster: of,
        verdict,
        crashes: asked.crashes,
        damaged: asked.damaged,
        bound: loss_bound(asked.crashes).filter(|_| asked.damaged == 0),
        strata: strata(crashes_asked),
        shown: shown.map(|crash| (*crash).clone()),
        conditions,
    })
}

fn strata(crashes: &[&Crash]) -> Vec<Stratum> {
    let stratum = |moment: CrashMoment| {
        let of_it: Vec<&&Crash> = crashes.iter().filter(|crash| crash.moment == moment).collect();
        let is_damaged = |crash: &&&&Crash| CrashVerdict::of(crash) != CrashVerdict::Survived;
        let (crashes, damaged) = (of_it.len() as u64, of_it.iter().filter(is_damaged).count() as u64);
        let acknowledged = of_it.iter().map(|crash| crash.acknowledged).sum();
        let bound = loss_bound(crashes).filter(|_| damaged == 0);
        (crashes > 0).then_some(Stratum { moment, crashes, damaged, acknowledged, bound })
    };
    CrashMoment::ALL.into_iter().filter_map(stratum).collect()
}

fn of_condition(condition: &CrashCondition, must_lose: bool, crashes: &[&Crash]) -> DurabilityCondition {
    let verdicts: Vec<CrashVerdict> = crashes.iter().map(|crash| CrashVerdict::of(crash)).collect();
    let damaged = verdicts.iter().filter(|verdict| **verdict != CrashVerdict::Survived).count() as u64;
    let count = crashes.len() as u64;
    let worst = verdicts.into_iter().max().unwrap_or(CrashVerdict::Survived);
    let is_enough = damaged as f64 >= CONTROL_SHARE_MIN * count as f64;
    let sum = |of: fn(&Crash) -> u64| crashes.iter().map(|crash| of(crash)).sum();
    let mut ready: Vec<Nanos> = crashes.iter().filter_map(|crash| crash.ready_ns).collect();
    ready.sort_unstable();
    DurabilityCondition {
        condition: condition.clone(),
        must_lose,
        crashes: count,
        damaged,
        verdict: if must_lose && !is_enough { CrashVerdict::NoPower } else { worst },
        acknowledged: sum(|crash| crash.acknowledged),
        unknown: sum(|crash| crash.unknown),
        lost: sum(|crash| crash.damage.lost),
        ready_ns_median: ready.get(ready.len().saturating_sub(1) / 2).copied(),
        ready_ns_max: ready.last().copied(),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use record::{CrashDamage, CrashMoment, PlannedRun, ProofLoad, ProofPart, ProofSubject, Run, RunKind, Survival};

    use super::*;
    use crate::fixture::{io_run, record};
    use crate::platform_proof::{PlatformProof, platform_proof};

    fn crash(number: u32, lost: u64) -> Crash {
        Crash {
            number,
            seed: 1,
            moment: CrashMoment::Commit,
            survival: Survival::AllLost,
            delay_ns: None,
            isolated_ns: None,
            attempted: 11,
            acknowledged: 10,
            unknown: 1,
            found: Some(10 - lost),
            unsynced_writes: Some(3),
            unsynced_bytes: None,
            ready_ns: Some(Nanos(u64::from(number) * 1_000)),
            would_not_start: None,
            damage: CrashDamage { lost, ..CrashDamage::default() },
            complaints: Vec::new(),
            timeline: Vec::new(),
        }
    }

    fn run(condition: CrashCondition, must_lose: bool, lost: &[u64]) -> Run {
        let place = ProofPlace::Crashes {
            rung: CrashRung::D1,
            file_system: None,
            cluster: None,
            condition,
            must_lose,
            count: lost.len() as u32,
        };
        let part = ProofPart { subject: ProofSubject::Durability, place, load: ProofLoad::Ledger };
        let crashes = lost.iter().zip(1..).map(|(lost, number)| crash(number, *lost)).collect();
        Run { kind: RunKind::Proof(part), crashes, ..io_run("crashes", record::IoKind::Read, 1) }
    }

    /// The record of a proof: commits that were lost in each crash as asked for, and in each of a control.
    pub(in crate::platform_proof) fn proof_record(asked: &[u64], control: Option<&[u64]>) -> record::Record {
        let control = control.map(|lost| run(CrashCondition::LyingStorage { every: 1 }, true, lost));
        let runs: Vec<Run> = [run(CrashCondition::Asked, false, asked)].into_iter().chain(control).collect();
        let mut record = record(Vec::new());
        record.plan.runs = runs.iter().map(|run| PlannedRun::new(&run.test, run.kind.clone(), run.dop)).collect();
        record.runs = runs;
        record
    }

    fn proof(asked: &[u64], control: Option<&[u64]>) -> DurabilityProof {
        match platform_proof(&proof_record(asked, control)) {
            Some(PlatformProof::Durability(proof)) => proof,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_system_that_loses_nothing_survives_if_its_control_loses() {
        let found = proof(&[0; 60], Some(&[4, 0, 1, 0, 2]));
        assert_eq!((found.verdict, found.crashes, found.damaged), (CrashVerdict::Survived, 60, 0));
        assert_eq!(found.bound.map(|bound| (bound.0 * 1000.0).round()), Some(49.0));
        assert_eq!(found.conditions[0].ready_ns_median, Some(Nanos(30_000)));
    }

    #[test]
    fn without_a_control_that_loses_nothing_is_shown() {
        assert_eq!(proof(&[0; 5], Some(&[4, 0, 1, 0, 0])).verdict, CrashVerdict::NoPower);
        assert_eq!(proof(&[0; 5], None).verdict, CrashVerdict::NoPower);
    }

    #[test]
    fn a_loss_is_a_loss_whatever_the_control_does() {
        let found = proof(&[0, 0, 3], Some(&[0; 5]));
        assert_eq!((found.verdict, found.damaged, found.bound), (CrashVerdict::Lost, 1, None));
    }
}
