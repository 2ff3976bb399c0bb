//! The order mixes under faults: what the steps report stays what the tables hold and the engine counts, whether statements are
//! cancelled, sessions lost, or transactions tried again.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use engine::{Session, Value};
use measure::Work;
use record::{Dop, FailureKind, name};
use workload::{Job, broken_condition, catalogue, commits_counted, jobs, set_up, tear_down};

use super::Fixture;

/// The longest that a test waits for its faults.
const PATIENCE: Duration = Duration::from_secs(30);

/// Pause between two faults.
const PERIOD: Duration = Duration::from_millis(7);

/// The most steps of a job, so that the tables stay small.
const STEPS_MAX: u64 = 2_000;

/// What the jobs have seen so far.
#[derive(Default)]
struct Progress {
    steps: AtomicU64,
    cancelled: AtomicU64,
    lost: AtomicU64,
    retries: AtomicU64,
    is_enough: AtomicBool,
}

impl Progress {
    fn seen(count: &AtomicU64) -> u64 {
        count.load(Ordering::Relaxed)
    }
}

/// What one job reports of its steps.
#[derive(Default)]
struct Reported {
    /// Orders and payments that were committed.
    entered: [i64; 2],
    transactions: u64,
    is_lost: bool,
}

/// What all jobs report, the tables hold and the engine counts, and the faults that were seen.
#[derive(Debug, Default)]
pub(super) struct Accounts {
    reported: [i64; 2],
    in_tables: [i64; 2],
    transactions: u64,
    /// None where the engine does not count them.
    commits: Option<u64>,
    cancelled: u64,
    lost: u64,
    retries: u64,
    /// The most commits that the engine may count too few: where it subtracts what was rolled back from what has ended, a
    /// statement that is cancelled before its transaction begins is subtracted as well.
    rolled_back_outside_max: u64,
}

/// Steps of one job until there were enough faults, or its session is lost.
fn worked(job: &mut Job<'_>, progress: &Progress) -> Reported {
    let mut reported = Reported::default();
    for number in 0..STEPS_MAX {
        if progress.is_enough.load(Ordering::Relaxed) {
            break;
        }
        let Ok(done) = job.step(number) else {
            progress.lost.fetch_add(1, Ordering::Relaxed);
            reported.is_lost = true;
            break;
        };
        if let Some(count) = reported.entered.get_mut(done.stream as usize) {
            *count += done.transactions as i64;
        }
        reported.transactions += done.transactions;
        progress.steps.fetch_add(1, Ordering::Relaxed);
        progress.retries.fetch_add(done.retries.into(), Ordering::Relaxed);
        progress.cancelled.fetch_add(u64::from(done.failure == Some(FailureKind::Cancelled)), Ordering::Relaxed);
    }
    reported
}

