//! Simulated scenarios: n = 1800 s, autocorrelation 0.6, a coefficient of variation of 5 %, few of each.

use proptest::prelude::*;
use record::Nanos;

use super::*;
use crate::fixture;
use crate::simulation::Simulation;

const RUNS: usize = 10;

/// The verdicts on `RUNS` runs whose rate is noise times `shape`, a function of the second.
fn verdicts(seed: u64, count: usize, shape: impl Fn(f64) -> f64) -> Vec<Steadiness> {
    let mut simulation = Simulation::new(seed);
    let runs = (0..RUNS).map(|_| {
        let noise = simulation.noise(count, 0.6, 1_000.0, 50.0);
        let rates: Vec<f64> = noise.iter().enumerate().map(|(at, rate)| rate * shape(at as f64)).collect();
        steadiness_of(&rates)
    });
    runs.collect()
}

fn count(found: &[Steadiness], verdict: SteadyVerdict) -> usize {
    found.iter().filter(|found| found.verdict == verdict).count()
}

fn median_cut(found: &[Steadiness]) -> f64 {
    let cuts: Vec<f64> = found.iter().map(|found| found.counted.start as f64).collect();
    crate::statistics::median(&cuts).unwrap()
}

#[test]
fn a_flat_run_is_steady() {
    let found = verdicts(1, 1_800, |_| 1.0);
    assert_eq!(count(&found, SteadyVerdict::Steady), RUNS, "{found:#?}");
    assert!(found.iter().all(|found| (found.rate / 1_000.0 - 1.0).abs() < 0.02 && found.class == SteadyClass::Flat));
    assert!(found.iter().all(|found| found.detectable_drift.unwrap() < 0.1));
    assert!(found.iter().all(|found| found.interval.unwrap().half() < 20.0));
    assert!(median_cut(&found) < 60.0);
}

#[test]
fn a_warm_up_is_cut_where_it_ends() {
    let found = verdicts(2, 1_800, |at| 1.0 - 0.4 * (-at / 60.0).exp());
    assert_eq!(count(&found, SteadyVerdict::WarmupCut), RUNS, "{found:#?}");
    assert!((100.0..=250.0).contains(&median_cut(&found)), "{}", median_cut(&found));
    let step = verdicts(3, 1_800, |at| if at < 120.0 { 0.7 } else { 1.0 });
    assert!(count(&step, SteadyVerdict::WarmupCut) == RUNS && (120.0..=150.0).contains(&median_cut(&step)));
}

#[test]
fn spent_credits_are_a_slowdown_with_the_later_rate() {
    let found = verdicts(4, 1_800, |at| if at < 400.0 { 1.5 } else { 1.0 });
    assert_eq!(count(&found, SteadyVerdict::Slowdown), RUNS, "{found:#?}");
    assert!((400.0..=410.0).contains(&median_cut(&found)), "{}", median_cut(&found));
    assert!(found.iter().all(|found| (found.rate / 1_000.0 - 1.0).abs() < 0.02));
    let cut = |reason: &SteadyReason| match reason {
        SteadyReason::Steady { cut_seconds, class: SteadyClass::Slowdown, .. } => Some(*cut_seconds),
        _ => None,
    };
    assert_eq!(cut(&found[0].reason), Some(found[0].counted.start as u64));
}

#[test]
fn drift_and_collapse_are_not_steady() {
    let drift = verdicts(5, 1_800, |at| 1.0 + 0.2 * at / 1_800.0);
    assert!(drift.iter().all(|found| !found.verdict.is_steady()), "{drift:#?}");
    let collapse = verdicts(6, 1_800, |at| if at < 1_260.0 { 1.0 } else { 0.75 });
    assert_eq!(count(&collapse, SteadyVerdict::NotSteady), RUNS, "{collapse:#?}");
    assert!(collapse.iter().all(|found| found.counted == (0..1_800)));
    let is_short = |reason: &SteadyReason| matches!(reason, SteadyReason::LastLevelShort { to_second: 1_800, .. });
    assert!(collapse.iter().all(|found| is_short(&found.reason)), "{collapse:#?}");
}

