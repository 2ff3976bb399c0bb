//! The figures of a line of the sheet, as the rows of the screen have them: the numbers of a column are in one scale.

use model::{Headline, LatencyName, Line, Point};
use record::Unit;

use crate::figure::microseconds;
use crate::words::{dop_text, unit_per_second};

/// What response times are.
pub(super) const RESPONSE: &str = "response: response time, from the intended start; other latencies are service times";

/// The rate in the unit of [`unit`].
pub(super) fn rate(line: &Line, best: &Point) -> f64 {
    let rate = best.operations_per_second.0;
    if line.unit == Unit::Byte { rate / 1e6 } else { rate }
}

pub(super) fn unit(line: &Line, best: &Point) -> &'static str {
    match line.unit {
        Unit::Byte => "MB/s",
        _ if best.in_flight.is_some() => "IOPS",
        unit => unit_per_second(unit),
    }
}

/// The load at which it was reached.
pub(super) fn at(line: &Line, best: &Point) -> String {
    best.in_flight.map_or_else(|| dop_text(best.dop, line.sweep), |count| format!("{count} in flight"))
}

/// The 0.99 quantile; the median where there are too few steps for it.
pub(super) fn latency(found: Headline) -> String {
    let name = if is_response(&found) { "response " } else { "" };
    match found.times.p99_ns {
        Some(p99) => format!("{name}p99 {}", microseconds(p99)),
        None => format!("{name}p50 {}", microseconds(found.times.p50_ns)),
    }
}

/// Whether the latency that stands for a line is a response time.
pub(super) fn has_response(line: &Line) -> bool {
    line.best.as_ref().and_then(|best| best.headline.as_ref()).is_some_and(is_response)
}

fn is_response(found: &Headline) -> bool {
    found.name == LatencyName::Response
}
