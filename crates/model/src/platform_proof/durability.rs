//! Acknowledged commits and faults: what was tried as it is asked for, beside controls that have to lose.

use std::collections::BTreeMap;

use record::{
    Crash, CrashCluster, CrashCondition, CrashFileSystem, CrashMoment, CrashRung, FaultSeen, Nanos, ProofPlace, Ratio,
    Record,
};

use super::Parts;
use crate::durability::{CONTROL_SHARE_MIN, CrashVerdict, loss_bound, share_min};

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
    /// Its crashes: runs of the load that ended in a fault; of faults that somebody else made, what was seen as one.
    pub crashes: u64,
    /// The states that they have left, on which the engine was started: as many, or several of each. Those of one crash are of the
    /// same log, and not independent.
    pub states: u64,
    /// Its crashes with a loss or another damage in one of their states.
    pub damaged: u64,
    /// The largest probability of a loss that its crashes leave at 95 % confidence; absent where one had a damage.
    pub bound: Option<Ratio>,
    /// Its crashes by what the engine was doing.
    pub strata: Vec<Stratum>,
    /// Settings by which the engine protects its pages.
    pub protections: Vec<Protection>,
    /// Storage that ignores some syncs.
    pub graded: Vec<GradedLie>,
    /// What was seen of faults that somebody else made, with their number; none on other rungs.
    pub seen: Vec<(FaultSeen, u64)>,
    /// The crash whose events are kept: one of those asked for with a damage, else the first that has some.
    pub shown: Option<Crash>,
}

/// A setting by which the engine protects its pages against faults.
#[derive(Clone, Debug, PartialEq)]
pub struct Protection {
    /// Its name.
    pub name: String,
    /// What it was for the crashes of what is asked for.
    pub value: String,
    /// What was tried with another value of it.
    pub without: Vec<DurabilityCondition>,
}

/// Storage that ignores one of several syncs: how small a fault is still found.
#[derive(Clone, Debug, PartialEq)]
pub struct GradedLie {
    /// Of so many syncs one is ignored.
    pub every: u32,
    /// Crashes.
    pub crashes: u64,
    /// Crashes with a damage.
    pub damaged: u64,
    /// The share of crashes with a damage that they leave as the least, at 95 % confidence.
    pub share_min: Ratio,
    /// Whether such a share is excluded by the crashes of what is asked for.
    pub excluded: Excluded,
}

/// Whether the crashes of what is asked for exclude a share of crashes with a damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Excluded {
    /// Also the least that the share may be is more than they leave.
    Yes,
    /// It is more than they leave, and may be less: its own crashes are too few.
    Perhaps,
    /// It is no more than they leave.
    No,
}

/// Crashes in which the engine was doing the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stratum {
    /// What it was doing.
    pub moment: CrashMoment,
    /// Crashes.
    pub crashes: u64,
    /// The states that they have left.
    pub states: u64,
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
    /// The states that they have left.
    pub states: u64,
    /// Crashes with a damage in one of their states.
    pub damaged: u64,
    /// The worst of its crashes; of a control that has to lose and did not in enough of them, no power.
    pub verdict: CrashVerdict,
    /// Commits that were acknowledged.
    pub acknowledged: u64,
    /// Commits without an answer.
    pub unknown: u64,
    /// Acknowledged commits that were not there, of each crash in the worst of its states.
    pub lost: u64,
    /// The median of the times until the engine took sessions again.
    pub ready_ns_median: Option<Nanos>,
    /// The longest of them.
    pub ready_ns_max: Option<Nanos>,
}

/// The states that one crash has left.
type States<'a> = &'a [Crash];

