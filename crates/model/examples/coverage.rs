//! Coverage of the intervals and error rates of the verdicts of this crate, simulated:
//! `cargo run --release --example coverage`.
//!
//! One function per table. Each line has the scenario and the observed ratio; the program fails where a ratio is
//! outside the limits of its line. Seeds are fixed: the output is deterministic.

#![allow(clippy::print_stdout, reason = "prints tables")]

#[path = "coverage/calibration.rs"]
mod calibration;
#[path = "coverage/comparison/mod.rs"]
mod comparison;
#[path = "coverage/rate_search.rs"]
mod rate_search;
#[path = "coverage/scalability.rs"]
mod scalability;
#[path = "../src/simulated_server.rs"]
mod simulated_server;
#[path = "../src/simulation.rs"]
mod simulation;
#[path = "coverage/steadiness.rs"]
mod steadiness;

use std::ops::RangeInclusive;
use std::process::ExitCode;
use std::thread;

use dbdyno_model::{
    Section, correlation, mean_interval, order_interval, quantile_interval, rank_sum, shift_interval, signed_rank,
    steadiness_of, walsh_interval,
};
use record::SteadyClass;
use simulation::Simulation;

/// Limits for the coverage of a 95 % interval.
const COVERS: RangeInclusive<f64> = 0.90..=0.98;

fn main() -> ExitCode {
    // They take as long as all others.
    let comparisons = thread::spawn(comparison::tables);
    let mut tables = Tables::default();
    mean_of_a_series(&mut tables);
    quantile_by_sections(&mut tables);
    median_by_order(&mut tables);
    changes_within_a_run(&mut tables);
    changes_in_history(&mut tables);
    changes_in_several_histories(&mut tables);
    steadiness::by_scenario(&mut tables);
    steadiness::by_length(&mut tables);
    steadiness::periods(&mut tables);
    scalability::misfits_of_what_fits(&mut tables);
    scalability::beyond_what_was_measured(&mut tables);
    ratio_of_pairs(&mut tables);
    ratio_without_pairs(&mut tables);
    differences_in_environments(&mut tables);
    rate_search::twice(&mut tables);
    calibration::of_a_noisy_device(&mut tables);
    print!("{}", tables.text);
    let Ok(comparisons) = comparisons.join() else { return ExitCode::FAILURE };
    print!("{}", comparisons.text);
    match tables.missed + comparisons.missed {
        0 => ExitCode::SUCCESS,
        missed => {
            println!("\n{missed} outside the limits");
            ExitCode::FAILURE
        }
    }
}

/// The output so far.
#[derive(Default)]
struct Tables {
    /// What is printed.
    text: String,
    /// Lines outside their limits.
    missed: usize,
}

impl Tables {
    fn begin(&mut self, title: &str) {
        self.text.push_str(&format!("\n{title}\n"));
    }

    /// A ratio, and whether it is within its limits.
    fn line(&mut self, what: &str, share: f64, limits: Option<RangeInclusive<f64>>, remark: &str) {
        let verdict = match &limits {
            None => String::new(),
            Some(limits) if limits.contains(&share) => format!("within {:.3} to {:.3}", limits.start(), limits.end()),
            Some(limits) => {
                self.missed += 1;
                format!("NOT within {:.3} to {:.3}", limits.start(), limits.end())
            }
        };
        self.text.push_str(&format!("  {what:<58} {share:>6.3}  {verdict:<25} {remark}\n"));
    }
}

fn share(count: usize, of: usize) -> f64 {
    count as f64 / of.max(1) as f64
}

/// Autoregressive noise around a known mean. There is no interval where the effective sample size is below ten.
fn mean_of_a_series(tables: &mut Tables) {
    tables.begin("mean of a series: coverage of the true mean");
    let mut simulation = Simulation::new(1);
    let cases = [
        (60, 0.5, None),
        (60, 0.8, None),
        (300, 0.5, Some(COVERS)),
        (300, 0.8, Some(COVERS)),
        (300, 0.95, None),
        (1_800, 0.5, Some(COVERS)),
        (1_800, 0.8, Some(COVERS)),
        (1_800, 0.95, Some(COVERS)),
    ];
    for (count, keep, limits) in cases {
        let runs = 2_000;
        let (mut given, mut held) = (0, 0);
        for _ in 0..runs {
            let series = simulation.noise(count, keep, 100.0, 5.0);
            if let Some(interval) = mean_interval(&series).and_then(|found| found.interval) {
                given += 1;
                held += usize::from(interval.contains(100.0));
            }
        }
        let remark = format!("no interval {:.3}", 1.0 - share(given, runs));
        tables.line(&format!("{count} s, rho {keep}"), share(held, given), limits, &remark);
    }
}

