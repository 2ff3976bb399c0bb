//! I/O of other programs on the measured device.
//!
//! Asked of runs that use the device: runs of storage, and those whose own bytes or flushes are worth speaking of. What no
//! process accounts for (data that were written into the page cache before, or by programs that cannot be seen) never
//! voids a run; nor does anything where nothing is claimed, or in a short window.

use record::{Bystander, Check, Finding, Run, Verdict, name};

use super::foreign_cpu::{doubt, may_void};
use super::{Context, finding, percent, uses_several_devices};
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
        let detail = "what other programs read and wrote on the device is not known";
        return finding(Check::ForeignIo, Verdict::Unknown, detail)
            .filter(|_| run.foreign_load.is_some() && device as f64 > floor(run));
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
        () if used > RULES.foreign_io_fail && may_void(run, context) => Verdict::Fail,
        () if found.share.0 > RULES.foreign_io_warn => doubt(context),
        () => Verdict::Pass,
    };
    let gist = format!("{} of what the device read and wrote was not of this run", percent(found.share.0));
    if verdict == Verdict::Pass {
        return finding(Check::ForeignIo, verdict, gist);
    }
    let limit = if verdict == Verdict::Fail { RULES.foreign_io_fail } else { RULES.foreign_io_warn };
    finding(Check::ForeignIo, verdict, format!("{gist}: {}; limit {}", named(run, &found), percent(limit)))
}

/// Bytes below which the device is not used.
fn floor(run: &Run) -> f64 {
    RULES.foreign_io_bytes_per_second_min * run.window_ns.seconds()
}

/// Whose it was, in megabytes per second.
fn named(run: &Run, found: &ForeignIo) -> String {
    let programs = run.foreign_load.as_ref().map_or(&[][..], |load| &load.programs);
    let bytes = |one: &Bystander| one.read_bytes_per_second.unwrap_or(0.0) + one.write_bytes_per_second.unwrap_or(0.0);
    let mut busy: Vec<&Bystander> = programs.iter().filter(|one| bytes(one) >= 100_000.0).collect();
    busy.sort_by(|one, other| bytes(other).total_cmp(&bytes(one)));
    let seen = busy.into_iter().filter(|_| found.used_bytes > 0.0);
    let seen = seen.map(|one| format!("{} {:.1} MB/s", one.name, bytes(one) / 1e6));
    let per_second = found.bytes_per_second / (found.used_bytes + found.unseen_bytes).max(1.0);
    let unseen = (found.unseen_bytes > found.used_bytes * 0.1).then(|| {
        format!("{:.1} MB/s of programs that cannot be seen or have ended", found.unseen_bytes * per_second / 1e6)
    });
    seen.chain(unseen).collect::<Vec<String>>().join(", ")
}

#[cfg(test)]
mod tests {
    use record::{Bytes, ForeignLoad, IoKind, Nanos};

    use super::*;
    use crate::fixture::{counted, instrument, io_run, run};

    /// 10 s of a storage run that read 82 MB, while `dd` wrote so many.
    fn beside(run: Run, own: u64, written: u64, seen: u64) -> Run {
        let load = ForeignLoad {
            watched_ns: Nanos(10_000_000_000),
            read_bytes: Some(Bytes(0)),
            write_bytes: Some(Bytes(seen)),
            programs: vec![Bystander {
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

    fn judged(run: &Run) -> Option<(Verdict, String)> {
        let instrument = instrument();
        let context = Context {
            engine: None,
            host_threads: 2,
            makes_claims: true,
            instrument: &instrument,
            write_cache: None,
            flush_probe: None,
        };
        check(run, &context).map(|finding| (finding.verdict, finding.detail))
    }

    #[test]
    fn a_writer_beside_a_reader_voids() {
        let reader = || io_run("P321", IoKind::Read, 1);
        assert_eq!(
            judged(&beside(reader(), 82_000_000, 8_400_000_000, 8_400_000_000)),
            Some((
                Verdict::Fail,
                "99 % of what the device read and wrote was not of this run: dd 840.0 MB/s; limit 20 %".to_owned()
            ))
        );
        let warned = judged(&beside(reader(), 82_000_000, 11_000_000, 11_000_000)).unwrap();
        assert_eq!(warned.0, Verdict::Warn, "{}", warned.1);
        let quiet = judged(&beside(reader(), 82_000_000, 500_000, 500_000)).unwrap();
        assert_eq!(quiet.0, Verdict::Pass, "{}", quiet.1);
        let unseen = judged(&beside(reader(), 82_000_000, 8_400_000_000, 0)).unwrap();
        assert_eq!(unseen.0, Verdict::Warn);
        assert!(unseen.1.contains(": 840.0 MB/s of programs that cannot be seen or have ended;"), "{}", unseen.1);
    }

    #[test]
    fn a_run_that_does_not_use_the_device_is_not_asked() {
        let busy = Run { changes: false, ..run("P111", 1) };
        assert_eq!(judged(&beside(busy, 0, 8_400_000_000, 8_400_000_000)), None);
        assert_eq!(judged(&run("P111", 1)), None);
    }
}
