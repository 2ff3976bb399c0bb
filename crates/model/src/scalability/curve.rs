//! The scalability of one test: fit, curve with band, limit, and limitations.

use record::Pace;

use crate::rules::RULES;
use crate::statistics::{Interval, mean};
use crate::system::SystemTest;

use super::added::Added;
use super::fit::{Fit, Form, LoadPoint, Superlinear, distinct, fit, usable};
use super::limit::{Limit, Peak, UnknownLimit, limit};
use super::misfit::{Misfit, misfits};
use super::noise::{Noise, TESTED_FROM, noise};

/// Points of a curve.
const CURVE_POINTS: usize = 48;

/// The scalability of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct Scalability {
    /// The law that fits.
    pub fit: Fit,
    /// The law and its 95 % band from the smallest measured N to `horizon`, logarithmically spaced.
    pub curve: Vec<FittedPoint>,
    /// The measured points per N: mean of the repetitions, and efficiency by the fit.
    pub measured: Vec<MeasuredPoint>,
    /// End of the curve: twice the largest measured N, or less where the band becomes too wide; at least the largest
    /// measured N.
    pub horizon: f64,
    /// The limit.
    pub limit: Limit,
    /// The noise behind all bands; absent, as they are, with fewer than four different N, and where the law does not fit.
    pub noise: Option<Noise>,
    /// Limitations of the fit.
    pub notes: Vec<Note>,
}

impl Scalability {
    /// The 95 % band at `n`.
    pub fn band(&self, n: f64) -> Option<Interval> {
        self.fit.band(n, self.noise?.half_width())
    }

    /// The 95 % intervals of g, s and k.
    pub fn intervals(&self) -> Option<[Interval; 3]> {
        self.fit.intervals(self.noise?.half_width())
    }

    /// The peak, where coherency is significant.
    pub fn peak(&self) -> Option<Peak> {
        if let Limit::Peak(peak) = self.limit { Some(peak) } else { None }
    }

    /// How the law does not fit; empty where it does.
    pub fn misfits(&self) -> impl Iterator<Item = &Misfit> {
        self.notes.iter().filter_map(|note| if let Note::Misfit(misfit) = note { Some(misfit) } else { None })
    }
}

/// A limitation of a fit.
#[derive(Clone, Debug, PartialEq)]
pub enum Note {
    /// Points that are not a rate at an N of at least 1 were ignored.
    Ignored {
        /// Ignored points.
        ignored: usize,
        /// All points.
        points: usize,
    },
    /// Contention would be below 0 without the constraint.
    Superlinear(Superlinear),
    /// The law does not fit the points.
    Misfit(Misfit),
    /// Contention is above 0, but not significantly.
    InsignificantContention,
    /// Coherency is above 0, but not significantly.
    InsignificantCoherency,
    /// The peak is beyond the measured range, so that no decline was measured.
    UnmeasuredPeak {
        /// N of the peak.
        n: f64,
        /// The largest measured N.
        n_max: f64,
    },
    /// Three different N determine the coefficients and test nothing: there is no band.
    NoFreedom,
    /// Linear within the measured range; its limit is unknown.
    Linear,
}

/// A point of the fitted curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FittedPoint {
    /// N.
    pub n: f64,
    /// The rate of the fit.
    pub rate: f64,
    /// The 95 % band around it.
    pub band: Option<Interval>,
}

/// The measured rate at one N.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredPoint {
    /// N.
    pub n: f64,
    /// Mean rate.
    pub rate: f64,
    /// Rate over N times the fitted rate of one.
    pub efficiency: f64,
    /// Repetitions.
    pub repeats: usize,
}

