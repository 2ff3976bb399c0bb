//! One run of the catalogue: a probe, or a test that needs an engine.

use std::fs;
use std::sync::Arc;
use std::time::Instant;

use engine::Node;
use measure::Purpose;
use probe::{Form, Probe};
use record::evidence::Answers;
use record::{CacheFilling, Evidence, Finding, Nanos, PartKind, PlannedRun, Run, Variation, Verdict};
use workload::{Job, LogFormat, ROW_BYTES, ScriptLog, Test, TestContext, in_kind_text};

use super::in_kind;
use crate::bench::{Bench, LoadBesideTest, Subject};
use crate::checkpoints::Checkpoints;
use crate::companion::Companion;
use crate::data_reads::PageCacheBypass;
use crate::fleet::drive_fleet;
use crate::gauge::GaugeReader;
use crate::item::{Item, is_traceable};
use crate::kind::io::ProbeFiles;
use crate::load_beside::LoadBesideJobs;
use crate::loss::lost_before;
use crate::pacing;
use crate::run::{self, Workers, drive};
use crate::steps_probe::measure_probe;
use crate::tracing::{StatementTiming, tracer};
use crate::{Error, Result};

/// Carries out `planned`. A failed run is recorded with what was counted until then.
pub(crate) fn measure_one(
    bench: &Bench<'_>,
    planned: &PlannedRun,
    item: Item<'_>,
    storage: &mut ProbeFiles,
) -> Result<Run> {
    match item {
        Item::Probe(probe @ Probe { form: Form::Io(_), .. }) => storage.measure(bench, planned, probe),
        Item::Probe(probe) => measure_probe(bench, planned, probe),
        Item::Test(test) => measure_test(bench, planned, test),
    }
}

fn measure_test(bench: &Bench<'_>, planned: &PlannedRun, test: &Test) -> Result<Run> {
    let mut run = run::new(bench, planned);
    let expected = bench.plan.warm_up_ns + pacing::window(bench.plan, &planned.kind, planned.variation, run.pace);
    run.title.clone_from(&test.summary);
    (run.layer, run.unit, run.sweep) = (test.layer, test.unit, test.sweep);
    run.ceiling = test.ceiling.clone().filter(|ceiling| bench.is_bounded_by(ceiling));
    (run.cache_fit, run.rows_at_random) = (test.cache_fit(), test.rows_at_random());
    (run.changes, run.reads_too) = (test.changes(), test.reads_too());
    run.data_bytes = test.data_bytes(bench.sizes);
    let limit = test.jobs_max(bench.sizes).filter(|_| bench.hands.release().is_none());
    run.findings.extend(limit.map(|(warehouses, _)| model::warehouses_finding(warehouses, run.dop.jobs)));
    if is_traceable(test) {
        run.trace = bench.subject.and_then(|subject| subject.untraced.clone());
    }
    run::measure(bench, planned, run, expected, |run| try_test(bench, run, test))
}

