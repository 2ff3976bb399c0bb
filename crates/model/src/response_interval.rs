//! The interval of a quantile of the response times of one run, by sections of its window.

use hdrhistogram::Histogram;
use record::{Nanos, Ratio, Run, Slices};

use crate::distribution::{decoded, quantile};
use crate::rules::RULES;
use crate::statistics::{Interval, Section, correlation, is_printable, quantile_interval};

/// The quantile `wanted` of the response times of `run` in nanoseconds, with its interval within this run, not
/// between runs. See [`quantile_interval`] for the method.
///
/// It has ten sections, or fewer where too few values of one lie beyond the quantile. None where five are too many,
/// without slices, with an effective sample size of the seconds below ten, and with unfinished steps, whose times are
/// unknown.
pub fn response_interval(run: &Run, wanted: Ratio) -> Option<Interval> {
    if run.totals.unfinished > 0 {
        return None;
    }
    let exact = quantile(&run.response, wanted)?;
    let slices = whole_slices(run.slices.as_ref()?, run.window_ns)?;
    let worth = correlation(&mean_responses(run))?.effective_samples;
    let sections =
        (RULES.sections_min..=RULES.sections_max).rev().find_map(|count| sections(&slices, count, wanted))?;
    // Slices are coarser than the histogram of the run, so the reference has to be as coarse.
    let coarse = interpolated(&together(&slices)?, wanted)?;
    let interval = quantile_interval(wanted.0, coarse, &sections, worth)?;
    Some(Interval::around(exact.0 as f64, interval.half()))
}

/// The histograms of the whole slices; None where one cannot be read.
fn whole_slices(slices: &Slices, window: Nanos) -> Option<Vec<Histogram<u64>>> {
    let whole = usize::try_from(window.0.checked_div(slices.width_ns.0)?).unwrap_or(usize::MAX);
    slices.responses.iter().take(whole).map(|text| decoded(text)).collect()
}

/// Mean response times of the seconds in which a step ended.
fn mean_responses(run: &Run) -> Vec<f64> {
    let seconds = run.seconds.iter().filter(|second| second.steps > 0);
    seconds.map(|second| second.response_ns_sum.0 as f64 / second.steps as f64).collect()
}

/// `count` sections of equally many slices, without the remainder at the beginning; None where a section has too few
/// values or slices.
fn sections(slices: &[Histogram<u64>], count: usize, wanted: Ratio) -> Option<Vec<Section>> {
    let size = slices.len() / count;
    let parts = slices.get(slices.len() - size * count..).filter(|_| size > 0)?.chunks(size);
    let section = |part: &[Histogram<u64>]| {
        let all = together(part)?;
        let printable = is_printable(wanted.0, all.len() as f64);
        printable.then_some(Section { count: all.len(), value: interpolated(&all, wanted)? })
    };
    parts.map(section).collect()
}

fn together(parts: &[Histogram<u64>]) -> Option<Histogram<u64>> {
    let (first, rest) = parts.split_first()?;
    let mut all = first.clone();
    all.auto(true);
    rest.iter().try_for_each(|part| all.add(part)).ok()?;
    Some(all)
}

