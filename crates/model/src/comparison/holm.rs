//! Several tests at once.

/// `p_values` adjusted so that the chance of one false rejection among all of them is kept, in the same order
/// (Holm 1979): the k-th smallest of n times n - k + 1, never less than a smaller one, at most 1.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|one, other| p_values[*one].total_cmp(&p_values[*other]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut least = 0.0f64;
    for (rank, index) in order.into_iter().enumerate() {
        least = least.max(p_values[index] * (p_values.len() - rank) as f64).min(1.0);
        adjusted[index] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn four_by_hand() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
        let expected = [0.03, 0.06, 0.06, 0.02];
        assert!(adjusted.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-12), "{adjusted:?}");
        assert_eq!((holm(&[]), holm(&[0.2])), (vec![], vec![0.2]));
    }

    proptest! {
        #[test]
        fn nothing_becomes_more_significant(p_values in prop::collection::vec(0.0f64..=1.0, 0..30)) {
            let adjusted = holm(&p_values);
            for (at, value) in p_values.iter().enumerate() {

                prop_assert!(adjusted[at] >= *value);
                let smaller = (0..p_values.len()).filter(|other| p_values[*other] < *value);
                prop_assert!(smaller.into_iter().all(|other| adjusted[other] <= adjusted[at]));
            }
        }
    }
}
