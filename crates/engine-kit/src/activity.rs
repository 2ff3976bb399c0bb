//! Sampling of active sessions, and the transactions that it costs.

use std::time::{Duration, Instant};

use record::{WaitClass, name};

use super::fixture::{Fixture, insert, row};
use engine::{Processes, Session, SessionSample, Value};

/// Timeout until a session is in the expected state: a busy host starts threads late.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Time between two samples; one engine reports waits with a delay.
const PAUSE: Duration = Duration::from_millis(20);

/// A sample taken by `watcher`; `None` if the engine reports no sessions, which is allowed for embedded engines only.
fn sample(fixture: &Fixture, watcher: &mut dyn Session) -> Option<SessionSample> {
    let found = fixture.node().active_sessions(watcher).expect("a sample");
    let is_embedded = fixture.node().processes() == Processes::InProcess;
    assert!(found.is_some() || is_embedded, "a server reports its active sessions");
    found
}

/// Samples until the result is `expected`, or until the timeout; returns the last sample.
fn sample_until(
    fixture: &Fixture,
    watcher: &mut dyn Session,
    expected: impl Fn(&SessionSample) -> bool,
) -> Option<SessionSample> {
    let start = Instant::now();
    loop {
        let found = fixture.node().active_sessions(watcher).ok()??;
        if expected(&found) || start.elapsed() > TIMEOUT {
            return Some(found);
        }
        std::thread::sleep(PAUSE);
    }
}

/// A session that waits for a row lock is active and waits for a lock; the holder, which is idle in a transaction, is
/// not active, and neither is the sampling session.
pub fn a_session_that_waits_for_a_lock_is_seen(fixture: &Fixture) {
    let (mut holder, mut waiter, mut watcher) = (fixture.session(), fixture.session(), fixture.session());
    fixture.filled(&mut *holder, "kit_activity", 1);
    if sample(fixture, &mut *watcher).is_none() {
        return;
    }
    let none_active = |found: &SessionSample| found.sessions.is_empty();
    let before = sample_until(fixture, &mut *watcher, none_active).expect("a sample");
    assert!(none_active(&before), "no session is active: {before:?}");
    let update = "update kit_activity set whole = whole + 1 where id = {1}";
    let (held, waiting) = (fixture.prepare(&mut *holder, update), fixture.prepare(&mut *waiter, update));
    holder.begin().expect("begin");
    assert_eq!(holder.execute(held, &[Value::Int(1)]).expect("update"), 1);
    std::thread::scope(|scope| {
        let waits = scope.spawn(move || waiter.execute(waiting, &[Value::Int(1)]));
        // Some servers report the holder as active for a moment after its statement.
        let waits_for_a_lock =
            |found: &SessionSample| found.sessions.len() == 1 && found.sessions[0].class == WaitClass::Application;
        let found = sample_until(fixture, &mut *watcher, waits_for_a_lock);
        // Commit before any assertion: a waiting thread would hang the test.
        holder.commit().expect("commit");
        assert_eq!(waits.join().expect("no panic").expect("update"), 1);
        let found = found.filter(waits_for_a_lock).expect("a wait for a lock").sessions;
        assert_eq!(found.len(), 1, "one session is active: {found:?}");
        assert!(!found[0].event.is_empty(), "a wait has a name: {found:?}");
    });
    let after = sample_until(fixture, &mut *watcher, none_active).expect("a sample");
    assert!(none_active(&after), "no session is active any more: {after:?}");
}

/// 23 samples besides 23 commits: the engine counts exactly the transactions that the samples report.
pub fn commits_of_twenty_three_samples_are_reported(fixture: &Fixture) {
    let (mut job, mut watcher, mut reader) = (fixture.session(), fixture.session(), fixture.session());
    fixture.filled(&mut *job, "kit_samples", 0);
    let insert = fixture.prepare(&mut *job, &insert("kit_samples"));
    sample(fixture, &mut *watcher);
    job.publish_counters().expect("publish");
    watcher.publish_counters().expect("publish");
    let (before, reading) = fixture.node().counters(&mut *reader).expect("counters");
    let mut own = reading;
    for id in 0..23 {
        job.execute(insert, &row(id)).expect("insert");
        own += sample(fixture, &mut *watcher).map_or(0, |found| found.own_commits);
    }
    own += job.publish_counters().expect("publish") + watcher.publish_counters().expect("publish");
    let (after, _) = fixture.node().counters(&mut *reader).expect("counters");
    assert_eq!(after[name::COMMIT_COUNT] - before[name::COMMIT_COUNT] - own, 23, "{own} of them by the samples");
}
