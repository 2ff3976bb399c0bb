//! Sweeps with known answers: weights, kinds of limit, misfit, and one noise for all intervals.

use super::*;

fn points(of: &[(f64, f64)]) -> Vec<LoadPoint> {
    of.iter().map(|(n, rate)| LoadPoint::new(*n, *rate)).collect()
}

fn fitted(of: &[(f64, f64)], weights: Weights) -> Fit {
    fit(&weighted(&points(of), weights)).unwrap()
}

/// A server with a change of slope beyond 20: the law does not fit.
const CONCAVE: [(f64, f64); 32] = [
    (1.0, 955.16),
    (2.0, 1878.91),
    (3.0, 2688.01),
    (4.0, 3548.68),
    (5.0, 4315.54),
    (6.0, 5130.43),
    (7.0, 5931.37),
    (8.0, 6531.08),
    (9.0, 7219.8),
    (10.0, 7867.61),
    (11.0, 8278.71),
    (12.0, 8646.7),
    (13.0, 9047.84),
    (14.0, 9426.55),
    (15.0, 9645.37),
    (16.0, 9897.24),
    (17.0, 10097.6),
    (18.0, 10240.5),
    (19.0, 10532.39),
    (20.0, 10798.52),
    (21.0, 11151.43),
    (22.0, 11518.63),
    (23.0, 11806.0),
    (24.0, 12089.37),
    (25.0, 12075.41),
    (26.0, 12177.29),
    (27.0, 12211.41),
    (28.0, 12158.93),
    (29.0, 12155.27),
    (30.0, 12118.04),
    (31.0, 12140.4),
    (32.0, 12074.39),
];

/// SPEC SDM 91 on a Sun SPARCcenter 2000, the data set `specsdm91` of the R package `usl`.
const SDM: [(f64, f64); 7] =
    [(1.0, 64.9), (18.0, 995.9), (36.0, 1652.4), (72.0, 1853.2), (108.0, 1828.9), (144.0, 1775.0), (216.0, 1702.2)];

/// A ray tracer (Gunther, Guerrilla Capacity Planning, 2007), the data set `raytracer` of the R package `usl`.
const TRACER: [(f64, f64); 11] = [
    (1.0, 20.0),
    (4.0, 78.0),
    (8.0, 130.0),
    (12.0, 170.0),
    (16.0, 190.0),
    (20.0, 200.0),
    (24.0, 210.0),
    (28.0, 230.0),
    (32.0, 260.0),
    (48.0, 280.0),
    (64.0, 310.0),
];

/// Gunther's example of six loads, rounded to four decimals: it follows the law with 2 % each.
const EXACT: [(f64, f64); 6] = [(1.0, 1.0), (2.0, 1.8868), (4.0, 3.0769), (6.0, 3.5294), (8.0, 3.5398), (10.0, 3.3557)];

#[test]
fn weights_decide_the_coefficients() {
    let coefficients = |weights| {
        let fit = fitted(&CONCAVE, weights);
        [fit.contention, fit.coherency, fit.per_unit]
    };
    let expected = [(Weights::Absolute, [0.02672, 7.691e-4, 995.6]), (Weights::Relative, [0.02063, 8.861e-4, 960.2])];
    for (weights, expected) in expected {
        let found = coefficients(weights);
        assert!(found.iter().zip(expected).all(|(found, expected)| close(*found, expected, 4e-4)), "{found:?}");
    }
}

#[test]
fn published_coefficients_come_out_with_absolute_weights_and_a_fitted_rate_of_one() {
    let fit = fitted(&SDM, Weights::Absolute);
    assert!((fit.contention - 0.0277285).abs() < 5e-8, "{}", fit.contention);
    assert!((fit.coherency - 0.0001044).abs() < 5e-8, "{}", fit.coherency);
    assert!((fit.per_unit - 89.9952).abs() < 5e-5, "not the rate measured at 1, 64.9: {}", fit.per_unit);
    let relative = fitted(&SDM, Weights::Relative);
    assert!((relative.contention - 0.0135152).abs() < 5e-8 && close(relative.per_unit, 67.709, 1e-5), "{relative:?}");
    let tracer = fitted(&TRACER[..6], Weights::Absolute);
    assert!((tracer.contention - 0.0244440).abs() < 5e-8 && (tracer.coherency - 0.00162681).abs() < 5e-9);
}

