//! Latencies over time: a coarse histogram per slice of the window.

use record::{Nanos, Slices};

use crate::counts::CoarseCounts;
use crate::histogram::encode;

/// Maximum number of slices.
const SLICES_MAX: usize = 64;

/// Minimum width of a slice: a narrower one has too few values. All widths are this one times a power of two, so that
/// the slices of any two series align.
const WIDTH_MIN: Nanos = Nanos(100_000_000);

/// Histograms of 16 buckets per octave, one per slice, created on demand. When all slices are used, adjacent ones are
/// merged and the width doubles.
#[derive(Clone, Debug)]
pub(crate) struct SliceSeries {
    width: Nanos,
    /// The last slice with values.
    last: usize,
    /// End of the current slice, from the start of the window.
    end: Nanos,
    /// Slices up to the last one, or more.
    slices: Vec<CoarseCounts>,
}

impl SliceSeries {
    /// An empty series.
    pub(crate) fn new() -> SliceSeries {
        SliceSeries { width: WIDTH_MIN, last: 0, end: WIDTH_MIN, slices: vec![CoarseCounts::default()] }
    }

    /// Counts a value that ended `at` after the start of the window. Times are monotonic.
    #[inline]
    pub(crate) fn record(&mut self, at: Nanos, latency: Nanos) {
        if at >= self.end {
            self.advance(at);
        }
        self.slices[self.last].record(latency, 1);
    }

    /// Adds the values of another job in the same window.
    pub(crate) fn merge(&mut self, other: &SliceSeries) {
        let mut other = std::borrow::Cow::Borrowed(other);
        while self.width < other.width {
            self.double();
        }
        while other.width < self.width {
            other.to_mut().double();
        }
        self.last = self.last.max(other.last);
        self.end = self.end_of(self.last);
        self.grow();
        for (mine, theirs) in self.slices.iter_mut().zip(&other.slices[..=other.last]) {
            mine.add(theirs);
        }
    }

    /// Clears all values and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.slices.iter_mut().for_each(CoarseCounts::clear);
        (self.width, self.last, self.end) = (WIDTH_MIN, 0, WIDTH_MIN);
    }

    /// The stored form: up to the end of `window`, and to the last slice in which a step ended. None without values.
    pub(crate) fn slices(&self, window: Nanos) -> Option<Slices> {
        let mut of_window = self.clone();
        if window.0 > 0 && window > of_window.end {
            of_window.advance(window - Nanos(1));
        }
        of_window.stored()
    }

    fn stored(&self) -> Option<Slices> {
        let used = &self.slices[..=self.last];
        let counted = used.iter().any(|slice| slice.len() > 0);
        let encoded = |slice: &CoarseCounts| encode(&slice.hdr());
        counted.then(|| Slices { width_ns: self.width, responses: used.iter().map(encoded).collect() })
    }

    #[cold]
    fn advance(&mut self, at: Nanos) {
        while at.0 / self.width.0 >= SLICES_MAX as u64 {
            self.double();
        }
        self.last = (at.0 / self.width.0) as usize;
        self.end = self.end_of(self.last);
        self.grow();
    }

    /// Creates the slices up to the last one.
    fn grow(&mut self) {
        if self.slices.len() <= self.last {
            self.slices.resize_with(self.last + 1, CoarseCounts::default);
        }
    }

    fn end_of(&self, index: usize) -> Nanos {
        Nanos(self.width.0.saturating_mul(index as u64 + 1))
    }

    /// Doubles the width by merging adjacent slices.
    fn double(&mut self) {
        for index in 0..self.slices.len().div_ceil(2) {
            let (front, back) = self.slices.split_at_mut(2 * index + 1);
            if let Some(next) = back.first_mut() {
                front[2 * index].add(next);
                next.clear();
            }
            self.slices.swap(index, 2 * index);
        }
        self.last /= 2;
        self.width = Nanos(self.width.0.saturating_mul(2));
        self.end = self.end_of(self.last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(series: &SliceSeries) -> Vec<u64> {
        series.slices[..=series.last].iter().map(CoarseCounts::len).collect()
    }

    #[test]
    fn a_longer_window_has_wider_slices_and_the_same_values() {
        let mut series = SliceSeries::new();
        for tenth in 0..1_000 {
            series.record(Nanos(tenth * 100_000_000), Nanos(500 + tenth));
        }
        assert_eq!(series.width, Nanos(1_600_000_000));
        assert_eq!(counts(&series).iter().sum::<u64>(), 1_000);
        assert!(counts(&series)[..62].iter().all(|count| *count == 16));
    }

    #[test]
    fn jobs_that_ended_at_different_times_add_up() {
        let (mut short, mut long) = (SliceSeries::new(), SliceSeries::new());
        short.record(Nanos(50_000_000), Nanos(1_000));
        short.record(Nanos(650_000_000), Nanos(1_000));
        long.record(Nanos(12_000_000_000), Nanos(1_000));
        let mut one_way = short.clone();
        one_way.merge(&long);
        long.merge(&short);
        assert_eq!(counts(&one_way), counts(&long));
        assert_eq!(one_way.width, Nanos(200_000_000));
        assert_eq!((counts(&long)[0], counts(&long)[3], counts(&long)[60]), (1, 1, 1));
    }

    #[test]
    fn a_series_without_values_is_absent() {
        assert!(SliceSeries::new().slices(Nanos::SECOND).is_none());
    }
}
