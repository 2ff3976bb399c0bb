//! SQL dialect of MariaDB and MySQL.

use engine::{ColumnType, Dialect, Partitions, Placeholder, Sparse, Table};
use record::Bytes;

/// The dialect of both.
pub(crate) static DIALECT: Dialect = Dialect {
    placeholder: Placeholder::Question,
    quoted,
    create,
    finish,
    drop: |name| vec![format!("drop table if exists {}", quoted(name))],
    truncate: |name| vec![format!("truncate table {}", quoted(name))],
    // A statement uses one thread. (MySQL can count rows and build indexes with several; dbdyno's sessions use one.)
    threads: |_| Vec::new(),
    // Rows are read in index order; the cost of seeks would cause scans of small tables.
    single_block_reads: &["set optimizer_switch = 'mrr=off'", "set max_seeks_for_key = 1"],
    begin_writing: None,
    table_bytes,
    sparse,
};

/// The longest text that is a `varchar`: a row has 65,535 bytes, and a character up to four.
const VARCHAR_MAX: u32 = 16_000;

/// A quoted identifier.
pub(crate) fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

fn kind(column: ColumnType) -> String {
    match column {
        ColumnType::Int => "bigint".to_owned(),
        ColumnType::Float => "double".to_owned(),
        ColumnType::Decimal { precision, scale } => format!("decimal({precision}, {scale})"),
        ColumnType::Date => "date".to_owned(),
        ColumnType::Timestamp => "datetime(6)".to_owned(),
        ColumnType::Text { size } if size > VARCHAR_MAX => "mediumtext".to_owned(),
        ColumnType::Text { size } => format!("varchar({size})"),
        ColumnType::Json => "json".to_owned(),
    }
}

/// The table is clustered by its primary key: if the key were added later, it would be written twice. Character set and
/// collation are those of the database.
fn create(table: &Table) -> Vec<String> {
    let mut parts = table.definitions(quoted, kind);
    parts.extend(table.key_list(quoted).map(|key| format!("primary key ({key})")));
    let compressed = if table.compressed { " row_format = compressed" } else { "" };
    let partitions = table.partitions.as_ref().map(partitioned).unwrap_or_default();
    let name = quoted(&table.name);
    vec![format!("create table {name} ({}) engine = InnoDB{compressed}{partitions}", parts.join(", "))]
}

/// Ranges of dates, subpartitioned by the server's hash, which supports columns of any type.
fn partitioned(partitions: &Partitions) -> String {
    let ends = partitions.ends();
    let ends = ends.iter().map(|end| format!("('{end}')")).chain(["(maxvalue)".to_owned()]);
    let ranges: Vec<String> =
        ends.zip(1..).map(|(end, range)| format!("partition r{range} values less than {end}")).collect();
    let parts = match partitions.hash_parts {
        0 | 1 => String::new(),
        parts => format!(" subpartition by key ({}) subpartitions {parts}", quoted(&partitions.by_hash)),
    };
    format!(" partition by range columns ({}){parts} ({})", quoted(&partitions.by_date), ranges.join(", "))
}

/// Pages of the table and its indexes, in all partitions: counted, not estimated, when `finish` updates the statistics.
/// (The files are larger by preallocated space.)
fn table_bytes(name: &str) -> Option<String> {
    Some(format!(
        "select data_length, index_length from information_schema.tables \
         where table_schema = database() and table_name = {}",
        literal(name)
    ))
}

/// InnoDB stores at least two rows per page, so that every second one is filler. A row may use half of a page, and at
/// most 16 KB: pages of 64 KiB have four.
fn sparse(block: Bytes) -> Result<Sparse, &'static str> {
    let rows_per_block = if block.0 > 32 << 10 { 4 } else { 2 };
    let row_bytes = (block.0 * 44 / 50 / u64::from(rows_per_block)) as u32;
    Ok(Sparse { rows_per_block, row_bytes, is_keyed: true, create })
}

/// Indexes, and statistics for the optimizer.
fn finish(table: &Table) -> Vec<String> {
    let name = quoted(&table.name);
    let index = |index: &engine::Index| {
        let create = format!("create index {} on {name} ({})", quoted(&index.name), index.column_list(quoted));
        unless_indexed(&table.name, &index.name, &create)
    };
    table.indexes.iter().map(index).chain([format!("analyze table {name}")]).collect()
}

/// `create` if `table` has no index `index`: only MariaDB has `if not exists` for it.
fn unless_indexed(table: &str, index: &str, create: &str) -> String {
    format!(
        "set @dbdyno_index = (select if(count(*) > 0, 'do 0', {}) from information_schema.statistics \
         where table_schema = database() and table_name = {} and index_name = {}); \
         prepare dbdyno_index from @dbdyno_index; execute dbdyno_index; deallocate prepare dbdyno_index",
        literal(create),
        literal(table),
        literal(index)
    )
}

/// A string literal.
pub(crate) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine_kit::sample;

    #[test]
    fn a_table_is_created_with_its_key_and_gets_indexes_after_the_load() {
        let table = sample::table("order");
        let columns = "`id` bigint not null, `price` decimal(12, 2) not null, `weight` double not null, \
                       `bought` date not null, `note` varchar(40) not null, primary key (`id`)";
        assert_eq!(create(&table), [format!("create table `order` ({columns}) engine = InnoDB")]);
        let finish = finish(&table);
        assert!(finish[0].contains("'create index `order_note` on `order` (`note`)'"), "{finish:?}");
        assert_eq!(finish[1..], ["analyze table `order`"]);
        let compressed = Table { compressed: true, ..table };
        assert!(create(&compressed)[0].ends_with("engine = InnoDB row_format = compressed"));
    }

    #[test]
    fn a_partitioned_table_is_one_statement() {
        let table = Table { compressed: true, ..sample::partitioned_table("order") };
        let create = create(&table);
        let options = create[0].split_once(") engine = ").expect("options").1;
        assert_eq!(
            options,
            "InnoDB row_format = compressed partition by range columns (`bought`) \
             subpartition by key (`id`) subpartitions 2 \
             (partition r1 values less than ('2010-02-01'), partition r2 values less than ('2010-03-01'), \
             partition r3 values less than (maxvalue))"
        );
        assert_eq!(create.len(), 1);
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
    fn quotes_in_names_are_escaped() {
        assert_eq!(quoted("a`; drop table b; --"), "`a``; drop table b; --`");
    }
}
