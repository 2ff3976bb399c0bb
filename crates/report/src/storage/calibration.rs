//! The result of a calibration: highest rate of small reads, highest throughput of large ones, latency, and the curve
//! of rate over latency.

use model::{Calibration, CurvePoint, Estimate, Method, calibration};
use record::{Latency, Record};

use super::Part;
use crate::figure::{duration, megabytes, memory, number, percent, three_digits, throughput, time};
use crate::layout::{Align, Head, Span, Table, bar, paragraph, spaced};
use crate::style::{Ink, Style};
use crate::summary::bound_outcome;
use crate::words::plural;

/// Column of the texts.
const INDENT: usize = 18;

/// Characters of the longest bar.
const BAR_WIDTH: usize = 40;

/// Characters of a line without its bar.
const BESIDE: usize = 33;

/// The result and the curve; nothing where `record` holds no calibration.
pub(super) fn calibration_parts(record: &Record, style: Style, width: usize) -> Vec<Part> {
    let Some(found) = calibration(record) else { return Vec::new() };
    vec![
        ("CALIBRATION", figures(&found, style, width)),
        ("CALIBRATION: in the terms of DBMS_RESOURCE_MANAGER.CALIBRATE_IO", original_terms(&found, width)),
        ("CALIBRATION: I/Os per second over latency", curve(&found, style, width)),
    ]
}

/// The figures, with intervals.
fn figures(found: &Calibration, style: Style, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut fact = |label: &str, text: String| lines.extend(paragraph(&format!("  {label}"), INDENT, &text, width));
    let load = |block, in_flight: u32| format!("random reads of {} with {in_flight} in flight", memory(block));
    let small = interval(&found.max_iops, number);
    fact("max IOPS", format!("{small}: {}, {}", load(found.block_bytes, found.in_flight), repeats(&found.max_iops)));
    if let Some(estimate) = &found.max_mbps {
        let of = found.large_block_bytes.zip(found.large_in_flight).map(|(block, level)| load(block, level));
        let binary = throughput(Some(estimate.median * 1e6));
        let shown = interval(estimate, |value| megabytes(Some(value * 1e6)));
        let of = of.unwrap_or_else(|| "large random reads".to_owned());
        fact("max MB/s", format!("{shown} ({binary}): {of}, {}", repeats(estimate)));
    } else {
        fact("max MB/s", "not measured, or invalid".to_owned());
    }
    fact("latency", format!("{} (run {})", times(&found.latency), found.run));
    if let Some(bound) = &found.bound {
        fact("bound", format!("{bound}: {}", bound_outcome(found, ["met", "MISSED"])));
    }
    fact("interval", method(found));
    if found.invalid_runs > 0 {
        let text = format!("{} invalid and not counted", of_runs(found.invalid_runs));
        let invalid = paragraph("  !", INDENT, &text, width);
        lines.extend(invalid.iter().map(|line| style.paint(line, Ink::Warning)));
    }
    lines
}

/// A figure and the interval of another measurement of it.
fn interval(estimate: &Estimate, figure: impl Fn(f64) -> String) -> String {
    match estimate.method {
        Method::Unknown => figure(estimate.median),
        _ => format!("{} [{}, {}]", figure(estimate.median), figure(estimate.low), figure(estimate.high)),
    }
}

fn of_runs(count: usize) -> String {
    if count == 1 { "one run is".to_owned() } else { format!("each of {count} runs is") }
}

fn repeats(estimate: &Estimate) -> String {
    plural(estimate.repeats as u64, "measurement")
}

/// The meaning and the method of the intervals.
fn method(found: &Calibration) -> String {
    let source = match found.max_iops.method {
        Method::OrderStatistics => "the order of the measurements",
        Method::Student => "the differences between the measurements (Student's t)",
        Method::Sections => "the parts of a single measurement (Student's t): its repeatability is not known",
        Method::Unknown => return "none: one measurement, too short to be divided".to_owned(),
    };
    format!(
        "expected range of another calibration soon after, {} of the time: from {source}, and never narrower than \
         the variation within one measurement",
        percent(record::Ratio(0.95))
    )
}

fn times(latency: &Latency) -> String {
    let Latency { mean_ns, p50_ns, p90_ns, p99_ns, p999_ns, max_ns, .. } = latency;
    let quantiles =
        [("p50", Some(*p50_ns)), ("p90", *p90_ns), ("p99", *p99_ns), ("p99.9", *p999_ns), ("max.", Some(*max_ns))];
    let known = quantiles.into_iter().filter_map(|(name, span)| Some(format!("{name} {}", duration(span?))));
    let shown: Vec<String> = known.collect();
    format!("mean {}, {}", duration(*mean_ns), shown.join(", "))
}

/// The three figures as `DBMS_RESOURCE_MANAGER.CALIBRATE_IO` names them, in whole numbers and milliseconds.
fn original_terms(found: &Calibration, width: usize) -> Vec<String> {
    let latency_ms = found.latency.mean_ns.0 as f64 / 1e6;
    let digits = if latency_ms < 1.0 { format!("{latency_ms:.3}") } else { three_digits(latency_ms) };
    let mbps = found.max_mbps.as_ref().map_or_else(|| "-".to_owned(), |estimate| format!("{:.0}", estimate.median));
    let lines = [
        ("MAX_IOPS", format!("{:.0}", found.max_iops.median), "I/Os per second"),
        ("MAX_MBPS", mbps, "megabytes of 10^6 bytes per second"),
        ("ACTUAL_LATENCY", digits, "milliseconds, mean"),
    ];
    lines.iter().flat_map(|(name, value, unit)| spaced(&format!("{name:<14}  {value:>10}  {unit}"), 2, width)).collect()
}

const HEADS: [Head; 8] = [
    (&["in flight"], Align::Right),
    (&["IOPS"], Align::Right),
    (&["mean"], Align::Right),
    (&["p50"], Align::Right),
    (&["p99"], Align::Right),
    (&["p99.9"], Align::Right),
    (&["bound"], Align::Left),
    (&["runs"], Align::Right),
];

const SPANS: [Span; 1] = [Span { first: 2, columns: 4, title: "service time" }];

/// The curve as a table, and below it as bars.
fn curve(found: &Calibration, style: Style, width: usize) -> Vec<String> {
    let mut table = Table::new(&HEADS, &SPANS);
    for point in &found.curve {
        let CurvePoint { in_flight, iops, mean_ns, p50_ns, p99_ns, p999_ns, kept, runs } = point;
        let kept = match kept {
            Some(true) => "met",
            Some(false) => "missed",
            None => "",
        };
        let mut cells = vec![in_flight.to_string(), number(iops.0)];
        cells.extend([Some(*mean_ns), Some(*p50_ns), *p99_ns, *p999_ns].map(time));
        cells.extend([kept.to_owned(), runs.to_string()]);
        table.push(cells, None);
    }
    let mut lines = table.lines(style, width);
    lines.push(String::new());
    lines.extend(bars(&found.curve, width));
    lines
}

/// A bar for the rate of each load, with its latency.
fn bars(curve: &[CurvePoint], width: usize) -> Vec<String> {
    let longest = BAR_WIDTH.min(width.saturating_sub(BESIDE));
    let highest = curve.iter().map(|point| point.iops.0).fold(0.0, f64::max);
    let line = |point: &CurvePoint| {
        let bar = bar(point.iops.0, highest, longest);
        format!("{:>9}  {bar} {} at {}", point.in_flight, number(point.iops.0), duration(point.mean_ns))
    };
    curve.iter().map(line).collect()
}
