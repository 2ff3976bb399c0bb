//! Times of a test over its rate, as they were measured: the sweep over jobs, and runs at a rate.

use record::{Nanos, Record};

use super::Demand;
use super::ceiling::{COMMIT_TESTS, shows};
use crate::load_curve::steps_per_second;
use crate::row::row;
use crate::times::times;

/// Probes of random reads, each step one read: one at a time, and many in flight.
const READ_PROBES: [&str; 2] = ["S21", "S22"];

/// A point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadPoint {
    /// What was done, in the unit of the demand per second.
    pub rate: f64,
    /// Sessions or jobs.
    pub jobs: u32,
    /// Whether steps arrived at a rate, so that the times begin when each was due.
    pub is_open: bool,
    /// Half of the times are no longer.
    pub p50: Nanos,
    /// 99 % of the times are no longer; absent where too few were counted.
    pub p99: Option<Nanos>,
}

/// The times of one test that stands for a demand.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseCurve {
    /// The demand.
    pub demand: Demand,
    /// The code of the test.
    pub test: String,
    /// In order of rate.
    pub points: Vec<LoadPoint>,
}

impl ResponseCurve {
    /// The times at `rate`: those of the lowest measured rate that is no less, of a run at a rate where there is one. None
    /// beyond what was measured.
    pub fn at(&self, rate: f64) -> Option<LoadPoint> {
        let enough = |open: bool| self.points.iter().find(|point| point.is_open == open && point.rate >= rate);
        enough(true).or_else(|| enough(false)).copied()
    }

    /// The highest measured rate.
    pub fn rate_max(&self) -> f64 {
        self.points.iter().map(|point| point.rate).fold(0.0, f64::max)
    }
}

/// The curves of `record`, of the demands that a user waits for. Of a demand with several, each goes on where the one before it ends.
pub fn recorded_curves(record: &Record) -> Vec<ResponseCurve> {
    let commits = COMMIT_TESTS.iter().find_map(|code| curve(record, Demand::Commits, code));
    let reads = READ_PROBES.iter().filter_map(|code| curve(record, Demand::RandomReads, code));
    commits.into_iter().chain(reads).collect()
}

fn curve(record: &Record, demand: Demand, code: &str) -> Option<ResponseCurve> {
    let runs = record.runs.iter().filter(|run| run.test == code && shows(run));
    let mut points: Vec<LoadPoint> = runs
        .filter_map(|run| {
            let is_open = run.pace.rate().is_some();
            let row = row(run);
            let counted = match demand {
                Demand::Commits => row.transactions_per_second.or_else(|| steps_per_second(run)),
                _ => row.operations_per_second,
            };
            let told = if is_open { times(&run.response) } else { times(&run.service) }?;
            let rate = counted?.0;
            (rate > 0.0).then_some(LoadPoint { rate, jobs: run.dop.jobs, is_open, p50: told.p50_ns, p99: told.p99_ns })
        })
        .collect();
    points.sort_by(|one, other| one.rate.total_cmp(&other.rate));
    // Of two closed loops the one with more sessions may be slower: its times are no curve of the rate.
    let mut kept: Vec<LoadPoint> = Vec::new();
    for point in points {
        let is_behind = kept.iter().any(|known| !known.is_open && !point.is_open && known.jobs > point.jobs);
        if !is_behind {
            kept.push(point);
        } else {
            kept.retain(|known| known.is_open || known.jobs <= point.jobs);
            kept.push(point);
        }
    }
    (!kept.is_empty()).then(|| ResponseCurve { demand, test: code.to_owned(), points: kept })
}
