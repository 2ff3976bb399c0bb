//! MSER-5: truncation of the beginning of a series (White 1997; Spratt 1998).

/// Values in a batch.
const BATCH: usize = 5;
/// Minimum of batches left.
const BATCHES_LEFT_MIN: usize = 5;

/// The number of values to truncate at the beginning of `values` so that the standard error of the mean of the rest is
/// least, by batch means of five. None where that is not within the first half: the series is not stationary or too
/// short.
///
/// Only a proposal: it assumes all transients at the front and ignores drift.
pub fn mser5(values: &[f64]) -> Option<usize> {
    let batches: Vec<f64> = values.chunks_exact(BATCH).map(|batch| batch.iter().sum::<f64>() / BATCH as f64).collect();
    let count = batches.len();
    let cuts_max = (count / 2).min(count.checked_sub(BATCHES_LEFT_MIN)?);
    // Centred for accuracy.
    let origin = *batches.last()?;
    let (mut sum, mut squares) = (0.0, 0.0);
    let mut best: Option<(f64, usize)> = None;
    for cut in (0..count).rev() {
        let distance = batches[cut] - origin;
        (sum, squares) = (sum + distance, squares + distance * distance);
        let left = (count - cut) as f64;
        let error = (squares - sum * sum / left).max(0.0) / (left * left);
        if cut <= cuts_max && best.is_none_or(|(least, _)| error <= least) {
            best = Some((error, cut));
        }
    }
    best.filter(|(_, cut)| *cut < count / 2).map(|(_, cut)| cut * BATCH)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_transient_at_the_front_is_cut_and_nothing_else() {
        let wave = |length: usize| (0..length).map(|at| 100.0 + [0.0, 2.0, -1.0, 1.0, -2.0][at % 5]);
        let warm: Vec<f64> = (0..30).map(|at| 10.0 + 3.0 * f64::from(at)).chain(wave(170)).collect();
        assert_eq!(mser5(&warm), Some(30));
        assert_eq!(mser5(&[7.0; 60]), Some(0));
        let ramp: Vec<f64> = (0..200).map(f64::from).collect();
        assert_eq!(mser5(&ramp), None, "the least is at the boundary");
        assert_eq!((mser5(&[1.0; 24]), mser5(&[])), (None, None));
    }

    proptest! {
        #[test]
        fn less_than_half_is_cut(values in prop::collection::vec(0.0f64..1e9, 0..200)) {
            if let Some(cut) = mser5(&values) {
                prop_assert!(cut % 5 == 0 && cut * 2 < values.len());
            }
        }
    }
}
