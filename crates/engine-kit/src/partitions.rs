//! Partitioned tables, and sizes of tables.

use super::card::{self, Cards};
use super::fixture::Fixture;
use engine::{Index, Kind, Partitions, Session, Table, Value};

/// The days of the kit's cards are 14 600 to 14 699 (2009-12-22 to 2010-03-31).
fn partitioned(name: &str) -> Table {
    let by_date = "bought".to_owned();
    let bounds = vec![14_600, 14_641, 14_669];
    Table {
        partitions: Some(Partitions { by_date, bounds, by_hash: "card".to_owned(), hash_parts: 2 }),
        ..card::table(name)
    }
}

/// A partitioned table stores rows on every side of its bounds, compressed if the engine supports it, and is truncated,
/// dropped and recreated as a whole.
pub fn a_partitioned_table_stores_rows_on_every_side_of_its_bounds(fixture: &Fixture) {
    let caps = fixture.node().caps();
    if !caps.partitions {
        return;
    }
    let dialect = fixture.engine.dialect();
    let mut session = fixture.session();
    for compressed in [false, caps.table_compression] {
        let index = Index { name: "kit_parts_city".to_owned(), columns: vec!["city".to_owned()] };
        let table = Table { compressed, indexes: vec![index], ..partitioned("kit_parts") };
        fixture.create(&mut *session, &table);
        assert_eq!(session.bulk("kit_parts", &mut Cards::new(1..4_001)).expect("a load"), 4_000);
        session.begin().expect("begin");
        assert_eq!(session.append("kit_parts", &mut Cards::new(4_001..5_001)).expect("append"), 1_000);
        session.commit().expect("commit");
        // One before the first bound and one far beyond the last.
        let insert = "insert into kit_parts (card, amount, bought, city) values ({1}, 1, {2}, 'x')";
        let insert = fixture.prepare(&mut *session, insert);
        for (id, date) in [(0, "1999-12-31"), (5_001, "2031-01-01")] {
            let binds = [Value::Int(id), Value::Text(date.into())];
            assert_eq!(session.execute(insert, &binds).expect("insert"), 1, "{date}");
        }
        fixture.batch(&mut *session, &(dialect.finish)(&table));
        let rows = "select card, amount, bought, city from kit_parts where card between 1 and 5000 order by card";
        assert_eq!(fixture.query(&mut *session, rows, &[]), card::rows(fixture, 1..5_001));
        for (from, to, expected) in
            [(-10_000, 14_600, 1), (14_600, 14_641, 41 * 50), (14_641, 14_669, 28 * 50), (14_669, 40_000, 31 * 50 + 1)]
        {
            let binds = [from, to].map(|days| Value::Text(card::date(days).into()));
            let count = "select count(*) from kit_parts where bought >= {1} and bought < {2}";
            assert_eq!(fixture.query(&mut *session, count, &binds), [[Value::Int(expected)]], "from {from} to {to}");
        }
        fixture.batch(&mut *session, &(dialect.truncate)("kit_parts"));
        assert_eq!(fixture.count(&mut *session, "kit_parts"), 0);
        fixture.batch(&mut *session, &(dialect.drop)("kit_parts"));
        drop(session);
        session = fixture.session();
        let error = session.batch("select card from kit_parts").expect_err("the table is gone");
        assert_eq!(error.kind, Kind::Statement, "{error:?}");
    }
}

/// Bytes of `table` and of its indexes, if the engine reports them.
fn sizes(fixture: &Fixture, session: &mut dyn Session, table: &Table) -> Option<[Option<i64>; 2]> {
    fixture.batch(session, &(fixture.engine.dialect().finish)(table));
    let sql = (fixture.engine.dialect().table_bytes)(&table.name)?;
    let rows = fixture.query(session, &sql, &[]);
    let bytes = |value: &Value<'_>| match value {
        Value::Int(bytes) => Some(*bytes),
        Value::Null => None,
        other => panic!("{other:?} is no size"),
    };
    match rows.as_slice() {
        [row] => match row.as_slice() {
            [table, indexes] => Some([table, indexes].map(bytes)),
            other => panic!("{sql} returned {} columns", other.len()),
        },
        other => panic!("{sql} returned {} rows", other.len()),
    }
}

/// The reported size is plausible for the contents and grows with them and with an index. For a partitioned table it
/// covers all partitions.
pub fn a_table_reports_its_size(fixture: &Fixture) {
    let tables = [card::table("kit_size"), partitioned("kit_size")];
    let able = if fixture.node().caps().partitions { 2 } else { 1 };
    let mut session = fixture.session();
    for table in &tables[..able] {
        fixture.create(&mut *session, table);
        session.bulk("kit_size", &mut Cards::new(1..50_001)).expect("a load");
        let Some([few, without_index]) = sizes(fixture, &mut *session, table) else { return };
        let index = Index { name: "kit_size_card".to_owned(), columns: vec!["card".to_owned()] };
        session.bulk("kit_size", &mut Cards::new(50_001..150_001)).expect("another load");
        let table = Table { indexes: vec![index], ..table.clone() };
        let Some([many, with_index]) = sizes(fixture, &mut *session, &table) else {
            panic!("it reported sizes before")
        };
        // A row has at least 20 bytes plus the overhead of the engine; some engines compress.
        if let (Some(few), Some(many)) = (few, many) {
            assert!((50_000..50_000 * 200).contains(&few), "{few} bytes for 50 000 rows");
            assert!(2 * many > 3 * few && many < 6 * few, "{few} bytes for 50 000 rows, {many} for 150 000");
        }
        if let (Some(without), Some(with)) = (without_index, with_index) {
            assert!(with > without && with > 150_000 * 4 && with < 150_000 * 100, "{without}, then {with} bytes");
        }
        fixture.batch(&mut *session, &(fixture.engine.dialect().drop)("kit_size"));
    }
}
