//! The counting file layer against work that is known.

use super::*;

/// Bytes of a frame of the log beside its page, from the file format.
const FRAME_HEADER_BYTES: u64 = 24;

#[test]
fn twenty_three_forced_commits_are_twenty_three_forced_writes_of_a_frame() {
    let fixture = Fixture::new("sqlite?wal_autocheckpoint=0");
    let mut session = fixture.session_with_table();
    let before = fixture.counters();
    for _ in 0..23 {
        session.batch("update t set n = n + 1").expect("update");
    }
    let rise = rise(&before, &fixture.counters());
    assert_eq!(rise["redo_sync_count"], 23);
    assert_eq!(rise["redo_write_bytes"], 23 * (8192 + FRAME_HEADER_BYTES));
    assert_eq!(rise["sqlite_wait_log_write_count"], 46, "header and page of a frame");
    assert_eq!((rise["physical_write_count"], rise["sqlite_wait_data_sync_count"]), (0, 0), "the database waits");
    assert!(rise["sqlite_wait_log_sync_ns"] > 0 && rise["sqlite_wait_log_write_ns"] > 0);
}

#[test]
fn commits_that_are_not_forced_are_not_counted_as_forced() {
    let fixture = Fixture::new("sqlite?synchronous=normal&wal_autocheckpoint=0");
    let mut session = fixture.session_with_table();
    let before = fixture.counters();
    for _ in 0..23 {
        session.batch("update t set n = n + 1").expect("update");
    }
    let rise = rise(&before, &fixture.counters());
    assert_eq!((rise["redo_sync_count"], rise["commit_count"]), (0, 23));
}

#[test]
fn settling_writes_every_changed_page_to_the_database_once() {
    let fixture = Fixture::new("sqlite?wal_autocheckpoint=0");
    let pages = fixture.large_table();
    let mut session = fixture.session();
    session.batch("update t set n = 2").expect("every page again");
    let before = fixture.counters();
    fixture.node().settle(&mut *session).expect("settle");
    let rise = rise(&before, &fixture.counters());
    // All leaves, and neither the schema nor the root, which an update that moves no row leaves alone.
    assert_eq!(rise["physical_write_count"], pages - 2);
    assert_eq!(rise["physical_write_bytes"], (pages - 2) * 8192);
    assert!(rise["sqlite_wait_data_sync_count"] >= 1, "a checkpoint forces the database");
    assert_eq!(std::fs::metadata(fixture.directory.path().join("sqlite/dbdyno.db-wal")).map_or(0, |log| log.len()), 0);
}

#[test]
fn a_cold_scan_reads_each_page_once_and_a_warm_one_none() {
    let fixture = Fixture::new("sqlite");
    let pages = fixture.large_table();
    let mut cold = fixture.session();
    // Preparing reads the first page, which holds the schema and nothing of the table.
    let scan = cold.prepare("select sum(n) from t").expect("prepare");
    cold.publish_counters().expect("publish");
    let before = fixture.counters();
    assert_eq!(cold.execute(scan, &[]).expect("scan"), 1);
    cold.publish_counters().expect("publish");
    let between = fixture.counters();
    assert_eq!(cold.execute(scan, &[]).expect("scan"), 1);
    cold.publish_counters().expect("publish");
    let (first, second) = (rise(&before, &between), rise(&between, &fixture.counters()));
    assert_eq!(first["physical_read_count"], pages - 1);
    assert_eq!(first["physical_read_bytes"], (pages - 1) * 8192);
    assert_eq!(first["sqlite_cache_miss_count"], pages - 1);
    assert!(first["sqlite_wait_data_read_ns"] > 0);
    assert_eq!((second["physical_read_count"], second["sqlite_cache_miss_count"]), (0, 0), "the cache has it");
    assert!(second["logical_read_count"] >= pages - 1, "{} of {pages}", second["logical_read_count"]);
}

#[test]
fn a_mapped_file_is_not_read_and_its_pages_are_counted_apart() {
    let fixture = Fixture::new("sqlite?mmap_size=64MiB");
    let pages = fixture.large_table();
    let mut cold = fixture.session();
    let scan = cold.prepare("select sum(n) from t").expect("prepare");
    let before = fixture.counters();
    assert_eq!(cold.execute(scan, &[]).expect("scan"), 1);
    let rise = rise(&before, &fixture.counters());
    // The last page is read: SQLite wants addressable memory behind a mapped one.
    assert_eq!((rise["sqlite_mapped_read_count"], rise["physical_read_count"]), (pages - 2, 1));
}

#[test]
fn a_sort_that_spills_spills_into_the_measured_directory_and_is_counted() {
    let fixture = Fixture::new("sqlite?cache_size=100KiB&temp_store=file");
    let mut session = fixture.session_with_table();
    let before = fixture.counters();
    let settings = crate::setting::Settings::parse(
        &"sqlite?cache_size=100KiB&temp_store=file".parse().expect("a target"),
        &Workspace { directory: fixture.directory.path().to_owned(), keep: false, cache_bytes: None, sessions_max: 1 },
    );
    let tally = std::sync::Arc::new(crate::counter::Tally::new());
    let files = crate::claim::Files::below(fixture.directory.path());
    let vfs = crate::vfs::Vfs::register(std::sync::Arc::clone(&tally), Default::default(), None, &files.directory)
        .expect("register");
    let share = crate::counter::SessionShard::of(&tally);
    let link = crate::connect::open(&files.database, &settings.expect("settings"), &std::sync::Arc::new(vfs), share);
    let link = link.expect("connect");
    let sql = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000) \
               select i, hex(zeroblob(20)) from n order by -i";
    let mut sort = link.connection.prepare(sql).expect("prepare");
    let mut rows = sort.query([]).expect("query");
    rows.next().expect("the first row").expect("of many");
    let place = fixture.directory.path().join("sqlite/temporary-");
    let open: Vec<String> = std::fs::read_dir("/proc/self/fd")
        .expect("open files")
        .filter_map(|entry| Some(std::fs::read_link(entry.ok()?.path()).ok()?.to_string_lossy().into_owned()))
        .filter(|path| path.starts_with(&*place.to_string_lossy()))
        .collect();
    assert!(!open.is_empty() && open.iter().all(|path| path.ends_with("(deleted)")), "{open:?}");
    drop(rows);
    drop(sort);
    let spilled = tally.values();
    assert!(spilled["sqlite_temporary_write_bytes"] > 4_000_000, "{spilled:?}");
    assert!(spilled["sqlite_temporary_read_bytes"] > 0);
    assert_eq!(spilled["physical_write_count"], 0);
    assert_eq!(rise(&before, &fixture.counters())["sqlite_temporary_write_bytes"], 0, "another node's file layer");
    session.batch("select 1").expect("alive");
}
