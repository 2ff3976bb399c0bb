//! Quantiles of intervals by their length.

use super::timeline::Slice;

/// The lowest average that the load did not exceed for the share `quantile` of the time; absent where less than one interval lies
/// beyond it.
pub(super) fn quantile(slices: &[Slice], quantile: f64) -> Option<f64> {
    if (slices.len() as f64) * (1.0 - quantile) < 1.0 - 1e-9 {
        return None;
    }
    let mut sorted: Vec<&Slice> = slices.iter().collect();
    sorted.sort_by(|one, other| one.average.total_cmp(&other.average));
    let goal = quantile * slices.iter().map(|slice| slice.seconds).sum::<f64>();
    let mut passed = 0.0;
    for slice in &sorted {
        passed += slice.seconds;
        if passed >= goal * (1.0 - 1e-9) {
            return Some(slice.average);
        }
    }
    sorted.last().map(|slice| slice.average)
}
