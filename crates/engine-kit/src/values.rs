//! Values of all types.

use super::fixture::{Fixture, insert, returned, table};
use engine::{Kind, Value};

/// Integers, doubles, decimals and text with extreme values are returned exactly.
pub fn values_of_all_types_come_back_exactly(fixture: &Fixture) {
    let integers = [0, 1, -1, i64::MAX, i64::MIN];
    let doubles = [0.0, -1.5, 0.1, f64::MAX, f64::MIN, f64::MIN_POSITIVE];
    let decimals = ["0", "0.01", "-12.5", "100", "9999999999999999.99", "-9999999999999999.99"];
    let texts =
        ["", " ", "it's \"quoted\" \\ and % all", "Zürich, 東京 🚲", "0123456789012345678901234567890123456789"];
    let mut session = fixture.session();
    fixture.make(&mut *session, &table("kit_values"));
    let insert = fixture.prepare(&mut *session, &insert("kit_values"));
    let select = fixture.prepare(&mut *session, "select id, whole, ratio, amount, note from kit_values where id = {1}");
    for id in 0..30_usize {
        let row = [
            Value::Int(id as i64),
            Value::Int(integers[id % integers.len()]),
            Value::Float(doubles[id % doubles.len()]),
            Value::Decimal(decimals[id % decimals.len()].into()),
            Value::Text(texts[id % texts.len()].into()),
        ];
        assert_eq!(session.execute(insert, &row).expect("insert"), 1);
        let expected: Vec<Value<'static>> = row.iter().map(|value| returned(fixture, value)).collect();
        assert_eq!(session.query(select, &row[..1]).expect("select"), [expected]);
        assert_eq!(session.execute(select, &row[..1]).expect("select"), 1, "reading to the last field counts one row");
    }
    let by_text = fixture.prepare(&mut *session, "select count(*) from kit_values where note = {1}");
    for text in texts {
        let found = session.query(by_text, &[Value::Text(text.into())]).expect("select by text");
        assert_eq!(found, [[Value::Int(6)]], "rows with the text {text:?}");
    }
    let by_double = fixture.prepare(&mut *session, "select count(*) from kit_values where ratio = {1}");
    for double in doubles {
        let found = session.query(by_double, &[Value::Float(double)]).expect("select by double");
        assert_eq!(found, [[Value::Int(5)]], "rows with the double {double:e}");
    }
}

/// A session tells the names of the columns of a prepared statement, or says that it does not keep them.
pub fn columns_are_called_as_in_the_statement(fixture: &Fixture) {
    let mut session = fixture.session();
    session.batch("create table kit_columns (id int)").expect("a table");
    let select = session.prepare("select id, id + 1 as next_one from kit_columns").expect("a query");
    session.query(select, &[]).expect("no rows");
    match session.column_names(select) {
        Ok(names) => assert_eq!(names, ["id", "next_one"]),
        Err(error) => assert_eq!(error.kind, Kind::Usage, "{error}"),
    }
    let insert = session.prepare("insert into kit_columns (id) values (1)").expect("an insert");
    assert!(session.column_names(insert).map_or(true, |names| names.is_empty()));
    session.batch("drop table kit_columns").expect("no table");
}

/// A null is returned as null, and as a bind it equals no value.
pub fn a_null_comes_back_and_equals_nothing(fixture: &Fixture) {
    let mut session = fixture.session();
    fixture.filled(&mut *session, "kit_null", 3);
    let largest = fixture.query(&mut *session, "select max(id), max(note), count(*) from kit_null where id < 0", &[]);
    assert_eq!(largest, [[Value::Null, Value::Null, Value::Int(0)]]);
    let select = fixture.prepare(&mut *session, "select id from kit_null where id = {1}");
    assert_eq!(session.execute(select, &[Value::Null]).expect("a null bind"), 0);
    assert_eq!(session.execute(select, &[Value::Int(2)]).expect("the bind after it"), 1);
}
