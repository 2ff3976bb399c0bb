//! The bulk path.

use record::FailureKind;

use super::fixture::{Fixture, decimal, returned, row, table};
use engine::{Column, Kind, RowSink, RowSource, Value};

/// Rows of the table of the kit with the keys `next..end`.
pub(super) struct Rows {
    columns: Vec<Column>,
    next: i64,
    end: i64,
}

impl Rows {
    pub(super) fn new(first: i64, count: i64) -> Rows {
        Rows { columns: table("any").columns, next: first, end: first + count }
    }
}

impl RowSource for Rows {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn next(&mut self, sink: &mut dyn RowSink) -> bool {
        if self.next == self.end {
            return false;
        }
        let [id, whole, ratio, cents, note] = fields(self.next);
        for value in [id, whole, ratio] {
            match value {
                Value::Int(value) => sink.int(value),
                Value::Float(value) => sink.float(value),
                other => unreachable!("{other:?} is a number"),
            }
        }
        let Value::Int(cents) = cents else { unreachable!("cents are whole") };
        sink.decimal(cents, 2);
        let Value::Text(note) = note else { unreachable!("a note is text") };
        sink.text(&note);
        self.next += 1;
        true
    }
}

/// Row `id` as it is pushed, the amount in cents; the first rows have extreme values.
fn fields(id: i64) -> [Value<'static>; 5] {
    let (whole, ratio, cents, note) = match id {
        1 => (i64::MIN, f64::MAX, 999_999_999_999_999_999, "Zürich, 東京 🚲".to_owned()),
        2 => (i64::MAX, f64::MIN_POSITIVE, -999_999_999_999_999_999, String::new()),
        3 => (0, 0.1, 5, "tab\tnew line\nbackslash\\ N\\N 'quote' \"quote\", semicolon;".chars().take(40).collect()),
        4 => (-1, f64::MIN, -5, " leading and trailing ".to_owned()),
        _ => (id * 1_000_003 % 997, id as f64 / 7.0, id * 7 - 3_000, format!("row {id}")),
    };
    [Value::Int(id), Value::Int(whole), Value::Float(ratio), Value::Int(cents), Value::Text(note.into())]
}

/// Row `id` as it must be returned.
fn expected(fixture: &Fixture, id: i64) -> Vec<Value<'static>> {
    let [id, whole, ratio, cents, note] = fields(id);
    let Value::Int(cents) = cents else { unreachable!("cents are whole") };
    vec![id, whole, ratio, returned(fixture, &Value::Decimal(decimal(cents).into())), note]
}

/// A load stores exactly its rows; a second load adds to the first.
pub fn a_bulk_load_gives_exactly_its_rows(fixture: &Fixture) {
    let mut session = fixture.session();
    let table = table("kit_bulk");
    fixture.create(&mut *session, &table);
    assert_eq!(session.bulk("kit_bulk", &mut Rows::new(1, 4_000)).expect("bulk"), 4_000);
    assert_eq!(session.bulk("kit_bulk", &mut Rows::new(4_001, 1_000)).expect("bulk"), 1_000);
    assert_eq!(session.bulk("kit_bulk", &mut Rows::new(1, 0)).expect("bulk of nothing"), 0);
    fixture.batch(&mut *session, &(fixture.engine.dialect().finish)(&table));
    let mut other = fixture.session();
    let rows = fixture.query(&mut *other, "select id, whole, ratio, amount, note from kit_bulk order by id", &[]);
    assert_eq!(rows.len(), 5_000);
    for (row, id) in rows.into_iter().zip(1..) {
        assert_eq!(row, expected(fixture, id));
    }
}

/// A load with a duplicate key, or into a missing table, loads nothing; the session remains usable.
pub fn a_failed_bulk_load_leaves_nothing_and_the_session_usable(fixture: &Fixture) {
    let mut session = fixture.session();
    fixture.filled(&mut *session, "kit_bulk_failure", 3);
    let error = session.bulk("kit_no_such_table", &mut Rows::new(1, 10)).expect_err("no such table");
    assert_eq!(error.kind, Kind::Statement, "{error:?}");
    assert_eq!(fixture.count(&mut *session, "kit_bulk_failure"), 3);
    // The duplicate is last: the rows before it must be removed.
    let error = session.bulk("kit_bulk_failure", &mut Rows::new(-998, 1_000)).expect_err("a duplicate key");
    assert_eq!(error.kind, Kind::Step(FailureKind::Constraint), "{error:?}");
    assert_eq!(fixture.count(&mut *session, "kit_bulk_failure"), 3);
    assert_eq!(session.bulk("kit_bulk_failure", &mut Rows::new(10, 1_000)).expect("a load that succeeds"), 1_000);
    let insert = fixture.prepare(&mut *session, &super::fixture::insert("kit_bulk_failure"));
    session.begin().expect("begin");
    assert_eq!(session.execute(insert, &row(5)).expect("insert"), 1);
    session.commit().expect("commit");
    assert_eq!(fixture.count(&mut *session, "kit_bulk_failure"), 1_004);
}
