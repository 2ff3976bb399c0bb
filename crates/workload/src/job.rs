//! The jobs of a test: their sessions and steps, and the set-up before and after.

use std::sync::Arc;

use engine::{Canceller, Error, Node, Result, Session};
use measure::{Broken, Done, RunSeed, Work};
use record::{Dop, JobShare, Scripts};

use crate::bind::Draw;
use crate::bulk::BulkWork;
use crate::data::{DataTable, Generator};
use crate::script::{CompiledScripts, ScriptWork, initialize};
use crate::sql;
use crate::sql_work::SqlWork;
use crate::test::{OnceEntry, OwnTable, Test};
use crate::test_context::{TestContext, exists, named, of_node};

/// The work of one job.
pub struct Job {
    work: Kind,
}

enum Kind {
    Sql(SqlWork),
    Bulk(BulkWork),
    Script(Box<ScriptWork>),
}

impl From<SqlWork> for Job {
    fn from(work: SqlWork) -> Job {
        Job { work: Kind::Sql(work) }
    }
}

impl From<BulkWork> for Job {
    fn from(work: BulkWork) -> Job {
        Job { work: Kind::Bulk(work) }
    }
}

impl From<ScriptWork> for Job {
    fn from(work: ScriptWork) -> Job {
        Job { work: Kind::Script(Box::new(work)) }
    }
}

impl Job {
    /// Does one step and checks every answer. Not for an engine without answers; of a script no answer is known, and none is run.
    ///
    /// # Errors
    /// Where an answer is wrong or missing.
    pub fn check(&mut self) -> std::result::Result<(), Broken> {
        match &mut self.work {
            Kind::Sql(work) => work.check(),
            Kind::Bulk(work) => work.check(),
            Kind::Script(_) => Ok(()),
        }
    }

    /// Publishes what the session did in the counters of its node; the number of transactions that the engine counts
    /// for that.
    ///
    /// # Errors
    /// Errors of the engine.
    pub fn publish_counters(&mut self) -> Result<u64> {
        self.session_mut().publish_counters()
    }

    /// Cancel a statement of this job from another thread, and its pauses.
    pub fn cancellers(&self) -> Vec<Box<dyn Canceller>> {
        match &self.work {
            Kind::Script(work) => work.cancellers(),
            _ => self.session().canceller().into_iter().collect(),
        }
    }

    /// The process of this job's session, where it has a process of its own on this host.
    pub fn server_process(&self) -> Option<u32> {
        self.session().server_process()
    }

    /// Round trips of its session so far, where the engine counts them.
    pub fn round_trip_count(&self) -> Option<u64> {
        self.session().round_trip_count()
    }

    fn session(&self) -> &dyn Session {
        match &self.work {
            Kind::Sql(work) => work.session.as_ref(),
            Kind::Bulk(work) => work.session.as_ref(),
            Kind::Script(work) => work.session.as_ref(),
        }
    }

    pub(crate) fn session_mut(&mut self) -> &mut dyn Session {
        match &mut self.work {
            Kind::Sql(work) => work.session.as_mut(),
            Kind::Bulk(work) => work.session.as_mut(),
            Kind::Script(work) => work.session.as_mut(),
        }
    }
}

impl Work for Job {
    #[inline]
    fn step(&mut self, number: u64) -> std::result::Result<Done, Broken> {
        match &mut self.work {
            Kind::Sql(work) => work.step(number),
            Kind::Bulk(work) => work.step(number),
            Kind::Script(work) => work.step(number),
        }
    }

    fn shares_threads(&self) -> bool {
        true
    }
}

/// Runs the set-up of `test`, once before its sweep.
///
/// # Errors
/// Errors of the engine, with the name of the statement.
pub fn set_up(test: &Test, context: &TestContext<'_>) -> Result<()> {
    if let Some(scale) = test.scripts.as_ref().and_then(|scripts| scripts.initialized_scale) {
        initialize(context, scale)?;
    }
    run_once(test, &test.setup, context)
}

/// Removes the tables of `test`, then runs its tear-down.
///
/// # Errors
/// Errors of the engine, with the name of the statement.
pub fn tear_down(test: &Test, context: &TestContext<'_>) -> Result<()> {
    if !test.table.is_empty() {
        let mut session = context.node.connect()?;
        test.table.iter().try_for_each(|table| drop_all(table, context, session.as_mut()))?;
    }
    run_once(test, &test.teardown, context)
}

fn run_once(test: &Test, steps: &[OnceEntry], context: &TestContext<'_>) -> Result<()> {
    if steps.is_empty() {
        return Ok(());
    }
    let mut session = context.node.connect()?;
    steps.iter().try_for_each(|step| match sql::text(context.engine, &test.code, &step.name, step.sql.as_deref()) {
        Some(text) => session.batch(text).map_err(|error| named(error, test, &step.name)),
        None => Ok(()),
    })
}

