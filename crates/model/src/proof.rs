//! Whether a resource causes the limit of a rate: runs with less of the resource, each compared with an adjacent
//! control that has all of it.
//!
//! The elasticity of the rate X to a resource R is d ln X / d ln R, here ln(X'/X) / ln(R'/R) of two runs: 1 where the
//! rate is proportional to the resource, 0 where it does not depend on it. Only an intervention on a resource, with all
//! else unchanged, shows a cause (Pearl 2009, *Causality*). Each pair of a control and a run with less gives an
//! elasticity; their mean has an interval by Student's t, and at least three pairs are required.

mod perturbation;

use record::{Dop, Rate, Ratio, Record, Resource, Run, Sweep, Variation};

use crate::attribution::{Attribution, Capacities, Limiter};
use crate::claim::ClaimBasis;
use crate::delta::per_second;
use crate::rules::RULES;
use crate::statistics::{Interval, mean, median, student_interval};
use crate::verdict::is_invalid;

pub use perturbation::{IoPart, Perturbation, perturbation};

/// The share of a control, which has all of the resource.
const ALL: f64 = 1.0;

/// Whether a resource limits a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The resource is the limit.
    Because,
    /// It is a partial limit.
    InPart,
    /// It is not the limit.
    NotBecause,
    /// The pairs are too few or scatter too much.
    Undecided,
}

/// The result for one test, degree of parallelism and resource.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof {
    /// Its code.
    pub test: String,
    /// Which degree of parallelism it varies.
    pub sweep: Sweep,
    /// Degree of parallelism.
    pub dop: Dop,
    /// The reduced resource.
    pub resource: Resource,
    /// The share of it that was left.
    pub share: Ratio,
    /// Median operations per second of the controls.
    pub control: Rate,
    /// The same of the runs with less.
    pub perturbed: Rate,
    /// Elasticity of the rate, the mean of all pairs.
    pub elasticity: f64,
    /// Its 95 % interval; absent for a single pair.
    pub interval: Option<Interval>,
    /// Valid pairs of a control and a run with less.
    pub pairs: usize,
    /// The conclusion.
    pub cause: Cause,
    /// The limit by the figures of the plain run; absent where nothing is known.
    pub limiter: Option<Limiter>,
}

/// What a limit rests on: runs with less of the resource, as far as they decided, or else the figures of one run. Absent where
/// no limit is named.
pub fn limit_basis(found: Option<&Attribution>, proof: Option<&Proof>) -> Option<ClaimBasis> {
    let is_decided = proof.is_some_and(|proof| proof.cause != Cause::Undecided);
    match found?.limiter {
        _ if is_decided => Some(ClaimBasis::Measured),
        Limiter::Unexplained => None,
        // The rate was given, and reached.
        Limiter::Offered => Some(ClaimBasis::Measured),
        _ => Some(ClaimBasis::Estimate),
    }
}

/// The elasticity of a rate that changed by the factor `ratio` when a resource changed by the factor `share`. None
/// where nothing was changed or a rate is 0.
pub fn elasticity(ratio: f64, share: f64) -> Option<f64> {
    let (rate, resource) = (ratio.ln(), share.ln());
    (rate.is_finite() && resource.is_finite() && resource != 0.0).then(|| rate / resource)
}

/// The proofs in `record`, in the order of their runs. Invalid runs do not count.
pub fn proofs(record: &Record) -> Vec<Proof> {
    let mut tried: Vec<(&str, Dop, Resource, f64)> = Vec::new();
    for run in &record.runs {
        let Some(Variation::Perturbed { resource, share }) = run.variation else { continue };
        if share == ALL {
            continue;
        }
        let found = (run.test.as_str(), run.dop, resource, share);
        if !tried.contains(&found) {
            tried.push(found);
        }
    }
    if tried.is_empty() {
        return Vec::new();
    }
    let capacities = Capacities::of(record);
    let prove = |(test, dop, resource, share)| proof(record, &capacities, (test, dop), resource, share);
    tried.into_iter().filter_map(prove).collect()
}

