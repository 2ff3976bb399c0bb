//! What the server counts.

use std::collections::BTreeMap;

use engine::{Kind, Session, Statement, Value};
use record::{FailureKind, name};

use crate::mariadb;
use engine_kit::Fixture;
use engine_kit::session::{Rows, ask, make, prepare};

/// By how much each counter rises while `work` is done.
fn risen(fixture: &Fixture, work: &mut dyn FnMut()) -> BTreeMap<String, u64> {
    let mut reader = fixture.session();
    let (before, reading) = fixture.node().counters(&mut *reader).expect("counters");
    work();
    let (after, _) = fixture.node().counters(&mut *reader).expect("counters");
    assert_eq!(reading, 0, "a reading is no commit");
    let by = |name: &str, value: u64| {
        let earlier = before[name];
        value.checked_sub(earlier).unwrap_or_else(|| panic!("{name} fell from {earlier} to {value}"))
    };
    after.into_iter().map(|(name, value)| (name.clone(), by(&name, value))).collect()
}

pub fn twenty_three_transactions_of_several_sessions_are_twenty_three(fixture: &Fixture) {
    let mut jobs: Vec<Box<dyn Session>> = (0..3).map(|_| fixture.session()).collect();
    jobs[0].batch("create table commits (id bigint)").expect("create");
    let sql = "insert into commits select i from (select 1 as i union all select 2) two where i <= ?";
    let prefix = fixture.engine.name();
    let own = |name: &str| format!("{prefix}_{name}_count");
    let inserts: Vec<Statement> = jobs.iter_mut().map(|job| prepare(&mut **job, sql)).collect();
    for round in 0..3 {
        let rise = risen(fixture, &mut || {
            for number in 0..23 {
                let (job, insert) = (&mut jobs[number % 3], inserts[number % 3]);
                job.begin().expect("begin");
                job.execute(insert, &[Value::Int(2)]).expect("insert");
                job.execute(insert, &[Value::Int(1)]).expect("insert");
                job.commit().expect("commit");
                if number % 5 == 0 {
                    job.begin().expect("begin");
                    job.execute(insert, &[Value::Int(2)]).expect("insert");
                    job.rollback().expect("rollback");
                }
            }
        });
        assert_eq!(rise[name::COMMIT_COUNT], 23, "round {round}");
        // 23 transactions and 46 + 5 statements inside of one; MySQL also counts what it looks up in its dictionary.
        let (handled, least) = (rise[&own("handler_commit")], 23 + 46 + 5);
        assert!(handled == least || prefix == "mysql" && handled > least, "round {round}: {handled}");
        assert_eq!(rise[&own("handler_rollback")], 5, "round {round}");
        // InnoDB's own count agrees: what was rolled back is in both of these.
        let (ended, undone) = (rise[&own("transaction_write")], rise[&own("transaction_rollback")]);
        assert_eq!((ended - undone, undone), (23, 5), "round {round}");
    }
    // A session that is gone has counted all the same. The first one of its kind looks up what it needs.
    let mut come_and_go = || {
        let mut job = fixture.session();
        let insert = prepare(&mut *job, sql);
        job.begin().expect("begin");
        job.execute(insert, &[Value::Int(2)]).expect("insert");
        job.commit().expect("commit");
    };
    come_and_go();
    let rise = risen(fixture, &mut come_and_go);
    assert_eq!(rise[name::COMMIT_COUNT], 1);
}

/// A load is one commit, and so is a definition.
pub fn a_load_is_one_commit_and_so_is_a_definition(fixture: &Fixture) {
    let mut job = fixture.session();
    make(fixture, &mut *job, "defined");
    // MySQL also counts that it looks up a table when it is first opened.
    ask(&mut *job, "select count(*) from defined");
    let rise = risen(fixture, &mut || {
        assert_eq!(job.bulk("defined", &mut Rows::new(100, |id, sink| sink.decimal(id, 2))).expect("bulk"), 100);
    });
    assert_eq!(rise[name::COMMIT_COUNT], 1);
    let rise = risen(fixture, &mut || {
        job.begin().expect("begin");
        job.commit().expect("of nothing");
        job.begin().expect("begin");
        job.batch("truncate table defined").expect("truncate");
        job.commit().expect("commit");
        job.batch("create index defined_id on defined (id)").expect("create");
        job.batch("drop index defined_id on defined").expect("drop");
    });
    assert_eq!(rise[name::COMMIT_COUNT], 3);
}

