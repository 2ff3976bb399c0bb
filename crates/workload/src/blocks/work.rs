//! The operations of a session, one after the other, from the client.

use std::borrow::Cow;
use std::sync::Arc;

use engine::{Canceller, Result, Session, Value};
use measure::{Broken, Done, Purpose, RunSeed, Work};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use record::{JobShare, Nanos};

use super::deck::{Deck, Kind};
use super::layout::{Layout, TableOf};
use super::procedure::{self, Calls};
use super::range::Ranges;
use super::settings::{BlocksSettings, Think};
use super::statement::{Bind, Statements};
use crate::data::below;
use crate::data::mix;
use crate::fill_threads::in_threads;
use crate::pause::{Pause, Waker};
use crate::test_context::{TestContext, failed};

/// Blocks that one statement of a preload reads: it does not take minutes, and is not one of very many.
const PRELOAD_BLOCKS: usize = 4_096;

/// Where the loop runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// In the client: a statement for each operation.
    #[default]
    Client,
    /// In the engine: a call for each batch of operations, carried out by a procedure.
    Engine,
}

/// How blocks are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visit {
    /// Anywhere, repeatedly.
    #[default]
    Anywhere,
    /// Each at most once: a run with empty caches then finds no block cached.
    Once,
}

/// The job of one session.
pub struct BlocksJob {
    pub(super) session: Box<dyn Session>,
    /// Those of its own schema, then of the hot schema, if that is another.
    pub(super) statements: Vec<Statements>,
    pub(super) calls: Option<Calls>,
    hot_schema_frequency: u64,
    deck: Deck,
    ranges: Ranges,
    random: Xoshiro256PlusPlus,
    think: Option<Think>,
    pause: Arc<Pause>,
    pub(super) work_unit: u64,
    pub(super) scan_rows: u64,
    pub(super) text_size: usize,
    obfuscated: bool,
    pool: Arc<str>,
    pub(super) values: Vec<Value<'static>>,
    /// Operations so far, including the warm-up.
    count: u64,
    /// Distinguishes the texts of this session from those of others.
    number: u32,
}

/// Creates what the sessions of a loop in the engine call.
///
/// # Errors
/// Errors of the engine.
pub fn prepare(context: &TestContext<'_>, settings: &BlocksSettings, layout: &Layout, mode: Mode) -> Result<()> {
    match mode {
        Mode::Engine => procedure::create(context, settings, layout),
        Mode::Client => Ok(()),
    }
}

/// One job for each session of `share`, each with its statements prepared, after [`prepare`]: job j works in schema j
/// modulo the number of schemas. What they visit is drawn from `seed`.
///
/// # Errors
/// Errors of the engine.
pub fn jobs(
    context: &TestContext<'_>,
    settings: &BlocksSettings,
    layout: &Layout,
    (mode, visit): (Mode, Visit),
    share: JobShare,
    seed: RunSeed,
) -> Result<Vec<BlocksJob>> {
    (share.first..share.first.saturating_add(share.count))
        .map(|job| BlocksJob::new(context, settings, layout, (mode, visit), seed, job))
        .collect()
}

/// Reads the share `wanted` of the blocks of all schemas into the cache of the engine, in key order, because engines may keep
/// scans out of the cache: keys are in random order, so that any share of them are blocks at random places. Of all blocks, those
/// of the scan tables are read too. The sessions of a schema share the work, unless each has a cache of its own.
///
/// # Errors
/// Errors of the engine.
pub fn preload(
    context: &TestContext<'_>,
    settings: &BlocksSettings,
    layout: &Layout,
    jobs: &mut [BlocksJob],
    wanted: f64,
) -> Result<()> {
    let (schemas, count) = (settings.schemas as usize, jobs.len());
    let is_per_session = context.node.has_cache_per_session();
    let part = |job: usize| match is_per_session {
        true => (0, 1),
        false => (job / schemas, (count - job % schemas).div_ceil(schemas)),
    };
    in_threads(jobs, |job, each| each.preload(layout, wanted, part(job)))
}

