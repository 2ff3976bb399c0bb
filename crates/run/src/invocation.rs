//! One invocation: from the request to the finished record. The record is written after every run, so that a crash
//! or Ctrl-C loses at most the run in flight.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use engine::{Engine, Target};
use measure::clock;
use record::{DataSet, Nanos, Outcome, Plan, PlannedRun, Record, Run, SCHEMA_VERSION, Status, Tool};
use workload::{Sizes, Test};

use crate::directory::MeasuredDirectory;
use crate::io::{Offer, ProbeGround, same_device};
use crate::measurement::{Bench, Subject, measure_one, not_begun, timestamp};
use crate::opening::{Opened, Setting, claim, look, open, sizes};
use crate::plan::{self, Ability, Item, Machine};
use crate::resumption;
use crate::sampler::{Sources, Watched};
use crate::{Error, Event, Fault, Interrupt, Listener, Request, Result, data};

/// What an invocation works with.
pub struct Workplace<'a> {
    /// The engine that is measured where a test needs one.
    pub engine: &'a dyn Engine,
    /// Where it is.
    pub target: &'a Target,
    /// All engines: each cleans up what a dead invocation of it left.
    pub engines: &'a [&'a dyn Engine],
    /// Hears what happens.
    pub listener: &'a dyn Listener,
    /// The user's wish to break off.
    pub interrupt: &'a Interrupt,
}

/// What came of an invocation.
#[derive(Debug)]
pub struct Measured {
    /// The record as it was written last.
    pub record: Record,
    /// Where it lies.
    pub path: PathBuf,
    /// Why it was broken off, if it was.
    pub error: Option<Error>,
}

/// Measures what `request` asks for.
///
/// # Errors
/// Only where there is no record yet; later errors stand in [`Measured::error`] beside the record so far.
pub fn measure(request: &Request, workplace: &Workplace<'_>) -> Result<Measured> {
    let own = test_files(&request.tests.words)?;
    let items = plan::select(request, &own)?;
    let origin = clock::now();
    let directory = claim(request, workplace)?;
    let mut setting = Setting::find_out(directory.path())?;
    let opened = open(request, workplace, &directory, needs_engine(&items))?;
    setting.look_where(opened.as_ref());
    let (plan, sizes) = decide(request, workplace, &directory, &items, opened.as_ref());
    let record = Record {
        schema_version: SCHEMA_VERSION,
        id: store::id_of(&request.record),
        tool: Tool { version: request.version.clone(), optimised: !cfg!(debug_assertions) },
        begun_at: timestamp(),
        ended_at: None,
        status: Status::Running,
        reason: None,
        plan,
        host: setting.host.clone(),
        engine: opened.as_ref().map(|opened| opened.inventory.clone()),
        instrument: setting.instrument.clone(),
        data_sets: Vec::new(),
        runs: Vec::new(),
    };
    carry_out(record, &request.record, &items, opened, &setting, &sizes, origin, workplace)
}

/// The plan of `request`, without carrying it out. The engine is opened to ask what it can do, and closed again.
///
/// # Errors
/// As for [`measure()`].
pub fn dry_run(request: &Request, workplace: &Workplace<'_>) -> Result<Plan> {
    let own = test_files(&request.tests.words)?;
    let items = plan::select(request, &own)?;
    let directory = claim(request, workplace)?;
    let opened = look(request, workplace, &directory, needs_engine(&items))?;
    let (plan, _sizes) = decide(request, workplace, &directory, &items, opened.as_ref());
    opened.map_or(Ok(()), |opened| opened.node.close())?;
    Ok(plan)
}

