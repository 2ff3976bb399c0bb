//! The result of a storage calibration: max IOPS, max MB/s and latency, from the runs of one record.
//!
//! The runs of `max_iops` read random blocks with increasing I/Os in flight, those of `max_mbps` random megabytes. The
//! result is at the level that [`result_level`] gives. All valid runs at that level count as repeats, those of the search
//! included, so that there is no selection by result. The bound is met where more than half of them meet it: the run with
//! the median rate has a quantile of the latency by chance.

use std::collections::BTreeMap;

use record::{Bytes, Latency, Nanos, Rate, Record, Run};

use crate::bound::Bound;
use crate::calibration_search::{LevelRun, is_kept, result_level};
use crate::delta::per_second;
use crate::estimate::{Estimate, Repeat, estimate};
use crate::group::{Repeats, middle};
use crate::queue::in_flight;
use crate::times::{Times, times};
use crate::verdict::is_invalid;

/// Code of the runs with small random reads.
pub const MAX_IOPS: &str = "max_iops";
/// Code of the runs with large random reads.
pub const MAX_MBPS: &str = "max_mbps";

/// The result of a calibration.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// Small random reads per second, at the highest load that meets the bound.
    pub max_iops: Estimate,
    /// Large random reads, in 10^6 bytes per second; absent where not measured or invalid.
    pub max_mbps: Option<Estimate>,
    /// Size of the small reads.
    pub block_bytes: Bytes,
    /// Size of the large reads, where measured.
    pub large_block_bytes: Option<Bytes>,
    /// I/Os in flight at `max_iops`.
    pub in_flight: u32,
    /// I/Os in flight at `max_mbps`, where measured.
    pub large_in_flight: Option<u32>,
    /// Service time at `max_iops`, of the repeat with the median rate (the lower one of two).
    pub latency: Latency,
    /// The number of that run.
    pub run: u32,
    /// The latency bound of the search.
    pub bound: Option<Bound>,
    /// Whether more than half of the runs at `max_iops` met it; absent without a bound.
    pub kept: Option<bool>,
    /// The number of them that met it.
    pub kept_runs: usize,
    /// Small reads by I/Os in flight, ascending, without invalid runs.
    pub curve: Vec<CurvePoint>,
    /// Number of invalid runs, which are ignored.
    pub invalid_runs: usize,
}

/// One load of the curve: the run with the median rate (the lower one of two).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// I/Os in flight.
    pub in_flight: u32,
    /// I/Os per second.
    pub iops: Rate,
    /// Service time.
    pub service: Times,
    /// Whether more than half of the runs met the bound; absent without one.
    pub kept: Option<bool>,
    /// Valid runs at this load.
    pub runs: usize,
}

/// The calibration in `record`; None without a valid run of [`MAX_IOPS`].
pub fn calibration(record: &Record) -> Option<Calibration> {
    let small = levels(record, MAX_IOPS);
    let large = levels(record, MAX_MBPS);
    let (level, runs) = chosen(record, MAX_IOPS, &small)?;
    let middle = *middle(runs)?;
    let large = chosen(record, MAX_MBPS, &large);
    let invalid = |run: &&Run| [MAX_IOPS, MAX_MBPS].contains(&run.test.as_str()) && is_invalid(run);
    Some(Calibration {
        max_iops: figure(runs, |_| 1.0)?,
        max_mbps: large.and_then(|(_, runs)| figure(runs, |run| bytes_per_operation(run) / 1e6)),
        block_bytes: block_bytes(middle),
        large_block_bytes: large.and_then(|(_, runs)| Some(block_bytes(runs.first()?))),
        in_flight: level,
        large_in_flight: large.map(|(level, _)| level),
        latency: middle.service.clone(),
        run: middle.number,
        bound: bound(middle),
        kept: kept_by(runs),
        kept_runs: runs.iter().filter(|run| kept(run) == Some(true)).count(),
        curve: small.iter().filter_map(|(level, runs)| point(*level, runs)).collect(),
        invalid_runs: record.runs.iter().filter(invalid).count(),
    })
}

