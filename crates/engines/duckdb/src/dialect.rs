//! Capabilities and SQL dialect of DuckDB.

use engine::{Caps, ColumnType, Dialect, Placeholder, Table, quoted};

pub(crate) static CAPS: Caps = Caps {
    procedures: false,
    decimal: true,
    // Every table in a file is compressed by column at checkpoints.
    table_compression: true,
    partitions: false,
    // It reads flat files only by path; its API does not accept lines.
    lines: false,
    parallel_query: true,
    parallel_index: true,
    column_names: true,
    limit_clause: true,
    json: true,
    large_values: true,
    concurrent_writers: true,
    counts_read_commits: true,
    counts_procedure_commits: false,
    answers: true,
};

pub(crate) static DIALECT: Dialect = Dialect {
    placeholder: Placeholder::Dollar,
    quoted,
    create,
    finish,
    drop: |name| vec![format!("drop table if exists {}", quoted(name))],
    truncate: |name| vec![format!("delete from {}", quoted(name))],
    threads,
    // A table is read in row groups; index scans read whole vectors.
    single_block_reads: &[],
    begin_writing: None,
    table_bytes,
    sparse: |_| {
        Err("stores tables by column, in groups of about a hundred thousand rows: no row has a block of its own")
    },
};

fn kind(column: ColumnType) -> String {
    match column {
        ColumnType::Int => "bigint".to_owned(),
        ColumnType::Float => "double".to_owned(),
        ColumnType::Decimal { precision, scale } => format!("decimal({precision}, {scale})"),
        ColumnType::Date => "date".to_owned(),
        ColumnType::Timestamp => "timestamp".to_owned(),
        ColumnType::Text { .. } => "varchar".to_owned(),
        ColumnType::Json => "json".to_owned(),
    }
}

/// The key is added later: maintaining its index during the load costs more than building it.
///
/// All tables are compressed.
fn create(table: &Table) -> Vec<String> {
    let columns = table.definitions(quoted, kind);
    vec![format!("create table {} ({})", quoted(&table.name), columns.join(", "))]
}

/// Key and indexes (both adaptive radix trees), and a checkpoint, which compresses the table.
fn finish(table: &Table) -> Vec<String> {
    let mut statements = table.additions();
    statements.push("checkpoint".to_owned());
    statements
}

/// Blocks with segments of the table's columns, each counted once; columns and small tables may share blocks. Sizes of
/// indexes are not reported.
fn table_bytes(name: &str) -> Option<String> {
    let name = quoted(name).replace('\'', "''");
    Some(format!(
        "select (count(distinct block) * (select block_size from pragma_database_size() \
         where database_name = current_database()))::bigint, null \
         from (select unnest(list_append(additional_block_ids, block_id)) as block \
         from pragma_storage_info('{name}') where persistent) where block >= 0"
    ))
}

/// Threads of the node, including the session's own: with one, each session uses its own thread only.
fn threads(count: u32) -> Vec<String> {
    vec![format!("set threads = {}", count.max(1))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine_kit::sample;

    #[test]
    fn a_table_gets_its_key_after_the_load() {
        let table = sample::table("item");
        let columns = "\"id\" bigint not null, \"price\" decimal(12, 2) not null, \"weight\" double not null, \
                       \"bought\" date not null, \"note\" varchar not null";
        assert_eq!(create(&table), [format!("create table \"item\" ({columns})")]);
        let expected = [
            "alter table \"item\" add primary key (\"id\")",
            "create index if not exists \"item_note\" on \"item\" (\"note\")",
            "checkpoint",
        ];
        assert_eq!(finish(&table), expected);
    }
}
