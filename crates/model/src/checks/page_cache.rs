//! How much of what the engine read came from the block device and not from the operating system's page cache.
//!
//! share = bytes that the block layer read / bytes that the engine read. Asked only of tests whose tables should not
//! fit the engine's cache: there the reads are the point. The block layer's bytes are those of everybody on the device
//! and include read-ahead, so that the share may exceed 1.

use record::{CacheFit, Check, Finding, Run, Verdict, name};

use super::{finding, percent};
use crate::delta::{delta, share};
use crate::rules::RULES;

pub(super) fn check(run: &Run) -> Option<Finding> {
    if run.cache_fit != Some(CacheFit::Outside) {
        return None;
    }
    let say = |verdict, detail: String| finding(Check::PageCache, verdict, detail);
    let (Some(engine), Some(device)) = (delta(run, name::PHYSICAL_READ_BYTES), delta(run, name::DEVICE_READ_BYTES))
    else {
        return say(Verdict::Unknown, "which share of the reads the page cache served is not known".to_owned());
    };
    if engine < RULES.page_cache_bytes_min {
        return None;
    }
    let ratio = share(device as f64, engine as f64)?;
    let seen = format!("the block layer saw {} of what the engine read", percent(ratio));
    match ratio >= RULES.device_share_min {
        true => say(Verdict::Pass, seen),
        false => say(Verdict::Warn, format!("{seen}: the page cache served the rest")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{counted, run};

    fn read(engine: u64, device: u64) -> Run {
        let counters = [(name::PHYSICAL_READ_BYTES, engine), (name::DEVICE_READ_BYTES, device)];
        Run { cache_fit: Some(CacheFit::Outside), ..counted(run("T626", 1), &counters) }
    }

    #[test]
    fn what_the_page_cache_served_is_said() {
        let found = check(&read(100_000_000, 3_000_000)).unwrap();
        assert_eq!(found.verdict, Verdict::Warn);
        assert_eq!(found.detail, "the block layer saw 3.0 % of what the engine read: the page cache served the rest");
        assert_eq!(check(&read(100_000_000, 120_000_000)).unwrap().verdict, Verdict::Pass);
    }

    #[test]
    fn it_is_asked_only_where_reads_are_the_point() {
        let inside = Run { cache_fit: Some(CacheFit::Inside), ..read(100_000_000, 0) };
        assert_eq!(check(&inside), None);
        assert_eq!(check(&read(5_000, 0)), None, "next to nothing was read");
        let unknown = Run { readings: Vec::new(), ..read(100_000_000, 0) };
        assert_eq!(check(&unknown).unwrap().verdict, Verdict::Unknown);
    }
}
