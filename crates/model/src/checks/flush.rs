//! Flushes compared with syncs, and sync time.
//!
//! A sync on a device with a volatile cache needs a flush or a write past the cache (FUA); a write-through device needs
//! neither. Concurrent syncs share a flush, so that fewer flushes than syncs are valid as far as the slots explain it.
//! Only direct synchronous writes can use FUA, which is not counted: for them missing flushes are not conclusive. A
//! stacked device may pass flushes on uncounted. A sync faster than any medium was acknowledged by a cache in front of
//! it. A server of NFS may say that data are on stable storage when they are in its memory (`async` among the options of
//! the export), which no client sees.

use record::evidence::{Flush, FlushSharing};
use record::{Evidence, Finding, IoKind, IoStream, Nanos, Run, Verdict, name};

use super::{Context, finding, uses_several_devices};
use crate::delta::delta;
use crate::queue::queues;
use crate::rules::RULES;

pub(super) fn check(run: &Run, context: &Context<'_>) -> Option<Finding> {
    let storage = run.storage.as_ref()?;
    let forced: Vec<&IoStream> = storage.streams.iter().filter(|stream| is_forced(stream)).collect();
    let syncs = forced.iter().map(|stream| stream.operations).fold(0, u64::saturating_add);
    if syncs == 0 {
        return None;
    }
    if storage.files.iter().any(|file| file.is_counted_by_mount) {
        let commits = delta(run, name::DEVICE_FLUSH_COUNT);
        return finding(Verdict::Unknown, Evidence::Flush(Flush::AtServer { syncs, commits }));
    }
    if storage.files.iter().any(|file| file.has_device == Some(false)) {
        return None;
    }
    if uses_several_devices(storage) {
        return finding(Verdict::Unknown, Evidence::Flush(Flush::SeveralDevices));
    }
    if context.write_cache == Some("write through") {
        return finding(Verdict::Pass, Evidence::Flush(Flush::WriteThrough));
    }
    let flushes = delta(run, name::DEVICE_FLUSH_COUNT);
    let slots = slots(run);
    let past_the_cache = forced.iter().all(|stream| stream.direct && stream.kind == IoKind::Commit);
    let (verdict, sharing) = match flushes {
        None => (Verdict::Unknown, FlushSharing::NotCounted),
        Some(0) if context.write_cache.is_none() => (Verdict::Unknown, FlushSharing::NeedNotKnown),
        Some(0) if past_the_cache => (Verdict::Warn, FlushSharing::PastCache),
        Some(0) => (Verdict::Fail, FlushSharing::NotForced),
        Some(flushes) if syncs as f64 / flushes as f64 > RULES.commits_per_flush_and_job * slots as f64 => {
            (Verdict::Warn, FlushSharing::TooFew)
        }
        Some(_) => (Verdict::Pass, FlushSharing::Enough),
    };
    let is_checked = verdict < Verdict::Fail && context.write_cache == Some("write back");
    let fastest_ns = forced.iter().filter_map(|stream| too_fast(stream)).min().filter(|_| is_checked);
    let verdict = if fastest_ns.is_some() { Verdict::Warn } else { verdict };
    finding(verdict, Evidence::Flush(Flush::Syncs { syncs, flushes, sharing, slots, fastest_ns }))
}

/// I/Os in flight that can share a flush.
fn slots(run: &Run) -> u64 {
    let queues = queues(run);
    let forced = queues.iter().filter(|queue| queue.streams.iter().any(|stream| is_forced(stream)));
    forced.map(|queue| queue.slots()).fold(0, u64::saturating_add).max(1)
}

fn is_forced(stream: &IoStream) -> bool {
    matches!(stream.kind, IoKind::Sync | IoKind::Commit)
}