impl BlocksJob {
    fn new(
        context: &TestContext<'_>,
        settings: &BlocksSettings,
        layout: &Layout,
        (mode, visit): (Mode, Visit),
        seed: RunSeed,
        job: u32,
    ) -> Result<BlocksJob> {
        let mut session = context.node.connect()?;
        let dialect = context.engine.dialect();
        (dialect.threads)(1).iter().try_for_each(|statement| session.batch(statement))?;
        dialect.single_block_reads.iter().try_for_each(|statement| session.batch(statement))?;
        let (schema, thread) = (1 + job % settings.schemas, job / settings.schemas);
        let hot = (settings.hot_schema_frequency > 0 && schema != 1).then_some(1);
        let mut on = |schema: u32| Statements::new(context, session.as_mut(), settings, schema);
        let statements = [Some(schema), hot].into_iter().flatten().map(&mut on).collect::<Result<Vec<Statements>>>()?;
        let calls = match mode {
            Mode::Client => None,
            Mode::Engine => Some(Calls::new(context, session.as_mut(), settings, layout, schema)?),
        };
        let ranges = match visit {
            Visit::Anywhere => Ranges::anywhere(settings),
            // The sessions of a schema share one order.
            Visit::Once => Ranges::once(settings, thread, seed.stream(Purpose::Order, schema)),
        };
        // Plans at other numbers of sessions have the same numbers of runs, and would find these blocks in the caches.
        let stream = mix(seed.stream(Purpose::Blocks, job) ^ u64::from(settings.sessions()));
        let random = Xoshiro256PlusPlus::seed_from_u64(stream);
        Ok(BlocksJob {
            session,
            statements,
            calls,
            hot_schema_frequency: settings.hot_schema_frequency,
            deck: Deck::new(settings.update_percent, settings.scan_percent),
            ranges,
            random,
            think: settings.think(),
            pause: Arc::default(),
            work_unit: settings.work_unit,
            scan_rows: layout.rows(TableOf::Scan),
            text_size: layout.text_size() as usize,
            obfuscated: settings.obfuscated,
            pool: layout.pool(),
            values: Vec::new(),
            count: 0,
            number: job,
        })
    }

    /// Cancellers of a statement of this job, and of its think time.
    pub fn cancellers(&self) -> Vec<Box<dyn Canceller>> {
        let waker = self.think.map(|_| Box::new(Waker(Arc::clone(&self.pause))) as Box<dyn Canceller>);
        self.session.canceller().into_iter().chain(waker).collect()
    }

    /// The process of this job's session, where it has a process of its own on this host.
    pub fn server_process(&self) -> Option<u32> {
        self.session.server_process()
    }

    /// Publishes what the session did in the counters of its node; the number of transactions that the engine counts
    /// for that.
    ///
    /// # Errors
    /// Errors of the engine.
    pub fn publish_counters(&mut self) -> Result<u64> {
        self.session.publish_counters()
    }

    /// Reads part `part` of so many of the share `wanted` of the blocks.
    fn preload(&mut self, layout: &Layout, wanted: f64, (part, parts): (usize, usize)) -> Result<()> {
        let blocks = (layout.blocks(TableOf::Blocks) as f64 * wanted).ceil() as u64;
        for on in 0..self.statements.len() {
            for low in (1..=blocks).step_by(PRELOAD_BLOCKS).skip(part).step_by(parts.max(1)) {
                self.bind(on, Kind::Read, low, (low + PRELOAD_BLOCKS as u64 - 1).min(blocks));
                self.session.execute(self.statements[on].read.statement, &self.values)?;
            }
            if let Some(scan) = self.statements[on].scan.as_ref().filter(|_| wanted >= 1.0 && part == 0) {
                self.session.execute(scan.statement, &[])?;
            }
        }
        Ok(())
    }

    /// The text of the updates of the next call.
    pub(super) fn stamp(&mut self) -> String {
        let mut text = Value::Null;
        write_text(&mut text, (self.number, self.count), &self.pool[..self.text_size]);
        match text {
            Value::Text(text) => text.into_owned(),
            _ => String::new(),
        }
    }

