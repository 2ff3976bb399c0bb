//! Capabilities and SQL dialect of SQLite.

use engine::{Caps, ColumnType, Dialect, Placeholder, Sparse, Table, quoted};
use record::Bytes;

pub(crate) static CAPS: Caps = Caps {
    procedures: false,
    decimal: false,
    table_compression: false,
    partitions: false,
    lines: false,
    parallel_query: false,
    parallel_index: false,
    column_names: true,
    limit_clause: true,
    json: true,
    large_values: true,
    concurrent_writers: false,
    counts_read_commits: false,
    counts_procedure_commits: false,
    answers: true,
};

pub(crate) static DIALECT: Dialect = Dialect {
    placeholder: Placeholder::QuestionNumber,
    quoted,
    create,
    finish,
    drop: |name| vec![format!("drop table if exists {}", quoted(name))],
    // Without a condition SQLite frees all pages of the table without reading rows.
    truncate: |name| vec![format!("delete from {}", quoted(name))],
    threads,
    // SQLite always reads single pages in index order.
    single_block_reads: &[],
    // One that has read cannot write once another session has written.
    begin_writing: Some("begin immediate"),
    table_bytes,
    sparse,
};

/// An integer key is the rowid, so the table is clustered by its primary key, and the key cannot be added later. The
/// table is strict: a value of the wrong type is an error.
///
/// A decimal is a double: SQLite has no exact decimal type. Sums over it can differ in the last digits from those of an
/// engine that has one, and a value of more than 15 digits is not kept exactly. A date is text, as usual in SQLite
/// (SQLite documentation, "Date and Time Datatype"): `2010-02-28`, which sorts chronologically.
fn create(table: &Table) -> Vec<String> {
    let is_rowid = |name: &String| table.key.as_slice() == std::slice::from_ref(name);
    let mut parts: Vec<String> = table
        .columns
        .iter()
        .map(|column| {
            let kind = match column.kind {
                ColumnType::Int => "integer",
                ColumnType::Float | ColumnType::Decimal { .. } => "real",
                ColumnType::Date | ColumnType::Timestamp | ColumnType::Text { .. } | ColumnType::Json => "text",
            };
            let rule = if is_rowid(&column.name) { " primary key" } else { column.null_rule() };
            format!("{} {kind}{rule}", quoted(&column.name))
        })
        .collect();
    // Of several columns: the table is clustered by them too.
    let is_composite = table.key.len() > 1;
    parts.extend(table.key_list(quoted).filter(|_| is_composite).map(|key| format!("primary key ({key})")));
    let kind = if is_composite { "strict, without rowid" } else { "strict" };
    vec![format!("create table {} ({}) {kind}", quoted(&table.name), parts.join(", "))]
}

/// The pages of each b-tree, by a full scan (SQLite documentation, "The DBSTAT Virtual Table").
fn table_bytes(name: &str) -> Option<String> {
    let name = name.replace('\'', "''");
    let pages = |names: &str| {
        format!(
            "select coalesce(sum(pgsize), 0) from sqlite_schema tree, dbstat('main', 1) pages \
             where pages.name = tree.name and {names}"
        )
    };
    let table = pages(&format!("tree.type = 'table' and tree.name = '{name}'"));
    let indexes = pages(&format!("tree.type = 'index' and tree.tbl_name = '{name}'"));
    Some(format!("select ({table}), ({indexes})"))
}

/// A row has five eighths of a page: a second one does not fit, and it has no overflow page.
fn sparse(block: Bytes) -> Result<Sparse, &'static str> {
    Ok(Sparse { rows_per_block: 1, row_bytes: (block.0 * 5 / 8) as u32, is_keyed: true, create })
}

/// Indexes, statistics for the planner, and the log copied back into the database.
fn finish(table: &Table) -> Vec<String> {
    let mut statements: Vec<String> = table.missing_indexes().collect();
    statements.push(format!("analyze {}", quoted(&table.name)));
    statements.push("pragma wal_checkpoint(truncate)".to_owned());
    statements
}

/// Additional threads for sorting; the rows of a statement are always read by one thread.
fn threads(count: u32) -> Vec<String> {
    vec![format!("pragma threads = {}", count.saturating_sub(1))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine_kit::sample;

    #[test]
    fn tables_are_strict() {
        let table = sample::table("item");
        let columns = "\"id\" integer primary key, \"price\" real not null, \"weight\" real not null, \
                       \"bought\" text not null, \"note\" text not null";
        assert_eq!(create(&table), [format!("create table \"item\" ({columns}) strict")]);
        assert_eq!(finish(&table)[0], "create index if not exists \"item_note\" on \"item\" (\"note\")");
    }
}
