//! The keys of a test file, and the properties of a test for the plan.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use engine::{Caps, Engine, Index, Table};
use record::{Bytes, CacheFit, Ceiling, Gauge, Layer, Preset, Role, Scripts, Sweep, Unit};
use serde::Deserialize;

use crate::data::{DataTable, ROW_BYTES, Sizes, columns};
use crate::script;
use crate::sql;
use crate::test::ability;
use crate::test::amount::{Amount, Scope, WAREHOUSES};
use crate::test::column::{ColumnNames, ColumnText};
use crate::test::derived::{Content, TextOf};
use crate::test::expectation::Expectation;
use crate::test::mix::{Choice, Condition, MixEntry, Schema};
use crate::test::parameter::Parameter;

/// A test of the catalogue or of the user.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Test {
    /// `T611`: a letter and three digits.
    pub code: String,
    /// The layer that it measures.
    pub layer: Layer,
    /// A short description.
    pub summary: String,
    /// The question that it answers.
    pub answers: String,
    /// What it does not answer.
    pub not: String,
    /// What it costs to run.
    pub cost: String,
    /// Definition of an operation, and limitations.
    pub limits: String,
    /// The unit of an operation.
    pub unit: Unit,
    /// Operations of one step: a number, a parameter, or `rows` for the rows of the step.
    pub(crate) operations: Amount,
    /// Rows of one step, if not those that the statements return or change.
    pub(crate) rows: Option<Amount>,
    /// Bytes of a row, if the test counts bytes itself.
    pub(crate) row_bytes: Option<u64>,
    /// The degree of parallelism that it sweeps.
    pub sweep: Sweep,
    /// The ability that #T depends on; for a test that sweeps it.
    pub(crate) parallel: Option<String>,
    /// The tables of the data set that it needs.
    #[serde(default)]
    pub tables: Vec<DataTable>,
    /// Whether the tables should fit the cache.
    pub(crate) cache: Option<CacheFit>,
    /// Abilities that it needs.
    #[serde(default)]
    pub(crate) needs: Vec<String>,
    /// The probe that bounds it.
    pub ceiling: Option<Ceiling>,
    /// Whether blocks should be read one by one in index order.
    #[serde(default)]
    pub(crate) single_block_reads: bool,
    /// Whether a step is one transaction; otherwise each statement is one.
    #[serde(default)]
    pub(crate) transaction: bool,
    /// Whether each step opens a session, which it closes at its end.
    #[serde(default)]
    pub(crate) connect: bool,
    /// Checkpoints that a run asks the engine for, at even distances in its window.
    pub checkpoints: Option<u32>,
    /// Numbers that depend on the preset.
    #[serde(default)]
    pub(crate) param: BTreeMap<String, Parameter>,
    /// Tables of its own, recreated for each run.
    #[serde(default)]
    pub(crate) table: Vec<OwnTable>,
    /// Run once before the sweep.
    #[serde(default)]
    pub(crate) setup: Vec<OnceEntry>,
    /// The statements of one step, in order.
    #[serde(default)]
    pub(crate) statement: Vec<StatementEntry>,
    /// The tables that are made before its sweep and removed after it.
    pub(crate) schema: Option<Schema>,
    /// Or the transactions one of which is a step.
    #[serde(default)]
    pub(crate) mix: Vec<MixEntry>,
    /// How they are chosen.
    #[serde(default)]
    pub(crate) choice: Choice,
    /// The most tries of one that ends by a serialization failure or a deadlock.
    pub(crate) tries_max: Option<NonZeroU32>,
    /// Parts of its jobs.
    #[serde(default)]
    pub(crate) role: Vec<Role>,
    /// What is read once a second while its jobs work.
    #[serde(default)]
    pub(crate) gauge: Vec<Gauge>,
    /// Whether each call of a procedure in its mix is one commit.
    #[serde(default)]
    pub(crate) calls_commit_once: bool,
    /// The most jobs that it may have.
    pub(crate) jobs_max: Option<Amount>,
    /// What holds before and after each run.
    #[serde(default)]
    pub(crate) condition: Vec<Condition>,
    /// Or the rows that it loads in one step.
    pub(crate) bulk: Option<BulkEntry>,
    /// Run once after the sweep.
    #[serde(default)]
    pub(crate) teardown: Vec<OnceEntry>,
    /// Or scripts of pgbench, which no test file has.
    #[serde(skip)]
    pub(crate) scripts: Option<Scripts>,
}

