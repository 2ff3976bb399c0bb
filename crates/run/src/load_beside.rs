//! Loads beside the jobs of a run: jobs of another test that work while the run is measured.
//!
//! Their jobs are at work from before the warm-up of the measured ones until these have ended. In between they stop once,
//! while the counters are read at the begin of the window: commits can be held against steps only where nothing works at that
//! moment. What they do in the window is counted apart.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use engine::{Canceller, Node};
use measure::{Broken, Done, JobSettings, Observer, Outcome, Work, clock, run_jobs};
use record::{FailureKind, JobShare, LoadBeside, LoadBesideRun, Nanos, Pace, Run, Totals};
use workload::{Job, Test, TestContext};

use crate::bench::{Bench, LoadBesideTest};
use crate::companion::{Companion, Course};
use crate::forwarded::forwarded;
use crate::sampler::SampledNode;
use crate::{Result, pacing};

/// How long a step in flight may last after the measured jobs have ended. It is cancelled then: their window is over, and what the
/// engine is read for is the window.
const GRACE: Duration = Duration::from_secs(1);

/// How long a step may take to end after that.
const CANCELLED_WITHIN: Duration = Duration::from_secs(5);

/// Longer than any run.
const UNTIL_TOLD: Nanos = Nanos(u64::MAX / 4);

/// The jobs of one load beside one run.
pub(crate) struct LoadBesideJobs<'a> {
    test: &'a Test,
    load: &'a LoadBeside,
    works: Mutex<Vec<Box<dyn Work + 'a>>>,
    steps_in_flight: Vec<Arc<StepInFlight>>,
    settings: JobSettings,
    course: Course,
    /// The measured jobs are warm: no further step is begun before their window.
    is_warm: AtomicBool,
    /// No further step is begun.
    is_over: AtomicBool,
    over_at: OnceLock<Nanos>,
    stage: (Mutex<Stage>, Condvar),
}

/// How far the jobs of a load are.
#[derive(Default)]
enum Stage {
    #[default]
    WarmingUp,
    /// They wait for the begin of the window.
    Parked,
    /// With what they did in the window, or before they could not go on.
    Ended(Box<Outcome>),
}

