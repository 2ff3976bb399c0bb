//! Claims about an N that was measured, and about one where an estimate is refused.

use super::*;

use ClaimVerdict::{Contradicted, Supported, Unsupported};

fn points(of: &[(f64, f64)]) -> Vec<LoadPoint> {
    of.iter().map(|(n, rate)| LoadPoint::new(*n, *rate)).collect()
}

fn judged(of: &[(f64, f64)], n: f64, rate: f64) -> Judgement {
    judge(&points(of), Claim { n, rate }, &Circumstances::default()).unwrap()
}

fn verdicts<const LEN: usize>(of: &[(f64, f64)], n: f64, rates: [f64; LEN]) -> [ClaimVerdict; LEN] {
    rates.map(|rate| judged(of, n, rate).verdict)
}

/// A server whose rate falls beyond 20 and then stays, which no law of this kind follows.
const FALLING: [(f64, f64); 21] = [
    (1.0, 4_373.30),
    (4.0, 15_582.91),
    (8.0, 27_353.51),
    (12.0, 37_502.23),
    (16.0, 45_365.16),
    (20.0, 46_926.75),
    (24.0, 42_854.19),
    (28.0, 39_835.95),
    (32.0, 38_862.98),
    (36.0, 38_303.05),
    (40.0, 37_881.29),
    (44.0, 37_647.48),
    (48.0, 37_379.05),
    (52.0, 37_421.44),
    (56.0, 37_306.11),
    (60.0, 37_235.20),
    (64.0, 37_220.38),
    (68.0, 37_045.14),
    (72.0, 36_793.40),
    (76.0, 36_998.60),
    (80.0, 36_734.52),
];

/// Six runs at one N that scatter by 24 %.
const REPEATED: [(f64, f64); 6] =
    [(20.0, 134_092.0), (20.0, 129_852.0), (20.0, 206_136.0), (20.0, 198_488.0), (20.0, 123_287.0), (20.0, 195_082.0)];

#[test]
fn at_a_measured_n_the_measurement_decides() {
    assert_eq!(verdicts(&FALLING, 80.0, [36_000.0, 37_500.0, 50_000.0]), [Supported, Unsupported, Contradicted]);
    let found = judged(&FALLING, 80.0, 36_000.0).extrapolation;
    let interval = found.interval().unwrap();
    assert!(close(interval.low, 35_295.0, 1e-4) && close(interval.high, 38_174.0, 1e-4), "{interval:?}");
    assert_eq!((found.by_law, found.estimate, found.reasons), (None, Some(36_734.52), vec![]));
    // What was measured is never excluded, wherever the law runs.
    for (n, rate) in FALLING {
        let found = judged(&FALLING, n, rate);
        assert!(found.extrapolation.interval().unwrap().contains(rate));
        assert_eq!(found.verdict, Supported, "a claim of what was measured at {n}");
    }
    assert_eq!(verdicts(&FALLING, 1.0, [4_300.0, 4_500.0, 4_600.0]), [Supported, Unsupported, Contradicted]);
}

#[test]
fn between_measured_n_a_law_that_does_not_fit_decides_nothing() {
    let found = judged(&FALLING, 34.0, 39_000.0);
    assert_eq!(
        (found.verdict, found.extrapolation.interval(), found.extrapolation.estimate),
        (Unsupported, None, None)
    );
    assert_eq!(verdicts(&FALLING, 34.0, [1_000.0, 140_000.0, 160_000.0]), [Unsupported, Unsupported, Contradicted]);
}

#[test]
fn beyond_the_measurements_support_needs_an_estimate() {
    let rising = &FALLING[..5];
    assert_eq!(verdicts(rising, 32.0, [10_000.0, 45_000.0, 139_000.0]), [Unsupported; 3]);
    assert_eq!(verdicts(rising, 32.0, [150_000.0]), [Contradicted], "beyond linear scaling");
    assert!(judged(rising, 32.0, 45_000.0).extrapolation.estimate.is_none());
    for count in 3..=6 {
        assert_eq!(verdicts(&FALLING[..count], 90.0, [1.0, 60_000.0]), [Unsupported; 2], "{count} points");
    }
}