/// The scalability of `points`; None with fewer than three different N.
pub fn scalability(points: &[LoadPoint]) -> Option<Scalability> {
    let fit = fit(points)?;
    let used = usable(points);
    let misfits = misfits(points, &fit, None);
    let doubt = match () {
        () if distinct(points) < TESTED_FROM => Some(UnknownLimit::FewDegrees),
        () if !misfits.is_empty() => Some(UnknownLimit::Misfit),
        () => None,
    };
    let noise = doubt.is_none().then(|| noise(points, Some(&fit), None));
    let run_width = noise.map(Noise::half_width);
    let limit = match (doubt, run_width) {
        (None, Some(run_width)) => limit(&fit, run_width),
        (doubt, _) => Limit::Unknown(doubt.unwrap_or(UnknownLimit::FewDegrees)),
    };
    let horizon = horizon(&fit, run_width);
    let first = fit.n_range.0;
    let step = (horizon / first).powf(1.0 / (CURVE_POINTS - 1) as f64);
    let curve = (0..CURVE_POINTS).map(|at| first * step.powi(at as i32)).map(|n| FittedPoint {
        n,
        rate: fit.rate(n),
        band: run_width.and_then(|run_width| fit.band(n, run_width)),
    });
    let mut found = Scalability {
        curve: curve.collect(),
        measured: measured(&used, &fit),
        horizon,
        limit,
        noise,
        notes: Vec::new(),
        fit,
    };
    found.notes = notes(points.len(), &found, misfits);
    Some(found)
}

/// The end of the curve.
fn horizon(fit: &Fit, run_width: Option<f64>) -> f64 {
    let last = fit.n_range.1;
    let log_width = |n: f64| fit.log_half_width(n, run_width?);
    let is_narrow = |n: f64| log_width(n).is_none_or(|width| width.exp() <= RULES.scale_interval_factor_max);
    let steps = (0..=16).map(|at| last * (1.0 + (RULES.scale_horizon - 1.0) * f64::from(at) / 16.0));
    steps.take_while(|n| is_narrow(*n)).last().unwrap_or(last)
}

fn measured(used: &[LoadPoint], fit: &Fit) -> Vec<MeasuredPoint> {
    let same = used.chunk_by(|one, other| one.n == other.n);
    same.filter_map(|same| {
        let n = same.first()?.n;
        let rate = mean(&same.iter().map(|point| point.rate).collect::<Vec<f64>>())?;
        Some(MeasuredPoint { n, rate, efficiency: rate / (n * fit.per_unit), repeats: same.len() })
    })
    .collect()
}

/// The limitations of `found`, which is of `points` points.
fn notes(points: usize, found: &Scalability, misfits: Vec<Misfit>) -> Vec<Note> {
    let fit = &found.fit;
    let ignored = points - fit.points;
    let insignificant = |at: usize| {
        let interval = found.intervals().map(|intervals| intervals[at]);
        interval.is_some_and(|interval| interval.estimate > 0.0 && interval.low <= 0.0)
    };
    let mut notes: Vec<Note> = (ignored > 0).then_some(Note::Ignored { ignored, points }).into_iter().collect();
    notes.extend(fit.superlinear.map(Note::Superlinear));
    notes.extend(misfits.into_iter().map(Note::Misfit));
    notes.extend(insignificant(1).then_some(Note::InsignificantContention));
    notes.extend(insignificant(2).then_some(Note::InsignificantCoherency));
    if let Some(Peak { n, is_measured: false, .. }) = found.peak() {
        notes.push(Note::UnmeasuredPeak { n, n_max: fit.n_range.1 });
    }
    notes.extend((found.measured.len() < TESTED_FROM).then_some(Note::NoFreedom));
    notes.extend((fit.form == Form::Linear).then_some(Note::Linear));
    notes
}

/// The points of `test`, one per repetition, over the quantity of [`Added`]. Empty for an open loop, whose rate is
/// given.
pub fn load_points(test: &SystemTest) -> Vec<LoadPoint> {
    if matches!(test.pace, Pace::Rate { .. } | Pace::Poisson { .. }) {
        return Vec::new();
    }
    let added = Added::of_test(test);
    let points = test.points.iter().filter_map(|point| Some((added.n(point.degree)?, &point.rates)));
    points
        .flat_map(|(n, rates)| rates.iter().map(move |rate| LoadPoint::new(f64::from(n), rate.per_second.0)))
        .collect()
}

#[cfg(test)]
mod tests {
    use record::{Dop, Rate, Sweep};

    use super::*;
    use crate::degree::Degree;
    use crate::fixture::{record, run};
    use crate::system::{MeasuredRate, SystemPoint, system};

    fn law(n: f64) -> f64 {
        100.0 * n / (1.0 + 0.02 * (n - 1.0) + 2e-3 * n * (n - 1.0))
    }

