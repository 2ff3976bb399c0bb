//! Calibrations of a device whose bound is met by chance.

use dbdyno_model::{CalibrationSearch, LevelRun, median, normal_quantile, result_level};

use crate::simulation::Simulation;
use crate::{Tables, share};

/// I/Os in flight at which half of the runs meet the bound.
const LIMIT: f64 = 96.0;

/// I/Os in flight at which the device gives half of its rate.
const KNEE: f64 = 24.0;

/// Deviation of the rate of a run, and of its quantile of the latency, as logarithms.
const NOISE: (f64, f64) = (0.02, 0.2);

/// The mean rate at a level, as a share of the highest one.
fn rate(level: f64) -> f64 {
    level / (level + KNEE)
}

/// The logarithm of the latency at a level, over that at the limit: the latency is the level over the rate.
fn latency(level: f64) -> f64 {
    ((level + KNEE) / (LIMIT + KNEE)).ln()
}

/// One calibration: its runs.
fn calibrate(simulation: &mut Simulation, disturbed: f64) -> Vec<LevelRun> {
    let mut search = CalibrationSearch::new(1, 1_024);
    let mut runs = Vec::new();
    while let Some(level) = search.next() {
        let is_valid = simulation.uniform() >= disturbed;
        // Other programs take a fifth of the device.
        let slowed = if is_valid { 1.0f64 } else { 0.8 };
        let rate = slowed * rate(f64::from(level)) * (NOISE.0 * simulation.normal()).exp();
        let kept = latency(f64::from(level)) - slowed.ln() + NOISE.1 * simulation.normal() <= 0.0;
        search.record(level, rate, Some(kept));
        runs.push(LevelRun { level, rate, kept: Some(kept), is_valid });
    }
    runs
}

/// What is said of the bound, and the rate, against what most runs at each level do.
pub(crate) fn of_a_noisy_device(tables: &mut Tables) {
    tables.begin("calibration: ratio of results that are said to meet a bound which 3 of 4 runs there miss");
    // Of the runs at this level one in four meets the bound.
    let far = (LIMIT + KNEE) * (NOISE.1 * normal_quantile(0.75)).exp() - KNEE;
    for (name, disturbed, near_min, seed) in [("quiet", 0.0, 0.95, 30), ("1 run in 3 disturbed", 1.0 / 3.0, 0.89, 31)] {
        let runs = 2_000;
        let mut simulation = Simulation::new(seed);
        let (mut wrong, mut met, mut ratios, mut levels) = (0, 0, Vec::new(), 0);
        for _ in 0..runs {
            let measured = calibrate(&mut simulation, disturbed);
            let Some(level) = result_level(&measured) else { continue };
            let at = || measured.iter().filter(|run| run.level == level && run.is_valid);
            let kept = at().filter(|run| run.kept == Some(true)).count();
            let is_met = 2 * kept > at().count();
            met += usize::from(is_met);
            wrong += usize::from(is_met && f64::from(level) > far);
            levels += usize::from(at().count() >= 3);
            ratios.push(median(&at().map(|run| run.rate).collect::<Vec<f64>>()).unwrap_or_default() / rate(LIMIT));
        }
        let remark = format!("met {:.3}, from 3 runs and more {:.3}", share(met, runs), share(levels, runs));
        tables.line(name, share(wrong, runs), Some(0.0..=0.02), &remark);
        let near = ratios.iter().filter(|ratio| (0.9..=1.05).contains(*ratio)).count();
        let remark = format!("median {:.3}", median(&ratios).unwrap_or_default());
        tables.line(&format!("{name}, rate within -10, +5 %"), share(near, runs), Some(near_min..=1.0), &remark);
    }
}
