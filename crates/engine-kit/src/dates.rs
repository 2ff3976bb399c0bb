//! Dates.

use super::card::date;
use super::fixture::Fixture;
use engine::{Column, ColumnType, Kind, RowSink, RowSource, Table, Value};

/// Rows of a key and a day.
struct Days {
    columns: Vec<Column>,
    days: Vec<i32>,
    next: usize,
}

impl RowSource for Days {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn next(&mut self, sink: &mut dyn RowSink) -> bool {
        let Some(day) = self.days.get(self.next) else { return false };
        sink.int(self.next as i64);
        sink.date(*day);
        self.next += 1;
        true
    }
}

/// Loaded and bound dates are returned as text, are compared as dates, and are limited to years of four digits.
pub fn dates_come_back_as_they_went_in(fixture: &Fixture) {
    let column = |name: &str, kind| Column::new(name, kind);
    let columns = vec![column("id", ColumnType::Int), column("bought", ColumnType::Date)];
    let table = Table { name: "kit_dates".to_owned(), columns: columns.clone(), ..super::card::table("any") };
    let mut session = fixture.session();
    fixture.create(&mut *session, &table);
    // 0001-01-01, before and after 1970, a leap day, 9999-12-31.
    let days = vec![-719_162, -1, 0, 11_016, 14_641, 2_932_896];
    let load = |days: &[i32]| Days { columns: columns.clone(), days: days.to_vec(), next: 0 };
    assert_eq!(session.bulk("kit_dates", &mut load(&days)).expect("a load"), 6);
    let insert = fixture.prepare(&mut *session, "insert into kit_dates (id, bought) values ({1}, {2})");
    let leap_day = Value::Text("2004-02-29".into());
    assert_eq!(session.execute(insert, &[Value::Int(6), leap_day.clone()]).expect("a bind"), 1);
    fixture.batch(&mut *session, &(fixture.engine.dialect().finish)(&table));
    let mut expected: Vec<Vec<Value<'static>>> =
        days.iter().zip(0..).map(|(day, id)| vec![Value::Int(id), Value::Text(date(*day).into())]).collect();
    expected.push(vec![Value::Int(6), leap_day.clone()]);
    assert_eq!(fixture.query(&mut *session, "select id, bought from kit_dates order by id", &[]), expected);
    let later = fixture.query(&mut *session, "select count(*) from kit_dates where bought >= {1}", &[leap_day]);
    assert_eq!(later, [[Value::Int(3)]]);
    let ends = fixture.query(&mut *session, "select min(bought), max(bought) from kit_dates", &[]);
    assert_eq!(ends, [["0001-01-01", "9999-12-31"].map(|date| Value::Text(date.into()))]);
    for day in [-719_163, 2_932_897, i32::MIN, i32::MAX] {
        let error = session.bulk("kit_dates", &mut load(&[0, day])).expect_err("a day without a date");
        assert_eq!(error.kind, Kind::Statement, "{error:?}");
        assert!(error.message.contains(&day.to_string()), "{error}");
    }
    assert_eq!(fixture.count(&mut *session, "kit_dates"), 7, "a failed load leaves nothing");
}
