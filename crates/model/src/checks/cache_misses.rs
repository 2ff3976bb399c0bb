//! Reads of random rows that missed the cache of the engine, in tests whose tables should not fit it.
//!
//! Of rows that are read at random places, all alike, a cache of any policy can hold at most its own share of the table:
//! at least 1 - cache / rows of the accesses miss it (the table is at least as large as its rows, and indexes need blocks
//! of their own). Fewer misses: the run found blocks that an earlier one with the same keys left there ("warmed"). Whether
//! the cache was still filling ("cold") shows in the bytes of the device, in the first third of the window beside the
//! last.

use record::evidence::{CacheDeviation, CacheMisses};
use record::{CacheFit, Evidence, Finding, Reading, Run, Verdict, name};

use super::{Context, finding};
use crate::delta::{delta, share};
use crate::rules::RULES;

pub(super) fn check(run: &Run, context: &Context<'_>) -> Option<Finding> {
    let engine = context.engine.filter(|_| run.rows_at_random && run.cache_fit == Some(CacheFit::Outside))?;
    // Each of several nodes has a cache and counters of its own. A load beside reads by other keys.
    (run.dop.nodes <= 1 && run.loads_beside.is_empty()).then_some(())?;
    let block_bytes = engine.block_bytes?.0 as f64;
    let engine_bytes = delta(run, name::PHYSICAL_READ_BYTES)? as f64;
    let rows = Some(run.totals.rows).filter(|rows| *rows >= RULES.misses_rows_min)? as f64;
    let fill = share(engine.cache_bytes?.0 as f64, run.data_bytes?.0 as f64)?;
    let thirds = thirds(run, engine_bytes).map(|[first, last]| [first / block_bytes, last / block_bytes]);
    let (per_row, per_row_min) = (engine_bytes / block_bytes / rows, (1.0 - fill).max(0.0));
    let is_warmed = per_row < per_row_min * (1.0 - RULES.misses_difference_max);
    let is_filling = thirds.is_some_and(|[first, last]| first > last * (1.0 + RULES.misses_difference_max));
    let misses = CacheMisses {
        deviation: match () {
            () if is_warmed => Some(CacheDeviation::Warmed),
            () if is_filling => Some(CacheDeviation::Cold),
            () => None,
        },
        per_row,
        per_row_min,
        per_row_first_third: thirds.map(|[first, _]| first),
        per_row_last_third: thirds.map(|[_, last]| last),
    };
    let verdict = if misses.deviation.is_some() { Verdict::Warn } else { Verdict::Pass };
    finding(verdict, Evidence::CacheMisses(misses))
}

/// Bytes of the device per row in the first and the last third of the window, in whole seconds. None in a window below six
/// seconds, with too few rows, and where the device did not read what the engine did: with other programs, or a page
/// cache between them.
fn thirds(run: &Run, engine_bytes: f64) -> Option<[f64; 2]> {
    let third = (run.window_ns.seconds() / 3.0) as usize;
    let seconds = run.seconds.len().min(run.window_ns.seconds() as usize);
    let device_bytes = delta(run, name::DEVICE_READ_BYTES)? as f64;
    let is_direct = (device_bytes / engine_bytes - 1.0).abs() <= RULES.misses_difference_max;
    (third >= 2 && seconds >= 3 * third && is_direct).then_some(())?;
    let of = |from: usize, to: usize| {
        let rows: u64 = run.seconds[from..to].iter().map(|second| second.rows).sum();
        let bytes = bytes_at(&run.readings, to)? - bytes_at(&run.readings, from)?;
        (rows >= RULES.misses_rows_min).then(|| bytes / rows as f64)
    };
    Some([of(0, third)?, of(seconds - third, seconds)?])
}

