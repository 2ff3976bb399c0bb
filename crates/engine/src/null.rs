//! The null engine: accepts every statement and returns immediately. A run on it measures the overhead of dbdyno: of
//! the loop, the interpreter of tests and the generator of data.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use memchr::memchr_iter;
use record::{Bytes, EngineInventory, Location, Setting, SettlingStep, name};

use crate::{
    Canceller, Caps, Description, Dialect, Engine, Error, Kind, LineForm, Node, Placeholder, Processes, Result,
    RowSink, RowSource, Session, Sparse, Statement, Table, Target, Value, Workspace,
};

/// The null engine.
pub const NULL: Null = Null;

/// Maximum number of simulated nodes.
const NODES_MAX: u32 = 64;

/// The engine that does nothing. Parameters of its target: `rows=N`, the number of rows that every statement reports
/// (default 0), and `nodes=N`, the number of simulated nodes (default 1).
#[derive(Clone, Copy, Debug)]
pub struct Null;

/// All capabilities except correct results, so that every test can run on it.
static CAPS: Caps = Caps {
    procedures: true,
    decimal: true,
    table_compression: true,
    partitions: true,
    lines: true,
    column_names: true,
    limit_clause: true,
    json: true,
    large_values: true,
    parallel_query: true,
    parallel_index: true,
    concurrent_writers: true,
    counts_read_commits: true,
    counts_procedure_commits: true,
    answers: false,
};

static DIALECT: Dialect = Dialect {
    placeholder: Placeholder::Dollar,
    quoted: str::to_owned,
    create: |table: &Table| vec![format!("create {}", table.name)],
    finish: |table: &Table| vec![format!("finish {}", table.name)],
    drop: |name: &str| vec![format!("drop {name}")],
    truncate: |name: &str| vec![format!("truncate {name}")],
    threads: |_: u32| Vec::new(),
    single_block_reads: &[],
    begin_writing: None,
    table_bytes: |_: &str| None,
    sparse: |_: Bytes| {
        let create = |table: &Table| vec![format!("create {}", table.name)];
        Ok(Sparse { rows_per_block: 1, row_bytes: 1_900, is_keyed: false, create })
    },
};

static DESCRIPTION: Description = Description {
    name: "null",
    title: "null engine",
    summary: "does nothing; measures the overhead of dbdyno itself",
    schemes: &["null"],
    harmless_parameters: &["rows", "nodes"],
    is_in_process: true,
    dialect: &DIALECT,
    statement_files: &[],
    object_forms: Err("stores no files that are written and read in chunks"),
    shares_threads: true,
    pipelines: true,
};

impl Engine for Null {
    fn about(&self) -> &Description {
        &DESCRIPTION
    }

    fn open(&self, target: &Target, _workspace: &Workspace) -> Result<Box<dyn Node>> {
        if target.local || target.user.is_some() || !target.addresses.is_empty() || target.database.is_some() {
            let error = Error::new(Kind::Usage, format!("the null engine has no address, but the target is {target}"));
            return Err(error.hint("give null or null?rows=N"));
        }
        let (rows, _nodes) = numbers(target)?;
        Ok(Box::new(NullNode { rows, name: String::new(), counted: Arc::default() }))
    }

    fn open_all(&self, target: &Target, workspace: &Workspace) -> Result<Vec<Box<dyn Node>>> {
        let first = self.open(target, workspace)?;
        let (rows, nodes) = numbers(target)?;
        let more = (2..=nodes).map(|number| {
            let node = NullNode { rows, name: format!("nowhere {number}"), counted: Arc::default() };
            Box::new(node) as Box<dyn Node>
        });
        Ok(std::iter::once(first).chain(more).collect())
    }
}

/// `rows` and `nodes` of the target.
fn numbers(target: &Target) -> Result<(u32, u32)> {
    let (mut rows, mut nodes) = (0, 1);
    for (parameter, value) in &target.parameters {
        let (number, least, most) = match parameter.as_str() {
            "rows" => (&mut rows, 0, u32::MAX),
            "nodes" => (&mut nodes, 1, NODES_MAX),
            _ => {
                let error = Error::new(Kind::Usage, format!("the null engine has no parameter {parameter}"));
                return Err(error.hint("its parameters are rows and nodes"));
            }
        };
        *number = value.parse().ok().filter(|number| (least..=most).contains(number)).ok_or_else(|| {
            Error::new(Kind::Usage, format!("{parameter}={value} is not a whole number from {least} to {most}"))
        })?;
    }
    Ok((rows, nodes))
}

/// Transactions of the sessions that have published them.
#[derive(Debug, Default)]
struct Counted {
    commits: AtomicU64,
    rollbacks: AtomicU64,
}

struct NullNode {
    rows: u32,
    name: String,
    counted: Arc<Counted>,
}

impl Node for NullNode {
    fn caps(&self) -> &Caps {
        &CAPS
    }

    fn name(&self) -> String {
        self.name.clone()
    }

    fn claim(&self) -> Result<()> {
        Ok(())
    }

    fn join(&self) -> Result<()> {
        Ok(())
    }

    fn counts_commits_of_others(&self) -> bool {
        false
    }

    fn joined_by(&self) -> Option<String> {
        Some(format!("{}?rows={}", NULL.name(), self.rows))
    }

    fn connect(&self) -> Result<Box<dyn Session>> {
        let counted = Arc::clone(&self.counted);
        Ok(Box::new(NullSession {
            rows: self.rows,
            queued_rows: 0,
            prepared: 0,
            open: false,
            commits: 0,
            rollbacks: 0,
            counted,
        }))
    }