/// How an engine is asked for a fault: a statement, or one that gives the object of a statement.
#[derive(Clone, Copy)]
pub(super) enum Fault {
    None,
    /// This statement.
    Statement(&'static str),
    /// The statement, ending with what the query returns.
    OfQuery {
        query: &'static str,
        statement: &'static str,
    },
}

impl Fault {
    /// Asks for it once.
    fn cause(self, session: &mut dyn Session) {
        match self {
            Fault::None => {}
            Fault::Statement(statement) => session.batch(statement).expect("a fault"),
            Fault::OfQuery { query, statement } => {
                let prepared = session.prepare(query).expect("a query");
                let rows = session.query(prepared, &[]).expect("a query");
                if let Some(Value::Int(id)) = rows.first().and_then(|row| row.first()) {
                    // It may have ended by itself.
                    let _ = session.batch(&format!("{statement} {id}"));
                }
            }
        }
    }
}

/// Runs `code` by four jobs, with `fault` again and again until `is_enough` says so of the steps, the cancelled steps, the lost jobs and
/// the retries.
pub(super) fn accounts(
    fixture: &Fixture,
    code: &str,
    fault: Fault,
    is_enough: fn(steps: u64, cancelled: u64, lost: u64, retries: u64) -> bool,
) -> Accounts {
    let context = fixture.context();
    let test = catalogue().iter().find(|test| test.code == code).expect(code);
    set_up(test, &context, &crate::LOADING).unwrap_or_else(|error| panic!("{error:?}"));
    let mut jobs = jobs(test, &context, Dop::jobs(4)).unwrap_or_else(|error| panic!("{error:?}"));
    let (mut reader, mut other) = (fixture.session(), fixture.session());
    let before = fixture.orders_and_payments();
    other.publish_counters().expect("counters published");
    for job in &mut jobs {
        job.publish_counters().expect("counters published");
    }
    let (commits_before, reading) = fixture.node().counters(reader.as_mut()).expect("counters");
    let progress = Progress::default();
    let start = Instant::now();
    let mut faults = 0;
    let of_jobs: Vec<Reported> = thread::scope(|scope| {
        let threads: Vec<_> = jobs.iter_mut().map(|job| scope.spawn(|| worked(job, &progress))).collect();
        loop {
            let [steps, cancelled, lost, retries] =
                [&progress.steps, &progress.cancelled, &progress.lost, &progress.retries].map(Progress::seen);
            if is_enough(steps, cancelled, lost, retries) || start.elapsed() > PATIENCE {
                break;
            }
            thread::sleep(PERIOD);
            if lost == 0 {
                fault.cause(other.as_mut());
                faults += 1;
            }
        }
        progress.is_enough.store(true, Ordering::Relaxed);
        threads.into_iter().map(|thread| thread.join().expect("a job")).collect()
    });
    let mut accounts = Accounts {
        cancelled: Progress::seen(&progress.cancelled),
        lost: Progress::seen(&progress.lost),
        retries: Progress::seen(&progress.retries),
        ..Accounts::default()
    };
    let mut publishing = other.publish_counters().expect("counters published");
    for (job, reported) in jobs.iter_mut().zip(&of_jobs) {
        accounts.transactions += reported.transactions;
        (0..2).for_each(|kind| accounts.reported[kind] += reported.entered[kind]);
        if !reported.is_lost {
            publishing += job.publish_counters().expect("counters published");
        }
    }
    if matches!(fault, Fault::OfQuery { .. }) {
        accounts.rolled_back_outside_max = accounts.cancelled;
    }
    drop(jobs);
    let (commits_after, _) = fixture.node().counters(reader.as_mut()).expect("counters");
    let own = reading + publishing + if matches!(fault, Fault::Statement(_)) { faults } else { 0 };
    let counted = (commits_after[name::COMMIT_COUNT] - commits_before[name::COMMIT_COUNT]).saturating_sub(own);
    accounts.commits = Some(counted).filter(|_| commits_counted(test, fixture.node().caps()));
    let after = fixture.orders_and_payments();
    accounts.in_tables = [after[0] - before[0], after[1] - before[1]];
    assert_eq!(broken_condition(test, &context).expect("conditions"), None, "{code}: {accounts:?}");
    tear_down(test, &context).unwrap_or_else(|error| panic!("{error:?}"));
    accounts
}

impl Accounts {
    /// Holds what is reported against the tables and the engine, which may have committed `unknown_max` steps more.
    fn check(&self, unknown_max: u64) {
        let unknown = [0, 1].map(|kind| self.in_tables[kind] - self.reported[kind]);
        let most = unknown_max as i64;
        assert!(unknown.iter().all(|count| *count >= 0) && unknown.iter().sum::<i64>() <= most, "{self:?}");
        assert!(self.reported.iter().all(|count| *count > 0), "{self:?}");
        if let Some(commits) = self.commits {
            let least = self.transactions - self.rolled_back_outside_max;
            assert!((least..=self.transactions + unknown_max).contains(&commits), "{self:?}");
        }
    }
}

/// Steps fail whose statement the engine cancels, and nothing of them stays. With `commits_inside` a step that is cancelled may have
/// been committed before: a statement of it is the commit.
pub(super) fn cancelled_statements_are_failed_steps(fixture: &Fixture, code: &str, fault: Fault, commits_inside: bool) {
    let found = accounts(fixture, code, fault, |steps, cancelled, _, _| steps >= 200 && cancelled >= 5);
    assert!(found.cancelled >= 5 && found.lost == 0, "{found:?}");
    found.check(if commits_inside { found.cancelled } else { 0 });
}

/// The job whose session is lost ends; of its last step alone it is not known whether it was committed.
pub(super) fn a_lost_session_leaves_one_step_unknown_at_most(fixture: &Fixture, code: &str, fault: Fault) {
    let found = accounts(fixture, code, fault, |steps, _, lost, _| steps >= 200 && lost >= 1);
    assert!(found.lost >= 1, "{found:?}");
    found.check(found.lost);
}

/// Tries that fail leave nothing, and the one that succeeds is counted once.
pub(super) fn transactions_that_are_tried_again_count_once(fixture: &Fixture) {
    let found = accounts(fixture, "C100", Fault::None, |_, _, _, retries| retries >= 5);
    assert!(found.retries >= 5 && found.lost == 0, "{found:?}");
    found.check(0);
}
