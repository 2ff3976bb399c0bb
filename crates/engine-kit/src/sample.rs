//! Tables for tests of what a dialect makes of them.

use engine::{Column, ColumnType, Index, Partitions, Table};

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
