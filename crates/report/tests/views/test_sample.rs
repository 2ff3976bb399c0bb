//! The tests of the sample, made up: what each does per second.

use record::{CacheFit, Layer, Sweep, Unit};

/// One test of the sample: what a run at one job does per second, and how it grows.
pub struct Sample {
    /// Its code.
    pub code: &'static str,
    pub title: &'static str,
    pub layer: Layer,
    pub unit: Unit,
    pub sweep: Sweep,
    /// Operations per second at 1, 2 and 4 jobs or threads.
    pub operations_per_second: [u64; 3],
    /// Rows of one operation.
    pub rows: u64,
    /// Pages of 8 KiB that one operation reads and writes, and bytes of redo.
    pub read_pages: u64,
    pub written_pages: u64,
    pub redo_bytes: u64,
    pub ceiling: Option<(&'static str, Unit)>,
    pub cache_fit: Option<CacheFit>,
}

const PLAIN: Sample = Sample {
    code: "",
    title: "",
    layer: Layer::Cpu,
    unit: Unit::Operation,
    sweep: Sweep::Jobs,
    operations_per_second: [0; 3],
    rows: 0,
    read_pages: 0,
    written_pages: 0,
    redo_bytes: 0,
    ceiling: None,
    cache_fit: None,
};

/// All of them, in the order in which they are run.
pub const SAMPLES: &[Sample] = &[
    Sample {
        code: "C11",
        title: "native integer arithmetic",
        operations_per_second: [1_000_000_000, 2_000_000_000, 2_000_000_000],
        ..PLAIN
    },
    Sample {
        code: "M11",
        title: "memory bandwidth, triad",
        layer: Layer::Memory,
        unit: Unit::Byte,
        operations_per_second: [10_000_000_000, 16_000_000_000, 16_500_000_000],
        ..PLAIN
    },
    Sample {
        code: "T131",
        title: "integer arithmetic, native 64-bit type",
        operations_per_second: [20_000_000, 40_000_000, 41_000_000],
        ceiling: Some(("C11", Unit::Operation)),
        ..PLAIN
    },
    Sample {
        code: "T151",
        title: "Fibonacci, recursive",
        unit: Unit::Call,
        operations_per_second: [5_000_000, 10_000_000, 10_100_000],
        ..PLAIN
    },
    Sample {
        code: "T611",
        title: "primary key access, 1 row per statement",
        layer: Layer::Server,
        unit: Unit::Statement,
        operations_per_second: [30_000, 55_000, 60_000],
        rows: 1,
        cache_fit: Some(CacheFit::Inside),
        ..PLAIN
    },
    Sample {
        code: "T621",
        title: "secondary key access, 320 rows per statement",
        layer: Layer::Server,
        unit: Unit::Statement,
        operations_per_second: [2_000, 3_900, 3_950],
        rows: 320,
        cache_fit: Some(CacheFit::Inside),
        ..PLAIN
    },
    Sample {
        code: "T426",
        title: "sequential read through the engine",
        layer: Layer::Storage,
        unit: Unit::Row,
        sweep: Sweep::Threads,
        operations_per_second: [40_000, 60_000, 65_000],
        rows: 1,
        read_pages: 1,
        cache_fit: Some(CacheFit::Outside),
        ..PLAIN
    },
    Sample {
        code: "T626",
        title: "random single-block read through the engine",
        layer: Layer::Storage,
        unit: Unit::Row,
        operations_per_second: [9_000, 17_000, 30_000],
        rows: 1,
        read_pages: 1,
        cache_fit: Some(CacheFit::Outside),
        ..PLAIN
    },
    Sample {
        code: "T721",
        title: "random write: update of 320 scattered rows per transaction",
        layer: Layer::Storage,
        unit: Unit::Transaction,
        operations_per_second: [100, 180, 250],
        rows: 320,
        read_pages: 320,
        written_pages: 320,
        redo_bytes: 160_000,
        cache_fit: Some(CacheFit::Outside),
        ..PLAIN
    },
    Sample {
        code: "T331",
        title: "bulk load",
        layer: Layer::Database,
        unit: Unit::Row,
        operations_per_second: [500_000, 800_000, 850_000],
        rows: 1,
        redo_bytes: 130,
        ..PLAIN
    },
    Sample {
        code: "T441",
        title: "aggregation and report query",
        layer: Layer::Database,
        unit: Unit::Statement,
        operations_per_second: [2, 4, 4],
        rows: 100,
        ..PLAIN
    },
    Sample {
        code: "T311",
        title: "OLTP insert, 2 rows per transaction",
        layer: Layer::Database,
        unit: Unit::Transaction,
        operations_per_second: [1_000, 1_900, 3_500],
        rows: 2,
        written_pages: 1,
        redo_bytes: 1_000,
        ..PLAIN
    },
    Sample {
        code: "T616",
        title: "OLTP select by primary key, 32 rows per transaction",
        layer: Layer::Database,
        unit: Unit::Transaction,
        operations_per_second: [1_500, 2_900, 3_000],
        rows: 32,
        ..PLAIN
    },
];
