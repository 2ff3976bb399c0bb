//! Utilisation of the CPU capacity with SMT, from the busy time of the operating system.
//!
//! A second hardware thread of a core adds little, and schedulers fill cores first, so that a machine whose threads are
//! half busy is more than half used.

/// Y: rate with two threads per core over rate with one; at least 1; None without a rate.
pub fn smt_yield(two_threads_per_core: f64, one_thread_per_core: f64) -> Option<f64> {
    let ratio = two_threads_per_core / one_thread_per_core;
    (ratio.is_finite() && ratio > 0.0).then(|| ratio.max(1.0))
}

/// The used share of the capacity for a `busy` share of the threads' time, with two threads per core that yield
/// `yielded` (Y, at least 1) times the rate of one: 2u/Y up to one half, 1/Y + (2u - 1)(1 - 1/Y) above. It is wrong
/// where the scheduler does not fill cores first.
pub fn capacity_used(busy: f64, yielded: f64) -> f64 {
    match busy <= 0.5 {
        true => 2.0 * busy / yielded,
        false => 1.0 / yielded + (2.0 * busy - 1.0) * (1.0 - 1.0 / yielded),
    }
}

/// Headroom as a share of the current rate: 1/used - 1.
pub fn headroom(busy: f64, yielded: f64) -> f64 {
    1.0 / capacity_used(busy, yielded) - 1.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn half_busy_is_four_fifths_used() {
        assert!((capacity_used(0.5, 1.25) - 0.8).abs() < 1e-12);
        assert!((capacity_used(0.75, 1.25) - 0.9).abs() < 1e-12);
        assert!((headroom(0.5, 1.25) - 0.25).abs() < 1e-12);
        assert_eq!((smt_yield(2.5, 2.0), smt_yield(1.9, 2.0), smt_yield(1.0, 0.0)), (Some(1.25), Some(1.0), None));
    }

    #[test]
    fn the_slope_after_the_knee_over_that_before_is_what_the_second_thread_adds() {
        let slope = |from: f64, to: f64| (to - from) / (capacity_used(to, 1.3) - capacity_used(from, 1.3));
        // Rate is proportional to what is used; here is time per rate, hence the inverse.
        assert!((slope(0.1, 0.4) / slope(0.6, 0.9) - 0.3).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn used_rises_from_none_to_all(busy in 0.0f64..1.0, more in 0.0f64..0.1, yielded in 1.0f64..2.0) {
            prop_assert!(capacity_used(busy, yielded) <= capacity_used((busy + more).min(1.0), yielded) + 1e-12);
            prop_assert!((capacity_used(1.0, yielded) - 1.0).abs() < 1e-12 && capacity_used(0.0, yielded) == 0.0);
            prop_assert!(capacity_used(busy, yielded) >= busy - 1e-12);
        }
    }
}
