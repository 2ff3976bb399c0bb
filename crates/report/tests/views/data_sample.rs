//! Tables of the sample.

use record::{Bytes, DataSet, Nanos};

pub fn data_set(table: &str, rows: u64, load_ns: u64) -> DataSet {
    DataSet {
        table: table.to_owned(),
        rows,
        size_bytes: Bytes(rows * 120),
        fingerprint: format!("{table}-42"),
        reused: false,
        jobs: 2,
        load_ns: Some(Nanos(load_ns)),
        finish_ns: Some(Nanos(load_ns / 2)),
        generator_cpu_ns: Some(Nanos(load_ns / 4)),
        server_cpu_ns: Some(Nanos(load_ns)),
    }
}

pub fn reused(table: &str, rows: u64) -> DataSet {
    DataSet {
        reused: true,
        load_ns: None,
        finish_ns: None,
        generator_cpu_ns: None,
        server_cpu_ns: None,
        ..data_set(table, rows, 0)
    }
}
