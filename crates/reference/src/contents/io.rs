//! Storage without the tables of a benchmark: generators, calibrations, a scan, file servers.

use model::{Columns, Degree, MAX_IOPS, MAX_MBPS, SystemPoint, SystemTest};
use record::{Bytes, Dop, Layer, Nanos, Rate, Unit};

use super::point::{millis, once};
use super::published_test;
use crate::figure::exact;
use crate::publication::{Calibration, FileServer, IoFigures, Publication, TableScan};

const GIB: f64 = (1u64 << 30) as f64;
const MIB: f64 = (1u64 << 20) as f64;

/// The code of a scan of one table, whose rows are like those of no other.
pub(crate) const SCAN: &str = "SCAN";

/// All of them.
pub(super) fn tests(publication: &Publication) -> Vec<SystemTest> {
    let mut tests: Vec<SystemTest> = publication.io.iter().map(generator).collect();
    tests.extend(publication.calibrate_io.iter().flat_map(calibration));
    tests.extend(publication.table_scan.iter().map(scan));
    tests.extend(publication.nfs.iter().flat_map(file_server));
    tests
}

impl IoFigures {
    /// Size of a block; none where the text is no number of KiB.
    pub(crate) fn block_bytes(&self) -> Option<f64> {
        let kib: f64 = self.block.strip_suffix('k')?.parse().ok()?;
        Some(kib * 1024.0)
    }

    /// As it was published.
    pub(crate) fn bytes_per_second(&self) -> Option<f64> {
        self.throughput_gib_s.map(|value| value * GIB).or(self.throughput_mib_s.map(|value| value * MIB))
    }

    /// Whether it reads.
    pub(crate) fn reads(&self) -> bool {
        self.profile.ends_with("read")
    }

    /// Whether it runs on the host of the database, so that the database cannot get more.
    pub(crate) fn is_ceiling(&self) -> bool {
        self.place.starts_with("database")
    }
}

fn generator(figures: &IoFigures) -> SystemTest {
    let (iops, bytes) = (Some(Rate(figures.iops)), figures.bytes_per_second().map(Rate));
    let columns = match figures.reads() {
        true => Columns { reads_per_second: iops, read_bytes_per_second: bytes, ..Columns::default() },
        false => Columns { writes_per_second: iops, write_bytes_per_second: bytes, ..Columns::default() },
    };
    let point = SystemPoint {
        degree: Degree {
            dop: Dop::jobs(figures.jobs),
            in_flight: Some(figures.jobs.saturating_mul(figures.queue_depth)),
        },
        rates: once(figures.iops),
        columns: Columns { bytes_per_second: bytes, ..columns },
        ..SystemPoint::default()
    };
    let title = format!("{} {}iB, {}", figures.profile, figures.block.replace('k', " K"), figures.place);
    let mut test = published_test(&figures.code, &title, Layer::Storage, Unit::Block, vec![point]);
    let block_bytes = figures.block_bytes().map(|bytes| ("block_bytes".to_owned(), bytes as i64));
    test.parameters.extend(block_bytes);
    test.parameters.insert("depth".to_owned(), i64::from(figures.queue_depth));
    test.note = Some(format!("{} jobs, {} in flight each", figures.jobs, figures.queue_depth));
    test
}

/// Two tests, with the codes of dbdyno's own calibration.
fn calibration(figures: &Calibration) -> [SystemTest; 2] {
    // A latency that was printed as 0 is one that was not measured.
    let latency = Some(millis(figures.actual_latency_ms)).filter(|latency| *latency > Nanos(0));
    let point =
        |per_second: f64, columns: Columns| SystemPoint { rates: once(per_second), columns, ..SystemPoint::default() };
    let reads =
        Columns { reads_per_second: Some(Rate(figures.max_iops)), service_mean_ns: latency, ..Columns::default() };
    let rate = figures.max_mbps * 1e6;
    let bytes =
        Columns { bytes_per_second: Some(Rate(rate)), read_bytes_per_second: Some(Rate(rate)), ..Columns::default() };
    let mut blocks = published_test(
        MAX_IOPS,
        "calibration by the database, small random reads",
        Layer::Storage,
        Unit::Block,
        vec![point(figures.max_iops, reads)],
    );
    let mut megabytes = published_test(
        MAX_MBPS,
        "calibration by the database, large random reads",
        Layer::Storage,
        Unit::Byte,
        vec![point(rate, bytes)],
    );
    let note = "the number of reads in flight was not published";
    blocks.note = Some(note.to_owned());
    megabytes.note = Some(note.to_owned());
    [blocks, megabytes]
}

impl TableScan {
    /// What the scan read.
    pub(crate) fn bytes_per_second(&self) -> f64 {
        self.segment_gb * 1e9 / self.elapsed_s
    }
}

fn scan(figures: &TableScan) -> SystemTest {
    let (rows, bytes) = (figures.rows / figures.elapsed_s, Some(Rate(figures.bytes_per_second())));
    let point = SystemPoint {
        degree: Degree { dop: Dop { nodes: 1, jobs: 1, threads: figures.degree_of_parallelism }, in_flight: None },
        rates: once(rows),
        columns: Columns {
            rows_per_second: Some(Rate(rows)),
            bytes_per_second: bytes,
            read_bytes_per_second: bytes,
            time_ns: Some(Nanos::from_seconds(figures.elapsed_s)),
            ..Columns::default()
        },
        ..SystemPoint::default()
    };
    let title = "full scan of a table, nothing of it in the cache";
    let mut test = published_test(SCAN, title, Layer::Storage, Unit::Row, vec![point]);
    test.data_bytes = Some(Bytes((figures.segment_gb * 1e9).round() as u64));
    let rows = exact(figures.rows);
    let time = figures.elapsed_s;
    test.note = Some(format!("rates are {rows} rows and {} GB over {time} s", figures.segment_gb));
    test
}

fn file_server(figures: &FileServer) -> Vec<SystemTest> {
    let one = |code: &str, title: &str, unit: Unit, threads: u32, rate: f64| {
        let columns = match unit {
            Unit::Byte => Columns { bytes_per_second: Some(Rate(rate)), ..Columns::default() },
            _ => Columns { reads_per_second: Some(Rate(rate)), ..Columns::default() },
        };
        let degree = Degree { dop: Dop { nodes: 1, jobs: 1, threads }, in_flight: None };
        let point = SystemPoint { degree, rates: once(rate), columns, ..SystemPoint::default() };
        published_test(code, title, Layer::Storage, unit, vec![point])
    };
    let two = figures.scan_mb_s_per_two_threads * 1e6;
    let three = figures.scan_4xgbe_mb_s_for_three_threads * 1e6;
    let (ethernet, infiniband) = (figures.scan_10gbe_gb_s * 1e9, figures.scan_tcp_over_ib_gb_s * 1e9);
    vec![
        one(
            "NFS-8k-random-GbE",
            "NFS, random 8 KiB over gigabit Ethernet",
            Unit::Block,
            1,
            figures.random_8k_iops_on_gigabit,
        ),
        one("NFS-scan-10GbE", "NFS, scan over 10 gigabit Ethernet", Unit::Byte, 1, ethernet),
        one("NFS-scan-IB", "NFS, scan with TCP over InfiniBand", Unit::Byte, 1, infiniband),
        one("NFS-scan", "NFS, scan by two threads", Unit::Byte, 2, two),
        one("NFS-scan-4xGbE", "NFS, scan over 4 x gigabit Ethernet by three threads", Unit::Byte, 3, three),
    ]
}