/// One job for each of `dop.jobs`, with new tables, and with keys drawn from the seed of the data.
///
/// # Errors
/// Errors of the engine, with the name of the statement.
pub fn jobs(test: &Test, context: &TestContext<'_>, dop: Dop) -> Result<Vec<Job>> {
    make_tables(test, context, dop.jobs)?;
    let seed = RunSeed { plan: context.sizes.seed, run: 0 };
    open_jobs(test, context, JobShare::whole(dop.jobs), dop.threads, seed, None)
}

/// Makes the tables of `test` for `jobs` jobs anew, and waits until all nodes have them.
///
/// # Errors
/// Errors of the engine, with the name of the statement.
pub fn make_tables(test: &Test, context: &TestContext<'_>, jobs: u32) -> Result<()> {
    let mut session = context.node.connect()?;
    for table in &test.table {
        drop_all(table, context, session.as_mut())?;
        let copies = if table.is_per_job() { jobs } else { 1 };
        (0..copies).try_for_each(|job| create(test, table, job, context, session.as_mut()))?;
    }
    for node in context.others {
        let caught_up = node.connect().and_then(|mut here| node.catch_up(here.as_mut(), session.as_mut()));
        caught_up.map_err(|error| of_node(error, *node))?;
    }
    Ok(())
}

/// The jobs of `share`, each with a session and prepared statements. Jobs are spread evenly: job i, from 0, works on
/// node i modulo the number of nodes, of which `context.node` is node 0. Keys are drawn from `seed`, so that each
/// run has others. `pipeline` statements are sent
/// together, where the test can be run so ([`Test::pipelines`]); without it each is answered before the next one.
///
/// # Errors
/// Errors of the engine, with the name of the statement.
pub fn open_jobs(
    test: &Test,
    context: &TestContext<'_>,
    share: JobShare,
    threads: u32,
    seed: RunSeed,
    pipeline: Option<u32>,
) -> Result<Vec<Job>> {
    let nodes: Vec<&dyn Node> = std::iter::once(context.node).chain(context.others.iter().copied()).collect();
    if let Some(scripts) = &test.scripts {
        return script_jobs(test, scripts, context, &nodes, share, seed);
    }
    let generator = |table: DataTable| Generator::new(table, context.sizes);
    let generators: Vec<Generator> = test.tables.iter().map(|table| generator(*table)).collect();
    let draws = Draw::for_jobs(seed, &test.code, share.all, threads);
    let mut block = BulkWork::block(test, context.sizes);
    let one = |(job, draw): (u32, Draw)| {
        let node = nodes[job as usize % nodes.len()];
        let mut session = node.connect().map_err(|error| of_node(error, node))?;
        let dialect = context.engine.dialect();
        let single: &[&str] = if test.single_block_reads { dialect.single_block_reads } else { &[] };
        (dialect.threads)(threads).iter().try_for_each(|statement| session.batch(statement))?;
        single.iter().try_for_each(|statement| session.batch(statement))?;
        match &mut block {
            Some(block) => BulkWork::new(test, job, context, session, block.clone()).map(Job::from),
            None => SqlWork::new(test, job, context, session, draw, &generators, pipeline).map(Job::from),
        }
    };
    (0..).zip(draws).skip(share.first as usize).take(share.count as usize).map(one).collect()
}

/// The same for scripts, which decide themselves what their sessions are set to.
fn script_jobs(
    test: &Test,
    scripts: &Scripts,
    context: &TestContext<'_>,
    nodes: &[&dyn Node],
    share: JobShare,
    seed: RunSeed,
) -> Result<Vec<Job>> {
    let compiled = CompiledScripts::new(scripts, context.sizes.seed);
    let compiled = compiled.map_err(|error| Error::new(engine::Kind::Usage, error.to_string()).hint(error.hint))?;
    let compiled = Arc::new(compiled);
    let one = |job: u32| {
        let node = nodes[job as usize % nodes.len()];
        let session = node.connect().map_err(|error| of_node(error, node))?;
        let stream = Draw::stream(seed, &test.code, (share.all, 1), job);
        ScriptWork::new(Arc::clone(&compiled), job, context.engine.dialect(), session, stream).map(Job::from)
    };
    (share.first..share.first.saturating_add(share.count)).map(one).collect()
}

fn create(test: &Test, own: &OwnTable, job: u32, context: &TestContext<'_>, session: &mut dyn Session) -> Result<()> {
    let (dialect, table) = (context.engine.dialect(), own.table(job));
    let mut statements = (dialect.create)(&table);
    if own.key.is_some() {
        statements.extend((dialect.finish)(&table));
    }
    let run = |statement: &String| session.batch(statement).map_err(|error| named(error, test, &table.name));
    statements.iter().try_for_each(run)
}

/// Drops the table, or those of all jobs, including tables of earlier invocations.
fn drop_all(own: &OwnTable, context: &TestContext<'_>, session: &mut dyn Session) -> Result<()> {
    for job in 0.. {
        let name = own.table(job).name;
        // An engine without answers would seem to have endless tables.
        let found = context.node.caps().answers && exists(session, &name)?;
        (context.engine.dialect().drop)(&name).iter().try_for_each(|statement| session.batch(statement))?;
        if !found || !own.is_per_job() {
            break;
        }
    }
    Ok(())
}
