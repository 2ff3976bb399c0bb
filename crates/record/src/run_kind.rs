//! Kinds of runs, and the subjects of the invocations that have them, each with what holds for all of its kind. Codes of tests are
//! for readers; runs are distinguished by their kind.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Bytes, LoadForm, LoadModel, ProofPart, ProofSubject, ScanKind, StreamDirection};

/// The kind of a run, with its distinguishing parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum RunKind {
    /// A test of the catalogue that needs an engine, or a test of the user.
    #[default]
    Test,
    /// A probe of the catalogue: it needs no engine.
    Probe,
    /// A phase of I/O jobs.
    Io,
    /// A part of a proof.
    Proof(ProofPart),
    /// Random blocks.
    Blocks {
        /// Size of the buffer cache; absent if not varied.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cache_bytes: Option<Bytes>,
    },
    /// A load of a flat file.
    Load {
        /// Storage of the table.
        model: LoadModel,
        /// How rows reach the engine.
        form: LoadForm,
    },
    /// A scan of a loaded table.
    Scan(Scan),
    /// File streams.
    Streams {
        /// Storage of the files: `file-system`, or the name of a form of the engine.
        form: String,
        /// Whether they are written or read.
        direction: StreamDirection,
    },
}

impl RunKind {
    /// The kind of a test of the catalogue by its code: probes have the letter of their layer and two digits (`C11`,
    /// `M11`, `S11`, `N11`), tests of an engine `T` and three.
    pub fn of_code(code: &str) -> RunKind {
        match code.as_bytes() {
            [b'C' | b'M' | b'S' | b'N', digits @ ..] if digits.len() == 2 && digits.iter().all(u8::is_ascii_digit) => {
                RunKind::Probe
            }
            _ => RunKind::Test,
        }
    }

    /// Whether it is a test of an engine.
    pub fn is_test(&self) -> bool {
        *self == RunKind::Test
    }

    /// Whether it is a probe.
    pub fn is_probe(&self) -> bool {
        *self == RunKind::Probe
    }

    /// The subject of an invocation that has runs of this kind.
    pub fn subject(&self) -> PlanSubject {
        match self {
            RunKind::Test | RunKind::Probe => PlanSubject::Catalogue,
            RunKind::Io => PlanSubject::Io,
            RunKind::Proof(part) => PlanSubject::Proof(part.subject),
            RunKind::Blocks { .. } => PlanSubject::Blocks,
            RunKind::Load { .. } | RunKind::Scan(_) => PlanSubject::Load,
            RunKind::Streams { .. } => PlanSubject::Streams,
        }
    }

    /// What it measures of a proof; none for other kinds.
    pub fn proof(&self) -> Option<&ProofPart> {
        match self {
            RunKind::Proof(part) => Some(part),
            _ => None,
        }
    }

    /// The scan; none for other kinds.
    pub fn scan(&self) -> Option<Scan> {
        match self {
            RunKind::Scan(scan) => Some(*scan),
            _ => None,
        }
    }
}

/// Subjects of an invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanSubject {
    /// Tests and probes of the catalogue, and tests of the user.
    Catalogue,
    /// I/O jobs.
    Io,
    /// A proof.
    Proof(ProofSubject),
    /// Random blocks.
    Blocks,
    /// Loads of flat files, and scans of loaded tables.
    Load,
    /// File streams.
    Streams,
}

impl PlanSubject {
    /// What holds for all invocations with this subject.
    pub fn properties(self) -> SubjectProperties {
        let usual = |verb| SubjectProperties {
            verb,
            resumption: Resumption::Never,
            has_spec_sheet: false,
            has_repeats: false,
            is_timed: true,
            is_about_storage: false,
        };
        match self {
            PlanSubject::Catalogue => SubjectProperties {
                resumption: Resumption::ByRecord,
                has_spec_sheet: true,
                has_repeats: true,
                ..usual("run")
            },
            PlanSubject::Io => SubjectProperties { is_about_storage: true, ..usual("io") },
            PlanSubject::Proof(ProofSubject::Durability) => {
                SubjectProperties { resumption: Resumption::ByRecord, is_timed: false, ..usual("prove") }
            }
            PlanSubject::Proof(_) => SubjectProperties { is_about_storage: true, has_repeats: true, ..usual("prove") },
            PlanSubject::Blocks => usual("blocks"),
            PlanSubject::Load => {
                SubjectProperties { resumption: Resumption::ByCommand, is_timed: false, ..usual("load") }
            }
            PlanSubject::Streams => SubjectProperties { is_timed: false, ..usual("streams") },
        }
    }
}

/// What holds for all invocations with one subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubjectProperties {
    /// The verb of the command that measures it.
    pub verb: &'static str,
    /// How an invocation that was not finished is gone on with.
    pub resumption: Resumption,
    /// Whether its results are lines of the spec sheet, of tests and of probes: others have results of their own.
    pub has_spec_sheet: bool,
    /// Whether its command has an option for repeats.
    pub has_repeats: bool,
    /// Whether its runs last for a window: others end when all data is moved.
    pub is_timed: bool,
    /// Whether it is about storage alone: its runs are of different jobs or loads, and none is a repeat of another.
    pub is_about_storage: bool,
}

/// How an invocation that was not finished is gone on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resumption {
    /// With nothing but its record, by `--resume` of its command.
    ByRecord,
    /// With its own command and `--resume`.
    ByCommand,
    /// Not at all.
    Never,
}

/// A scan of a loaded table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scan {
    /// Kind of scan.
    pub kind: ScanKind,
    /// Storage of the table.
    pub model: LoadModel,
    /// Whether buffer cache and page cache are empty at the start of the window.
    pub is_cold: bool,
}

impl Scan {
    /// The code of its runs, which differs by table and cache state, so that these are not repeats of each other.
    pub fn code(self) -> String {
        let model = if self.model == LoadModel::default() { String::new() } else { format!("@{}", self.model.word()) };
        format!("{}{model}{}", self.kind.code(), if self.is_cold { ",cold" } else { "" })
    }
}