pub(super) fn durability_proof(record: &Record, parts: &Parts<'_>) -> Option<DurabilityProof> {
    let mut by_condition: BTreeMap<(CrashRung, &CrashCondition, bool), Vec<States<'_>>> = BTreeMap::new();
    let (mut on, mut of, mut protections) = (None, None, &Vec::new());
    for (part, run) in &parts.0 {
        if let ProofPlace::Crashes { rung, file_system, cluster, condition, must_lose, protections: names, .. } =
            &part.place
        {
            (on, of) = (on.or(*file_system), of.or(*cluster));
            protections = if protections.is_empty() { names } else { protections };
            let crashes = run.crashes.chunk_by(|one, other| one.number == other.number);
            by_condition.entry((*rung, condition, *must_lose)).or_default().extend(crashes);
        }
    }
    by_condition.retain(|_, crashes| !crashes.is_empty());
    let rung = by_condition.keys().find(|(_, condition, _)| **condition == CrashCondition::Asked)?.0;
    let crashes_asked = by_condition.get_mut(&(rung, &CrashCondition::Asked, false))?;
    let seen = seen(crashes_asked);
    let shown_rung = if rung == CrashRung::ByHand { keep_strongest(crashes_asked) } else { rung };
    let conditions: Vec<DurabilityCondition> = by_condition
        .iter()
        .filter(|((other, ..), _)| *other == rung)
        .map(|((_, condition, must_lose), crashes)| of_condition(condition, *must_lose, crashes))
        .collect();
    let asked = conditions.iter().find(|found| found.condition == CrashCondition::Asked)?.clone();
    // By hand no control is tried: that is said beside the verdict.
    let has_power = rung == CrashRung::ByHand
        || conditions.iter().any(|found| found.must_lose)
            && conditions.iter().all(|found| found.verdict != CrashVerdict::NoPower);
    let verdict = match asked.verdict {
        CrashVerdict::Survived if !has_power => CrashVerdict::NoPower,
        other => other,
    };
    let crashes_asked = by_condition.get(&(rung, &CrashCondition::Asked, false))?;
    let is_none_seen = asked.verdict == CrashVerdict::NoFault;
    let (crashes, states) = if is_none_seen { (0, 0) } else { (asked.crashes, asked.states) };
    let with_events = || crashes_asked.iter().copied().flatten().filter(|crash| !crash.timeline.is_empty());
    let damaged = with_events().find(|crash| CrashVerdict::of(crash).is_damage());
    let shown = damaged.or_else(|| with_events().next());
    let bound = loss_bound(crashes).filter(|_| asked.damaged == 0);
    Some(DurabilityProof {
        rung: shown_rung,
        file_system: on,
        cluster: of,
        verdict,
        crashes,
        states,
        damaged: asked.damaged,
        bound,
        seen,
        strata: strata(crashes_asked),
        protections: protections.iter().filter_map(|name| protection(record, name, &conditions)).collect(),
        graded: bound.map_or_else(Vec::new, |bound| graded(&conditions, bound)),
        shown: shown.cloned(),
        conditions,
    })
}

/// The protection with `name`, where its value is known.
fn protection(record: &Record, name: &str, conditions: &[DurabilityCondition]) -> Option<Protection> {
    let settings = &record.engine.as_ref()?.settings;
    let value = settings.iter().find(|setting| setting.name.eq_ignore_ascii_case(name))?.value.clone();
    let is_of_it = |found: &&DurabilityCondition| match &found.condition {
        CrashCondition::Settings { settings } => {
            settings.split('&').any(|setting| setting.split_once('=').is_some_and(|(other, _)| other == name))
        }
        CrashCondition::Asked | CrashCondition::LyingStorage { .. } => false,
    };
    let without = conditions.iter().filter(is_of_it).cloned().collect();
    Some(Protection { name: name.to_owned(), value, without })
}

/// Storage that ignores some syncs, where the crashes of what is asked for leave a share up to `bound`.
fn graded(conditions: &[DurabilityCondition], bound: Ratio) -> Vec<GradedLie> {
    let of = |found: &DurabilityCondition| {
        let CrashCondition::LyingStorage { every: every @ 2.. } = found.condition else { return None };
        let share_min = share_min(found.damaged, found.crashes);
        let excluded = match found.damaged as f64 / found.crashes as f64 {
            _ if share_min.0 > bound.0 => Excluded::Yes,
            share if share > bound.0 => Excluded::Perhaps,
            _ => Excluded::No,
        };
        Some(GradedLie { every, crashes: found.crashes, damaged: found.damaged, share_min, excluded })
    };
    conditions.iter().filter_map(of).collect()
}

/// The worst of the states of a crash.
fn verdict(states: States<'_>) -> CrashVerdict {
    states.iter().map(CrashVerdict::of).max().unwrap_or(CrashVerdict::Survived)
}

fn is_damaged(states: States<'_>) -> bool {
    verdict(states).is_damage()
}