fn decide(
    request: &Request,
    workplace: &Workplace<'_>,
    directory: &MeasuredDirectory,
    items: &[Item<'_>],
    opened: Option<&Opened<'_>>,
) -> (Plan, Sizes) {
    let sizes = sizes(request, opened);
    let ability = opened.map(|opened| Ability { engine: opened.engine, caps: *opened.node.caps() });
    let target = workplace.target.to_string();
    let machine = Machine {
        processors: host::cpus_allowed().len() as u32,
        storage: Offer::look(&directory.data(), request.preset),
    };
    (plan::plan(request, &target, directory.path(), items, ability.as_ref(), &sizes, &machine), sizes)
}

/// Carries out what is left of the plan of `record`, which lies at `request.record`. Runs that failed are repeated.
///
/// # Errors
/// As for [`measure()`].
pub fn resume(mut record: Record, request: &Request, workplace: &Workplace<'_>) -> Result<Measured> {
    resumption::check(&record, request)?;
    let own = test_files(&record.plan.test_files)?;
    let request = Request { tests: selection(&record.plan), ..request.clone() };
    let items = plan::select(&request, &own)?;
    let origin = clock::now();
    let directory = claim(&request, workplace)?;
    let mut setting = Setting::find_out(directory.path())?;
    let opened = open(&request, workplace, &directory, needs_engine(&items))?;
    setting.look_where(opened.as_ref());
    if let Err(error) = resumption::compare(&record, &setting, opened.as_ref(), workplace.target) {
        // The first error is the one to tell.
        let _ = opened.map_or(Ok(()), |opened| opened.node.close());
        return Err(error);
    }
    let (small_rows, large_rows) = (record.plan.small_rows, record.plan.large_rows);
    let sizes = Sizes { small_rows, large_rows, ..sizes(&request, None) };
    record.runs.retain(|run| run.outcome == Outcome::Done);
    (record.status, record.reason, record.ended_at) = (Status::Running, None, None);
    carry_out(record, &request.record, &items, opened, &setting, &sizes, origin, workplace)
}

/// The tests of a plan, as one would ask for them.
fn selection(plan: &Plan) -> crate::Selection {
    let mut words: Vec<String> = plan.test_files.clone();
    let catalogue: Vec<&str> = workload::catalogue()
        .iter()
        .map(|test| test.code.as_str())
        .chain(probe::probes().iter().map(|probe| probe.code))
        .collect();
    words.extend(plan.runs.iter().map(|run| run.test.clone()).filter(|code| catalogue.contains(&code.as_str())));
    words.dedup();
    crate::Selection { words }
}

fn test_files(words: &[String]) -> Result<Vec<Test>> {
    let files = words.iter().filter(|word| plan::is_file(word));
    files
        .map(|path| {
            let text = std::fs::read_to_string(path).map_err(|error| {
                Error::user(format!("test file {path} cannot be read: {error}"))
                    .hint("give the path of a file, or codes of the catalogue (`dbdyno list tests`)")
            })?;
            Test::parse(&text, path).map_err(|error| Error::user(error.to_string()))
        })
        .collect()
}

fn needs_engine(items: &[Item<'_>]) -> bool {
    items.iter().any(|item| matches!(item, Item::Test(_)))
}

/// Loads, runs, writes; closes the engine whatever happens.
#[expect(clippy::too_many_arguments, reason = "the parts of one invocation, each of them used once")]
fn carry_out(
    mut record: Record,
    path: &Path,
    items: &[Item<'_>],
    opened: Option<Opened<'_>>,
    setting: &Setting,
    sizes: &Sizes,
    origin: Nanos,
    workplace: &Workplace<'_>,
) -> Result<Measured> {
    let written = store::write(path, &record).map_err(Error::from);
    let error = written.and_then(|()| {
        let plan = record.plan.clone();
        let probed = Path::new(&plan.directory);
        let subject = opened.as_ref().map(|opened| Subject {
            engine: opened.engine,
            node: opened.node.as_ref(),
            inventory: opened.inventory.clone(),
            on_probed_device: opened.node.data_directory().is_some_and(|data| same_device(data, probed)),
        });
        let sources = sources(subject.as_ref(), Path::new(&plan.directory))?;
        let bench = Bench {
            plan: &plan,
            sizes,
            subject: subject.as_ref(),
            sources: &sources,
            instrument: &setting.instrument,
            host: &setting.host,
            processors: setting.processors.clone(),
            origin,
            interrupt: workplace.interrupt,
            listener: workplace.listener,
        };
        announce(&bench, &record, path);
        run_all(&bench, &mut record, path, items)
    });
    let error = error.err();
    (record.status, record.reason) = match &error {
        None => (Status::Finished, None),
        Some(error) if error.fault == Fault::Interrupted => (Status::Interrupted, None),
        Some(error) => (Status::Failed, Some(error.message.clone())),
    };
    record.ended_at = Some(timestamp());
    let closed = opened.map_or(Ok(()), |opened| opened.node.close().map_err(Error::from));
    let written = store::write(path, &record).map_err(Error::from);
    if let (Some(_), Err(second)) = (&error, &closed) {
        workplace.listener.hear(&Event::Note(&format!("what was begun could not be ended: {second}")));
    }
    let error = error.or(written.err()).or(closed.err());
    Ok(Measured { record, path: path.to_owned(), error })
}

fn sources<'a>(subject: Option<&'a Subject<'a>>, directory: &Path) -> Result<Sources<'a>> {
    let data_directory = subject.and_then(|subject| subject.node.data_directory());
    let watched = data_directory.unwrap_or(directory);
    let engine = subject
        .map(|subject| Ok::<_, Error>(Mutex::new(Watched { node: subject.node, session: subject.node.connect()? })))
        .transpose()?;
    let bookkeeping_commits = AtomicU64::new(0);
    let host = Mutex::new(host::Counters::new(watched));
    Ok(Sources {
        host,
        engine,
        device_is_engines: data_directory.is_some(),
        bookkeeping_commits,
        flush_probe_ns: AtomicU64::new(0),
    })
}

fn announce(bench: &Bench<'_>, record: &Record, path: &Path) {
    let plan = bench.plan;
    if plan.io.is_some() && bench.subject.is_some_and(|subject| !subject.on_probed_device) {
        bench.listener.hear(&Event::Note(&format!(
            "the probes of storage measure {}; the data of the engine lie elsewhere, and are not held against them",
            plan.directory
        )));
    }
    let runs = plan.runs.len().saturating_sub(record.runs.len());
    let each = plan.warm_up_ns + plan.window_ns;
    let expected = Nanos(each.0.saturating_mul(runs as u64));
    bench.listener.hear(&Event::Planned { runs, expected, skipped: &plan.skipped, record: path });
}

/// Every run of the plan that is not in the record yet, test by test.
fn run_all(bench: &Bench<'_>, record: &mut Record, path: &Path, items: &[Item<'_>]) -> Result<()> {
    let todo: Vec<PlannedRun> = bench
        .plan
        .runs
        .iter()
        .filter(|planned| record.runs.iter().all(|run| run.number != planned.number))
        .cloned()
        .collect();
    record.runs.iter().for_each(|run| remember_flush(bench, run));
    let mut loaded = false;
    let mut storage = ProbeGround::default();
    for group in todo.chunk_by(|one, next| one.test == next.test) {
        let Some(item) = items.iter().find(|item| item.code() == group[0].test).copied() else {
            return Err(Error::user(format!("test {} of the plan is not known", group[0].test)));
        };
        if !item.is_of_storage() {
            storage.clear();
        }
        if !loaded && matches!(item, Item::Test(_)) {
            // Probes first and on an empty machine: loading leaves dirty pages behind.
            for set in data::load(bench, &todo, items)? {
                remember(&mut record.data_sets, set);
            }
            store::write(path, record)?;
            loaded = true;
        }
        run_group(bench, record, path, item, group, &mut storage)?;
    }
    Ok(())
}

/// Adds `set` to what the record knows of the tables; how a table was loaded is not forgotten when it is used again.
fn remember(known: &mut Vec<DataSet>, set: DataSet) {
    match known.iter_mut().find(|known| known.table == set.table) {
        Some(known) if set.reused && known.fingerprint == set.fingerprint => {}
        Some(known) => *known = set,
        None => known.push(set),
    }
}

/// The sweep of one test. A test that fails is no reason to stop; an engine that is gone is.
fn run_group(
    bench: &Bench<'_>,
    record: &mut Record,
    path: &Path,
    item: Item<'_>,
    group: &[PlannedRun],
    storage: &mut ProbeGround,
) -> Result<()> {
    let stage = bench.stage();
    let on_stage = match item {
        Item::Test(test) => stage.as_ref().map(|stage| (test, stage)),
        Item::Probe(_) => None,
    };
    let set_up = on_stage.map_or(Ok(()), |(test, stage)| workload::set_up(test, stage).map_err(Error::from));
    let mut one = |planned: &PlannedRun, record: &mut Record| {
        let run = match &set_up {
            Ok(()) => measure_one(bench, planned, item, storage)?,
            Err(error) => not_begun(bench, planned, item, error),
        };
        bench.listener.hear(&Event::Ended(&run));
        remember_flush(bench, &run);
        let failed = run.outcome != Outcome::Done;
        record.runs.push(run);
        store::write(path, record)?;
        if failed { still_there(bench) } else { Ok(()) }
    };
    let result = group.iter().try_for_each(|planned| one(planned, record));
    if let Some((test, stage)) = on_stage
        && let Err(error) = workload::tear_down(test, stage)
        && result.is_ok()
    {
        bench.listener.hear(&Event::Note(&format!("what test {} created could not be removed: {error}", test.code)));
    }
    result
}

/// Notes how long a commit of the probe takes with one job: commits of the engine are held against it.
fn remember_flush(bench: &Bench<'_>, run: &Run) {
    let on_it = bench.subject.is_some_and(|subject| subject.on_probed_device);
    if run.test == probe::COMMIT && run.dop.jobs == 1 && on_it && !model::is_void(run) {
        bench.sources.flush_probe_ns.store(run.service.p50_ns.0, Ordering::Relaxed);
    }
}

/// Whether the engine answers; the sampler goes on with the new session, because its own may be what was lost.
fn still_there(bench: &Bench<'_>) -> Result<()> {
    let Some(subject) = bench.subject else { return Ok(()) };
    match subject.node.connect() {
        Ok(session) => {
            if let Some(engine) = &bench.sources.engine {
                engine.lock().unwrap_or_else(PoisonError::into_inner).session = session;
            }
            Ok(())
        }
        Err(error) => Err(Error::environment(format!("the engine is gone: {}", error.message))
            .hint("what was measured is in the record; go on with --resume")),
    }
}
