//! A load in kind, fitted to the engine: what a step takes of blocks, log and processor time is counted before its run, so that its
//! steps ask for as much of them as the load does.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use engine::Node;
use measure::{Broken, Work};
use record::load_profile::LoadQuantity;
use record::{JobShare, LoadInKind, RoleInKind, Run, StepInKind, name};
use workload::{IN_KIND_CODE, Test, TestContext};

use super::test_in_kind;
use crate::bench::Bench;
use crate::{Error, Result, pacing};

/// Steps that are counted at a time: enough that what the engine does by itself meanwhile is a small part.
const STEPS: u64 = 64;
/// Processor time is counted for so long at least: of less, starting and ending to count are too large a part.
const PROCESSORS_COUNTED: Duration = Duration::from_millis(250);
/// The share of what a load asks that is asked of a role where the other roles take all of it already.
const LEAST: f64 = 0.01;
/// Times that the rows of a commit are fitted: the log is not exactly as much longer as the rows are.
const FITS: usize = 2;
/// Times that rates are fitted to each other: computations ask for blocks, and reads of the cache for processor time.
const RATE_FITS: usize = 32;

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
    let counts = CountedSteps { bench, run, context: &context };
    let mut load = load.clone();
    if let Some(log_bytes) = load.asked(LoadQuantity::LogBytesPerSecond) {
        let commits = load.roles.iter_mut().filter(|role| role.quantity == LoadQuantity::CommitsPerSecond);
        commits.into_iter().try_for_each(|role| counts.fit_log(role, log_bytes / role.steps_per_second))?;
    }
    let asked = [LoadQuantity::LogicalReadsPerSecond, LoadQuantity::DatabaseProcessorSecondsPerSecond]
        .map(|quantity| load.asked(quantity));
    if asked != [None, None] {
        let span = if asked[1].is_some() { PROCESSORS_COUNTED } else { Duration::ZERO };
        let taken = load.roles.iter().map(|role| counts.taken(role, span)).collect::<Result<Vec<Taken>>>()?;
        let is_of_processors = |role: &RoleInKind| matches!(role.step, StepInKind::Compute { .. });
        if load.roles.iter().any(is_of_processors) && taken.iter().all(|taken| taken.processor_seconds.is_none()) {
            bench.note(UNCOUNTED);
        }
        fit_rates(&mut load.roles, &taken, asked);
    }
    let test = test_in_kind(&load)?;
    Ok(Some((load, test)))
}

/// What is said where nothing counts the processor time of the server.
const UNCOUNTED: &str = "The processor time of the server is not counted here: computations are taken to be as long as one is by itself, \
                         and what the other roles take is asked in addition.";

/// What a step of a role takes; absent what is not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Taken {
    log_bytes: Option<f64>,
    blocks: Option<f64>,
    processor_seconds: Option<f64>,
    seconds: f64,
}

/// Rates of the roles that read the cache and that compute, at which all `roles` ask for `blocks` and for `processor_seconds` in a
/// second, where a step of each takes what `taken` says.
fn fit_rates(roles: &mut [RoleInKind], taken: &[Taken], [blocks, processor_seconds]: [Option<f64>; 2]) {
    for _ in 0..RATE_FITS {
        fit_rate(roles, taken, LoadQuantity::LogicalReadsPerSecond, blocks, |taken| taken.blocks);
        let of_processors = LoadQuantity::DatabaseProcessorSecondsPerSecond;
        fit_rate(roles, taken, of_processors, processor_seconds, |taken| taken.processor_seconds);
    }
}

/// The rate of the role that asks for `quantity`, at which it takes what the others leave of `asked`.
fn fit_rate(
    roles: &mut [RoleInKind],
    taken: &[Taken],
    quantity: LoadQuantity,
    asked: Option<f64>,
    amount: impl Fn(&Taken) -> Option<f64>,
) {
    let index = roles.iter().position(|role| role.quantity == quantity);
    let Some((index, asked)) = index.zip(asked) else { return };
    let is_computed = matches!(roles[index].step, StepInKind::Compute { .. });
    // A computation waits for nothing, so that by itself it takes as long as a processor works for it.
    let by_itself = Some(taken[index].seconds).filter(|seconds| is_computed && *seconds > 0.0);
    let Some(of_step) = amount(&taken[index]).or(by_itself) else { return };
    let others = roles.iter().zip(taken).enumerate().filter(|(other, _)| *other != index);
    let of_others: f64 = others.map(|(_, (role, taken))| amount(taken).unwrap_or(0.0) * role.steps_per_second).sum();
    let role = &mut roles[index];
    role.asked_per_second = (asked - of_others).max(asked * LEAST);
    role.steps_per_second = role.asked_per_second / of_step;
}

/// What counts the steps of one session.
struct CountedSteps<'a, 'b> {
    bench: &'a Bench<'b>,
    run: &'a Run,
    context: &'a TestContext<'b>,
}

impl CountedSteps<'_, '_> {
    /// Rows of such a length that a commit of `role` makes `log_bytes` of log, as near as rows can.
    fn fit_log(&self, role: &mut RoleInKind, log_bytes: f64) -> Result<()> {
        for _ in 0..FITS {
            let Some(made) = self.taken(role, Duration::ZERO)?.log_bytes else { return Ok(()) };
            role.step = role.step.with_log(log_bytes - made);
        }
        Ok(())
    }

