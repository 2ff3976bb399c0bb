//! The tests of the published tables: a point per degree of parallelism, a rate and columns at each.

use model::{Columns, Degree, MeasuredRate, SystemPoint, SystemTest};
use record::{Dop, Layer, Nanos, Rate, Ratio, Unit};

use super::published_test;
use crate::figure::exact;
use crate::publication::TestFigures;

/// A rate that was published once.
pub(super) fn once(per_second: f64) -> Vec<MeasuredRate> {
    vec![MeasuredRate { repeat: 1, per_second: Rate(per_second) }]
}

/// Milliseconds, rounded to the nanosecond.
pub(super) fn millis(milliseconds: f64) -> Nanos {
    Nanos((milliseconds * 1e6).round().max(0.0) as u64)
}

/// One test of a published table.
pub(super) fn test(figures: &TestFigures) -> SystemTest {
    let degrees = figures.degrees();
    let points = (0..degrees.len()).map(|index| point(figures, index, degrees[index])).collect();
    let title = match figures.n {
        Some(n) => format!("{}, n = {n}", figures.name),
        None => figures.name.clone(),
    };
    // What a test is about stands in its file wherever it was published.
    let layer = figures.layer.unwrap_or(Layer::Database);
    let mut test = published_test(&figures.code, &title, layer, unit(figures), points);
    test.note = note(figures);
    test.parameters.extend(figures.n.map(|n| ("n".to_owned(), i64::from(n))));
    test
}

fn unit(figures: &TestFigures) -> Unit {
    figures.unit.unwrap_or(Unit::Operation)
}

fn point(figures: &TestFigures, index: usize, degree: u32) -> SystemPoint {
    let at = |column: &[f64]| column.get(index).copied();
    let rate = |column: &[f64]| at(column).map(Rate);
    let megabytes = |column: &[f64]| at(column).map(|value| Rate(value * 1e6));
    let last = index + 1 == figures.degrees().len();
    let dop = match figures.threads.is_empty() {
        true => Dop::jobs(degree),
        false => Dop { nodes: 1, jobs: 1, threads: degree },
    };
    let service_mean_ns = at(&figures.service_ms).map(millis);
    SystemPoint {
        degree: Degree { dop, in_flight: None },
        rates: per_second(figures, index).map(once).unwrap_or_default(),
        columns: Columns {
            operations_per_second: rate(&figures.ops),
            rows_per_second: rate(&figures.rps).or(figures.published_best_rps.filter(|_| last).map(Rate)),
            transactions_per_second: rate(&figures.tps),
            cpu_busy: at(&figures.cpu).map(|percent| Ratio(percent / 100.0)),
            reads_per_second: rate(&figures.read_iops),
            writes_per_second: rate(&figures.write_iops),
            read_bytes_per_second: megabytes(&figures.read_mbps),
            write_bytes_per_second: megabytes(&figures.write_mbps),
            redo_bytes_per_second: megabytes(&figures.redo_mbps),
            service_mean_ns: service_mean_ns
                .or(figures.service_s_at_max.filter(|_| last).map(|seconds| millis(seconds * 1e3))),
            service_at_most_ns: at(&figures.service_ms_at_most).map(millis),
            time_ns: at(&figures.time).map(Nanos::from_seconds),
            ..Columns::default()
        },
        ..SystemPoint::default()
    }
}

/// The published column that counts what the test counts; where only the time was published, the rows over the time.
pub(crate) fn per_second(figures: &TestFigures, index: usize) -> Option<f64> {
    let at = |column: &[f64]| column.get(index).copied();
    match unit(figures) {
        Unit::Row | Unit::Block => at(&figures.rps).or_else(|| {
            let last = index + 1 == figures.degrees().len();
            figures.published_best_rps.filter(|_| last).or_else(|| rows_over_time(figures, index))
        }),
        Unit::Transaction => at(&figures.tps).or_else(|| at(&figures.ops)),
        Unit::Byte => at(&figures.write_mbps).or_else(|| at(&figures.read_mbps)).map(|megabytes| megabytes * 1e6),
        _ => at(&figures.ops),
    }
}

fn rows_over_time(figures: &TestFigures, index: usize) -> Option<f64> {
    let time = figures.time.get(index).filter(|time| **time > 0.0)?;
    Some(figures.rows_total? / time)
}

/// What was published about the test, and what of its figures was not.
fn note(figures: &TestFigures) -> Option<String> {
    let derived = match (unit(figures), figures.rows_total) {
        (Unit::Row, Some(rows)) if figures.rps.is_empty() => {
            Some(format!("rates are {} rows over the time, only the best one was published", exact(rows)))
        }
        (Unit::Byte, _) => Some("the rate is that of the published MB/s".to_owned()),
        _ => None,
    };
    let said = [figures.published_note.clone(), derived];
    let said: Vec<String> = said.into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join("; "))
}