    #[test]
    fn a_test_with_a_measured_peak() {
        let points: Vec<LoadPoint> =
            (0..7).map(|power| f64::from(1u32 << power)).map(|n| LoadPoint::new(n, law(n))).collect();
        let found = scalability(&points).unwrap();
        let peak = found.peak().unwrap();
        assert!((peak.n - (0.98f64 / 2e-3).sqrt()).abs() < 1e-6 && peak.is_measured);
        assert!((peak.knee_n - law(490f64.sqrt()) / 100.0).abs() < 1e-6);
        assert_eq!((found.measured.len(), found.horizon, found.curve.len()), (7, 128.0, CURVE_POINTS));
        assert!((found.measured[6].efficiency - law(64.0) / 6_400.0).abs() < 1e-9);
        let (first, last) = (found.curve[0], found.curve[CURVE_POINTS - 1]);
        assert!((first.n - 1.0).abs() < 1e-12 && (last.n - 128.0).abs() < 1e-9 && last.band.is_some());
        assert_eq!(found.notes, []);
    }

    #[test]
    fn limitations_are_noted() {
        let notes = |points: &[(f64, f64)]| {
            let points: Vec<LoadPoint> = points.iter().map(|(n, rate)| LoadPoint::new(*n, *rate)).collect();
            scalability(&points).unwrap().notes
        };
        assert_eq!(notes(&[(1.0, 55.0), (2.0, 110.0), (3.0, 165.0)]), [Note::NoFreedom, Note::Linear]);
        let cold = notes(&[(1.0, 50.0), (2.0, 190.0), (4.0, 380.0), (8.0, 720.0), (0.0, 1.0)]);
        let is_cold = matches!(cold[..], [Note::Ignored { ignored: 1, points: 5 }, Note::Superlinear(_), ..]);
        assert!(is_cold, "{cold:?}");
        let rising = notes(&[1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 20.0].map(|n| (n, law(n))));
        let is_beyond = |note: &Note| matches!(note, Note::UnmeasuredPeak { n, n_max: 20.0 } if n.round() == 22.0);
        assert!(rising.iter().any(is_beyond), "{rising:?}");
        assert_eq!(scalability(&[LoadPoint::new(1.0, 1.0), LoadPoint::new(2.0, 2.0)]), None);
    }

    fn test_of(points: Vec<SystemPoint>, sweep: Sweep) -> SystemTest {
        let measured = system(&record(vec![run("T611", 1)]));
        SystemTest { points, sweep, ..measured.tests[0].clone() }
    }

    fn point(nodes: u32, jobs: u32, rates: &[f64]) -> SystemPoint {
        let rates = rates.iter().zip(1..).map(|(rate, repeat)| MeasuredRate { repeat, per_second: Rate(*rate) });
        let degree = Degree { dop: Dop { nodes, ..Dop::jobs(jobs) }, in_flight: None };
        SystemPoint { degree, rates: rates.collect(), ..SystemPoint::default() }
    }

    #[test]
    fn the_points_are_over_the_varied_quantity() {
        let ns = |test: &SystemTest| load_points(test).iter().map(|point| point.n).collect::<Vec<f64>>();
        let jobs = vec![point(1, 1, &[1.0, 2.0]), point(1, 2, &[]), point(1, 4, &[5.0])];
        assert_eq!(ns(&test_of(jobs.clone(), Sweep::Jobs)), [1.0, 1.0, 4.0]);
        let given = Pace::Poisson { steps_per_second: 5.0 };
        assert_eq!(ns(&SystemTest { pace: given, ..test_of(jobs.clone(), Sweep::Jobs) }), [0.0; 0]);
        assert_eq!(ns(&test_of(jobs, Sweep::Threads)), [1.0, 1.0, 1.0]);
        let nodes = vec![point(1, 8, &[1.0]), point(3, 8, &[3.0])];
        assert_eq!(ns(&test_of(nodes, Sweep::Jobs)), [1.0, 3.0]);
        let mixed = vec![point(1, 8, &[1.0]), point(3, 4, &[2.0]), point(3, 8, &[3.0])];
        assert_eq!(ns(&test_of(mixed, Sweep::Jobs)), [4.0, 8.0], "on the most nodes");
        let without = vec![point(1, 4, &[1.0]), point(1, 8, &[2.0]), point(3, 4, &[]), point(3, 8, &[])];
        assert_eq!(ns(&test_of(without, Sweep::Jobs)), [4.0, 8.0], "on the most nodes that have a rate");
    }
}
