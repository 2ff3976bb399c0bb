//! What a monitor costs, counted by itself.

use std::fmt;

use model::promise::Operation;
use rustix::time::{ClockId, clock_gettime};

use crate::probe::Answer;
use crate::prober::Burst;

/// The cost of one target, cumulative.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Processor time of this process, shared by its targets, nanoseconds. That of an engine in this process is in it.
    pub cpu_ns: u64,
    /// Statements, commits among them.
    pub statements: u64,
    /// Commits that changed a row.
    pub commits: u64,
    /// Bytes that the log of the engine grew by while one of them was made: at most what it took, since others write as
    /// well. Absent where the engine does not tell.
    pub log_bytes_per_commit: Option<f64>,
}

impl Cost {
    /// Bytes of the log of the engine, at most; absent where it does not tell.
    pub fn log_bytes(&self) -> Option<f64> {
        self.log_bytes_per_commit.map(|bytes| bytes * self.commits as f64)
    }

    /// Adds the statements of `burst`.
    pub(crate) fn add(&mut self, burst: &Burst) {
        let Burst { answers, fresh, .. } = burst;
        let committed = |answer: &&Answer| answer.operation == Operation::Commit && answer.result.is_ok();
        let fresh_statements = fresh.as_ref().map_or(0, |fresh| fresh.statements);
        self.statements += answers.iter().map(|answer| answer.statements).sum::<u64>() + fresh_statements;
        self.commits += answers.iter().filter(committed).count() as u64 + fresh_statements;
        if let Some(bytes) = fresh.as_ref().and_then(|fresh| fresh.log_bytes).map(|bytes| bytes as f64) {
            // Others write as well: the least of them is closest to the truth.
            self.log_bytes_per_commit = Some(self.log_bytes_per_commit.map_or(bytes, |known| known.min(bytes)));
        }
    }

    /// What was added since `earlier`.
    pub fn since(&self, earlier: &Cost) -> Cost {
        Cost {
            cpu_ns: self.cpu_ns.saturating_sub(earlier.cpu_ns),
            statements: self.statements.saturating_sub(earlier.statements),
            commits: self.commits.saturating_sub(earlier.commits),
            log_bytes_per_commit: self.log_bytes_per_commit,
        }
    }
}

/// In a line.
impl fmt::Display for Cost {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cost { statements, commits, .. } = self;
        write!(
            formatter,
            "{statements} statements, {commits} commits, {:.2} s of processor",
            self.cpu_ns as f64 / 1e9
        )?;
        match self.log_bytes() {
            Some(bytes) => write!(formatter, ", at most {:.0} kB of log", (bytes / 1e3).ceil()),
            None => write!(formatter, ", log not known"),
        }
    }
}

/// The processor time of this process, nanoseconds.
pub(crate) fn process_cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
