//! Sessions side by side: who waits, who does not, what is counted of it.

use std::sync::Barrier;
use std::time::{Duration, Instant};

use super::*;

#[test]
fn a_writer_waits_until_the_time_is_up_and_its_wait_is_counted() {
    let fixture = Fixture::new("sqlite?busy_timeout=120ms");
    let mut holder = fixture.session_with_table();
    let mut waiter = fixture.session();
    let update = waiter.prepare("update t set n = n + 1").expect("prepare");
    holder.begin().expect("begin");
    holder.batch("update t set n = n + 1").expect("update");
    let before = fixture.counters();
    for explicit in [false, true] {
        if explicit {
            waiter.begin().expect("begin takes no lock");
        }
        let begun = Instant::now();
        let error = waiter.execute(update, &[]).expect_err("the lock is held");
        assert_eq!(error.kind, Kind::Step(FailureKind::LockTimeout), "{error:?}");
        assert!(begun.elapsed() >= Duration::from_millis(120), "gave up after {:?}", begun.elapsed());
        if explicit {
            waiter.rollback().expect("rollback");
        }
    }
    let rise = rise(&before, &fixture.counters());
    assert_eq!(rise["busy_wait_count"], 2);
    let waited_ms = rise["sqlite_wait_lock_ns"] / 1_000_000;
    assert!((240..10_000).contains(&waited_ms), "{waited_ms} ms");
    holder.commit().expect("commit");
    assert_eq!(waiter.execute(update, &[]).expect("the lock is free"), 1);
}

#[test]
fn a_wait_for_a_lock_can_be_cancelled() {
    let fixture = Fixture::new("sqlite");
    let mut holder = fixture.session_with_table();
    let mut waiter = fixture.session();
    let canceller = waiter.canceller().expect("a canceller");
    holder.batch("begin immediate").expect("lock");
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let begun = Instant::now();
            (waiter.batch("update t set n = 5"), begun.elapsed())
        });
        std::thread::sleep(Duration::from_millis(50));
        canceller.cancel().expect("cancel");
        let (outcome, elapsed) = waiting.join().expect("no panic");
        assert_eq!(outcome.expect_err("cancelled").kind, Kind::Step(FailureKind::Cancelled));
        assert!(elapsed < Duration::from_secs(10), "the wait ended by itself");
    });
    holder.batch("rollback").expect("rollback");
    waiter.batch("update t set n = 5").expect("the session lives on");
}

#[test]
fn transactions_of_reads_run_side_by_side_and_beside_a_writer() {
    let fixture = Fixture::new("sqlite");
    let mut writer = fixture.session_with_table();
    let before = fixture.counters();
    let all_have_read = Barrier::new(4);
    let written = Barrier::new(4);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            let mut reader = fixture.session();
            let (all_have_read, written) = (&all_have_read, &written);
            scope.spawn(move || {
                let select = reader.prepare("select n from t where id = 1").expect("prepare");
                reader.begin().expect("begin");
                assert_eq!(reader.query(select, &[]).expect("select"), [[Value::Int(0)]]);
                all_have_read.wait();
                written.wait();
                assert_eq!(
                    reader.query(select, &[]).expect("select"),
                    [[Value::Int(0)]],
                    "the state that it began with"
                );
                reader.commit().expect("commit");
                assert_eq!(reader.query(select, &[]).expect("select"), [[Value::Int(7)]]);
            });
        }
        all_have_read.wait();
        writer.batch("update t set n = 7").expect("a writer does not wait for readers");
        written.wait();
    });
    assert_eq!(rise(&before, &fixture.counters())["busy_wait_count"], 0);
}

#[test]
fn a_transaction_that_has_read_fails_to_write_once_another_has_written() {
    let fixture = Fixture::new("sqlite");
    let mut other = fixture.session_with_table();
    let mut session = fixture.session();
    // The other one has committed; then, the other one is still at it.
    for (held, code) in [(false, "SQLITE_BUSY_SNAPSHOT"), (true, "SQLITE_BUSY")] {
        session.begin().expect("begin");
        session.batch("select n from t").expect("select");
        other.begin().expect("begin");
        other.batch("update t set n = n + 1").expect("update");
        if !held {
            other.commit().expect("commit");
        }
        let begun = Instant::now();
        let error = session.batch("update t set n = n + 1").expect_err("what was read is old");
        assert_eq!(error.kind, Kind::Step(FailureKind::Serialization), "{error:?}");
        assert_eq!(error.code.as_deref(), Some(code));
        assert!(begun.elapsed() < Duration::from_secs(5), "there was nothing to wait for");
        session.rollback().expect("rollback");
        if held {
            other.commit().expect("commit");
        }
    }
    session.batch("update t set n = n + 1").expect("the session lives on");
}

#[test]
fn writers_that_write_first_queue_up_and_none_fails() {
    let fixture = Fixture::new("sqlite?synchronous=off");
    let mut first = fixture.session_with_table();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let mut session = fixture.session();
            scope.spawn(move || {
                let update = session.prepare("update t set n = n + 1 where id = ?1").expect("prepare");
                for _ in 0..50 {
                    session.begin().expect("begin");
                    for _ in 0..4 {
                        assert_eq!(session.execute(update, &[Value::Int(1)]).expect("update"), 1);
                    }
                    session.commit().expect("commit");
                }
            });
        }
    });
    let select = first.prepare("select n from t").expect("prepare");
    assert_eq!(first.query(select, &[]).expect("select"), [[Value::Int(800)]]);
    assert_eq!(fixture.counters()["commit_count"], 202, "200 of the sessions, the table and its row");
}

#[test]
fn a_cancelled_write_ends_its_transaction_and_says_so_at_the_commit() {
    let fixture = Fixture::new("sqlite");
    let mut session = fixture.session_with_table();
    let canceller = session.canceller().expect("a canceller");
    session.begin().expect("begin");
    session.batch("insert into t (n) values (1)").expect("insert");
    std::thread::scope(|scope| {
        let long = "with recursive n(i) as (select 1 union all select i + 1 from n) insert into t (n) select i from n";
        let working = scope.spawn(|| session.batch(long));
        std::thread::sleep(Duration::from_millis(100));
        canceller.cancel().expect("cancel");
        let error = working.join().expect("no panic").expect_err("cancelled");
        assert_eq!(error.kind, Kind::Step(FailureKind::Cancelled), "{error:?}");
    });
    let error = session.commit().expect_err("nothing is left to commit");
    assert_eq!(error.kind, Kind::Step(FailureKind::Other), "{error:?}");
    session.rollback().expect("nor to roll back");
    let select = session.prepare("select count(*) from t").expect("prepare");
    assert_eq!(session.query(select, &[]).expect("select"), [[Value::Int(1)]]);
}