impl<'a> LoadBesideJobs<'a> {
    /// The jobs of `beside` on new tables, for `run` on `nodes`, which are those at `node_indexes`; also what cancels them where the user interrupts
    /// the run.
    ///
    /// # Errors
    /// Errors of the engine.
    pub(crate) fn open(
        bench: &'a Bench<'a>,
        run: &Run,
        beside: &'a LoadBesideTest<'a>,
        nodes: &'a [&'a dyn Node],
        node_indexes: &[usize],
    ) -> Result<(LoadBesideJobs<'a>, Vec<Box<dyn Canceller>>)> {
        let (context, _) = bench.engine()?;
        let LoadBesideTest { test, load } = beside;
        // The first one takes writes; the others may be replicas in a run that only reads.
        let count = if test.changes() && !run.changes { 1 } else { nodes.len() };
        let context = TestContext { node: nodes[0], others: &nodes[1..count], ..context };
        workload::make_tables(test, &context, load.jobs)?;
        let seed = pacing::run_seed(bench.plan.seed, run);
        let jobs = workload::open_jobs(test, &context, JobShare::whole(load.jobs), 1, seed, None)?;
        let interrupting = jobs.iter().flat_map(Job::cancellers).collect();
        let (mut works, mut steps_in_flight): (Vec<Box<dyn Work + 'a>>, Vec<_>) = (Vec::new(), Vec::new());
        for (job, index) in jobs.into_iter().zip(node_indexes[..count].iter().cycle()) {
            let step = Arc::new(StepInFlight::new(job.cancellers()));
            steps_in_flight.push(Arc::clone(&step));
            works.push(Box::new(LoadBesideWork { job, node: &bench.sources.nodes[*index], step }));
        }
        let rate = |steps_per_second| Pace::Poisson { steps_per_second };
        let settings = JobSettings {
            pace: load.rate.map_or(Pace::Unthrottled, rate),
            warm_up_step: false,
            window: UNTIL_TOLD,
            seed,
            // The measured jobs have the arrivals of the numbers before.
            first_job: run.dop.jobs,
            ..JobSettings::default()
        };
        let load = LoadBesideJobs {
            test,
            load,
            works: Mutex::new(works),
            steps_in_flight,
            settings,
            course: Course::default(),
            is_warm: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
            over_at: OnceLock::new(),
            stage: Default::default(),
        };
        Ok((load, interrupting))
    }

    fn drive(
        &self,
        works: &mut [Box<dyn Work + 'a>],
        settings: &JobSettings,
        observer: &dyn Observer,
        until: &AtomicBool,
    ) -> Outcome {
        run_jobs(works, JobShare::whole(self.load.jobs), settings, observer, until)
    }

    fn set_stage(&self, stage: Stage) {
        *locked(&self.stage.0) = stage;
        self.stage.1.notify_all();
    }

    /// Whether its jobs have ended, which is waited for so long at most.
    fn ends_within(&self, timeout: Duration) -> bool {
        let (stage, changed) = &self.stage;
        let is_at_work = |stage: &mut Stage| !matches!(stage, Stage::Ended(_));
        let waited = changed.wait_timeout_while(locked(stage), timeout, is_at_work);
        matches!(*waited.unwrap_or_else(PoisonError::into_inner).0, Stage::Ended(_))
    }

    /// What it did until it was told to end.
    fn result(&self) -> LoadBesideRun {
        let stage = locked(&self.stage.0);
        let outcome = if let Stage::Ended(outcome) = &*stage { Some(outcome) } else { None };
        let (mut totals, mut cancelled) = (Totals::default(), 0);
        let mut window_ns = Nanos(0);
        if let Some(outcome) = outcome {
            totals = outcome.tally.totals();
            let until_told = self.over_at.get().map_or(Nanos(0), |over_at| over_at.since(outcome.begun));
            window_ns = outcome.tally.window().max(until_told);
        }
        for step in &self.steps_in_flight {
            let step = step.state();
            cancelled += step.cancelled;
            totals.transactions = totals.transactions.saturating_add(step.transactions);
        }
        let latency = |of: fn(&measure::Tally) -> measure::Histogram| {
            outcome.map(|outcome| of(&outcome.tally).latency()).unwrap_or_default()
        };
        LoadBesideRun {
            load: self.load.clone(),
            title: self.test.summary.clone(),
            unit: self.test.unit,
            window_ns,
            totals,
            cancelled,
            service: latency(measure::Tally::service),
            response: latency(measure::Tally::response),
        }
    }
}

impl Companion for LoadBesideJobs<'_> {
    fn course(&self) -> &Course {
        &self.course
    }

    fn ready(&self) -> std::result::Result<(), Broken> {
        self.is_warm.store(true, Ordering::Relaxed);
        let (stage, changed) = &self.stage;
        let waited = changed.wait_while(locked(stage), |stage| matches!(stage, Stage::WarmingUp));
        match &*waited.unwrap_or_else(PoisonError::into_inner) {
            Stage::Ended(outcome) => Err(self.broken(outcome.broken.as_ref())),
            Stage::WarmingUp | Stage::Parked => Ok(()),
        }
    }

    fn watch(&self) {
        let mut works = locked(&self.works);
        let warm_up = JobSettings { warm_up: UNTIL_TOLD, window: Nanos(0), ..self.settings };
        let mut outcome = self.drive(&mut works, &warm_up, &Unobserved, &self.is_warm);
        if outcome.broken.is_none() {
            outcome = self.drive(&mut works, &self.settings, &AtGate(self), &self.is_over);
        }
        self.set_stage(Stage::Ended(Box::new(outcome)));
    }

    fn stop(&self) {
        self.over_at.get_or_init(clock::now);
        self.is_warm.store(true, Ordering::Relaxed);
        self.is_over.store(true, Ordering::Relaxed);
        self.course.stop();
    }

    /// Each job has published what it did when it ended.
    fn publish(&self) {}

    fn has_ended(&self) -> bool {
        self.stop();
        self.ends_within(GRACE) || {
            self.steps_in_flight.iter().for_each(|step| step.cancel());
            self.ends_within(CANCELLED_WITHIN)
        }
    }

    fn add_to(self: Box<Self>, run: &mut Run) {
        if let Stage::Ended(outcome) = &*locked(&self.stage.0)
            && outcome.broken.is_some()
        {
            run.outcome = record::Outcome::Failed { message: self.broken(outcome.broken.as_ref()).message };
        }
        run.loads_beside.push(self.result());
    }
}

