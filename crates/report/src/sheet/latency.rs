//! Latency of the best run of each test: percentile curves, and a heat map over time.

use std::collections::BTreeMap;

use model::{RULES, buckets, is_printable, quantile};
use record::{Latency, Nanos, Ratio, Run, Slices};

use super::throughput::{CHARTS_MAX, left_out};
use crate::chart::{Axis, Column, Figures, HeatMap, LineChart, Point, Role, Scale, Series};
use crate::curve::{Load, Test};
use crate::document::{Block, Diagram, Section};
use crate::figure::{count, duration};
use crate::layout::clean;

/// Slices of all heat maps of a page together, which limits the size of the page.
const SLICES_SHOWN: usize = 400;

/// Slices of one heat map, at least.
const SLICES_MIN: usize = 10;

/// Shades per octave of latency.
const CELLS_PER_OCTAVE: f64 = 4.0;

/// Percentile curves and heat maps.
pub(super) fn latency(tests: &[Test<'_>]) -> Section {
    let known: Vec<(&Test<'_>, &Load<'_>)> = tests
        .iter()
        .filter_map(|test| Some((test, test.best()?)))
        .filter(|(_, best)| best.run.service.count > 0)
        .collect();
    let shown = &known[..known.len().min(CHARTS_MAX)];
    let named = |(index, (test, best)): (usize, &(&Test<'_>, &Load<'_>))| {
        Diagram::new(format!("percentiles-{}", index + 1), curve(test, best))
    };
    let curves: Vec<Diagram> = shown.iter().enumerate().map(named).collect();
    let values = RULES.samples_beyond_quantile;
    let mut body = Vec::new();
    if !curves.is_empty() {
        body.extend([
            Block::Heading("Percentile curves of the best run of each test".to_owned()),
            Block::text(format!(
                "Service time: start to end. Response time: intended start to end; in a closed loop it is the service \
                 time and is not drawn. A percentile is drawn where at least {values} values are beyond it."
            )),
            Block::Charts(curves),
        ]);
    }
    let maps = maps(shown);
    if !maps.is_empty() {
        body.extend([
            Block::Heading("Response time over time in the best run of each test".to_owned()),
            Block::text(
                "The darker a cell, the more operations had this response time in this slice of time; the colour scale \
                 is logarithmic.",
            ),
            Block::Charts(maps),
        ]);
    }
    body.extend((known.len() > CHARTS_MAX).then(|| left_out(known.len())));
    Section::new("latency", "Latency", vec![Block::whole(body)]).folded()
}

fn curve(test: &Test<'_>, best: &Load<'_>) -> LineChart {
    let run = best.run;
    let mut series =
        vec![Series::new(format!("service time at {}", best.at()), Role::Measured, percentiles(&run.service))];
    if run.response.count > 0 && run.response != run.service {
        let name = format!("response time at {}", best.at());
        series.push(Series::new(name, Role::Measured, percentiles(&run.response)));
    }
    if let Some(first) = test.first().filter(|first| first.run.number != run.number) {
        let name = format!("service time at {}", first.at());
        series.push(Series::new(name, Role::Other, percentiles(&first.run.service)));
    }
    let service = &run.service;
    let description = format!(
        "{} values: half at most {}, {}max {}.",
        count(service.count),
        duration(service.p50_ns),
        at_most_99(service),
        duration(service.max_ns)
    );
    LineChart::new(
        title(test, best),
        description,
        Axis::new("share of operations", Scale::Nines, Figures::Quantile),
        Axis::new("latency", Scale::Log10, Figures::Nanos),
        series,
    )
}

/// The 0.99 quantile, where enough values support it.
fn at_most_99(latency: &Latency) -> String {
    latency.p99_ns.map_or_else(String::new, |p99| format!("99 % at most {}, ", duration(p99)))
}

fn title(test: &Test<'_>, best: &Load<'_>) -> String {
    format!("{} {} ({})", clean(test.code), clean(test.title), best.at())
}

/// The quantiles that enough values support.
fn percentiles(latency: &Latency) -> Vec<Point> {
    let known = buckets(latency);
    let wanted = quantiles(latency.count);
    let at = |wanted: f64| match (wanted, &known) {
        (0.5, _) => Some(latency.p50_ns),
        (0.9, _) => latency.p90_ns,
        (0.99, _) => latency.p99_ns,
        (0.999, _) => latency.p999_ns,
        (_, Some(buckets)) => reached(buckets, latency.count, wanted),
        (_, None) => quantile(latency, Ratio(wanted)),
    };
    wanted.into_iter().filter_map(|wanted| Some(Point::new(wanted, at(wanted)?.0 as f64))).collect()
}

/// The quartiles, and two quantiles in each decade from 0.9 on.
fn quantiles(count: u64) -> Vec<f64> {
    let quarters = (0..=3).map(|quarter| f64::from(quarter) / 4.0);
    let decades = (1..=7).flat_map(|nines| {
        let beyond = 10f64.powi(-nines);
        // Rounded, so that 0.99 is the same number as the literal.
        [1.0, 0.5].map(|part| ((1.0 - beyond * part) * 1e12).round() / 1e12)
    });
    quarters.chain(decades).filter(|quantile| is_printable(*quantile, count as f64)).collect()
}

/// The value at the quantile `wanted`.
fn reached(buckets: &[(Nanos, u64)], count: u64, wanted: f64) -> Option<Nanos> {
    let needed = (wanted * count as f64).ceil().max(1.0) as u64;
    let mut below = 0u64;
    for (value, values) in buckets {
        below = below.saturating_add(*values);
        if below >= needed {
            return Some(*value);
        }
    }
    buckets.last().map(|(value, _)| *value)
}

fn maps(shown: &[(&Test<'_>, &Load<'_>)]) -> Vec<Diagram> {
    let sliced: Vec<_> =
        shown.iter().filter_map(|(test, best)| Some((test, best, best.run.slices.as_ref()?))).collect();
    let columns = (SLICES_SHOWN / sliced.len().max(1)).max(SLICES_MIN);
    let chart = |(index, (test, best, slices)): (usize, &(&&Test<'_>, &&Load<'_>, &Slices))| {
        let map = map(title(test, best), best.run, slices, columns)?;
        Some(Diagram::new(format!("latency-over-time-{}", index + 1), map))
    };
    sliced.iter().enumerate().filter_map(chart).collect()
}

/// The heat map of `run`, with at most `columns` slices.
fn map(title: String, run: &Run, slices: &Slices, columns: usize) -> Option<HeatMap> {
    let slices_per_column = slices.responses.len().div_ceil(columns.max(1)).max(1);
    let width = slices.width_ns.0 as f64;
    let mut drawn = Vec::new();
    let mut lines = [Vec::new(), Vec::new()];
    for (index, stored) in slices.responses.chunks(slices_per_column).enumerate() {
        let from = (index * slices_per_column) as f64 * width;
        let to = (from + stored.len() as f64 * width).min(run.window_ns.0.max(1) as f64).max(from + 1.0);
        let values = values(stored);
        let total: u64 = values.values().fold(0, |sum, values| sum.saturating_add(*values));
        let sorted: Vec<(Nanos, u64)> = values.iter().map(|(value, values)| (*value, *values)).collect();
        let quantile = |wanted: f64| reached(&sorted, total, wanted);
        let quantiles = [quantile(0.5), quantile(0.99).filter(|_| is_printable(0.99, total as f64))];
        for (line, value) in lines.iter_mut().zip(quantiles) {
            line.push(Point::new((from + to) / 2.0, value.map_or(f64::NAN, |value| value.0 as f64)));
        }
        let note = match quantiles {
            [Some(p50), Some(p99)] => format!("p50 {}, p99 {}", duration(p50), duration(p99)),
            [Some(p50), None] => format!("p50 {}", duration(p50)),
            [None, _] => String::new(),
        };
        drawn.push(Column { from, to, cells: cells(&sorted), note });
    }
    let any = drawn.iter().any(|column| !column.cells.is_empty());
    let [p50, p99] = lines;
    any.then(|| HeatMap {
        title,
        description: format!(
            "Response times in {} slices; half at most {}, {}max {}.",
            drawn.len(),
            duration(run.response.p50_ns),
            at_most_99(&run.response),
            duration(run.response.max_ns)
        ),
        x: Axis::new("time", Scale::Linear, Figures::Nanos),
        y: Axis::new("response time", Scale::Log10, Figures::Nanos),
        columns: drawn,
        lines: [("p50", p50), ("p99", p99)].into_iter().filter_map(drawable).collect(),
        shaded: Vec::new(),
    })
}

/// The line of a quantile; none where no slice has it.
fn drawable((name, points): (&str, Vec<Point>)) -> Option<Series> {
    points.iter().any(|point| point.y.is_finite()).then(|| Series::new(name, Role::Measured, points))
}

/// The values of several slices; an unreadable slice is empty.
fn values(stored: &[String]) -> BTreeMap<Nanos, u64> {
    let mut values: BTreeMap<Nanos, u64> = BTreeMap::new();
    for histogram in stored {
        let latency = Latency { histogram: histogram.clone(), ..Latency::default() };
        for (value, count) in buckets(&latency).unwrap_or_default() {
            let sum = values.entry(value).or_default();
            *sum = sum.saturating_add(count);
        }
    }
    values
}

/// The counts per cell, with [`CELLS_PER_OCTAVE`] cells in an octave.
fn cells(values: &[(Nanos, u64)]) -> Vec<(f64, f64, u64)> {
    let mut cells: BTreeMap<i32, u64> = BTreeMap::new();
    for (value, count) in values {
        let cell = ((value.0.max(1) as f64).log2() * CELLS_PER_OCTAVE).floor() as i32;
        let sum = cells.entry(cell).or_default();
        *sum = sum.saturating_add(*count);
    }
    let edge = |cell: i32| (f64::from(cell) / CELLS_PER_OCTAVE).exp2().round();
    cells.into_iter().map(|(cell, count)| (edge(cell), edge(cell + 1), count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_needs_values_beyond_it() {
        let last = |count: u64| quantiles(count).last().copied();
        assert_eq!(last(9), None);
        assert_eq!(last(100), Some(0.9));
        assert_eq!(last(1_000), Some(0.99));
        assert_eq!(last(10_000), Some(0.999));
        assert!(quantiles(u64::MAX).is_sorted());
    }

    #[test]
    fn a_value_is_reached_where_enough_lie_below() {
        let buckets = [(Nanos(10), 5), (Nanos(20), 4), (Nanos(30), 1)];
        let at = |wanted: f64| reached(&buckets, 10, wanted);
        assert_eq!(
            (at(0.0), at(0.5), at(0.51), at(0.9)),
            (Some(Nanos(10)), Some(Nanos(10)), Some(Nanos(20)), Some(Nanos(20)))
        );
        assert_eq!((at(0.95), at(1.0)), (Some(Nanos(30)), Some(Nanos(30))));
    }

    #[test]
    fn every_value_lies_in_its_cell() {
        for value in [1, 2, 3, 1_000, 123_456, u64::MAX] {
            let cells = cells(&[(Nanos(value), 7)]);
            let (low, high, count) = cells[0];
            assert!(
                low <= value as f64 * 1.000_001 && (value as f64) < high * 1.000_001 && count == 7,
                "{value}: {cells:?}"
            );
        }
    }
}