/// The median sync time, where too fast for any medium behind a volatile cache.
fn too_fast(stream: &IoStream) -> Option<Nanos> {
    let median = stream.service.p50_ns;
    (stream.service.count > 0 && median.0 < RULES.sync_ns_min).then_some(median)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, counted as with_counters, instrument, io_run, run, storage};

    fn says(run: &Run, write_cache: Option<&str>) -> Option<(Verdict, Flush)> {
        let instrument = instrument();
        let context = Context { write_cache, ..fixture::context(&instrument) };
        check(run, &context).map(|finding| match finding.evidence {
            Evidence::Flush(flush) => (finding.verdict, flush),
            other => panic!("{other:?}"),
        })
    }

    fn sharing(flush: &Flush) -> FlushSharing {
        match flush {
            Flush::Syncs { sharing, .. } => *sharing,
            other => panic!("{other:?}"),
        }
    }

    /// 10 000 syncs of 1 ms by one clone.
    fn flushed(kind: IoKind, flushes: u64) -> Run {
        with_counters(io_run("io", kind, 1), &[(name::DEVICE_FLUSH_COUNT, flushes)])
    }

    #[test]
    fn syncs_without_a_flush_invalidate_the_run() {
        let (flushes, sharing) = (Some(0), FlushSharing::NotForced);
        let none = Flush::Syncs { syncs: 10_000, flushes, sharing, slots: 1, fastest_ns: None };
        assert_eq!(says(&flushed(IoKind::Sync, 0), Some("write back")), Some((Verdict::Fail, none)));
        assert_eq!(says(&flushed(IoKind::Sync, 0), None).unwrap().0, Verdict::Unknown);
        assert_eq!(says(&io_run("io", IoKind::Sync, 1), Some("write back")).unwrap().0, Verdict::Unknown, "no counter");
    }

    #[test]
    fn a_direct_commit_may_go_past_the_cache_and_a_buffered_one_may_not() {
        let mut commit = flushed(IoKind::Commit, 0);
        assert_eq!(says(&commit, Some("write back")).unwrap().0, Verdict::Warn);
        storage(&mut commit).streams[0].direct = false;
        assert_eq!(says(&commit, Some("write back")).unwrap().0, Verdict::Fail);
    }

    #[test]
    fn syncs_in_flight_share_a_flush() {
        assert_eq!(says(&flushed(IoKind::Sync, 10_050), Some("write back")).unwrap().0, Verdict::Pass);
        assert_eq!(says(&flushed(IoKind::Sync, 5_000), Some("write back")).unwrap().0, Verdict::Pass);
        let (verdict, flush) = says(&flushed(IoKind::Sync, 4_000), Some("write back")).unwrap();
        assert_eq!((verdict, sharing(&flush)), (Verdict::Warn, FlushSharing::TooFew));
    }

    #[test]
    fn a_device_that_writes_through_needs_no_flush() {
        let through = says(&flushed(IoKind::Commit, 0), Some("write through"));
        assert_eq!(through, Some((Verdict::Pass, Flush::WriteThrough)));
    }

    #[test]
    fn a_sync_faster_than_any_medium_is_a_warning() {
        let mut fast = flushed(IoKind::Commit, 10_000);
        storage(&mut fast).streams[0].service.p50_ns = Nanos(12_300);
        let (verdict, flush) = says(&fast, Some("write back")).unwrap();
        let is_fast = matches!(flush, Flush::Syncs { fastest_ns: Some(Nanos(12_300)), .. });
        assert!(verdict == Verdict::Warn && is_fast, "{flush:?}");
        let mut lost = flushed(IoKind::Sync, 0);
        storage(&mut lost).streams[0].service.p50_ns = Nanos(12_300);
        assert_eq!(says(&lost, Some("write back")).unwrap().0, Verdict::Fail, "the worse of the two");
    }

    #[test]
    fn flushes_of_one_device_are_not_conclusive_for_several() {
        let mut several = flushed(IoKind::Sync, 0);
        let files = &mut storage(&mut several).files;
        files.push(record::IoFile { path: "/dev/disk".to_owned(), is_device: true, ..files[0].clone() });
        assert_eq!(says(&several, Some("write back")).unwrap().0, Verdict::Unknown);
        assert_eq!(says(&several, Some("write through")).unwrap().0, Verdict::Unknown);
    }

    #[test]
    fn runs_without_syncs_are_not_checked() {
        assert_eq!(says(&flushed(IoKind::Write, 0), Some("write back")), None);
        assert_eq!(says(&run("T716", 1), Some("write back")), None);
        let mut memory = flushed(IoKind::Sync, 0);
        storage(&mut memory).files[0].has_device = Some(false);
        assert_eq!(says(&memory, Some("write back")), None, "left to the check of device I/O");
        storage(&mut memory).files[0].is_counted_by_mount = true;
        let at_server = Flush::AtServer { syncs: 10_000, commits: Some(0) };
        assert_eq!(says(&memory, None), Some((Verdict::Unknown, at_server)), "on NFS");
    }
}