pub fn redo_and_physical_writes_are_counted(fixture: &Fixture) {
    let mut job = fixture.session();
    make(fixture, &mut *job, "redo");
    let rise = risen(fixture, &mut || {
        for _ in 0..5 {
            job.bulk("redo", &mut Rows::new(20_000, |id, sink| sink.decimal(id, 2))).expect("bulk");
        }
    });
    // 100 000 rows of 13 bytes and what InnoDB adds to a row.
    let redo = rise[name::REDO_WRITE_BYTES];
    assert!((2_000_000..40_000_000).contains(&redo), "{redo}");
    let mut reader = fixture.session();
    let rise = risen(fixture, &mut || drop(fixture.node().settle(&mut *reader).expect("settle")));
    let (writes, bytes) = (rise[name::PHYSICAL_WRITE_COUNT], rise[name::PHYSICAL_WRITE_BYTES]);
    let pages = rise[&format!("{}_page_written_count", fixture.engine.name())];
    assert!(pages > 100, "{pages} pages");
    assert!(writes > 0 && bytes >= pages * 16 * 1024, "{writes} writes of {bytes} bytes, {pages} pages");
    let shares = "select @@global.innodb_max_dirty_pages_pct, @@global.innodb_max_dirty_pages_pct_lwm";
    assert_eq!(ask(&mut *reader, shares), [[Value::Float(50.0), Value::Float(7.0)]], "settling puts them back");
}

pub fn settings_that_differ_are_shown_and_places_are_not(fixture: &Fixture) {
    let settings = fixture.node().inventory().expect("inventory").settings;
    let find = |name: &str| settings.iter().find(|setting| setting.name == name);
    let asked = find("innodb_max_dirty_pages_pct").expect("asked for by the target");
    assert!(asked.value.starts_with("50"), "{asked:?}");
    let default = asked.default.as_deref().map(|text| text.starts_with("90"));
    assert_eq!(default, (fixture.engine.name() == "mariadb").then_some(true), "{asked:?}");
    assert!(find("innodb_flush_log_at_trx_commit").is_some(), "important, though it is the default");
    assert!(find("max_heap_table_size").is_some(), "set by dbdyno");
    for name in ["socket", "datadir", "pid_file", "tmpdir", "ignore_db_dirs"] {
        assert!(find(name).is_none(), "{name}");
    }
}

pub fn what_mariadb_has_switched_off_is_missing(fixture: &Fixture) {
    let mut reader = fixture.session();
    let (counters, _) = fixture.node().counters(&mut *reader).expect("counters");
    assert!(counters.contains_key("mariadb_transaction_write_count"), "switched on by dbdyno");
    for name in ["mariadb_data_file_read_count", "mariadb_row_read_count", name::REDO_SYNC_COUNT] {
        assert!(!counters.contains_key(name), "{name}");
    }
    let watched = mariadb("performance_schema=on&performance_schema_instrument=wait/io/file/%25%3Don");
    let mut reader = watched.session();
    let (counters, _) = watched.node().counters(&mut *reader).expect("counters");
    assert!(counters["mariadb_data_file_read_count"] > 0 && counters["mariadb_data_file_read_time_ns"] > 0);
    assert!(!counters.contains_key("mariadb_log_sync_count"), "MariaDB has no instrument for its log");
    instruments_that_are_on_are_waits(&watched);
}

