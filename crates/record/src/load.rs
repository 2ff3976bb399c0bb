//! What a run that loads a flat file has beside other runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Bytes, Nanos};

/// How rows reach the engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoadForm {
    /// Lines are parsed here, and rows go through the engine's own path for bulk loads.
    #[default]
    Typed,
    /// Lines are sent as they are, and the engine parses them.
    AsIs,
}

impl LoadForm {
    /// As it is written on the command line.
    pub fn word(self) -> &'static str {
        match self {
            LoadForm::Typed => "typed",
            LoadForm::AsIs => "as-is",
        }
    }
}

/// How the table that is loaded is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadModel {
    /// By date, and below it hashed by another column.
    pub partitioned: bool,
    /// Compressed as the engine can.
    pub compressed: bool,
}

impl LoadModel {
    /// All of them, the plain one first.
    pub const ALL: [LoadModel; 4] = [
        LoadModel { partitioned: false, compressed: false },
        LoadModel { partitioned: true, compressed: false },
        LoadModel { partitioned: false, compressed: true },
        LoadModel { partitioned: true, compressed: true },
    ];

    /// As it is written on the command line.
    pub fn word(self) -> &'static str {
        match (self.partitioned, self.compressed) {
            (false, false) => "plain",
            (true, false) => "partitioned",
            (false, true) => "compressed",
            (true, true) => "partitioned+compressed",
        }
    }
}

/// What is done with every row of a table that was loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScanKind {
    /// It is counted, and its amounts and dates are added up and compared: one row is returned. As T431.
    Sum,
    /// The same for each group of rows, in order. As T441.
    Report,
}

impl ScanKind {
    /// All of them.
    pub const ALL: [ScanKind; 2] = [ScanKind::Sum, ScanKind::Report];

    /// The code of its runs: that of the test of the catalogue that does the same on a table of its own, with an L.
    pub fn code(self) -> &'static str {
        match self {
            ScanKind::Sum => "L431",
            ScanKind::Report => "L441",
        }
    }
}

/// What is done to the bytes of a flat file on their way into a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoadStageKind {
    /// Lines are generated: there is no file.
    Generate,
    /// Bytes are read from the file or the pipe.
    Read,
    /// They are decompressed.
    Decompress,
    /// Lines become values.
    Parse,
    /// Values become what goes to the server.
    Convert,
    /// Bytes are handed to the server, and it is waited for.
    Send,
    /// Values are converted and inserted, where the engine works in this process and the two cannot be told apart.
    Insert,
    /// The batch is written down as loaded, and committed.
    Commit,
}

impl LoadStageKind {
    /// As it is called in a line.
    pub fn word(self) -> &'static str {
        match self {
            LoadStageKind::Generate => "generate",
            LoadStageKind::Read => "read",
            LoadStageKind::Decompress => "decompress",
            LoadStageKind::Parse => "parse",
            LoadStageKind::Convert => "convert",
            LoadStageKind::Send => "send",
            LoadStageKind::Insert => "insert",
            LoadStageKind::Commit => "commit",
        }
    }
}

/// What one stage did, over all of its threads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadStage {
    /// Which one.
    pub kind: LoadStageKind,
    /// Threads that work on it; stages may share threads.
    pub threads: u32,
    /// Time that they were at work on it, summed; what they waited for another stage is not in it.
    pub busy_ns: Nanos,
    /// Processor time of these threads in the stage, summed; absent where stages that share threads cannot be told apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<Nanos>,
    /// Bytes of flat file, uncompressed, that went through.
    pub bytes: Bytes,
}

/// When indexes were made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IndexTime {
    /// Never: the table has none.
    #[default]
    None,
    /// Before the load, which keeps them up.
    Before,
    /// After the load, beyond the end of the window.
    After,
}

/// A figure over all rows of the table: what the rows that were loaded give, and what the engine answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadCheck {
    /// Of what: `rows`, `sum of purchase_amt`, `first purchase_dt`.
    pub what: String,
    /// As it was counted while loading.
    pub expected: String,
    /// As the engine says; absent where it could not be asked.
    pub found: Option<String>,
}

/// What a run that loads a flat file was like. What it cost in processor time, log and writes is in the readings of the
/// run, and how many rows and bytes of flat file went in within the window is in its totals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// How the table is stored.
    pub model: LoadModel,
    /// How rows reached the engine.
    pub form: LoadForm,
    /// Where lines came from: `generated, seed 42`, the names of files, or `pipe`.
    pub source: String,
    /// What the source was compressed with: `none`, `gzip`, `zstd`, `lz4`, or several of them with commas.
    pub compression: String,
    /// The layout of its lines: a name.
    pub layout: String,
    /// Bytes as they were read, compressed where they were; 0 where lines were generated.
    pub input_bytes: Bytes,
    /// Bytes of flat file, uncompressed, that were loaded or rejected in this run.
    pub flat_bytes: Bytes,
    /// Size of a batch, the unit of commit and of restart, in bytes of flat file: at most this.
    pub batch_bytes: Bytes,
    /// Batches that were committed in this run.
    pub batches: u64,
    /// Rows that were loaded in this run.
    pub rows: u64,
    /// Lines that were not loaded.
    pub rejected_rows: u64,
    /// Rows that an invocation before this one had loaded into the same table.
    pub resumed_rows: u64,
    /// Batches sent as they are that the engine refused and that were loaded typed instead.
    pub retried_batches: u64,
    /// Batches whose commit returned before they were on stable storage, where the last commit of each session took them
    /// there within the window.
    #[serde(default)]
    pub deferred_batches: u64,
    /// Bytes that lay between stages at most: batches in flight, by their size.
    pub in_flight_bytes_max: Bytes,
    /// What each stage did, in the order of the way.
    pub stages: Vec<LoadStage>,
    /// Size of the table with its partitions, without indexes; absent where the engine does not tell.
    pub table_bytes: Option<Bytes>,
    /// Size of its indexes; absent where the engine does not tell.
    pub index_bytes: Option<Bytes>,
    /// When indexes were made.
    pub indexes: IndexTime,
    /// How long it took to make them after the load; absent where that was not done.
    pub index_build_ns: Option<Nanos>,
    /// From the end of the load to the answer of a count and sums over the table; absent where it gave none. Where indexes
    /// are made after the load, their making comes before it and is not in it.
    pub first_query_ns: Option<Nanos>,
    /// Figures over the whole table against those of the rows that were loaded.
    pub checked: Vec<LoadCheck>,
}

/// Lines that are generated are so by one thread for so many jobs: to make one takes a small part of what it takes to load
/// it.
pub const JOBS_PER_GENERATOR: u32 = 4;

impl Load {
    /// Whether it is the rest of one that an earlier invocation began: it read what that had loaded, too.
    pub fn is_rest(&self) -> bool {
        self.resumed_rows > 0
    }
}
