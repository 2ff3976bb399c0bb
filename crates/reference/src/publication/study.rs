//! Published figures that are no table of a test: generators, calibrations, waits, and studies of one question.

use serde::Deserialize;

/// One workload of a storage generator.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct IoFigures {
    pub(crate) code: String,
    #[serde(rename = "where")]
    pub(crate) place: String,
    pub(crate) profile: String,
    /// In KiB: `4k`.
    pub(crate) block: String,
    pub(crate) jobs: u32,
    pub(crate) queue_depth: u32,
    pub(crate) throughput_gib_s: Option<f64>,
    pub(crate) throughput_mib_s: Option<f64>,
    pub(crate) iops: f64,
}

/// What the database's own calibration of storage said.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Calibration {
    pub(crate) num_physical_disks: Option<f64>,
    pub(crate) max_latency_ms: Option<f64>,
    pub(crate) max_iops: f64,
    pub(crate) max_mbps: f64,
    pub(crate) actual_latency_ms: f64,
}

/// One scan of one table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TableScan {
    pub(crate) segment_gb: f64,
    pub(crate) rows: f64,
    pub(crate) elapsed_s: f64,
    pub(crate) degree_of_parallelism: u32,
}

/// A wait event, with the averages of the nodes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WaitEvent {
    pub(crate) event: String,
    pub(crate) class: String,
    pub(crate) waits: f64,
    pub(crate) total_s: f64,
    pub(crate) avg_us: f64,
    pub(crate) node_avg_us: f64,
    pub(crate) node_min_us: f64,
    pub(crate) node_max_us: f64,
    pub(crate) node_stddev_us: f64,
}

/// The same users with other think times, multithreading on and off.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ThinkTimeStudy {
    pub(crate) setting: String,
    pub(crate) cores: f64,
    pub(crate) response_think_ms: Vec<f64>,
    pub(crate) response_ms_smt: Vec<f64>,
    pub(crate) response_ms_no_smt: Vec<f64>,
    pub(crate) cores_think_ms: Vec<f64>,
    pub(crate) cores_used_smt: Vec<f64>,
    pub(crate) cores_used_no_smt: Vec<f64>,
    /// A ratio.
    pub(crate) low_utilisation_tax: f64,
}

impl ThinkTimeStudy {
    pub(super) fn check(&self) -> Result<(), String> {
        let alike = |figures: [&Vec<f64>; 3]| figures.iter().all(|column| column.len() == figures[0].len());
        let response = alike([&self.response_think_ms, &self.response_ms_smt, &self.response_ms_no_smt]);
        match response && alike([&self.cores_think_ms, &self.cores_used_smt, &self.cores_used_no_smt]) {
            true => Ok(()),
            false => Err("the columns of smt differ in length".to_owned()),
        }
    }
}

/// Random blocks through one instance.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SingleInstance {
    pub(crate) schemas: u32,
    pub(crate) server: String,
    pub(crate) iops: f64,
    pub(crate) latency_ms: f64,
    pub(crate) latency_peak_ms: f64,
    pub(crate) measured_at: String,
    pub(crate) host_cpu_percent: f64,
    pub(crate) run_time_s: f64,
    pub(crate) with_block_checksum_iops: f64,
    pub(crate) with_block_checksum_latency_ms: f64,
}

/// The same on several hosts, and what was claimed of many.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScaleOut {
    pub(crate) mix: String,
    pub(crate) measured_hosts: u32,
    pub(crate) iops: f64,
    pub(crate) throughput_gb_s: f64,
    pub(crate) latency_ms: f64,
    pub(crate) measured_at: String,
    pub(crate) claimed_hosts: u32,
    pub(crate) claimed_iops: f64,
    pub(crate) claimed_throughput_gb_s: f64,
    pub(crate) claim: String,
}

/// The same storage seen from two places.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LatencyByLayer {
    pub(crate) array_controller_ms: f64,
    pub(crate) virtual_machine_disk_ms: f64,
    pub(crate) note: Option<String>,
}

/// A cache of blocks between memory and storage.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SecondLevelCache {
    pub(crate) kind: String,
    pub(crate) header_bytes_per_block: f64,
    pub(crate) block_size: f64,
    pub(crate) header_mb_per_gb: f64,
    pub(crate) header_gb_per_tb: f64,
    #[serde(rename = "profile")]
    pub(crate) profiles: Vec<CacheProfile>,
}

/// The load of an instance with or without such a cache, per transaction.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CacheProfile {
    pub(crate) name: String,
    pub(crate) lio_per_tran: f64,
    pub(crate) pw_per_tran: f64,
    pub(crate) pr_per_tran: f64,
    pub(crate) block_changes_per_tran: f64,
    pub(crate) read_write_ratio: f64,
}

/// Storage behind a file server.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileServer {
    pub(crate) random_8k_iops_on_gigabit: f64,
    pub(crate) scan_10gbe_gb_s: f64,
    pub(crate) scan_tcp_over_ib_gb_s: f64,
    pub(crate) scan_mb_s_per_two_threads: f64,
    pub(crate) scan_4xgbe_mb_s_for_three_threads: f64,
}