    fn try_step(&mut self) -> Result<Done> {
        if self.calls.is_some() {
            return self.call();
        }
        self.count += 1;
        let paused = self.pause();
        let is_hot = self.hot_schema_frequency > 0 && self.count.is_multiple_of(self.hot_schema_frequency);
        let on = if is_hot { self.statements.len() - 1 } else { 0 };
        let kind = self.deck.draw(&mut self.random);
        let low = self.ranges.first_key(self.count, &mut self.random);
        let rows = self.operate(on, kind, low)?;
        Ok(Done { operations: 1, rows, transactions: 1, paused, stream: kind as u32, ..Done::default() })
    }

    /// A batch of operations in the engine.
    fn call(&mut self) -> Result<Done> {
        let stamp = self.stamp();
        let BlocksJob { calls, session, deck, ranges, random, count, .. } = self;
        let Some(calls) = calls else { return Ok(Done::default()) };
        calls.call(session.as_mut(), stamp, || {
            *count += 1;
            (deck.draw(random), ranges.first_key(*count, random))
        })
    }

    /// Carries out one operation; returns the number of rows.
    pub(super) fn operate(&mut self, on: usize, kind: Kind, low: u64) -> Result<u64> {
        self.bind(on, kind, low, low + self.work_unit - 1);
        let statements = &self.statements[on];
        match (kind, &statements.scan) {
            (Kind::Update, _) => self.session.execute(statements.update.statement, &self.values),
            (Kind::Scan, Some(scan)) => {
                self.session.execute(scan.statement, &[])?;
                Ok(self.scan_rows)
            }
            (Kind::Read | Kind::Scan, _) => {
                self.session.execute(statements.read.statement, &self.values)?;
                Ok(self.work_unit)
            }
        }
    }

    /// Binds the values of an operation.
    pub(super) fn bind(&mut self, on: usize, kind: Kind, low: u64, high: u64) {
        let statements = &self.statements[on];
        let binds = if kind == Kind::Update { &statements.update.binds } else { &statements.read.binds };
        self.values.resize(binds.len(), Value::Null);
        for (bind, value) in binds.iter().zip(&mut self.values) {
            match bind {
                Bind::Low => *value = Value::Int(low as i64),
                Bind::High => *value = Value::Int(high as i64),
                Bind::Text => {
                    let drawn = if self.obfuscated { below(&mut self.random, 1 << 15) as usize } else { 0 };
                    write_text(value, (self.number, self.count), &self.pool[drawn..drawn + self.text_size]);
                }
            }
        }
    }

    /// Sleeps a random time before every `frequency`th operation; returns how long.
    fn pause(&mut self) -> Nanos {
        let Some(think) = self.think.filter(|think| self.count.is_multiple_of(think.frequency)) else {
            return Nanos(0);
        };
        let spread = think.most_ns.since(think.least_ns).0 + 1;
        self.pause.sleep(Nanos(think.least_ns.0 + below(&mut self.random, spread)))
    }
}

/// A text that is unique to the session and the operation: engines skip updates that change nothing.
fn write_text(value: &mut Value<'static>, (job, count): (u32, u64), filler: &str) {
    use std::fmt::Write;

    let mut text = match std::mem::replace(value, Value::Null) {
        Value::Text(Cow::Owned(text)) => text,
        _ => String::with_capacity(filler.len()),
    };
    text.clear();
    // Writing into a string does not fail.
    let _ = write!(text, "{:04}{:09}", job % 10_000, count % 1_000_000_000);
    text.push_str(&filler[text.len().min(filler.len())..]);
    *value = Value::Text(Cow::Owned(text));
}

impl Work for BlocksJob {
    fn step(&mut self, _number: u64) -> std::result::Result<Done, Broken> {
        match self.try_step() {
            Ok(done) => Ok(done),
            Err(error) => failed(self.session.as_mut(), &error, false),
        }
    }

    /// The window starts with a new deck: so many operations in it have exactly their share of updates.
    fn finish(&mut self) -> std::result::Result<(), Broken> {
        self.deck.renew();
        Ok(())
    }

    fn shares_threads(&self) -> bool {
        true
    }

    fn streams(&self) -> Vec<usize> {
        // The last one is that of calls.
        (0..=Kind::ALL.len()).collect()
    }
}
