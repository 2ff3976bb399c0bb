//! What memory of other nodes costs.

/// Accesses from one node to the memory of another, or its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NumaAccess {
    /// Their share of all accesses; shares add up to 1.
    pub share: f64,
    /// What one takes.
    pub latency_ns: f64,
}

/// The latency that the accesses have on average.
pub fn effective_latency_ns(accesses: &[NumaAccess]) -> f64 {
    accesses.iter().map(|access| access.share * access.latency_ns).sum()
}

/// The share of the rate that is lost where the kernel places, against work bound to its own node; none where that has
/// no rate. Below zero where the kernel does better.
pub fn numa_tax(placed_by_kernel: f64, bound_to_node: f64) -> Option<f64> {
    (bound_to_node > 0.0).then(|| 1.0 - placed_by_kernel / bound_to_node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interleaved_over_two_nodes() {
        let access = |latency_ns| NumaAccess { share: 0.5, latency_ns };
        assert_eq!(effective_latency_ns(&[access(90.0), access(150.0)]), 120.0);
        assert!((numa_tax(85.0, 100.0).unwrap() - 0.15).abs() < 1e-12);
        assert_eq!(numa_tax(1.0, 0.0), None);
    }
}
