//! Errors: invalid statements, failed steps, conflicts.

use std::time::Duration;

use record::FailureKind;

use super::fixture::{Fixture, insert, row};
use engine::{Error, Kind, Result, Session, Value};

/// The error of preparing `sql` or, if the engine checks it later, of running it.
fn refusal(fixture: &Fixture, session: &mut dyn Session, sql: &str) -> Error {
    let prepared = session.prepare(&fixture.sql(sql));
    match prepared.and_then(|statement| session.execute(statement, &[])) {
        Ok(_) => panic!("{sql} was accepted"),
        Err(error) => error,
    }
}

/// Syntax errors and unknown names are `Statement`, prepared or in a batch, and the session remains usable.
pub fn an_invalid_statement_is_not_a_failed_step(fixture: &Fixture) {
    let mut session = fixture.session();
    fixture.filled(&mut *session, "kit_wrong", 2);
    for sql in ["selec 1", "select id from kit_no_such_table", "select no_such_column from kit_wrong"] {
        let error = refusal(fixture, &mut *session, sql);
        assert_eq!(error.kind, Kind::Statement, "{sql}: {error:?}");
        assert!(error.code.is_some(), "{sql}: the engine's own code is missing");
        let error = session.batch(sql).expect_err("a wrong statement in a batch");
        assert_eq!(error.kind, Kind::Statement, "{sql} in a batch: {error:?}");
        assert_eq!(fixture.count(&mut *session, "kit_wrong"), 2, "the session remains usable after {sql}");
    }
}

/// A duplicate key is a failed step; the session remains usable, inside a transaction after its rollback.
pub fn a_violated_constraint_is_a_counted_step(fixture: &Fixture) {
    let mut session = fixture.session();
    fixture.filled(&mut *session, "kit_constraint", 2);
    let insert = fixture.prepare(&mut *session, &insert("kit_constraint"));
    let error = session.execute(insert, &row(1)).expect_err("a duplicate key");
    assert_eq!(error.kind, Kind::Step(FailureKind::Constraint), "{error:?}");
    assert_eq!(session.execute(insert, &row(3)).expect("the statement works again"), 1);
    session.begin().expect("begin");
    session.execute(insert, &row(4)).expect("insert");
    let error = session.execute(insert, &row(2)).expect_err("a duplicate key");
    assert_eq!(error.kind, Kind::Step(FailureKind::Constraint), "{error:?}");
    session.rollback().expect("rollback");
    assert_eq!(fixture.count(&mut *session, "kit_constraint"), 3);
    session.begin().expect("begin after a failed transaction");
    session.execute(insert, &row(4)).expect("insert");
    session.commit().expect("commit");
    assert_eq!(fixture.count(&mut *session, "kit_constraint"), 4);
}

/// Two writing sessions: with concurrent writers, a deadlock fails one of them as a counted step; otherwise the second
/// waits and then continues. Both sessions remain usable.
pub fn conflicting_writers_wait_or_fail_as_counted_steps(fixture: &Fixture) {
    let mut first = fixture.session();
    let mut second = fixture.session();
    fixture.filled(&mut *first, "kit_conflict", 2);
    let done = if fixture.node().caps().concurrent_writers {
        deadlock(fixture, &mut *first, &mut *second)
    } else {
        wait(fixture, &mut *first, &mut *second)
    };
    for session in [&mut first, &mut second] {
        let sum = fixture.query(&mut **session, "select whole from kit_conflict where id = 1", &[]);
        assert_eq!(sum, [[Value::Int(1 + done)]], "exactly the committed updates");
    }
}

fn add_to(fixture: &Fixture, session: &mut dyn Session, id: i64) -> Result<u64> {
    let update = fixture.prepare(session, "update kit_conflict set whole = whole + 1 where id = {1}");
    session.execute(update, &[Value::Int(id)])
}

/// Each session updates the row that the other holds.
fn deadlock(fixture: &Fixture, first: &mut dyn Session, second: &mut dyn Session) -> i64 {
    first.begin().expect("begin");
    second.begin().expect("begin");
    add_to(fixture, first, 1).expect("the first session takes row 1");
    add_to(fixture, second, 2).expect("the second session takes row 2");
    let (one, two) = std::thread::scope(|scope| {
        // The victim must roll back before the other session is waited for.
        let end = |session: &mut dyn Session, outcome: Result<u64>| {
            if outcome.is_ok() {
                session.commit().expect("commit")
            } else {
                session.rollback().expect("rollback")
            }
            outcome
        };
        let other = scope.spawn(move || {
            let outcome = add_to(fixture, second, 1);
            end(second, outcome)
        });
        let outcome = add_to(fixture, first, 2);
        (end(first, outcome), other.join().expect("no panic"))
    });
    for error in [&one, &two].into_iter().filter_map(|outcome| outcome.as_ref().err()) {
        let counted = [FailureKind::Deadlock, FailureKind::LockTimeout, FailureKind::Serialization];
        assert!(error.failure().is_some_and(|kind| counted.contains(&kind)), "{error:?}");
    }
    assert!(one.is_err() || two.is_err(), "the deadlock was not detected");
    i64::from(one.is_ok()) + i64::from(two.is_ok())
}

/// The second session writes while the first one has an open transaction.
fn wait(fixture: &Fixture, first: &mut dyn Session, second: &mut dyn Session) -> i64 {
    first.begin().expect("begin");
    add_to(fixture, first, 1).expect("the first session writes");
    std::thread::scope(|scope| {
        let other = scope.spawn(move || add_to(fixture, second, 1));
        std::thread::sleep(Duration::from_millis(200));
        assert!(!other.is_finished(), "the second writer did not wait");
        first.commit().expect("commit");
        assert_eq!(other.join().expect("no panic").expect("the second writer goes on"), 1);
    });
    2
}
