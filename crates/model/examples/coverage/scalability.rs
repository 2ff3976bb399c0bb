//! Extrapolation of rates.

use dbdyno_model::median;
use dbdyno_model::scalability::{LoadPoint, Misfit, Noise, Profile, fit, scalability};

use crate::simulation::Simulation;
use crate::{COVERS, Tables, share};

/// Systems that the law fits, three runs at each of eight N with multiplicative noise of 2 %. The coefficients of a linear
/// one are at their bounds, so that the fit leaves more of the noise in the residuals.
pub(crate) fn misfits_of_what_fits(tables: &mut Tables) {
    tables.begin("scalability, three runs at each of eight N: ratio of sweeps with a misfit that is none");
    let laws: [(&str, [f64; 2]); 3] =
        [("linear", [0.0, 0.0]), ("serial 2 %", [0.02, 0.0]), ("serial 2 %, crosstalk", [0.02, 2e-4])];
    for ((name, [contention, coherency]), seed) in laws.into_iter().zip(20..) {
        let law = |n: f64| 1_000.0 * n / (1.0 + contention * (n - 1.0) + coherency * n * (n - 1.0));
        let runs = 4_000;
        // Lack of fit, outliers, curvature; changes of sign.
        let mut found = [0; 4];
        let mut simulation = Simulation::new(seed);
        for _ in 0..runs {
            let repeats = (0..8).flat_map(|power| [f64::from(1u32 << power); 3]);
            let points: Vec<LoadPoint> =
                repeats.map(|n| LoadPoint::new(n, law(n) * (1.0 + 0.02 * simulation.normal()))).collect();
            let Some(scalability) = scalability(&points) else { continue };
            for misfit in scalability.misfits() {
                match misfit {
                    Misfit::LackOfFit { .. } => found[0] += 1,
                    Misfit::Outlier { .. } => found[1] += 1,
                    Misfit::Curved => found[2] += 1,
                    Misfit::Runs { .. } => found[3] += 1,
                    Misfit::Beside(_) => {}
                }
            }
        }
        let tests = ["lack of fit", "outlier", "curvature", "changes of sign"];
        for ((test, found), nominal) in tests.into_iter().zip(found).zip([0.01, 0.01, 0.01, 0.05]) {
            let remark = format!("nominal {nominal}");
            tables.line(&format!("{name}, {test}"), share(found, runs), Some(0.0..=1.5 * nominal), &remark);
        }
    }
}

/// The Universal Scalability Law, measured up to 16 with multiplicative noise of 2 %, one run each.
pub(crate) fn beyond_what_was_measured(tables: &mut Tables) {
    tables.begin("scalability, fitted up to 16: coverage of the true rate by bands and profiles");
    let law = |n: f64| 1_000.0 * n / (1.0 + 0.02 * (n - 1.0) + 2e-4 * n * (n - 1.0));
    let targets = [24.0, 32.0, 64.0, 128.0];
    let (mut band, mut profile, mut widths) = ([0; 4], [0; 4], [const { Vec::new() }; 4]);
    let runs = 1_000;
    let mut simulation = Simulation::new(8);
    for _ in 0..runs {
        let measured = [1.0, 2.0, 4.0, 8.0, 12.0, 16.0].map(|n| (n, law(n) * (1.0 + 0.02 * simulation.normal())));
        let points = measured.map(|(n, rate)| LoadPoint::new(n, rate));
        let Some(fit) = fit(&points) else { continue };
        let Some(run_width) = Noise::of_residuals(&fit).map(Noise::half_width) else { continue };
        for (at, n) in targets.into_iter().enumerate() {
            let held = fit.band(n, run_width).is_some_and(|band| band.contains(law(n)));
            band[at] += usize::from(held);
            let set = Profile::new(&points, n, run_width);
            profile[at] += usize::from(set.is_some_and(|set| set.contains(law(n))));
            widths[at].extend(fit.log_half_width(n, run_width));
        }
    }
    for (at, n) in targets.into_iter().enumerate() {
        let width = median(&widths[at]).unwrap_or_default().exp();
        let remark = format!("median half-width x{width:.2}");
        tables.line(&format!("delta on the logarithm, N = {n}"), share(band[at], runs), Some(COVERS), &remark);
        tables.line(&format!("profile, N = {n}"), share(profile[at], runs), Some(COVERS), "");
    }
}
