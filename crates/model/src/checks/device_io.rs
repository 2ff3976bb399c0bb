//! I/O that was asked for against I/O that the block layer saw.
//!
//! Reads: bytes that the device read over bytes that the streams read. What is missing came from memory. Writes
//! likewise; of buffered writes what is missing may still lie in the page cache, or was overwritten there, so that only
//! direct writes and commits must all have come through. Trims against what was discarded: a file system that frees
//! blocks need not tell the device, and then it was not the device that was measured. The block layer counts the I/O of
//! everybody on the device: the check cannot see what a busy neighbour hides. The counters are those of one device, so
//! that they prove nothing of a run that uses several. A run without files did no I/O and is not asked.

use record::{Check, Finding, IoFile, IoKind, IoStream, Run, Storage, Verdict, name};

use super::{SEVERAL_DEVICES, finding, percent, uses_several_devices, worst};
use crate::delta::{delta, share};
use crate::rules::RULES;

pub(super) fn check(run: &Run) -> Option<Finding> {
    let storage = run.storage.as_ref().filter(|storage| !storage.files.is_empty())?;
    if let Some(file) = storage.files.iter().find(|file| file.has_device == Some(false)) {
        return finding(Check::DeviceIo, Verdict::Fail, nowhere(file));
    }
    if uses_several_devices(storage) {
        return finding(Check::DeviceIo, Verdict::Unknown, SEVERAL_DEVICES);
    }
    let said = [reads(run, storage), writes(run, storage), trims(run, storage)];
    worst(Check::DeviceIo, said.into_iter().flatten())
}

fn nowhere(file: &IoFile) -> String {
    let system = file.file_system.as_deref().map_or(String::new(), |system| format!(" ({system})"));
    format!("{} lies in memory or on the network{system}: no block device was measured", file.path)
}

fn reads(run: &Run, storage: &Storage) -> Option<(Verdict, String)> {
    let asked = bytes(storage, |stream| stream.kind == IoKind::Read);
    if asked == 0.0 {
        return None;
    }
    let Some(seen) = seen(run, name::DEVICE_READ_BYTES, asked) else {
        return Some((Verdict::Unknown, "what the block layer read is not known".to_owned()));
    };
    let gist = format!("the block layer saw {} of what was read", percent(seen));
    Some(match seen >= RULES.device_share_min {
        true => (Verdict::Pass, gist),
        false => {
            (Verdict::Fail, format!("{gist}, limit {}: the rest came from memory", percent(RULES.device_share_min)))
        }
    })
}

fn writes(run: &Run, storage: &Storage) -> Option<(Verdict, String)> {
    let written = |stream: &IoStream| matches!(stream.kind, IoKind::Write | IoKind::Commit);
    let asked = bytes(storage, written);
    if asked == 0.0 {
        return None;
    }
    let Some(seen) = seen(run, name::DEVICE_WRITE_BYTES, asked) else {
        return Some((Verdict::Unknown, "what the block layer wrote is not known".to_owned()));
    };
    let gist = format!("the block layer saw {} of what was written", percent(seen));
    let limit = percent(RULES.device_share_min);
    let forced = |stream: &IoStream| written(stream) && (stream.direct || stream.kind == IoKind::Commit);
    let forced = bytes(storage, forced);
    Some(match seen {
        _ if seen >= RULES.device_share_min => (Verdict::Pass, gist),
        _ if seen * asked < forced * RULES.device_share_min => (
            Verdict::Fail,
            format!("{gist}, limit {limit}, and it was written past the page cache or forced out of it"),
        ),
        _ if seen < RULES.buffered_share_min => (
            Verdict::Fail,
            format!("{gist}, limit {}: it was the page cache that took the rest", percent(RULES.buffered_share_min)),
        ),
        _ => (Verdict::Warn, format!("{gist}: the rest is still in the page cache, or was overwritten there")),
    })
}

