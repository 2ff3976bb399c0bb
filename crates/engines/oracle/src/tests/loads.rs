//! What bulk loads make and say, as the server would get it.

use engine::{Column, ColumnType, Index, Partitions, Table};
use engine_kit::sample;

use crate::dialect::DIALECT;

/// The table of card transactions of a year, as bulk loads make it, of every kind.
pub(super) fn tables() -> [Table; 4] {
    let kinds = [("card_no", ColumnType::Int), ("purchase_amt", ColumnType::Decimal { precision: 10, scale: 2 })];
    let more = [("purchase_dt", ColumnType::Date), ("merchant_city", ColumnType::Text { size: 30 })];
    let column = |(name, kind): (&str, ColumnType)| Column::new(name, kind);
    let columns: Vec<Column> = kinds.into_iter().chain(more).map(column).collect();
    let partitions = Partitions {
        by_date: "purchase_dt".to_owned(),
        bounds: (1..=2).map(|month| 20_000 + 30 * month).collect(),
        by_hash: "card_no".to_owned(),
        hash_parts: 4,
    };
    let table = |name: &str, is_in_parts: bool, compressed: bool| {
        let index = |(place, column): (usize, &str)| Index {
            name: format!("{name}_i{place}"),
            columns: vec![column.to_owned()],
        };
        Table {
            name: name.to_owned(),
            columns: columns.clone(),
            key: Vec::new(),
            indexes: [(1, "card_no"), (2, "purchase_dt")].map(index).to_vec(),
            compressed,
            partitions: is_in_parts.then(|| partitions.clone()),
            is_updated: false,
        }
    };
    [
        table("cards", false, false),
        table("cards_partitioned", true, false),
        table("cards_compressed", false, true),
        table("cards_part_comp", true, true),
    ]
}

/// What a bulk load says beside what makes its tables: the list of what is loaded, and the checks. The list is written to
/// by array inserts that are no direct path, because each is a transaction with the rows it tells of.
pub(super) fn statements() -> Vec<(&'static str, String)> {
    let mut all = Vec::new();
    let list = "dbdyno_load_progress";
    let int = |name: &str| Column::new(name, ColumnType::Int);
    let text = |name: &str, size| Column::new(name, ColumnType::Text { size });
    let columns = vec![
        text("table_name", 48),
        int("source_file"),
        int("piece"),
        int("rows_loaded"),
        int("rows_rejected"),
        text("note", 1_000),
    ];
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let names = names.join(", ");
    let progress = Table {
        name: list.to_owned(),
        columns: columns.clone(),
        indexes: Vec::new(),
        key: Vec::new(),
        ..sample::table(list)
    };
    all.extend((DIALECT.create)(&progress).into_iter().map(|text| ("what is loaded", text)));
    let said = [
        format!("select 1 from {list} where 1 = 0"),
        format!("delete from {list} where table_name = :1"),
        format!("insert into {list} ({names}) values (:1, :2, :3, :4, :5, :6)"),
        format!("update {list} set note = note where table_name = :1 and source_file = 0 and piece = 0"),
        format!("select {names} from {list} where table_name = :1"),
    ];
    all.extend(said.map(|text| ("what is loaded", text)));
    for table in tables() {
        let name = (DIALECT.quoted)(&table.name);
        let figures = "count(*), sum(\"PURCHASE_AMT\"), min(\"PURCHASE_DT\"), max(\"PURCHASE_DT\")";
        let asked = [format!("select 1 from {name} where 1 = 0"), format!("select {figures} from {name}")];
        all.extend(asked.map(|text| ("check of a load", text)));
    }
    all
}
