//! What main memory gives, without a database.

use measure::Broken;

pub(crate) mod latency;
pub(crate) mod read;
pub(crate) mod triad;

/// A vector of exactly `length` values, every page of it touched by the calling thread.
fn touched<T>(code: &str, length: usize, value: impl Fn(usize) -> T) -> Result<Vec<T>, Broken> {
    let mut values = Vec::new();
    values.try_reserve_exact(length).map_err(|_| Broken {
        message: format!("{code} asked for {} bytes of memory and was refused", length.saturating_mul(size_of::<T>())),
    })?;
    values.extend((0..length).map(value));
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_not_there_is_an_error_in_words() {
        let broken = touched("P211", usize::MAX / 16, |_| 0.0f64).unwrap_err();
        assert!(broken.message.contains("P211 asked for"), "{}", broken.message);
    }
}
