//! What contradicts itself in a publication, computed from its figures.
//!
//! Only what cannot be true at the same time is remarked: figures that a law ties together and that miss each other by
//! more than [`TOLERANCE`] after each printed figure was granted the half of its last digit where that matters.

mod ceiling;
mod little;
mod load;
mod multithreading;
mod scale_out;
mod think_time;
mod unit;
mod wait;
mod work;

pub(crate) use multithreading::smt_gain;

use crate::load_study::LoadStudy;
use crate::publication::Publication;

/// How far figures that belong together may lie apart, as a ratio.
pub(crate) const TOLERANCE: f64 = 0.05;

/// The same for I/Os per second, their exact size and megabytes per second: nothing is rounded much there, and a
/// megabyte of 2^20 bytes instead of 10^6 (4.9 % more) should not pass.
pub(crate) const UNIT_TOLERANCE: f64 = 0.03;

/// One sentence for each contradiction, with the figures.
pub(crate) fn remarks(publication: &Publication) -> Vec<String> {
    let mut remarks = Vec::new();
    for test in &publication.tests {
        remarks.extend(work::rows_per_operation(test));
        remarks.extend(work::work_per_job(test));
        remarks.extend(unit::io_size(test));
        remarks.extend(unit::sizes_vary(test));
        remarks.extend(unit::redo_within_writes(test));
        remarks.extend(little::table(test));
        remarks.extend(multithreading::remark(publication, test));
        remarks.extend(wait::shares(test));
    }
    remarks.extend(publication.io.iter().filter_map(unit::generator));
    remarks.extend(publication.wait_event.iter().filter_map(wait::average));
    remarks.extend(ceiling::calibration(publication));
    remarks.extend(ceiling::beyond(publication));
    remarks.extend(publication.smt.iter().flat_map(think_time::saturated));
    remarks.extend(publication.single_instance.iter().filter_map(little::single_instance));
    remarks.extend(scale_out::remarks(publication));
    remarks.extend(LoadStudy::of(&publication.load).iter().flat_map(load::arithmetic));
    remarks
}

/// Whether two figures that should be equal are further apart than `tolerance`.
fn differ(found: f64, expected: f64, tolerance: f64) -> bool {
    expected > 0.0 && (found / expected - 1.0).abs() > tolerance
}

/// Of `pairs` of label, found and expected, the one furthest apart beyond `tolerance`, and how many are beyond.
fn worst<L>(pairs: impl Iterator<Item = (L, f64, f64)>, tolerance: f64) -> Option<(L, f64, f64, usize)> {
    let beyond: Vec<(L, f64, f64)> =
        pairs.filter(|(_, found, expected)| differ(*found, *expected, tolerance)).collect();
    let count = beyond.len();
    let distance = |pair: &(L, f64, f64)| (pair.1 / pair.2 - 1.0).abs();
    let (label, found, expected) = beyond.into_iter().max_by(|one, other| distance(one).total_cmp(&distance(other)))?;
    Some((label, found, expected, count))
}

#[cfg(test)]
mod tests;
