//! The information bound: what a measurement up to some N can say of a larger one at best.
//!
//! Where the efficiency at the largest measured N is known to ±e only, u = 1/(1 - e) - 1 may be undetected contention
//! or coherency: s up to u/(N_max - 1), k up to u/(N_max (N_max - 1)). Their effect at a larger N follows from the law.
//! The bound holds even for a perfect fit with many points.

/// The N to measure up to before a claim about a larger one can be supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeededN {
    /// If coherency can be excluded by other means.
    pub contention_only: u64,
    /// If not.
    pub coherency: u64,
}

/// The N to measure up to to support `efficiency`, in (0, 1), at `target`, where efficiencies are known to
/// ±`precision`; at most the target itself.
pub fn needed_n(target: f64, efficiency: f64, precision: f64) -> NeededN {
    let allowed = 1.0 / efficiency - 1.0;
    let unseen = unseen(precision);
    let capped = |n: f64| match n.is_finite() && n < target {
        true => n.ceil().max(1.0) as u64,
        false => target.max(1.0) as u64,
    };
    // Tolerates rounding errors.
    let exactly = |value: f64| value * (1.0 - 1e-12);
    let pairs = exactly(unseen * target * (target - 1.0) / allowed);
    NeededN {
        contention_only: capped(1.0 + exactly(unseen * (target - 1.0) / allowed)),
        coherency: capped((1.0 + (1.0 + 4.0 * pairs).sqrt()) / 2.0),
    }
}

/// u: undetected part of the divisor at the largest measured N.
fn unseen(precision: f64) -> f64 {
    1.0 / (1.0 - precision) - 1.0
}

/// N to measure up to `n_max`: doublings, and `n_max` itself.
pub fn sweep(n_max: u64) -> Vec<u64> {
    let doublings = std::iter::successors(Some(1u64), |n| n.checked_mul(2));
    doublings.take_while(|n| *n < n_max).chain([n_max.max(1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least efficiency at `target` by the law, where all that goes unseen at `n_max` is contention, or coherency.
    fn least_efficiency(target: f64, n_max: f64, precision: f64) -> [f64; 2] {
        let unseen = unseen(precision);
        let contention = unseen * (target - 1.0) / (n_max - 1.0);
        let coherency = unseen * target * (target - 1.0) / (n_max * (n_max - 1.0));
        [contention, coherency].map(|lost| 1.0 / (1.0 + lost))
    }

    #[test]
    fn needed_n_for_a_claim_about_128() {
        let table = [(0.9, [39, 56], [13, 25]), (0.8, [27, 37], [7, 12]), (0.5, [14, 19], [3, 4])];
        for (efficiency, coherency, contention) in table {
            let needed = [0.01, 0.02].map(|precision| needed_n(128.0, efficiency, precision));
            assert_eq!(needed.map(|needed| needed.coherency), coherency, "{efficiency}");
            assert_eq!(needed.map(|needed| needed.contention_only), contention, "{efficiency}");
        }
    }

    #[test]
    fn the_bound_and_what_is_needed_are_inverse() {
        for n_max in [3.0, 16.0, 39.0, 64.0] {
            let [by_contention, by_coherency] = least_efficiency(128.0, n_max, 0.01);
            assert_eq!(needed_n(128.0, by_coherency, 0.01).coherency, n_max as u64);
            assert_eq!(needed_n(128.0, by_contention, 0.01).contention_only, n_max as u64);
        }
    }

    #[test]
    fn a_claim_of_linear_scaling_needs_the_target() {
        assert_eq!(needed_n(128.0, 1.0, 0.01).coherency, 128);
        assert_eq!(needed_n(128.0, 0.994, 0.01).coherency, 128);
        assert_eq!(needed_n(128.0, 1.2, 0.01).coherency, 128);
    }

    #[test]
    fn a_sweep_doubles() {
        assert_eq!(sweep(39), [1, 2, 4, 8, 16, 32, 39]);
        assert_eq!((sweep(4), sweep(1), sweep(0)), (vec![1, 2, 4], vec![1], vec![1]));
    }
}
