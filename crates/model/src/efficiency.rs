//! Efficiency: a test as a share of its ceiling.
//!
//! Test and probe are compared in one unit. A test counts other things (rows, block visits, transactions) than a
//! storage probe, so that there its physical I/O of the probe's kind is used, or its commits:
//!
//! - block: I/Os per second over I/Os per second of the probe;
//! - byte: bytes per second over bytes per second;
//! - transaction: transactions per second over commits (or syncs) per second.
//!
//! Physical reads are the smaller of those of the engine, which include page cache hits, and those of the block layer,
//! which include other programs and read-ahead. Physical writes are those of the block layer, which include the log, or
//! else those of the engine. It is wrong where the engine's I/Os are larger than the probe's blocks (compare bytes
//! then), and where other programs write to the same device.

use record::{Ceiling, IoKind, Rate, Ratio, Run, Unit, name};

use crate::delta::{per_second, rate, rate_in, share};
use crate::foreign::is_under_foreign_load;
use crate::group::{ByTest, fastest, valid};
use crate::queue::in_flight;

/// A ceiling from a probe of the same record.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// The code of the probe.
    pub probe: String,
    /// The unit of the comparison. For a storage probe, blocks are physical I/Os and bytes physical bytes of its kind,
    /// and transactions are compared with commits.
    pub unit: Unit,
    /// Rate of the probe, in that unit.
    pub per_second: Rate,
    /// Rate of the test, in that unit.
    pub reached: Rate,
    /// Jobs of the probe: as many as the test has workers (jobs times threads) where so probed; otherwise those of its
    /// best rate.
    pub jobs: u32,
    /// I/Os in flight of a storage probe, which then correspond to the workers of the test.
    pub in_flight: Option<u32>,
    /// Share of the reads of the engine served by the page cache, for a storage probe of reads. A low efficiency then
    /// means that the device was hardly used.
    pub cached: Option<Ratio>,
    /// Rate of the test over that of the probe; above 1 where the probe is no bound.
    pub efficiency: Ratio,
}

impl Limit {
    /// Whether the test exceeds the probe by at least 0.5 %, so that the probe is no bound.
    pub fn is_exceeded(&self) -> bool {
        self.efficiency.0 >= 1.005
    }
}

/// The ceiling of `run`: the probe at as many I/Os in flight (of storage) or jobs as the run has workers, or else its
/// best rate. Probes under foreign load do not count. None without a valid probe or counters.
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

/// The main kind of I/O of a storage probe; None for other probes.
fn kind(probe: &Run) -> Option<IoKind> {
    let streams = &probe.storage.as_ref()?.streams;
    streams.iter().max_by_key(|stream| stream.operations).map(|stream| stream.kind)
}

/// The rate of `run` in I/O of `kind`.
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

/// The share of the reads of the engine that did not reach the device.
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

    /// The ceiling of the only run of `test` with these probes.
    fn held(test: Run, probes: Vec<Run>, unit: Unit) -> Option<Limit> {
        let probe = probes[0].test.clone();
        let test = Run { ceiling: Some(Ceiling { probe, unit }), ..test };
        let sheet = sheet(&record(probes.into_iter().chain([test]).collect()));
        sheet.lines.last()?.best.as_ref()?.ceiling.clone()
    }

    fn probe(kind: IoKind, depth: u32, times: u64) -> Run {
        let mut probe = faster(io_run("S22", kind, 1), times);
        let stream = &mut storage(&mut probe).streams[0];
        (stream.depth, stream.slots) = (depth, stream.clones * depth);
        probe
    }

    #[test]
    fn reads_are_the_smaller_of_engine_and_device() {
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
    fn the_share_of_the_page_cache_is_given() {
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
    fn workers_are_compared_with_as_many_ios_in_flight() {
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
    fn transactions_are_compared_with_commits() {
        let mut test = run("T311", 1);
        (test.unit, test.totals.transactions) = (Unit::Row, 2_500);
        let limit = held(test, vec![probe(IoKind::Commit, 1, 1)], Unit::Transaction).unwrap();
        assert_eq!((limit.reached, limit.efficiency), (Rate(250.0), Ratio(0.25)));
    }

    #[test]
    fn other_probes_are_compared_in_the_common_unit() {
        let mut memory = run("M12", 1);
        memory.unit = Unit::Byte;
        let mut scan = counted(run("T421", 1), &[(name::DEVICE_READ_BYTES, 1)]);
        scan.totals.bytes = Some(Bytes(2_500));
        let limit = held(scan, vec![memory], Unit::Byte).unwrap();
        assert_eq!((limit.efficiency, limit.in_flight), (Ratio(0.25), None));
    }
}
