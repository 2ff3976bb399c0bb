//! Whether what a proof of durability has shown is true of the engine of another record.

use record::{DurabilityShown, EngineInventory, Record};

use super::{DurabilityProof, PlatformProof, platform_proof};
use crate::durability::CrashVerdict;

/// Why a proof says nothing of an engine. The texts are those of the proof and of the engine, in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotShown {
    /// The record is no proof of durability, or has no crash.
    NoProof,
    /// No control of it has lost anything.
    NoPower,
    /// There is no engine: only probes were run.
    NoEngine,
    /// They are of different engines or versions.
    Engines([String; 2]),
    /// They had different settings that decide whether a commit is durable.
    Settings([String; 2]),
}

/// What the proof in `record` has shown of `engine`: it has to be of the same engine and version, with the same settings
/// of durability.
///
/// # Errors
/// Why it says nothing of it.
pub fn durability_shown(record: &Record, engine: Option<&EngineInventory>) -> Result<DurabilityShown, NotShown> {
    let Some(PlatformProof::Durability(proof)) = platform_proof(record) else { return Err(NotShown::NoProof) };
    if proof.verdict == CrashVerdict::NoFault {
        return Err(NotShown::NoProof);
    }
    let (proved, engine) = (record.engine.as_ref().ok_or(NotShown::NoProof)?, engine.ok_or(NotShown::NoEngine)?);
    if proof.verdict == CrashVerdict::NoPower {
        return Err(NotShown::NoPower);
    }
    let names = [proved, engine].map(|engine| format!("{} {}", engine.name, engine.version));
    if names[0] != names[1] {
        return Err(NotShown::Engines(names));
    }
    if proved.durability != engine.durability {
        return Err(NotShown::Settings([proved.durability.clone(), engine.durability.clone()]));
    }
    Ok(of_proof(&proof, record))
}

fn of_proof(proof: &DurabilityProof, record: &Record) -> DurabilityShown {
    DurabilityShown {
        rung: proof.rung,
        cluster: proof.cluster,
        crashes: proof.crashes,
        damaged: proof.damaged,
        states: (proof.states > proof.crashes).then_some(proof.states),
        record: record.id.clone(),
        host_name: record.host.host_name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::durability::tests::proof_record;
    use super::*;
    use crate::fixture::{engine, record};
    use crate::system::Durability;

    fn found(
        asked: &[u64],
        control: Option<&[u64]>,
        engine: Option<&EngineInventory>,
    ) -> Result<DurabilityShown, NotShown> {
        durability_shown(&proof_record(asked, control), engine)
    }

    #[test]
    fn a_proof_tells_of_the_same_engine_with_the_same_settings() {
        let shown = found(&[0; 60], Some(&[1; 5]), Some(&engine())).unwrap();
        assert_eq!((shown.rung.word(), shown.crashes, shown.damaged), ("D1", 60, 0));
        let of = |change: fn(&mut EngineInventory)| {
            let mut engine = engine();
            change(&mut engine);
            found(&[0; 60], Some(&[1; 5]), Some(&engine)).unwrap_err()
        };
        assert!(matches!(of(|engine| engine.version = "0".to_owned()), NotShown::Engines(_)));
        assert!(matches!(of(|engine| engine.durability = "none".to_owned()), NotShown::Settings(_)));
    }

    #[test]
    fn what_is_no_proof_shows_nothing() {
        assert_eq!(durability_shown(&record(Vec::new()), Some(&engine())), Err(NotShown::NoProof));
        assert_eq!(found(&[0; 60], Some(&[1; 5]), None), Err(NotShown::NoEngine));
        for control in [None, Some(&[0, 0, 1][..])] {
            assert_eq!(found(&[0; 60], control, Some(&engine())), Err(NotShown::NoPower), "{control:?}");
        }
    }

    #[test]
    fn a_loss_outweighs_settings_and_survival_does_not() {
        let durable = |settings: Option<bool>, asked: &[u64]| {
            let proof = found(asked, Some(&[1; 5]), Some(&engine())).unwrap();
            Durability::of(&EngineInventory { durable: settings, durability_shown: Some(proof), ..engine() }).durable
        };
        assert_eq!(durable(Some(true), &[0, 0, 2]), Some(false));
        assert_eq!([durable(Some(true), &[0; 3]), durable(Some(false), &[0; 3])], [Some(true), Some(false)]);
    }
}
