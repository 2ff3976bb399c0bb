//! The ratio of the rates of two points: by pairs, by repeats, by single runs.

use std::collections::BTreeMap;

use super::Shift;
use super::claim::Claim;
use super::headline::Choice;
use super::logarithm::{LOG_OF_RATIO_MAX, LOG_OF_ZERO, log, logs, ratio, ratios};
use super::rank_sum::{rank_sum, shifts_of_repeats};
use super::shifts::Shifts;
use super::signed_rank::{shifts_of_pairs, signed_rank};
use super::verdict::Evidence;
use crate::rules::RULES;
use crate::statistics::{Interval, variance};
use crate::system::{Origin, Paired, System, SystemPoint};

/// A shift with what its verdict rests on.
pub(super) struct Shifted {
    pub(super) shift: Shift,
    /// The verdict that the runs come nearest to; absent without repeats.
    pub(super) claim: Option<Claim>,
    /// Logarithm of the ratio of each pair, by repeat; empty without pairs.
    pub(super) pairs: BTreeMap<u32, f64>,
}

/// Whether the two are the sides of one pair.
pub(super) fn are_paired(systems: [&System; 2]) -> bool {
    pairing(systems).is_some()
}

/// The pairing of the two sides; None where they are not of one pair.
pub(super) fn pairing([base, other]: [&System; 2]) -> Option<[&Paired; 2]> {
    let (one, another) = (base.paired()?, other.paired()?);
    (base.name != other.name && one.with == other.name && another.with == base.name).then_some([one, another])
}

/// The shift of the points of `choice`.
pub(super) fn shifted(systems: [&System; 2], choice: Choice<'_>, margin: f64) -> Option<Shifted> {
    let (base_logs, other_logs) = (logs(choice.base), logs(choice.other));
    // Repeats at different degrees of parallelism have the same number but were not adjacent.
    if are_paired(systems) && choice.base.degree == choice.other.degree {
        let pairs: BTreeMap<u32, f64> =
            base_logs.iter().filter_map(|(repeat, one)| Some((*repeat, other_logs.get(repeat)? - one))).collect();
        if !pairs.is_empty() {
            return paired(pairs, choice.choices, margin);
        }
    }
    let is_published = |system: &System| matches!(system.origin, Origin::Published { .. });
    if systems.into_iter().any(is_published) {
        return plain(Evidence::Published, choice);
    }
    if base_logs.len() < 2 || other_logs.len() < 2 {
        return plain(Evidence::Single, choice);
    }
    unpaired(base_logs.into_values().collect(), other_logs.into_values().collect(), choice.choices, margin)
}

fn paired(pairs: BTreeMap<u32, f64>, choices: [usize; 2], margin: f64) -> Option<Shifted> {
    let differences: Vec<f64> = pairs.values().copied().collect();
    let wins: f64 = differences.iter().map(|difference| 0.5 + 0.5 * sign(*difference)).sum();
    let deviation = (differences.len() >= 2).then(|| variance(&differences).sqrt());
    let frame = Frame {
        evidence: Evidence::Paired { pairs: differences.len() },
        p_value: signed_rank(&differences)?.p_value,
        superiority: wins / differences.len() as f64,
        deviation: deviation.filter(|_| differences.iter().all(|difference| difference.abs() < LOG_OF_RATIO_MAX)),
    };
    Some(Shifted { pairs, ..frame.shifted(&shifts_of_pairs(&differences)?, choices, margin) })
}

fn unpaired(base: Vec<f64>, other: Vec<f64>, choices: [usize; 2], margin: f64) -> Option<Shifted> {
    let test = rank_sum(&base, &other)?;
    let has_zero = base.iter().chain(&other).any(|log| *log <= LOG_OF_ZERO);
    let frame = Frame {
        evidence: Evidence::Unpaired { base: base.len(), other: other.len() },
        p_value: test.p_value,
        superiority: test.superiority,
        deviation: (!has_zero).then(|| (variance(&base) + variance(&other)).sqrt()),
    };
    Some(frame.shifted(&shifts_of_repeats(&base, &other)?, choices, margin))
}

/// What pairs and repeats have in common.
struct Frame {
    evidence: Evidence,
    p_value: f64,
    superiority: f64,
    deviation: Option<f64>,
}

impl Frame {
    fn shifted(self, shifts: &Shifts, choices: [usize; 2], margin: f64) -> Shifted {
        // Where the point of a side was chosen, it may be too fast by chance.
        let [for_base, for_other] = choices.map(|count| count.max(1) as f64);
        let interval = |tail: f64| shifts.interval(tail / for_other, tail / for_base).map(ratios);
        let shift = Shift {
            ratio: ratio(shifts.median()),
            evidence: self.evidence,
            choices,
            interval: interval(RULES.significance / 2.0),
            equivalence: interval(RULES.equivalence_significance),
            p_value: Some((self.p_value * for_base.max(for_other)).min(1.0)),
            superiority: Some(self.superiority),
            deviation: self.deviation,
        };
        Shifted { shift, claim: Some(Claim::of(shifts, margin, choices)), pairs: BTreeMap::new() }
    }
}

/// A ratio of medians.
fn plain(evidence: Evidence, choice: Choice<'_>) -> Option<Shifted> {
    let middle = log(choice.other.median()?.0) - log(choice.base.median()?.0);
    let interval = match evidence {
        Evidence::Single => within_runs(middle, choice.base, choice.other),
        _ => None,
    };
    let shift = Shift {
        ratio: ratio(middle),
        evidence,
        choices: choice.choices,
        interval,
        equivalence: None,
        p_value: None,
        superiority: None,
        deviation: None,
    };
    Some(Shifted { shift, claim: None, pairs: BTreeMap::new() })
}

/// The interval of a ratio of two single runs from the noise within each: relative errors add in quadrature.
fn within_runs(middle: f64, base: &SystemPoint, other: &SystemPoint) -> Option<Interval> {
    let half = (base.within_run?.0.powi(2) + other.within_run?.0.powi(2)).sqrt();
    Some(ratios(Interval::around(middle, half)))
}

fn sign(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value.signum() }
}