#[test]
fn repeats_at_one_n_are_the_noise_without_a_fit() {
    let found = judged(&REPEATED, 20.0, 190_000.0);
    let interval = found.extrapolation.interval().unwrap();
    assert!((interval.estimate - 164_489.5).abs() < 0.5, "{interval:?}");
    assert!((interval.low - 123_447.0).abs() < 1.0 && (interval.high - 205_532.0).abs() < 1.0, "{interval:?}");
    assert!(matches!(found.extrapolation.noise.basis, NoiseBasis::Repeats { freedom: 5 }));
    assert_eq!(verdicts(&REPEATED, 20.0, [130_000.0, 155_000.0, 190_000.0]), [Supported, Unsupported, Unsupported]);
    assert_eq!(verdicts(&REPEATED, 20.0, [206_000.0]), [Contradicted]);
    // Elsewhere the same noise widens the set.
    let beyond = judged(&REPEATED, 40.0, 300_000.0);
    assert_eq!((beyond.verdict, beyond.extrapolation.noise), (Unsupported, found.extrapolation.noise));
    assert_eq!(judged(&REPEATED, 40.0, 600_000.0).verdict, Contradicted);
}

#[test]
fn one_run_has_the_stated_noise_and_two_their_own() {
    let one = [(8.0, 1_000.0)];
    assert_eq!(
        verdicts(&one, 8.0, [1_000.0, 1_001.0, 1_039.0, 1_040.0]),
        [Supported, Unsupported, Unsupported, Contradicted]
    );
    // Student's t with one degree of freedom is 12.7.
    let two = [(8.0, 990.0), (8.0, 1_010.0)];
    let found = judged(&two, 8.0, 1_000.0);
    let half = found.extrapolation.interval().unwrap().half();
    assert!(close(half, 12.706 * 10.0, 1e-3), "{half}");
    assert_eq!(found.verdict, Unsupported);
    assert_eq!(
        verdicts(&two, 8.0, [960.0, 990.0, 1_120.0, 1_130.0]),
        [Supported, Unsupported, Unsupported, Contradicted]
    );
    // Two measured N only: the repeats of both are pooled.
    let pooled = [(1.0, 100.0), (1.0, 101.0), (8.0, 700.0), (8.0, 707.0)];
    let found = judged(&pooled, 8.0, 703.0);
    assert!(matches!(found.extrapolation.noise.basis, NoiseBasis::Repeats { freedom: 2 }));
    assert_eq!(found.verdict, Supported);
    assert_eq!(verdicts(&[(1.0, 100.0), (8.0, 700.0)], 8.0, [690.0, 740.0]), [Supported, Contradicted]);
}

#[test]
fn the_scatter_around_a_law_is_not_that_of_a_run() {
    // Around the law by 6 %, each N measured once.
    let rough = [20.0, 78.0, 130.0, 170.0, 190.0, 200.0, 210.0, 230.0, 260.0, 280.0, 310.0];
    let degrees = [1.0, 4.0, 8.0, 12.0, 16.0, 20.0, 24.0, 28.0, 32.0, 48.0, 64.0];
    let rough: Vec<(f64, f64)> = degrees.into_iter().zip(rough).collect();
    let found = judged(&rough, 64.0, 300.0).extrapolation;
    assert!(matches!(found.noise.basis, NoiseBasis::Residuals { freedom: 8 }) && found.noise.of_run > 0.05);
    assert_eq!((found.interval_noise(), found.measured.unwrap().runs), (Noise::stated(0.02), 1));
    assert_eq!(verdicts(&rough, 64.0, [300.0, 312.0, 330.0]), [Supported, Unsupported, Contradicted]);
    // One run among others that were repeated has their noise.
    let repeated: Vec<(f64, f64)> =
        rough[..10].iter().flat_map(|(n, rate)| [0.9, 1.0, 1.1].map(|shaken| (*n, rate * shaken))).collect();
    let repeated: Vec<(f64, f64)> = repeated.into_iter().chain([(64.0, 310.0)]).collect();
    let there = judged(&repeated, 64.0, 300.0).extrapolation.interval_noise();
    assert!(matches!(there.basis, NoiseBasis::Repeats { freedom: 20 }) && close(there.of_run, 0.1, 1e-9), "{there:?}");
}

#[test]
fn a_measurement_of_another_setup_decides_nothing() {
    let differs = Circumstances { differences: vec!["network".to_owned()], ..Circumstances::default() };
    for rate in [36_000.0, 50_000.0] {
        let found = judge(&points(&FALLING), Claim { n: 80.0, rate }, &differs).unwrap();
        assert_eq!((found.verdict, found.extrapolation.estimate), (Unsupported, None));
    }
}

#[test]
fn the_weights_of_a_fit_change_no_measurement() {
    let of = |weights| {
        let points = weighted(&points(&FALLING), weights);
        extrapolation(&points, 80.0, &Circumstances::default()).unwrap().interval().unwrap()
    };
    assert_eq!(of(Weights::Relative), of(Weights::Absolute));
}
