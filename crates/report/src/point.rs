//! What several views ask of a point of a test on a system.

use model::{SystemPoint, SystemTest};
use record::Sweep;

/// The median of the rates of the repeats, see [`SystemPoint::median`].
pub(crate) fn median_rate(point: &SystemPoint) -> Option<f64> {
    point.median().map(|rate| rate.0)
}

/// The point with the highest median, and that rate.
pub(crate) fn best(test: &SystemTest) -> Option<(&SystemPoint, f64)> {
    let points = test.points.iter().filter_map(|point| Some((point, median_rate(point)?)));
    points.reduce(|best, point| if point.1 > best.1 { point } else { best })
}

/// How much goes on at once.
pub(crate) fn n_of(point: &SystemPoint) -> f64 {
    f64::from(point.degree.in_flight.unwrap_or_else(|| point.degree.parallelism()))
}

/// What the test varies, in the plural.
pub(crate) fn workers(test: &SystemTest) -> &'static str {
    let nodes = test.points.iter().any(|point| point.degree.dop.nodes > 1);
    let in_flight = test.points.iter().any(|point| point.degree.in_flight.is_some());
    match (in_flight, nodes, test.sweep) {
        (true, _, _) => "I/Os in flight",
        (_, true, _) => "nodes",
        (_, _, Sweep::Jobs) => "jobs",
        (_, _, Sweep::Threads) => "threads",
    }
}
