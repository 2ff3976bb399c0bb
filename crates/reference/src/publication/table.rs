//! A published table: one test over degrees of parallelism.

use record::{Layer, Unit};
use serde::Deserialize;

/// One test with its columns; each column has one figure per degree of parallelism.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TestFigures {
    pub(crate) code: String,
    pub(crate) name: String,
    pub(crate) layer: Option<Layer>,
    pub(crate) unit: Option<Unit>,
    /// Sessions, where they were varied.
    pub(crate) jobs: Vec<u32>,
    /// Threads inside one statement, where they were varied.
    pub(crate) threads: Vec<u32>,
    /// Rows per second.
    pub(crate) rps: Vec<f64>,
    /// Operations per second.
    pub(crate) ops: Vec<f64>,
    /// Transactions per second.
    pub(crate) tps: Vec<f64>,
    pub(crate) read_iops: Vec<f64>,
    pub(crate) write_iops: Vec<f64>,
    pub(crate) read_mbps: Vec<f64>,
    pub(crate) write_mbps: Vec<f64>,
    pub(crate) redo_mbps: Vec<f64>,
    /// Percent of all processors.
    pub(crate) cpu: Vec<f64>,
    /// Seconds.
    pub(crate) time: Vec<f64>,
    pub(crate) service_ms: Vec<f64>,
    pub(crate) service_ms_at_most: Vec<f64>,
    /// At the highest degree of parallelism only.
    pub(crate) service_s_at_max: Option<f64>,
    /// The argument of the function that was called.
    pub(crate) n: Option<u32>,
    pub(crate) published_best_rps: Option<f64>,
    pub(crate) published_note: Option<String>,
    pub(crate) io_bytes: Option<f64>,
    pub(crate) rows_per_operation: Option<f64>,
    /// Of one job.
    pub(crate) rows_total: Option<f64>,
    /// The gain of multithreading as it was published, a ratio.
    pub(crate) smt_gain: Option<f64>,
    pub(crate) wait: Vec<WaitShare>,
}

impl TestFigures {
    /// The degrees of parallelism; one where none was varied.
    pub(crate) fn degrees(&self) -> Vec<u32> {
        match (self.jobs.as_slice(), self.threads.as_slice()) {
            ([], []) => vec![1],
            ([], threads) => threads.to_vec(),
            (jobs, _) => jobs.to_vec(),
        }
    }

    /// Every column by its key, empty ones too.
    pub(crate) fn columns(&self) -> [(&'static str, &[f64]); 12] {
        [
            ("rps", &self.rps),
            ("ops", &self.ops),
            ("tps", &self.tps),
            ("read_iops", &self.read_iops),
            ("write_iops", &self.write_iops),
            ("read_mbps", &self.read_mbps),
            ("write_mbps", &self.write_mbps),
            ("redo_mbps", &self.redo_mbps),
            ("cpu", &self.cpu),
            ("time", &self.time),
            ("service_ms", &self.service_ms),
            ("service_ms_at_most", &self.service_ms_at_most),
        ]
    }

    pub(super) fn check(&self) -> Result<(), String> {
        let degrees = self.degrees();
        if !self.jobs.is_empty() && !self.threads.is_empty() {
            return Err(format!("{} varies jobs and threads", self.code));
        }
        if !degrees.is_sorted_by(|one, next| one < next) {
            return Err(format!("the degrees of parallelism of {} are not ascending", self.code));
        }
        if self.code.is_empty() || self.name.is_empty() || self.unit.is_none() {
            return Err(format!("test {:?} {:?} lacks code, name or unit", self.code, self.name));
        }
        for (key, figures) in self.columns() {
            if !figures.is_empty() && figures.len() != degrees.len() {
                let (there, needed) = (figures.len(), degrees.len());
                return Err(format!("{key} of {} has {there} figures, {needed} are needed", self.code));
            }
            // What is divided by is above 0; a device that does nothing reads 0 per second.
            let is_time = ["time", "service_ms", "service_ms_at_most"].contains(&key);
            figures.iter().try_for_each(|figure| self.check_figure(key, *figure, is_time))?;
        }
        self.service_s_at_max.map_or(Ok(()), |seconds| self.check_figure("service_s_at_max", seconds, true))
    }

    fn check_figure(&self, key: &str, figure: f64, is_time: bool) -> Result<(), String> {
        let is_too_little = if is_time { figure <= 0.0 } else { figure < 0.0 };
        if is_too_little || !figure.is_finite() {
            let limit = if is_time { "above 0" } else { "0 or more" };
            return Err(format!("{key} of {} has the figure {figure}, it has to be {limit}", self.code));
        }
        Ok(())
    }
}

/// What the sessions of a test waited for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WaitShare {
    /// At how many jobs, where it was said.
    pub(crate) jobs: Option<u32>,
    pub(crate) event: String,
    pub(crate) waits: Option<f64>,
    pub(crate) total_s: Option<f64>,
    pub(crate) average_ms: Option<f64>,
    /// A ratio.
    pub(crate) share_of_db_time: f64,
}
