//! Row counts of statements, and visibility of transactions.

use super::fixture::{Fixture, row};
use engine::Value;

/// `execute` returns the number of rows returned, or changed if none are returned, by this statement only.
pub fn execute_counts_rows_returned_and_changed(fixture: &Fixture) {
    let mut session = fixture.session();
    fixture.filled(&mut *session, "kit_rows", 30);
    let between = |verb: &str| format!("{verb} where id between {{1}} and {{2}}");
    let select = fixture.prepare(&mut *session, &between("select id, note from kit_rows"));
    let update = fixture.prepare(&mut *session, &between("update kit_rows set whole = whole + 1"));
    let delete = fixture.prepare(&mut *session, &between("delete from kit_rows"));
    let range = |first: i64, last: i64| [Value::Int(first), Value::Int(last)];
    assert_eq!(session.execute(update, &range(1, 20)).expect("update"), 20);
    assert_eq!(session.execute(select, &range(1, 7)).expect("select"), 7);
    assert_eq!(session.execute(select, &range(100, 200)).expect("select of nothing"), 0);
    assert_eq!(session.execute(update, &range(100, 200)).expect("update of nothing"), 0, "not the count before it");
    assert_eq!(session.execute(delete, &range(1, 10)).expect("delete"), 10);
    assert_eq!(session.execute(select, &range(1, 30)).expect("select"), 20);
    assert_eq!(session.query(select, &range(11, 13)).expect("query").len(), 3);
    let wholes = fixture.query(
        &mut *session,
        "select id, whole from kit_rows where id between {1} and {2} order by id",
        &range(19, 22),
    );
    let expected = [[19, 10], [20, 1], [21, 1], [22, 2]].map(|row| row.map(Value::Int));
    assert_eq!(wholes, expected, "the update changed what it counted");
}

/// A second session sees a transaction only after its commit, and never after a rollback.
pub fn a_commit_is_seen_and_a_rollback_is_not(fixture: &Fixture) {
    let mut writer = fixture.session();
    let mut reader = fixture.session();
    fixture.filled(&mut *writer, "kit_visible", 2);
    let insert = fixture.prepare(&mut *writer, &super::fixture::insert("kit_visible"));
    writer.begin().expect("begin");
    writer.execute(insert, &row(3)).expect("insert");
    writer.execute(insert, &row(4)).expect("insert");
    assert_eq!(fixture.count(&mut *writer, "kit_visible"), 4, "a transaction sees what it did");
    assert_eq!(fixture.count(&mut *reader, "kit_visible"), 2, "others do not");
    writer.commit().expect("commit");
    assert_eq!(fixture.count(&mut *reader, "kit_visible"), 4, "after the commit they do");
    writer.begin().expect("begin");
    writer.execute(insert, &row(5)).expect("insert");
    writer.rollback().expect("rollback");
    assert_eq!(fixture.count(&mut *writer, "kit_visible"), 4, "what was rolled back is gone");
    assert_eq!(fixture.count(&mut *reader, "kit_visible"), 4);
    writer.execute(insert, &row(5)).expect("insert outside a transaction");
    assert_eq!(fixture.count(&mut *reader, "kit_visible"), 5, "it commits by itself");
}

/// An asynchronous commit is visible immediately.
pub fn a_deferred_commit_is_seen_at_once(fixture: &Fixture) {
    let mut writer = fixture.session();
    let mut reader = fixture.session();
    fixture.filled(&mut *writer, "kit_deferred", 2);
    let insert = fixture.prepare(&mut *writer, &super::fixture::insert("kit_deferred"));
    writer.begin().expect("begin");
    writer.execute(insert, &row(3)).expect("insert");
    let deferred = writer.defer_durability().expect("within a transaction");
    writer.commit().expect("commit");
    assert_eq!(fixture.count(&mut *reader, "kit_deferred"), 3, "deferred: {deferred}");
    writer.begin().expect("begin");
    writer.execute(insert, &row(4)).expect("insert");
    writer.commit().expect("a synchronous commit");
    assert_eq!(fixture.count(&mut *reader, "kit_deferred"), 4);
    assert_eq!(deferred, writer.defer_durability().is_err(), "no transaction is open");
}
