//! The variations of the plain runs of tests, and their position in the plan.

use record::{Pace, Plan, PlannedRun, Preset, Skipped, Variation};

use crate::Request;
use crate::order::in_rounds;

/// Shares of the capacity at which latency is measured for figures to publish: latency at full load alone does not show
/// that at usual loads.
const SHARES: [f64; 4] = [0.5, 0.7, 0.8, 0.9];

/// All runs of tests: the plain ones `once`, each with its repeats, and the variations of `request` or its preset.
/// `sweeps_jobs` and `pipelines` tell it for the code of a test.
///
/// A sweep of paces is in each round. A share of the capacity is measured once, after the plain runs that determine the
/// capacity. The curve of a preset is measured at the highest degree of parallelism: there most sessions are ready for
/// arrivals, so that steps queue in the platform and not before it; and that degree is known when the plan is made, so
/// that the plan is complete.
pub(crate) fn with_variations(
    once: &[PlannedRun],
    request: &Request,
    repeats: u32,
    seed: u64,
    sweeps_jobs: &dyn Fn(&str) -> bool,
    pipelines: &dyn Fn(&str) -> bool,
) -> Vec<PlannedRun> {
    let is_share = |variation: &Variation| matches!(variation, Variation::ShareOfCapacity { .. });
    let (shares, paces): (Vec<Variation>, Vec<Variation>) = request.variations.iter().copied().partition(is_share);
    let shares_of = |run: &PlannedRun| match has_curve(request) && sweeps_jobs(&run.test) && is_highest(run, once) {
        true => SHARES.map(|share| Variation::ShareOfCapacity { share }).to_vec(),
        false => shares.clone(),
    };
    let with = |run: &PlannedRun, variations: &[Variation]| -> Vec<PlannedRun> {
        let varied = |variation: &Variation| PlannedRun { variation: Some(*variation), ..run.clone() };
        let is_possible = |variation: &&Variation| !is_pipelined(Some(**variation)) || pipelines(&run.test);
        variations.iter().filter(is_possible).map(varied).collect()
    };
    let swept: Vec<Vec<PlannedRun>> = once.iter().map(|run| [vec![run.clone()], with(run, &paces)].concat()).collect();
    let late = once.iter().map(|run| with(run, &shares_of(run)));
    match repeats {
        // Close to the run that determines the capacity, before the machine changes.
        0 | 1 => swept.into_iter().zip(late).flat_map(|(swept, late)| [swept, late].concat()).collect(),
        _ => in_rounds(&swept.concat(), repeats, seed).into_iter().chain(late.flatten()).collect(),
    }
}

/// Whether statements are sent in a pipeline.
pub(crate) fn is_pipelined(variation: Option<Variation>) -> bool {
    matches!(variation, Some(Variation::Pipelined { .. }))
}

/// Restricts `plan` to a search: each plain run once, and no probes, which have no arrivals. Probes are listed as
/// skipped if tests were selected.
pub(crate) fn restrict_to_search(plan: &mut Plan, request: &Request) {
    plan.repeats = 1;
    plan.io = None;
    let (probes, tests) = plan.runs.drain(..).partition(|run: &PlannedRun| probe::probe(&run.test).is_some());
    plan.runs = tests;
    let mut codes: Vec<String> = probes.into_iter().map(|run: PlannedRun| run.test).collect();
    codes.dedup();
    if !request.tests.words.is_empty() {
        let reason = "a probe has no arrivals, so no rate can be searched";
        plan.skipped.extend(codes.into_iter().map(|test| Skipped { test, reason: reason.to_owned() }));
    }
}

/// Whether the preset of `request` includes the curve of latency over rate; not if another load is requested.
fn has_curve(request: &Request) -> bool {
    let plain = request.variations.is_empty() && request.pace == Pace::Unthrottled;
    request.setup.preset == Preset::Publish && plain && request.until.is_none()
}

