//! Requested I/O compared with the I/O of the block layer.
//!
//! Reads: bytes read by the device over bytes read by the streams; the rest came from memory. Writes in the same way;
//! missing buffered writes may still be in the page cache or were overwritten there, so that only direct writes and
//! commits must all reach the device. Trims over discards: a file system need not pass them on, and then the device was
//! not measured. The block layer counts all programs, whose I/O may hide missing bytes. Its counters are of one device
//! and not conclusive for several. Not applied to a run without files.

use record::evidence::{DeviceIo, IoDirection};
use record::{Evidence, Finding, IoFile, IoKind, IoStream, Ratio, Run, Storage, Verdict, name};

use super::{finding, uses_several_devices, worst};
use crate::delta::{delta, share};
use crate::rules::RULES;

pub(super) fn check(run: &Run) -> Option<Finding> {
    let storage = run.storage.as_ref().filter(|storage| !storage.files.is_empty())?;
    if let Some(file) = storage.files.iter().find(|file| is_uncounted(file)) {
        return finding(Verdict::Fail, Evidence::DeviceIo(no_device(file)));
    }
    if uses_several_devices(storage) {
        return finding(Verdict::Unknown, Evidence::DeviceIo(DeviceIo::SeveralDevices));
    }
    let counted = [reads(run, storage), writes(run, storage), trims(run, storage)];
    worst(counted.into_iter().flatten())
}

fn no_device(file: &IoFile) -> DeviceIo {
    DeviceIo::NoDevice {
        path: file.path.clone(),
        file_system: file.file_system.clone(),
        memory_device: file.memory_device.clone(),
    }
}

/// Whether neither a block device nor a mount counts the I/O of `file`.
fn is_uncounted(file: &IoFile) -> bool {
    file.has_device == Some(false) && !file.is_counted_by_mount
}

fn reads(run: &Run, storage: &Storage) -> Option<(Verdict, Evidence)> {
    let asked = bytes(storage, |stream| stream.kind == IoKind::Read);
    all_or_fail(storage, IoDirection::Read, asked, seen(run, name::DEVICE_READ_BYTES, asked))
}

fn trims(run: &Run, storage: &Storage) -> Option<(Verdict, Evidence)> {
    let asked = bytes(storage, |stream| stream.kind == IoKind::Trim);
    all_or_fail(storage, IoDirection::Trim, asked, seen(run, name::DEVICE_DISCARD_BYTES, asked))
}

/// The verdict on a direction whose I/O has to reach the device.
fn all_or_fail(
    storage: &Storage,
    direction: IoDirection,
    asked: f64,
    seen: Option<f64>,
) -> Option<(Verdict, Evidence)> {
    let verdict = match seen {
        _ if asked == 0.0 => return None,
        None => Verdict::Unknown,
        Some(seen) if seen >= RULES.device_share_min => Verdict::Pass,
        Some(_) => Verdict::Fail,
    };
    let counted = Counted { share: seen, limit: RULES.device_share_min, is_forced: false };
    Some((verdict, counted.evidence(storage, direction)))
}

fn writes(run: &Run, storage: &Storage) -> Option<(Verdict, Evidence)> {
    let written = |stream: &IoStream| matches!(stream.kind, IoKind::Write | IoKind::Commit);
    let asked = bytes(storage, written);
    if asked == 0.0 {
        return None;
    }
    let forced = |stream: &IoStream| written(stream) && (stream.direct || stream.kind == IoKind::Commit);
    let forced = bytes(storage, forced);
    let share = seen(run, name::DEVICE_WRITE_BYTES, asked);
    let is_forced = share.is_some_and(|seen| seen * asked < forced * RULES.device_share_min);
    let (verdict, limit) = match share {
        None => (Verdict::Unknown, RULES.device_share_min),
        Some(seen) if seen >= RULES.device_share_min => (Verdict::Pass, RULES.device_share_min),
        Some(_) if is_forced => (Verdict::Fail, RULES.device_share_min),
        Some(seen) if seen < RULES.buffered_share_min => (Verdict::Fail, RULES.buffered_share_min),
        Some(_) => (Verdict::Warn, RULES.buffered_share_min),
    };
    Some((verdict, Counted { share, limit, is_forced }.evidence(storage, IoDirection::Write)))
}

/// What was counted of one direction.
struct Counted {
    share: Option<f64>,
    limit: f64,
    is_forced: bool,
}

impl Counted {
    fn evidence(&self, storage: &Storage, direction: IoDirection) -> Evidence {
        Evidence::DeviceIo(DeviceIo::Counted {
            direction,
            share: self.share.map(Ratio),
            limit: Ratio(self.limit),
            is_forced: self.is_forced,
            is_counted_by_mount: storage.files.iter().any(|file| file.is_counted_by_mount),
            loop_file: storage.files.iter().find_map(|file| file.loop_file.clone()),
        })
    }
}

fn bytes(storage: &Storage, of: impl Fn(&IoStream) -> bool) -> f64 {
    storage.streams.iter().filter(|stream| of(stream)).map(|stream| stream.bytes.0 as f64).sum()
}

fn seen(run: &Run, counter: &str, asked: f64) -> Option<f64> {
    share(delta(run, counter)? as f64, asked)
}

#[cfg(test)]
mod tests {
    use record::Bytes;

    use super::*;
    use crate::fixture::{counted, io_run, run, storage};

    fn device_share(direction: IoDirection, share: Option<f64>, limit: f64, is_forced: bool) -> Evidence {
        let (share, limit) = (share.map(Ratio), Ratio(limit));
        Evidence::DeviceIo(DeviceIo::Counted {
            direction,
            share,
            limit,
            is_forced,
            is_counted_by_mount: false,
            loop_file: None,
        })
    }

