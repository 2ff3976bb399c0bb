//! What stands before the first step of a test and goes after its last.

use engine::{Engine, Error, Kind, Node, Result, Session};
use record::Dop;

use crate::bind::Draw;
use crate::bulk::BulkWork;
use crate::data::{DataTable, Generator, Sizes};
use crate::job::Job;
use crate::sql;
use crate::sql_work::SqlWork;
use crate::test::{OwnTable, Step, Test};

/// Where tests are performed.
#[derive(Clone, Copy)]
pub struct Stage<'a> {
    /// The engine, for its words.
    pub engine: &'a dyn Engine,
    /// The instance of it that takes writes: set-up is done there.
    pub node: &'a dyn Node,
    /// Other nodes of the same database among which jobs are spread as well.
    pub others: &'a [&'a dyn Node],
    /// How large the tables are.
    pub sizes: &'a Sizes,
}

/// Runs the set-up of `test`, once before its sweep.
///
/// # Errors
/// What the engine says, with the name of the statement.
pub fn set_up(test: &Test, stage: &Stage<'_>) -> Result<()> {
    outside(test, &test.setup, stage)
}

/// Removes what `test` created: its tables, then whatever its tear-down says.
///
/// # Errors
/// What the engine says, with the name of the statement.
pub fn tear_down(test: &Test, stage: &Stage<'_>) -> Result<()> {
    if !test.table.is_empty() {
        let mut session = stage.node.connect()?;
        test.table.iter().try_for_each(|table| drop_all(table, stage, session.as_mut()))?;
    }
    outside(test, &test.teardown, stage)
}

fn outside(test: &Test, steps: &[Step], stage: &Stage<'_>) -> Result<()> {
    if steps.is_empty() {
        return Ok(());
    }
    let mut session = stage.node.connect()?;
    steps.iter().try_for_each(|step| match sql::text(stage.engine, &test.code, &step.name, step.sql.as_deref()) {
        Some(text) => session.batch(text).map_err(|error| named(error, test, &step.name)),
        None => Ok(()),
    })
}

/// One job for each of `dop.jobs`, each with its own session, its tables fresh and its statements prepared. Jobs are
/// spread evenly: job i, counted from 0, works on node i modulo the number of nodes, of which `stage.node` is node 0.
///
/// # Errors
/// What the engine says, with the name of the statement.
pub fn jobs(test: &Test, stage: &Stage<'_>, dop: Dop) -> Result<Vec<Job>> {
    jobs_drawing(test, stage, dop, stage.sizes.seed)
}

/// The same with keys that are drawn from `seed` and not from that of the data: another run at the same degree of
/// parallelism meets with other keys.
///
/// # Errors
/// Those of [`jobs`].
pub fn jobs_drawing(test: &Test, stage: &Stage<'_>, dop: Dop, seed: u64) -> Result<Vec<Job>> {
    let mut session = stage.node.connect()?;
    for table in &test.table {
        drop_all(table, stage, session.as_mut())?;
        let copies = if table.is_per_job() { dop.jobs } else { 1 };
        (0..copies).try_for_each(|job| create(test, table, job, stage, session.as_mut()))?;
    }
    for node in stage.others {
        let caught_up = node.connect().and_then(|mut here| node.catch_up(here.as_mut(), session.as_mut()));
        caught_up.map_err(|error| of_node(error, *node))?;
    }
    drop(session);
    let nodes: Vec<&dyn Node> = std::iter::once(stage.node).chain(stage.others.iter().copied()).collect();
    let generator = |table: DataTable| Generator::new(table, stage.sizes);
    let generators: Vec<Generator> = test.tables.iter().map(|table| generator(*table)).collect();
    let draws = Draw::for_jobs(seed, &test.code, dop.jobs, dop.threads);
    let mut block = BulkWork::block(test, stage.sizes);
    let one = |(job, draw): (u32, Draw)| {
        let node = nodes[job as usize % nodes.len()];
        let mut session = node.connect().map_err(|error| of_node(error, node))?;
        let dialect = stage.engine.dialect();
        let single: &[&str] = if test.single_block_reads { dialect.single_block_reads } else { &[] };
        (dialect.threads)(dop.threads).iter().try_for_each(|statement| session.batch(statement))?;
        single.iter().try_for_each(|statement| session.batch(statement))?;
        match &mut block {
            Some(block) => BulkWork::new(test, job, stage, session, block.clone()).map(Job::from),
            None => SqlWork::new(test, job, stage, session, draw, &generators).map(Job::from),
        }
    };
    (0..).zip(draws).map(one).collect()
}

/// `error` with the name of the node that it is about, where it has one.
fn of_node(error: Error, node: &dyn Node) -> Error {
    match node.name() {
        name if name.is_empty() => error,
        name => Error { message: format!("node {name}: {}", error.message), ..error },
    }
}

/// `error` with the name of the statement that it is about.
pub(crate) fn named(error: Error, test: &Test, statement: &str) -> Error {
    let message = format!("statement {statement} of test {}: {}", test.code, error.message);
    Error { message, ..error }
}

fn create(test: &Test, own: &OwnTable, job: u32, stage: &Stage<'_>, session: &mut dyn Session) -> Result<()> {
    let (dialect, table) = (stage.engine.dialect(), own.table(job));
    let mut statements = (dialect.create)(&table);
    if own.key.is_some() {
        statements.extend((dialect.finish)(&table));
    }
    let run = |statement: &String| session.batch(statement).map_err(|error| named(error, test, &table.name));
    statements.iter().try_for_each(run)
}

/// Drops the table, or those of all jobs: the ones of this invocation and what an earlier one left.
fn drop_all(own: &OwnTable, stage: &Stage<'_>, session: &mut dyn Session) -> Result<()> {
    for job in 0.. {
        let name = own.table(job).name;
        // An engine without answers would have tables without end.
        let there = stage.node.caps().answers && exists(session, &name)?;
        (stage.engine.dialect().drop)(&name).iter().try_for_each(|statement| session.batch(statement))?;
        if !there || !own.is_per_job() {
            break;
        }
    }
    Ok(())
}

/// Whether there is a table called `name`.
pub(crate) fn exists(session: &mut dyn Session, name: &str) -> Result<bool> {
    match session.prepare(&format!("select 1 from {name} where 1 = 0")) {
        Ok(_) => Ok(true),
        Err(error) if error.kind == Kind::Statement => Ok(false),
        Err(error) => Err(error),
    }
}