    /// What a step of `role` takes, counted for `span` at least.
    fn taken(&self, role: &RoleInKind, span: Duration) -> Result<Taken> {
        let node: &dyn Node = self.context.node;
        let role = RoleInKind { jobs: 1, ..role.clone() };
        let alone = LoadInKind { sessions: 1, roles: vec![role], ..LoadInKind::default() };
        let test = test_in_kind(&alone)?;
        workload::make_tables(&test, self.context, 1)?;
        let seed = pacing::run_seed(self.bench.plan.seed, self.run);
        let mut jobs = workload::open_jobs(&test, self.context, JobShare::whole(1), 1, seed, None)?;
        let Some(job) = jobs.first_mut() else { return Ok(Taken::default()) };
        let broken = |broken: Broken| Error::environment(broken.message);
        let mut number = 0;
        let mut step_all = |count: u64, span: Duration| -> Result<u64> {
            let (first, start) = (number, Instant::now());
            while number < first + count || start.elapsed() < span {
                job.step(number).map_err(broken)?;
                number += 1;
            }
            job.finish().map_err(broken)?;
            job.publish_counters()?;
            Ok(number - first)
        };
        let mut session = node.connect()?;
        // The first ones read what is in no cache.
        step_all(STEPS / 4, Duration::ZERO)?;
        let (before, _) = node.counters(session.as_mut())?;
        let (processors, start) = (self.bench.engine_cpu(), Instant::now());
        let steps = step_all(STEPS, span)? as f64;
        let elapsed = start.elapsed();
        let processors =
            self.bench.engine_cpu().zip(processors).map(|(after, before)| after.0.saturating_sub(before.0));
        let (after, _) = node.counters(session.as_mut())?;
        let of_step = |grown: Option<u64>| grown.filter(|grown| *grown > 0).map(|grown| grown as f64 / steps);
        let counted = |counter: &str| of_step(grown(&before, &after, counter));
        Ok(Taken {
            log_bytes: counted(name::REDO_WRITE_BYTES),
            blocks: counted(name::LOGICAL_READ_COUNT),
            processor_seconds: of_step(processors.filter(|_| span > Duration::ZERO)).map(|ns| ns / 1e9),
            seconds: elapsed.as_secs_f64() / steps,
        })
    }
}

/// By how much `counter` is more in `after`.
fn grown(before: &BTreeMap<String, u64>, after: &BTreeMap<String, u64>, counter: &str) -> Option<u64> {
    before.get(counter).zip(after.get(counter)).map(|(before, after)| after.saturating_sub(*before))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn role(step: StepInKind, quantity: LoadQuantity, steps_per_second: f64) -> RoleInKind {
        RoleInKind { step, jobs: 1, steps_per_second, quantity, asked_per_second: 0.0 }
    }

    fn taken(blocks: f64, processor_seconds: Option<f64>) -> Taken {
        Taken { blocks: Some(blocks), processor_seconds, seconds: 0.004, log_bytes: None }
    }

    fn mixture() -> Vec<RoleInKind> {
        vec![
            role(StepInKind::RandomRead, LoadQuantity::PhysicalReadsPerSecond, 100.0),
            role(StepInKind::CachedRead { rows: 1 }, LoadQuantity::LogicalReadsPerSecond, 1.0),
            role(StepInKind::Compute { rows: 100 }, LoadQuantity::DatabaseProcessorSecondsPerSecond, 1.0),
        ]
    }

    #[test]
    fn roles_together_ask_for_the_blocks_and_the_processor_time_of_the_load() {
        let mut roles = mixture();
        let taken = [taken(3.0, Some(0.0001)), taken(4.0, Some(0.0002)), taken(2.0, Some(0.002))];
        fit_rates(&mut roles, &taken, [Some(5_000.0), Some(0.8)]);
        let sum = |amount: fn(&Taken) -> f64| -> f64 {
            roles.iter().zip(&taken).map(|(role, taken)| role.steps_per_second * amount(taken)).sum()
        };
        assert!((sum(|taken| taken.blocks.unwrap()) - 5_000.0).abs() < 1.0, "{roles:?}");
        assert!((sum(|taken| taken.processor_seconds.unwrap()) - 0.8).abs() < 1e-4, "{roles:?}");
        assert_eq!(roles[0].steps_per_second, 100.0);
    }

    #[test]
    fn what_the_others_take_already_is_hardly_asked_again() {
        let mut roles = mixture();
        let taken = [taken(3.0, Some(0.01)), taken(4.0, None), taken(20.0, Some(0.002))];
        fit_rates(&mut roles, &taken, [None, Some(0.8)]);
        assert_eq!((roles[2].asked_per_second, roles[2].steps_per_second), (0.008, 4.0));
    }

    #[test]
    fn a_computation_that_is_not_counted_takes_as_long_as_it_does_by_itself() {
        let mut roles = mixture();
        fit_rates(&mut roles, &[taken(3.0, None), taken(4.0, None), taken(20.0, None)], [None, Some(0.8)]);
        assert_eq!(roles[2].steps_per_second, 200.0);
    }
}
