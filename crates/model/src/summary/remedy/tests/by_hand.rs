//! Gains that are computed by hand.

use record::{Dop, Rate, Ratio, Resource, Sweep};

use crate::attribution::{Attribution, Limiter, ResourceName, TimeClass, TimeClassName, Use};
use crate::claim::ClaimBasis;
use crate::proof::{Cause, Proof};
use crate::statistics::Interval;
use crate::summary::remedy::{Remedy, remedies};

fn found(limiter: Limiter, uses: &[(ResourceName, f64)], classes: &[(TimeClassName, f64)]) -> Attribution {
    let uses = uses.iter().map(|(name, used)| Use { name: name.clone(), used: Ratio(*used) }).collect();
    let classes = classes.iter().map(|(name, share)| TimeClass { name: *name, share: Ratio(*share) }).collect();
    Attribution { limiter, uses, classes, foreign: Ratio(0.0) }
}

/// Each gain on a host of two processors, as it is shown: at most, and by what is known alone.
fn gains(found: &Attribution, proof: Option<&Proof>) -> Vec<(Remedy, String, ClaimBasis)> {
    let gains = remedies(found, proof, Some(2), true);
    let most = |factor: Option<f64>| factor.map_or_else(|| "none".to_owned(), |factor| format!("{factor:.1}"));
    gains.iter().map(|gain| (gain.remedy, most(gain.factor_max), gain.basis)).collect()
}

fn one(remedy: Remedy, most: &str, basis: ClaimBasis) -> Vec<(Remedy, String, ClaimBasis)> {
    vec![(remedy, most.to_owned(), basis)]
}

fn proof(cause: Cause, elasticity: f64) -> Proof {
    Proof {
        test: "T131".to_owned(),
        sweep: Sweep::Jobs,
        dop: Dop::jobs(2),
        resource: Resource::Processors,
        share: Ratio(0.8),
        control: Rate(100.0),
        perturbed: Rate(80.0),
        elasticity,
        interval: Some(Interval { estimate: elasticity, low: elasticity - 0.1, high: elasticity + 0.1 }),
        pairs: 3,
        cause,
        limiter: None,
    }
}

#[test]
fn more_processors_gain_at_most_their_share_and_what_the_next_resource_allows() {
    let alone = found(Limiter::Processors, &[(ResourceName::Processors, 0.98)], &[]);
    assert_eq!(gains(&alone, None), one(Remedy::Processors(2), "2.0", ClaimBasis::Bound));
    let uses = [(ResourceName::Processors, 0.98), (ResourceName::SyncedWrites, 0.8)];
    let beside = found(Limiter::Processors, &uses, &[]);
    assert_eq!(gains(&beside, None), one(Remedy::Processors(2), "1.3", ClaimBasis::Bound), "1.25, rounded up");
    assert_eq!(remedies(&alone, None, None, true), [], "of how many is not known");
    // 64 threads, and 66: a gain of a thirtieth is not named.
    assert_eq!(remedies(&alone, None, Some(64), true), []);
}

#[test]
fn more_processors_are_all_for_the_run_where_other_programs_take_no_more() {
    let beside =
        Attribution { foreign: Ratio(0.05), ..found(Limiter::Processors, &[(ResourceName::Processors, 0.98)], &[]) };
    // 1.9 processors of two become 3.9.
    assert_eq!(gains(&beside, None), one(Remedy::Processors(2), "2.1", ClaimBasis::Bound));
}

#[test]
fn a_proof_bounds_the_gain_by_its_elasticity_and_a_disproof_leaves_none() {
    let cpu = found(Limiter::Processors, &[(ResourceName::Processors, 0.98)], &[]);
    // 2 to the power of 0.6 is 1.52.
    let in_part = proof(Cause::InPart, 0.5);
    assert_eq!(gains(&cpu, Some(&in_part)), one(Remedy::Processors(2), "1.6", ClaimBasis::Measured));
    let because = proof(Cause::Because, 1.0);
    assert_eq!(gains(&cpu, Some(&because)), one(Remedy::Processors(2), "2.0", ClaimBasis::Measured));
    assert_eq!(gains(&cpu, Some(&proof(Cause::NotBecause, 0.0))), []);
}

