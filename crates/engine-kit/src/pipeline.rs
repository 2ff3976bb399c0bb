//! Statements that are sent together.

use record::FailureKind;

use super::fixture::{Fixture, insert, row};
use engine::{Kind, Value};

/// Statements in a pipeline count and commit as if each had waited for the one before; where one fails the others run, and the
/// session remains usable. An engine without pipelines refuses them.
pub fn statements_in_a_pipeline_run_in_their_order_and_alone(fixture: &Fixture) {
    let mut session = fixture.session();
    let mut other = fixture.session();
    fixture.filled(&mut *session, "kit_pipeline", 10);
    let insert = fixture.prepare(&mut *session, &insert("kit_pipeline"));
    let select = fixture.prepare(&mut *session, "select id, note from kit_pipeline where id between {1} and {2}");
    if !fixture.engine.about().pipelines {
        assert_eq!(session.queue(insert, &row(11)).expect_err("no pipeline").kind, Kind::Usage);
        return;
    }
    let range = |first: i64, last: i64| [Value::Int(first), Value::Int(last)];
    let round_trips = session.round_trip_count();
    session.queue(select, &range(1, 100)).expect("queue");
    session.queue(insert, &row(11)).expect("queue");
    session.queue(select, &range(1, 100)).expect("queue");
    assert_eq!(fixture.count(&mut *other, "kit_pipeline"), 10, "nothing is sent before");
    assert_eq!(session.execute_queued().expect("a pipeline"), 10 + 1 + 11);
    let more = session.round_trip_count().zip(round_trips).map(|(now, before)| now - before);
    assert!(more.is_none_or(|more| more == 1), "{more:?} round trips");
    assert_eq!(fixture.count(&mut *other, "kit_pipeline"), 11, "each commits by itself");
    for id in [12, 1, 13] {
        session.queue(insert, &row(id)).expect("queue");
    }
    let error = session.execute_queued().expect_err("a duplicate key");
    assert_eq!(error.kind, Kind::Step(FailureKind::Constraint), "{error:?}");
    assert_eq!(fixture.count(&mut *other, "kit_pipeline"), 13, "the others run");
    // A bind too few: nothing stays queued, and the server has not heard of the statement that was queued for the first time.
    let first = fixture.prepare(&mut *session, "select id from kit_pipeline where id between {1} and {2}");
    session.queue(insert, &row(14)).expect("queue");
    session.queue(first, &range(1, 2)).expect("queue");
    session.queue(select, &[Value::Int(1)]).expect_err("a bind is missing");
    session.queue(select, &range(1, 3)).expect("queue");
    session.queue(first, &range(1, 2)).expect("queue");
    assert_eq!(session.execute_queued().expect("a pipeline"), 3 + 2);
    assert_eq!(fixture.count(&mut *session, "kit_pipeline"), 13);
}