/// A quantile, interpolated within its bucket, since slices have wide buckets.
fn interpolated(histogram: &Histogram<u64>, wanted: Ratio) -> Option<f64> {
    let rank = wanted.0 * histogram.len() as f64;
    let mut below = 0.0;
    for step in histogram.iter_recorded() {
        let count = step.count_at_value() as f64;
        if below + count >= rank {
            let low = histogram.lowest_equivalent(step.value_iterated_to()) as f64;
            let width = histogram.equivalent_range(step.value_iterated_to()) as f64;
            return Some(low + width * (rank - below).max(0.0) / count);
        }
        below += count;
    }
    None
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::prelude::BASE64_STANDARD;
    use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
    use proptest::prelude::*;

    use super::*;
    use crate::distribution::tests::stored;
    use crate::fixture;
    use crate::simulation::Simulation;

    /// A minute in sixty slices, with so many responses in each second around a level that wanders.
    fn run(seed: u64, count: u64, keep: f64) -> Run {
        let mut simulation = Simulation::new(seed);
        let mut run = fixture::run("T611", 1);
        let levels = simulation.noise(60, keep, 0.0, 0.1);
        let (mut all, mut responses) = (Vec::new(), Vec::new());
        run.seconds = vec![run.seconds[0]; 60];
        for (level, second) in levels.iter().zip(&mut run.seconds) {
            let values = (0..count).map(|_| (1e6 * (level + 0.3 * simulation.normal()).exp()) as u64);
            let values: Vec<u64> = values.collect();
            (second.steps, second.response_ns_sum) = (count, Nanos(values.iter().sum()));
            responses.push(slice(&values));
            all.extend(values);
        }
        run.window_ns = Nanos(60_000_000_000);
        run.response = stored(&all);
        run.slices = Some(Slices { width_ns: Nanos::SECOND, responses });
        run
    }

    fn slice(values: &[u64]) -> String {
        let mut histogram: Histogram<u64> = Histogram::new_with_bounds(1, 86_400_000_000_000, 1).unwrap();
        values.iter().for_each(|value| histogram.saturating_record(*value));
        let mut bytes = Vec::new();
        V2DeflateSerializer::new().serialize(&histogram, &mut bytes).unwrap();
        BASE64_STANDARD.encode(bytes)
    }

    #[test]
    fn the_interval_lies_around_the_quantile_of_the_run() {
        let run = run(1, 200, 0.5);
        for wanted in [0.5, 0.9, 0.99] {
            let found = response_interval(&run, Ratio(wanted)).unwrap();
            assert_eq!(found.estimate, quantile(&run.response, Ratio(wanted)).unwrap().0 as f64);
            let share = found.half() / found.estimate;
            assert!(share > 0.005 && share < 0.15, "{wanted}: {share}");
        }
    }

    #[test]
    fn too_narrow_intervals_are_refused() {
        let run = run(2, 20, 0.0);
        assert!(response_interval(&run, Ratio(0.9)).is_some());
        assert_eq!(response_interval(&run, Ratio(0.99)), None, "240 values in a fifth, 2.4 of them beyond");
        let mut unfinished = run.clone();
        unfinished.totals.unfinished = 1;
        assert_eq!(response_interval(&unfinished, Ratio(0.5)), None, "a step that was due did not end");
        let bare = Run { slices: None, ..run.clone() };
        assert_eq!(response_interval(&bare, Ratio(0.5)), None);
        let mut rising = run.clone();
        rising.seconds.iter_mut().zip(1..).for_each(|(second, at)| second.response_ns_sum = Nanos(at * 1_000_000));
        assert_eq!(response_interval(&rising, Ratio(0.5)), None, "few independent seconds");
        let mut short = run;
        short.window_ns = Nanos(4_900_000_000);
        assert_eq!(response_interval(&short, Ratio(0.5)), None, "four whole slices");
    }

    #[test]
    fn a_bucket_is_spread_over_its_values() {
        let histogram = decoded(&slice(&[1_000_000; 100])).unwrap();
        let (low, high) =
            (interpolated(&histogram, Ratio(0.01)).unwrap(), interpolated(&histogram, Ratio(1.0)).unwrap());
        assert!(low <= 1_000_000.0 && high >= 1_000_000.0 && high / low < 1.07, "{low} {high}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn damaged_slices_do_not_panic(text in "[A-Za-z0-9+/=]{0,60}", width in any::<u64>(), wanted in any::<f64>()) {
            let mut run = run(4, 20, 0.0);
            let slices = run.slices.as_mut().unwrap();
            slices.responses[3] = text;
            slices.width_ns = Nanos(width);
            response_interval(&run, Ratio(wanted));
        }
    }
}
