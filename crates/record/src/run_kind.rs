//! What kind of run a run is. Codes of tests are for readers; what tells runs apart is here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Bytes, LoadForm, LoadModel, ScanKind, StreamDirection};

/// The kind of a run, and what tells it from other runs of its kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum RunKind {
    /// A test of the catalogue that needs an engine, or one of the user's own.
    #[default]
    Test,
    /// A probe of the catalogue: it needs no engine.
    Probe,
    /// A phase of jobs of I/O.
    Io,
    /// Random blocks.
    Blocks {
        /// Size of the engine's cache; absent where it was not varied.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cache_bytes: Option<Bytes>,
    },
    /// A load of a flat file.
    Load {
        /// How the table is stored.
        model: LoadModel,
        /// How rows reach the engine.
        form: LoadForm,
    },
    /// A scan of a table that was loaded.
    Scan(Scan),
    /// File streams.
    Streams {
        /// Where the files are kept: `file-system`, or the name of a form of the engine.
        form: String,
        /// Whether they are written or read.
        direction: StreamDirection,
    },
}

impl RunKind {
    /// Whether it is a test of an engine.
    pub fn is_test(&self) -> bool {
        *self == RunKind::Test
    }

    /// Whether it is a probe.
    pub fn is_probe(&self) -> bool {
        *self == RunKind::Probe
    }

    /// Whether it is a load of a flat file.
    pub fn is_load(&self) -> bool {
        matches!(self, RunKind::Load { .. })
    }

    /// The scan that it is; none of another kind.
    pub fn scan(&self) -> Option<Scan> {
        match self {
            RunKind::Scan(scan) => Some(*scan),
            _ => None,
        }
    }
}

/// What a scan reads, and from where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scan {
    /// What is done with every row.
    pub kind: ScanKind,
    /// How the table is stored.
    pub model: LoadModel,
    /// Whether the caches of engine and operating system are empty when the window begins.
    pub is_cold: bool,
}

impl Scan {
    /// The code of such runs: those of other tables, and of other caches, are no repeats of each other.
    pub fn code(self) -> String {
        let model = if self.model == LoadModel::default() { String::new() } else { format!("@{}", self.model.word()) };
        format!("{}{model}{}", self.kind.code(), if self.is_cold { ",cold" } else { "" })
    }
}
