//! I/O of other programs on the measured device.
//!
//! Applied to runs that use the device: storage runs, and runs with a relevant number of bytes or flushes. I/O not
//! attributed to a process (earlier page cache writes, or hidden programs) never invalidates a run, nor does anything
//! in a run that makes no claims or is short.

use record::evidence::{ForeignIoShare, ProgramIo};
use record::{BackgroundProgram, Evidence, Finding, Rate, Ratio, Run, Verdict, name};

use super::foreign_cpu::{may_invalidate, warning};
use super::{Context, finding, uses_several_devices};
use crate::delta::delta;
use crate::foreign::{ForeignIo, foreign_io};
use crate::rules::RULES;

pub(super) fn check(run: &Run, context: &Context<'_>) -> Option<Finding> {
    let storage = run.storage.as_ref();
    if storage.is_some_and(|storage| storage.files.is_empty() || uses_several_devices(storage)) {
        return None;
    }
    let device = delta(run, name::DEVICE_READ_BYTES)?.checked_add(delta(run, name::DEVICE_WRITE_BYTES)?)?;
    let Some(found) = foreign_io(run) else {
        let is_checked = run.foreign_load.is_some() && device as f64 > floor(run);
        return if is_checked { finding(Verdict::Unknown, Evidence::ForeignIo(None)) } else { None };
    };
    let own = device as f64 - found.used_bytes - found.unseen_bytes;
    let flushes = delta(run, name::DEVICE_FLUSH_COUNT).unwrap_or(0) > 0 && run.changes;
    if storage.is_none() && !flushes && own < floor(run) {
        return None;
    }
    let used = found.share.0 * found.used_bytes / (found.used_bytes + found.unseen_bytes).max(1.0);
    let is_little = found.bytes_per_second < RULES.foreign_io_bytes_per_second_min;
    let verdict = match () {
        () if is_little => Verdict::Pass,
        () if used > RULES.foreign_io_fail && may_invalidate(run, context) => Verdict::Fail,
        () if found.share.0 > RULES.foreign_io_warn => warning(context),
        () => Verdict::Pass,
    };
    let limit = if verdict == Verdict::Fail { RULES.foreign_io_fail } else { RULES.foreign_io_warn };
    let is_named = verdict != Verdict::Pass;
    let io = ForeignIoShare {
        share: found.share,
        limit: Ratio(limit),
        programs: if is_named { programs(run, &found) } else { Vec::new() },
        unseen_bytes_per_second: unseen(&found).filter(|_| is_named),
    };
    finding(verdict, Evidence::ForeignIo(Some(Box::new(io))))
}

/// Bytes below which the device counts as unused.
fn floor(run: &Run) -> f64 {
    RULES.foreign_io_bytes_per_second_min * run.window_ns.seconds()
}

/// Minimum bytes per second of a listed program.
const NAMED_BYTES_PER_SECOND_MIN: f64 = 100_000.0;

/// The busiest programs first.
fn programs(run: &Run, found: &ForeignIo) -> Vec<ProgramIo> {
    let programs = run.foreign_load.as_ref().map_or(&[][..], |load| &load.programs);
    let bytes =
        |one: &BackgroundProgram| one.read_bytes_per_second.unwrap_or(0.0) + one.write_bytes_per_second.unwrap_or(0.0);
    let busy = programs.iter().filter(|one| bytes(one) >= NAMED_BYTES_PER_SECOND_MIN && found.used_bytes > 0.0);
    let mut busy: Vec<ProgramIo> =
        busy.map(|one| ProgramIo { name: one.name.clone(), bytes_per_second: Rate(bytes(one)) }).collect();
    busy.sort_by(|one, other| other.bytes_per_second.0.total_cmp(&one.bytes_per_second.0));
    busy
}

/// I/O not attributed to a program, where relevant.
fn unseen(found: &ForeignIo) -> Option<Rate> {
    let per_second = found.bytes_per_second / (found.used_bytes + found.unseen_bytes).max(1.0);
    (found.unseen_bytes > found.used_bytes * 0.1).then_some(Rate(found.unseen_bytes * per_second))
}

#[cfg(test)]
mod tests {
    use record::{Bytes, ForeignLoad, IoKind, Nanos};

    use super::*;
    use crate::fixture::{self, counted, instrument, io_run, run};

    /// 10 s of a storage run that read 82 MB, while `dd` wrote.
    fn beside(run: Run, own: u64, written: u64, seen: u64) -> Run {
        let load = ForeignLoad {
            observed_ns: Nanos(10_000_000_000),
            read_bytes: Some(Bytes(0)),
            write_bytes: Some(Bytes(seen)),
            programs: vec![BackgroundProgram {
                name: "dd".to_owned(),
                processors: 0.2,
                read_bytes_per_second: Some(0.0),
                write_bytes_per_second: Some(seen as f64 / 10.0),
            }],
            ..ForeignLoad::default()
        };
        let counters = [
            (name::CLIENT_READ_BYTES, own),
            (name::CLIENT_WRITE_BYTES, 0),
            (name::DEVICE_READ_BYTES, own),
            (name::DEVICE_WRITE_BYTES, written),
            (name::DEVICE_FLUSH_COUNT, 0),
        ];
        Run { foreign_load: Some(Box::new(load)), ..counted(run, &counters) }
    }

    fn judged(run: &Run) -> Option<(Verdict, ForeignIoShare)> {
        let instrument = instrument();
        let context = fixture::context(&instrument);
        check(run, &context).map(|finding| match finding.evidence {
            Evidence::ForeignIo(Some(io)) => (finding.verdict, *io),
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn a_writer_beside_a_reader_invalidates() {
        let reader = || io_run("S21", IoKind::Read, 1);
        let (verdict, io) = judged(&beside(reader(), 82_000_000, 8_400_000_000, 8_400_000_000)).unwrap();
        let dd = ProgramIo { name: "dd".to_owned(), bytes_per_second: Rate(840e6) };
        assert_eq!((verdict, io.limit, io.programs), (Verdict::Fail, Ratio(0.2), vec![dd]));
        assert!((io.share.0 - 0.99).abs() < 0.005 && io.unseen_bytes_per_second.is_none(), "{:?}", io.share);
        let warned = judged(&beside(reader(), 82_000_000, 11_000_000, 11_000_000)).unwrap();
        assert_eq!(warned.0, Verdict::Warn, "{:?}", warned.1);
        let quiet = judged(&beside(reader(), 82_000_000, 500_000, 500_000)).unwrap();
        assert_eq!(quiet.0, Verdict::Pass, "{:?}", quiet.1);
        let (verdict, unseen) = judged(&beside(reader(), 82_000_000, 8_400_000_000, 0)).unwrap();
        assert_eq!(verdict, Verdict::Warn);
        assert_eq!((unseen.unseen_bytes_per_second, unseen.programs), (Some(Rate(840e6)), Vec::new()));
    }

    #[test]
    fn a_run_that_does_not_use_the_device_is_not_checked() {
        let busy = Run { changes: false, ..run("C11", 1) };
        assert_eq!(judged(&beside(busy, 0, 8_400_000_000, 8_400_000_000)), None);
        assert_eq!(judged(&run("C11", 1)), None);
    }
}
