//! Random blocks through one instance and through several hosts, and what was claimed of many.

use model::{Claim, Columns, Degree, SystemPoint, SystemTest};
use record::{Dop, Layer, Nanos, Rate, Ratio, Unit};

use super::point::{millis, once};
use super::published_test;
use crate::publication::{Publication, ScaleOut, SingleInstance};

/// The settings of the run on one instance.
const SETTINGS: &str = include_str!("../../published/slob-datrium.conf");

/// The code of the test over hosts.
const SCALE_OUT: &str = "SLOB-scale-out";

/// The settings of the run as they were published, in their order.
pub(crate) fn settings() -> Vec<(&'static str, &'static str)> {
    SETTINGS.lines().filter_map(|line| line.split_once('=')).collect()
}

impl SingleInstance {
    /// Sessions of the run: schemas times the threads of each.
    pub(crate) fn sessions(&self) -> u32 {
        let threads = settings().into_iter().find(|(key, _)| *key == "THREADS_PER_SCHEMA");
        self.schemas.saturating_mul(threads.and_then(|(_, value)| value.parse().ok()).unwrap_or(1))
    }
}

/// The runs on one instance, and that on several hosts.
pub(super) fn tests(publication: &Publication) -> Vec<SystemTest> {
    let single = publication.single_instance.iter().flat_map(single_instance);
    single.chain(publication.scale_out.iter().map(scale_out)).collect()
}

fn single_instance(figures: &SingleInstance) -> [SystemTest; 2] {
    let test = |code: &str, title: &str, iops: f64, latency_ms: f64, columns: Columns| {
        let point = SystemPoint {
            degree: Degree { dop: Dop::jobs(figures.sessions()), in_flight: None },
            rates: once(iops),
            columns: Columns { service_mean_ns: Some(millis(latency_ms)), ..columns },
            ..SystemPoint::default()
        };
        let mut test = published_test(code, title, Layer::Storage, Unit::Block, vec![point]);
        test.note = Some(format!("{} schemas; latency measured at the {}", figures.schemas, figures.measured_at));
        test
    };
    let measured = Columns {
        cpu_busy: Some(Ratio(figures.host_cpu_percent / 100.0)),
        time_ns: Some(Nanos::from_seconds(figures.run_time_s)),
        ..Columns::default()
    };
    let (iops, latency) = (figures.with_block_checksum_iops, figures.with_block_checksum_latency_ms);
    [
        test("SLOB", "random blocks through one instance", figures.iops, figures.latency_ms, measured),
        test("SLOB-checksum", "the same with checksums of blocks", iops, latency, Columns::default()),
    ]
}

fn scale_out(figures: &ScaleOut) -> SystemTest {
    let point = SystemPoint {
        degree: Degree { dop: Dop { nodes: figures.measured_hosts, jobs: 1, threads: 1 }, in_flight: None },
        rates: once(figures.iops),
        columns: Columns {
            bytes_per_second: Some(Rate(figures.throughput_gb_s * 1e9)),
            service_mean_ns: Some(millis(figures.latency_ms)),
            ..Columns::default()
        },
        ..SystemPoint::default()
    };
    let title = "random blocks through several hosts (#N)";
    let mut test = published_test(SCALE_OUT, title, Layer::Storage, Unit::Block, vec![point]);
    test.note = Some(format!(
        "{}; latency measured at the {}; the number of sessions was not published",
        figures.mix, figures.measured_at
    ));
    test
}

/// What was claimed of more hosts than were measured.
pub(super) fn claims(publication: &Publication) -> Vec<Claim> {
    let claim = |figures: &ScaleOut| Claim {
        test: SCALE_OUT.to_owned(),
        n: figures.claimed_hosts,
        rate: Rate(figures.claimed_iops),
        bytes_per_second: Some(Rate(figures.claimed_throughput_gb_s * 1e9)),
        text: figures.claim.clone(),
    };
    publication.scale_out.iter().map(claim).collect()
}