fn proof(
    record: &Record,
    capacities: &Capacities,
    (test, dop): (&str, Dop),
    resource: Resource,
    share: f64,
) -> Option<Proof> {
    let same: Vec<&Run> = record.runs.iter().filter(|run| run.test == test && run.dop == dop).collect();
    let first = *same.iter().find(|run| run.variation.is_none() && !is_invalid(run))?;
    let pairs = pairs(&same, resource, share);
    let elasticities: Vec<f64> = pairs.iter().filter_map(|(control, less)| elasticity(less / control, share)).collect();
    let found = mean(&elasticities)?;
    let interval = student_interval(&elasticities, 1.0 - RULES.significance);
    let (controls, perturbed): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let (control, perturbed) = (median(&controls)?, median(&perturbed)?);
    let cause = cause(interval.filter(|_| elasticities.len() >= RULES.proof_pairs_min));
    Some(Proof {
        test: test.to_owned(),
        sweep: first.sweep,
        dop,
        resource,
        share: Ratio(share),
        control: Rate(control),
        perturbed: Rate(perturbed),
        elasticity: found,
        interval,
        pairs: elasticities.len(),
        cause,
        limiter: capacities.attribute(first).map(|attribution| attribution.limiter),
    })
}

/// The rates of each control and of the run with `share` of the resource after it. Invalid runs make no pair.
fn pairs(runs: &[&Run], resource: Resource, share: f64) -> Vec<(f64, f64)> {
    let mut control = None;
    let mut pairs = Vec::new();
    for run in runs {
        let rate = rate(run).filter(|_| !is_invalid(run));
        if run.variation == Some(Variation::Perturbed { resource, share: ALL }) {
            control = rate;
        } else if run.variation == Some(Variation::Perturbed { resource, share }) {
            pairs.extend(control.take().zip(rate));
        }
    }
    pairs
}

fn rate(run: &Run) -> Option<f64> {
    Some(per_second(run, run.totals.operations)?.0).filter(|rate| *rate > 0.0)
}