#[test]
fn the_scale_of_weights_changes_no_interval() {
    let raw: Vec<LoadPoint> =
        points(&SDM).iter().map(|point| LoadPoint { weight: point.rate.powi(2), ..*point }).collect();
    let intervals = |points: &[LoadPoint]| {
        let fit = fit(points).unwrap();
        fit.intervals(of_residuals(&fit)).unwrap()
    };
    let (raw, scaled) = (intervals(&raw), intervals(&weighted(&points(&SDM), Weights::Absolute)));
    for (raw, scaled) in raw.iter().zip(scaled) {
        assert!(close(raw.low, scaled.low, 1e-6) && close(raw.high, scaled.high, 1e-6), "{raw:?} {scaled:?}");
    }
}

#[test]
fn without_significant_coherency_there_is_a_ceiling_and_no_peak() {
    let found = scalability(&points(&TRACER)).unwrap();
    let Limit::Ceiling(ceiling) = found.limit else { panic!("{:?}", found.limit) };
    assert!(close(ceiling.rate.estimate, found.fit.per_unit / found.fit.contention, 1e-12));
    assert!((380.0..385.0).contains(&ceiling.rate.estimate) && !ceiling.is_reached, "{ceiling:?}");
    assert!(ceiling.rate.low < 360.0 && ceiling.rate.high > 405.0, "{ceiling:?}");
    assert!(found.peak().is_none() && found.notes.contains(&Note::InsignificantCoherency), "{:?}", found.notes);
}

#[test]
fn a_limit_is_known_as_far_as_coefficients_are_significant() {
    let law = |s: f64, k: f64, degrees: &[f64]| -> Vec<(f64, f64)> {
        degrees.iter().map(|n| (*n, 100.0 * n / (1.0 + s * (n - 1.0) + k * n * (n - 1.0)))).collect()
    };
    let limit = |of: &[(f64, f64)]| scalability(&points(of)).unwrap().limit;
    let degrees = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];
    assert!(matches!(limit(&law(0.02, 2e-3, &degrees)), Limit::Peak(Peak { is_measured: true, .. })));
    assert!(matches!(limit(&law(0.05, 0.0, &degrees)), Limit::Ceiling(_)));
    let insignificant = Limit::Unknown(UnknownLimit::Insignificant);
    assert_eq!(limit(&law(0.0, 0.0, &degrees)), insignificant, "linear");
    assert_eq!(limit(&law(0.002, 1e-5, &degrees[..5])), insignificant);
    // Three degrees determine any law.
    assert_eq!(limit(&law(0.02, 2e-3, &[1.0, 16.0, 64.0])), Limit::Unknown(UnknownLimit::FewDegrees));
    for count in 4..=6 {
        let found = scalability(&points(&law(0.02, 2e-3, &degrees[..count]))).unwrap();
        assert_eq!((found.noise, found.misfits().count()), (Some(Noise::stated(0.02)), 0), "{count}");
        let coherency = found.intervals().unwrap()[2];
        assert_eq!(found.peak().is_some(), coherency.low > 0.0, "{count}");
        assert!(found.curve.iter().all(|point| point.band.is_some_and(|band| band.half() > 0.0)), "{count}");
    }
    // The rate of one is too low: contention would be negative.
    let cold = [(1.0, 60.0), (2.0, 190.0), (4.0, 380.0), (8.0, 720.0), (16.0, 1_350.0), (32.0, 2_400.0)];
    let cold = scalability(&points(&cold)).unwrap();
    assert!(cold.fit.superlinear.is_some() && !matches!(cold.limit, Limit::Ceiling(_)), "{cold:?}");
}

#[test]
fn where_the_law_does_not_fit_nothing_is_said_by_it_but_where() {
    let found = scalability(&points(&CONCAVE)).unwrap();
    assert_eq!((found.limit, found.noise), (Limit::Unknown(UnknownLimit::Misfit), None));
    assert!(found.intervals().is_none() && found.curve.iter().all(|point| point.band.is_none()));
    let misfits: Vec<&Misfit> = found.misfits().collect();
    let Some(Misfit::Beside(sides)) = misfits.last() else { panic!("{misfits:?}") };
    assert!(misfits.iter().any(|misfit| matches!(misfit, Misfit::Runs { p_value } if *p_value < 0.001)));
    let side = |is_above, from: f64, to: f64| Side { is_above, from: Some(from), to: Some(to) };
    assert!(sides.contains(&side(true, 6.0, 14.0)) && sides.contains(&side(false, 15.0, 21.0)), "{sides:?}");
    // The reasons against an estimate name the same misfits.
    let reasons = extrapolation(&points(&CONCAVE), 40.0, &Circumstances::default()).unwrap().reasons;
    let reasons: Vec<&Misfit> = reasons
        .iter()
        .filter_map(|reason| if let Reason::Misfit(misfit) = reason { Some(misfit) } else { None })
        .collect();
    assert_eq!(reasons, misfits);
}

