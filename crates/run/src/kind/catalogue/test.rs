//! One run of the catalogue: a probe, or a test that needs an engine.

use std::fs;
use std::time::Instant;

use engine::Node;
use probe::{Form, Probe};
use record::evidence::Answers;
use record::{CacheFilling, Evidence, Finding, Nanos, PartKind, PlannedRun, Run, Variation, Verdict};
use workload::{Job, ROW_BYTES, Test, TestContext};

use crate::bench::{Bench, Subject};
use crate::data_reads::PageCacheBypass;
use crate::fleet::drive_fleet;
use crate::item::{Item, is_traceable};
use crate::kind::io::ProbeFiles;
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
    run.parameters = test.parameters(bench.plan.preset);
    (run.changes, run.reads_too) = (test.changes(), test.reads_too());
    run.data_bytes = test.data_bytes(bench.sizes);
    if is_traceable(test) {
        run.trace = bench.subject.and_then(|subject| subject.untraced.clone());
    }
    run::measure(bench, planned, run, expected, |run| try_test(bench, run, test))
}

fn try_test(bench: &Bench<'_>, run: &mut Run, test: &Test) -> Result<()> {
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
    if let Some(fleet) = bench.hands.fleet() {
        let scripts = test.scripts().cloned();
        let test_file = test_file(&bench.plan.test_files, &run.test).filter(|_| scripts.is_none());
        let _page_cache_bypass = PageCacheBypass::start(bench, run, nodes.clone());
        let commits = drive_fleet(bench, run, fleet, &node_indexes, &PartKind::Catalogue { test_file, scripts })?;
        run.events.splice(..0, lost_before);
        run.commits_expected = commits.filter(|_| context.node.counts_commits_of_others());
        return Ok(());
    }
    let keys = pacing::run_seed(bench.plan.seed, run);
    let mut jobs = workload::open_jobs(test, &context, share, run.dop.threads, keys, pipeline(run.variation))?;
    // Of scripts no answer is known, and an execution that is not counted would change their tables.
    let is_checked = test.scripts().is_none() && context.node.caps().answers;
    if is_checked && !bench.interrupt.is_raised() {
        let first = jobs[0].cancellers();
        bench.interrupt.during(first, || check_answers(&mut jobs[0], run))?;
    }
    fill_caches(bench, run, test, &context, &mut jobs)?;
    let mut workers = Workers::of_sessions(bench, subject, node_indexes.clone(), jobs);
    workers.tracer = tracer(run, subject.nodes, subject.tracer);
    let _timing = StatementTiming::begin(run, subject.nodes, &node_indexes);
    let _page_cache_bypass = PageCacheBypass::start(bench, run, nodes);
    drive(bench, run, bench.plan.steps.unwrap_or(u64::MAX), workers);
    run.events.splice(..0, lost_before);
    expect_commits(run, test, subject);
    Ok(())
}

/// Fills the caches of the engine before a run whose rows are at random places of tables that should not fit it.
fn fill_caches(
    bench: &Bench<'_>,
    run: &mut Run,
    test: &Test,
    context: &TestContext<'_>,
    jobs: &mut [Job],
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

/// How many commits the engine should have counted.
fn expect_commits(run: &mut Run, test: &Test, subject: &Subject<'_>) {
    if workload::commits_counted(test, subject.nodes.first().caps()) {
        run.commits_expected = Some(run.totals.transactions);
    }
}

/// Checks the answers of a job against the data.
fn check_answers(job: &mut Job, run: &mut Run) -> Result<()> {
    let checked = job.check();
    let (verdict, answers) = match &checked {
        Ok(()) => (Verdict::Pass, Answers::Right),
        Err(broken) => (Verdict::Fail, Answers::Wrong { message: broken.message.clone() }),
    };
    run.findings.push(Finding::new(verdict, Evidence::Answers(answers)));
    checked.map_err(|broken| Error::environment(broken.message))
}
