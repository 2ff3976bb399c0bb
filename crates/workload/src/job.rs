//! The jobs of a test: their sessions and steps, and the set-up before and after.

use std::sync::Arc;

use engine::{Canceller, Error, Node, Result, Session};
use measure::{Broken, Done, RunSeed, StepStart, Work};
use record::{Bytes, DataSet, Dop, JobShare, Nanos, Pace, Scripts};

use crate::bind::Draw;
use crate::bulk::BulkWork;
use crate::data::{DataTable, Generator};
use crate::data_set::Loading;
use crate::decision;
use crate::logon::LogonWork;
use crate::orders;
use crate::script::CompiledScripts;
use crate::script_work::{ScriptLog, ScriptWork, TransactionTypes, initialize};
use crate::sql;
use crate::sql_work::{Prepared, SqlWork};
use crate::test::{Choice, OnceEntry, OwnTable, Schema, StatementEntry, Test};
use crate::test_context::{TestContext, exists, named, of_node};

/// The work of one job.
pub struct Job<'a> {
    work: Kind<'a>,
}

enum Kind<'a> {
    Sql(SqlWork),
    Bulk(BulkWork),
    Script(Box<ScriptWork<'a>>),
    Logon(Box<LogonWork<'a>>),
}

impl From<SqlWork> for Job<'_> {
    fn from(work: SqlWork) -> Self {
        Job { work: Kind::Sql(work) }
    }
}

impl From<BulkWork> for Job<'_> {
    fn from(work: BulkWork) -> Self {
        Job { work: Kind::Bulk(work) }
    }
}

impl<'a> From<ScriptWork<'a>> for Job<'a> {
    fn from(work: ScriptWork<'a>) -> Self {
        Job { work: Kind::Script(Box::new(work)) }
    }
}

impl<'a> From<LogonWork<'a>> for Job<'a> {
    fn from(work: LogonWork<'a>) -> Self {
        Job { work: Kind::Logon(Box::new(work)) }
    }
}

impl Job<'_> {
    /// Does one step and checks every answer. Not for an engine without answers. Of a script no answer is known, and none is run, but
    /// for decision queries, which are all run.
    ///
    /// # Errors
    /// Where an answer is wrong or missing.
    pub fn check(&mut self) -> std::result::Result<(), Broken> {
        match &mut self.work {
            Kind::Sql(work) => work.check(),
            Kind::Bulk(work) => work.check(),
            Kind::Script(work) => work.check(),
            Kind::Logon(work) => work.check(),
        }
    }

    /// The types of transactions of its run, where it runs scripts.
    pub fn transaction_types(&self) -> Option<Arc<TransactionTypes>> {
        match &self.work {
            Kind::Script(work) => Some(Arc::clone(work.types())),
            Kind::Sql(_) | Kind::Bulk(_) | Kind::Logon(_) => None,
        }
    }

    /// Has a line in `log` for each execution of its scripts, where it runs scripts; which ones follows from `seed`.
    pub fn log_to(&mut self, log: &Arc<ScriptLog>, seed: u64) {
        if let Kind::Script(work) = &mut self.work {
            work.log_to(Arc::clone(log), seed);
        }
    }

    /// Publishes what the session did in the counters of its node; the number of transactions that the engine counts
    /// for that.
    ///
    /// # Errors
    /// Errors of the engine.
    pub fn publish_counters(&mut self) -> Result<u64> {
        self.session_mut().map_or(Ok(0), |session| session.publish_counters())
    }

    /// Cancel a statement of this job from another thread, and its pauses.
    pub fn cancellers(&self) -> Vec<Box<dyn Canceller>> {
        match &self.work {
            Kind::Script(work) => work.cancellers(),
            _ => self.session().and_then(Session::canceller).into_iter().collect(),
        }
    }

    /// The process of this job's session, where it has a process of its own on this host.
    pub fn server_process(&self) -> Option<u32> {
        self.session()?.server_process()
    }

    /// Round trips of its session so far, where the engine counts them.
    pub fn round_trip_count(&self) -> Option<u64> {
        match &self.work {
            Kind::Logon(work) => work.round_trip_count(),
            Kind::Script(work) => work.round_trip_count(),
            _ => self.session()?.round_trip_count(),
        }
    }

    /// Its session, unless each step has one of its own.
    fn session(&self) -> Option<&dyn Session> {
        match &self.work {
            Kind::Sql(work) => Some(work.session.as_ref()),
            Kind::Bulk(work) => Some(work.session.as_ref()),
            Kind::Script(work) => work.session(),
            Kind::Logon(_) => None,
        }
    }

    /// The same, to be used.
    pub(crate) fn session_mut(&mut self) -> Option<&mut dyn Session> {
        match &mut self.work {
            Kind::Sql(work) => Some(work.session.as_mut()),
            Kind::Bulk(work) => Some(work.session.as_mut()),
            Kind::Script(work) => work.session_mut(),
            Kind::Logon(_) => None,
        }
    }
}

