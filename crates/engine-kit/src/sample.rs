//! Sample tables for tests of dialects, and rows for tests of encoders.

use engine::{Column, ColumnType, Index, Partitions, RowSink, RowSource, Table};

/// The fields of a row, as they are pushed.
pub type Row = fn(&mut dyn RowSink);

/// Rows that push any fields, whether or not they match the columns.
pub struct RawRows {
    columns: Vec<Column>,
    rows: std::vec::IntoIter<Row>,
}

impl RawRows {
    /// `rows` of columns of these `kinds`.
    pub fn new(kinds: &[ColumnType], rows: Vec<Row>) -> RawRows {
        let columns = (1..).zip(kinds).map(|(number, kind)| Column::new(format!("c{number}"), *kind));
        RawRows { columns: columns.collect(), rows: rows.into_iter() }
    }
}

impl RowSource for RawRows {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn next(&mut self, sink: &mut dyn RowSink) -> bool {
        self.rows.next().map(|push| push(sink)).is_some()
    }
}

/// A table `name` with a key, an index over another column, and a column of each type.
pub fn table(name: &str) -> Table {
    let column = |name: &str, kind| Column::new(name, kind);
    Table {
        name: name.to_owned(),
        columns: vec![
            column("id", ColumnType::Int),
            column("price", ColumnType::Decimal { precision: 12, scale: 2 }),
            column("weight", ColumnType::Float),
            column("bought", ColumnType::Date),
            column("note", ColumnType::Text { size: 40 }),
        ],
        key: vec!["id".to_owned()],
        indexes: vec![Index { name: format!("{name}_note"), columns: vec!["note".to_owned()] }],
        compressed: false,
        partitions: None,
        is_updated: false,
    }
}

/// The same without key and index, partitioned: up to 2010-02-01, up to 2010-03-01 and beyond, with two subpartitions
/// each.
pub fn partitioned_table(name: &str) -> Table {
    let partitions = Partitions {
        by_date: "bought".to_owned(),
        bounds: vec![14_641, 14_669],
        by_hash: "id".to_owned(),
        hash_parts: 2,
    };
    Table { key: Vec::new(), indexes: Vec::new(), partitions: Some(partitions), ..table(name) }
}
