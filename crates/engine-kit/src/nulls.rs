//! Columns that may be null, and timestamps.

use super::fixture::Fixture;
use engine::{Column, ColumnType, Index, Table, Value};

/// A key of two columns, an index of two, and timestamps that the statements set or leave out.
pub fn what_may_be_null_is_null_until_it_is_set(fixture: &Fixture) {
    let done = Column { nullable: true, ..Column::new("done", ColumnType::Timestamp) };
    let columns = vec![
        Column::new("lane", ColumnType::Int),
        Column::new("place", ColumnType::Int),
        Column::new("made", ColumnType::Timestamp),
        done,
    ];
    let table = Table {
        name: "kit_nulls".to_owned(),
        columns,
        key: vec!["lane".to_owned(), "place".to_owned()],
        indexes: vec![Index {
            name: "kit_nulls_lane_done".to_owned(),
            columns: vec!["lane".to_owned(), "done".to_owned()],
        }],
        ..super::card::table("any")
    };
    let mut session = fixture.session();
    fixture.create(&mut *session, &table);
    let insert =
        |place: u32| format!("insert into kit_nulls (lane, place, made) values (1, {place}, current_timestamp)");
    (1..=3).for_each(|place| session.batch(&insert(place)).expect("a row"));
    fixture.batch(&mut *session, &(fixture.engine.dialect().finish)(&table));
    assert!(session.batch(&insert(3)).is_err(), "the key is that of both columns");
    session.batch("update kit_nulls set done = current_timestamp where place = 2").expect("a timestamp");
    let rows = fixture.query(&mut *session, "select made, done from kit_nulls order by place", &[]);
    let is_timestamp =
        |value: &Value<'_>| matches!(value, Value::Text(text) if text.starts_with("20") && text.len() >= 19);
    assert!(rows.iter().all(|row| is_timestamp(&row[0])), "{rows:?}");
    let done: Vec<bool> = rows.iter().map(|row| is_timestamp(&row[1])).collect();
    assert_eq!(done, [false, true, false]);
    assert!(rows[0][1] == Value::Null && rows[2][1] == Value::Null, "{rows:?}");
    let open = fixture.query(&mut *session, "select count(*) from kit_nulls where done is null and lane = 1", &[]);
    assert_eq!(open, [[Value::Int(2)]]);
}
