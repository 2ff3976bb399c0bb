//! Scalability of one test, and the verdict on a claim beyond the measurements.

mod document;
mod words;

use model::scalability::{
    Added, Circumstances, Claim, Extrapolation, Judgement, LoadPoint, Scalability, SharedCeiling, Weights,
    extrapolation, judge, load_points, scalability, weighted,
};
use model::{Interval, Remark, System, SystemTest};

pub use document::scale;

use crate::scalability::varied_noun;
use crate::system::remark_text;
use crate::words::unit_per_second;

/// Degrees of parallelism between the largest measured one and the target at which the interval is computed.
const REACH_STEPS: u32 = 12;

/// Rates over degrees of parallelism, measured or given.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadCurve {
    /// The test and the system.
    pub title: String,
    /// The unit of the rates, short: `row/s`.
    pub unit: String,
    /// What is varied, as a plural noun: `jobs`.
    pub noun: String,
    /// One point for each repeat.
    pub points: Vec<LoadPoint>,
    /// Caveats.
    pub remarks: Vec<String>,
}

impl LoadCurve {
    /// The points of `test` on `system`.
    pub fn of_test(system: &System, test: &SystemTest) -> LoadCurve {
        let added = Added::of_test(test);
        let is_on_this = |remark: &&Remark| remark.test().is_none_or(|code| code == test.code);
        let on = added.on_nodes().map(|nodes| format!(" on {nodes} nodes")).unwrap_or_default();
        LoadCurve {
            title: format!("{} {}, {}{on}", test.code, test.title, system.name),
            unit: unit_per_second(test.unit).to_owned(),
            noun: varied_noun(added.varied).to_owned(),
            points: load_points(test),
            remarks: system.remarks.iter().filter(is_on_this).map(remark_text).collect(),
        }
    }

    /// The different degrees of parallelism, ascending.
    pub fn degrees(&self) -> Vec<f64> {
        let mut degrees: Vec<f64> = self.points.iter().map(|point| point.n).collect();
        degrees.sort_by(f64::total_cmp);
        degrees.dedup();
        degrees
    }
}

/// The query about a curve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScaleQuery {
    /// The target degree of parallelism; absent for the curve alone.
    pub at: Option<f64>,
    /// The rate that is claimed there.
    pub claim: Option<f64>,
    /// The text of the claim at its source.
    pub claim_text: Option<String>,
    /// Shared ceilings.
    pub ceilings: Vec<SharedCeiling>,
    /// The weights of the fit.
    pub weights: Weights,
}

/// A curve and its model.
#[derive(Clone, Debug, PartialEq)]
pub struct ScaleView {
    curve: LoadCurve,
    query: ScaleQuery,
    /// Absent with fewer than three different degrees of parallelism.
    fitted: Option<Scalability>,
    /// At the target, where there is one.
    target: Option<Extrapolation>,
    /// Of the claim, where there is one.
    judgement: Option<Judgement>,
    /// The interval at degrees from the largest measured one to the target.
    reach: Vec<(f64, Interval)>,
}

impl ScaleView {
    /// The view of `curve` for `query`.
    pub fn new(curve: LoadCurve, query: ScaleQuery) -> ScaleView {
        let circumstances = Circumstances { ceilings: query.ceilings.clone(), ..Circumstances::default() };
        let points = weighted(&curve.points, query.weights);
        let judgement =
            query.at.zip(query.claim).and_then(|(n, rate)| judge(&points, Claim { n, rate }, &circumstances));
        let target = match &judgement {
            Some(judgement) => Some(judgement.extrapolation.clone()),
            None => query.at.and_then(|n| extrapolation(&points, n, &circumstances)),
        };
        ScaleView {
            fitted: scalability(&points),
            reach: query.at.map(|n| reach(&points, n, &circumstances)).unwrap_or_default(),
            curve,
            query,
            target,
            judgement,
        }
    }

    /// The fit where it has a band: enough degrees test the law, and it fits.
    fn known(&self) -> Option<&Scalability> {
        self.fitted.as_ref().filter(|fitted| fitted.noise.is_some())
    }

    /// The judgement of a claim that more measurements may support.
    fn open_claim(&self) -> Option<&Judgement> {
        self.judgement.as_ref().filter(|judgement| judgement.is_open())
    }
}

/// Intervals by the law at degrees evenly spaced on a log scale from the largest measured one to `target`; nothing where
/// that was measured, or the law does not fit.
fn reach(points: &[LoadPoint], target: f64, circumstances: &Circumstances) -> Vec<(f64, Interval)> {
    let last = points.iter().map(|point| point.n).filter(|n| *n >= 1.0 && n.is_finite()).reduce(f64::max);
    let Some(last) = last.filter(|last| target > *last) else { return Vec::new() };
    let step = (target / last).powf(1.0 / f64::from(REACH_STEPS));
    let degrees = (0..=REACH_STEPS).map(|at| if at == REACH_STEPS { target } else { last * step.powf(f64::from(at)) });
    degrees.filter_map(|n| Some((n, extrapolation(points, n, circumstances)?.by_law?))).collect()
}
