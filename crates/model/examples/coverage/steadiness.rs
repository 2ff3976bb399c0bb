//! Error rates of the steadiness verdict.

use std::ops::RangeInclusive;

use dbdyno_model::{Steadiness, steadiness_of};
use record::SteadyVerdict;

use crate::simulation::Simulation;
use crate::{Tables, share};

type Shape = fn(f64) -> f64;

fn judge(
    simulation: &mut Simulation,
    count: usize,
    keep: f64,
    variation: f64,
    shape: impl Fn(f64) -> f64,
) -> Steadiness {
    let noise = simulation.noise(count, keep, 1_000.0, 1_000.0 * variation);
    let rates: Vec<f64> = noise.iter().enumerate().map(|(at, rate)| rate.max(0.0) * shape(at as f64)).collect();
    steadiness_of(&rates)
}

/// 1800 s, rho 0.6, a coefficient of variation of 5 %.
pub(crate) fn by_scenario(tables: &mut Tables) {
    tables.begin("steadiness of 1800 s, rho 0.6, CV 5 %: ratio of steady verdicts");
    let mut simulation = Simulation::new(6);
    let scenarios: [(&str, Shape, RangeInclusive<f64>); 10] = [
        ("flat", |_| 1.0, 0.95..=1.0),
        ("warm-up, tau 60 s, from -40 %", |at| 1.0 - 0.4 * (-at / 60.0).exp(), 0.95..=1.0),
        ("warm-up, tau 300 s, from -40 %", |at| 1.0 - 0.4 * (-at / 300.0).exp(), 0.0..=0.9),
        ("step at 120 s, from -30 %", |at| if at < 120.0 { 0.7 } else { 1.0 }, 0.95..=1.0),
        ("ramp of 300 s", |at| 0.6 + 0.4 * (at / 300.0).min(1.0), 0.95..=1.0),
        ("credits: +50 % for 400 s", |at| if at < 400.0 { 1.5 } else { 1.0 }, 0.95..=1.0),
        ("dips: 10 of 120 s at -20 %", |at| if at % 120.0 < 10.0 { 0.8 } else { 1.0 }, 0.9..=1.0),
        ("drift of 5 %", |at| 1.0 + 0.05 * at / 1_800.0, 0.0..=0.5),
        ("drift of 20 %", |at| 1.0 + 0.2 * at / 1_800.0, 0.0..=0.02),
        ("collapse to -25 % at 1260 s", |at| if at < 1_260.0 { 1.0 } else { 0.75 }, 0.0..=0.02),
    ];
    for (name, shape, limits) in scenarios {
        let runs = 100;
        let found: Vec<Steadiness> = (0..runs).map(|_| judge(&mut simulation, 1_800, 0.6, 0.05, shape)).collect();
        let steady = found.iter().filter(|found| found.verdict.is_steady());
        tables.line(name, share(steady.count(), runs), Some(limits), &summary(&found));
    }
}

/// The median warm-up cut and rate, 1000 in the steady state, and the verdicts.
fn summary(found: &[Steadiness]) -> String {
    let steady: Vec<&Steadiness> = found.iter().filter(|found| found.verdict.is_steady()).collect();
    let cuts: Vec<f64> = steady.iter().map(|found| found.counted.start as f64).collect();
    let rates: Vec<f64> = steady.iter().map(|found| found.rate).collect();
    let cut = match (dbdyno_model::median(&cuts), dbdyno_model::mean(&rates)) {
        (Some(cut), Some(rate)) => format!("cut {cut:.0} s, rate {rate:.0}"),
        _ => "no rate".to_owned(),
    };
    let verdicts = [
        SteadyVerdict::Steady,
        SteadyVerdict::WarmupCut,
        SteadyVerdict::Slowdown,
        SteadyVerdict::Drifting,
        SteadyVerdict::NotSteady,
        SteadyVerdict::Inconclusive,
    ];
    let counts = verdicts.map(|verdict| (verdict, found.iter().filter(|found| found.verdict == verdict).count()));
    let counts: Vec<String> = counts
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(verdict, count)| format!("{} {count}", verdict.word()))
        .collect();
    format!("{cut}; {}", counts.join(", "))
}

/// Noise without a period, and dips that come back.
pub(crate) fn periods(tables: &mut Tables) {
    tables.begin("period of the rate: ratio of runs with one, in noise (nominal 0.05) and with dips");
    let mut simulation = Simulation::new(12);
    let has_period = |rates: &[f64]| steadiness_of(rates).period_seconds.is_some();
    for count in [60, 120, 300, 1_800] {
        for keep in [0.0, 0.6, 0.9] {
            let runs = 300;
            let found = (0..runs).filter(|_| has_period(&simulation.noise(count, keep, 1_000.0, 50.0)));
            // Two standard deviations above the nominal chance.
            tables.line(&format!("{count} s, rho {keep}, noise"), share(found.count(), runs), Some(0.0..=0.075), "");
        }
    }
    for (count, keep, variation) in [(300, 0.6, 0.05), (1_800, 0.6, 0.05)] {
        let runs = 100;
        let dips = |at: f64| if at % 60.0 < 10.0 { 0.8 } else { 1.0 };
        let found = (0..runs).filter(|_| {
            let period = judge(&mut simulation, count, keep, variation, dips).period_seconds;
            period.is_some_and(|period| period % 60 <= 2 || period % 60 >= 58)
        });
        let what = format!("{count} s, rho {keep}, CV {:.0} %, 10 of 60 s at -20 %", variation * 100.0);
        tables.line(&what, share(found.count(), runs), Some(0.9..=1.0), "");
    }
}

/// A warm-up of a twentieth of the run, one of a quarter, and a drift of 20 %, by length of the run.
pub(crate) fn by_length(tables: &mut Tables) {
    tables.begin("steadiness by length: ratio of steady verdicts");
    let mut simulation = Simulation::new(7);
    let cases = [
        (60, 0.3, 0.03),
        (60, 0.6, 0.05),
        (60, 0.9, 0.05),
        (120, 0.6, 0.05),
        (300, 0.3, 0.03),
        (300, 0.6, 0.05),
        (300, 0.9, 0.05),
        (7_200, 0.6, 0.05),
        (7_200, 0.9, 0.05),
    ];
    for (count, keep, variation) in cases {
        let length = count as f64;
        let runs = if count > 1_000 { 60 } else { 200 };
        let shapes: [(&str, &dyn Fn(f64) -> f64); 4] = [
            ("flat", &|_| 1.0),
            ("warm-up n/20", &|at| 1.0 - 0.4 * (-at / (length / 20.0)).exp()),
            ("warm-up n/4", &|at| 1.0 - 0.4 * (-at / (length / 4.0)).exp()),
            ("drift 20 %", &|at| 1.0 + 0.2 * at / length),
        ];
        for (name, shape) in shapes {
            let found: Vec<Steadiness> =
                (0..runs).map(|_| judge(&mut simulation, count, keep, variation, shape)).collect();
            let steady = found.iter().filter(|found| found.verdict.is_steady()).count();
            let limits = match (count, name) {
                (7_200, "drift 20 %") => Some(0.0..=0.02),
                (7_200, "flat" | "warm-up n/20") => Some(0.95..=1.0),
                _ => None,
            };
            let what = format!("{count} s, rho {keep}, CV {:.0} %, {name}", variation * 100.0);
            tables.line(&what, share(steady, runs), limits, &summary(&found));
        }
    }
}