/// Both ends of the interval have to agree.
fn cause(interval: Option<Interval>) -> Cause {
    let of = |value: f64| match value {
        value if value >= RULES.proof_because_min => Cause::Because,
        value if value <= RULES.proof_not_because_max => Cause::NotBecause,
        _ => Cause::InPart,
    };
    match interval {
        Some(interval) if of(interval.low) == of(interval.high) => of(interval.low),
        _ => Cause::Undecided,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use record::{Check, Verdict, name};

    use super::*;
    use crate::fixture::{counted, record, run};

    const SECOND: u64 = 1_000_000_000;

    fn plain(steps: u64) -> Run {
        let counters =
            [(name::HOST_CPU_USER_NS, 19 * SECOND), (name::HOST_CPU_SYSTEM_NS, 0), (name::HOST_CPU_IDLE_NS, SECOND)];
        let mut run = counted(run("T132", 2), &counters);
        run.totals.operations = steps;
        run
    }

    fn reduced(share: f64, steps: u64) -> Run {
        Run { variation: Some(Variation::Perturbed { resource: Resource::Processors, share }), ..plain(steps) }
    }

    /// A plain run, and pairs of a control and a run with less.
    fn with_pairs(pairs: &[(u64, u64)]) -> Vec<Run> {
        let pairs = pairs.iter().flat_map(|(all, less)| [reduced(1.0, *all), reduced(0.8, *less)]);
        std::iter::once(plain(200_000)).chain(pairs).collect()
    }

    fn one(runs: Vec<Run>) -> Proof {
        let mut found = proofs(&record(runs));
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    }

    #[test]
    fn a_limit_is_an_estimate_until_runs_with_less_decide() {
        let found = |limiter| Attribution { limiter, uses: Vec::new(), classes: Vec::new(), foreign: Ratio(0.0) };
        let cpu = found(Limiter::Processors);
        let proof = |cause| Proof { cause, ..one(with_pairs(&[(100_000, 80_000)])) };
        assert_eq!(limit_basis(Some(&cpu), None), Some(ClaimBasis::Estimate));
        assert_eq!(limit_basis(Some(&cpu), Some(&proof(Cause::Undecided))), Some(ClaimBasis::Estimate));
        for cause in [Cause::Because, Cause::InPart, Cause::NotBecause] {
            assert_eq!(limit_basis(Some(&cpu), Some(&proof(cause))), Some(ClaimBasis::Measured));
        }
        assert_eq!(limit_basis(Some(&found(Limiter::Unexplained)), None), None);
        assert_eq!(limit_basis(None, None), None);
    }

    #[test]
    fn a_proportional_rate_shows_the_limit() {
        let found = one(with_pairs(&[(100_000, 80_000), (100_000, 80_100), (100_000, 79_900)]));
        assert!((found.elasticity - 1.0).abs() < 1e-5, "{found:?}");
        assert_eq!((found.cause, found.pairs), (Cause::Because, 3));
        assert_eq!((found.limiter, found.share), (Some(Limiter::Processors), Ratio(0.8)));
        let found = one(with_pairs(&[(100_000, 100_000), (100_000, 101_000), (101_000, 100_000)]));
        assert_eq!(found.cause, Cause::NotBecause, "{found:?}");
        let found = one(with_pairs(&[(100_000, 92_000), (100_000, 92_100), (100_000, 91_900)]));
        assert_eq!(found.cause, Cause::InPart, "{found:?}");
        assert_eq!(
            one(with_pairs(&[(100_000, 104_000), (100_000, 104_100), (100_000, 103_900)])).cause,
            Cause::NotBecause
        );
    }

    #[test]
    fn fewer_than_three_pairs_decide_nothing() {
        let found = one(with_pairs(&[(100_000, 80_000)]));
        assert_eq!((found.cause, found.interval, found.pairs), (Cause::Undecided, None, 1));
        let found = one(with_pairs(&[(100_000, 80_000), (100_000, 80_010)]));
        assert_eq!((found.cause, found.pairs), (Cause::Undecided, 2));
    }

    #[test]
    fn pairs_that_lie_far_apart_decide_nothing() {
        let found = one(with_pairs(&[(100_000, 60_000), (100_000, 105_000), (100_000, 80_000)]));
        assert_eq!(found.cause, Cause::Undecided, "{found:?}");
    }

    #[test]
    fn drift_between_pairs_is_no_part_of_the_effect() {
        // A machine that slows down by a tenth from pair to pair.
        let found = one(with_pairs(&[(100_000, 80_000), (90_000, 72_000), (81_000, 64_800)]));
        assert_eq!(found.cause, Cause::Because, "{found:?}");
        assert!(found.interval.unwrap().half() < 1e-3, "{found:?}");
        assert!((found.control.0 - 9_000.0).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn invalid_runs_and_runs_without_a_control_prove_nothing() {
        let finding = crate::fixture::finding(Check::Steal, Verdict::Fail);
        let invalid = |run: Run| Run { findings: vec![finding.clone()], ..run };
        let none = |runs: Vec<Run>| assert_eq!(proofs(&record(runs)), Vec::new());
        none(vec![plain(100_000), reduced(1.0, 100_000), invalid(reduced(0.8, 80_000))]);
        none(vec![plain(100_000), invalid(reduced(1.0, 100_000)), reduced(0.8, 80_000)]);
        none(vec![plain(100_000), reduced(0.8, 80_000), reduced(1.0, 100_000)]);
        none(vec![reduced(1.0, 100_000), reduced(0.8, 80_000)]);
        none(vec![plain(100_000), reduced(1.0, 100_000)]);
        none(vec![plain(100_000)]);
        // Each control is held against one run only.
        let found = one(vec![plain(100_000), reduced(1.0, 100_000), reduced(0.8, 80_000), reduced(0.8, 80_000)]);
        assert_eq!(found.pairs, 1);
        none(with_pairs(&[(100_000, 0)]));
    }

    proptest! {
        #[test]
        fn an_elasticity_is_a_number_or_none(ratio in any::<f64>(), share in any::<f64>()) {
            prop_assert!(elasticity(ratio, share).is_none_or(|found| !found.is_nan()));
        }

        #[test]
        fn a_power_law_has_its_exponent_as_elasticity(exponent in -3.0f64..3.0, share in 0.05f64..0.95) {
            let found = elasticity(share.powf(exponent), share).unwrap();
            prop_assert!((found - exponent).abs() < 1e-9);
        }
    }
}
