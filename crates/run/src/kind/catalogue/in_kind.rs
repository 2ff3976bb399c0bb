//! A load in kind, fitted to the engine: what a step takes of blocks and log is counted before its run, so that its steps ask for
//! as many of them as the load does.

use engine::Node;
use measure::{Broken, Work};
use record::load_profile::LoadQuantity;
use record::{JobShare, LoadInKind, RoleInKind, Run, name};
use workload::{IN_KIND_CODE, Test, TestContext};

use super::test_in_kind;
use crate::bench::Bench;
use crate::{Error, Result, pacing};

/// Steps that are counted: enough that what the engine does by itself meanwhile is a small part.
const STEPS: u64 = 64;
/// The share of the blocks that is asked of the cache where the other roles read all of them already.
const LEAST: f64 = 0.01;
/// Times that the rows of a commit are fitted: the log is not exactly as much longer as the rows are.
const FITS: usize = 2;

/// The test of the load of `bench`, fitted to the engine, if `run` is one of it and its steps can be counted here: an agent of a
/// fleet is told the steps.
///
/// # Errors
/// Errors of the engine, and where a step fails.
pub(super) fn fitted(bench: &Bench<'_>, run: &Run) -> Result<Option<(LoadInKind, Test)>> {
    let Some(load) = bench.plan.in_kind.as_ref().filter(|_| run.test == IN_KIND_CODE) else { return Ok(None) };
    if bench.hands.release().is_some() {
        return Ok(None);
    }
    let (context, subject) = bench.engine()?;
    let context = TestContext { node: subject.nodes.first(), others: &[], ..context };
    let counted = Counted { bench, run, context: &context };
    let mut load = load.clone();
    if let Some(log_bytes) = load.asked(LoadQuantity::LogBytesPerSecond) {
        let commits = load.roles.iter_mut().filter(|role| role.quantity == LoadQuantity::CommitsPerSecond);
        commits.into_iter().try_for_each(|role| counted.fit_log(role, log_bytes / role.steps_per_second))?;
    }
    if let Some(blocks) = load.asked(LoadQuantity::LogicalReadsPerSecond) {
        counted.fit_reads(&mut load.roles, blocks)?;
    }
    let test = test_in_kind(&load)?;
    Ok(Some((load, test)))
}

/// What counts the steps of one session.
struct Counted<'a, 'b> {
    bench: &'a Bench<'b>,
    run: &'a Run,
    context: &'a TestContext<'b>,
}

impl Counted<'_, '_> {
    /// As many steps of the role that reads the cache as, with those of the others, ask for `blocks` in a second.
    fn fit_reads(&self, roles: &mut [RoleInKind], blocks: f64) -> Result<()> {
        let is_of_cache = |role: &RoleInKind| role.quantity == LoadQuantity::LogicalReadsPerSecond;
        let Some(index) = roles.iter().position(is_of_cache) else { return Ok(()) };
        let mut rest = blocks;
        for role in roles.iter().filter(|role| !is_of_cache(role)) {
            rest -= self.of_step(role, name::LOGICAL_READ_COUNT)?.unwrap_or(0.0) * role.steps_per_second;
        }
        if let Some(of_step) = self.of_step(&roles[index], name::LOGICAL_READ_COUNT)? {
            let role = &mut roles[index];
            role.asked_per_second = rest.max(blocks * LEAST);
            role.steps_per_second = role.asked_per_second / of_step;
        }
        Ok(())
    }

    /// Rows of such a length that a commit of `role` makes `log_bytes` of log, as near as rows can.
    fn fit_log(&self, role: &mut RoleInKind, log_bytes: f64) -> Result<()> {
        for _ in 0..FITS {
            let Some(made) = self.of_step(role, name::REDO_WRITE_BYTES)? else { return Ok(()) };
            role.step = role.step.with_log(log_bytes - made);
        }
        Ok(())
    }

    /// How much of `counter` a step of `role` takes; absent where the engine does not count it.
    fn of_step(&self, role: &RoleInKind, counter: &str) -> Result<Option<f64>> {
        let node: &dyn Node = self.context.node;
        let role = RoleInKind { jobs: 1, ..role.clone() };
        let alone = LoadInKind { sessions: 1, roles: vec![role], ..LoadInKind::default() };
        let test = test_in_kind(&alone)?;
        workload::make_tables(&test, self.context, 1)?;
        let seed = pacing::run_seed(self.bench.plan.seed, self.run);
        let mut jobs = workload::open_jobs(&test, self.context, JobShare::whole(1), 1, seed, None)?;
        let Some(job) = jobs.first_mut() else { return Ok(None) };
        let broken = |broken: Broken| Error::environment(broken.message);
        // The first ones read what is in no cache.
        let mut number = 0;
        let mut step_all = |count: u64| -> Result<()> {
            for _ in 0..count {
                job.step(number).map_err(broken)?;
                number += 1;
            }
            job.finish().map_err(broken)?;
            job.publish_counters()?;
            Ok(())
        };
        let mut session = node.connect()?;
        step_all(STEPS / 4)?;
        let (before, _) = node.counters(session.as_mut())?;
        step_all(STEPS)?;
        let (after, _) = node.counters(session.as_mut())?;
        let grown = before.get(counter).zip(after.get(counter)).map(|(before, after)| after.saturating_sub(*before));
        Ok(grown.filter(|grown| *grown > 0).map(|grown| grown as f64 / STEPS as f64))
    }
}