fn try_test(bench: &Bench<'_>, run: &mut Run, test: &Test) -> Result<()> {
    let fitted = in_kind::fitted(bench, run)?;
    let test = fitted.as_ref().map_or(test, |(_, test)| test);
    run.parameters = test.parameters_at(bench.sizes);
    let (context, subject) = bench.engine()?;
    if bench.hands.release().is_none() {
        pacing::check_capacity(bench, run)?;
        run.settling = bench.settle()?;
    }
    let node_indexes = bench.choose_nodes(subject, run.changes, run.dop.nodes)?;
    let lost_before = lost_before(subject.nodes);
    let nodes: Vec<&dyn Node> = node_indexes.iter().map(|node_index| subject.nodes.at(*node_index)).collect();
    let context = TestContext { node: nodes[0], others: &nodes[1..], ..context };
    let share = bench.hands.share(run.dop.jobs);
    match bench.hands.release() {
        Some(_) => {}
        None if subject.nodes.are_apart() => nodes.iter().try_for_each(|node| {
            workload::make_tables(test, &TestContext { node: *node, others: &[], ..context }, share.all)
        })?,
        None => workload::make_tables(test, &context, share.all)?,
    }
    check_conditions(bench, run, test, &context, true)?;
    if let Some(fleet) = bench.hands.fleet() {
        let scripts = test.scripts().cloned();
        let in_kind = fitted.as_ref().map(|(load, _)| in_kind_text(load));
        let test_file = in_kind.or_else(|| test_file(&bench.plan.test_files, &run.test)).filter(|_| scripts.is_none());
        let _page_cache_bypass = PageCacheBypass::start(bench, run, nodes.clone());
        let companions = companions(bench, run, test, node_indexes[0])?;
        let kind = PartKind::Catalogue { test_file, scripts };
        let commits = drive_fleet(bench, run, fleet, &node_indexes, &kind, companions)?;
        run.events.splice(..0, lost_before);
        run.commits_expected = commits.filter(|_| context.node.counts_commits_of_others());
        return check_conditions(bench, run, test, &context, false);
    }
    let keys = pacing::run_seed(bench.plan.seed, run);
    let mut jobs = workload::open_jobs(test, &context, share, run.dop.threads, keys, pipeline(run.variation))?;
    // Of most scripts no answer is known, and an execution that is not counted would change their tables.
    let is_checked = workload::knows_answers(test, bench.sizes) && context.node.caps().answers;
    if is_checked && !bench.interrupt.is_raised() {
        let first = jobs[0].cancellers();
        bench.interrupt.during(first, || check_answers(&mut jobs[0], run))?;
    }
    fill_caches(bench, run, test, &context, &mut jobs)?;
    if let Some(log) = script_log(bench, run, test)? {
        jobs.iter_mut().for_each(|job| job.log_to(&log, keys.stream(Purpose::Samples, 0)));
    }
    let types = jobs.first().and_then(Job::transaction_types);
    let mut workers = Workers::of_sessions(bench, subject, node_indexes.clone(), jobs);
    workers.tracer = tracer(run, subject.nodes, subject.tracer);
    workers.companions = companions(bench, run, test, node_indexes[0])?;
    for beside in bench.loads_beside {
        let (load, interrupting) = LoadBesideJobs::open(bench, run, beside, &nodes, &node_indexes)?;
        workers.companions.push(Box::new(load));
        workers.cancellers.extend(interrupting);
    }
    let _timing = StatementTiming::begin(run, subject.nodes, &node_indexes);
    let _page_cache_bypass = PageCacheBypass::start(bench, run, nodes.clone());
    let streams = drive(bench, run, bench.plan.steps.unwrap_or(u64::MAX), workers);
    run.transaction_types = types.map(|types| types.of_run(&streams)).unwrap_or_default();
    for of in &mut run.transaction_types {
        of.per_minute = test.per_minute(&of.name).map(str::to_owned);
    }
    run.events.splice(..0, lost_before);
    expect_commits(bench, run, test, subject);
    check_conditions(bench, run, test, &context, false)?;
    check_conditions_beside(bench, run, &context)
}

/// Checks what holds after the run of the tests of the loads beside it. Where it does not, they or the engine are wrong.
fn check_conditions_beside(bench: &Bench<'_>, run: &mut Run, context: &TestContext<'_>) -> Result<()> {
    for LoadBesideTest { test, .. } in bench.loads_beside {
        let broken = if context.node.caps().answers { workload::broken_condition(test, context)? } else { None };
        if let Some(message) = broken {
            let answers = Answers::Wrong { message: format!("load {} beside: {message}", test.code) };
            run.findings.push(Finding::new(Verdict::Fail, Evidence::Answers(answers)));
        }
    }
    Ok(())
}

/// Checks what holds before and after a run of `test`; not by an agent of a fleet, beside which others work. A run after which it
/// does not hold has wrong answers.
fn check_conditions(
    bench: &Bench<'_>,
    run: &mut Run,
    test: &Test,
    context: &TestContext<'_>,
    is_before: bool,
) -> Result<()> {
    if !test.has_conditions() || bench.hands.release().is_some() || !context.node.caps().answers {
        return Ok(());
    }
    let broken = workload::broken_condition(test, context)?;
    match (is_before, broken) {
        (true, Some(message)) => Err(Error::environment(format!("before the run: {message}"))),
        (true, None) => Ok(()),
        (false, broken) => {
            let (verdict, answers) = match broken {
                None => (Verdict::Pass, Answers::Right),
                Some(message) => (Verdict::Fail, Answers::Wrong { message }),
            };
            run.findings.push(Finding::new(verdict, Evidence::Answers(answers)));
            Ok(())
        }
    }
}

