//! Reads of blocks that were never written: holes of a sparse file, and preallocated space.
//!
//! The file system returns zeros without reading the device. The state is that at the start of the window, after the
//! warm-up, and of files that a job reads: a file that is only written beside readers of others is no finding. A record
//! that does not say which files are read has a warning where readers and writers are separate; missing reads are then
//! detected by the check of device I/O. First writes differ from overwrites, since the file system also changes metadata.
//! Not applied to an empty file, which is to grow. A device does not report unwritten blocks.

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

/// How the run uses its files.
struct Uses {
    reads: bool,
    writes: bool,
    /// Some jobs read, and others only write.
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
        let unknown = uses.reads && !uses.writes && storage.rounds.is_empty();
        return unknown.then_some((Verdict::Unknown, Unwritten::DeviceNotKnown { path }));
    }
    let (Some(holes), Some(unwritten)) = (file.hole_bytes, file.unwritten_bytes) else {
        return file.found.then_some((Verdict::Unknown, Unwritten::FileNotKnown { path }));
    };
    let never = share((holes.0 as f64) + (unwritten.0 as f64), file.region_bytes.0 as f64)?;
    let verdict = match (never, file.is_read) {
        (0.0, _) => return Some((Verdict::Pass, Unwritten::None)),
        _ if !uses.reads => Verdict::Warn,
        // What others read has been judged by their own files.
        (_, Some(false)) => return Some((Verdict::Pass, Unwritten::None)),
        (_, Some(true)) if never >= RULES.unwritten_fail => Verdict::Fail,
        (_, None) if never >= RULES.unwritten_fail && !uses.apart => Verdict::Fail,
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
        assert_eq!(says(&growing), None, "it grows");
    }

    #[test]
    fn a_log_with_holes_beside_reads_of_other_files_is_a_warning() {
        let mut profile = with(IoKind::Read, 1_000, 0);
        let storage = storage(&mut profile);
        storage.streams.push(IoStream { job: "log".to_owned(), kind: IoKind::Commit, ..storage.streams[0].clone() });
        assert_eq!(says(&profile).unwrap().0, Verdict::Fail, "there is only one file");
        let storage = crate::fixture::storage(&mut profile);
        storage.files.push(IoFile { hole_bytes: Some(Bytes(0)), ..storage.files[0].clone() });
        assert_eq!(says(&profile).unwrap().0, Verdict::Warn);
    }

    #[test]
    fn only_files_that_a_job_reads_are_judged_by_reads() {
        let mut mixed = with(IoKind::Read, 0, 1_000);
        let all = storage(&mut mixed);
        all.streams.push(IoStream { job: "log".to_owned(), kind: IoKind::Write, ..all.streams[0].clone() });
        all.files.push(IoFile { unwritten_bytes: Some(Bytes(0)), is_read: Some(true), ..all.files[0].clone() });
        all.files[0].is_read = Some(false);
        assert_eq!(says(&mixed), Some((Verdict::Pass, Unwritten::None)), "the log is only written");
        storage(&mut mixed).files[0].is_read = Some(true);
        assert_eq!(says(&mixed), Some((Verdict::Fail, some(1.0, false))), "it is read");
        let mut written = with(IoKind::Write, 0, 1_000);
        storage(&mut written).files[0].is_read = Some(false);
        assert_eq!(says(&written).unwrap().0, Verdict::Warn, "first writes");
    }

    #[test]
    fn unknown_extents_are_unknown_unless_the_file_is_ours() {
        let mut unknown = with(IoKind::Read, 0, 0);
        storage(&mut unknown).files[0].hole_bytes = None;
        assert_eq!(says(&unknown), None, "ours");
        storage(&mut unknown).files[0].found = true;
        assert_eq!(says(&unknown).unwrap().0, Verdict::Unknown);
        storage(&mut unknown).files[0].is_device = true;
        assert!(matches!(says(&unknown).unwrap().1, Unwritten::DeviceNotKnown { .. }), "a device");
        storage(&mut unknown).streams[0].kind = IoKind::Write;
        assert_eq!(says(&unknown), None, "a device that is written");
        assert_eq!(says(&run("T626", 1)), None);
    }
}
