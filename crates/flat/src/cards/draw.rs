//! The draw of a row, and the style in which rows are written.

use super::tables::FACTOR_STEPS;

/// Maximum purchase.
pub(super) const CENTS_MAX: u64 = 9_999_999;

/// The style of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Bars between the fields and at the end of the line: [`Layout::cards`](crate::Layout::cards).
    Bars,
    /// Commas between the fields: [`Layout::cards_csv`](crate::Layout::cards_csv). Without the header.
    Commas,
}

/// The random values of a row.
pub(super) struct Draw {
    /// The card number: digits in two halves.
    pub digits: [u64; 2],
    pub issuer: usize,
    pub merchant: usize,
    pub day: usize,
    /// Four numbers of 16 bits.
    pub size: u64,
    pub ending: usize,
}

impl Draw {
    /// The amount, for a category with `median_cents`. Three of eight amounts have a typical ending of prices.
    #[inline]
    pub(super) fn cents(&self, factors: &[u32], median_cents: u32) -> u32 {
        const ENDINGS: [Option<u64>; 16] = {
            let mut endings = [None; 16];
            endings[0] = Some(0);
            endings[1] = Some(0);
            endings[2] = Some(99);
            endings[3] = Some(99);
            endings[4] = Some(95);
            endings[5] = Some(50);
            endings
        };
        let pairs = (self.size & 0x0000_FFFF_0000_FFFF) + ((self.size >> 16) & 0x0000_FFFF_0000_FFFF);
        let sum = (pairs & 0x000F_FFFF) + (pairs >> 32);
        let index = (sum >> 8) as usize % FACTOR_STEPS;
        let (low, high) = (u64::from(factors[index]), u64::from(factors[index + 1]));
        let factor = low + (((high - low) * (sum & 0xFF)) >> 8);
        let cents = (u64::from(median_cents) * factor) >> 16;
        let cents = ENDINGS[self.ending].map_or(cents, |ending| cents / 100 * 100 + ending);
        cents.clamp(1, CENTS_MAX) as u32
    }
}