/// The most that a state of each crash has, all together: the fault itself comes after all that was acknowledged.
fn sum(crashes: &[States<'_>], of: fn(&Crash) -> u64) -> u64 {
    crashes.iter().map(|states| states.iter().map(of).max().unwrap_or(0)).sum()
}

fn count_states(crashes: &[States<'_>]) -> u64 {
    crashes.iter().map(|states| states.len() as u64).sum()
}

fn count_damaged(crashes: &[States<'_>]) -> u64 {
    crashes.iter().filter(|states| is_damaged(states)).count() as u64
}

fn seen(crashes: &[States<'_>]) -> Vec<(FaultSeen, u64)> {
    let count = |seen| crashes.iter().copied().flatten().filter(|crash| crash.seen == Some(seen)).count() as u64;
    FaultSeen::ALL.into_iter().map(|seen| (seen, count(seen))).filter(|(_, count)| *count > 0).collect()
}

/// Leaves of faults that somebody else made those that may have been a power cut; without one the restarts, which show what
/// killed processes do; without one all. What has a damage stays. Returns the rung that they show.
fn keep_strongest(crashes: &mut Vec<States<'_>>) -> CrashRung {
    let is_of = |states: States<'_>, least| states.iter().any(|crash| crash.seen >= Some(least));
    for (least, rung) in [(FaultSeen::ServerAtLeast, CrashRung::ByHand), (FaultSeen::Server, CrashRung::D0)] {
        if crashes.iter().any(|states| is_of(states, least)) {
            crashes.retain(|states| is_of(states, least) || is_damaged(states));
            return rung;
        }
    }
    CrashRung::ByHand
}

fn strata(crashes: &[States<'_>]) -> Vec<Stratum> {
    let stratum = |moment: CrashMoment| {
        let is_of_it = |states: &States<'_>| states.first().is_some_and(|crash| crash.moment == moment);
        let of_it: Vec<States<'_>> = crashes.iter().copied().filter(is_of_it).collect();
        let (crashes, damaged) = (of_it.len() as u64, count_damaged(&of_it));
        let is_fault = of_it.iter().any(|states| states.iter().any(|crash| crash.seen != Some(FaultSeen::Nothing)));
        let bound = loss_bound(crashes).filter(|_| damaged == 0 && is_fault);
        let (states, acknowledged) = (count_states(&of_it), sum(&of_it, |crash| crash.acknowledged));
        (crashes > 0).then_some(Stratum { moment, crashes, states, damaged, acknowledged, bound })
    };
    CrashMoment::ALL.into_iter().filter_map(stratum).collect()
}

fn of_condition(condition: &CrashCondition, must_lose: bool, crashes: &[States<'_>]) -> DurabilityCondition {
    let (count, damaged) = (crashes.len() as u64, count_damaged(crashes));
    let worst = crashes.iter().map(|states| verdict(states)).max().unwrap_or(CrashVerdict::Survived);
    let is_enough = damaged as f64 >= CONTROL_SHARE_MIN * count as f64;
    let mut ready: Vec<Nanos> = crashes.iter().copied().flatten().filter_map(|crash| crash.ready_ns).collect();
    ready.sort_unstable();
    DurabilityCondition {
        condition: condition.clone(),
        must_lose,
        crashes: count,
        states: count_states(crashes),
        damaged,
        verdict: if must_lose && !is_enough { CrashVerdict::NoPower } else { worst },
        acknowledged: sum(crashes, |crash| crash.acknowledged),
        unknown: sum(crashes, |crash| crash.unknown),
        lost: sum(crashes, |crash| crash.damage.lost),
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
            state: 1,
            changes: Some(9),
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
            seen: None,
            ended_with: None,
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
            states: 1,
            protections: vec!["checksums".to_owned(), "double_write".to_owned()],
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

    #[test]
    fn states_of_a_crash_are_one_crash_and_the_worst_of_them_counts() {
        let mut record = proof_record(&[0, 0, 2], Some(&[4; 5]));
        let later = |crash: &Crash, state: u32, lost: u64| Crash {
            state,
            acknowledged: 6,
            damage: CrashDamage { lost, ..CrashDamage::default() },
            ..crash.clone()
        };
        let crashes = &mut record.runs[0].crashes;
        let [one, two, three] = [0, 1, 2].map(|at: usize| crashes[at].clone());
        *crashes = vec![one.clone(), later(&one, 2, 0), two.clone(), later(&two, 2, 3), later(&two, 3, 1), three];
        let Some(PlatformProof::Durability(found)) = platform_proof(&record) else { panic!("no proof") };
        assert_eq!((found.crashes, found.states, found.damaged), (3, 6, 2));
        assert_eq!((found.conditions[0].acknowledged, found.conditions[0].lost), (30, 5));
        assert_eq!((found.strata[0].crashes, found.strata[0].states, found.strata[0].damaged), (3, 6, 2));
    }

    /// How crashes without a damage stand to storage that ignores one of ten syncs, of so many crashes with so many damages.
    fn excluded(crashes: usize, [damaged, of]: [usize; 2]) -> Option<Excluded> {
        let mut record = proof_record(&vec![0; crashes], Some(&[4; 5]));
        let lost: Vec<u64> = (0..of).map(|at| u64::from(at < damaged)).collect();
        let graded = run(CrashCondition::LyingStorage { every: 10 }, false, &lost);
        record.runs.push(graded);
        let Some(PlatformProof::Durability(found)) = platform_proof(&record) else { panic!("no proof") };
        found.graded.first().map(|graded| graded.excluded)
    }

    #[test]
    fn a_graded_lie_is_excluded_where_its_share_is_above_what_the_crashes_leave() {
        // 60 crashes leave 4.9 %: the least share of 9 in 60 is 8.0 %, that of 5 in 60 is 3.3 %.
        assert_eq!(excluded(60, [9, 60]), Some(Excluded::Yes));
        assert_eq!(excluded(60, [5, 60]), Some(Excluded::Perhaps));
        assert_eq!(excluded(60, [2, 60]), Some(Excluded::No));
        assert_eq!(excluded(300, [5, 60]), Some(Excluded::Yes));
    }

    #[test]
    fn protections_have_their_value_and_the_control_without_them() {
        let mut record = proof_record(&[0; 3], Some(&[4; 5]));
        let without = CrashCondition::Settings { settings: "double_write=off".to_owned() };
        record.runs.push(run(without, true, &[1; 5]));
        let setting = |name: &str| record::Setting { name: name.to_owned(), value: "on".to_owned(), default: None };
        let settings = ["double_write", "Checksums"].map(setting).into();
        record.engine = Some(record::EngineInventory { settings, ..crate::fixture::engine() });
        let Some(PlatformProof::Durability(found)) = platform_proof(&record) else { panic!("no proof") };
        let told: Vec<(&str, &str, usize)> = found
            .protections
            .iter()
            .map(|found| (found.name.as_str(), found.value.as_str(), found.without.len()))
            .collect();
        assert_eq!(told, [("checksums", "on", 0), ("double_write", "on", 1)]);
        assert_eq!(found.protections[1].without[0].damaged, 5);
    }

    /// The proof of faults that somebody else made, by what was seen of each and what it has lost.
    fn by_hand(faults: &[(FaultSeen, u64)]) -> DurabilityProof {
        let lost: Vec<u64> = faults.iter().map(|(_, lost)| *lost).collect();
        let mut record = proof_record(&lost, None);
        for run in &mut record.runs {
            if let RunKind::Proof(ProofPart { place: ProofPlace::Crashes { rung, .. }, .. }) = &mut run.kind {
                *rung = CrashRung::ByHand;
            }
            run.crashes.iter_mut().zip(faults).for_each(|(crash, (seen, _))| crash.seen = Some(*seen));
        }
        match platform_proof(&record) {
            Some(PlatformProof::Durability(proof)) => proof,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn by_hand_only_what_was_seen_counts() {
        use FaultSeen::{Host, Nothing, Server, ServerAtLeast};
        let shown = |faults: &[(FaultSeen, u64)]| {
            let found = by_hand(faults);
            (found.verdict, found.rung, found.crashes, found.bound.map(|bound| (100.0 * bound.0).round()))
        };
        let survived = CrashVerdict::Survived;
        assert_eq!(shown(&[(Nothing, 0); 2]), (CrashVerdict::NoFault, CrashRung::ByHand, 0, None));
        assert_eq!(shown(&[(Nothing, 0), (Server, 0)]), (survived, CrashRung::D0, 1, Some(95.0)));
        assert_eq!(shown(&[(Host, 0), (Server, 0), (ServerAtLeast, 0)]), (survived, CrashRung::ByHand, 2, Some(78.0)));
        assert_eq!(shown(&[(Host, 0), (Server, 3)]), (CrashVerdict::Lost, CrashRung::ByHand, 2, None));
        assert_eq!(shown(&[(Nothing, 3)]), (CrashVerdict::Lost, CrashRung::ByHand, 1, None));
        assert_eq!(by_hand(&[(Host, 0), (Nothing, 0), (Host, 0)]).seen, [(Nothing, 1), (Host, 2)]);
    }
}
