//! Evidence of the work of the jobs: answers, and jobs in flight.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Bytes, Ratio};

/// Answers of statements, files and tables against what the data must give.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Answers {
    /// Every answer of the warm-up is right.
    Right,
    /// The engine gives no answers.
    NotGiven,
    /// An answer is wrong.
    Wrong {
        /// The answer, and the expected one.
        message: String,
    },
    /// Every operation visits as many rows as its work unit has blocks.
    RowsPerOperation,
    /// The table holds what was loaded.
    Loaded {
        /// What was compared.
        compared: Vec<String>,
    },
    /// The table does not hold what was loaded.
    LoadDiffers {
        /// What differs.
        what: String,
        /// What the table holds; absent without an answer.
        found: Option<String>,
        /// What was loaded.
        expected: String,
    },
    /// The table could not be queried after the load.
    NotQueried,
    /// Every scan found the rows that were loaded.
    Scanned {
        /// Whether the sums were known too: they are not for lines that are sent unparsed.
        sums_known: bool,
    },
    /// Files were written.
    FilesWritten {
        /// Written files.
        written: FileCount,
        /// Files counted by the engine; absent without an engine.
        counted: Option<FileCount>,
    },
    /// Every byte read equals the byte written.
    FilesRead {
        /// What was compared.
        compared: FileCount,
    },
    /// Files do not hold what was written.
    FilesDiffer {
        /// How many.
        differing_files: u64,
        /// Of how many.
        files: u64,
        /// The stream of the first of them, counted from 1.
        stream: u32,
        /// Checksum of the data read.
        read_crc32c: u32,
        /// Checksum of the data written.
        written_crc32c: u32,
    },
    /// Requests returned pages of another offset or file.
    MisplacedRequests {
        /// How many.
        requests: u64,
    },
}

/// Number and total size of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileCount {
    /// Files.
    pub files: u64,
    /// Bytes of all of them.
    pub size_bytes: Bytes,
}

/// Little's law, L = X R: operations in flight, from throughput and response time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum LittlesLaw {
    /// No operations: nothing to compare.
    NothingDone,
    /// Two counts of the same disagree.
    CountsDiffer {
        /// The I/O job; absent for the whole run.
        job: Option<String>,
        /// What was counted twice.
        counted: CountedTwice,
        /// From the series or the histogram.
        value: u64,
        /// From the totals.
        expected: u64,
    },
    /// The service times of the seconds and of the histogram have different sums.
    SumsDiffer {
        /// By how much, as a share of the sum.
        difference: Ratio,
        /// The largest difference that bucket widths explain.
        limit: Ratio,
    },
    /// Open loop: mean number of busy jobs.
    OpenLoop {
        /// Busy jobs.
        busy: f64,
        /// All jobs.
        jobs: u32,
    },
    /// Closed loop: every job should be in flight.
    ClosedLoop {
        /// Jobs, on average where nodes were lost.
        jobs: f64,
        /// In flight, by throughput times response time.
        in_flight: f64,
        /// Missing jobs, as a share; below 0 if there are too many.
        gap: f64,
        /// The largest absolute gap that the edges of the window explain.
        limit: Ratio,
        /// Possible explanation of a larger gap.
        explanation: Option<GapExplanation>,
    },
    /// I/O queue: I/Os in flight against its slots.
    Queue {
        /// The job.
        job: String,
        /// In flight, by throughput times service time.
        in_flight: f64,
        /// Slots.
        slots: u64,
        /// Tolerated share of empty slots, or of excess I/Os.
        limit: Ratio,
    },
}

/// Figures that are counted twice, independently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CountedTwice {
    /// Steps of the seconds, and in all.
    Steps,
    /// Failures of the seconds, and in all.
    Failures,
    /// Operations of the seconds, and in all.
    Operations,
    /// Rows of the seconds, and in all.
    Rows,
    /// Service times of the histogram, and successful steps or I/Os.
    ServiceTimes,
    /// Response times of the histogram, and scheduled steps or I/Os.
    ResponseTimes,
    /// I/Os of the streams, and operations of the run.
    Streams,
}

/// Why not all jobs were in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum GapExplanation {
    /// The time of failed steps is not known.
    FailedSteps {
        /// How many failed.
        count: u64,
    },
    /// Jobs ended at different times.
    JobsEndedSeparately,
}