impl LoadBesideJobs<'_> {
    /// `broken` with the name of the load.
    fn broken(&self, broken: Option<&Broken>) -> Broken {
        let message = broken.map_or("it has ended", |broken| &broken.message);
        Broken { message: format!("the load beside, {}, cannot go on: {message}", self.load.test) }
    }
}

/// The threads of a load are placed by the kernel, and nothing is read at its edges.
struct Unobserved;

impl Observer for Unobserved {}

/// Lets the jobs of a load into the window when the measured ones are released.
struct AtGate<'a, 'b>(&'a LoadBesideJobs<'b>);

impl Observer for AtGate<'_, '_> {
    fn begin(&self) -> std::result::Result<(), Broken> {
        self.0.set_stage(Stage::Parked);
        self.0.course.wait_for_begin();
        Ok(())
    }
}

/// The step that a job is doing, if it is, and what cancels it.
struct StepInFlight {
    state: Mutex<StepState>,
}

struct StepState {
    cancellers: Vec<Box<dyn Canceller>>,
    is_in_flight: bool,
    is_cancelled: bool,
    /// Steps that failed because they were cancelled here, and what they had committed.
    cancelled: u64,
    transactions: u64,
}

impl StepInFlight {
    fn new(cancellers: Vec<Box<dyn Canceller>>) -> StepInFlight {
        let state = StepState { cancellers, is_in_flight: false, is_cancelled: false, cancelled: 0, transactions: 0 };
        StepInFlight { state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, StepState> {
        locked(&self.state)
    }

    /// Cancels it. A session between two steps is left alone: what it does then has to succeed. Therefore it is locked meanwhile.
    fn cancel(&self) {
        let mut state = self.state();
        if state.is_in_flight {
            state.is_cancelled = true;
            // One that cannot be cancelled ends by itself.
            state.cancellers.iter().for_each(|canceller| drop(canceller.cancel()));
        }
    }

    fn begin(&self) {
        self.state().is_in_flight = true;
    }

    /// It has ended by `done`; one that was cancelled here is no step.
    fn end(&self, done: Done) -> Done {
        let mut state = self.state();
        state.is_in_flight = false;
        if !state.is_cancelled || done.failure != Some(FailureKind::Cancelled) {
            return done;
        }
        state.cancelled += 1;
        state.transactions += done.transactions;
        Done::over()
    }
}

/// The work of a job of a load: what it publishes in the counters of its node is not part of the measured steps.
struct LoadBesideWork<'a> {
    job: Job<'a>,
    node: &'a SampledNode<'a>,
    step: Arc<StepInFlight>,
}

// A wrapper forwards all methods: a default implementation would be wrong.
#[deny(clippy::missing_trait_methods)]
impl Work for LoadBesideWork<'_> {
    fn streams(&self) -> Vec<usize> {
        self.job.streams()
    }

    fn step(&mut self, number: u64) -> std::result::Result<Done, Broken> {
        self.step.begin();
        let done = self.job.step(number)?;
        Ok(self.step.end(done))
    }

    fn finish(&mut self) -> std::result::Result<(), Broken> {
        self.job.finish()?;
        let own = self.job.publish_counters().map_err(|error| Broken { message: error.to_string() })?;
        self.node.add_own_commits(own);
        Ok(())
    }

    forwarded!(job);
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;

    struct Counted(Arc<AtomicU32>);

    impl Canceller for Counted {
        fn cancel(&self) -> engine::Result<()> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }
    }

    #[test]
    fn a_step_that_is_cancelled_at_the_end_is_none_and_one_that_ends_before_counts() {
        let asked = Arc::new(AtomicU32::new(0));
        let step = StepInFlight::new(vec![Box::new(Counted(Arc::clone(&asked)))]);
        step.cancel();
        assert_eq!(asked.load(Ordering::Relaxed), 0, "between two steps");
        step.begin();
        let refused = Done { transactions: 2, ..Done::failed(FailureKind::Cancelled) };
        assert_eq!(step.end(refused), refused, "somebody else cancelled it");
        step.begin();
        step.cancel();
        let done = Done { operations: 1, transactions: 1, ..Done::default() };
        assert_eq!(step.end(done), done, "it had ended");
        step.begin();
        step.cancel();
        assert!(step.end(refused).over);
        let state = step.state();
        assert_eq!((asked.load(Ordering::Relaxed), state.cancelled, state.transactions), (2, 1, 2));
    }
}
