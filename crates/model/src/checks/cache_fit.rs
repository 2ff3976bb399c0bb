//! Whether the tables are inside or outside the engine's cache, as the test requires.
//!
//! Inside: miss ratio, bytes read by the engine over logical reads times block size; where not counted, size of the
//! rows over the cache, with room for the overhead of the engine. Outside: rows at least twice the cache. Only the size
//! of the generated rows is known: engines that store rows have tables at least as large, engines that compress (column
//! stores) may have smaller ones that fit the cache. A finding is therefore about the rows. The cache is that of a
//! session where each has its own.

use record::evidence::CacheFill;
use record::{CacheFit, EngineInventory, Evidence, Finding, Ratio, Run, Verdict, name};

use super::{Context, finding, is_probe};
use crate::delta::{delta, share};
use crate::rules::RULES;

pub(super) fn check(run: &Run, context: &Context<'_>) -> Option<Finding> {
    let engine = context.engine.filter(|_| !is_probe(run))?;
    let fill = run.data_bytes.and_then(|data| share(data.0 as f64, engine.cache_bytes?.0 as f64));
    let (verdict, fill) = match run.cache_fit? {
        CacheFit::Inside => inside(fill, miss_ratio(run, engine)),
        CacheFit::Outside => outside(fill),
    };
    finding(verdict, Evidence::CacheFit(fill))
}

/// The miss ratio of the engine's cache.
fn miss_ratio(run: &Run, engine: &EngineInventory) -> Option<f64> {
    let asked = delta(run, name::LOGICAL_READ_COUNT)? as f64 * engine.block_bytes?.0 as f64;
    share(delta(run, name::PHYSICAL_READ_BYTES)? as f64, asked)
}

fn inside(fill: Option<f64>, missed: Option<f64>) -> (Verdict, CacheFill) {
    if let Some(missed) = missed {
        let verdict = if missed <= RULES.cache_miss_max { Verdict::Pass } else { Verdict::Warn };
        return (verdict, CacheFill::Missed { share: Ratio(missed), limit: Ratio(RULES.cache_miss_max) });
    }
    let verdict = match fill {
        None => Verdict::Unknown,
        Some(fill) if fill <= RULES.cache_fill_max => Verdict::Pass,
        Some(fill) if fill <= 1.0 => Verdict::Unknown,
        Some(_) => Verdict::Warn,
    };
    (verdict, CacheFill::Inside { fill: fill.map(Ratio) })
}

fn outside(multiple: Option<f64>) -> (Verdict, CacheFill) {
    let multiple_min = RULES.cache_multiple_min;
    let verdict = match multiple {
        None => Verdict::Unknown,
        Some(multiple) if multiple >= multiple_min => Verdict::Pass,
        Some(_) => Verdict::Warn,
    };
    (verdict, CacheFill::Outside { multiple, multiple_min })
}

#[cfg(test)]
mod tests {
    use record::Bytes;

    use super::*;
    use crate::fixture::{self, counted, engine, instrument, run};

    fn says(run: &Run) -> Option<(Verdict, Evidence)> {
        let (engine, instrument) = (engine(), instrument());
        let context = Context { engine: Some(&engine), ..fixture::context(&instrument) };
        check(run, &context).map(|finding| (finding.verdict, finding.evidence))
    }

    fn sized(fit: CacheFit, mebibytes: u64) -> Run {
        Run { cache_fit: Some(fit), data_bytes: Some(Bytes::MIB.times(mebibytes)), ..run("T626", 1) }
    }

    fn verdict(run: &Run) -> Verdict {
        says(run).unwrap().0
    }

    #[test]
    fn a_large_table_is_twice_the_cache() {
        // The cache has 128 MiB.
        let times = |multiple| Evidence::CacheFit(CacheFill::Outside { multiple: Some(multiple), multiple_min: 2.0 });
        assert_eq!(says(&sized(CacheFit::Outside, 512)), Some((Verdict::Pass, times(4.0))));
        assert_eq!(says(&sized(CacheFit::Outside, 256)), Some((Verdict::Pass, times(2.0))));
        assert_eq!(verdict(&sized(CacheFit::Outside, 255)), Verdict::Warn);
        assert_eq!(verdict(&sized(CacheFit::Outside, 10)), Verdict::Warn);
    }

    #[test]
    fn a_small_table_leaves_room_for_the_overhead_of_the_engine() {
        assert_eq!(verdict(&sized(CacheFit::Inside, 64)), Verdict::Pass);
        assert_eq!(verdict(&sized(CacheFit::Inside, 100)), Verdict::Unknown);
        assert_eq!(verdict(&sized(CacheFit::Inside, 200)), Verdict::Warn);
    }

    #[test]
    fn the_miss_ratio_decides_where_it_is_counted() {
        let counters = |read: u64| [(name::LOGICAL_READ_COUNT, 10_000), (name::PHYSICAL_READ_BYTES, read * 8_192)];
        let (cold, warm) =
            (counted(sized(CacheFit::Inside, 10), &counters(500)), counted(sized(CacheFit::Inside, 200), &counters(9)));
        assert_eq!(verdict(&cold), Verdict::Warn, "5 %, small as it is");
        assert_eq!(verdict(&warm), Verdict::Pass, "0.09 %, large as it is");
    }

    #[test]
    fn a_test_without_a_requirement_is_not_checked() {
        assert_eq!(says(&run("T131", 1)), None);
        for fit in [CacheFit::Outside, CacheFit::Inside] {
            assert_eq!(verdict(&Run { data_bytes: None, ..sized(fit, 1) }), Verdict::Unknown);
        }
    }
}