#[test]
fn dips_are_steady_from_three_cycles_on() {
    let dips = |period: f64| move |at: f64| if at % period < 10.0 { 0.8 } else { 1.0 };
    let found = verdicts(7, 1_800, dips(120.0));
    assert!(found.iter().filter(|found| found.verdict.is_steady()).count() >= RUNS - 1, "{found:#?}");
    let deep = |at: f64| if at % 130.0 < 40.0 { 0.6 } else { 1.0 };
    let found = verdicts(8, 300, deep);
    assert!(found.iter().all(|found| !found.verdict.is_steady()), "{found:#?}");
}

#[test]
fn under_a_minute_is_too_short() {
    let found = steadiness_of(&[1_000.0; 59]);
    assert_eq!((found.verdict, found.counted, found.rate), (SteadyVerdict::TooShort, 0..59, 1_000.0));
    assert_eq!(found.reason, SteadyReason::TooShort { seconds: 59, seconds_min: 60 });
    assert_eq!(steadiness_of(&[]).verdict, SteadyVerdict::TooShort);
}

#[test]
fn equal_seconds_are_steady_and_empty_ones_inconclusive() {
    let found = steadiness_of(&[1_000.0; 60]);
    assert_eq!((found.verdict, found.detectable_drift), (SteadyVerdict::Steady, Some(0.0)));
    assert_eq!(
        found.reason,
        SteadyReason::Steady {
            cut_seconds: 0,
            class: SteadyClass::Flat,
            drift_max: Ratio(0.0),
            seconds: 60,
            checkpoints: None
        }
    );
    let idle = steadiness_of(&[0.0; 60]);
    assert_eq!(idle.verdict, SteadyVerdict::Inconclusive);
    assert_eq!(idle.reason, SteadyReason::NothingDone { seconds: 60, of_seconds: 60 });
}

#[test]
fn correlated_seconds_are_too_few_independent_ones() {
    let found = steadiness_of(&Simulation::new(12).noise(100, 0.9, 1_000.0, 5.0));
    assert_eq!(found.verdict, SteadyVerdict::Inconclusive, "{found:#?}");
    let SteadyReason::Inconclusive { doubts } = &found.reason else { panic!("{found:#?}") };
    let is_worth_little = |doubt: &SteadyUncertainty| match doubt {
        SteadyUncertainty::FewIndependentSeconds { independent_seconds, independent_seconds_min, .. } => {
            independent_seconds < independent_seconds_min && *independent_seconds_min == 20.0
        }
        _ => false,
    };
    assert!(doubts.iter().any(is_worth_little), "{doubts:?}");
}

#[test]
fn a_run_is_judged_by_its_whole_seconds() {
    let mut run = fixture::run("T716", 1);
    run.window_ns = Nanos(90_900_000_000);
    run.seconds = vec![run.seconds[0]; 91];
    run.seconds[90].operations = 1;
    let found = steadiness(&run);
    assert_eq!((found.verdict, found.counted.clone(), found.rate), (SteadyVerdict::Steady, 0..90, 1_000.0));
    run.seconds.truncate(60);
    let stalled = steadiness(&run);
    assert_eq!((stalled.verdict, stalled.counted), (SteadyVerdict::NotSteady, 0..90), "a stall until the end");
    run.window_ns = Nanos(u64::MAX);
    assert_eq!(steadiness(&run).verdict, SteadyVerdict::NotSteady);
    run.seconds.clear();
    assert_eq!(steadiness(&run).verdict, SteadyVerdict::TooShort);
}

