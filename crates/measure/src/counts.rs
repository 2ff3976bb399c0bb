//! Sparse counts in the buckets of an HdrHistogram.
//!
//! Latencies of up to a day with three digits need 39,000 buckets, 300 KB, of which a job of many sessions uses a few
//! dozen. The library only has dense arrays, into which these counts are converted for evaluation.

use std::fmt;

use hdrhistogram::{Counter, Histogram as Hdr};
use record::Nanos;

/// Maximum latency: 24 hours. Larger ones count as this.
pub const LATENCY_NS_MAX: u64 = 24 * 3_600 * 1_000_000_000;

/// Counts of nanoseconds from 1 to [`LATENCY_NS_MAX`] in `2^HALF_BITS` buckets per octave, and twice as many of width 1
/// at the bottom. A group of `GROUP` adjacent buckets is allocated with its first value.
#[derive(Clone)]
pub(crate) struct Counts<C, const HALF_BITS: u32, const GROUP: usize> {
    groups: Box<[Option<Box<[C; GROUP]>>]>,
    /// Values in all buckets.
    len: u64,
}

/// Three digits, as [`Hdr::new_with_bounds`] understands them: 1024 buckets per octave.
pub(crate) type FineCounts = Counts<u64, 10, 64>;

/// One digit: 16 buckets per octave.
pub(crate) type CoarseCounts = Counts<u32, 4, 16>;

impl FineCounts {
    /// As a histogram of the library.
    pub(crate) fn hdr(&self) -> Hdr<u64> {
        self.as_hdr(3)
    }
}

impl CoarseCounts {
    /// As a histogram of the library.
    pub(crate) fn hdr(&self) -> Hdr<u32> {
        self.as_hdr(1)
    }
}

impl<C: Counter, const HALF_BITS: u32, const GROUP: usize> Default for Counts<C, HALF_BITS, GROUP> {
    fn default() -> Self {
        let groups = Self::index(LATENCY_NS_MAX) / GROUP + 1;
        Counts { groups: (0..groups).map(|_| None).collect(), len: 0 }
    }
}

impl<C: Counter, const HALF_BITS: u32, const GROUP: usize> Counts<C, HALF_BITS, GROUP> {
    /// Counts `count` equal values; one above [`LATENCY_NS_MAX`] counts as that, and zero as 1 ns.
    #[inline]
    pub(crate) fn record(&mut self, value: Nanos, count: C) {
        let index = Self::index(value.0.clamp(1, LATENCY_NS_MAX));
        let bucket = &mut self.group(index / GROUP)[index % GROUP];
        *bucket = bucket.saturating_add(count);
        self.len += count.as_u64();
    }

    /// Adds the values of `other`.
    pub(crate) fn add(&mut self, other: &Self) {
        for (index, theirs) in other.groups.iter().enumerate() {
            let Some(theirs) = theirs else { continue };
            for (mine, theirs) in self.group(index).iter_mut().zip(theirs.iter()) {
                *mine = mine.saturating_add(*theirs);
            }
        }
        self.len += other.len;
    }

    /// Clears all values and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.groups.iter_mut().flatten().for_each(|group| group.fill(C::zero()));
        self.len = 0;
    }

    /// Number of values.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// As a histogram with `digits` significant digits, which must match the bucket width.
    fn as_hdr(&self, digits: u8) -> Hdr<C> {
        let mut hdr = Hdr::new_with_bounds(1, LATENCY_NS_MAX, digits).expect("constant bounds are valid");
        for (group, buckets) in self.groups.iter().enumerate() {
            for (index, count) in buckets.iter().flat_map(|buckets| buckets.iter().enumerate()) {
                if *count > C::zero() {
                    hdr.saturating_record_n(Self::lowest(group * GROUP + index), *count);
                }
            }
        }
        hdr
    }

    #[inline]
    fn group(&mut self, index: usize) -> &mut [C; GROUP] {
        self.groups[index].get_or_insert_with(Self::new_group)
    }

    #[cold]
    fn new_group() -> Box<[C; GROUP]> {
        Box::new([C::zero(); GROUP])
    }

    /// The bucket of `value`.
    #[inline]
    fn index(value: u64) -> usize {
        let exact = (1 << (HALF_BITS + 1)) - 1;
        let octave = u64::BITS - (value | exact).leading_zeros() - (HALF_BITS + 1);
        ((octave as usize) << HALF_BITS) + (value >> octave) as usize
    }

    /// The lowest value of the bucket `index`.
    fn lowest(index: usize) -> u64 {
        let octave = (index >> HALF_BITS).saturating_sub(1);
        ((index - (octave << HALF_BITS)) as u64) << octave
    }
}

impl<C: Counter, const HALF_BITS: u32, const GROUP: usize> fmt::Debug for Counts<C, HALF_BITS, GROUP> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let groups = self.groups.iter().flatten().count();
        formatter.debug_struct("Counts").field("len", &self.len).field("groups", &groups).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use rand_core::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    /// Values of every size, and those beside each power of two.
    fn values() -> impl Iterator<Item = u64> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(23);
        let any = (0..20_000).map(move |number| random.next_u64() >> (number % 64));
        let edges = (0..64).flat_map(|bit| [(1u64 << bit) - 1, 1 << bit, (1 << bit) + 1]);
        any.chain(edges).map(|value| value.clamp(1, LATENCY_NS_MAX))
    }

    #[test]
    fn buckets_are_those_of_the_library() {
        let (mut fine, mut coarse) = (FineCounts::default(), CoarseCounts::default());
        let mut hdr = Hdr::<u64>::new_with_bounds(1, LATENCY_NS_MAX, 3).unwrap();
        let mut coarse_hdr = Hdr::<u32>::new_with_bounds(1, LATENCY_NS_MAX, 1).unwrap();
        for value in values() {
            fine.record(Nanos(value), 1);
            coarse.record(Nanos(value), 2);
            hdr.record(value).unwrap();
            coarse_hdr.record_n(value, 2).unwrap();
            assert_eq!(FineCounts::lowest(FineCounts::index(value)), hdr.lowest_equivalent(value));
            assert_eq!(CoarseCounts::lowest(CoarseCounts::index(value)), coarse_hdr.lowest_equivalent(value));
        }
        assert_eq!((fine.hdr(), coarse.hdr()), (hdr, coarse_hdr));
        assert_eq!((fine.len(), coarse.len()), (fine.hdr().len(), coarse.hdr().len()));
        let (mut sum, once) = (fine.clone(), fine.hdr());
        sum.add(&fine);
        assert!(
            once.iter_recorded().all(|step| sum.hdr().count_at(step.value_iterated_to()) == 2 * step.count_at_value())
        );
        sum.clear();
        assert!(sum.len() == 0 && sum.hdr().is_empty());
    }

    #[test]
    fn counts_saturate() {
        let mut counts = CoarseCounts::default();
        counts.record(Nanos(7), u32::MAX);
        counts.record(Nanos(7), 1);
        assert_eq!(counts.hdr().count_at(7), u32::MAX);
    }
}
