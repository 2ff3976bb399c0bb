//! A part of a run that an agent carries out, in a thread of its own beside the one of its messages.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use measure::{Broken, clock};
use record::{Attempt, JobShare, Nanos, Part, PartResult};
use run::{Interrupt, Release};

use crate::error::{Error, Result};

/// How long before the agreed start counters are read, on agents and at the coordinator.
pub(crate) const LEAD: Nanos = Nanos(100_000_000);

/// How long a part without a coordinator goes on: steps may be counted, and then the end is not known.
const ALONE_MAX: Nanos = Nanos(600_000_000_000);

/// How long after its window it goes on, if that takes longer.
const OVERDUE_MAX: Nanos = Nanos(10_000_000_000);

/// How long before the agreed start a thread stops sleeping.
pub(crate) const WAKE_UP: Nanos = Nanos(2_000_000);

/// Waits until `start`: asleep at first, and awake at the end.
pub(crate) fn wait_until(start: Nanos) {
    clock::sleep_until(start - WAKE_UP);
    while clock::now() < start {
        std::hint::spin_loop();
    }
}

/// What carries out the parts of runs on an agent.
pub trait PartWork: Send + Sync {
    /// Carries out `part`; its jobs start when they are released.
    ///
    /// # Errors
    /// Where it cannot be carried out.
    fn carry_out(&self, part: &Part, interrupt: &Interrupt, release: &dyn Release) -> run::Result<PartResult>;
}

/// A part that is under way.
pub(crate) trait Underway: Send {
    /// Whether all jobs are warm.
    fn is_ready(&self) -> bool;

    /// The jobs start at this moment. A second time it has no effect.
    fn release_at(&self, start: Nanos);

    /// Operations of the jobs in the window so far.
    fn operations(&self) -> u64;

    /// Whether it has ended.
    fn has_ended(&self) -> bool;

    /// Its result, and when its jobs really started; waits for its end.
    fn end(self: Box<Self>) -> (run::Result<PartResult>, Nanos);

    /// Has it end without a result, and does not wait for that.
    fn give_up(&self);
}

/// What begins parts.
pub(crate) trait Undertaking: Send {
    /// Begins with `part`.
    ///
    /// # Errors
    /// Where it cannot be begun.
    fn begin(&self, part: Part) -> Result<Box<dyn Underway>>;
}

/// A part that was begun, with what is known of it.
pub(crate) struct Undertaken {
    pub attempt: Attempt,
    /// The record that it is for.
    pub record: String,
    /// Which jobs.
    pub share: JobShare,
    /// How long it takes if nothing ends it before.
    pub window: Nanos,
    /// How long it may go on after its start without a coordinator.
    pub alone_max: Nanos,
    /// The part itself.
    pub on: Box<dyn Underway>,
}

impl Undertaken {
    /// Begins with `part`.
    pub(crate) fn begin(attempt: Attempt, part: Part, on: &dyn Undertaking) -> Result<Undertaken> {
        let (record, share, window) = (part.record.clone(), part.share, part.plan.window_ns);
        let alone_max = ALONE_MAX.max(window + OVERDUE_MAX);
        Ok(Undertaken { attempt, record, share, window, alone_max, on: on.begin(part)? })
    }
}

/// Begins each part in a thread of its own.
pub(crate) struct Threads(pub Arc<dyn PartWork>);

impl Undertaking for Threads {
    fn begin(&self, part: Part) -> Result<Box<dyn Underway>> {
        let (interrupt, gate) = (Arc::<Interrupt>::default(), Arc::<Gate>::default());
        let (on, raised, release) = (Arc::clone(&self.0), Arc::clone(&interrupt), Arc::clone(&gate));
        let body = move || on.carry_out(&part, &raised, &*release);
        let thread = std::thread::Builder::new().name("part".to_owned()).spawn(body);
        let thread = thread.map_err(|error| Error::new(format!("no thread for a run: {error}")))?;
        Ok(Box::new(Work { interrupt, gate, thread }))
    }
}

/// A part in a thread of its own.
struct Work {
    interrupt: Arc<Interrupt>,
    gate: Arc<Gate>,
    thread: JoinHandle<run::Result<PartResult>>,
}

impl Underway for Work {
    fn is_ready(&self) -> bool {
        matches!(*self.gate.lock(), GateState::Ready)
    }

    fn release_at(&self, start: Nanos) {
        self.gate.change(|state| {
            if matches!(state, GateState::Ready) {
                *state = GateState::Released(start);
            }
        });
    }

    fn operations(&self) -> u64 {
        self.gate.operations.load(Ordering::Relaxed)
    }

    fn has_ended(&self) -> bool {
        self.thread.is_finished()
    }

    fn end(self: Box<Self>) -> (run::Result<PartResult>, Nanos) {
        let result = self.thread.join().unwrap_or_else(|_| Err(run::Error::environment("the run panicked")));
        (result, Nanos(self.gate.started_ns.load(Ordering::Relaxed)))
    }

    fn give_up(&self) {
        self.interrupt.raise();
        self.gate.change(|state| *state = GateState::GivenUp);
    }
}

/// What the jobs wait at.
#[derive(Default)]
struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
    operations: AtomicU64,
    started_ns: AtomicU64,
}

#[derive(Clone, Copy, Default)]
enum GateState {
    #[default]
    Warming,
    Ready,
    Released(Nanos),
    GivenUp,
}

impl Gate {
    fn lock(&self) -> MutexGuard<'_, GateState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut GateState)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }
}

impl Release for Gate {
    fn ready(&self) -> std::result::Result<(), Broken> {
        let mut state = self.lock();
        if matches!(*state, GateState::Warming) {
            *state = GateState::Ready;
        }
        let state = self.changed.wait_while(state, |state| matches!(state, GateState::Ready));
        let state = *state.unwrap_or_else(PoisonError::into_inner);
        match state {
            GateState::Released(start) => {
                clock::sleep_until(start - LEAD);
                Ok(())
            }
            _ => Err(Broken { message: "the start was given up".to_owned() }),
        }
    }

    fn wait(&self) {
        if let GateState::Released(start) = *self.lock() {
            wait_until(start);
        }
        self.started_ns.store(clock::now().0, Ordering::Relaxed);
    }

    fn progress(&self, operations: u64) {
        self.operations.store(operations, Ordering::Relaxed);
    }
}
