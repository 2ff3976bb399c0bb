//! A load in kind: jobs that ask of a platform what a production load asks at its peak.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::load_profile::LoadQuantity;
use crate::{Bytes, Nanos};

/// What a load profile asks at a level, as roles of jobs, each with a rate: an open loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadInKind {
    /// The level of the load that is asked.
    pub level: LoadLevel,
    /// How many times as much; above 0.
    pub times: f64,
    /// Sessions that the load has at this level; absent where it does not tell them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sessions_told: Option<f64>,
    /// Sessions of all roles; at least one for each.
    pub sessions: u32,
    /// What the load asks at this level of what engine and host count.
    pub asked: Vec<AskedQuantity>,
    /// The roles; at least one.
    pub roles: Vec<RoleInKind>,
    /// What the load asks and no role does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// What was measured elsewhere at such rates; empty where no other record was given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected: Vec<ExpectedTimes>,
}

/// How much of a quantity a load asks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskedQuantity {
    /// The quantity; of reads and writes those that are not in order.
    pub quantity: LoadQuantity,
    /// How much of it per second.
    pub per_second: f64,
}

/// A level of a load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoadLevel {
    /// What is not exceeded for 0.95 of the time.
    P95,
    /// What is not exceeded for 0.99 of the time.
    P99,
    /// The average of the highest interval.
    Max,
    /// The largest part of an interval that the load tells, or else the average of the highest interval.
    #[default]
    Peak,
}

/// A part of the jobs that asks for one quantity of the load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoleInKind {
    /// What a step is.
    pub step: StepInKind,
    /// Its jobs; at least 1.
    pub jobs: u32,
    /// Steps per second of all its jobs together, which arrive as a Poisson process; above 0.
    pub steps_per_second: f64,
    /// The quantity of the load that it stands for.
    pub quantity: LoadQuantity,
    /// How much of it the load asks per second.
    pub asked_per_second: f64,
}

/// What a step of a role is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepInKind {
    /// Reads a row at a random place of the table that does not fit the cache.
    RandomRead,
    /// Reads rows at random places of the table that fits the cache.
    CachedRead {
        /// How many.
        rows: u32,
    },
    /// Reads rows in order, from a random place of the table that does not fit the cache.
    Scan {
        /// How many.
        rows: u32,
    },
    /// Compares rows of the table that fits the cache, each with each: the engine computes.
    Compute {
        /// How many.
        rows: u32,
    },
    /// A transaction that inserts rows, changes rows at random places of the table that does not fit the cache, and commits.
    Commit {
        /// Rows that are inserted.
        rows: u32,
        /// Letters of the text of each.
        row_bytes: Bytes,
        /// Rows that are changed, on average.
        changed_rows: f64,
    },
}

/// What a load asks, and no role does.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// The quantity.
    pub quantity: LoadQuantity,
    /// How much of it per second no role asks; absent where the load does not tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_second: Option<f64>,
}

/// Times of a test of another record at a rate of this load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectedTimes {
    /// The quantity of the load.
    pub quantity: LoadQuantity,
    /// The rate that the load asks.
    pub per_second: f64,
    /// The code of the test.
    pub test: String,
    /// The highest rate that was measured with it.
    pub measured_max: f64,
    /// The measured rates on both sides, the lower one first; none beyond the highest one.
    pub points: Vec<ExpectedPoint>,
}

/// The times of a test at a rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectedPoint {
    /// The rate, in the unit of the quantity.
    pub per_second: f64,
    /// Its jobs.
    pub jobs: u32,
    /// Whether the times are responses to arrivals; otherwise they are service times of a closed loop.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_open: bool,
    /// Half of the times are no longer.
    pub p50_ns: Nanos,
    /// 99 % of the times are no longer; absent where too few were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_ns: Option<Nanos>,
}

impl StepInKind {
    /// Letters of a row that a commit inserts, at least.
    pub const ROW_BYTES_MIN: u64 = 16;
    /// As above, at most: longer ones leave the block of their row.
    pub const ROW_BYTES_MAX: u64 = 1_800;
    /// Rows that a commit inserts, at most.
    pub const INSERTED_MAX: u32 = 64;

    /// The same with rows that make `more` bytes of log, below 0 fewer, as far as its rows can.
    #[must_use]
    pub fn with_log(self, more: f64) -> StepInKind {
        let StepInKind::Commit { rows, row_bytes, changed_rows } = self else { return self };
        let letters = (row_bytes.0 as f64 * f64::from(rows) + more).max(0.0);
        let fewest = (letters / StepInKind::ROW_BYTES_MAX as f64).ceil();
        let rows = if fewest > f64::from(rows) { fewest.min(f64::from(StepInKind::INSERTED_MAX)) as u32 } else { rows };
        let each = (letters / f64::from(rows.max(1))).round() as u64;
        let row_bytes = Bytes(each.clamp(StepInKind::ROW_BYTES_MIN, StepInKind::ROW_BYTES_MAX));
        StepInKind::Commit { rows, row_bytes, changed_rows }
    }

    /// The name of its role, and of its type of transactions.
    pub fn name(self) -> &'static str {
        match self {
            StepInKind::RandomRead => "random_reads",
            StepInKind::CachedRead { .. } => "cached_reads",
            StepInKind::Scan { .. } => "scans",
            StepInKind::Compute { .. } => "computations",
            StepInKind::Commit { .. } => "commits",
        }
    }
}

impl RoleInKind {
    /// Rows per second that its steps read or change.
    pub fn rows_per_second(&self) -> f64 {
        let rows = match self.step {
            StepInKind::RandomRead => 1.0,
            StepInKind::CachedRead { rows } | StepInKind::Scan { rows } => f64::from(rows),
            // Both sides of the comparison are read.
            StepInKind::Compute { rows } => 2.0 * f64::from(rows),
            StepInKind::Commit { rows, changed_rows, .. } => f64::from(rows) + changed_rows,
        };
        rows * self.steps_per_second
    }
}

impl LoadInKind {
    /// How much of `quantity` the load asks per second; absent where it does not tell.
    pub fn asked(&self, quantity: LoadQuantity) -> Option<f64> {
        self.asked.iter().find(|asked| asked.quantity == quantity).map(|asked| asked.per_second)
    }
}