#[test]
fn all_bands_have_one_noise_and_none_is_certain() {
    let exact = scalability(&points(&EXACT)).unwrap();
    let there = extrapolation(&points(&EXACT), 9.0, &Circumstances::default()).unwrap();
    assert_eq!((exact.noise, there.noise), (Some(Noise::stated(0.02)), Noise::stated(0.02)), "residuals are smaller");
    let (band, by_law) = (exact.band(9.0).unwrap(), there.by_law.unwrap());
    assert!(close(band.low, by_law.low, 2e-3) && close(band.high, by_law.high, 2e-3), "{band:?} {by_law:?}");
    assert!(band.half() / band.estimate > 0.01 && exact.intervals().unwrap()[0].half() > 0.01);
    // Residuals beyond 2 % replace it, in both.
    let rough: Vec<(f64, f64)> =
        EXACT.iter().zip([1.05, 0.94, 1.04, 0.96, 1.06, 0.95]).map(|((n, rate), shaken)| (*n, rate * shaken)).collect();
    let rough = (scalability(&points(&rough)), extrapolation(&points(&rough), 9.0, &Circumstances::default()));
    let (curve, there) = (rough.0.unwrap(), rough.1.unwrap());
    assert!(matches!(there.noise.basis, NoiseBasis::Residuals { freedom: 3 }) && there.noise.of_run > 0.05);
    assert_eq!(curve.noise, Some(there.noise));
}

#[test]
fn repeats_are_the_noise_and_lack_of_fit_counts_free_coefficients() {
    let shaken = |n: f64| [0.97, 1.0, 1.03].map(|shaken| (n, shaken * 100.0 * n / (1.0 + 0.05 * (n - 1.0))));
    let repeated: Vec<(f64, f64)> = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0].into_iter().flat_map(shaken).collect();
    let found = scalability(&points(&repeated)).unwrap().noise.unwrap();
    assert!(matches!(found.basis, NoiseBasis::Repeats { freedom: 12 }) && close(found.of_run, 0.03, 1e-9), "{found:?}");
    // A single pair says little of it; the residuals, which include it, say more.
    let mut pair = points(&EXACT);
    pair.push(LoadPoint::new(4.0, 3.2));
    let paired = scalability(&pair).unwrap().noise.unwrap();
    assert!(matches!(paired.basis, NoiseBasis::Residuals { freedom: 4 }) && paired.of_run > 0.015, "{paired:?}");
    // A wall at three N: one coefficient is free, so that two degrees of freedom remain.
    let wall =
        [1.0, 2.0, 4.0].into_iter().flat_map(|n: f64| [0.99, 1.0, 1.01].map(|shaken| (n, shaken * (n * n).min(9.0))));
    let wall = scalability(&points(&wall.collect::<Vec<_>>())).unwrap();
    assert_eq!(wall.fit.form, Form::Linear);
    assert!(wall.misfits().any(|misfit| matches!(misfit, Misfit::LackOfFit { .. })), "{:?}", wall.notes);
}

#[test]
fn a_peak_that_is_not_there_is_seldom_named_and_bands_hold_the_truth() {
    let mut random = Simulation::new(21);
    let amdahl = |n: f64| 1_000.0 * n / (1.0 + 0.05 * (n - 1.0));
    let degrees = [1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 24.0, 32.0];
    let (mut peaks, mut held, mut shown, mut contradicted) = (0, 0, 0, 0);
    let replications = 200;
    for replication in 0..replications {
        // Runs that scatter less and more than is assumed.
        let noise = if replication % 2 == 0 { 0.01 } else { 0.04 };
        let rates = degrees.map(|n| LoadPoint::new(n, amdahl(n) * (1.0 + noise * random.normal())));
        let found = scalability(&rates).unwrap();
        peaks += usize::from(found.peak().is_some());
        if let Some(band) = found.band(20.0) {
            shown += 1;
            held += usize::from(band.contains(amdahl(20.0)));
        }
        let claim = Claim { n: 48.0, rate: amdahl(48.0) };
        let judged = judge(&rates, claim, &Circumstances::default()).unwrap();
        contradicted += usize::from(judged.verdict != ClaimVerdict::Unsupported);
    }
    assert!(peaks <= 10, "{peaks} of {replications}, 2.5 % are expected");
    assert!(shown > replications * 3 / 4 && held * 100 >= shown * 92, "{held} of {shown} of {replications}");
    assert_eq!(contradicted, 0, "single runs give no estimate");
}
