//! What of a ceiling a test reaches.
//!
//! Test and probe are held against each other in one unit. Where both count it, that is a quotient of their counts.
//! What a test counts (rows, visits to blocks, transactions) is not what a probe of storage counts, so that there the
//! test's physical I/O is taken, of the kind that the probe makes, or its commits:
//!
//! - block: I/Os per second over I/Os per second of the probe;
//! - byte: bytes per second over bytes per second;
//! - transaction: transactions per second over commits (or syncs) per second.
//!
//! Physical reads are what the engine asked for and the block layer saw, the smaller of the two: the page cache serves
//! some of the first, and others and read-ahead are among the second. Physical writes are those of the block layer,
//! since the log is the device's work too and the engine's count leaves it out; where they are not known, the
//! engine's. It lies where the engine's I/O is larger than the probe's blocks (compare bytes then), and where others
//! write to the same device.

use record::{Ceiling, IoKind, Rate, Ratio, Run, Unit, name};

use crate::delta::{per_second, rate, share};
use crate::foreign::is_under_foreign_load;
use crate::queue::in_flight;
use crate::sheet::{ByTest, Limit, fastest, valid};

/// What `ceiling` comes to for `run`: the probe at as many I/Os in flight (of storage) or jobs as the run has workers,
/// or else where it gave most. A probe that was run while others used the
/// machine is no ceiling. None where there is no other one and where it is invalid, or where the counts are missing.
pub(crate) fn limit(by_test: &ByTest<'_>, run: &Run, ceiling: &Ceiling) -> Option<Limit> {
    let all = by_test.runs(&ceiling.probe).iter().copied();
    let undisturbed: Vec<&Run> = all.filter(|probe| !is_under_foreign_load(probe)).collect();
    let probes: Vec<&Run> = valid(&undisturbed, ceiling.unit).into_values().collect();
    let workers = run.dop.jobs.saturating_mul(run.dop.threads);
    let same = probes.iter().copied().find(|probe| in_flight(probe).unwrap_or(probe.dop.jobs) == workers);
    let probe = same.or_else(|| fastest(&probes, ceiling.unit))?;
    let per_second = rate_in(probe, ceiling.unit)?;
    let reached = match kind(probe).filter(|_| run.storage.is_none()) {
        Some(kind) => physical(run, ceiling.unit, kind)?,
        None => rate_in(run, ceiling.unit)?,
    };
    Some(Limit {
        probe: probe.test.clone(),
        unit: ceiling.unit,
        per_second,
        reached,
        jobs: probe.dop.jobs,
        in_flight: in_flight(probe),
        cached: kind(probe).filter(|kind| *kind == IoKind::Read).and_then(|_| cached(run)),
        efficiency: Ratio(share(reached.0, per_second.0)?),
    })
}

/// The rate of `run` in `unit`: bytes where bytes are meant and counted, operations otherwise.
pub(crate) fn rate_in(run: &Run, unit: Unit) -> Option<Rate> {
    match (unit, run.unit) {
        (Unit::Byte, Unit::Byte) => per_second(run, run.totals.operations),
        (Unit::Byte, _) => per_second(run, run.totals.bytes?.0),
        _ => per_second(run, run.totals.operations),
    }
}

/// What a probe of storage does most; none of any other probe.
fn kind(probe: &Run) -> Option<IoKind> {
    let streams = &probe.storage.as_ref()?.streams;
    streams.iter().max_by_key(|stream| stream.operations).map(|stream| stream.kind)
}

/// The rate at which `run` does what a probe of `kind` does.
fn physical(run: &Run, unit: Unit, kind: IoKind) -> Option<Rate> {
    match (unit, kind) {
        (Unit::Block, IoKind::Read) => read(run, name::PHYSICAL_READ_COUNT, name::DEVICE_READ_COUNT),
        (Unit::Byte, IoKind::Read) => read(run, name::PHYSICAL_READ_BYTES, name::DEVICE_READ_BYTES),
        (Unit::Block, IoKind::Write) => written(run, name::PHYSICAL_WRITE_COUNT, name::DEVICE_WRITE_COUNT),
        (Unit::Byte, IoKind::Write | IoKind::Commit) => {
            written(run, name::PHYSICAL_WRITE_BYTES, name::DEVICE_WRITE_BYTES)
        }
        (Unit::Transaction, _) if run.unit != Unit::Transaction => per_second(run, run.totals.transactions),
        _ => rate_in(run, unit),
    }
}

fn read(run: &Run, engine: &str, device: &str) -> Option<Rate> {
    match (rate(run, engine), rate(run, device)) {
        (Some(engine), Some(device)) => Some(Rate(engine.0.min(device.0))),
        (engine, device) => engine.or(device),
    }
}

/// The share of what the engine read that the device did not.
fn cached(run: &Run) -> Option<Ratio> {
    let (engine, device) = (rate(run, name::PHYSICAL_READ_BYTES)?, rate(run, name::DEVICE_READ_BYTES)?);
    Some(Ratio((1.0 - share(device.0, engine.0)?).max(0.0)))
}

fn written(run: &Run, engine: &str, device: &str) -> Option<Rate> {
    rate(run, device).or_else(|| rate(run, engine))
}

#[cfg(test)]
mod tests {
    use record::Bytes;

    use super::*;
    use crate::fixture::{counted, faster, io_run, record, run, storage};
    use crate::sheet::sheet;

