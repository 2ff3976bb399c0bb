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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interleaved_over_two_nodes() {
        let access = |latency_ns| NumaAccess { share: 0.5, latency_ns };
        assert_eq!(effective_latency_ns(&[access(90.0), access(150.0)]), 120.0);
    }
}
