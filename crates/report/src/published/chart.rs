//! Published figures as curves.

use model::scalability::{LoadPoint, scalability};
use model::{Cell, FactTable, System, SystemPoint, SystemTest};

use super::table::service_time;
use crate::chart::{Axis, Figures, LineChart, Point, Role, Scale, Series};
use crate::document::Diagram;
use crate::sheet::{fit_note, fitted};
use crate::system::{median_rate, n_of, workers};
use crate::words::{unit, unit_per_second};

/// Throughput over the degree of parallelism of each test with several points.
pub(super) fn curves(system: &System) -> Vec<Diagram> {
    let drawn = system.tests.iter().filter(|test| test.points.len() > 1).enumerate();
    drawn.map(|(index, test)| curve(index, system, test)).collect()
}

fn curve(index: usize, system: &System, test: &SystemTest) -> Diagram {
    let rates = |point: &SystemPoint| Some(LoadPoint::new(n_of(point), median_rate(point)?));
    let found = scalability(&test.points.iter().filter_map(rates).collect::<Vec<LoadPoint>>());
    let points = test.points.iter().filter_map(|point| Some(Point::new(n_of(point), median_rate(point)?)));
    let mut series =
        vec![Series::new(format!("published, {}", unit_per_second(test.unit)), Role::Measured, points.collect())];
    series.extend(found.as_ref().and_then(fitted));
    series.extend(ideal(test));
    let claims = system.claims.iter().filter(|claim| claim.test == test.code);
    let claims: Vec<Point> =
        claims.map(|claim| Point::new(f64::from(claim.n), claim.rate.0).noted(claim.text.as_str())).collect();
    if !claims.is_empty() {
        series.push(Series::new("claimed, not measured", Role::Claim, claims));
    }
    let times = test.points.iter().filter_map(|point| Some(Point::new(n_of(point), service_time(point)?.0 as f64)));
    let times: Vec<Point> = times.collect();
    let lower = (!times.is_empty()).then(|| Axis::new("service time", Scale::FromZero, Figures::Nanos));
    series.extend(lower.as_ref().map(|_| Series::new("service time", Role::Other, times).below()));
    let chart = LineChart {
        lower,
        ..LineChart::new(
            format!("{} {}", test.code, test.title),
            format!("Published throughput at {} degrees of parallelism.", test.points.len()),
            Axis::new(workers(test), Scale::Log2, Figures::Plain),
            Axis::new(format!("{}s per second", unit(test.unit)), Scale::FromZero, Figures::Rate),
            series,
        )
    };
    let note = found.as_ref().map(|found| fit_note(found, test.unit, workers(test))).unwrap_or_default();
    Diagram { note, ..Diagram::new(format!("throughput-{}", index + 1), chart) }
}

fn ideal(test: &SystemTest) -> Option<Series> {
    let first = test.points.first()?;
    let (n, rate) = (n_of(first), median_rate(first)?);
    let points = test.points.iter().map(|point| Point::new(n_of(point), rate * n_of(point) / n));
    Some(Series::new("ideal", Role::Ideal, points.collect()))
}

/// The columns of `table` as curves over its first one; none where they are none.
pub(super) fn drawn(index: usize, table: &FactTable) -> Option<Diagram> {
    let value = |cell: Option<&Cell>| match cell {
        Some(Cell::Number(value)) => *value,
        _ => f64::NAN,
    };
    let series = table.columns.iter().enumerate().skip(1).map(|(column, head)| {
        let points = table.rows.iter().map(|row| Point::new(value(row.first()), value(row.get(column))));
        Series::new(head.as_str(), Role::Measured, points.collect())
    });
    let chart = LineChart::new(
        table.title.as_str(),
        format!("{} points of each curve, as published.", table.rows.len()),
        Axis::new(table.columns.first()?.as_str(), Scale::Linear, Figures::Plain),
        Axis::new("as named at each curve", Scale::FromZero, Figures::Plain),
        series.collect(),
    );
    table.curves.then(|| Diagram::new(format!("curve-{}", index + 1), chart))
}
