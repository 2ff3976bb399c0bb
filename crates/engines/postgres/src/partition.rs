//! Partitioned tables: declarative partitions by range of a date, subpartitioned by hash.

use engine::{Partitions, Table, quoted};

/// Parallel workers of a table, limited by each session's setting: by default PostgreSQL uses one more for each
/// threefold size, so that no real table would get 31.
pub(crate) const TABLE_WORKERS: u32 = 1024;

/// The storage parameter, at the end of a table definition.
pub(crate) fn with_workers() -> String {
    format!(" with (parallel_workers = {TABLE_WORKERS})")
}

/// Maximum length of a name (`NAMEDATALEN` without the terminating zero).
const NAME_BYTES_MAX: usize = 63;

/// The statements that create `table` with `columns` and all its partitions. Rows are copied into the table itself, and
/// the server routes them to their partitions.
pub(crate) fn create(table: &Table, partitions: &Partitions, columns: &str) -> Vec<String> {
    let name = quoted(&table.name);
    let by_date = quoted(&partitions.by_date);
    let mut statements = vec![format!("create table {name} ({columns}) partition by range ({by_date})")];
    let ends: Vec<String> = partitions.ends().iter().map(|end| format!("'{end}'")).collect();
    let mut begin = "minvalue";
    for (end, range) in ends.iter().map(String::as_str).chain(["maxvalue"]).zip(1..) {
        let values = format!("for values from ({begin}) to ({end})");
        statements.extend(range_of(table, partitions, range, &values));
        begin = end;
    }
    statements
}

/// One range of the table, with its subpartitions.
fn range_of(table: &Table, partitions: &Partitions, range: usize, values: &str) -> Vec<String> {
    let (name, own) = (quoted(&table.name), partition_name(&table.name, &format!("_r{range}")));
    let workers = with_workers();
    if partitions.hash_parts <= 1 {
        return vec![format!("create table {own} partition of {name} {values}{workers}")];
    }
    let by_hash = quoted(&partitions.by_hash);
    let whole = format!("create table {own} partition of {name} {values} partition by hash ({by_hash})");
    let part = |remainder| {
        let part = partition_name(&table.name, &format!("_r{range}_h{}", remainder + 1));
        let modulus = partitions.hash_parts;
        format!(
            "create table {part} partition of {own} for values with (modulus {modulus}, remainder {remainder}){workers}"
        )
    };
    std::iter::once(whole).chain((0..partitions.hash_parts).map(part)).collect()
}

/// The name of a partition: that of the table, truncated if too long, and `end`. A truncated name contains a hash of
/// the full name, so that it is unique.
fn partition_name(table: &str, end: &str) -> String {
    if table.len() + end.len() <= NAME_BYTES_MAX {
        return quoted(&format!("{table}{end}"));
    }
    // FNV-1a, 32 bits (Fowler, Noll, Vo).
    let hash = table.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let end = format!("_{hash:08x}{end}");
    let kept = table.floor_char_boundary(NAME_BYTES_MAX - end.len());
    quoted(&format!("{}{end}", &table[..kept]))
}

#[cfg(test)]
mod tests {
    use engine_kit::sample;

    use super::*;
    use crate::dialect::DIALECT;

    #[test]
    fn a_partitioned_table_has_a_partition_for_every_date() {
        let create = (DIALECT.create)(&sample::partitioned_table("order"));
        let columns = create[0].split_once(" partition by ").expect("a partitioned table");
        assert_eq!(columns.1, "range (\"bought\")");
        assert!(!columns.0.contains("parallel_workers"), "a partitioned table has no storage parameters");
        assert_eq!(
            create[1..4],
            [
                "create table \"order_r1\" partition of \"order\" for values from (minvalue) to ('2010-02-01') \
                 partition by hash (\"id\")",
                "create table \"order_r1_h1\" partition of \"order_r1\" for values with (modulus 2, remainder 0) \
                 with (parallel_workers = 1024)",
                "create table \"order_r1_h2\" partition of \"order_r1\" for values with (modulus 2, remainder 1) \
                 with (parallel_workers = 1024)",
            ]
        );
        assert!(create[4].contains("from ('2010-02-01') to ('2010-03-01')"), "{}", create[4]);
        assert!(create[7].contains("from ('2010-03-01') to (maxvalue)"), "{}", create[7]);
        assert_eq!(create.len(), 10);
    }

    #[test]
    fn ranges_without_subpartitions_store_their_rows() {
        let mut table = sample::partitioned_table("order");
        let Some(partitions) = &mut table.partitions else { panic!("a table in parts") };
        (partitions.hash_parts, partitions.bounds) = (1, Vec::new());
        let create = (DIALECT.create)(&table);
        let expected = "create table \"order_r1\" partition of \"order\" for values from (minvalue) to (maxvalue) \
                        with (parallel_workers = 1024)";
        assert_eq!(create[1..], [expected]);
    }

    #[test]
    fn names_of_partitions_are_unique_and_not_truncated_by_the_server() {
        let long = ["z".repeat(59) + "ab", "z".repeat(59) + "ac", "ü".repeat(40)];
        let names: Vec<String> = long.iter().map(|name| partition_name(name, "_r13_h16")).collect();
        for name in &names {
            let bytes = name.len() - "\"\"".len();
            assert!((NAME_BYTES_MAX - 1..=NAME_BYTES_MAX).contains(&bytes), "{name}");
            assert!(name.ends_with("_r13_h16\""), "{name}");
        }
        assert_ne!(names[0], names[1]);
        assert_eq!(partition_name("t", "_r1"), "\"t_r1\"");
    }
}