/// Whether no run of the same test has more jobs or, with as many, more nodes.
fn is_highest(run: &PlannedRun, once: &[PlannedRun]) -> bool {
    let load = |run: &PlannedRun| (run.dop.jobs, run.dop.nodes);
    once.iter().filter(|other| other.test == run.test).all(|other| load(other) <= load(run))
}

#[cfg(test)]
mod tests {

    use proptest::prelude::*;
    use record::Dop;

    use super::*;
    use crate::Setup;

    fn request(preset: Preset, variations: Vec<Variation>) -> Request {
        Request { setup: Setup { preset, ..Setup::smoke() }, variations, ..Request::default() }
    }

    fn once() -> Vec<PlannedRun> {
        let run = |(test, jobs): (&str, u32)| PlannedRun {
            kind: record::RunKind::of_code(test),
            number: 0,
            test: test.to_owned(),
            dop: Dop::jobs(jobs),
            repeat: 1,
            variation: None,
        };
        [("T611", 1), ("T611", 4), ("T512", 1)].map(run).to_vec()
    }

    fn paced(rate: f64) -> Variation {
        Variation::Paced { pace: Pace::Poisson { steps_per_second: rate }, one_thread_per_core: false }
    }

    fn planned(preset: Preset, variations: Vec<Variation>, repeats: u32) -> Vec<PlannedRun> {
        with_variations(&once(), &request(preset, variations), repeats, 42, &|test| test != "T512", &|test| {
            test != "T512"
        })
    }

    #[test]
    fn without_repetitions_variations_follow_their_plain_run() {
        let share = Variation::ShareOfCapacity { share: 0.5 };
        let runs = planned(Preset::Quick, vec![share, paced(100.0)], 1);
        let found: Vec<(u32, Option<Variation>)> = runs.iter().map(|run| (run.dop.jobs, run.variation)).collect();
        let of = |jobs| [(jobs, None), (jobs, Some(paced(100.0))), (jobs, Some(share))];
        assert_eq!(found, [of(1), of(4), of(1)].concat());
    }

    #[test]
    fn figures_to_publish_have_a_curve_at_the_highest_degree_of_tests_that_sweep_jobs_once() {
        let runs = planned(Preset::Publish, Vec::new(), 6);
        assert_eq!(runs.len(), 3 * 6 + 4);
        let curve: Vec<(&str, u32, f64)> = runs[18..]
            .iter()
            .map(|run| match run.variation {
                Some(Variation::ShareOfCapacity { share }) => (run.test.as_str(), run.dop.jobs, share),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(curve, [0.5, 0.7, 0.8, 0.9].map(|share| ("T611", 4, share)));
        assert!(runs[..18].iter().all(|run| run.variation.is_none()));
        assert_eq!(planned(Preset::Standard, Vec::new(), 6).len(), 18);
        assert_eq!(planned(Preset::Publish, vec![paced(1.0)], 6).len(), 36, "a requested load replaces the curve");
    }

    proptest! {
        #[test]
        fn no_share_comes_before_all_plain_runs_of_its_test_and_degree(
            repeats in 0u32..5, shares in prop::collection::vec(0.01f64..2.0, 0..4), rates in 0usize..3,
        ) {
            let of_shares = shares.iter().map(|share| Variation::ShareOfCapacity { share: *share });
            let variations: Vec<Variation> = of_shares.chain((0..rates).map(|rate| paced(rate as f64 + 1.0))).collect();
            let runs = planned(Preset::Quick, variations, repeats);
            let rounds = repeats.max(1) as usize;
            prop_assert_eq!(runs.len(), once().len() * ((1 + rates) * rounds + shares.len()));
            for (at, run) in runs.iter().enumerate() {
                if matches!(run.variation, Some(Variation::ShareOfCapacity { .. })) {
                    let plain = |other: &&PlannedRun| {
                        other.variation.is_none() && (&other.test, other.dop) == (&run.test, run.dop)
                    };
                    prop_assert_eq!(runs[..at].iter().filter(plain).count(), runs.iter().filter(plain).count());
                }
            }
        }
    }
}
