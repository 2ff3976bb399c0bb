//! Tables for tests of what a dialect makes of them, and rows for tests of what an encoder does.

use engine::{Column, ColumnType, Index, Partitions, RowSink, RowSource, Table};

/// The fields of a row, as they are pushed.
pub type Row = fn(&mut dyn RowSink);

/// Rows that push what they say, whether or not their columns have a place for it.
pub struct Pushed {
    columns: Vec<Column>,
    rows: std::vec::IntoIter<Row>,
}

impl Pushed {
    /// `rows` of columns of these `kinds`.
    pub fn new(kinds: &[ColumnType], rows: Vec<Row>) -> Pushed {
        let columns = (1..).zip(kinds).map(|(number, kind)| Column { name: format!("c{number}"), kind: *kind });
        Pushed { columns: columns.collect(), rows: rows.into_iter() }
    }
}

impl RowSource for Pushed {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn next(&mut self, sink: &mut dyn RowSink) -> bool {
        self.rows.next().map(|push| push(sink)).is_some()
    }
}

/// A table `name` with a key, an index over another column, and a column of each type.
pub fn table(name: &str) -> Table {
    let column = |name: &str, kind| Column { name: name.to_owned(), kind };
    Table {
        name: name.to_owned(),
        columns: vec![
            column("id", ColumnType::Int),
            column("price", ColumnType::Decimal { precision: 12, scale: 2 }),
            column("weight", ColumnType::Float),
            column("bought", ColumnType::Date),
            column("note", ColumnType::Text { size: 40 }),
        ],
        key: Some("id".to_owned()),
        indexes: vec![Index { name: format!("{name}_note"), column: "note".to_owned() }],
        compressed: false,
        partitions: None,
    }
}

/// The same without key and index, in parts: up to 2010-02-01, up to 2010-03-01 and beyond, two parts each.
pub fn table_in_parts(name: &str) -> Table {
    let partitions = Partitions {
        by_date: "bought".to_owned(),
        bounds: vec![14_641, 14_669],
        by_hash: "id".to_owned(),
        hash_parts: 2,
    };
    Table { key: None, indexes: Vec::new(), partitions: Some(partitions), ..table(name) }
}