/// Each gain with what it is estimated at and its bound.
fn estimates(found: &Attribution) -> Vec<(Remedy, Option<f64>, Option<f64>)> {
    let gains = remedies(found, None, Some(2), true);
    gains.iter().map(|gain| (gain.remedy, gain.factor_estimated, gain.factor_max)).collect()
}

#[test]
fn half_the_latency_of_half_of_the_time_gains_a_third_and_with_its_queue_all_of_it() {
    let limiter = || Limiter::Serialised(TimeClass { name: TimeClassName::LogSyncs, share: Ratio(0.5) });
    let waits = [(TimeClassName::LogSyncs, 0.5), (TimeClassName::OnProcessor, 0.4), (TimeClassName::DataIo, 0.1)];
    // Half the latency of a tenth of the time is a gain of 5 %: not named.
    let expected = [(Remedy::LogLatency, Some(1.3), Some(2.0)), (Remedy::Memory, Some(1.1), Some(1.2))];
    assert_eq!(estimates(&found(limiter(), &[], &waits)), expected);
    assert_eq!(remedies(&found(limiter(), &[], &waits), None, Some(2), false), [], "an open loop has its rate");
}

#[test]
fn a_service_of_half_the_time_makes_nothing_more_than_twice_as_fast() {
    let waits = [(TimeClassName::LogSyncs, 0.8), (TimeClassName::OnProcessor, 0.2)];
    assert_eq!(estimates(&found(Limiter::Unexplained, &[], &waits)), [(Remedy::LogLatency, Some(1.7), Some(2.0))]);
}

#[test]
fn a_bound_counts_the_part_of_the_time_of_which_nothing_is_known() {
    let waits = [(TimeClassName::LogSyncs, 0.21), (TimeClassName::OnProcessor, 0.60)];
    // Half of 21 %, 1.12, and all of these and the other 19 %, 1.67.
    assert_eq!(estimates(&found(Limiter::Unexplained, &[], &waits)), [(Remedy::LogLatency, Some(1.1), Some(1.7))]);
}

#[test]
fn where_all_of_the_time_may_be_reads_memory_has_no_bound() {
    let known = found(Limiter::Unexplained, &[], &[(TimeClassName::DataIo, 0.6)]);
    let expected = [(Remedy::Memory, Some(2.5), None), (Remedy::DataLatency, Some(1.4), Some(2.0))];
    assert_eq!(estimates(&known), expected);
}

#[test]
fn beside_other_programs_only_their_end_helps() {
    let limiter = || Limiter::OtherPrograms { used: Ratio(0.5) };
    let waits = [(TimeClassName::LogSyncs, 0.5)];
    let full = |used| found(limiter(), &[(ResourceName::Processors, used)], &waits);
    assert_eq!(gains(&full(1.0), None), one(Remedy::NoOtherPrograms, "2.0", ClaimBasis::Bound));
    // The run had 0.42 of the processors, and may have all of them.
    assert_eq!(gains(&full(0.92), None), one(Remedy::NoOtherPrograms, "2.4", ClaimBasis::Bound));
    assert_eq!(gains(&found(Limiter::Unexplained, &[], &[]), None), []);
}

#[test]
fn a_faster_device_is_faster_in_all_that_it_does() {
    let uses = [(ResourceName::RandomReads, 0.95), (ResourceName::SequentialReads, 0.85)];
    let device = Limiter::Resource(ResourceName::RandomReads);
    assert_eq!(gains(&found(device.clone(), &uses, &[]), None), one(Remedy::DeviceRate, "2.0", ClaimBasis::Bound));
    let uses = [(ResourceName::RandomReads, 0.95), (ResourceName::NetworkSends, 0.85)];
    assert_eq!(gains(&found(device, &uses, &[]), None), one(Remedy::DeviceRate, "1.2", ClaimBasis::Bound));
}
