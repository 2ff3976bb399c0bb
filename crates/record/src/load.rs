//! Bulk loads of flat files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Bytes, Nanos};

/// How rows reach the engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoadForm {
    /// Lines are parsed by dbdyno, and rows are sent through the engine's bulk load interface.
    #[default]
    Typed,
    /// Lines are sent unparsed, and the engine parses them.
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

/// Storage of the loaded table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadModel {
    /// Partitioned by date, subpartitioned by hash of another column.
    pub partitioned: bool,
    /// Compressed by the engine.
    pub compressed: bool,
}

impl LoadModel {
    /// All models, the plain one first.
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

/// Kind of a scan of a loaded table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScanKind {
    /// Count, sums of amounts, and minimum and maximum of dates: returns one row. As T431.
    Sum,
    /// The same per group, ordered. As T441.
    Report,
}

impl ScanKind {
    /// All kinds.
    pub const ALL: [ScanKind; 2] = [ScanKind::Sum, ScanKind::Report];

    /// The code of its runs: that of the corresponding test of the catalogue, with an L.
    pub fn code(self) -> &'static str {
        match self {
            ScanKind::Sum => "L431",
            ScanKind::Report => "L441",
        }
    }
}

/// Stages of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoadStageKind {
    /// Lines are generated, without a file.
    Generate,
    /// Bytes are read from the file or pipe.
    Read,
    /// Bytes are decompressed.
    Decompress,
    /// Lines are parsed into values.
    Parse,
    /// Values are converted for the server.
    Convert,
    /// Bytes are sent to the server, with its response time.
    Send,
    /// Values are converted and inserted, for an embedded engine, which does not separate the two.
    Insert,
    /// The progress of the batch is recorded, and the batch committed.
    Commit,
}

impl LoadStageKind {
    /// Its name.
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

/// Work of one stage, over all of its threads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadStage {
    /// The stage.
    pub kind: LoadStageKind,
    /// Threads that work on it; stages may share threads.
    pub threads: u32,
    /// Busy time, summed over threads, without waits for other stages.
    pub busy_ns: Nanos,
    /// CPU time of the stage, summed over threads; absent if stages share threads and cannot be separated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<Nanos>,
    /// Processed bytes of flat file, uncompressed.
    pub bytes: Bytes,
}

/// When indexes are built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IndexTime {
    /// Never: the table has none.
    #[default]
    None,
    /// Before the load, which maintains them.
    Before,
    /// After the load, outside of the window.
    After,
}

/// A figure over all rows of the table: expected from the loaded rows, and returned by the engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadCheck {
    /// The figure: `rows`, `sum of purchase_amt`, `first purchase_dt`.
    pub what: String,
    /// Counted while loading.
    pub expected: String,
    /// Returned by the engine; absent if it could not be queried.
    pub found: Option<String>,
}

/// What was found in files beside their lines, and left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoadNoteKind {
    /// A byte order mark of UTF-8 at the start.
    ByteOrderMark,
    /// A first line that was skipped unread, as requested.
    UnreadHeader,
    /// Zero bytes behind the last member of a gzip file.
    ZeroPadding,
}

/// Something of one kind that was found in files beside their lines, and left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadNote {
    /// What it is.
    pub kind: LoadNoteKind,
    /// Number of files that have it, at least 1.
    pub files: u64,
    /// The name of the first of them.
    pub first: String,
    /// Bytes of it in all of them; absent where they were not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Bytes>,
}

/// A run that loads a flat file. Its CPU time, log and writes are in the readings of the run; rows and bytes within the
/// window are in its totals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// How the table is stored.
    pub model: LoadModel,
    /// How rows reached the engine.
    pub form: LoadForm,
    /// Source of the lines: `generated, seed 42`, the names of files, or `pipe`.
    pub source: String,
    /// Compression of the source: `none`, `gzip`, `zstd`, `lz4`, or several of them with commas.
    pub compression: String,
    /// Name of the layout.
    pub layout: String,
    /// Bytes read from the source, compressed or not; 0 if lines were generated.
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
    /// Rows that an earlier invocation loaded into the same table.
    pub resumed_rows: u64,
    /// Batches sent unparsed that the engine rejected and that were loaded typed instead.
    pub retried_batches: u64,
    /// Batches whose commit returned before they were durable, if the last commit of each session made them durable
    /// within the window.
    #[serde(default)]
    pub deferred_batches: u64,
    /// Maximum bytes between stages: batches in flight, by their size.
    pub in_flight_bytes_max: Bytes,
    /// What was found in files beside their lines, each kind once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<LoadNote>,
    /// The stages, in order.
    pub stages: Vec<LoadStage>,
    /// Size of the table with its partitions, without indexes; absent if the engine does not report it.
    pub table_bytes: Option<Bytes>,
    /// Size of its indexes; absent if the engine does not report it.
    pub index_bytes: Option<Bytes>,
    /// When indexes are built.
    pub indexes: IndexTime,
    /// Time of index builds after the load; absent without them.
    pub index_build_ns: Option<Nanos>,
    /// From the end of the load to the result of a count and sums over the table; absent without a result. Index builds
    /// after the load come before it and are not included.
    pub first_query_ns: Option<Nanos>,
    /// Figures over the whole table against those of the loaded rows.
    pub checked: Vec<LoadCheck>,
}

/// Jobs per thread that generates lines: generating a line costs a small part of loading it.
pub const JOBS_PER_GENERATOR: u32 = 4;

impl Load {
    /// Whether it continues a load of an earlier invocation, whose lines it read too.
    pub fn is_resumed(&self) -> bool {
        self.resumed_rows > 0
    }
}
