//! How Oracle says what tests need said.

use engine::{ColumnType, Dialect, Partitions, Placeholder, Sparse, Table};
use record::Bytes;

/// The words of Oracle.
pub(crate) static DIALECT: Dialect = Dialect {
    placeholder: Placeholder::Colon,
    quoted,
    create,
    finish,
    drop,
    // The space of the table is kept for the rows that follow: giving it back and asking for it again is no part of a
    // load.
    truncate: |name| vec![format!("truncate table {} reuse storage", quoted(name))],
    threads,
    // What an index costs is reckoned as next to nothing, so that no small table is scanned; that the rows are read one
    // by one is said in the statement itself (`T626.read`).
    single_block_reads: &["alter session set optimizer_index_cost_adj = 1"],
    begin_writing: None,
    table_bytes,
    sparse,
};

/// The name as the server folds it where it stands without quotes, whatever word it is.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.to_uppercase().replace('"', ""))
}

fn kind(column: ColumnType) -> String {
    match column {
        ColumnType::Int => "number(19)".to_owned(),
        ColumnType::Float => "binary_double".to_owned(),
        ColumnType::Decimal { precision, scale } => format!("number({precision}, {scale})"),
        ColumnType::Date => "date".to_owned(),
        ColumnType::Timestamp => "timestamp(6)".to_owned(),
        ColumnType::Text { size } => format!("varchar2({size} char)"),
        ColumnType::Json => "clob".to_owned(),
    }
}

/// Texts are counted in characters. Basic compression packs rows that come in by direct path, as bulk loads of one array
/// do; it is part of the Enterprise Edition and needs no option. Partitions are an option of that edition, with a licence of
/// its own.
fn create(table: &Table) -> Vec<String> {
    let columns = table.definitions(quoted, kind);
    let compressed = if table.compressed { " row store compress basic" } else { "" };
    let partitions = table.partitions.as_ref().map(partitioned).unwrap_or_default();
    vec![format!("create table {} ({}){compressed}{partitions}", quoted(&table.name), columns.join(", "))]
}

/// Ranges of dates, each divided by hash.
fn partitioned(partitions: &Partitions) -> String {
    let ends = partitions.ends();
    let ends = ends.iter().map(|end| format!("to_date('{end}', 'YYYY-MM-DD')")).chain(["maxvalue".to_owned()]);
    let range = |(end, range)| format!("partition r{range} values less than ({end})");
    let ranges: Vec<String> = ends.zip(1..).map(range).collect();
    let parts = match partitions.hash_parts {
        0 | 1 => String::new(),
        parts => format!(" subpartition by hash ({}) subpartitions {parts}", quoted(&partitions.by_hash)),
    };
    format!(" partition by range ({}){parts} ({})", quoted(&partitions.by_date), ranges.join(", "))
}

/// Blocks below the high-water mark of the table, in all parts, and leaves of its indexes, as counted with the statistics.
fn table_bytes(name: &str) -> Option<String> {
    let name = name.to_uppercase().replace(['\'', '"'], "");
    let of_table =
        |owner: &str| format!("{owner} = sys_context('userenv', 'current_schema') and table_name = '{name}'");
    Some(format!(
        "select to_number(p.value) * (select max(blocks) from all_tables where {}), \
         to_number(p.value) * (select nvl(sum(leaf_blocks), 0) from all_indexes where {}) \
         from v$parameter p where p.name = 'db_block_size'",
        of_table("owner"),
        of_table("table_owner")
    ))
}

/// A block keeps 99 % of itself free for rows to grow in, and one row is the most that a block of this table may have:
/// the server learns that from a table with one row in it.
fn sparse(block: Bytes) -> Result<Sparse, &'static str> {
    let create = |table: &Table| {
        let name = quoted(&table.name);
        let value = |column: &engine::Column| match column.kind {
            ColumnType::Text { .. } => "'x'",
            ColumnType::Date => "date '2000-01-01'",
            ColumnType::Timestamp => "timestamp '2000-01-01 00:00:00'",
            _ => "1",
        };
        let values: Vec<&str> = table.columns.iter().map(value).collect();
        let mut statements: Vec<String> = create(table).into_iter().map(|sql| format!("{sql} pctfree 99")).collect();
        statements.push(format!("insert into {name} values ({})", values.join(", ")));
        statements.push(format!("alter table {name} minimize records_per_block"));
        statements.push(format!("truncate table {name}"));
        statements
    };
    Ok(Sparse { rows_per_block: 1, row_bytes: (block.0 / 4) as u32, is_keyed: false, create })
}

