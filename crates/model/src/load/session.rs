//! The cost of a byte of flat file as a function of the number of sessions, for one kind of table.

use super::observation::Observation;
use crate::scalability::{LoadPoint, fit};

/// Minimum of different numbers of sessions for a fit of the scalability law.
const FITTED_FROM: usize = 3;

/// Values by number of sessions, ascending.
type Series = Vec<(f64, f64)>;

/// The cost curve of one kind of table.
#[derive(Clone, Debug, Default)]
pub(super) struct Curve {
    /// Time per byte of a session, nanoseconds, of session-bound runs.
    sessions: Series,
    /// CPU time per byte without input, nanoseconds.
    cpu: Series,
    /// Processors used, of processor-bound runs.
    used: Series,
    /// Sessions and input of read-bound runs.
    read_bound: Vec<(f64, String)>,
    /// Usable processors in the busiest run.
    usable: Option<f64>,
    /// Processors of the host.
    pub(super) processors: Option<f64>,
    /// The curves that a kind of table that was not measured is composed from.
    others: Option<Box<[Curve; 3]>>,
}

/// The curve of `seen`, loads into one kind of table; None without loads.
pub(super) fn curve<'a>(seen: impl Iterator<Item = &'a Observation<'a>>) -> Option<Curve> {
    let seen: Vec<&Observation<'_>> = seen.collect();
    if seen.is_empty() {
        return None;
    }
    let of = |value: &dyn Fn(&Observation<'_>) -> Option<f64>| {
        means(seen.iter().filter_map(|seen| Some((seen.jobs, value(seen)?))).collect())
    };
    // Processors used are CPU time per byte times bytes per second; those of the host follow from the utilisation.
    let cores = |seen: &Observation<'_>| Some((seen.other_cpu_ns? + seen.input_cpu_ns) * seen.rate / 1e9);
    let host = |seen: &Observation<'_>| Some(cores(seen)? / seen.used.filter(|used| *used > 0.0)?);
    let usable = |seen: &Observation<'_>| Some(cores(seen)? + seen.idle? * host(seen)?);
    let busiest = seen.iter().filter(|seen| seen.idle.is_some());
    let busiest = busiest.min_by(|one, other| one.idle.unwrap_or(1.0).total_cmp(&other.idle.unwrap_or(1.0)));
    let read_bound = seen.iter().filter(|seen| seen.is_read_bound && !seen.is_processor_bound());
    Some(Curve {
        sessions: of(&|seen| seen.is_session_bound().then(|| seen.jobs * 1e9 / seen.rate)),
        cpu: of(&|seen| seen.other_cpu_ns),
        used: of(&|seen| cores(seen).filter(|_| seen.is_processor_bound())),
        read_bound: read_bound.map(|seen| (seen.jobs, seen.input.to_owned())).collect(),
        usable: busiest.and_then(|seen| usable(seen)),
        processors: seen.iter().find_map(|seen| host(seen)),
        others: None,
    })
}

impl Curve {
    /// The fourth kind: the extra costs of `one` and `other` over `neither` add up.
    pub(super) fn composed(one: Curve, other: Curve, neither: Curve) -> Curve {
        Curve {
            used: neither.used.clone(),
            read_bound: neither.read_bound.clone(),
            usable: neither.usable,
            processors: neither.processors,
            others: Some(Box::new([one, other, neither])),
            ..Curve::default()
        }
    }

    /// Time per byte of one of `jobs` sessions, nanoseconds; None where not known.
    pub(super) fn session_ns(&self, jobs: f64) -> Option<f64> {
        match &self.others {
            Some(others) => sum(others, |curve| curve.session_ns(jobs)),
            None => session_ns(&self.sessions, jobs),
        }
    }

    /// CPU time per byte without input, nanoseconds; outside the measured range that of the nearest number of sessions.
    pub(super) fn cpu_ns(&self, jobs: f64) -> Option<f64> {
        match &self.others {
            Some(others) => sum(others, |curve| curve.cpu_ns(jobs)),
            None => between(&self.cpu, jobs),
        }
    }

    /// Processors that `jobs` sessions can use: as in processor-bound runs, otherwise as in the busiest run.
    pub(super) fn capacity(&self, jobs: f64) -> Option<f64> {
        between(&self.used, jobs).or(self.usable)
    }

    /// Whether a run with at most `jobs` sessions was bound by processors or by readers of `input`, so that more
    /// sessions would not help.
    pub(super) fn is_bound_at(&self, jobs: f64, input: &str) -> bool {
        let of_processors = self.used.iter().any(|(at, _)| *at <= jobs);
        of_processors || self.read_bound.iter().any(|(at, of)| *at <= jobs && of == input)
    }
}

/// The first two less the third one; None unless above 0.
fn sum([one, other, neither]: &[Curve; 3], value: impl Fn(&Curve) -> Option<f64>) -> Option<f64> {
    Some(value(one)? + value(other)? - value(neither)?).filter(|sum| *sum > 0.0)
}

/// Mean value per number, ascending.
fn means(mut values: Series) -> Series {
    values.sort_by(|one, other| one.0.total_cmp(&other.0));
    let same = values.chunk_by(|one, other| one.0 == other.0);
    same.map(|same| (same[0].0, same.iter().map(|(_, value)| value).sum::<f64>() / same.len() as f64)).collect()
}

/// The value at `jobs`, linearly interpolated; outside the range that of the nearest one.
fn between(series: &[(f64, f64)], jobs: f64) -> Option<f64> {
    let (first, last) = (series.first()?, series.last()?);
    if jobs <= first.0 {
        return Some(first.1);
    }
    let pair = series.windows(2).find(|pair| jobs <= pair[1].0);
    Some(pair.map_or(last.1, |pair| on_line(pair[0], pair[1], jobs)))
}

fn on_line((from, low): (f64, f64), (to, high): (f64, f64), jobs: f64) -> f64 {
    low + (high - low) * (jobs - from) / (to - from)
}

/// The time per byte of one of `jobs` sessions: measured, interpolated, or by the fitted law.
fn session_ns(series: &[(f64, f64)], jobs: f64) -> Option<f64> {
    let (first, last) = (series.first()?, series.last()?);
    if (first.0..=last.0).contains(&jobs) {
        return between(series, jobs);
    }
    let time = match series {
        [(only, time)] => (jobs >= *only).then_some(*time)?,
        [one, other] => on_line(*one, *other, jobs).max(0.0),
        all if all.len() >= FITTED_FROM => {
            let points: Vec<LoadPoint> = all.iter().map(|(n, time)| LoadPoint::new(*n, n * 1e9 / time)).collect();
            jobs * 1e9 / fit(&points)?.rate(jobs)
        }
        _ => return None,
    };
    // A session does not get faster with more sessions.
    let time = if jobs > last.0 { time.max(last.1) } else { time };
    (time > 0.0).then_some(time)
}
