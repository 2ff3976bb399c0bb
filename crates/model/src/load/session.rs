//! What a byte of flat file costs over the number of sessions, for one way of storing the table.

use super::observation::Observation;
use crate::scalability::{LoadPoint, fit};

/// Different numbers of sessions from which on the law of scalability is fitted.
const FITTED_FROM: usize = 3;

/// Values over numbers of sessions, ascending, one for each number.
type Series = Vec<(f64, f64)>;

/// What is known of one way of storing the table.
#[derive(Clone, Debug, Default)]
pub(super) struct Curve {
    /// Time of a session for a byte, nanoseconds, of runs in which sessions were not held up.
    sessions: Series,
    /// Processor time for a byte without that of bringing it, nanoseconds.
    cpu: Series,
    /// Processors that the load used, of runs in which none was left.
    used: Series,
    /// Sessions and input of runs that were held up by their readers.
    read_bound: Vec<(f64, String)>,
    /// Processors that it could have used in the busiest run.
    usable: Option<f64>,
    /// Processors of the host.
    pub(super) processors: Option<f64>,
    /// What is added and taken away to make a way of storing that was not measured.
    others: Option<Box<[Curve; 3]>>,
}

/// What `seen`, loads into tables stored in one way, say; none of none.
pub(super) fn curve<'a>(seen: impl Iterator<Item = &'a Observation<'a>>) -> Option<Curve> {
    let seen: Vec<&Observation<'_>> = seen.collect();
    if seen.is_empty() {
        return None;
    }
    let of = |value: &dyn Fn(&Observation<'_>) -> Option<f64>| {
        means(seen.iter().filter_map(|seen| Some((seen.jobs, value(seen)?))).collect())
    };
    // Processors in use are processor time for a byte times bytes a second; those of the host follow from the share.
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
    /// The fourth way of storing: what `one` and `other` cost more than `neither` adds up.
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

    /// Time of a session for a byte where there are `jobs` of them, nanoseconds; none where no run tells.
    pub(super) fn session_ns(&self, jobs: f64) -> Option<f64> {
        match &self.others {
            Some(others) => sum(others, |curve| curve.session_ns(jobs)),
            None => session_ns(&self.sessions, jobs),
        }
    }

    /// Processor time for a byte without that of bringing it, nanoseconds; that of the nearest number of sessions where it
    /// lies beyond all.
    pub(super) fn cpu_ns(&self, jobs: f64) -> Option<f64> {
        match &self.others {
            Some(others) => sum(others, |curve| curve.cpu_ns(jobs)),
            None => between(&self.cpu, jobs),
        }
    }

    /// Processors that `jobs` sessions may use: as many as they did where none was left, else what the busiest run left.
    pub(super) fn capacity(&self, jobs: f64) -> Option<f64> {
        between(&self.used, jobs).or(self.usable)
    }

    /// Whether with `jobs` sessions, or fewer, no processor was left, or readers of `input` held sessions up: then more
    /// sessions would not have done more, however fast each of them is.
    pub(super) fn is_held_up_at(&self, jobs: f64, input: &str) -> bool {
        let of_processors = self.used.iter().any(|(at, _)| *at <= jobs);
        of_processors || self.read_bound.iter().any(|(at, of)| *at <= jobs && of == input)
    }
}

/// What the first two have, less what the third one has; none where that is not above 0.
fn sum([one, other, neither]: &[Curve; 3], value: impl Fn(&Curve) -> Option<f64>) -> Option<f64> {
    Some(value(one)? + value(other)? - value(neither)?).filter(|sum| *sum > 0.0)
}

/// The mean of the values at each number, ascending.
fn means(mut values: Series) -> Series {
    values.sort_by(|one, other| one.0.total_cmp(&other.0));
    let same = values.chunk_by(|one, other| one.0 == other.0);
    same.map(|same| (same[0].0, same.iter().map(|(_, value)| value).sum::<f64>() / same.len() as f64)).collect()
}

/// The value at `jobs`, on a straight line between its neighbours; beyond all, that of the nearest one.
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

/// The time of a session where there are `jobs`: measured, between two measured ones, or by the law that fits them.
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
    // More sessions do not make one of them faster.
    let time = if jobs > last.0 { time.max(last.1) } else { time };
    (time > 0.0).then_some(time)
}
