//! Whether what stands beside a rate is its cause: a run that had less of one resource, held against the plain run.
//!
//! The elasticity of the rate X to a resource R is d ln X / d ln R, here ln(X'/X) / ln(R'/R) of two runs: 1 where the
//! rate follows the resource, 0 where it does not care. Only a resource that was changed, with everything else as it
//! was, may be called a cause (Pearl 2009, *Causality*, on interventions).

mod perturbation;

use record::{Dop, Rate, Ratio, Record, Resource, Run, Sweep, Variation};

use crate::attribution::{Capacities, Limiter};
use crate::checks::percent;
use crate::comparison::{shift_interval, shift_median};
use crate::delta::per_second;
use crate::row::is_void;
use crate::rules::RULES;
use crate::statistics::{Interval, median};

pub use perturbation::{IoPart, Perturbation, perturbation};

/// The share of a run that is carried out like the one with less, and has all: it is held against that.
const ALL: f64 = 1.0;

/// Whether a resource is why a test is not faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The rate follows the resource.
    Because,
    /// It follows in part.
    InPart,
    /// It does not.
    NotBecause,
    /// The repeats lie too far apart to say.
    Undecided,
}

/// A test at one degree of parallelism that was run with less of one resource, too.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof {
    /// Its code.
    pub test: String,
    /// Which degree of parallelism it varies.
    pub sweep: Sweep,
    /// Degree of parallelism.
    pub dop: Dop,
    /// What it had less of.
    pub resource: Resource,
    /// What it had of it, as a share of what the plain run had.
    pub share: Ratio,
    /// Operations per second of the plain runs, or of those that were carried out as the perturbed one but with all of
    /// the resource; their median.
    pub plain: Rate,
    /// The same of those that had less.
    pub perturbed: Rate,
    /// Elasticity of the rate; with its 95 % interval where there are repeats enough, at least four and four.
    pub elasticity: f64,
    /// The interval.
    pub interval: Option<Interval>,
    /// Runs that had less, and are valid.
    pub repeats: usize,
    /// What follows.
    pub cause: Cause,
    /// All of it in words, as a clause.
    pub sentence: String,
}

/// The elasticity of a rate that became `ratio` times what it was, when a resource became `share` times what it was.
/// None where there is no such thing: nothing was changed, or a rate is nothing.
pub fn elasticity(ratio: f64, share: f64) -> Option<f64> {
    let (rate, resource) = (ratio.ln(), share.ln());
    (rate.is_finite() && resource.is_finite() && resource != 0.0).then(|| rate / resource)
}

/// What is proved in `record`, in the order in which it was tried. Void runs prove nothing.
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
    let wanted = Some(Variation::Perturbed { resource, share });
    let of = |variation: Option<Variation>| -> Vec<&Run> {
        let same = |run: &&Run| run.test == test && run.dop == dop && run.variation == variation && !is_void(run);
        record.runs.iter().filter(same).collect()
    };
    // A run in the same group that had all of it stands nearer than the plain one.
    let controls = of(Some(Variation::Perturbed { resource, share: ALL }));
    let (plain, perturbed) = (of(None), of(wanted));
    let first = *plain.first()?;
    let plain = if controls.is_empty() { plain } else { controls };
    let logarithms = |runs: &[&Run]| -> Vec<f64> { runs.iter().filter_map(|run| Some(rate(run)?.ln())).collect() };
    let (base, other) = (logarithms(&plain), logarithms(&perturbed));
    let found = elasticity(shift_median(&base, &other)?.exp(), share)?;
    let interval = shift_interval(&base, &other, 1.0 - RULES.significance).map(|shift| {
        let ends = [shift.low / share.ln(), shift.high / share.ln()];
        Interval { estimate: found, low: ends[0].min(ends[1]), high: ends[0].max(ends[1]) }
    });
    let cause = cause(found, interval);
    let rates = [median(&base)?.exp(), median(&other)?.exp()];
    let what = noun(capacities.attribute(first).map(|attribution| attribution.limiter), resource);
    Some(Proof {
        test: test.to_owned(),
        sweep: first.sweep,
        dop,
        resource,
        share: Ratio(share),
        plain: Rate(rates[0]),
        perturbed: Rate(rates[1]),
        elasticity: found,
        interval,
        repeats: perturbed.len(),
        cause,
        sentence: sentence(cause, &what, share, rates[1] / rates[0], found, interval),
    })
}

fn rate(run: &Run) -> Option<f64> {
    Some(per_second(run, run.totals.operations)?.0).filter(|rate| *rate > 0.0)
}

/// With an interval both of its ends have to say the same.
fn cause(elasticity: f64, interval: Option<Interval>) -> Cause {
    let of = |value: f64| match value {
        value if value >= RULES.proof_because_min => Cause::Because,
        value if value <= RULES.proof_not_because_max => Cause::NotBecause,
        _ => Cause::InPart,
    };
    match interval {
        Some(interval) if of(interval.low) != of(interval.high) => Cause::Undecided,
        _ => of(elasticity),
    }
}

