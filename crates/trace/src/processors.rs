//! Which processors there are.

use std::fs;

/// The processors that are switched on.
pub(crate) fn online() -> Vec<u32> {
    let text = fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
    let listed = list(&text);
    if listed.is_empty() { vec![0] } else { listed }
}

/// Reads `0-3,8`.
fn list(text: &str) -> Vec<u32> {
    let range = |part: &str| -> Option<std::ops::RangeInclusive<u32>> {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        // More than the kernel can have is no list of processors.
        (last < 8_192).then_some(first..=last)
    };
    text.trim().split(',').filter_map(range).flatten().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ranges_and_single_ones_are_read() {
        assert_eq!((list("0-3,8\n"), list("0\n"), list("")), (vec![0, 1, 2, 3, 8], vec![0], vec![]));
        assert!(!online().is_empty());
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(text in "([0-9]{0,12}-?[0-9]{0,12},?)*\\PC*") {
            let _ = list(&text);
        }
    }
}
