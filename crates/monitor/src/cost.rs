//! What a monitor costs, counted by itself.

use std::fmt;

use rustix::time::{ClockId, clock_gettime};

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

    /// Adds what a start took; `log_bytes` is what the log grew by during one commit.
    pub(crate) fn add(&mut self, statements: u64, commits: u64, log_bytes: Option<u64>) {
        self.statements += statements;
        self.commits += commits;
        if let Some(bytes) = log_bytes.map(|bytes| bytes as f64) {
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
