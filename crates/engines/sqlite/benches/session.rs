//! What our session costs beside the library alone and beside the wrapper that programs in Rust use: a select by
//! primary key of a table in the cache, and the bulk path.
//!
//! `cargo bench -p dbdyno-engine-sqlite`

use std::ffi::c_int;
use std::ptr;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use engine::{Column, ColumnType, Engine as _, RowSink, RowSource, Session, Table, Value, Workspace};
use libsqlite3_sys as ffi;
use rusqlite::{Connection, OpenFlags};

const ROWS: i64 = 20_000;
const SELECT: &str = "select id, k, a, b, c, price, weight, pad from item where id = ?1";

/// Rows of eight columns, about 200 bytes each.
struct Items {
    columns: Vec<Column>,
    next: i64,
    pad: String,
}

impl Items {
    fn new() -> Items {
        let integers = ["id", "k", "a", "b", "c"].map(|name| (name, ColumnType::Int));
        let others = [
            ("price", ColumnType::Decimal { precision: 12, scale: 2 }),
            ("weight", ColumnType::Float),
            ("pad", ColumnType::Text { size: 150 }),
        ];
        let column = |(name, kind): &(&str, ColumnType)| Column::new(*name, *kind);
        Items { columns: integers.iter().chain(&others).map(column).collect(), next: 0, pad: "x".repeat(150) }
    }

    fn table() -> Table {
        let columns = Items::new().columns;
        let key = vec!["id".to_owned()];
        Table {
            name: "item".to_owned(),
            columns,
            key,
            indexes: Vec::new(),
            compressed: false,
            partitions: None,
            is_updated: false,
        }
    }
}

impl RowSource for Items {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn next(&mut self, sink: &mut dyn RowSink) -> bool {
        if self.next == ROWS {
            return false;
        }
        self.next += 1;
        for factor in [1, 7_919, 104_729, 1_299_709, 15_485_863] {
            sink.int(self.next * factor);
        }
        sink.decimal(self.next * 25, 2);
        sink.float(self.next as f64 / 7.0);
        sink.text(&self.pad);
        true
    }
}

fn workspace(directory: &std::path::Path) -> Workspace {
    Workspace { directory: directory.to_owned(), keep: false, cache_bytes: None, sessions_max: 1 }
}

/// A key that differs from the one before by more than a page.
fn following(key: i64) -> i64 {
    (key + 7_919) % ROWS + 1
}

fn select(criterion: &mut Criterion) {
    let directory = tempfile::tempdir().expect("a directory");
    let engine = dbdyno_engine_sqlite::SQLITE;
    let node = engine.open(&"sqlite".parse().expect("a target"), &workspace(directory.path())).expect("open");
    node.claim().expect("claim");
    let mut session = node.connect().expect("connect");
    let (table, dialect) = (Items::table(), engine.dialect());
    for sql in (dialect.create)(&table) {
        session.batch(&sql).expect("create");
    }
    session.bulk("item", &mut Items::new()).expect("load");
    for sql in (dialect.finish)(&table) {
        session.batch(&sql).expect("finish");
    }
    let file = directory.path().join("sqlite/dbdyno.db");
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(&file, flags).expect("open");
    connection.execute_batch("pragma cache_size = -65536").expect("pragma");

    let mut group = criterion.benchmark_group("select by primary key");
    let statement = session.prepare(SELECT).expect("prepare");
    let mut key = 1;
    let mut step = |session: &mut dyn Session| {
        key = following(key);
        session.execute(statement, &[Value::Int(key)]).expect("select")
    };
    group.bench_function("our session, locks and all", |bencher| bencher.iter(|| step(&mut *session)));
    // Inside a transaction, where a statement takes no lock: what differs between the three is easier to see.
    session.begin().expect("begin");
    connection.execute_batch("begin").expect("begin");
    group.bench_function("our session", |bencher| bencher.iter(|| step(&mut *session)));
    let mut prepared = connection.prepare(SELECT).expect("prepare");
    group.bench_function("rusqlite", |bencher| {
        bencher.iter(|| {
            key = following(key);
            let mut rows = prepared.query([key]).expect("select");
            let row = rows.next().expect("a row").expect("one");
            let integers: i64 = (0..5).map(|column| row.get::<_, i64>(column).expect("an integer")).sum();
            let doubles = row.get::<_, f64>(5).expect("a double") + row.get::<_, f64>(6).expect("a double");
            let text = row.get_ref(7).expect("a text").as_str().expect("UTF-8").bytes().map(u64::from).sum::<u64>();
            assert!(rows.next().expect("the end").is_none());
            std::hint::black_box((integers, doubles, text))
        });
    });
    drop(prepared);
    // SAFETY: the connection is open, and closed after the last use of its handle.
    let raw = unsafe { connection.handle() };
    let mut statement = ptr::null_mut();
    let size = SELECT.len() as c_int;
    // SAFETY: the text is given with its length.
    let code =
        unsafe { ffi::sqlite3_prepare_v2(raw, SELECT.as_ptr().cast(), size, &raw mut statement, ptr::null_mut()) };
    assert_eq!(code, ffi::SQLITE_OK);
    group.bench_function("the library alone", |bencher| {
        bencher.iter(|| {
            key = following(key);
            // SAFETY: the statement is prepared and stands on a row between the two steps.
            unsafe {
                ffi::sqlite3_bind_int64(statement, 1, key);
                assert_eq!(ffi::sqlite3_step(statement), ffi::SQLITE_ROW);
                let integers: i64 = (0..5).map(|column| ffi::sqlite3_column_int64(statement, column)).sum();
                let doubles = ffi::sqlite3_column_double(statement, 5) + ffi::sqlite3_column_double(statement, 6);
                let start = ffi::sqlite3_column_text(statement, 7);
                let size = ffi::sqlite3_column_bytes(statement, 7) as usize;
                let text: u64 = std::slice::from_raw_parts(start, size).iter().map(|byte| u64::from(*byte)).sum();
                assert_eq!(ffi::sqlite3_step(statement), ffi::SQLITE_DONE);
                ffi::sqlite3_reset(statement);
                std::hint::black_box((integers, doubles, text))
            }
        });
    });
    // SAFETY: prepared above, not used after this.
    unsafe { ffi::sqlite3_finalize(statement) };
    group.finish();
    drop((session, connection));
    node.close().expect("close");
}

fn bulk(criterion: &mut Criterion) {
    let directory = tempfile::tempdir().expect("a directory");
    let engine = dbdyno_engine_sqlite::SQLITE;
    let node = engine.open(&"sqlite".parse().expect("a target"), &workspace(directory.path())).expect("open");
    node.claim().expect("claim");
    let mut session = node.connect().expect("connect");
    let (table, dialect) = (Items::table(), engine.dialect());
    let mut group = criterion.benchmark_group("bulk load");
    group.throughput(Throughput::Elements(ROWS as u64)).sample_size(20);
    group.bench_function("8 columns, 200 bytes", |bencher| {
        bencher.iter_batched(
            Items::new,
            |mut rows| {
                for sql in [(dialect.drop)("item"), (dialect.create)(&table)].concat() {
                    session.batch(&sql).expect("create");
                }
                session.bulk("item", &mut rows).expect("load")
            },
            criterion::BatchSize::PerIteration,
        );
    });
    group.finish();
    drop(session);
    node.close().expect("close");
}

criterion_group!(benches, select, bulk);
criterion_main!(benches);