/// Bytes that the device had read `second` seconds after the start of the window, between two readings in proportion.
fn bytes_at(readings: &[Reading], second: usize) -> Option<f64> {
    let mut known: Vec<(f64, f64)> = readings
        .iter()
        .filter_map(|reading| Some((reading.at_ns.seconds(), reading.get(name::DEVICE_READ_BYTES)? as f64)))
        .collect();
    known.sort_by(|one, other| one.0.total_cmp(&other.0));
    let at = known.first()?.0 + second as f64;
    let next = known.iter().position(|(time, _)| *time >= at).unwrap_or(known.len() - 1).max(1);
    let ((time, bytes), (later, more)) = (*known.get(next - 1)?, *known.get(next)?);
    Some(bytes + share(at - time, later - time)?.clamp(0.0, 1.0) * (more - bytes))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use record::{Bytes, Nanos, Second};

    use super::*;
    use crate::fixture::{self, counted, engine, instrument, run};

    /// Nine seconds of 1000 rows each in a table of four caches; `misses` are the blocks read in each second.
    fn reading(misses: [u64; 9]) -> Run {
        let blocks: u64 = misses.iter().sum();
        let counters = [(name::PHYSICAL_READ_BYTES, blocks * 8_192), (name::DEVICE_READ_BYTES, blocks * 8_192)];
        let mut run = counted(run("T616", 1), &counters);
        let mut read = 1_000;
        let last = run.readings.pop().unwrap();
        run.readings.truncate(1);
        for (second, blocks) in (1..).zip(&misses[..8]) {
            read += blocks * 8_192;
            let values = BTreeMap::from([(name::DEVICE_READ_BYTES.to_owned(), read)]);
            run.readings.push(Reading { at_ns: Nanos::from_seconds(f64::from(second)), values });
        }
        run.readings.push(Reading { at_ns: Nanos::from_seconds(9.0), ..last });
        run.seconds = vec![Second { rows: 1_000, ..Second::default() }; 9];
        (run.totals.rows, run.window_ns) = (9_000, Nanos::from_seconds(9.0));
        (run.cache_fit, run.rows_at_random, run.data_bytes) =
            (Some(CacheFit::Outside), true, Some(Bytes::MIB.times(512)));
        run
    }

    fn found(run: &Run) -> Option<(Verdict, CacheMisses)> {
        let (engine, instrument) = (engine(), instrument());
        let context = Context { engine: Some(&engine), ..fixture::context(&instrument) };
        let finding = check(run, &context)?;
        match finding.evidence {
            Evidence::CacheMisses(misses) => Some((finding.verdict, misses)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn three_quarters_of_a_table_of_four_caches_are_missed() {
        let (verdict, misses) = found(&reading([780; 9])).unwrap();
        assert_eq!((verdict, misses.per_row, misses.per_row_min), (Verdict::Pass, 0.78, 0.75));
        assert_eq!((misses.per_row_first_third, misses.per_row_last_third), (Some(0.78), Some(0.78)));
        assert_eq!(found(&reading([1_600; 9])).unwrap().0, Verdict::Pass, "with the leaf of the index");
    }

    #[test]
    fn fewer_misses_than_any_cache_leaves_are_those_of_a_repeat_with_the_same_keys() {
        let (verdict, misses) = found(&reading([156; 9])).unwrap();
        assert_eq!((verdict, misses.deviation), (Verdict::Warn, Some(CacheDeviation::Warmed)), "5 of 32");
        assert_eq!(found(&reading([700; 9])).unwrap().0, Verdict::Pass, "within a tenth");
    }

    #[test]
    fn misses_that_become_fewer_are_those_of_a_cache_that_fills() {
        let (verdict, misses) = found(&reading([1_900, 1_700, 1_500, 1_300, 1_200, 1_100, 1_000, 900, 800])).unwrap();
        assert_eq!((verdict, misses.deviation), (Verdict::Warn, Some(CacheDeviation::Cold)));
        assert_eq!((misses.per_row_first_third, misses.per_row_last_third), (Some(1.7), Some(0.9)));
        // Few misses, and not so few that the run found blocks of an earlier one.
        let (_, misses) = found(&reading([900, 800, 750, 700, 700, 680, 650, 640, 630])).unwrap();
        assert!(misses.per_row < misses.per_row_min && misses.deviation == Some(CacheDeviation::Cold), "{misses:?}");
        let mut cached = reading([1_900, 1_700, 1_500, 1_300, 1_200, 1_100, 1_000, 900, 800]);
        let read = cached.readings[0].values[name::PHYSICAL_READ_BYTES];
        cached.readings.last_mut().unwrap().values.insert(name::PHYSICAL_READ_BYTES.to_owned(), read + 90_000 * 8_192);
        assert_eq!(found(&cached).unwrap().1.per_row_first_third, None, "the page cache served most of it");
    }

    #[test]
    fn what_is_not_read_at_random_or_hardly_at_all_is_not_judged() {
        assert_eq!(found(&Run { rows_at_random: false, ..reading([100; 9]) }), None);
        assert_eq!(found(&Run { cache_fit: Some(CacheFit::Inside), ..reading([100; 9]) }), None);
        let mut cluster = reading([100; 9]);
        cluster.dop.nodes = 2;
        assert_eq!(found(&cluster), None);
        let mut few = reading([100; 9]);
        few.totals.rows = 999;
        assert_eq!(found(&few), None);
        let mut short = reading([780; 9]);
        short.window_ns = Nanos::from_seconds(5.0);
        assert_eq!(found(&short).unwrap().1.per_row_first_third, None);
    }
}
