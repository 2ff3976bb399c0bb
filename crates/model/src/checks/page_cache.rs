//! Reads served by the page cache instead of the device.
//!
//! share = bytes read by the block layer / bytes read by the engine. Applied to tests whose tables should not fit the
//! engine's cache, and to random blocks outside it. The block layer counts all programs and read-ahead, so that the
//! share may exceed 1.
//!
//! For buffered storage runs: the share of the regions in the page cache at the start. Pages cached by the run itself
//! are detected by the check of device I/O. A loop device that reads its file through the page cache is such a run,
//! whatever the I/O to the device itself bypasses.

use record::evidence::PageCache;
use record::{
    CacheFit, CacheState, DataReads, Evidence, Finding, IoFile, IoKind, ProofLoad, Ratio, Run, Storage, Verdict, name,
};

use super::finding;
use crate::delta::{delta, share};
use crate::rules::RULES;

pub(super) fn check(run: &Run) -> Option<Finding> {
    if let Some(storage) = &run.storage {
        return cached(storage);
    }
    // In a proof of tiers the page cache is one of the levels that are measured.
    if run.kind.proof().is_some_and(|part| part.load == ProofLoad::BlockReads) {
        return None;
    }
    let blocks_are_read = run.blocks.as_ref().is_some_and(|blocks| blocks.caches != CacheState::Preloaded);
    if run.cache_fit != Some(CacheFit::Outside) && !blocks_are_read {
        return None;
    }
    let data_reads = run.data_reads.clone();
    let (Some(engine), Some(device)) = (delta(run, name::PHYSICAL_READ_BYTES), delta(run, name::DEVICE_READ_BYTES))
    else {
        let reads = PageCache::EngineReads { device_share: None, data_reads };
        return finding(Verdict::Unknown, Evidence::PageCache(reads));
    };
    if engine < RULES.page_cache_bytes_min {
        return None;
    }
    let seen = share(device as f64, engine as f64)?;
    let verdict = match seen {
        seen if seen >= RULES.device_share_min => Verdict::Pass,
        // Direct data reads come from the device; log reads and sort files may not.
        _ if run.changes && data_reads == Some(DataReads::Direct) => Verdict::Unknown,
        _ => Verdict::Warn,
    };
    finding(verdict, Evidence::PageCache(PageCache::EngineReads { device_share: Some(Ratio(seen)), data_reads }))
}

fn cached(storage: &Storage) -> Option<Finding> {
    let through_file = storage.files.iter().any(|file| file.loop_file.as_ref().is_some_and(|file| !file.is_direct));
    let buffered = |stream: &record::IoStream| stream.kind == IoKind::Read && (!stream.direct || through_file);
    if !storage.streams.iter().any(buffered) {
        return None;
    }
    let known: Vec<(f64, &IoFile)> = storage.files.iter().filter_map(|file| Some((file.cached?.0, file))).collect();
    let regions = known.iter().map(|(_, file)| file.region_bytes.0 as f64).sum();
    let cached = known.iter().map(|(cached, file)| cached * file.region_bytes.0 as f64).sum();
    let cached = share(cached, regions);
    let (verdict, limit) = match cached {
        None => (Verdict::Unknown, RULES.cached_warn),
        Some(ratio) if ratio > RULES.cached_fail => (Verdict::Fail, RULES.cached_fail),
        Some(ratio) if ratio > RULES.cached_warn => (Verdict::Warn, RULES.cached_warn),
        Some(_) => (Verdict::Pass, RULES.cached_warn),
    };
    finding(verdict, Evidence::PageCache(PageCache::Files { cached: cached.map(Ratio), limit: Ratio(limit) }))
}

#[cfg(test)]
mod tests {
    use record::{Bytes, PageCached, ProofPart, ProofPlace, ProofSubject, RunKind};

    use super::*;
    use crate::fixture::{blocks_run, counted, io_run, run, storage};

    fn read(engine: u64, device: u64) -> Run {
        let counters = [(name::PHYSICAL_READ_BYTES, engine), (name::DEVICE_READ_BYTES, device)];
        Run { cache_fit: Some(CacheFit::Outside), ..counted(run("T626", 1), &counters) }
    }

