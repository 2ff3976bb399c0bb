//! Lots: numbers that depend on a seed and on what they are drawn for, and on nothing else.

/// A number for `parts`, drawn by `seed`: the finalizer of SplitMix64 over each of them in turn (Steele, Lea, Flood: Fast
/// splittable pseudorandom number generators, OOPSLA 2014).
pub(crate) fn lot(seed: u64, parts: &[u64]) -> u64 {
    parts.iter().fold(mixed(seed), |state, part| mixed(state ^ mixed(*part)))
}

/// A lot in `0..=max`.
pub(crate) fn lot_to(seed: u64, parts: &[u64], max: u64) -> u64 {
    match max.checked_add(1) {
        Some(count) => lot(seed, parts) % count,
        None => lot(seed, parts),
    }
}

fn mixed(value: u64) -> u64 {
    let mut value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