/// Latencies that are log-normal within a second, with medians per second that follow an autoregressive process.
fn quantile_by_sections(tables: &mut Tables) {
    tables.begin("quantile of a run by sections: coverage of the true quantile");
    let mut simulation = Simulation::new(2);
    for (seconds, keep, quantile, limits) in [
        (300, 0.9, 0.5, Some(COVERS)),
        (300, 0.9, 0.99, None),
        (1_800, 0.9, 0.5, Some(COVERS)),
        (1_800, 0.9, 0.99, Some(COVERS)),
        (300, 0.97, 0.5, None),
        (1_800, 0.97, 0.5, None),
        (1_800, 0.97, 0.99, None),
    ] {
        let runs = 200;
        let (level, noise) = (0.2, 0.5f64);
        let z = dbdyno_model::normal_quantile(quantile);
        // The variance of a sum of independent normal variables.
        let truth = (z * (level * level + noise * noise).sqrt()).exp();
        let (mut given, mut held) = (0, 0);
        for _ in 0..runs {
            let levels = simulation.noise(seconds, keep, 0.0, level);
            let mut all: Vec<f64> = Vec::new();
            for level in &levels {
                all.extend((0..100).map(|_| (level + noise * simulation.normal()).exp()));
            }
            let length = all.len() / 10;
            let sections: Vec<Section> = all
                .chunks_exact_mut(length)
                .map(|part| Section { count: part.len() as u64, value: at(part, quantile) })
                .collect();
            let value = at(&mut all, quantile);
            let worth = correlation(&levels).map_or(0.0, |found| found.effective_samples);
            if let Some(interval) = quantile_interval(quantile, value, &sections, worth) {
                given += 1;
                held += usize::from(interval.contains(truth));
            }
        }
        let remark = format!("no interval {:.3}", 1.0 - share(given, runs));
        tables.line(&format!("{seconds} s, rho {keep}, quantile {quantile}"), share(held, given), limits, &remark);
    }
}

/// The value at a quantile.
fn at(values: &mut [f64], quantile: f64) -> f64 {
    let place = ((values.len() as f64 * quantile) as usize).min(values.len() - 1);
    *values.select_nth_unstable_by(place, f64::total_cmp).1
}

/// Independent values of a skewed distribution. The coverage of the interval is known exactly, and never below 0.95.
fn median_by_order(tables: &mut Tables) {
    tables.begin("median of repeats by order statistics: coverage of the true median");
    let mut simulation = Simulation::new(3);
    for (count, exact) in [(6, 0.969), (7, 0.984), (9, 0.961), (10, 0.979), (20, 0.959), (30, 0.957)] {
        let runs = 20_000;
        let held = (0..runs).filter(|_| {
            let values: Vec<f64> = (0..count).map(|_| simulation.normal().exp()).collect();
            order_interval(&values).is_some_and(|interval| interval.contains(1.0))
        });
        let held = share(held.count(), runs);
        tables.line(&format!("{count} repeats"), held, Some(exact - 0.005..=exact + 0.005), "");
    }
}

/// Change points found in stationary noise.
fn changes_within_a_run(tables: &mut Tables) {
    tables.begin("change points within a run of 360 s: false positives in stationary runs");
    let mut simulation = Simulation::new(4);
    for (keep, limit) in [(0.0, Some(0.02)), (0.3, Some(0.02)), (0.5, Some(0.02)), (0.8, Some(0.05)), (0.95, None)] {
        let runs = 1_000;
        let cut = (0..runs).filter(|_| {
            // Around zero no two levels are within 2 % of each other: every change counts.
            steadiness_of(&simulation.noise(360, keep, 0.0, 1.0)).class != SteadyClass::Flat
        });
        tables.line(&format!("rho {keep}"), share(cut.count(), runs), limit.map(|limit| 0.0..=limit), "");
    }
}

/// Independent values, one per record.
fn changes_in_history(tables: &mut Tables) {
    tables.begin("change points in the history of records: ratio of histories with one");
    let mut simulation = Simulation::new(5);
    let runs = 300;
    for (step, limits) in [(0.0, 0.0..=0.02), (2.0, 0.8..=1.0), (3.0, 0.95..=1.0)] {
        let found = (0..runs).filter(|seed| {
            let mut values = simulation.noise(40, 0.0, 100.0, 1.0);
            values[20..].iter_mut().for_each(|value| *value += step);
            !dbdyno_model::history::change_points(&[values], *seed)[0].is_empty()
        });
        let share = share(found.count(), runs as usize);
        tables.line(&format!("40 records, a step of {step} deviations"), share, Some(limits), "");
    }
}

/// Several series that are looked at together: with a change in none, and in one of them.
fn changes_in_several_histories(tables: &mut Tables) {
    tables.begin("change points in 20 series of 40 records: ratio of looks with a change (nominal 0.001)");
    let mut simulation = Simulation::new(13);
    // Where each series had this chance by itself, 2 % of the looks would show a change.
    for (step, looks, limits) in [(0.0, 500, 0.0..=0.005), (3.0, 12, 0.9..=1.0)] {
        let (mut found, mut elsewhere) = (0, 0);
        for seed in 0..looks {
            let mut series: Vec<Vec<f64>> = (0..20).map(|_| simulation.noise(40, 0.0, 100.0, 1.0)).collect();
            series[0][20..].iter_mut().for_each(|value| *value += step);
            let changes = dbdyno_model::history::change_points(&series, seed);
            found += usize::from(!changes[0].is_empty());
            elsewhere += usize::from(changes[1..].iter().any(|changes| !changes.is_empty()));
        }
        let (looks, what) = (looks as usize, format!("a step of {step} deviations in one of them"));
        if step > 0.0 {
            tables.line(&what, share(found, looks), Some(limits), "");
        } else {
            tables.line("no step in any of them", share(found + elsewhere, looks), Some(limits), "");
        }
    }
}

