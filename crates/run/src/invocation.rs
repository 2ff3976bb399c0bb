//! One invocation: from the request to the finished record, to which each run is appended.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use engine::{Engine, Target};
use measure::clock;
use record::{Nanos, Plan, Record};
use store::Writer;
use workload::{Sizes, Test};

use crate::beginning::begun;
use crate::directory::MeasuredDirectory;
use crate::execution::{run_all, sources, subject};
use crate::io::Offer;
use crate::measurement::{Bench, Subject};
use crate::opening::{Opened, Plot, Setting, claim, look, open, sizes};
use crate::pacing::search_all;
use crate::plan::{self, Ability, Item, Machine};
use crate::proof::{self, prove_all};
use crate::recorder::Recorder;
use crate::resumption;
use crate::{Error, Event, Interrupt, Listener, Request, Result, Tracing, tracing};

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
    let opened = needed(&items).then(|| open(request, workplace, &Plot::of(&directory))).transpose()?;
    setting.look_where(opened.as_ref());
    let (plan, sizes) = match decide(request, workplace, &directory, &items, opened.as_ref()) {
        Ok(decided) => decided,
        Err(error) => {
            // The first error is the one to tell.
            let _ = opened.map_or(Ok(()), |opened| opened.nodes.close());
            return Err(error);
        }
    };
    let record = begun(&request.record, request.author(), plan, &setting, opened.as_ref());
    let record = Recorder::new(&request.record, record);
    Ok(carry_out(record, request, &items, opened, &setting, &sizes, origin, workplace))
}

/// The plan of `request`, without carrying it out. The engine is opened to ask what it can do, and closed again.
///
/// # Errors
/// As for [`measure()`].
pub fn dry_run(request: &Request, workplace: &Workplace<'_>) -> Result<Plan> {
    let own = test_files(&request.tests.words)?;
    let items = plan::select(request, &own)?;
    let directory = claim(request, workplace)?;
    let opened = needed(&items).then(|| look(request, workplace, &Plot::of(&directory))).transpose()?;
    let decided = decide(request, workplace, &directory, &items, opened.as_ref());
    opened.map_or(Ok(()), |opened| opened.nodes.close())?;
    Ok(decided?.0)
}