/// Key, indexes that are not there yet, and statistics for the optimizer.
fn finish(table: &Table) -> Vec<String> {
    let name = quoted(&table.name);
    let key = table.key_list(quoted).map(|key| {
        let constraint = quoted(&format!("{}_key", table.name));
        format!("alter table {name} add constraint {constraint} primary key ({key})")
    });
    // An index of a table in parts has the same parts.
    let local = if table.partitions.is_some() { " local" } else { "" };
    let index = |index: &engine::Index| {
        let create = format!("create index {} on {name} ({}){local}", quoted(&index.name), index.column_list(quoted));
        unless(&create, NAME_IN_USE)
    };
    let statistics = format!(
        "begin dbms_stats.gather_table_stats(ownname => sys_context('userenv', 'current_schema'), \
         tabname => '{}', no_invalidate => false); end;",
        table.name.to_uppercase().replace(['\'', '"'], "")
    );
    key.into_iter().chain(table.indexes.iter().map(index)).chain([statistics]).collect()
}

/// That something of this name is there.
const NAME_IN_USE: i32 = -955;

/// That there is no such table.
const NO_TABLE: i32 = -942;

fn drop(name: &str) -> Vec<String> {
    vec![unless(&format!("drop table {} cascade constraints purge", quoted(name)), NO_TABLE)]
}

/// `statement`, which is taken for done where it is refused with `code`: there is neither an "if exists" nor an "if not
/// exists" before version 23.
fn unless(statement: &str, code: i32) -> String {
    let statement = statement.replace('\'', "");
    format!(
        "begin execute immediate '{statement}'; exception when others then if sqlcode <> {code} then raise; end if; end;"
    )
}

/// With one thread nothing is parallel, whatever a table or the server asks for.
fn threads(count: u32) -> Vec<String> {
    ["query", "ddl"]
        .map(|what| match count {
            0 | 1 => format!("alter session disable parallel {what}"),
            count => format!("alter session force parallel {what} parallel {count}"),
        })
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine_kit::sample;

    #[test]
    fn a_table_gets_its_key_its_indexes_and_its_statistics_after_the_load() {
        let table = sample::table("order");
        let columns = "\"ID\" number(19) not null, \"PRICE\" number(12, 2) not null, \
                       \"WEIGHT\" binary_double not null, \"BOUGHT\" date not null, \"NOTE\" varchar2(40 char) not null";
        assert_eq!(create(&table), [format!("create table \"ORDER\" ({columns})")]);
        let finish = finish(&table);
        assert_eq!(finish[0], "alter table \"ORDER\" add constraint \"ORDER_KEY\" primary key (\"ID\")");
        let index = "create index \"ORDER_NOTE\" on \"ORDER\" (\"NOTE\")";
        let unless_there = "exception when others then if sqlcode <> -955 then raise; end if; end;";
        assert_eq!(finish[1], format!("begin execute immediate '{index}'; {unless_there}"));
        assert!(finish[2].contains("tabname => 'ORDER'") && finish.len() == 3, "{finish:?}");
        let compressed = Table { compressed: true, ..table };
        assert!(create(&compressed)[0].ends_with(") row store compress basic"));
    }

    #[test]
    fn a_table_in_parts_is_one_statement_and_its_indexes_have_its_parts() {
        let mut table = sample::partitioned_table("order");
        table.compressed = true;
        let create = create(&table);
        let options = create[0].split_once(") row store ").expect("options").1;
        assert_eq!(
            options,
            "compress basic partition by range (\"BOUGHT\") subpartition by hash (\"ID\") subpartitions 2 \
             (partition r1 values less than (to_date('2010-02-01', 'YYYY-MM-DD')), \
             partition r2 values less than (to_date('2010-03-01', 'YYYY-MM-DD')), \
             partition r3 values less than (maxvalue))"
        );
        table.indexes = sample::table("order").indexes;
        assert!(finish(&table)[0].contains("(\"NOTE\") local';"));
    }

    #[test]
    fn one_thread_is_none_beside_the_session() {
        assert_eq!(threads(1), ["alter session disable parallel query", "alter session disable parallel ddl"]);
        assert_eq!(threads(4)[0], "alter session force parallel query parallel 4");
    }

    #[test]
    fn a_mark_in_a_name_does_not_end_it() {
        assert_eq!(quoted("a\"; drop user b; --"), "\"A; DROP USER B; --\"");
        assert!(!drop("a' || 'b")[0].contains("A' ||"));
    }
}
