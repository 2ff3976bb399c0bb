//! The dialect.

use record::Bytes;

use super::fixture::{Fixture, insert, row, table};
use engine::{Kind, Table, Value};

/// A table is created, filled, finished, truncated and dropped, repeatedly, with and without key and index.
pub fn dialect_makes_fills_empties_and_drops_a_table(fixture: &Fixture) {
    let dialect = fixture.engine.dialect();
    let mut session = fixture.session();
    let bare = Table { key: Vec::new(), indexes: Vec::new(), ..table("kit_dialect") };
    for table in [table("kit_dialect"), bare] {
        fixture.batch(&mut *session, &(dialect.drop)(&table.name));
        fixture.batch(&mut *session, &(dialect.drop)(&table.name));
        fixture.create(&mut *session, &table);
        let insert = fixture.prepare(&mut *session, &insert(&table.name));
        for id in 1..=20 {
            session.execute(insert, &row(id)).expect("insert before finish");
        }
        fixture.batch(&mut *session, &(dialect.finish)(&table));
        let found = fixture.query(&mut *session, "select id from kit_dialect where whole = {1}", &[Value::Int(7)]);
        assert_eq!(found.len(), 2);
        let again = session.execute(insert, &row(1));
        assert_eq!(again.is_err(), !table.key.is_empty(), "a key is unique, a column without one is not: {again:?}");
        fixture.batch(&mut *session, &(dialect.truncate)(&table.name));
        assert_eq!(fixture.count(&mut *session, &table.name), 0);
        session.execute(insert, &row(1)).expect("insert after truncate");
        drop(session);
        session = fixture.session();
        fixture.batch(&mut *session, &(dialect.drop)(&table.name));
        let error = session.batch("select id from kit_dialect").expect_err("the table is gone");
        assert_eq!(error.kind, Kind::Statement, "{error:?}");
    }
    sparse_rows_are_kept(fixture);
}

/// A table with one row per block works like any other.
fn sparse_rows_are_kept(fixture: &Fixture) {
    let dialect = fixture.engine.dialect();
    let Ok(sparse) = (dialect.sparse)(Bytes(8192)) else { return };
    let whole = table("kit_sparse");
    let table = Table { key: if sparse.is_keyed { whole.key.clone() } else { Vec::new() }, ..whole };
    let mut session = fixture.session();
    fixture.batch(&mut *session, &(dialect.drop)(&table.name));
    fixture.batch(&mut *session, &(sparse.create)(&table));
    assert_eq!(fixture.count(&mut *session, &table.name), 0, "it is empty at first");
    let insert = fixture.prepare(&mut *session, &insert(&table.name));
    for id in 1..=20 {
        session.execute(insert, &row(id)).expect("insert into a sparse table");
    }
    fixture.batch(&mut *session, &(dialect.finish)(&table));
    assert_eq!(fixture.count(&mut *session, &table.name), 20);
    fixture.batch(&mut *session, &(dialect.drop)(&table.name));
}

/// Every engine accepts 1 and 2 threads and single-block reads, and results remain correct.
pub fn threads_and_single_block_reads_are_accepted(fixture: &Fixture) {
    let mut session = fixture.session();
    fixture.filled(&mut *session, "kit_threads", 50);
    for threads in [1, 2, 1] {
        fixture.batch(&mut *session, &(fixture.engine.dialect().threads)(threads));
        assert_eq!(fixture.count(&mut *session, "kit_threads"), 50, "with {threads} threads");
    }
    for sql in fixture.engine.dialect().single_block_reads {
        session.batch(sql).unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    }
    let found = fixture.query(&mut *session, "select id from kit_threads where whole = {1}", &[Value::Int(7)]);
    assert_eq!(found.len(), 5);
}
