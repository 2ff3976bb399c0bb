//! SQL dialect of PostgreSQL.

use engine::{ColumnType, Dialect, Placeholder, Sparse, Table, quoted};
use record::Bytes;

use crate::partition::{self, TABLE_WORKERS, with_workers};

/// What makes bare names those of the user, after those of dbdyno.
pub(crate) const USER_TABLES: &str = "set search_path = dbdyno, \"$user\", public";

/// The dialect of PostgreSQL.
pub(crate) const DIALECT: Dialect = Dialect {
    placeholder: Placeholder::Dollar,
    quoted,
    create,
    finish,
    drop: |name| vec![format!("drop table if exists {}", quoted(name))],
    truncate: |name| vec![format!("truncate table {}", quoted(name))],
    threads,
    // A bitmap scan reads pages in physical order with prefetch; an index-only scan reads no page of the table.
    single_block_reads: &[
        "set enable_bitmapscan = off",
        "set enable_seqscan = off",
        "set enable_indexonlyscan = off",
        "set effective_io_concurrency = 0",
        "set max_parallel_workers_per_gather = 0",
    ],
    begin_writing: None,
    table_bytes,
    sparse,
};

/// How far pages of a table whose rows are updated are filled: 15 of 16, as InnoDB fills them in the order of the key.
const FILLED_PERCENT: u32 = 94;

/// Memory per thread of an index build, from `plan_create_index_workers` in PostgreSQL's `planner.c`.
const INDEX_BYTES_PER_THREAD: u64 = 32 << 20;

fn kind(column: ColumnType) -> String {
    match column {
        ColumnType::Int => "int8".to_owned(),
        ColumnType::Float => "float8".to_owned(),
        ColumnType::Decimal { precision, scale } => format!("numeric({precision}, {scale})"),
        ColumnType::Date => "date".to_owned(),
        ColumnType::Timestamp => "timestamp(6)".to_owned(),
        ColumnType::Text { size } => format!("varchar({size})"),
        ColumnType::Json => "jsonb".to_owned(),
    }
}

fn create(table: &Table) -> Vec<String> {
    let columns = table.definitions(quoted, kind);
    let (name, columns) = (quoted(&table.name), columns.join(", "));
    match &table.partitions {
        Some(partitions) => partition::create(table, partitions, &columns),
        None if table.is_updated => {
            let with = with_workers().replace(" with (", &format!(" with (fillfactor = {FILLED_PERCENT}, "));
            vec![format!("create table {name} ({columns}){with}")]
        }
        None => vec![format!("create table {name} ({columns}){}", with_workers())],
    }
}

/// Sizes of the table with all partitions and TOAST tables, and of all indexes. `pg_partition_tree` is empty for a
/// table without partitions.
fn table_bytes(name: &str) -> Option<String> {
    let name = quoted(name).replace('\'', "''");
    Some(format!(
        "select sum(pg_catalog.pg_table_size(relid))::int8, sum(pg_catalog.pg_indexes_size(relid))::int8 \
         from (select '{name}'::regclass as relid \
         union select relid from pg_catalog.pg_partition_tree('{name}'::regclass)) tree"
    ))
}

/// A page is filled to a tenth, and a row is longer than half of that: no second row fits into its page, and four later
/// versions of the row do. It is short enough not to be toasted.
fn sparse(block: Bytes) -> Result<Sparse, &'static str> {
    let create = |table: &Table| {
        create(table).into_iter().map(|sql| sql.replace(" with (", " with (fillfactor = 10, ")).collect()
    };
    Ok(Sparse { rows_per_block: 1, row_bytes: (block.0 / 6) as u32, is_keyed: false, create })
}

/// Each string is a statement of its own, because a vacuum cannot run in a transaction with others.
///
/// The freeze sets the hint bits of every row, so that the first readers do not have to.
fn finish(table: &Table) -> Vec<String> {
    let mut statements = table.additions();
    statements.push(format!("vacuum (freeze, analyze) {}", quoted(&table.name)));
    statements
}

