//! Sessions of several jobs on one thread.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::fixture::{Fixture, insert, row};
use engine::{Session, Value};

/// How long one session keeps another one waiting.
const WAIT: Duration = Duration::from_millis(400);

/// A call that takes longer has waited for the server, and the other jobs have had turns meanwhile.
const WAITED_MIN: Duration = Duration::from_millis(250);

/// Turns of the third job in such a call, which has one every 10 ms; far fewer than there are, for busy machines.
const TURNS_MIN: u32 = 5;

/// After this time a statement that waits for a session of the same thread would wait for ever.
const STUCK: Duration = Duration::from_secs(10);

const UPDATE: &str = "update kit_shared set whole = whole + 1 where id = {1}";

/// A session that waits, for a lock, an answer or the moment at which its counters may be published, lets the other jobs
/// of its thread go on, by io_uring and by `epoll`. An engine whose sessions block says that they share no threads.
pub fn sessions_on_one_thread_let_each_other_go_on(fixture: &Fixture) {
    if !fixture.engine.about().shares_threads {
        return;
    }
    for with_ring in [true, false] {
        let mut holder = fixture.session();
        let mut waiter = fixture.session();
        fixture.filled(&mut *holder, "kit_shared", 2);
        let canceller = waiter.canceller().expect("a session gives a canceller");
        let (ended, end) = mpsc::channel::<()>();
        let watch = std::thread::spawn(move || {
            if end.recv_timeout(STUCK) == Err(mpsc::RecvTimeoutError::Timeout) {
                let _ = canceller.cancel();
            }
        });
        let turns = Turns::default();
        let jobs: Vec<Box<dyn FnOnce() + '_>> = vec![
            Box::new(|| turns.until_ended(|| hold(fixture, &mut *holder, &turns))),
            Box::new(|| turns.until_ended(|| wait(fixture, &mut *waiter, &turns))),
            Box::new(|| turns.take()),
        ];
        multiplex::run(jobs, with_ring).expect("the kernel gives a ring, or an epoll instance");
        drop(ended);
        watch.join().expect("no panic");
        let sum = fixture.query(&mut *holder, "select whole from kit_shared where id = 1", &[]);
        assert_eq!(sum, [[Value::Int(3)]], "both updates");
    }
}

/// The turns of the third job.
#[derive(Default)]
struct Turns {
    count: Cell<u32>,
    jobs_ended: Cell<u32>,
}

impl Turns {
    fn take(&self) {
        while self.jobs_ended.get() < 2 {
            multiplex::sleep(Duration::from_millis(10));
            self.count.set(self.count.get() + 1);
        }
    }

    /// Calls `job`, and counts its end also where it panics.
    fn until_ended(&self, job: impl FnOnce()) {
        let outcome = catch_unwind(AssertUnwindSafe(job));
        self.jobs_ended.set(self.jobs_ended.get() + 1);
        outcome.unwrap_or_else(|panic| resume_unwind(panic));
    }

    /// Calls `body`, and checks that this job had turns if it took long.
    fn during<T>(&self, what: &str, body: impl FnOnce() -> engine::Result<T>) -> T {
        let (begun, before) = (Instant::now(), self.count.get());
        let result = body().unwrap_or_else(|error| panic!("{what}: {error:?}"));
        let (took, turns) = (begun.elapsed(), self.count.get() - before);
        assert!(
            took < WAITED_MIN || turns >= TURNS_MIN,
            "{what} took {took:?}, in which another job had {turns} turns"
        );
        result
    }
}

/// Holds the lock of row 1 for a while.
fn hold(fixture: &Fixture, session: &mut dyn Session, turns: &Turns) {
    let update = fixture.prepare(session, UPDATE);
    turns.during("begin", || session.begin());
    turns.during("an update", || session.execute(update, &[Value::Int(1)]));
    multiplex::sleep(WAIT);
    turns.during("a commit", || session.commit());
    publish(session, turns);
}

/// Waits for that lock.
fn wait(fixture: &Fixture, session: &mut dyn Session, turns: &Turns) {
    let update = fixture.prepare(session, UPDATE);
    let insert = fixture.prepare(session, &insert("kit_shared"));
    // By then the other one holds it.
    multiplex::sleep(WAIT / 4);
    turns.during("an update that waits for a lock", || session.execute(update, &[Value::Int(1)]));
    turns.during("an insert", || session.execute(insert, &row(3)));
    publish(session, turns);
}

/// The second time at once after a statement: what may be published at intervals only waits.
fn publish(session: &mut dyn Session, turns: &Turns) {
    for _ in 0..2 {
        turns.during("publishing counters", || session.publish_counters());
    }
}