fn decide(
    request: &Request,
    workplace: &Workplace<'_>,
    directory: &MeasuredDirectory,
    items: &[Item<'_>],
    opened: Option<&Opened<'_>>,
) -> Result<(Plan, Sizes)> {
    let sizes = sizes(request, opened);
    let ability = opened.map(|opened| Ability {
        engine: opened.engine,
        caps: *opened.nodes.first().caps(),
        nodes: opened.nodes.counts(),
    });
    let target = workplace.target.to_string();
    let machine = Machine {
        processors: host::cpus_allowed().len() as u32,
        storage: Offer::look(&directory.data(), request.preset),
        tracing: tracing::look(request, items, opened.map(|opened| &opened.nodes)).unwrap_or(Tracing::None),
    };
    plan::check_nodes(request, machine.processors, ability.as_ref())?;
    let plan = plan::plan(request, &target, directory.path(), items, ability.as_ref(), &sizes, &machine);
    match plan.until.is_some() && plan.runs.is_empty() {
        true => Err(Error::user("there is no test to search a rate for").hint("give --tests, such as T611")),
        false => Ok((plan, sizes)),
    }
}

/// Carries out what is left of the plan of `record`, which lies at `request.record` and is appended to. Runs that failed are
/// repeated.
///
/// # Errors
/// As for [`measure()`].
pub fn resume(record: (Writer, Record), request: &Request, workplace: &Workplace<'_>) -> Result<Measured> {
    resumption::check(&record.1, request)?;
    let mut record = Recorder::resumed(&request.record, record);
    let own = test_files(&record.plan.test_files)?;
    let prove = proof::forget_untried(&mut record)? || request.prove;
    let request = Request { tests: selection(&record.plan), prove, ..request.clone() };
    let items = plan::select(&request, &own)?;
    let origin = clock::now();
    let directory = claim(&request, workplace)?;
    let mut setting = Setting::find_out(directory.path())?;
    let opened = needed(&items).then(|| open(&request, workplace, &Plot::of(&directory))).transpose()?;
    setting.look_where(opened.as_ref());
    if let Err(error) = resumption::compare(&record, &setting, opened.as_ref(), workplace.target) {
        // The first error is the one to tell.
        let _ = opened.map_or(Ok(()), |opened| opened.nodes.close());
        return Err(error);
    }
    let (small_rows, large_rows) = (record.plan.small_rows, record.plan.large_rows);
    let sizes = Sizes { small_rows, large_rows, ..sizes(&request, None) };
    Ok(carry_out(record, &request, &items, opened, &setting, &sizes, origin, workplace))
}

/// The tests of a plan, as one would ask for them.
fn selection(plan: &Plan) -> crate::Selection {
    let mut words: Vec<String> = plan.test_files.clone();
    let catalogue: Vec<&str> = workload::catalogue()
        .iter()
        .map(|test| test.code.as_str())
        .chain(probe::probes().iter().map(|probe| probe.code))
        .collect();
    let codes: BTreeSet<&str> = plan.runs.iter().map(|run| run.test.as_str()).collect();
    words.extend(codes.into_iter().filter(|code| catalogue.contains(code)).map(str::to_owned));
    crate::Selection { words }
}

/// The tests of the user's own among `words`.
///
/// # Errors
/// For a file that cannot be read or is no test.
pub(crate) fn test_files(words: &[String]) -> Result<Vec<Test>> {
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

/// Whether one of `items` needs an engine.
fn needed(items: &[Item<'_>]) -> bool {
    items.iter().any(|item| matches!(item, Item::Test(_)))
}

/// Loads, runs, writes; closes the engine whatever happens.
#[expect(clippy::too_many_arguments, reason = "the parts of one invocation, each of them used once")]
fn carry_out(
    mut record: Recorder,
    request: &Request,
    items: &[Item<'_>],
    opened: Option<Opened<'_>>,
    setting: &Setting,
    sizes: &Sizes,
    origin: Nanos,
    workplace: &Workplace<'_>,
) -> Measured {
    let path = request.record.as_path();
    let error = record.begin().and_then(|()| {
        let plan = record.plan.clone();
        let subject = opened.as_ref().map(|opened| Subject {
            untraced: tracing::untraced(request, &plan, items, Some(&opened.nodes)),
            rung: request.rung,
            ..subject(opened, Path::new(&plan.directory))
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
            looks: request.looks,
            origin,
            interrupt: workplace.interrupt,
            listener: workplace.listener,
        };
        if let Some(note) = subject.as_ref().and_then(|subject| tracing::note(request, subject.untraced.as_deref()?)) {
            workplace.listener.hear(&Event::Note(&note));
        }
        announce(&bench, &record, path);
        match &plan.until {
            Some(wish) => search_all(&bench, &mut record, items, wish),
            None => run_all(&bench, &mut record, items),
        }?;
        if request.prove { prove_all(&bench, &mut record, items) } else { Ok(()) }
    });
    let error = error.err();
    record.conclude(error.as_ref());
    let closed = opened.map_or(Ok(()), |opened| opened.nodes.close().map_err(Error::from));
    let written = record.end();
    if let (Some(_), Err(second)) = (&error, &closed) {
        workplace.listener.hear(&Event::Note(&format!("what was begun could not be ended: {second}")));
    }
    let error = error.or(written.err()).or(closed.err());
    Measured { record: record.into_record(), path: path.to_owned(), error }
}

fn announce(bench: &Bench<'_>, record: &Record, path: &Path) {
    let plan = bench.plan;
    if plan.io.is_some() && bench.subject.is_some_and(|subject| !subject.on_probed_device) {
        bench.listener.hear(&Event::Note(&format!(
            "the probes of storage measure {}; the data of the engine lie elsewhere, and are not held against them",
            plan.directory
        )));
    }
    if let Some(until) = &plan.until {
        // How many measurements a search takes is known at its end.
        let note = format!("searching the highest rate that keeps {}; record {}", until.level, path.display());
        return bench.listener.hear(&Event::Note(&note));
    }
    let runs = plan.runs.len().saturating_sub(record.runs.len());
    let each = plan.warm_up_ns + plan.window_ns;
    let expected = Nanos(each.0.saturating_mul(runs as u64));
    bench.listener.hear(&Event::Planned { runs, expected, skipped: &plan.skipped, records: &[path] });
}