/// A table of the test. With `{job}` in its name there is one for each job.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OwnTable {
    pub name: String,
    /// The same columns as this table of the data set.
    pub like: Option<DataTable>,
    /// Or its own columns.
    #[serde(default)]
    pub columns: Vec<ColumnText>,
    /// The columns of the primary key, which are never null: an int column, or several.
    pub key: Option<ColumnNames>,
    #[serde(default)]
    pub compressed: bool,
    /// The table is truncated before a step that would exceed this number of rows, so that the device does not fill.
    pub rows_max: Option<Amount>,
    /// Columns with an index each, or lists of columns with one; only of a table with a key.
    #[serde(default)]
    pub indexes: Vec<ColumnNames>,
    /// Rows that are there before a run begins.
    pub fill: Option<Fill>,
}

/// The rows of a table that is filled before a run.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fill {
    /// Their number.
    pub rows: Amount,
    /// The values of each column.
    pub bind: BTreeMap<String, BindRule>,
}

/// A statement that runs once, outside the steps.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OnceEntry {
    pub name: String,
    /// Without it, only engines with a statement of their own run it.
    pub sql: Option<String>,
    /// Whether an engine without a statement of its own cannot run the test.
    #[serde(default)]
    pub each_own: bool,
}

/// The rule for the value of a bind, applied at each execution of its statement.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BindRule {
    /// An integer, each from the first to the second with equal probability.
    Uniform([Amount; 2]),
    /// A double, from the first to below the second with equal density.
    UniformFloat([f64; 2]),
    /// 1, 2, 3, ..., each number for one job alone.
    Sequence,
    /// Always this number.
    Constant(Amount),
    /// Text of this many random letters.
    Text(u32),
    /// The JSON document of the key that this bind of the statement has.
    Document(String),
    /// Random letters that follow from the key.
    TextOf(TextOf),
}

impl BindRule {
    /// The bind that is its key, and what follows from that.
    pub(crate) fn derived(&self) -> Option<(&str, Content)> {
        match self {
            BindRule::Document(key) => Some((key, Content::Document)),
            BindRule::TextOf(TextOf { key, bytes }) => Some((key, Content::Text { bytes: *bytes })),
            _ => None,
        }
    }

    /// Whether it gives integers.
    pub(crate) fn is_int(&self) -> bool {
        matches!(self, BindRule::Uniform(_) | BindRule::Sequence | BindRule::Constant(_))
    }
}

/// A statement of a step.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StatementEntry {
    pub name: String,
    /// Without it, every engine needs its own.
    pub sql: Option<String>,
    #[serde(default)]
    pub bind: BTreeMap<String, BindRule>,
    /// Number of executions in a step.
    #[serde(default = "once")]
    pub repeat: u32,
    /// The bind with ascending values over the repetitions of one step.
    pub ascending: Option<String>,
    pub expect: Expectation,
}

/// The rows of a step of a bulk load.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BulkEntry {
    /// The table, one of the test.
    pub table: String,
    /// Number of rows.
    pub rows: Amount,
}

fn once() -> u32 {
    1
}

impl Test {
    /// Whether its tables should fit the cache, if that matters.
    pub fn cache_fit(&self) -> Option<CacheFit> {
        self.cache
    }

    /// Whether each of its rows is at a random place of a table that should not fit the cache, all places alike.
    pub fn rows_at_random(&self) -> bool {
        let is_drawn = |entry: &StatementEntry| entry.bind.values().any(|rule| matches!(rule, BindRule::Uniform(_)));
        self.cache == Some(CacheFit::Outside) && !self.statement.is_empty() && self.statement.iter().all(is_drawn)
    }

    /// Its parameters as `preset` has them.
    pub fn parameters(&self, preset: Preset) -> BTreeMap<String, i64> {
        self.param.iter().map(|(name, parameter)| (name.clone(), parameter.at(preset))).collect()
    }

    /// Its parameters on tables of `sizes`.
    pub fn parameters_at(&self, sizes: &Sizes) -> BTreeMap<String, i64> {
        let scope = self.scope(sizes);
        self.param.keys().map(|name| (name.clone(), scope.parameter(name))).collect()
    }

    /// The most jobs that it may have on tables of `sizes`, and the name of what limits them.
    pub fn jobs_max(&self, sizes: &Sizes) -> Option<(u32, String)> {
        let most = self.jobs_max.as_ref()?;
        Some((u32::try_from(self.scope(sizes).amount(most)).unwrap_or(u32::MAX), most.to_string()))
    }

    /// Whether it has warehouses, whose number the user may give.
    pub fn has_warehouses(&self) -> bool {
        self.param.contains_key(WAREHOUSES)
    }

