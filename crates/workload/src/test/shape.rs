//! The keys of a test file, and what the plan asks a test.

use std::collections::BTreeMap;

use engine::{Caps, Engine, Index, Table};
use record::{Bytes, CacheFit, Ceiling, Layer, Preset, Sweep, Unit};
use serde::Deserialize;

use crate::data::{DataTable, ROW_BYTES, Sizes, columns};
use crate::sql;
use crate::test::ability;
use crate::test::amount::{Amount, Scope};
use crate::test::bind::BindRule;
use crate::test::column::ColumnText;
use crate::test::error::TestError;
use crate::test::expectation::Expectation;
use crate::test::parameter::Parameter;
use crate::test::rule;

/// One test of the catalogue, or of the user's own.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Test {
    /// `T611`: a letter and three digits.
    pub code: String,
    /// The layer it is about.
    pub layer: Layer,
    /// What it is, in a few words.
    pub summary: String,
    /// Which question it answers.
    pub answers: String,
    /// What it does not answer.
    pub not: String,
    /// What it costs to run.
    pub cost: String,
    /// What an operation is, and what to bear in mind.
    pub limits: String,
    /// What an operation is.
    pub unit: Unit,
    /// Operations of one step: a number, a parameter, or `rows` for the rows of the step.
    pub(crate) operations: Amount,
    /// Rows of one step, where they are not those that the statements return or change.
    pub(crate) rows: Option<Amount>,
    /// Bytes of a row, where the test is to count bytes itself.
    pub(crate) row_bytes: Option<u64>,
    /// Which degree of parallelism it varies.
    pub sweep: Sweep,
    /// The ability that gives #T a meaning; for a test that varies it.
    pub(crate) parallel: Option<String>,
    /// The tables of the data set that it needs.
    #[serde(default)]
    pub tables: Vec<DataTable>,
    /// Where they should lie.
    pub(crate) cache: Option<CacheFit>,
    /// Abilities that it needs.
    #[serde(default)]
    pub(crate) needs: Vec<String>,
    /// The probe that bounds it.
    pub ceiling: Option<Ceiling>,
    /// Whether blocks are to be read one by one in the order of the index.
    #[serde(default)]
    pub(crate) single_block_reads: bool,
    /// Whether a step is one transaction; otherwise each statement is one.
    #[serde(default)]
    pub(crate) transaction: bool,
    /// Numbers that depend on the preset.
    #[serde(default)]
    pub(crate) param: BTreeMap<String, Parameter>,
    /// Tables of its own, fresh for each run.
    #[serde(default)]
    pub(crate) table: Vec<OwnTable>,
    /// Run once before the sweep.
    #[serde(default)]
    pub(crate) setup: Vec<Step>,
    /// The statements of one step, in order.
    #[serde(default)]
    pub(crate) statement: Vec<StatementEntry>,
    /// Or what it loads in one step.
    pub(crate) bulk: Option<BulkEntry>,
    /// Run once after the sweep.
    #[serde(default)]
    pub(crate) teardown: Vec<Step>,
}

/// A table of a test's own. With `{job}` in its name there is one for each job.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OwnTable {
    pub name: String,
    /// The same columns as this table of the data set.
    pub like: Option<DataTable>,
    /// Or these.
    #[serde(default)]
    pub columns: Vec<ColumnText>,
    /// The primary key.
    pub key: Option<String>,
    #[serde(default)]
    pub compressed: bool,
    /// Emptied before the step that would make it larger than so many rows, so that the device does not fill.
    pub rows_max: Option<Amount>,
}

/// A statement outside the steps.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Step {
    pub name: String,
    /// Where absent, only an engine that brings its own has it.
    pub sql: Option<String>,
}

/// A statement of a step.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StatementEntry {
    pub name: String,
    /// Where absent, every engine needs its own.
    pub sql: Option<String>,
    #[serde(default)]
    pub bind: BTreeMap<String, BindRule>,
    /// Executed so many times in a step.
    #[serde(default = "once")]
    pub repeat: u32,
    /// The bind whose values are sorted, ascending, over the repetitions of one step.
    pub ascending: Option<String>,
    pub expect: Expectation,
}

