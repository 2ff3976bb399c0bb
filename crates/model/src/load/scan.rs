//! Scans of a loaded table: figures of a run, and whether a cold one was cold.
//!
//! Rates are of rows and of bytes of the stored table, over the window. The ceiling is the sequential read probe of the
//! same record, in bytes; a table in memory may exceed it.

use std::collections::{BTreeMap, BTreeSet};

use record::evidence::PageCache;
use record::{Bytes, Evidence, Finding, Rate, Ratio, Record, Run, Unit, Verdict, name};

use crate::delta::{delta, per_second, rate_in, share};
use crate::group::{ByTest, fastest, valid};
use crate::row::row;
use crate::rules::RULES;

/// Files mapped by an engine, such as the index of a log, stay in the page cache up to this size.
const MAPPED_BYTES_MAX: u64 = 64 << 10;

/// The figures of a scan; absent without a source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScanFigures {
    /// Rows read.
    pub rows_per_second: Option<Rate>,
    /// Bytes of the table read, by its size.
    pub table_per_second: Option<Rate>,
    /// Bytes of flat file that these rows were loaded from.
    pub flat_per_second: Option<Rate>,
    /// Bytes read by the engine from the operating system, page cache hits included.
    pub engine_per_second: Option<Rate>,
    /// Bytes read by the block layer, for all programs.
    pub device_per_second: Option<Rate>,
    /// CPUs used by dbdyno and the engine together.
    pub cores: Option<f64>,
    /// The ceiling.
    pub ceiling: Option<ScanCeiling>,
}

/// The storage ceiling of a scan.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanCeiling {
    /// The code of the probe.
    pub probe: String,
    /// Its rate, bytes.
    pub per_second: Rate,
    /// Rate of the scan over it; above 1 where the table was partly in memory.
    pub reached: Ratio,
}

/// The best rates of the probes that are ceilings of scans, in bytes.
pub struct ProbeRates<'a>(BTreeMap<&'a str, Rate>);

impl<'a> ProbeRates<'a> {
    /// The probe rates of `record`.
    pub fn of(record: &'a Record) -> ProbeRates<'a> {
        let scans = record.runs.iter().filter(|run| run.kind.scan().is_some());
        let wanted: BTreeSet<&str> = scans.filter_map(|run| Some(run.ceiling.as_ref()?.probe.as_str())).collect();
        if wanted.is_empty() {
            return ProbeRates(BTreeMap::new());
        }
        let by_test = ByTest::of(record);
        let rate = |probe: &str| {
            let probes: Vec<&Run> = valid(by_test.runs(probe), Unit::Byte).into_values().collect();
            rate_in(fastest(&probes, Unit::Byte)?, Unit::Byte).filter(|rate| rate.0 > 0.0)
        };
        ProbeRates(wanted.into_iter().filter_map(|probe| Some((probe, rate(probe)?))).collect())
    }
}

/// The figures of `run` with the probes of its record; None unless it is a scan.
pub fn scan_figures(probes: &ProbeRates<'_>, run: &Run) -> Option<ScanFigures> {
    run.kind.scan()?;
    let row = row(run);
    let scans = per_second(run, run.totals.transactions);
    let flat = run.data_bytes.zip(scans).map(|(Bytes(bytes), scans)| Rate(bytes as f64 * scans.0));
    let cores = [row.client_cpu, row.server_cpu].into_iter().flatten().map(|used| used.cores);
    Some(ScanFigures {
        rows_per_second: row.rows_per_second,
        table_per_second: row.bytes_per_second.filter(|rate| rate.0 > 0.0),
        flat_per_second: flat.filter(|rate| rate.0 > 0.0),
        engine_per_second: row.engine_io.read_bytes_per_second,
        device_per_second: row.device_io.read_bytes_per_second,
        cores: cores.reduce(|one, other| one + other),
        ceiling: ceiling(probes, run),
    })
}

fn ceiling(probes: &ProbeRates<'_>, run: &Run) -> Option<ScanCeiling> {
    let ceiling = run.ceiling.as_ref()?;
    let per_second = *probes.0.get(ceiling.probe.as_str())?;
    let reached = Ratio(share(row(run).bytes_per_second?.0, per_second.0)?);
    Some(ScanCeiling { probe: ceiling.probe.clone(), per_second, reached })
}

/// Whether the cold scan `run` was cold, where `left` of the engine's files, as a share and in bytes, was in the page
/// cache at its start; otherwise it is invalid.
pub fn cold_finding(run: &Run, left: Option<(Ratio, Bytes)>) -> Finding {
    let limit = Ratio(RULES.cached_warn);
    let is_cached = left.is_some_and(|(share, Bytes(bytes))| share > limit && bytes > MAPPED_BYTES_MAX);
    let seen = delta(run, name::PHYSICAL_READ_BYTES)
        .filter(|engine| *engine >= RULES.page_cache_bytes_min && left.is_some() && !is_cached)
        .zip(delta(run, name::DEVICE_READ_BYTES))
        .and_then(|(engine, device)| share(device as f64, engine as f64));
    let verdict = match seen {
        _ if left.is_none() => Verdict::Unknown,
        _ if is_cached => Verdict::Fail,
        Some(seen) if seen < RULES.device_share_min => Verdict::Warn,
        _ => Verdict::Pass,
    };
    let (cached, device_share) = (left.map(|(share, _)| share), seen.map(Ratio));
    Finding::new(verdict, Evidence::PageCache(PageCache::Cold { cached, limit, device_share }))
}

#[cfg(test)]
mod tests {
    use record::{Ceiling, Dop, IoKind, LoadModel, RunKind, Scan, ScanKind};