    fn inventory(&self) -> Result<EngineInventory> {
        let rows = Setting { name: "rows".to_owned(), value: self.rows.to_string(), default: Some("0".to_owned()) };
        Ok(EngineInventory {
            name: NULL.name().to_owned(),
            title: NULL.title().to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            location: Location::InProcess,
            nodes: 1,
            encryption: None,
            temporary: true,
            direct_reads: None,
            sessions_share_file_lock: false,
            block_bytes: None,
            cache_bytes: None,
            durable: Some(false),
            durability: "nothing is kept".to_owned(),
            durability_shown: None,
            settings: vec![rows],
        })
    }

    fn counters(&self, _session: &mut dyn Session) -> Result<(BTreeMap<String, u64>, u64)> {
        let values = [
            (name::COMMIT_COUNT.to_owned(), self.counted.commits.load(Ordering::Relaxed)),
            (name::ROLLBACK_COUNT.to_owned(), self.counted.rollbacks.load(Ordering::Relaxed)),
        ];
        Ok((BTreeMap::from(values), 0))
    }

    fn settle(&self, _session: &mut dyn Session) -> Result<Vec<SettlingStep>> {
        Ok(Vec::new())
    }

    fn processes(&self) -> Processes {
        Processes::InProcess
    }

    fn data_directory(&self) -> Option<&Path> {
        None
    }

    fn close(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}

/// Counts in fields of its own, so that sessions share no memory while they are measured.
struct NullSession {
    rows: u32,
    queued_rows: u64,
    prepared: u32,
    open: bool,
    commits: u64,
    rollbacks: u64,
    counted: Arc<Counted>,
}

impl NullSession {
    fn publish(&mut self) {
        self.counted.commits.fetch_add(std::mem::take(&mut self.commits), Ordering::Relaxed);
        self.counted.rollbacks.fetch_add(std::mem::take(&mut self.rollbacks), Ordering::Relaxed);
    }
}

impl Session for NullSession {
    fn batch(&mut self, _sql: &str) -> Result<()> {
        Ok(())
    }

    fn prepare(&mut self, _sql: &str) -> Result<Statement> {
        self.prepared += 1;
        Ok(Statement(self.prepared - 1))
    }

    fn execute(&mut self, _statement: Statement, _binds: &[Value<'_>]) -> Result<u64> {
        self.commits += u64::from(!self.open);
        Ok(u64::from(self.rows))
    }

    fn queue(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<()> {
        self.queued_rows += self.execute(statement, binds)?;
        Ok(())
    }

    fn execute_queued(&mut self) -> Result<u64> {
        Ok(std::mem::take(&mut self.queued_rows))
    }

    fn query(&mut self, _statement: Statement, _binds: &[Value<'_>]) -> Result<Vec<Vec<Value<'static>>>> {
        self.commits += u64::from(!self.open);
        Ok(vec![vec![Value::Null]; self.rows as usize])
    }

    fn begin(&mut self) -> Result<()> {
        self.open = true;
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        self.commits += u64::from(self.open);
        self.open = false;
        Ok(())
    }

    fn rollback(&mut self) -> Result<()> {
        self.rollbacks += u64::from(self.open);
        self.open = false;
        Ok(())
    }

    fn bulk(&mut self, _table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        self.commits += u64::from(!self.open);
        Ok(drain(rows))
    }

    fn append(&mut self, _table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        if self.open { Ok(drain(rows)) } else { Err(Error::outside_transaction()) }
    }

    fn append_lines(&mut self, _table: &str, _form: &LineForm, lines: &[u8]) -> Result<u64> {
        let unended = !lines.is_empty() && !lines.ends_with(b"\n");
        let count = || memchr_iter(b'\n', lines).count() as u64 + u64::from(unended);
        if self.open { Ok(count()) } else { Err(Error::outside_transaction()) }
    }

    fn publish_counters(&mut self) -> Result<u64> {
        self.publish();
        Ok(0)
    }

    fn canceller(&self) -> Option<Box<dyn Canceller>> {
        Some(Box::new(NullCanceller))
    }
}

impl Drop for NullSession {
    fn drop(&mut self) {
        self.publish();
    }
}

/// No statement is ever in flight.
struct NullCanceller;

impl Canceller for NullCanceller {
    fn cancel(&self) -> Result<()> {
        Ok(())
    }
}

/// Consumes all rows and returns their number.
fn drain(rows: &mut dyn RowSource) -> u64 {
    let mut sink = NullSink { sum: 0 };
    let mut count = 0;
    while rows.next(&mut sink) {
        count += 1;
    }
    std::hint::black_box(sink.sum);
    count
}

/// Reads and drops every field, so that a load measures the generation of its rows only.
struct NullSink {
    /// Sum over all fields; keeps the compiler from removing the reads.
    sum: u64,
}

impl RowSink for NullSink {
    fn int(&mut self, value: i64) {
        self.sum = self.sum.wrapping_add(value as u64);
    }

    fn float(&mut self, value: f64) {
        self.sum = self.sum.wrapping_add(value.to_bits());
    }

    fn decimal(&mut self, unscaled: i64, scale: u8) {
        self.sum = self.sum.wrapping_add(unscaled as u64).wrapping_add(u64::from(scale));
    }

    fn date(&mut self, days_since_epoch: i32) {
        self.sum = self.sum.wrapping_add(days_since_epoch as u64);
    }

    fn text(&mut self, value: &str) {
        self.sum = self.sum.wrapping_add(value.len() as u64);
    }
}
