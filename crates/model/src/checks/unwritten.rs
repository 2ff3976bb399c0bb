//! Reads of blocks that were never written: holes of a sparse file, and space that is only reserved.
//!
//! No device reads them: the file system knows that they are zeros. Where jobs that read and jobs that write are at
//! work side by side, it cannot be told whose file has the holes, and it is only a warning; that reads never reached
//! the device is then seen by the check of device I/O. Writes there are real, and are not what overwriting gives: the
//! file system changes its own data as well. An empty file is to grow and is not asked. A device does not say which of
//! its blocks hold nothing.

use record::evidence::Unwritten;
use record::{Evidence, Finding, IoFile, IoKind, Ratio, Run, Storage, Verdict};

use super::{finding, worst};
use crate::delta::share;
use crate::rules::RULES;

pub(super) fn check(run: &Run) -> Option<Finding> {
    let storage = run.storage.as_ref()?;
    let uses = Uses::of(storage);
    if !uses.reads && !uses.writes {
        return None;
    }
    let asked = storage.files.iter().filter(|file| file.size_bytes.0 > 0 || file.is_device);
    let found: Vec<(Verdict, Unwritten)> = asked.filter_map(|file| judge(file, &uses, storage)).collect();
    if found.iter().all(|(verdict, _)| *verdict == Verdict::Pass) && !found.is_empty() {
        return finding(Verdict::Pass, Evidence::Unwritten(Unwritten::None));
    }
    worst(found.into_iter().map(|(verdict, unwritten)| (verdict, Evidence::Unwritten(unwritten))))
}

/// What the run does to its files.
struct Uses {
    reads: bool,
    writes: bool,
    /// Some jobs read and others write only.
    apart: bool,
}

impl Uses {
    fn of(storage: &Storage) -> Uses {
        let does = |job: Option<&str>, kinds: &[IoKind]| {
            let of =
                |stream: &&record::IoStream| kinds.contains(&stream.kind) && job.is_none_or(|job| job == stream.job);
            storage.streams.iter().any(|stream| of(&stream))
        };
        let writing = [IoKind::Write, IoKind::Commit];
        let writes_only = |job: &str| does(Some(job), &writing) && !does(Some(job), &[IoKind::Read]);
        let reads = does(None, &[IoKind::Read]);
        let apart = reads && storage.streams.iter().any(|stream| writes_only(&stream.job));
        Uses { reads, writes: does(None, &writing), apart: apart && storage.files.len() > 1 }
    }
}

fn judge(file: &IoFile, uses: &Uses, storage: &Storage) -> Option<(Verdict, Unwritten)> {
    let path = file.path.clone();
    if file.is_device {
        let untold = uses.reads && !uses.writes && storage.rounds.is_empty();
        return untold.then_some((Verdict::Unknown, Unwritten::DeviceNotKnown { path }));
    }
    let (Some(holes), Some(unwritten)) = (file.hole_bytes, file.unwritten_bytes) else {
        return file.found.then_some((Verdict::Unknown, Unwritten::FileNotKnown { path }));
    };
    let never = share((holes.0 as f64) + (unwritten.0 as f64), file.region_bytes.0 as f64)?;
    let verdict = match never {
        0.0 => return Some((Verdict::Pass, Unwritten::None)),
        _ if !uses.reads => Verdict::Warn,
        _ if never >= RULES.unwritten_fail && !uses.apart => Verdict::Fail,
        _ => Verdict::Warn,
    };
    let (are_holes, are_read) = (holes >= unwritten, uses.reads);
    let limit = Ratio(RULES.unwritten_fail);
    Some((verdict, Unwritten::Some { path, share: Ratio(never), are_holes, are_read, limit }))
}

#[cfg(test)]
mod tests {
    use record::{Bytes, IoStream};

    use super::*;
    use crate::fixture::{io_run, run, storage};

    fn says(run: &Run) -> Option<(Verdict, Unwritten)> {
        check(run).map(|finding| match finding.evidence {
            Evidence::Unwritten(unwritten) => (finding.verdict, unwritten),
            other => panic!("{other:?}"),
        })
    }

    fn some(share: f64, are_holes: bool) -> Unwritten {
        let path = "/data/file".to_owned();
        Unwritten::Some { path, share: Ratio(share), are_holes, are_read: true, limit: Ratio(0.01) }
    }

    fn with(kind: IoKind, holes: u64, unwritten: u64) -> Run {
        let mut run = io_run("io", kind, 1);
        let file = &mut storage(&mut run).files[0];
        (file.region_bytes, file.hole_bytes, file.unwritten_bytes) =
            (Bytes(1_000), Some(Bytes(holes)), Some(Bytes(unwritten)));
        run
    }

    #[test]
    fn reads_of_holes_and_of_reserved_space_invalidate_the_run() {
        assert_eq!(says(&with(IoKind::Read, 1_000, 0)), Some((Verdict::Fail, some(1.0, true))));
        assert_eq!(says(&with(IoKind::Read, 0, 10)), Some((Verdict::Fail, some(0.01, false))), "at the limit");
        assert_eq!(says(&with(IoKind::Read, 4, 5)).unwrap().0, Verdict::Warn);
        assert_eq!(says(&with(IoKind::Read, 0, 0)), Some((Verdict::Pass, Unwritten::None)));
    }

    #[test]
    fn first_writes_are_a_warning() {
        assert_eq!(says(&with(IoKind::Write, 0, 1_000)).unwrap().0, Verdict::Warn);
        let mut growing = with(IoKind::Commit, 1_000, 0);
        storage(&mut growing).files[0].size_bytes = Bytes(0);
        assert_eq!(says(&growing), None, "it is to grow");
    }

    #[test]
    fn a_log_with_holes_beside_reads_of_other_files_does_not_invalid_them() {
        let mut profile = with(IoKind::Read, 1_000, 0);
        let storage = storage(&mut profile);
        storage.streams.push(IoStream { job: "log".to_owned(), kind: IoKind::Commit, ..storage.streams[0].clone() });
        assert_eq!(says(&profile).unwrap().0, Verdict::Fail, "there is only one file");
        let storage = crate::fixture::storage(&mut profile);
        storage.files.push(IoFile { hole_bytes: Some(Bytes(0)), ..storage.files[0].clone() });
        assert_eq!(says(&profile).unwrap().0, Verdict::Warn);
    }

    #[test]
    fn what_is_not_told_is_unknown_unless_we_wrote_it() {
        let mut untold = with(IoKind::Read, 0, 0);
        storage(&mut untold).files[0].hole_bytes = None;
        assert_eq!(says(&untold), None, "ours");
        storage(&mut untold).files[0].found = true;
        assert_eq!(says(&untold).unwrap().0, Verdict::Unknown);
        storage(&mut untold).files[0].is_device = true;
        assert!(matches!(says(&untold).unwrap().1, Unwritten::DeviceNotKnown { .. }), "a device");
        storage(&mut untold).streams[0].kind = IoKind::Write;
        assert_eq!(says(&untold), None, "a device that is written");
        assert_eq!(says(&run("T626", 1)), None);
    }
}
