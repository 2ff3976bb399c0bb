//! A second level of the buffer cache on flash: gain, and cost of its directory in main memory.

use record::Bytes;

/// A flash cache below a buffer cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlashCache {
    /// S1: the buffer cache.
    pub buffer: Bytes,
    /// S2: the flash.
    pub flash: Bytes,
    /// B: a block.
    pub block: Bytes,
    /// h: bytes of main memory per block on flash; about 100 of one published engine, 200 on a cluster of it.
    pub header_bytes: f64,
    /// Time of a hit in the buffer cache, seconds.
    pub buffer_seconds: f64,
    /// Time of a read of flash, seconds.
    pub flash_seconds: f64,
    /// Time of a read of the level below, seconds.
    pub below_seconds: f64,
}

impl FlashCache {
    /// H: main memory of its directory, taken from the buffer cache.
    pub fn directory(&self) -> Bytes {
        Bytes((self.flash.0 as f64 / self.block.0 as f64 * self.header_bytes) as u64)
    }

    /// Mean time of a read with it, seconds, where `miss` is the miss ratio of a cache of a given size.
    /// The levels are exclusive; a miss of both costs no read of flash, since the directory is in main memory.
    pub fn read_seconds(&self, miss: impl Fn(Bytes) -> f64) -> f64 {
        let buffer = self.buffer.0.saturating_sub(self.directory().0);
        let first = miss(Bytes(buffer));
        let both = miss(Bytes(buffer.saturating_add(self.flash.0))).min(first);
        self.buffer_seconds + (first - both) * self.flash_seconds + both * self.below_seconds
    }

    /// Mean time of a read without it, seconds.
    pub fn read_seconds_without(&self, miss: impl Fn(Bytes) -> f64) -> f64 {
        self.buffer_seconds + miss(self.buffer) * self.below_seconds
    }

    /// Whether it makes reads faster.
    pub fn pays(&self, miss: impl Fn(Bytes) -> f64) -> bool {
        self.read_seconds(&miss) < self.read_seconds_without(&miss)
    }

    /// Bytes per second written to flash: every clean eviction that is admitted, of `reads_per_second` logical reads.
    pub fn written_per_second(&self, reads_per_second: f64, miss: impl Fn(Bytes) -> f64, admitted: f64) -> f64 {
        let buffer = self.buffer.0.saturating_sub(self.directory().0);
        reads_per_second * miss(Bytes(buffer)) * admitted * self.block.0 as f64
    }

    /// Time until it is warm, seconds, at this write rate.
    pub fn warm_up_seconds(&self, written_per_second: f64) -> f64 {
        self.flash.0 as f64 / written_per_second
    }
}

/// A miss curve, if none was measured: min(1, (S/S0)^-theta), theta 0.3 to 0.7.
pub fn power_law_miss(size: Bytes, all_miss_up_to: Bytes, theta: f64) -> f64 {
    (size.0 as f64 / all_miss_up_to.0 as f64).powf(-theta).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(header_bytes: f64) -> FlashCache {
        FlashCache {
            buffer: Bytes::GIB.times(128),
            flash: Bytes::GIB.times(1_024),
            block: Bytes(8_192),
            header_bytes,
            buffer_seconds: 1e-6,
            flash_seconds: 100e-6,
            below_seconds: 5e-3,
        }
    }

    #[test]
    fn a_tebibyte_of_blocks_takes_gibibytes_of_memory() {
        assert_eq!(cache(100.0).directory().0 as f64 / Bytes::GIB.0 as f64, 12.5);
        assert_eq!(cache(200.0).directory().0 as f64 / Bytes::GIB.0 as f64, 25.0);
    }

    #[test]
    fn it_pays_where_what_lies_below_is_slow() {
        let miss = |size: Bytes| power_law_miss(size, Bytes::GIB, 0.5);
        let slow = cache(100.0);
        assert!(slow.pays(miss));
        assert!(!FlashCache { below_seconds: 100e-6, ..slow }.pays(miss), "flash below flash");
        let (first, both) = (
            miss(Bytes(slow.buffer.0 - slow.directory().0)),
            miss(Bytes(slow.buffer.0 - slow.directory().0 + slow.flash.0)),
        );
        let expected = 1e-6 + first * ((1.0 - both / first) * 100e-6 + both / first * 5e-3);
        assert!((slow.read_seconds(miss) - expected).abs() < 1e-12);
        assert_eq!(power_law_miss(Bytes(1), Bytes(2), 0.5), 1.0);
    }

    #[test]
    fn it_takes_long_to_warm_up() {
        let written = cache(100.0).written_per_second(1e5, |_| 0.1, 1.0);
        assert_eq!(written, 81.92e6);
        assert!((cache(100.0).warm_up_seconds(written) / 3_600.0 - 3.73).abs() < 0.01);
    }
}