impl Work for Job<'_> {
    #[inline]
    fn step(&mut self, number: u64) -> std::result::Result<Done, Broken> {
        match &mut self.work {
            Kind::Sql(work) => work.step(number),
            Kind::Bulk(work) => work.step(number),
            Kind::Script(work) => work.step(number),
            Kind::Logon(work) => work.step(number),
        }
    }

    fn finish(&mut self) -> std::result::Result<(), Broken> {
        match &mut self.work {
            Kind::Script(work) => work.finish(),
            Kind::Sql(_) | Kind::Bulk(_) | Kind::Logon(_) => Ok(()),
        }
    }

    fn own_pace(&self) -> Option<(Pace, (u32, u32))> {
        match &self.work {
            Kind::Script(work) => work.own_pace(),
            Kind::Sql(_) | Kind::Bulk(_) | Kind::Logon(_) => None,
        }
    }

    fn logs(&self) -> bool {
        match &self.work {
            Kind::Script(work) => work.logs(),
            Kind::Sql(_) | Kind::Bulk(_) | Kind::Logon(_) => false,
        }
    }

    fn log(&mut self, turn: &StepStart, ended: Nanos, done: &Done) {
        if let Kind::Script(work) = &mut self.work {
            work.log(turn, ended, done);
        }
    }

    /// A connection that is made keeps its thread.
    fn shares_threads(&self) -> bool {
        match &self.work {
            Kind::Logon(_) => false,
            Kind::Script(work) => work.shares_threads(),
            Kind::Sql(_) | Kind::Bulk(_) => true,
        }
    }

    fn aborted(&mut self) {
        if let Kind::Script(work) = &mut self.work {
            work.aborted();
        }
    }

    fn streams(&self) -> Vec<usize> {
        match &self.work {
            Kind::Script(work) => work.streams(),
            Kind::Sql(_) | Kind::Bulk(_) | Kind::Logon(_) => vec![0],
        }
    }

    fn stream_of_unfinished(&self, number: u64) -> usize {
        match &self.work {
            Kind::Script(work) => work.stream_of_unfinished(number),
            Kind::Sql(_) | Kind::Bulk(_) | Kind::Logon(_) => 0,
        }
    }

    fn pass(&self) -> u64 {
        match &self.work {
            Kind::Script(work) => work.pass(),
            Kind::Sql(_) | Kind::Bulk(_) | Kind::Logon(_) => 1,
        }
    }
}

/// Runs the set-up of `test`, once before its sweep. The value are the tables that stay for later tests and invocations, which are
/// loaded as `loading` says.
///
/// # Errors
/// Errors of the engine, with the name of the statement.
pub fn set_up(test: &Test, context: &TestContext<'_>, loading: &Loading<'_>) -> Result<Vec<DataSet>> {
    if let Some(scale) = test.scripts.as_ref().and_then(|scripts| scripts.initialized_scale) {
        initialize(context, scale)?;
    }
    let loaded = match test.schema {
        Some(Schema::Orders) => orders::load(test, context).map(|()| Vec::new())?,
        Some(Schema::Decision) => decision::load(context, decision::scale_percent(test, context.sizes), loading)?,
        None => Vec::new(),
    };
    run_once(test, &test.setup, context)?;
    Ok(loaded)
}