    /// What the committed transactions of the type `name` are called as a figure per minute.
    pub fn per_minute(&self, name: &str) -> Option<&str> {
        let entry = self.mix.iter().find(|entry| entry.name == name);
        entry.map_or_else(|| script::per_minute(name), |entry| entry.per_minute.as_deref())
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
        if let Some(missing) = self.missing_for_scripts(caps, engine) {
            return Some(missing.to_owned());
        }
        let statements = self.statement.iter().map(|entry| (&entry.name, &entry.sql));
        let of_setup = self.setup.iter().filter(|entry| entry.each_own).map(|entry| (&entry.name, &entry.sql));
        let has_no_text = |(name, portable): &(&String, &Option<String>)| {
            sql::text(engine, &self.code, name, portable.as_deref()).is_none() && caps.answers
        };
        let (name, _) = statements.chain(of_setup).find(has_no_text)?;
        Some(format!("no statement of its own for {}.{name}", self.code))
    }

    /// Whether threads inside a statement can be varied.
    pub fn is_parallel(&self, caps: &Caps) -> bool {
        self.parallel.as_deref().is_some_and(|name| ability::has(caps, name))
    }

    /// The names and the SQL of its statements, without those for which each engine has its own.
    pub fn statements(&self) -> impl Iterator<Item = (&str, &str)> {
        let statements = self.statement.iter().filter_map(|entry| Some((entry.name.as_str(), entry.sql.as_deref()?)));
        statements.chain(self.mix.iter().map(|entry| (entry.name.as_str(), entry.script.as_str())))
    }

    /// Whether each step opens a session, which it closes at its end.
    pub fn connects(&self) -> bool {
        self.connect
    }

    /// Whether a step changes the database.
    pub fn changes(&self) -> bool {
        self.bulk.is_some() || self.scripts_change() || self.statement.iter().any(StatementEntry::changes)
    }

    /// Whether its statements can be sent together: each is a transaction of its own.
    pub fn pipelines(&self) -> bool {
        !self.transaction && !self.connect && self.bulk.is_none() && !self.statement.is_empty()
    }

    pub(crate) fn scope<'a>(&'a self, sizes: &'a Sizes) -> Scope<'a> {
        Scope { parameters: &self.param, sizes }
    }
}

impl StatementEntry {
    /// Whether it changes the database: it expects a number of changed rows.
    fn changes(&self) -> bool {
        self.expect.changed.is_some()
    }
}

impl OwnTable {
    /// The statement that puts one row into the table of job `job` before a run, and the number of rows.
    pub(crate) fn filling(&self, job: u32) -> Option<(StatementEntry, &Amount)> {
        let fill = self.fill.as_ref()?;
        let table = self.table(job);
        let given = table.columns.iter().filter(|column| fill.bind.contains_key(&column.name));
        let names: Vec<&str> = given.map(|column| column.name.as_str()).collect();
        let binds: Vec<String> = names.iter().map(|name| format!(":{name}")).collect();
        let sql = format!("insert into {} ({}) values ({})", table.name, names.join(", "), binds.join(", "));
        let entry = StatementEntry {
            name: format!("fill_{}", table.name),
            sql: Some(sql),
            bind: fill.bind.clone(),
            repeat: once(),
            ascending: None,
            expect: Expectation { changed: Some(Amount::Literal(1)), ..Expectation::default() },
        };
        Some((entry, &fill.rows))
    }

    /// Whether each job has one.
    pub(crate) fn is_per_job(&self) -> bool {
        self.name.contains(sql::JOB)
    }

    fn index(&self, columns: &[String], job: u32) -> Index {
        let name = format!("{}_{}", sql::of_job(&self.name, job), columns.join("_"));
        Index { name, columns: columns.to_vec() }
    }

    /// The one of job `job`.
    pub(crate) fn table(&self, job: u32) -> Table {
        let own = self.columns.iter().map(|column| column.0.clone());
        Table {
            name: sql::of_job(&self.name, job),
            columns: if self.like.is_some() { columns() } else { own.collect() },
            key: self.key.iter().flat_map(ColumnNames::all).cloned().collect(),
            indexes: self.indexes.iter().map(|columns| self.index(columns.all(), job)).collect(),
            compressed: self.compressed,
            partitions: None,
            is_updated: false,
        }
    }
}

/// Whether an engine with `caps` counts every transaction of `test` as a commit: all of them write (statements that
/// expect changed rows do), or the engine also counts those that only read. Not for a test with threads inside its
/// statements: their work may be counted as separate transactions.
pub fn commits_counted(test: &Test, caps: &Caps) -> bool {
    // A log-on may be a transaction of its own.
    if test.connect || test.scripts.as_ref().is_some_and(|scripts| scripts.connect) {
        return false;
    }
    // What threads inside of a query commit may be counted.
    if test.is_of_queries() {
        return false;
    }
    if test.is_scripted() {
        let calls = test.calls_commit_once && caps.counts_procedure_commits;
        return caps.counts_read_commits && (calls || test.scripts_commit_once());
    }
    let all_change = match test.transaction {
        true => test.changes(),
        false => test.statement.iter().all(StatementEntry::changes),
    };
    (caps.counts_read_commits || all_change) && !test.is_parallel(caps)
}