/// What a step of a bulk load loads.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BulkEntry {
    /// Into this table of the test's own.
    pub table: String,
    /// So many rows.
    pub rows: Amount,
}

fn once() -> u32 {
    1
}

impl Test {
    /// Reads a test from the text of its file, called `origin` in errors.
    ///
    /// # Errors
    /// Names file, line, key or value, and what is allowed.
    pub fn parse(text: &str, origin: &str) -> Result<Test, TestError> {
        let test: Test = toml::from_str(text).map_err(|error| TestError::from_toml(&error, text, origin))?;
        rule::hold(&test).map_err(|rule| TestError::broken_rule(&rule, text, origin))?;
        Ok(test)
    }

    /// Where its tables should lie, if that matters.
    pub fn cache_fit(&self) -> Option<CacheFit> {
        self.cache
    }

    /// The numbers that it is run with.
    pub fn parameters(&self, preset: Preset) -> BTreeMap<String, i64> {
        self.param.iter().map(|(name, parameter)| (name.clone(), parameter.at(preset))).collect()
    }

    /// Size of its tables of the data set, as they are generated.
    pub fn data_bytes(&self, sizes: &Sizes) -> Option<Bytes> {
        let rows = self.tables.iter().map(|table| table.rows(sizes)).sum();
        (!self.tables.is_empty()).then(|| ROW_BYTES.times(rows))
    }

    /// Why `engine` cannot run it, as the object of "has": `no table compression`.
    pub fn missing(&self, caps: &Caps, engine: &dyn Engine) -> Option<String> {
        if let Some(name) = self.needs.iter().find(|name| !ability::has(caps, name)) {
            return Some(ability::lack(name));
        }
        let unsaid = |entry: &&StatementEntry| {
            sql::text(engine, &self.code, &entry.name, entry.sql.as_deref()).is_none() && caps.answers
        };
        let entry = self.statement.iter().find(unsaid)?;
        Some(format!("no statement of its own for {}.{}", self.code, entry.name))
    }

    /// Whether threads inside a statement can be varied.
    pub fn is_parallel(&self, caps: &Caps) -> bool {
        self.parallel.as_deref().is_some_and(|name| ability::has(caps, name))
    }

    /// Whether a step changes the database.
    pub fn changes(&self) -> bool {
        self.bulk.is_some() || self.statement.iter().any(StatementEntry::changes)
    }

    pub(crate) fn scope<'a>(&'a self, sizes: &'a Sizes) -> Scope<'a> {
        Scope { parameters: &self.param, sizes }
    }
}

impl StatementEntry {
    /// Whether it changes the database: it is expected how many rows it changes.
    fn changes(&self) -> bool {
        self.expect.changed.is_some()
    }
}

impl OwnTable {
    /// Whether each job has one.
    pub(crate) fn is_per_job(&self) -> bool {
        self.name.contains(sql::JOB)
    }

    /// The one of job `job`.
    pub(crate) fn table(&self, job: u32) -> Table {
        let own = self.columns.iter().map(|column| column.0.clone());
        Table {
            name: sql::of_job(&self.name, job),
            columns: if self.like.is_some() { columns() } else { own.collect() },
            key: self.key.clone(),
            indexes: Vec::<Index>::new(),
            compressed: self.compressed,
            partitions: None,
        }
    }
}

/// Whether an engine with `caps` counts every transaction of `test` as a commit: all of them write (a statement of
/// which it is expected how many rows it changes does), or it counts those that only read as well. Not so for a test
/// with threads inside its statements: what these do may be counted as transactions of their own.
pub fn commits_counted(test: &Test, caps: &Caps) -> bool {
    let all_change = match test.transaction {
        true => test.changes(),
        false => test.statement.iter().all(StatementEntry::changes),
    };
    (caps.counts_read_commits || all_change) && !test.is_parallel(caps)
}