/// Bytes of the rows that stay, and that [`set_up`] would load.
///
/// # Errors
/// Errors of the engine.
pub fn missing_bytes(test: &Test, context: &TestContext<'_>) -> Result<Bytes> {
    match test.schema {
        Some(Schema::Decision) => decision::missing_bytes(context, decision::scale_percent(test, context.sizes)),
        Some(Schema::Orders) | None => Ok(Bytes(0)),
    }
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
    if let Some(Schema::Orders) = test.schema {
        orders::remove(context)?;
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
pub fn jobs<'a>(test: &Test, context: &TestContext<'a>, dop: Dop) -> Result<Vec<Job<'a>>> {
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
pub fn open_jobs<'a>(
    test: &Test,
    context: &TestContext<'a>,
    share: JobShare,
    threads: u32,
    seed: RunSeed,
    pipeline: Option<u32>,
) -> Result<Vec<Job<'a>>> {
    let nodes: Vec<&'a dyn Node> = std::iter::once(context.node).chain(context.others.iter().copied()).collect();
    if let Some(scripts) = test.scripts_for(context.engine, context.sizes) {
        return script_jobs(test, &scripts, context, &nodes, share, seed);
    }
    let generator = |table: DataTable| Generator::new(table, context.sizes);
    let generators: Vec<Generator> = test.tables.iter().map(|table| generator(*table)).collect();
    let draws = Draw::for_jobs(seed, &test.code, share.all, threads);
    let mut block = BulkWork::block(test, context.sizes);
    let one = |(job, draw): (u32, Draw)| {
        let node = nodes[job as usize % nodes.len()];
        if test.connect {
            let work = LogonWork::new(test, job, context, node, draw, &generators);
            return work.map(Job::from).map_err(|error| of_node(error, node));
        }
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
fn script_jobs<'a>(
    test: &Test,
    scripts: &Scripts,
    context: &TestContext<'a>,
    nodes: &[&'a dyn Node],
    share: JobShare,
    seed: RunSeed,
) -> Result<Vec<Job<'a>>> {
    let scale_percent = test.is_of_queries().then(|| decision::scale_percent(test, context.sizes));
    let drawn: &[&str] = if scale_percent.is_some() { &decision::PARAMETERS } else { &[] };
    let compiled = CompiledScripts::with_drawn(scripts, context.sizes.seed, drawn);
    let compiled = compiled.map_err(|error| Error::new(engine::Kind::Usage, error.to_string()).hint(error.hint))?;
    let compiled = Arc::new(compiled);
    let types = Arc::new(TransactionTypes::new(Arc::clone(&compiled), share));
    let one = |job: u32| {
        let node = nodes[job as usize % nodes.len()];
        let mut session = node.connect().map_err(|error| of_node(error, node))?;
        let set_up = test.user_tables(node);
        set_up.iter().try_for_each(|statement| session.batch(statement))?;
        let stream = Draw::stream(seed, &test.code, (share.all, 1), job);
        let shared = (Arc::clone(&compiled), Arc::clone(&types));
        let work = ScriptWork::new(shared, (job, share.all), context.engine.dialect(), session, stream)?;
        let work = match test.choice {
            Choice::Independent => work,
            Choice::Deck => work.with_deck(),
            Choice::Streams => work.with_stream(decision::stream(job)),
        };
        let work = match scale_percent {
            Some(scale_percent) => work.with_queries(scale_percent),
            None => work,
        };
        Ok(Job::from(if scripts.connect { work.connecting(node, context.engine.dialect(), set_up) } else { work }))
    };
    (share.first..share.first.saturating_add(share.count)).map(one).collect()
}

fn create(test: &Test, own: &OwnTable, job: u32, context: &TestContext<'_>, session: &mut dyn Session) -> Result<()> {
    let (dialect, table) = (context.engine.dialect(), own.table(job));
    let run = |session: &mut dyn Session, statements: &[String]| {
        statements.iter().try_for_each(|one| session.batch(one)).map_err(|error| named(error, test, &table.name))
    };
    run(session, &(dialect.create)(&table))?;
    if let Some((entry, rows)) = own.filling(job) {
        let rows = test.scope(context.sizes).amount(rows);
        fill(test, &entry, (job, rows), context, session)?;
    }
    match own.key {
        Some(_) => run(session, &(dialect.finish)(&table)),
        None => Ok(()),
    }
}

/// Puts `rows` rows into the table of job `job`, in one transaction: they are the same before each run.
fn fill(
    test: &Test,
    entry: &StatementEntry,
    (job, rows): (u32, i64),
    context: &TestContext<'_>,
    session: &mut dyn Session,
) -> Result<()> {
    let mut prepared = Prepared::new(test, entry, job, context, session)?;
    let seed = RunSeed { plan: context.sizes.seed, run: 0 };
    let filled = |draw: &mut Draw| {
        session.begin()?;
        (0..rows).try_for_each(|_| prepared.execute(session, draw).map(drop))?;
        session.commit()
    };
    let mut draws = Draw::for_jobs(seed, &test.code, 1, 1);
    draws.iter_mut().try_for_each(filled).map_err(|error| named(error, test, &entry.name))
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