    #[test]
    fn reads_from_the_page_cache_are_a_warning() {
        let found = check(&read(100_000_000, 3_000_000)).unwrap();
        assert_eq!(found.verdict, Verdict::Warn);
        let reads = PageCache::EngineReads { device_share: Some(Ratio(0.03)), data_reads: None };
        assert_eq!(found.evidence, Evidence::PageCache(reads));
        assert_eq!(check(&read(100_000_000, 120_000_000)).unwrap().verdict, Verdict::Pass);
    }

    #[test]
    fn log_reads_of_updates_are_no_warning() {
        let direct = Run { changes: false, data_reads: Some(DataReads::Direct), ..read(100_000_000, 40_000_000) };
        assert_eq!(check(&direct).unwrap().verdict, Verdict::Warn, "a test that changes nothing has no log to read");
        let update = check(&Run { changes: true, ..direct.clone() }).unwrap();
        assert_eq!(update.verdict, Verdict::Unknown);
        let cached = Run { changes: true, data_reads: Some(DataReads::Dropped), ..direct };
        assert_eq!(check(&cached).unwrap().verdict, Verdict::Warn);
    }

    #[test]
    fn random_blocks_are_checked_unless_preloaded() {
        let counters = [(name::PHYSICAL_READ_BYTES, 100_000_000), (name::DEVICE_READ_BYTES, 3_000_000)];
        let says = |caches| check(&counted(blocks_run(caches), &counters)).map(|finding| finding.verdict);
        assert_eq!(says(CacheState::Warm), Some(Verdict::Warn));
        assert_eq!(says(CacheState::Cold), Some(Verdict::Warn));
        assert_eq!(says(CacheState::Preloaded), None);
    }

    #[test]
    fn the_page_cache_is_no_defect_where_it_is_what_is_measured() {
        let place = ProofPlace::WorkingSet { size_bytes: Bytes::GIB, page_cache: PageCached::All };
        let part = ProofPart { subject: ProofSubject::Tiers, place, load: ProofLoad::BlockReads };
        let counters = [(name::PHYSICAL_READ_BYTES, 100_000_000), (name::DEVICE_READ_BYTES, 0)];
        let run = counted(blocks_run(CacheState::Warm), &counters);
        assert_eq!(check(&Run { kind: RunKind::Proof(part), ..run }), None);
    }

    #[test]
    fn a_loop_device_that_reads_its_file_through_the_page_cache_is_a_buffered_run() {
        let says = |is_direct| {
            let mut run = io_run("io", IoKind::Read, 1);
            let file = &mut storage(&mut run).files[0];
            (file.is_device, file.cached) = (true, Some(Ratio(1.0)));
            let of = |text: &str| text.to_owned();
            let file_system = Some(of("ext4"));
            file.loop_file = Some(record::LoopFile { device: of("loop0"), path: of("/srv/f"), file_system, is_direct });
            check(&run).map(|finding| finding.verdict)
        };
        assert_eq!((says(false), says(true)), (Some(Verdict::Fail), None));
    }

    #[test]
    fn it_applies_only_to_tables_outside_the_cache() {
        let inside = Run { cache_fit: Some(CacheFit::Inside), ..read(100_000_000, 0) };
        assert_eq!(check(&inside), None);
        assert_eq!(check(&read(5_000, 0)), None, "almost nothing was read");
        let unknown = Run { readings: Vec::new(), ..read(100_000_000, 0) };
        assert_eq!(check(&unknown).unwrap().verdict, Verdict::Unknown);
    }

    #[test]
    fn a_buffered_run_over_a_cached_file_is_invalid() {
        let says = |cached: Option<f64>, direct: bool| {
            let mut run = io_run("io", IoKind::Read, 1);
            let storage = storage(&mut run);
            storage.streams[0].direct = direct;
            storage.files[0].cached = cached.map(Ratio);
            check(&run).map(|finding| (finding.verdict, finding.evidence))
        };
        assert_eq!(says(Some(1.0), true), None, "O_DIRECT");
        assert_eq!(
            says(Some(0.51), false),
            Some((
                Verdict::Fail,
                Evidence::PageCache(PageCache::Files { cached: Some(Ratio(0.51)), limit: Ratio(0.5) })
            ))
        );
        assert_eq!(says(Some(0.06), false).unwrap().0, Verdict::Warn);
        assert_eq!(
            (says(Some(0.05), false).unwrap().0, says(None, false).unwrap().0),
            (Verdict::Pass, Verdict::Unknown)
        );
    }
}