/// Logarithms of ratios around a known median, with normal and with heavy-tailed noise.
fn ratio_of_pairs(tables: &mut Tables) {
    tables.begin("ratio of pairs (Hodges-Lehmann): coverage of the true ratio");
    let mut simulation = Simulation::new(9);
    for pairs in [6, 8, 12, 20] {
        for (noise, tail) in [("normal", 0.0), ("contaminated: 1 in 10 with 5 sigma", 0.1)] {
            let runs = 4_000;
            let held = (0..runs).filter(|_| {
                let deviation = |simulation: &mut Simulation| if simulation.uniform() < tail { 0.05 } else { 0.01 };
                let difference = |_| 0.03 + deviation(&mut simulation) * simulation.normal();
                let differences: Vec<f64> = (0..pairs).map(difference).collect();
                walsh_interval(&differences, 0.95).is_some_and(|interval| interval.contains(0.03))
            });
            tables.line(&format!("{pairs} pairs, {noise}"), share(held.count(), runs), Some(COVERS), "");
        }
    }
}

/// Unpaired repetitions in a stable environment.
fn ratio_without_pairs(tables: &mut Tables) {
    tables.begin("unpaired ratio (Hodges-Lehmann): coverage of the true ratio");
    let mut simulation = Simulation::new(10);
    for (base, other) in [(4, 4), (5, 5), (6, 10), (10, 10), (20, 20)] {
        let runs = 4_000;
        let held = (0..runs).filter(|_| {
            let (base, other) = (simulation.noise(base, 0.0, 0.0, 0.01), simulation.noise(other, 0.0, 0.03, 0.01));
            shift_interval(&base, &other, 0.95).is_some_and(|interval| interval.contains(0.03))
        });
        tables.line(&format!("{base} and {other}"), share(held.count(), runs), Some(COVERS), "");
    }
}

/// Effects of the environment on the logarithm of the rate in twenty consecutive trials.
type Environment = fn(&mut Simulation) -> Vec<f64>;

/// Ten and ten trials with noise of 1 % in four environments: false positives for equal systems, and the power to
/// detect a difference of 2 %, sequential (AAAABBBB) and in pairs in random order.
fn differences_in_environments(tables: &mut Tables) {
    tables.begin("10 and 10 trials: false positives for equal systems, power for a difference of 2 %");
    let mut simulation = Simulation::new(11);
    let environments: [(&str, Environment); 4] = [
        ("stable", |_| vec![0.0; 20]),
        ("6 % linear drift", |_| (0..20).map(|at| 0.06 * f64::from(at) / 19.0).collect()),
        ("autocorrelated noise of 3 %", |simulation| simulation.noise(20, 0.9, 0.0, 0.03)),
        ("two levels 4 % apart", |simulation| {
            let mut level = 0.04;
            let mut next = |simulation: &mut Simulation| {
                level *= if simulation.uniform() < 0.2 { -1.0 } else { 1.0 };
                level
            };
            (0..20).map(|_| next(simulation)).collect()
        }),
    ];
    for (name, environment) in environments {
        let runs = 2_000;
        // Differences found between equal systems, and where one is 2 % faster.
        let (mut sequential, mut paired) = ([0, 0], [0, 0]);
        for (at, effect) in [0.0, 0.02].into_iter().enumerate() {
            for _ in 0..runs {
                let noisy: Vec<f64> =
                    environment(&mut simulation).iter().map(|level| level + 0.01 * simulation.normal()).collect();
                let later: Vec<f64> = noisy[10..].iter().map(|rate| rate + effect).collect();
                let apart = rank_sum(&noisy[..10], &later).is_some_and(|test| test.p_value <= 0.05);
                let differences: Vec<f64> = noisy
                    .chunks(2)
                    .map(|pair| effect + (pair[1] - pair[0]) * if simulation.uniform() < 0.5 { 1.0 } else { -1.0 })
                    .collect();
                sequential[at] += usize::from(apart);
                paired[at] += usize::from(signed_rank(&differences).is_some_and(|test| test.p_value <= 0.05));
            }
        }
        let found = |count: [usize; 2]| format!("power {:.3}", share(count[1], runs));
        tables.line(&format!("{name}, sequential"), share(sequential[0], runs), None, &found(sequential));
        tables.line(&format!("{name}, pairs"), share(paired[0], runs), Some(0.0..=0.065), &found(paired));
    }
}
