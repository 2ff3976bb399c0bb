//! Memory probes.

use measure::Broken;

pub(crate) mod latency;
pub(crate) mod read;
pub(crate) mod triad;

/// A vector of exactly `length` values, all of its pages touched by the calling thread.
fn prefaulted<T>(code: &str, length: usize, value: impl Fn(usize) -> T) -> Result<Vec<T>, Broken> {
    let mut values = Vec::new();
    values.try_reserve_exact(length).map_err(|_| Broken {
        message: format!("{code}: cannot allocate {} bytes of memory", length.saturating_mul(size_of::<T>())),
    })?;
    values.extend((0..length).map(value));
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_allocation_is_an_error() {
        let broken = prefaulted("M11", usize::MAX / 16, |_| 0.0f64).unwrap_err();
        assert!(broken.message.contains("M11: cannot allocate"), "{}", broken.message);
    }
}
