//! Sentences about the cache of an engine.

use record::Verdict;
use record::evidence::{CacheDeviation, CacheFill, CacheMisses};

use crate::figure::{percent, three_digits};

pub(super) fn cache_misses(misses: &CacheMisses) -> String {
    let CacheMisses { deviation, per_row, per_row_min, per_row_first_third, per_row_last_third } = misses;
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
        None => format!("{missed} blocks of a row missed the engine's cache; uniform access leaves at least {least}"),
    }
}

pub(super) fn cache_fit(verdict: Verdict, fill: &CacheFill) -> String {
    match fill {
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