/// What the resource is called after `because of`.
fn noun(limiter: Option<Limiter>, resource: Resource) -> String {
    match (resource, limiter) {
        (Resource::Processors, Some(Limiter::OneThread { .. })) => "its one thread".to_owned(),
        (Resource::Processors, _) => "the processors".to_owned(),
        (Resource::DeviceIo, Some(Limiter::Resource(name))) => format!("the {name}"),
        (Resource::DeviceIo, _) => "the I/O of the device".to_owned(),
        (Resource::ArrivalRate, _) => "the rate that was asked for".to_owned(),
    }
}

fn sentence(cause: Cause, what: &str, share: f64, ratio: f64, elasticity: f64, interval: Option<Interval>) -> String {
    let gist = match cause {
        Cause::Because => format!("no faster because of {what}"),
        Cause::InPart => format!("no faster in part for {what}"),
        Cause::NotBecause => format!("not because of {what}"),
        Cause::Undecided => format!("whether {what} is the cause is not decided"),
    };
    let doubt = match interval {
        Some(interval) => format!("{:.2} to {:.2}", interval.low, interval.high),
        None => "single runs".to_owned(),
    };
    format!(
        "{gist}: with {} of that, {} of the rate (elasticity {elasticity:.2}, {doubt})",
        percent(share),
        percent(ratio)
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use record::{Check, Finding, Verdict, name};

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

    fn less(steps: u64) -> Run {
        Run { variation: Some(Variation::Perturbed { resource: Resource::Processors, share: 0.8 }), ..plain(steps) }
    }

    fn one(runs: Vec<Run>) -> Proof {
        let mut found = proofs(&record(runs));
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    }

    #[test]
    fn a_rate_that_follows_is_a_cause_and_one_that_does_not_is_none() {
        let found = one(vec![plain(100_000), less(80_000)]);
        assert!((found.elasticity - 1.0).abs() < 1e-9, "{found:?}");
        assert_eq!((found.cause, found.interval, found.repeats), (Cause::Because, None, 1));
        assert_eq!(
            found.sentence,
            "no faster because of the processors: with 80 % of that, 80 % of the rate (elasticity 1.00, single runs)"
        );
        let found = one(vec![plain(100_000), less(100_000)]);
        assert_eq!((found.elasticity, found.cause), (0.0, Cause::NotBecause));
        assert!(found.sentence.starts_with("not because of the processors"), "{}", found.sentence);
        let found = one(vec![plain(100_000), less(92_000)]);
        assert_eq!(found.cause, Cause::InPart, "{found:?}");
        assert!(!found.sentence.contains("because"), "{}", found.sentence);
        assert_eq!(one(vec![plain(100_000), less(104_000)]).cause, Cause::NotBecause);
    }

    #[test]
    fn repeats_give_an_interval_that_has_to_agree_with_itself() {
        let runs = |plains: [u64; 6], lesses: [u64; 6]| {
            let all = plains.map(plain).into_iter().chain(lesses.map(less));
            one(all.collect())
        };
        let base = [100_000, 100_100, 100_200, 99_900, 99_800, 100_050];
        let near = runs(base, [80_000, 80_100, 80_200, 79_900, 79_800, 80_050]);
        let interval = near.interval.unwrap();
        assert!(interval.contains(1.0) && interval.half() < 0.05, "{interval:?}");
        assert_eq!((near.cause, near.repeats), (Cause::Because, 6));
        let far = runs(base, [60_000, 105_000, 80_000, 99_000, 70_000, 90_000]);
        assert_eq!(far.cause, Cause::Undecided, "{far:?}");
        assert!(!far.sentence.contains("because"), "{}", far.sentence);
    }

    #[test]
    fn a_run_that_had_all_in_the_same_way_is_what_less_is_held_against() {
        let all = |steps| Run {
            variation: Some(Variation::Perturbed { resource: Resource::Processors, share: 1.0 }),
            ..plain(steps)
        };
        let found = one(vec![plain(200_000), all(100_000), less(80_000)]);
        assert!((found.elasticity - 1.0).abs() < 1e-9, "{found:?}");
        assert!((found.plain.0 - 10_000.0).abs() < 1e-6, "{found:?}");
        assert_eq!(proofs(&record(vec![plain(200_000), all(100_000)])), Vec::new());
    }

    #[test]
    fn void_runs_and_runs_without_a_plain_one_prove_nothing() {
        let finding = Finding { check: Check::Steal, verdict: Verdict::Fail, detail: String::new() };
        let void = Run { findings: vec![finding], ..less(80_000) };
        assert_eq!(proofs(&record(vec![plain(100_000), void])), Vec::new());
        assert_eq!(proofs(&record(vec![less(80_000)])), Vec::new());
        assert_eq!(proofs(&record(vec![plain(100_000), Run { dop: Dop::jobs(4), ..less(80_000) }])), Vec::new());
        assert_eq!(proofs(&record(vec![plain(100_000)])), Vec::new());
        assert_eq!(proofs(&record(vec![plain(100_000), less(0)])), Vec::new());
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