/// The log of `run`, where scripts of the user have one: that of the only run has the name that was asked for, those of several
/// have their numbers behind it.
fn script_log(bench: &Bench<'_>, run: &Run, test: &Test) -> Result<Option<Arc<ScriptLog>>> {
    let Some((request, scripts)) = bench.script_log.zip(test.scripts()) else { return Ok(None) };
    let mut path = request.path.clone().into_os_string();
    if bench.plan.runs.len() > 1 {
        path.push(format!(".{}", run.number));
    }
    let format = LogFormat {
        path: path.into(),
        sampled: request.sampled,
        has_lag: run.pace.rate().is_some() || test.has_rates(),
        has_retries: scripts.tries_max.is_some(),
    };
    let log = ScriptLog::create(format.clone()).map_err(|error| {
        Error::environment(format!("script log {} cannot be created: {error}", format.path.display()))
            .hint("name a file that is not there, in a directory that can be written")
    })?;
    Ok(Some(Arc::new(log)))
}

/// What goes on beside the jobs, on the node at `node_index`: the checkpoints and gauges of `test`; those of a fleet are its
/// coordinator's.
fn companions<'a>(
    bench: &'a Bench<'_>,
    run: &Run,
    test: &Test,
    node_index: usize,
) -> Result<Vec<Box<dyn Companion + 'a>>> {
    let mut companions: Vec<Box<dyn Companion + 'a>> = Vec::new();
    if bench.hands.release().is_some() {
        return Ok(companions);
    }
    let (window, _) = run::window_and_drain(bench, run);
    if let Some(wanted) = test.checkpoints {
        companions.push(Box::new(Checkpoints::new(bench, node_index, wanted, window)?));
    }
    let (context, _) = bench.engine()?;
    let set_up = test.user_tables(context.node);
    for gauge in test.gauges(context.engine) {
        companions.push(Box::new(GaugeReader::new(bench, node_index, gauge, &set_up, window)?));
    }
    Ok(companions)
}

/// Fills the caches of the engine before a run whose rows are at random places of tables that should not fit it.
fn fill_caches(
    bench: &Bench<'_>,
    run: &mut Run,
    test: &Test,
    context: &TestContext<'_>,
    jobs: &mut [Job<'_>],
) -> Result<()> {
    let cache = bench.subject.and_then(|subject| subject.inventory.cache_bytes);
    let Some(cache) = cache.filter(|_| run.rows_at_random && context.node.caps().answers) else { return Ok(()) };
    let cancellers = jobs.iter().flat_map(Job::cancellers).collect();
    let (start, share) = (Instant::now(), bench.hands.share(run.dop.jobs));
    let interrupt = bench.interrupt;
    let rows =
        interrupt.during(cancellers, || workload::fill_caches(test, context, jobs, share, cache, interrupt.flag()))?;
    let cache_fill = CacheFilling { rows, bytes: ROW_BYTES.times(rows), read_ns: Nanos::from(start.elapsed()) };
    run.settling.get_or_insert_default().cache_fill = Some(cache_fill);
    Ok(())
}

/// The statements that are sent together in a run of `variation`.
fn pipeline(variation: Option<Variation>) -> Option<u32> {
    match variation {
        Some(Variation::Pipelined { statements }) => Some(statements),
        _ => None,
    }
}

/// The content of the file of test `code`, if it is in one of those at `paths`.
fn test_file(paths: &[String], code: &str) -> Option<String> {
    let texts = paths.iter().filter_map(|path| Some((path, fs::read_to_string(path).ok()?)));
    let mut found = texts.filter(|(path, text)| Test::parse(text, path).is_ok_and(|test| test.code == code));
    found.next().map(|(_, text)| text)
}

/// How many commits the engine should have counted: those of the loads beside `test` too. Where it does not count those of one of
/// them, what it counts says nothing.
fn expect_commits(bench: &Bench<'_>, run: &mut Run, test: &Test, subject: &Subject<'_>) {
    let caps = subject.nodes.first().caps();
    let beside = || bench.loads_beside.iter().map(|beside| beside.test);
    // Of commits that change nothing no flush is due.
    run.reads_too |= beside().any(|test| test.reads_too() || !test.changes());
    if [test].into_iter().chain(beside()).all(|test| workload::commits_counted(test, caps)) {
        let of_loads = run.loads_beside.iter().map(|of| of.totals.transactions);
        run.commits_expected = Some(of_loads.fold(run.totals.transactions, u64::saturating_add));
    }
}

/// Checks the answers of a job against the data.
fn check_answers(job: &mut Job<'_>, run: &mut Run) -> Result<()> {
    let checked = job.check();
    let (verdict, answers) = match &checked {
        Ok(()) => (Verdict::Pass, Answers::Right),
        Err(broken) => (Verdict::Fail, Answers::Wrong { message: broken.message.clone() }),
    };
    run.findings.push(Finding::new(verdict, Evidence::Answers(answers)));
    checked.map_err(|broken| Error::environment(broken.message))
}