    /// What the line of `test` says of its only run beside these probes.
    fn held(test: Run, probes: Vec<Run>, unit: Unit) -> Option<Limit> {
        let probe = probes[0].test.clone();
        let test = Run { ceiling: Some(Ceiling { probe, unit }), ..test };
        let sheet = sheet(&record(probes.into_iter().chain([test]).collect()));
        sheet.lines.last()?.best.as_ref()?.ceiling.clone()
    }

    fn probe(kind: IoKind, depth: u32, times: u64) -> Run {
        let mut probe = faster(io_run("P322", kind, 1), times);
        let stream = &mut storage(&mut probe).streams[0];
        (stream.depth, stream.slots) = (depth, stream.clones * depth);
        probe
    }

    #[test]
    fn reads_are_what_the_engine_asked_for_and_the_device_saw() {
        let counts = |engine: u64, device: u64| {
            counted(run("T626", 1), &[(name::PHYSICAL_READ_COUNT, engine), (name::DEVICE_READ_COUNT, device)])
        };
        let probes = || vec![probe(IoKind::Read, 1, 1)];
        let limit = held(counts(8_000, 6_200), probes(), Unit::Block).unwrap();
        assert_eq!((limit.per_second, limit.reached), (Rate(1_000.0), Rate(620.0)), "visits are not reads");
        assert_eq!((limit.efficiency, limit.in_flight), (Ratio(0.62), Some(1)));
        assert_eq!(held(counts(5_000, 90_000), probes(), Unit::Block).unwrap().efficiency, Ratio(0.5), "a neighbour");
        assert_eq!(held(run("T626", 1), probes(), Unit::Block), None, "no counters");
        let engine = counted(run("T626", 1), &[(name::PHYSICAL_READ_COUNT, 8_000)]);
        assert_eq!(held(engine, probes(), Unit::Block).unwrap().efficiency, Ratio(0.8));
    }

    #[test]
    fn what_the_page_cache_served_is_said() {
        let counts = |device: u64| {
            let bytes = [(name::PHYSICAL_READ_BYTES, 40_000_000), (name::DEVICE_READ_BYTES, device)];
            counted(run("T426", 1), &bytes)
        };
        let limit = |device: u64| held(counts(device), vec![probe(IoKind::Read, 1, 1)], Unit::Byte).unwrap();
        assert_eq!((limit(10_000_000).cached, limit(10_000_000).reached), (Some(Ratio(0.75)), Rate(1_000_000.0)));
        assert_eq!(limit(50_000_000).cached, Some(Ratio(0.0)), "read-ahead, or a neighbour");
        let writes = held(counts(10_000_000), vec![probe(IoKind::Write, 1, 1)], Unit::Transaction).unwrap();
        assert_eq!(writes.cached, None);
    }

    #[test]
    fn workers_are_held_against_as_many_ios_in_flight() {
        let test = |jobs: u32| counted(run("T626", jobs), &[(name::DEVICE_READ_COUNT, 20_000)]);
        let probes = || vec![probe(IoKind::Read, 1, 1), probe(IoKind::Read, 4, 4), probe(IoKind::Read, 32, 10)];
        let limit = held(test(4), probes(), Unit::Block).unwrap();
        assert_eq!((limit.in_flight, limit.per_second, limit.efficiency), (Some(4), Rate(4_000.0), Ratio(0.5)));
        let limit = held(test(8), probes(), Unit::Block).unwrap();
        assert_eq!((limit.in_flight, limit.efficiency), (Some(32), Ratio(0.2)), "not probed at 8: the best");
    }

    #[test]
    fn writes_are_those_of_the_block_layer_and_bytes_are_bytes() {
        let test = counted(
            run("T721", 1),
            &[
                (name::PHYSICAL_WRITE_COUNT, 9_000),
                (name::DEVICE_WRITE_COUNT, 5_000),
                (name::DEVICE_WRITE_BYTES, 40_960_000),
            ],
        );
        let limit = held(test.clone(), vec![probe(IoKind::Write, 1, 1)], Unit::Block).unwrap();
        assert_eq!(limit.efficiency, Ratio(0.5));
        // The probe wrote 81.92 MB in ten seconds.
        let limit = held(test, vec![probe(IoKind::Write, 1, 1)], Unit::Byte).unwrap();
        assert_eq!((limit.per_second, limit.efficiency), (Rate(8_192_000.0), Ratio(0.5)));
    }

    #[test]
    fn transactions_are_held_against_commits() {
        let mut test = run("T311", 1);
        (test.unit, test.totals.transactions) = (Unit::Row, 2_500);
        let limit = held(test, vec![probe(IoKind::Commit, 1, 1)], Unit::Transaction).unwrap();
        assert_eq!((limit.reached, limit.efficiency), (Rate(250.0), Ratio(0.25)));
    }

    #[test]
    fn other_probes_are_held_against_what_both_count() {
        let mut memory = run("P212", 1);
        memory.unit = Unit::Byte;
        let mut scan = counted(run("T421", 1), &[(name::DEVICE_READ_BYTES, 1)]);
        scan.totals.bytes = Some(Bytes(2_500));
        let limit = held(scan, vec![memory], Unit::Byte).unwrap();
        assert_eq!((limit.efficiency, limit.in_flight), (Ratio(0.25), None));
    }
}