type Levels<'a> = BTreeMap<u32, Vec<&'a Run>>;

/// The valid runs of `test` by I/Os in flight, each level from the slowest to the fastest.
fn levels<'a>(record: &'a Record, test: &str) -> Levels<'a> {
    let mut levels: BTreeMap<u32, Vec<(f64, &Run)>> = BTreeMap::new();
    for run in record.runs.iter().filter(|run| run.test == test && !is_invalid(run) && rate(run) > 0.0) {
        if let Some(level) = in_flight(run) {
            levels.entry(level).or_default().push((rate(run), run));
        }
    }
    levels.into_iter().filter_map(|(level, rated)| Some((level, Repeats::of(rated)?.runs().collect()))).collect()
}

/// The level of the result of `test`, with its valid runs among `levels`.
fn chosen<'a, 'b>(record: &Record, test: &str, levels: &'b Levels<'a>) -> Option<(u32, &'b [&'a Run])> {
    let of_test = record.runs.iter().filter(|run| run.test == test);
    let runs = of_test.filter_map(|run| {
        let (rate, is_valid) = (rate(run), !is_invalid(run));
        Some(LevelRun { level: in_flight(run)?, rate, kept: kept(run), is_valid: is_valid && rate > 0.0 })
    });
    let level = result_level(&runs.collect::<Vec<LevelRun>>())?;
    Some((level, levels.get(&level)?))
}

fn point(in_flight: u32, runs: &[&Run]) -> Option<CurvePoint> {
    let run = middle(runs)?;
    Some(CurvePoint {
        in_flight,
        iops: Rate(rate(run)),
        service: times(&run.service)?,
        kept: kept_by(runs),
        runs: runs.len(),
    })
}

fn figure(runs: &[&Run], factor: impl Fn(&Run) -> f64) -> Option<Estimate> {
    let repeats: Vec<Repeat> = runs
        .iter()
        .map(|run| {
            let whole = usize::try_from(run.window_ns.0 / Nanos::SECOND.0).unwrap_or(usize::MAX);
            let seconds = run.seconds.iter().take(whole);
            let factor = factor(run);
            Repeat {
                rate: rate(run) * factor,
                seconds: seconds.map(|second| second.operations as f64 * factor).collect(),
            }
        })
        .collect();
    estimate(&repeats)
}

fn rate(run: &Run) -> f64 {
    per_second(run, run.totals.operations).map_or(0.0, |rate| rate.0)
}

fn bytes_per_operation(run: &Run) -> f64 {
    let streams = run.storage.iter().flat_map(|storage| &storage.streams);
    let bytes: f64 = streams.map(|stream| stream.bytes.0 as f64).sum();
    bytes / run.totals.operations.max(1) as f64
}

fn block_bytes(run: &Run) -> Bytes {
    let streams = run.storage.iter().flat_map(|storage| &storage.streams);
    streams.map(|stream| stream.block_bytes_max).max().unwrap_or_default()
}

fn bound(run: &Run) -> Option<Bound> {
    run.storage.as_ref()?.bound.as_ref()?.parse().ok()
}

/// Whether more than half of `runs` met the bound.
fn kept_by(runs: &[&Run]) -> Option<bool> {
    is_kept(runs.iter().map(|run| kept(run)))
}