    use super::*;
    use crate::fixture::{counted, io_run, record, run};

    /// A table of 50 MB from 40 MB of flat file, read twice in ten seconds.
    fn read(is_cold: bool, counters: &[(&str, u64)]) -> Run {
        let scan = Scan { kind: ScanKind::Sum, model: LoadModel::default(), is_cold };
        let mut read = counted(run(&scan.code(), 1), counters);
        read.kind = RunKind::Scan(scan);
        read.dop = Dop { nodes: 1, jobs: 1, threads: 2 };
        (read.totals.rows, read.totals.transactions) = (1_000_000, 2);
        (read.totals.bytes, read.data_bytes) = (Some(Bytes(100_000_000)), Some(Bytes(40_000_000)));
        read.ceiling = Some(Ceiling { probe: "S11".to_owned(), unit: Unit::Byte });
        read
    }

    fn figures(runs: Vec<Run>, scanned: &Run) -> Option<ScanFigures> {
        scan_figures(&ProbeRates::of(&record(runs)), scanned)
    }

    #[test]
    fn rates_are_of_rows_table_and_flat_file() {
        let used = [(name::CLIENT_CPU_NS, 5_000_000_000), (name::SERVER_CPU_NS, 10_000_000_000)];
        let scanned = read(false, &used);
        let found = figures(vec![scanned.clone()], &scanned).unwrap();
        assert_eq!(found.rows_per_second, Some(Rate(100_000.0)));
        assert_eq!((found.table_per_second, found.flat_per_second), (Some(Rate(1e7)), Some(Rate(8e6))));
        assert_eq!((found.cores, found.device_per_second, found.ceiling), (Some(1.5), None, None));
        assert_eq!(figures(Vec::new(), &run("L100", 1)), None);
    }

    #[test]
    fn the_ceiling_of_a_scan_is_the_fastest_sequential_read() {
        let mut probe = io_run("S11", IoKind::Read, 1);
        probe.totals.bytes = Some(Bytes(400_000_000));
        let scanned = read(true, &[]);
        let found = figures(vec![probe.clone(), scanned.clone()], &scanned).unwrap();
        let ceiling = found.ceiling.unwrap();
        assert_eq!((ceiling.per_second, ceiling.reached), (Rate(4e7), Ratio(0.25)));
        let unheld = Run { ceiling: None, ..scanned };
        assert_eq!(figures(vec![probe, unheld.clone()], &unheld).unwrap().ceiling, None);
    }

    #[test]
    fn a_cached_table_is_not_cold() {
        let says = |left: Option<f64>, engine: u64, device: u64| {
            let counters = [(name::PHYSICAL_READ_BYTES, engine), (name::DEVICE_READ_BYTES, device)];
            let left = left.map(|share| (Ratio(share), Bytes((share * 1e8) as u64)));
            cold_finding(&read(true, &counters), left).verdict
        };
        assert_eq!(says(None, 50_000_000, 50_000_000), Verdict::Unknown);
        assert_eq!(says(Some(0.051), 50_000_000, 50_000_000), Verdict::Fail);
        assert_eq!(says(Some(0.05), 50_000_000, 50_000_000), Verdict::Pass);
        assert_eq!(says(Some(0.0), 50_000_000, 40_000_000), Verdict::Warn);
        assert_eq!(says(Some(0.0), 5_000, 0), Verdict::Pass, "almost nothing was read");
        let mapped = cold_finding(&read(true, &[]), Some((Ratio(0.08), Bytes(32 << 10))));
        assert_eq!(mapped.verdict, Verdict::Pass, "mapped files are a large share of a small table");
    }
}