fn trims(run: &Run, storage: &Storage) -> Option<(Verdict, String)> {
    let asked = bytes(storage, |stream| stream.kind == IoKind::Trim);
    if asked == 0.0 {
        return None;
    }
    let Some(seen) = seen(run, name::DEVICE_DISCARD_BYTES, asked) else {
        return Some((Verdict::Unknown, "what the block layer discarded is not known".to_owned()));
    };
    let gist = format!("the block layer saw {} of what was trimmed", percent(seen));
    Some(match seen >= RULES.device_share_min {
        true => (Verdict::Pass, gist),
        false => (
            Verdict::Fail,
            format!("{gist}, limit {}: the device was not told of the rest", percent(RULES.device_share_min)),
        ),
    })
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

    fn says(run: &Run) -> (Verdict, String) {
        let finding = check(run).unwrap();
        (finding.verdict, finding.detail)
    }

    /// 81.92 MB of it, of which the device saw `share`.
    fn seen_by_device(kind: IoKind, share: f64) -> Run {
        let saw = (81_920_000.0 * share) as u64;
        let (reads, writes) = if kind == IoKind::Read { (saw, 0) } else { (0, saw) };
        counted(io_run("io", kind, 1), &[(name::DEVICE_READ_BYTES, reads), (name::DEVICE_WRITE_BYTES, writes)])
    }

    #[test]
    fn reads_that_the_device_never_saw_void_the_run() {
        assert_eq!(
            says(&seen_by_device(IoKind::Read, 0.03)),
            (
                Verdict::Fail,
                "the block layer saw 3.0 % of what was read, limit 90 %: the rest came from memory".to_owned()
            )
        );
        assert_eq!(says(&seen_by_device(IoKind::Read, 0.9)).0, Verdict::Pass);
        assert_eq!(says(&seen_by_device(IoKind::Read, 1.5)).0, Verdict::Pass, "read ahead, or a neighbour");
        assert_eq!(says(&io_run("io", IoKind::Read, 1)).0, Verdict::Unknown, "no counters");
    }

    #[test]
    fn writes_may_stay_in_the_page_cache_only_where_nothing_forces_them_out() {
        assert_eq!(says(&seen_by_device(IoKind::Write, 0.5)).0, Verdict::Fail, "direct");
        let mut buffered = seen_by_device(IoKind::Write, 0.5);
        storage(&mut buffered).streams[0].direct = false;
        assert_eq!(
            says(&buffered),
            (
                Verdict::Warn,
                "the block layer saw 50 % of what was written: \
                 the rest is still in the page cache, or was overwritten there"
                    .to_owned()
            )
        );
        storage(&mut buffered).streams[0].kind = IoKind::Commit;
        assert_eq!(says(&buffered).0, Verdict::Fail, "a commit is forced");
    }

    #[test]
    fn of_mixed_writes_the_forced_part_must_have_come_through() {
        let mut mixed = seen_by_device(IoKind::Write, 1.0);
        let streams = &mut storage(&mut mixed).streams;
        streams.push(IoStream { direct: false, ..streams[0].clone() });
        assert_eq!(says(&mixed).0, Verdict::Warn, "all of the direct half");
        storage(&mut mixed).streams[0].bytes = Bytes(120_000_000);
        assert_eq!(says(&mixed).0, Verdict::Fail, "less than the direct part");
    }

    #[test]
    fn a_file_without_a_device_measures_none() {
        let mut memory = seen_by_device(IoKind::Read, 1.0);
        let file = &mut storage(&mut memory).files[0];
        (file.has_device, file.file_system) = (Some(false), Some("tmpfs".to_owned()));
        assert_eq!(
            says(&memory),
            (
                Verdict::Fail,
                "/data/file lies in memory or on the network (tmpfs): no block device was measured".to_owned()
            )
        );
    }

    #[test]
    fn trims_that_the_device_was_not_told_of_void_the_run() {
        let says =
            |discarded: u64| says(&counted(io_run("io", IoKind::Trim, 1), &[(name::DEVICE_DISCARD_BYTES, discarded)]));
        assert_eq!(says(81_920_000), (Verdict::Pass, "the block layer saw 100 % of what was trimmed".to_owned()));
        let (verdict, detail) = says(0);
        assert_eq!(verdict, Verdict::Fail);
        assert!(detail.ends_with("limit 90 %: the device was not told of the rest"), "{detail}");
        let uncounted = check(&io_run("io", IoKind::Trim, 1)).unwrap();
        assert_eq!(uncounted.verdict, Verdict::Unknown, "an older kernel");
    }

    #[test]
    fn counters_of_one_device_prove_nothing_of_several() {
        let mut run = seen_by_device(IoKind::Read, 1.0);
        let files = &mut storage(&mut run).files;
        files.push(IoFile { path: "/data/other".to_owned(), ..files[0].clone() });
        assert_eq!(says(&run).0, Verdict::Pass, "two files of one directory");
        storage(&mut run).files[1].is_device = true;
        assert_eq!(
            says(&run),
            (Verdict::Unknown, "the counters are those of one device; the run uses several".to_owned())
        );
        storage(&mut run).files.iter_mut().for_each(|file| file.is_device = true);
        assert_eq!(says(&run).0, Verdict::Unknown, "two devices");
        storage(&mut run).files.pop();
        assert_eq!(says(&run).0, Verdict::Pass, "one device");
    }

    #[test]
    fn a_run_without_files_and_a_run_of_something_else_are_not_asked() {
        let mut null = io_run("io", IoKind::Read, 1);
        storage(&mut null).files.clear();
        assert_eq!((check(&null), check(&run("T626", 1))), (None, None));
    }
}