fn kept(run: &Run) -> Option<bool> {
    bound(run)?.met_by(&run.response)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use record::{Check, IoKind, Verdict};

    use super::*;
    use crate::estimate::Method;
    use crate::fixture::{finding, io_run, latency, record, storage};

    /// A run at `depth` with this rate, for ten seconds.
    fn at(test: &str, depth: u32, rate: u64, block_bytes: u64) -> Run {
        let mut run = io_run(test, IoKind::Read, 1);
        run.totals.operations = rate * 10;
        run.seconds.iter_mut().for_each(|second| second.operations = rate);
        run.service = latency(rate * 10, u64::from(depth) * 1_000_000_000 / rate.max(1));
        run.response = run.service.clone();
        let storage = storage(&mut run);
        storage.bound = Some("mean=10ms".to_owned());
        let stream = &mut storage.streams[0];
        (stream.depth, stream.slots) = (depth, depth);
        (stream.operations, stream.bytes) = (rate * 10, Bytes(rate * 10 * block_bytes));
        (stream.block_bytes_min, stream.block_bytes_max) = (Bytes(block_bytes), Bytes(block_bytes));
        run
    }

    fn invalid(mut run: Run) -> Run {
        run.findings.push(finding(Check::DeviceIo, Verdict::Fail));
        run
    }

    #[test]
    fn the_figures_by_hand() {
        let mut runs = vec![
            at(MAX_IOPS, 1, 1_000, 8_192),
            at(MAX_IOPS, 64, 8_000, 8_192),
            at(MAX_IOPS, 128, 8_200, 8_192),
            invalid(at(MAX_IOPS, 32, 900_000, 8_192)),
        ];
        runs.extend([8_100, 7_900, 8_050].map(|rate| at(MAX_IOPS, 64, rate, 8_192)));
        runs.extend([500, 510].map(|rate| at(MAX_MBPS, 4, rate, 1 << 20)));
        let found = calibration(&record(runs)).unwrap();
        assert_eq!((found.in_flight, found.max_iops.median, found.max_iops.repeats), (64, 8_025.0, 4));
        assert_eq!(found.max_iops.method, Method::Student);
        assert_eq!((found.run, found.latency.mean_ns), (2, Nanos(8_000_000)), "the lower one of the two in the middle");
        assert_eq!((found.bound.unwrap().to_string(), found.kept), ("mean=10ms".to_owned(), Some(true)));
        assert_eq!(found.kept_runs, 4);
        let mbps = found.max_mbps.unwrap();
        assert!((mbps.median - 529.53).abs() < 0.01, "{mbps:?}");
        assert_eq!((found.large_in_flight, found.large_block_bytes), (Some(4), Some(Bytes::MIB)));
        let curve: Vec<_> = found.curve.iter().map(|point| (point.in_flight, point.iops.0, point.kept)).collect();
        assert_eq!(curve, [(1, 1_000.0, Some(true)), (64, 8_000.0, Some(true)), (128, 8_200.0, Some(false))]);
        assert_eq!((found.curve[1].runs, found.invalid_runs), (4, 1));
    }

    #[test]
    fn the_fastest_level_that_meets_the_bound_is_the_result() {
        let runs =
            vec![at(MAX_IOPS, 32, 7_000, 8_192), at(MAX_IOPS, 64, 8_000, 8_192), at(MAX_IOPS, 128, 8_200, 8_192)];
        let found = calibration(&record(runs)).unwrap();
        assert_eq!((found.in_flight, found.max_iops.method, found.max_mbps), (64, Method::Sections, None));
    }

    #[test]
    fn other_records_have_no_calibration() {
        assert_eq!(calibration(&record(Vec::new())), None);
        assert_eq!(calibration(&record(vec![crate::fixture::run("T611", 1)])), None);
        assert_eq!(calibration(&record(vec![invalid(at(MAX_IOPS, 1, 1_000, 8_192))])), None);
    }

    proptest! {
        #[test]
        fn no_counts_are_a_panic(
            loads in prop::collection::vec((0u32..5, any::<u32>(), 0u64..1 << 40), 0..12),
            window in 0u64..1 << 40,
        ) {
            let runs = loads.into_iter().map(|(depth, rate, block)| {
                let mut run = at(if depth == 0 { MAX_MBPS } else { MAX_IOPS }, depth, u64::from(rate), block % 4_096);
                run.window_ns = Nanos(window);
                run
            });
            let found = calibration(&record(runs.collect()));
            if let Some(found) = found {
                prop_assert!(found.max_iops.low <= found.max_iops.high);
            }
        }
    }
}
