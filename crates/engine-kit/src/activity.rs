//! What sessions are found doing, and what it costs to look.

use std::time::{Duration, Instant};

use record::{WaitClass, name};

use super::fixture::{Fixture, insert, row};
use engine::{Look, Processes, Session, Value};

/// How long a session may take to be where it is expected: a busy machine starts threads late.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Distance of two looks; one engine knows its waits of a moment ago.
const PAUSE: Duration = Duration::from_millis(20);

/// A look of `watcher`; none where the engine does not tell, which only one may that works in this process.
fn look(fixture: &Fixture, watcher: &mut dyn Session) -> Option<Look> {
    let found = fixture.node().active_sessions(watcher).expect("a look");
    let is_embedded = fixture.node().processes() == Processes::InProcess;
    assert!(found.is_some() || is_embedded, "a server says what its sessions do");
    found
}

/// Looks until what is found is `expected`, or timeout ends; the last look.
fn look_until(fixture: &Fixture, watcher: &mut dyn Session, expected: impl Fn(&Look) -> bool) -> Option<Look> {
    let begun = Instant::now();
    loop {
        let found = fixture.node().active_sessions(watcher).ok()??;
        if expected(&found) || begun.elapsed() > TIMEOUT {
            return Some(found);
        }
        std::thread::sleep(PAUSE);
    }
}

/// A session that waits for a row of another one is at work and waits for a lock; the other one, which has a transaction
/// open and nothing to do, is not at work, and neither is the one that looks.
pub fn a_session_that_waits_for_a_lock_is_seen(fixture: &Fixture) {
    let (mut holder, mut waiter, mut watcher) = (fixture.session(), fixture.session(), fixture.session());
    fixture.filled(&mut *holder, "kit_activity", 1);
    if look(fixture, &mut *watcher).is_none() {
        return;
    }
    let nobody = |found: &Look| found.sessions.is_empty();
    let before = look_until(fixture, &mut *watcher, nobody).expect("an engine goes on telling");
    assert!(nobody(&before), "nobody works: {before:?}");
    let update = "update kit_activity set whole = whole + 1 where id = {1}";
    let (held, waiting) = (fixture.prepare(&mut *holder, update), fixture.prepare(&mut *waiter, update));
    holder.begin().expect("begin");
    assert_eq!(holder.execute(held, &[Value::Int(1)]).expect("update"), 1);
    std::thread::scope(|scope| {
        let waits = scope.spawn(move || waiter.execute(waiting, &[Value::Int(1)]));
        // Some servers say for a moment after its answer that the holder is still at work.
        let waits_for_a_lock =
            |found: &Look| found.sessions.len() == 1 && found.sessions[0].class == WaitClass::Application;
        let found = look_until(fixture, &mut *watcher, waits_for_a_lock);
        // Let go before anything is asserted: a thread that waits for ever would hang the test.
        holder.commit().expect("commit");
        assert_eq!(waits.join().expect("no panic").expect("update"), 1);
        let found = found.filter(waits_for_a_lock).expect("a wait for a lock").sessions;
        assert_eq!(found.len(), 1, "one session was at work: {found:?}");
        assert!(!found[0].event.is_empty(), "a wait has a name: {found:?}");
    });
    let after = look_until(fixture, &mut *watcher, nobody).expect("an engine goes on telling");
    assert!(nobody(&after), "nobody works any more: {after:?}");
}

/// 23 looks beside 23 commits: what the engine counts for the looks is what they say.
pub fn twenty_three_looks_are_no_commits_of_ours(fixture: &Fixture) {
    let (mut job, mut watcher, mut reader) = (fixture.session(), fixture.session(), fixture.session());
    fixture.filled(&mut *job, "kit_looks", 0);
    let insert = fixture.prepare(&mut *job, &insert("kit_looks"));
    look(fixture, &mut *watcher);
    job.publish_counters().expect("publish");
    watcher.publish_counters().expect("publish");
    let (before, reading) = fixture.node().counters(&mut *reader).expect("counters");
    let mut own = reading;
    for id in 0..23 {
        job.execute(insert, &row(id)).expect("insert");
        own += look(fixture, &mut *watcher).map_or(0, |found| found.own_commits);
    }
    own += job.publish_counters().expect("publish") + watcher.publish_counters().expect("publish");
    let (after, _) = fixture.node().counters(&mut *reader).expect("counters");
    assert_eq!(after[name::COMMIT_COUNT] - before[name::COMMIT_COUNT] - own, 23, "{own} of them our own");
}