    fn says(run: &Run) -> (Verdict, Evidence) {
        let finding = check(run).unwrap();
        (finding.verdict, finding.evidence)
    }

    /// 81.92 MB of it, of which the device saw `share`.
    fn seen_by_device(kind: IoKind, share: f64) -> Run {
        let saw = (81_920_000.0 * share) as u64;
        let (reads, writes) = if kind == IoKind::Read { (saw, 0) } else { (0, saw) };
        counted(io_run("io", kind, 1), &[(name::DEVICE_READ_BYTES, reads), (name::DEVICE_WRITE_BYTES, writes)])
    }

    #[test]
    fn reads_missing_at_the_device_invalidate_the_run() {
        let read = device_share(IoDirection::Read, Some(0.03), 0.9, false);
        assert_eq!(says(&seen_by_device(IoKind::Read, 0.03)), (Verdict::Fail, read));
        assert_eq!(says(&seen_by_device(IoKind::Read, 0.9)).0, Verdict::Pass);
        assert_eq!(says(&seen_by_device(IoKind::Read, 1.5)).0, Verdict::Pass, "read ahead, or a neighbour");
        assert_eq!(says(&io_run("io", IoKind::Read, 1)).0, Verdict::Unknown, "no counters");
    }

    #[test]
    fn only_buffered_writes_may_stay_in_the_page_cache() {
        assert_eq!(says(&seen_by_device(IoKind::Write, 0.5)).0, Verdict::Fail, "direct");
        let mut buffered = seen_by_device(IoKind::Write, 0.5);
        storage(&mut buffered).streams[0].direct = false;
        let written = device_share(IoDirection::Write, Some(0.5), RULES.buffered_share_min, false);
        assert_eq!(says(&buffered), (Verdict::Warn, written));
        storage(&mut buffered).streams[0].kind = IoKind::Commit;
        assert_eq!(says(&buffered).0, Verdict::Fail, "a commit is forced");
    }

    #[test]
    fn the_forced_part_of_mixed_writes_must_reach_the_device() {
        let mut mixed = seen_by_device(IoKind::Write, 1.0);
        let streams = &mut storage(&mut mixed).streams;
        streams.push(IoStream { direct: false, ..streams[0].clone() });
        assert_eq!(says(&mixed).0, Verdict::Warn, "all of the direct half");
        storage(&mut mixed).streams[0].bytes = Bytes(120_000_000);
        assert_eq!(says(&mixed).0, Verdict::Fail, "less than the direct part");
    }

    #[test]
    fn a_file_without_a_device_invalidates_the_run() {
        let mut memory = seen_by_device(IoKind::Read, 1.0);
        let file = &mut storage(&mut memory).files[0];
        (file.has_device, file.file_system) = (Some(false), Some("tmpfs".to_owned()));
        let no_device = DeviceIo::NoDevice {
            path: "/data/file".to_owned(),
            file_system: Some("tmpfs".to_owned()),
            memory_device: None,
        };
        assert_eq!(says(&memory), (Verdict::Fail, Evidence::DeviceIo(no_device)));
    }

    #[test]
    fn a_mount_of_nfs_counts_in_place_of_the_block_layer() {
        let mut network = seen_by_device(IoKind::Read, 0.5);
        let file = &mut storage(&mut network).files[0];
        (file.has_device, file.is_counted_by_mount) = (Some(false), true);
        let (verdict, evidence) = says(&network);
        let is_of_mount = matches!(
            evidence,
            Evidence::DeviceIo(DeviceIo::Counted { share: Some(Ratio(0.5)), is_counted_by_mount: true, .. })
        );
        assert!(verdict == Verdict::Fail && is_of_mount, "the rest came from the cache of the client: {evidence:?}");
        let mut network = seen_by_device(IoKind::Read, 1.0);
        let file = &mut storage(&mut network).files[0];
        (file.has_device, file.is_counted_by_mount) = (Some(false), true);
        assert_eq!(says(&network).0, Verdict::Pass);
    }

    #[test]
    fn trims_missing_at_the_device_invalidate_the_run() {
        let says =
            |discarded: u64| says(&counted(io_run("io", IoKind::Trim, 1), &[(name::DEVICE_DISCARD_BYTES, discarded)]));
        let trimmed = |share| device_share(IoDirection::Trim, Some(share), 0.9, false);
        assert_eq!((says(81_920_000), says(0)), ((Verdict::Pass, trimmed(1.0)), (Verdict::Fail, trimmed(0.0))));
        let uncounted = check(&io_run("io", IoKind::Trim, 1)).unwrap();
        assert_eq!(uncounted.verdict, Verdict::Unknown, "an older kernel");
    }

    #[test]
    fn counters_of_one_device_are_not_conclusive_for_several() {
        let mut run = seen_by_device(IoKind::Read, 1.0);
        let files = &mut storage(&mut run).files;
        files.push(IoFile { path: "/data/other".to_owned(), ..files[0].clone() });
        assert_eq!(says(&run).0, Verdict::Pass, "two files of one directory");
        storage(&mut run).files[1].is_device = true;
        assert_eq!(says(&run), (Verdict::Unknown, Evidence::DeviceIo(DeviceIo::SeveralDevices)));
        storage(&mut run).files.iter_mut().for_each(|file| file.is_device = true);
        assert_eq!(says(&run).0, Verdict::Unknown, "two devices");
        storage(&mut run).files.pop();
        assert_eq!(says(&run).0, Verdict::Pass, "one device");
    }

    #[test]
    fn a_run_without_files_and_other_runs_are_not_checked() {
        let mut null = io_run("io", IoKind::Read, 1);
        storage(&mut null).files.clear();
        assert_eq!((check(&null), check(&run("T626", 1))), (None, None));
    }
}
