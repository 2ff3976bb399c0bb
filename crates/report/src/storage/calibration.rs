//! The result of a calibration: highest rate of small reads, highest throughput of large ones, latency, and the curve
//! of rate over latency.

use model::{Calibration, CurvePoint, Estimate, Method, QUANTILES, calibration};
use record::{Latency, Nanos, Record};

use crate::chart::{self, Axis, Bar, BarChart, Figures, Scale};
use crate::document::{Block, Cell, Column, Diagram, Row, Table, Tone};
use crate::figure::{UNKNOWN, duration, megabytes, memory, number, percent, three_digits, throughput, time};
use crate::summary::bound_outcome;
use crate::words::plural;

/// The figures, with intervals.
pub(crate) fn figures(found: &Calibration) -> Vec<Block> {
    let load = |block, in_flight: u32| format!("random reads of {} with {in_flight} in flight", memory(block));
    let small = interval(&found.max_iops, number);
    let small = format!("{small}: {}, {}", load(found.block_bytes, found.in_flight), repeats(&found.max_iops));
    let large = found.max_mbps.as_ref().map(|estimate| {
        let of = found.large_block_bytes.zip(found.large_in_flight).map(|(block, level)| load(block, level));
        let binary = throughput(Some(estimate.median * 1e6));
        let shown = interval(estimate, |value| megabytes(Some(value * 1e6)));
        let of = of.unwrap_or_else(|| "large random reads".to_owned());
        format!("{shown} ({binary}): {of}, {}", repeats(estimate))
    });
    let mut facts = vec![
        ("max IOPS", small),
        ("max MB/s", large.unwrap_or_else(|| "not measured, or invalid".to_owned())),
        ("latency", format!("{} (run {})", times(&found.latency), found.run)),
    ];
    let outcome = || bound_outcome(found, ["met", "MISSED"]);
    facts.extend(found.bound.as_ref().map(|bound| ("bound", format!("{bound}: {}", outcome()))));
    facts.push(("interval", method(found)));
    let invalid = (found.invalid_runs > 0).then(|| format!("{} invalid and not counted", of_runs(found.invalid_runs)));
    vec![Block::facts(facts), Block::note(Tone::Warning, invalid)]
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
    let Some(times) = model::times(latency) else { return UNKNOWN.to_owned() };
    let quantiles = QUANTILES.iter().map(|quantile| (quantile.name, (quantile.of)(&times)));
    let known = quantiles.chain([("max.", Some(times.max_ns))]);
    let shown = known.filter_map(|(name, span)| Some(format!("{name} {}", duration(span?)))).collect::<Vec<_>>();
    format!("mean {}, {}", duration(times.mean_ns), shown.join(", "))
}

/// The three figures as `DBMS_RESOURCE_MANAGER.CALIBRATE_IO` names them, in whole numbers and milliseconds.
fn original_terms(found: &Calibration) -> Vec<Block> {
    let latency_ms = found.latency.mean_ns.0 as f64 / 1e6;
    let digits = if latency_ms < 1.0 { format!("{latency_ms:.3}") } else { three_digits(latency_ms) };
    let mbps = found.max_mbps.as_ref().map_or_else(|| "-".to_owned(), |estimate| format!("{:.0}", estimate.median));
    let facts = [
        ("MAX_IOPS", format!("{:.0} I/Os per second", found.max_iops.median)),
        ("MAX_MBPS", format!("{mbps} megabytes of 10^6 bytes per second")),
        ("ACTUAL_LATENCY", format!("{digits} milliseconds, mean")),
    ];
    vec![Block::Heading("In the terms of DBMS_RESOURCE_MANAGER.CALIBRATE_IO".to_owned()), Block::facts(facts)]
}

/// The rate and the latency of each load.
fn curve(found: &Calibration) -> Table {
    const SERVICE: &str = "service time";
    let columns = vec![
        Column::figure("in flight"),
        Column::figure("IOPS"),
        Column::figure("mean").in_group(SERVICE),
        Column::figure("p50").in_group(SERVICE),
        Column::figure("p99").in_group(SERVICE),
        Column::figure("p99.9").in_group(SERVICE),
        Column::text("bound"),
        Column::figure("runs"),
    ];
    let span = |span: Option<Nanos>| Cell::Figure(time(span), span.map(|span| span.0 as f64));
    let row = |point: &CurvePoint| {
        let kept = match point.kept {
            Some(true) => "met",
            Some(false) => "missed",
            None => "",
        };
        Row::new(vec![
            Cell::count(point.in_flight.into()),
            Cell::figure(Some(point.iops.0), number),
            span(Some(point.service.mean_ns)),
            span(Some(point.service.p50_ns)),
            span(point.service.p99_ns),
            span(point.service.p999_ns),
            Cell::text(kept),
            Cell::count(point.runs as u64),
        ])
    };
    Table::new("calibration-table", "Rate and service time of each load", columns).with(found.curve.iter().map(row))
}

/// A bar for the rate of each load, with its latency.
fn bars(found: &Calibration) -> BarChart {
    let bar = |point: &CurvePoint| Bar {
        label: format!("{} in flight", point.in_flight),
        value: point.iops.0,
        interval: None,
        note: format!("at {}", duration(point.service.mean_ns)),
        tone: chart::Tone::Plain,
    };
    BarChart {
        title: "I/Os per second over latency".to_owned(),
        description: "The rate and the mean latency with each number of reads in flight.".to_owned(),
        axis: Axis::new("I/Os per second", Scale::FromZero, Figures::Rate),
        base: 0.0,
        bars: found.curve.iter().map(bar).collect(),
        marks: Vec::new(),
    }
}

/// The result and the curve; nothing where `record` holds no calibration.
pub(super) fn parts(record: &Record) -> Vec<Block> {
    let Some(found) = calibration(record) else { return Vec::new() };
    let mut blocks = figures(&found);
    blocks.extend(original_terms(&found));
    blocks.extend([curve(&found).into(), Block::Charts(vec![Diagram::new("calibration", bars(&found))])]);
    blocks
}
