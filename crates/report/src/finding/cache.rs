//! What is said of caches: the page cache, and that of an engine.

use record::evidence::{CacheDeviation, CacheFill, CacheMisses, PageCache};
use record::{DataReads, Ratio, Verdict};

use super::{CheckWords, Worded};
use crate::figure::{percent, three_digits};

impl Worded for PageCache {
    const WORDS: CheckWords = CheckWords {
        name: "page cache",
        limits: ["below 90 %; 5 % of the files cached", "50 % of the files cached"],
        meaning: "Reads were served by the page cache: the result is not the speed of the device.",
        remedy: "use direct I/O, or more data than memory",
    };

    fn sentence(&self, verdict: Verdict) -> String {
        match self {
            PageCache::EngineReads { device_share: None, .. } => {
                "the share of reads served by the page cache is not known".to_owned()
            }
            PageCache::EngineReads { device_share: Some(share), data_reads } => {
                let how = match data_reads {
                    Some(DataReads::Direct) => " with O_DIRECT",
                    Some(DataReads::Dropped) => " while its files were dropped from the page cache",
                    Some(DataReads::PageCache { .. }) | None => "",
                };
                let seen = format!("the block layer saw {} of what the engine read{how}", percent(*share));
                match (verdict, data_reads) {
                    (Verdict::Pass, _) => seen,
                    (Verdict::Unknown, _) => {
                        format!("{seen}, log and temporary files included: the share of the data files is not known")
                    }
                    (_, Some(DataReads::PageCache { reason })) => {
                        format!("{seen}: the page cache served the rest ({reason})")
                    }
                    _ => format!("{seen}: the page cache served the rest"),
                }
            }
            PageCache::Files { cached: None, .. } => "the share of the files in the page cache is not known".to_owned(),
            PageCache::Files { cached: Some(cached), limit } => {
                let summary = format!(
                    "{} of the data to be read was in the page cache at the start of the window",
                    percent(*cached)
                );
                if verdict == Verdict::Pass { summary } else { format!("{summary}; limit {}", percent(*limit)) }
            }
            PageCache::Cold { cached: None, .. } => {
                "whether the engine's files were in the page cache is not known".to_owned()
            }
            PageCache::Cold { cached: Some(cached), limit, device_share } => {
                let summary = format!(
                    "{} of the engine's files were in the page cache at the start of the window",
                    percent(*cached)
                );
                let seen = |share: &Ratio| format!("the block layer saw {} of what the engine read", percent(*share));
                match (verdict, device_share) {
                    (Verdict::Fail, _) => format!("{summary}; limit {} for a cold run", percent(*limit)),
                    (_, None) => summary,
                    (Verdict::Warn, Some(share)) => format!("{summary}, and {}", seen(share)),
                    (_, Some(share)) => format!("{summary}; {}", seen(share)),
                }
            }
        }
    }
}

impl Worded for CacheFill {
    const WORDS: CheckWords = CheckWords {
        name: "table size and cache",
        limits: ["below 2 times, or misses above 1 % in a memory test", ""],
        meaning: "The table is not inside or outside the engine's cache as the test requires.",
        remedy: "choose --large-rows for data of at least twice the cache",
    };

    fn sentence(&self, verdict: Verdict) -> String {
        match self {
            CacheFill::Missed { share, limit } => {
                let summary = format!("{} of the logical reads missed the engine's cache", percent(*share));
                match verdict {
                    Verdict::Pass => summary,
                    _ => format!("{summary}; limit {} for a test in memory", percent(*limit)),
                }
            }
            CacheFill::Inside { fill: None } => "whether the tables fit in the engine's cache is not known".to_owned(),
            CacheFill::Inside { fill: Some(fill) } => match verdict {
                Verdict::Pass => format!("the rows fill {} of the engine's cache", percent(*fill)),
                Verdict::Unknown => format!("the rows alone fill {} of the engine's cache", percent(*fill)),
                _ => format!("the rows are {:.1} times the engine's cache, but should fit in it", fill.0),
            },
            CacheFill::Outside { multiple: None, .. } => {
                "the size of the rows relative to the engine's cache is not known".to_owned()
            }
            CacheFill::Outside { multiple: Some(multiple), multiple_min } => {
                let summary = format!("the rows are {multiple:.1} times the engine's cache");
                match verdict {
                    Verdict::Pass => summary,
                    _ => format!("{summary}; below {multiple_min:.1} it serves a large part of the reads"),
                }
            }
        }
    }
}

impl Worded for CacheMisses {
    const WORDS: CheckWords = CheckWords {
        name: "cache misses",
        limits: ["a tenth fewer (warmed); a tenth more in the first third (cold)", ""],
        meaning: "The cache of the engine was not in the state that it has in the long run: repeats and other \
                  degrees of parallelism may find it in another one.",
        remedy: "choose a longer --warm-up, and another --seed where an earlier run had the same keys",
    };

    fn sentence(&self, _: Verdict) -> String {
        let CacheMisses { deviation, per_row, per_row_min, per_row_first_third, per_row_last_third } = self;
        let [missed, least] = [*per_row, *per_row_min].map(three_digits);
        match deviation {
            Some(CacheDeviation::Warmed) => format!(
                "warmed: {missed} blocks of a row missed the engine's cache, and uniform access to rows of this size leaves at \
                 least {least}: it held blocks of the same rows before"
            ),
            Some(CacheDeviation::Cold) => format!(
                "cold: the engine's cache was still filling: {} blocks of a row were read in the first third of the window and \
                 {} in the last",
                per_row_first_third.map_or(missed, three_digits),
                per_row_last_third.map_or(least, three_digits)
            ),
            None => {
                format!("{missed} blocks of a row missed the engine's cache; uniform access leaves at least {least}")
            }
        }
    }
}
