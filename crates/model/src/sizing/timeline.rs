//! One figure over time: the intervals of several instances made one after the other and summed.

use std::collections::BTreeMap;

use record::load_profile::{Amount, Interval, SourceMoment};

/// A stretch of time in which all instances tell a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slice {
    /// Its start.
    pub started_at: SourceMoment,
    /// Its length.
    pub seconds: f64,
    /// The figure of all instances.
    pub average: f64,
    /// The sum of the maxima within the intervals: no less than the true one; absent where one of them is not told.
    pub max: Option<f64>,
}

/// A figure over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Timeline {
    /// In order of time, not overlapping.
    pub slices: Vec<Slice>,
    /// Seconds in which some instance tells it and another one does not: they are left out.
    pub incomplete_seconds: f64,
    /// Instances that tell it at some time.
    pub instances: usize,
}

/// A stretch shorter than this share of the shortest interval is the difference of two clocks.
const SLIVER: f64 = 0.05;

/// The sum over instances of what `amount` finds in `intervals`, each with its weight.
pub(super) fn timeline<'a>(
    intervals: impl Iterator<Item = &'a Interval>,
    amount: impl Fn(&Interval) -> Option<Amount>,
) -> Timeline {
    let mut of_instance: BTreeMap<u32, Vec<(f64, f64, Amount)>> = BTreeMap::new();
    let mut shortest = f64::INFINITY;
    for interval in intervals {
        let Some(found) = amount(interval) else { continue };
        let start = interval.started_at_ms.0 as f64 / 1e3;
        shortest = shortest.min(interval.seconds);
        of_instance.entry(interval.instance).or_default().push((start, start + interval.seconds, found));
    }
    let mut lanes: Vec<Vec<(f64, f64, Amount)>> = of_instance.into_values().collect();
    lanes.iter_mut().for_each(|lane| lane.sort_by(|one, other| one.0.total_cmp(&other.0)));
    let mut bounds: Vec<f64> = lanes.iter().flatten().flat_map(|(start, end, _)| [*start, *end]).collect();
    bounds.sort_by(f64::total_cmp);
    bounds.dedup();
    let mut found = Timeline { instances: lanes.len(), ..Timeline::default() };
    let mut next = vec![0; lanes.len()];
    for pair in bounds.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        let mut at_work = Vec::with_capacity(lanes.len());
        for (lane, next) in lanes.iter().zip(&mut next) {
            while lane.get(*next).is_some_and(|(_, end, _)| *end <= from) {
                *next += 1;
            }
            at_work.extend(lane.get(*next).filter(|(start, ..)| *start <= from).map(|(.., amount)| *amount));
        }
        let seconds = to - from;
        if at_work.is_empty() || seconds < SLIVER * shortest {
            continue;
        }
        if at_work.len() < lanes.len() {
            found.incomplete_seconds += seconds;
            continue;
        }
        found.slices.push(Slice {
            started_at: SourceMoment((from * 1e3).round() as i64),
            seconds,
            average: at_work.iter().map(|amount| amount.average).sum(),
            max: at_work.iter().map(|amount| amount.max).sum(),
        });
    }
    found
}