fn instruments_that_are_on_are_waits(watched: &Fixture) {
    let (time, count) = ("mariadb_wait_io_file_sql_FRM_ns", "mariadb_wait_io_file_sql_FRM_count");
    let mut job = watched.session();
    let rise = risen(watched, &mut || make(watched, &mut *job, "defined"));
    assert!(rise[count] > 0 && rise[time] > 0, "a definition is a file: {rise:?}");
    assert!(rise[time] < 10_000_000_000, "{} ns for one definition", rise[time]);
    let mut reader = watched.session();
    let mut counters = || watched.node().counters(&mut *reader).expect("counters").0;
    let (on, waits) = (counters(), |name: &&String| name.starts_with("mariadb_wait_"));
    assert!(!on.keys().any(|name| name.starts_with("mariadb_wait_io_file_innodb_innodb_data_file")), "counted already");
    assert!(on.keys().filter(waits).any(|name| on[name] == 0), "what never happened is zero");
    let switch_off = "update performance_schema.setup_instruments set timed = 'NO' where name = 'wait/io/file/sql/FRM'";
    job.batch(switch_off).expect("switch off");
    let off = counters();
    assert!(!off.contains_key(time) && !off.contains_key(count), "{off:?}");
    assert_eq!(off.keys().filter(waits).count() + 2, on.keys().filter(waits).count());
    job.batch("update performance_schema.setup_consumers set enabled = 'NO' where name = 'global_instrumentation'")
        .expect("switch all off");
    let none = counters();
    assert!(!none.keys().any(|name| waits(&name) || name.starts_with("mariadb_data_file_")), "{none:?}");
}

/// Its performance schema is on unless somebody switched it off.
pub fn mysql_times_statements_and_waits(fixture: &Fixture) {
    let mut job = fixture.session();
    make(fixture, &mut *job, "timed");
    let rise = risen(fixture, &mut || {
        ask(&mut *job, "select sleep(0.2)");
        job.bulk("timed", &mut Rows::new(1_000, |id, sink| sink.decimal(id, 2))).expect("bulk");
    });
    let at_work = rise[name::DATABASE_TIME_NS];
    assert!((200_000_000..20_000_000_000).contains(&at_work), "{at_work} ns at work");
    let (count, time) = (rise["mysql_log_sync_count"], rise["mysql_log_sync_time_ns"]);
    assert!(count > 0 && time > 0, "{count} syncs of the log in {time} ns");
    assert!(rise[name::REDO_SYNC_COUNT] > 0, "{:?}", rise[name::REDO_SYNC_COUNT]);
    for name in [
        "mysql_data_file_write_count",
        "mysql_wait_io_file_innodb_innodb_dblwr_file_count",
        "mysql_transaction_write_count",
    ] {
        assert!(rise.contains_key(name), "{name} is not there: {:?}", rise.keys());
    }
    for name in ["mysql_row_read_count", "mysql_wait_io_table_sql_handler_count"] {
        assert!(!rise.contains_key(name), "{name}: switched off, or one that falls");
    }
}

/// One of two that wait for each other is the victim, and is counted.
pub fn deadlocks_and_waits_for_locks_are_counted(fixture: &Fixture) {
    let (mut first, mut second) = (fixture.session(), fixture.session());
    first
        .batch("create table knot (id int primary key, n int); insert into knot values (1, 0), (2, 0)")
        .expect("create");
    let sql = "update knot set n = n + 1 where id = ?";
    let (of_first, of_second) = (prepare(&mut *first, sql), prepare(&mut *second, sql));
    let rise = risen(fixture, &mut || {
        first.begin().expect("begin");
        second.begin().expect("begin");
        assert_eq!(first.execute(of_first, &[Value::Int(1)]).expect("update"), 1);
        assert_eq!(second.execute(of_second, &[Value::Int(2)]).expect("update"), 1);
        let (one, two) = std::thread::scope(|scope| {
            let waits = scope.spawn(|| first.execute(of_first, &[Value::Int(2)]));
            let two = second.execute(of_second, &[Value::Int(1)]);
            // The one that went through must let go, or the other one would wait for it.
            if two.is_ok() {
                second.commit().expect("commit");
            }
            (waits.join().expect("no panic"), two)
        });
        let failures: Vec<Kind> = [one, two].into_iter().filter_map(|outcome| Some(outcome.err()?.kind)).collect();
        assert_eq!(failures, [Kind::Step(FailureKind::Deadlock)]);
        let _ = (first.rollback(), second.rollback());
    });
    assert_eq!(rise["mysql_lock_deadlock_count"], 1);
    assert!(rise["mysql_row_lock_wait_count"] >= 1, "{}", rise["mysql_row_lock_wait_count"]);
}