/// One thread means no worker. With more, the leader participates, and parallel plans have no extra cost, so that the
/// planner uses the maximum number of workers.
fn threads(count: u32) -> Vec<String> {
    let workers = count.saturating_sub(1).min(TABLE_WORKERS);
    let mut statements = vec![
        format!("set max_parallel_workers_per_gather = {workers}"),
        format!("set max_parallel_maintenance_workers = {workers}"),
    ];
    if workers == 0 {
        return statements;
    }
    statements.push(format!("set max_parallel_workers = {TABLE_WORKERS}"));
    for cost in ["min_parallel_table_scan_size", "min_parallel_index_scan_size"] {
        statements.push(format!("set {cost} = 0"));
    }
    for cost in ["parallel_setup_cost", "parallel_tuple_cost"] {
        statements.push(format!("set {cost} = 0"));
    }
    let memory_bytes = INDEX_BYTES_PER_THREAD * u64::from(workers + 1);
    // Never less than the server's setting; its unit is 1 kB.
    statements.push(format!(
        "select set_config('maintenance_work_mem', (greatest(pg_size_bytes(current_setting('maintenance_work_mem')), \
         {memory_bytes}) / 1024)::text, false)"
    ));
    statements
}

/// The names of all settings that the dialect changes.
pub(crate) fn settings() -> Vec<String> {
    let single = DIALECT.single_block_reads.iter().map(|sql| (*sql).to_owned());
    let name = |sql: String| {
        let rest = sql.strip_prefix("set ").or_else(|| sql.strip_prefix("select set_config('"))?;
        rest.split([' ', '\'']).next().map(str::to_owned)
    };
    let mut names: Vec<String> = threads(2).into_iter().chain(single).filter_map(name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine_kit::sample;

    #[test]
    fn a_table_gets_its_key_after_the_load() {
        assert_eq!(
            create(&sample::table("order")),
            ["create table \"order\" (\"id\" int8 not null, \"price\" numeric(12, 2) not null, \
              \"weight\" float8 not null, \"bought\" date not null, \"note\" varchar(40) not null) \
              with (parallel_workers = 1024)"]
        );
        assert_eq!(
            finish(&sample::table("order")),
            [
                "alter table \"order\" add primary key (\"id\")",
                "create index if not exists \"order_note\" on \"order\" (\"note\")",
                "vacuum (freeze, analyze) \"order\"",
            ]
        );
    }

    #[test]
    fn workers_are_threads_without_the_leader() {
        assert!(threads(1).iter().all(|statement| statement.ends_with("= 0")), "{:?}", threads(1));
        assert_eq!(threads(0), threads(1));
        assert_eq!(threads(4)[0], "set max_parallel_workers_per_gather = 3");
        assert!(threads(4).iter().any(|statement| statement.contains("134217728")), "4 times 32 MiB");
    }

    #[test]
    fn the_names_of_all_settings_are_found() {
        let names = settings();
        for name in ["enable_bitmapscan", "maintenance_work_mem", "max_parallel_workers_per_gather"] {
            assert!(names.iter().any(|known| known == name), "{name} is not in {names:?}");
        }
        assert_eq!(names.len(), 12, "{names:?}");
    }

    #[test]
    fn a_row_fills_more_than_half_of_what_a_page_is_filled_to() {
        for block in [Bytes(1 << 10), Bytes(8 << 10), Bytes(32 << 10)] {
            let sparse = sparse(block).expect("it has blocks");
            assert!(u64::from(sparse.row_bytes) > block.0 / 20 && u64::from(sparse.row_bytes) < block.0 / 5);
            let create = (sparse.create)(&sample::table("order"));
            assert!(create[0].ends_with(" with (fillfactor = 10, parallel_workers = 1024)"));
        }
    }

    #[test]
    fn pages_of_a_table_that_is_updated_keep_room() {
        let [kept, updated] = [false, true].map(|is_updated| create(&Table { is_updated, ..sample::table("order") }));
        assert!(kept[0].ends_with(" with (parallel_workers = 1024)"), "{kept:?}");
        assert!(updated[0].ends_with(" with (fillfactor = 94, parallel_workers = 1024)"), "{updated:?}");
    }

    #[test]
    fn a_quote_in_a_name_stays_in_the_name() {
        assert_eq!(quoted("a\"; drop table b; --"), "\"a\"\"; drop table b; --\"");
    }
}
