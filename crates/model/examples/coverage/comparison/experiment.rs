//! Made-up systems with known rates.

use dbdyno_model::{
    CompareOptions, ComparedTest, Comparison, ComparisonVerdict, Degree, Durability, MeasuredRate, Origin, Paired,
    System, SystemPoint, SystemTest, compare,
};
use record::{Dop, Layer, Pace, Preset, Rate, Sweep, Timestamp, Unit};

use crate::simulation::Simulation;

/// The margin of equivalence.
pub(super) const MARGIN: f64 = 0.02;

/// A test with the rates of each degree of parallelism.
pub(super) fn test(code: &str, degrees: &[Vec<f64>]) -> SystemTest {
    let point = |(rates, jobs): (&Vec<f64>, u32)| {
        let rates = rates.iter().zip(1..).map(|(rate, repeat)| MeasuredRate { repeat, per_second: Rate(*rate) });
        let degree = Degree { dop: Dop::jobs(jobs), in_flight: None };
        SystemPoint { degree, rates: rates.collect(), ..SystemPoint::default() }
    };
    SystemTest {
        is_probe: false,
        code: code.to_owned(),
        title: String::new(),
        layer: Some(Layer::Server),
        unit: Unit::Row,
        sweep: Sweep::Jobs,
        pace: Pace::Unthrottled,
        data_bytes: None,
        changes: Some(false),
        parameters: Default::default(),
        conditions: Vec::new(),
        points: degrees.iter().zip(1..).map(point).collect(),
        verdict: None,
        warnings: Vec::new(),
        note: None,
    }
}

fn system(name: &str, paired_with: Option<&str>, tests: Vec<SystemTest>) -> System {
    System {
        name: name.to_owned(),
        title: String::new(),
        origin: Origin::Measured {
            started_at: Timestamp::default(),
            version: String::new(),
            preset: Preset::Standard,
            paired: paired_with.map(|with| Paired {
                with: with.to_owned(),
                plan_hash: None,
                control_probe: None,
                loads_beside: Vec::new(),
            }),
        },
        facts: Vec::new(),
        durability: Some(Durability { durable: Some(true), words: String::new(), shown: None }),
        tests,
        limits: Vec::new(),
        remarks: Vec::new(),
        price: None,
        claims: Vec::new(),
        tables: Vec::new(),
    }
}

/// Two sides that were measured in turns, compared.
pub(super) fn paired([base, other]: [Vec<SystemTest>; 2]) -> Comparison {
    compared([system("a", Some("b"), base), system("b", Some("a"), other)])
}

/// Two systems that were measured one after the other, compared.
pub(super) fn unpaired([base, other]: [Vec<SystemTest>; 2]) -> Comparison {
    compared([system("a", None, base), system("b", None, other)])
}

fn compared(systems: [System; 2]) -> Comparison {
    compare(&systems, CompareOptions { margin: MARGIN, ..CompareOptions::default() })
}

/// How the other system stands in each test.
pub(super) fn tests(comparison: &Comparison) -> impl Iterator<Item = &ComparedTest> {
    comparison.tests.iter().filter_map(|test| test.compared_tests[1].as_ref())
}

/// The verdict of each test.
pub(super) fn verdicts(comparison: &Comparison) -> impl Iterator<Item = ComparisonVerdict> {
    tests(comparison).filter_map(|test| test.outcome.verdict())
}

/// `count` rates around 1000 times `ratio`; logarithms have the standard deviation `deviation`.
pub(super) fn rates(simulation: &mut Simulation, count: usize, ratio: f64, deviation: f64) -> Vec<f64> {
    (0..count).map(|_| 1000.0 * ratio * (deviation * simulation.normal()).exp()).collect()
}

/// Rates of both sides of `count` pairs. The machine is another one in each pair, by 10 %, for both; logarithms of ratios
/// have the standard deviation `deviation`.
pub(super) fn pairs(simulation: &mut Simulation, count: usize, ratio: f64, deviation: f64) -> [Vec<f64>; 2] {
    let single = deviation / std::f64::consts::SQRT_2;
    let mut sides = [Vec::new(), Vec::new()];
    for _ in 0..count {
        let machine = 1000.0 * (0.1 * simulation.normal()).exp();
        sides[0].push(machine * (single * simulation.normal()).exp());
        sides[1].push(machine * ratio * (single * simulation.normal()).exp());
    }
    sides
}

/// Tests of both sides, one for each of `ratios`, at one degree.
pub(super) fn paired_tests(
    simulation: &mut Simulation,
    count: usize,
    ratios: &[f64],
    deviation: f64,
) -> [Vec<SystemTest>; 2] {
    let mut sides = [Vec::new(), Vec::new()];
    for (ratio, at) in ratios.iter().zip(0..) {
        let rates = pairs(simulation, count, *ratio, deviation);
        for (side, rates) in sides.iter_mut().zip(rates) {
            side.push(test(&format!("T{at}"), &[rates]));
        }
    }
    sides
}
