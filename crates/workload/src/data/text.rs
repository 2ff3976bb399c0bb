//! Pseudo-random bits and letters.

/// The golden ratio in 64 bits: the increment of the counters that are the input of [`mix`].
pub(crate) const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The finalizer of splitmix64 (Steele, Lea, Flood 2014; constants of Stafford's mix 13): neighbouring inputs give
/// independent looking outputs.
#[inline]
pub(crate) fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// Eight of the 64 characters `./0-9A-Za-z`, from 48 of the bits: eight bytes at once in one register. No two of
/// them are worth more than 6 bits, so text made of them compresses to three quarters, not below.
#[inline]
pub(crate) fn letters(bits: u64) -> [u8; 8] {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let mut text = (bits & (0x3F * EACH)) + 0x2E * EACH;
    // Every byte is below 0x80, so a sum never carries into its neighbour, and bit 7 says "at least".
    let beyond_digits = ((text + (0x80 - 0x3A) * EACH) >> 7) & EACH;
    text += beyond_digits * 7;
    let beyond_capitals = ((text + (0x80 - 0x5B) * EACH) >> 7) & EACH;
    text += beyond_capitals * 6;
    text.to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_the_64_characters_stands_for_its_six_bits() {
        let alphabet = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        for (value, letter) in alphabet.iter().enumerate() {
            for position in 0..8 {
                // The upper bits are noise that must not show.
                let bits = (value as u64 | 0xC0) << (8 * position);
                assert_eq!(letters(bits)[position], *letter);
            }
        }
    }

    #[test]
    fn neighbours_differ_in_about_half_of_their_bits() {
        let distance: u32 = (0..1_000u64).map(|number| (mix(number) ^ mix(number + 1)).count_ones()).sum();
        assert!((31_000..33_000).contains(&distance), "{distance}");
    }
}