#[test]
fn one_checkpoint_is_no_cycle() {
    let mut run = fixture::run("T716", 1);
    run.window_ns = Nanos(90_000_000_000);
    run.seconds = vec![run.seconds[0]; 90];
    let says = |run: &Run| steadiness(run).verdict;
    let checkpointed = |count: u64| fixture::counted(run.clone(), &[("engine_checkpoint_count", count)]);
    assert_eq!(
        [0, 1, 3, 4].map(|count| says(&checkpointed(count))),
        [SteadyVerdict::Steady, SteadyVerdict::Inconclusive, SteadyVerdict::Inconclusive, SteadyVerdict::Steady]
    );
    let few = |checkpoints, cut_seconds, of_seconds| SteadyReason::Inconclusive {
        doubts: vec![SteadyUncertainty::FewCheckpoints { checkpoints, cut_seconds, of_seconds, checkpoints_min: 4 }],
    };
    assert_eq!(steadiness(&checkpointed(3)).reason, few(3, 0, 90));
    let none = steadiness(&checkpointed(0)).reason;
    assert!(matches!(none, SteadyReason::Steady { checkpoints: Some(0), .. }), "{none:?}");
    let reading = Run { changes: false, ..checkpointed(1) };
    assert_eq!(says(&reading), SteadyVerdict::Steady, "checkpoints do not matter for read-only runs");
}

#[test]
fn checkpoints_are_attributed_by_time_after_a_cut() {
    let mut run = fixture::run("T716", 1);
    run.window_ns = Nanos(100_000_000_000);
    run.seconds = vec![run.seconds[0]; 100];
    run.seconds[..20].iter_mut().for_each(|second| second.operations = 500);
    let with = |count: u64| steadiness(&fixture::counted(run.clone(), &[("engine_checkpoint_count", count)]));
    let found = with(4);
    assert_eq!((found.verdict, found.counted), (SteadyVerdict::Inconclusive, 20..100));
    let doubts = vec![SteadyUncertainty::FewCheckpoints {
        checkpoints: 4,
        cut_seconds: 20,
        of_seconds: 100,
        checkpoints_min: 4,
    }];
    assert_eq!(found.reason, SteadyReason::Inconclusive { doubts });
    assert_eq!(with(5).verdict, SteadyVerdict::WarmupCut);
}

#[test]
fn a_disturbance_that_is_cut_is_no_warm_up() {
    let wave = |mean: f64, count: usize| (0..count).map(move |at| mean * (1.0 + [0.0, 0.01, -0.01][at % 3]));
    // Slower first, but faster in between by as much.
    let rates: Vec<f64> = wave(900.0, 20).chain(wave(1_100.0, 20)).chain(wave(1_000.0, 160)).collect();
    let found = steadiness_of(&rates);
    assert_eq!((found.verdict, found.class, found.counted), (SteadyVerdict::Steady, SteadyClass::Flat, 40..200));
    let is_cut = matches!(found.reason, SteadyReason::Steady { cut_seconds: 40, class: SteadyClass::Flat, .. });
    assert!(is_cut, "{:?}", found.reason);
    // Slower for a moment and faster for longer: the cut was faster.
    let rates: Vec<f64> = wave(900.0, 10).chain(wave(1_300.0, 30)).chain(wave(1_000.0, 160)).collect();
    assert_eq!(steadiness_of(&rates).verdict, SteadyVerdict::Slowdown);
}

proptest! {
    #[test]
    fn any_rates_are_judged_without_a_panic(rates in prop::collection::vec(0.0f64..1e9, 0..500)) {
        let found = steadiness_of(&rates);
        prop_assert!(found.counted.end == rates.len() && found.counted.start <= found.counted.end);
        prop_assert!(found.rate.is_finite());
        prop_assert!(!found.verdict.is_steady() || found.counted.len() * 2 >= rates.len());
    }

    #[test]
    fn the_unit_does_not_matter(seed in 0u64..1_000, factor in 1e-3f64..1e6) {
        let rates = Simulation::new(seed).noise(200, 0.5, 1_000.0, 50.0);
        let scaled: Vec<f64> = rates.iter().map(|rate| rate * factor).collect();
        let (one, other) = (steadiness_of(&rates), steadiness_of(&scaled));
        prop_assert_eq!((one.verdict, one.counted), (other.verdict, other.counted));
    }
}
