//! The file layer's count of bytes against the kernel's count for this process. A test binary of its own with one
//! test, because the kernel counts what every thread of the process does.

use std::collections::BTreeMap;

use engine::{Engine as _, Node, Session, Workspace};

/// Bytes that this process has passed to read and write calls, and how many bytes reading the figures took.
fn kernel() -> (u64, u64, u64) {
    let text = std::fs::read_to_string("/proc/self/io").expect("/proc/self/io");
    let figure = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)).expect("the figure");
        line.trim().parse::<u64>().expect("a number")
    };
    (figure("rchar:"), figure("wchar:"), text.len() as u64)
}

fn counters(node: &dyn Node, session: &mut dyn Session) -> BTreeMap<String, u64> {
    node.counters(session).expect("counters").0
}

#[test]
fn every_byte_that_the_kernel_saw_was_counted() {
    let directory = tempfile::tempdir().expect("a directory");
    let workspace =
        Workspace { directory: directory.path().to_owned(), keep: false, cache_bytes: None, sessions_max: 2 };
    let target = "sqlite?wal_autocheckpoint=200&cache_size=1MiB".parse().expect("a target");
    let node = dbdyno_engine_sqlite::SQLITE.open(&target, &workspace).expect("open");
    node.claim().expect("claim");
    let mut session = node.connect().expect("connect");
    // The shared memory of the log is made by the first statement, by writes of the layer below that are not the
    // database's; it grows only every 4062 frames.
    session.batch("create table t (id integer primary key, n integer, pad text) strict").expect("create");
    let insert = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 500) \
                  insert into t (n, pad) select i, hex(zeroblob(200)) from n";
    for _ in 0..8 {
        session.batch(insert).expect("insert");
    }
    let scan = session.prepare("select sum(n), sum(length(pad)) from t").expect("prepare");
    let before = counters(&*node, &mut *session);
    let (read_before, written_before, own) = kernel();
    for _ in 0..5 {
        session.batch(insert).expect("insert");
        session.batch("update t set n = n + 1 where id % 7 = 0").expect("update");
        // Larger than the cache, so pages come from the file and from the log.
        assert_eq!(session.execute(scan, &[]).expect("scan"), 1);
    }
    let (read_after, written_after, _) = kernel();
    let after = counters(&*node, &mut *session);
    let rise = |name: &str| after[name] - before[name];
    let written = rise("physical_write_bytes") + rise("redo_write_bytes") + rise("sqlite_temporary_write_bytes");
    let read = rise("physical_read_bytes") + rise("sqlite_temporary_read_bytes");
    assert!(rise("physical_write_bytes") > 0 && rise("redo_write_bytes") > 0, "checkpoints happened: {after:?}");
    assert!(rise("physical_read_bytes") > 10_000_000, "the scan reads: {after:?}");
    assert_eq!(written_after - written_before, written, "bytes written");
    assert_eq!(read_after - read_before - own, read, "bytes read");
    drop(session);
    node.close().expect("close");
}
