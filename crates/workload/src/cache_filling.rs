//! Fills the buffer caches of an engine with blocks of the tables of a test before it is measured.
//!
//! Rows that are drawn at random, all alike, find in a full cache of any policy the share of the table that it holds. An
//! empty cache takes as long to fill as it takes to read it at random, block by block, which is often longer than a run,
//! and which jobs of a higher degree of parallelism do sooner: a run would measure that. Ranges of the primary key are read
//! in its order, which is fast, and by an index, so that engines with a separate place for scans of whole tables
//! (a ring of few buffers) use their cache for them.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::{Result, Session, Value};
use record::{Bytes, JobShare};

use crate::data::{DataTable, ROW_BYTES};
use crate::fill_threads::in_threads;
use crate::job::Job;
use crate::test::Test;
use crate::test_context::{TestContext, named};

/// Rows of a range that is read with one statement: its blocks are few beside any cache.
const RANGE_ROWS: u64 = 3_200;

/// Reads as many rows of the tables of `test` as fill a cache of `cache`, through the sessions of `jobs`, those of `share`: each a part
/// of them, or all of them where every session has a cache of its own. Returns the rows that all jobs of the run read in each
/// cache. Ends early where `interrupt` is raised.
///
/// # Errors
/// Errors of the engine.
pub fn fill_caches(
    test: &Test,
    context: &TestContext<'_>,
    jobs: &mut [Job<'_>],
    share: JobShare,
    cache: Bytes,
    interrupt: &AtomicBool,
) -> Result<u64> {
    let is_per_session = context.node.has_cache_per_session();
    let ranges = |table: DataTable| ranges(table.rows(context.sizes), share_of_rows(test, context, cache));
    let of_tables: Vec<(DataTable, Vec<Range<u64>>)> =
        test.tables.iter().map(|table| (*table, ranges(*table))).collect();
    let fill = |job: usize, session: &mut dyn Session| -> Result<()> {
        let (first, step) = if is_per_session { (0, 1) } else { (share.first as usize + job, share.all as usize) };
        of_tables.iter().try_for_each(|(table, ranges)| {
            let parts = ranges.iter().skip(first).step_by(step.max(1));
            read(*table, parts, context, session, interrupt).map_err(|error| named(error, test, "fill"))
        })
    };
    in_threads(jobs, |job, each| each.session_mut().map_or(Ok(()), |session| fill(job, session)))?;
    Ok(of_tables.iter().flat_map(|(_, ranges)| ranges).map(|range| range.end - range.start).sum())
}

/// The share of the rows that fills a cache of `cache`: a row in a block takes at least the size that it is generated with.
fn share_of_rows(test: &Test, context: &TestContext<'_>, cache: Bytes) -> f64 {
    let rows: u64 = test.tables.iter().map(|table| table.rows(context.sizes)).sum();
    (cache.0 as f64 / (rows.max(1) as f64 * ROW_BYTES.0 as f64)).min(1.0)
}

/// Ranges of the keys 1 to `rows` that have the share `wanted` of them, at even distances.
fn ranges(rows: u64, wanted: f64) -> Vec<Range<u64>> {
    let count = rows.div_ceil(RANGE_ROWS);
    let taken = |range: u64| (range as f64 * wanted).ceil();
    let chosen = (0..count).filter(|range| taken(range + 1) > taken(*range));
    chosen.map(|range| range * RANGE_ROWS + 1..((range + 1) * RANGE_ROWS).min(rows) + 1).collect()
}

/// Reads all columns of the rows of `ranges`.
fn read<'r>(
    table: DataTable,
    ranges: impl Iterator<Item = &'r Range<u64>>,
    context: &TestContext<'_>,
    session: &mut dyn Session,
    interrupt: &AtomicBool,
) -> Result<()> {
    let placeholder = context.engine.dialect().placeholder;
    let columns: Vec<String> = table.table().columns.iter().map(|column| format!("max({})", column.name)).collect();
    let (from, to) = (placeholder.at(1), placeholder.at(2));
    let sql = format!("select {} from {} where id between {from} and {to}", columns.join(", "), table.name());
    let statement = session.prepare(&sql)?;
    for range in ranges {
        if interrupt.load(Ordering::Relaxed) {
            break;
        }
        let bind = |key: u64| Value::Int(i64::try_from(key).unwrap_or(i64::MAX));
        session.execute(statement, &[bind(range.start), bind(range.end - 1)])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_third_of_the_ranges_at_even_distances() {
        let found = ranges(9 * RANGE_ROWS, 1.0 / 3.0);
        let starts: Vec<u64> = found.iter().map(|range| (range.start - 1) / RANGE_ROWS).collect();
        assert_eq!(starts, [0, 3, 6]);
        assert_eq!(found[0], 1..RANGE_ROWS + 1);
        assert_eq!((ranges(5, 1.0)[0].clone(), ranges(5, 1.0).len()), (1..6, 1));
        assert_eq!(ranges(0, 1.0), []);
    }

    proptest! {
        #[test]
        fn ranges_have_the_share_of_the_rows_and_do_not_overlap(rows in 1u64..10_000_000, wanted in 0.001f64..=1.0) {
            let found = ranges(rows, wanted);
            let read: u64 = found.iter().map(|range| range.end - range.start).sum();
            prop_assert!(read as f64 >= rows as f64 * wanted - RANGE_ROWS as f64);
            prop_assert!(read as f64 <= rows as f64 * wanted + RANGE_ROWS as f64);
            prop_assert!(found.windows(2).all(|pair| pair[0].end <= pair[1].start));
            prop_assert!(found.iter().all(|range| range.start >= 1 && range.end <= rows + 1));
        }
    }
}
