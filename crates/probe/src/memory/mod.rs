//! Memory probes.

use measure::Broken;
use rustix::mm::{Advice, madvise};

pub(crate) mod latency;
pub(crate) mod read;
pub(crate) mod triad;

/// A vector of exactly `length` values, all of its pages touched by the calling thread.
fn prefaulted<T>(code: &str, length: usize, value: impl Fn(usize) -> T) -> Result<Vec<T>, Broken> {
    let mut values = reserved(code, length)?;
    values.extend((0..length).map(value));
    Ok(values)
}

/// The same in pages of the base size, whatever the system does with anonymous memory (`transparent_hugepage`): the
/// buffer caches of servers are shared memory, which has huge pages only where the host reserves them.
fn prefaulted_in_base_pages<T>(code: &str, length: usize, value: impl Fn(usize) -> T) -> Result<Vec<T>, Broken> {
    let mut values: Vec<T> = reserved(code, length)?;
    let (start, page) = (values.as_mut_ptr().cast::<u8>(), rustix::param::page_size());
    let skipped = start.align_offset(page);
    let whole = (length * size_of::<T>()).saturating_sub(skipped) / page * page;
    if whole > 0 {
        // SAFETY: whole pages within the reserved memory. A kernel without huge pages refuses, which changes nothing.
        let _ = unsafe { madvise(start.add(skipped).cast(), whole, Advice::LinuxNoHugepage) };
    }
    values.extend((0..length).map(value));
    Ok(values)
}

/// An empty vector with room for exactly `length` values.
fn reserved<T>(code: &str, length: usize) -> Result<Vec<T>, Broken> {
    let mut values = Vec::new();
    values.try_reserve_exact(length).map_err(|_| Broken {
        message: format!("{code}: cannot allocate {} bytes of memory", length.saturating_mul(size_of::<T>())),
    })?;
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
