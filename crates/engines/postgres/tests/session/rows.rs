//! Rows and tables to load.

use dbdyno_engine_postgres::POSTGRES;
use engine::{Column, ColumnType, Dialect, Engine, RowSink, RowSource, Session};

/// Rows made by a function of their number.
pub struct Rows {
    columns: Vec<Column>,
    pub next: i64,
    end: i64,
    row: fn(i64, &mut dyn RowSink),
}

impl Rows {
    pub fn new(kind: ColumnType, end: i64, row: fn(i64, &mut dyn RowSink)) -> Rows {
        let column = |name: &str, kind| Column { name: name.to_owned(), kind };
        Rows { columns: vec![column("id", ColumnType::Int), column("order", kind)], next: 0, end, row }
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
        sink.int(self.next);
        (self.row)(self.next, sink);
        self.next += 1;
        true
    }
}

pub const CENTS: ColumnType = ColumnType::Decimal { precision: 8, scale: 2 };

/// Makes a table that fits [`Rows`].
pub fn make(session: &mut dyn Session, name: &str, kind: ColumnType) {
    let dialect: &Dialect = POSTGRES.dialect();
    let columns = Rows::new(kind, 0, |_, _| {}).columns;
    let table = engine::Table { name: name.to_owned(), columns, key: None, indexes: Vec::new(), compressed: false };
    for sql in (dialect.create)(&table) {
        session.batch(&sql).expect("create");
    }
}
