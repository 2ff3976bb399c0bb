//! How MariaDB and MySQL say what tests need said.

use engine::{ColumnType, Dialect, Placeholder, Sparse, Table};
use record::Bytes;

/// The words of both.
pub(crate) static DIALECT: Dialect = Dialect {
    placeholder: Placeholder::Question,
    create,
    finish,
    drop: |name| vec![format!("drop table if exists {}", quoted(name))],
    truncate: |name| vec![format!("truncate table {}", quoted(name))],
    // A statement is one thread. (MySQL counts rows and builds indexes with several; a session of ours uses one.)
    threads: |_| Vec::new(),
    // Rows are read in the order of the index; the cost of seeks is what would make a small table be scanned.
    single_block_reads: &["set optimizer_switch = 'mrr=off'", "set max_seeks_for_key = 1"],
    sparse,
};

/// A name as it stands, whatever word it is.
pub(crate) fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// The table itself is the b-tree of its primary key: added later, it would be written twice. Character set and
/// collation are those of the database.
fn create(table: &Table) -> Vec<String> {
    let mut parts: Vec<String> = table
        .columns
        .iter()
        .map(|column| {
            let kind = match column.kind {
                ColumnType::Int => "bigint".to_owned(),
                ColumnType::Float => "double".to_owned(),
                ColumnType::Decimal { precision, scale } => format!("decimal({precision}, {scale})"),
                ColumnType::Text { size } => format!("varchar({size})"),
            };
            format!("{} {kind} not null", quoted(&column.name))
        })
        .collect();
    parts.extend(table.key.iter().map(|key| format!("primary key ({})", quoted(key))));
    let compressed = if table.compressed { " row_format = compressed" } else { "" };
    vec![format!("create table {} ({}) engine = InnoDB{compressed}", quoted(&table.name), parts.join(", "))]
}

/// InnoDB never puts fewer than two rows into a page, so that every second one only fills it. A row may have half of a
/// page, and no more than 16 KB: pages of 64 KiB have four.
fn sparse(block: Bytes) -> Result<Sparse, &'static str> {
    let rows_per_block = if block.0 > 32 << 10 { 4 } else { 2 };
    let row_bytes = (block.0 * 44 / 50 / u64::from(rows_per_block)) as u32;
    Ok(Sparse { rows_per_block, row_bytes, is_keyed: true, create })
}

/// Indexes, and statistics for the optimizer.
fn finish(table: &Table) -> Vec<String> {
    let name = quoted(&table.name);
    let index =
        |index: &engine::Index| format!("create index {} on {name} ({})", quoted(&index.name), quoted(&index.column));
    table.indexes.iter().map(index).chain([format!("analyze table {name}")]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{Column, Index};

    #[test]
    fn a_table_has_its_key_from_the_start_and_its_indexes_after_the_load() {
        let column = |name: &str, kind| Column { name: name.to_owned(), kind };
        let table = Table {
            name: "order".to_owned(),
            columns: vec![
                column("id", ColumnType::Int),
                column("price", ColumnType::Decimal { precision: 12, scale: 2 }),
                column("weight", ColumnType::Float),
                column("note", ColumnType::Text { size: 40 }),
            ],
            key: Some("id".to_owned()),
            indexes: vec![Index { name: "order_note".to_owned(), column: "note".to_owned() }],
            compressed: false,
        };
        let columns = "`id` bigint not null, `price` decimal(12, 2) not null, `weight` double not null, \
                       `note` varchar(40) not null, primary key (`id`)";
        assert_eq!(create(&table), [format!("create table `order` ({columns}) engine = InnoDB")]);
        assert_eq!(finish(&table), ["create index `order_note` on `order` (`note`)", "analyze table `order`"]);
        let compressed = Table { compressed: true, ..table };
        assert!(create(&compressed)[0].ends_with("engine = InnoDB row_format = compressed"));
    }

    #[test]
    fn a_page_has_room_for_its_rows_and_not_for_one_more() {
        for block in [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10] {
            let sparse = sparse(Bytes(block)).expect("it has blocks");
            let (rows, row) = (u64::from(sparse.rows_per_block), u64::from(sparse.row_bytes) + 100);
            assert!(rows * row + 128 < block && (rows + 1) * row > block, "{block}");
            assert!(row < 16_000);
        }
    }

    #[test]
    fn a_mark_in_a_name_stays_in_the_name() {
        assert_eq!(quoted("a`; drop table b; --"), "`a``; drop table b; --`");
    }
}
