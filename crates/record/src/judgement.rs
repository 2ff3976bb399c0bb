//! What is judged of a record: part of the record as one document. It follows from the record, and is never stored with it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Check, Record, Verdict};

/// What the result of a record is good for, from the least to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResultClass {
    /// Nothing: the figures mean nothing, or there are none.
    Meaningless,
    /// A first look: how well the figures repeat, or whether the rate was steady, is not known.
    FirstLook,
    /// To decide by, where no main result is in doubt; not to be published.
    Indicative,
    /// To be published: nothing speaks against it, and all that dbdyno has to disclose is disclosed.
    Publishable,
}

/// The runs of a record by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunCounts {
    /// All runs.
    pub runs: usize,
    /// Those of which every check passed.
    pub passed: usize,
    /// Those of which a check could not be made, without a warning.
    pub unchecked: usize,
    /// Valid ones with a warning.
    pub with_warnings: usize,
    /// Invalid ones: without a result.
    pub invalid: usize,
}

impl RunCounts {
    /// Those with this verdict.
    pub fn with(self, verdict: Verdict) -> usize {
        match verdict {
            Verdict::Pass => self.passed,
            Verdict::Unknown => self.unchecked,
            Verdict::Warn => self.with_warnings,
            Verdict::Fail => self.invalid,
        }
    }

    /// Counts a run with this verdict.
    pub fn add(&mut self, verdict: Verdict) {
        self.runs += 1;
        let count = match verdict {
            Verdict::Pass => &mut self.passed,
            Verdict::Unknown => &mut self.unchecked,
            Verdict::Warn => &mut self.with_warnings,
            Verdict::Fail => &mut self.invalid,
        };
        *count += 1;
    }
}

/// What a warning is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WarningSubject {
    /// A run was aborted.
    Abort,
    /// A check did not pass.
    Check(Check),
    /// A test gained more than the added workers can give.
    Gain,
    /// The rates of a test's repeats drift in the order in which they were measured.
    Drift,
    /// A run begins in another state of the database than the others of its test, or ends in another one than it began in.
    State,
}

/// The verdict of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunVerdict {
    /// The number of the run.
    pub run: u32,
    /// Its verdict.
    pub verdict: Verdict,
}

/// The verdict of a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestVerdict {
    /// The code of the test.
    pub test: String,
    /// Its verdict.
    pub verdict: Verdict,
}

/// What speaks against runs or tests of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JudgedWarning {
    /// How serious it is.
    pub verdict: Verdict,
    /// What it is about.
    pub subject: WarningSubject,
    /// The first of its findings, in words.
    pub text: String,
    /// The codes of its tests.
    pub tests: Vec<String>,
    /// The numbers of its runs.
    pub runs: Vec<u32>,
}

/// The verdicts on a record, as every view shows them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Judgement {
    /// What the result is good for.
    pub result_class: ResultClass,
    /// The same in a sentence, with the reason.
    pub good_for: String,
    /// Whether one may decide by the main results: they were repeated, and none is in doubt.
    pub is_basis: bool,
    /// Why the class is no better one, in words.
    pub obstacles: Vec<String>,
    /// The codes of the tests of main results with a warning.
    pub doubtful_results: Vec<String>,
    /// The runs by verdict.
    pub counts: RunCounts,
    /// The verdict of each run.
    pub runs: Vec<RunVerdict>,
    /// The verdict of each test of the spec sheet.
    pub tests: Vec<TestVerdict>,
    /// The warnings, by severity.
    pub warnings: Vec<JudgedWarning>,
}

/// A record as one document, with the verdicts on it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RecordDocument<'a> {
    /// The record.
    #[serde(flatten)]
    pub record: &'a Record,
    /// The verdicts.
    pub judgement: Judgement,
}
