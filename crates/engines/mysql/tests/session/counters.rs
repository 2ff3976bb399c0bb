//! What the server counts.

use std::collections::BTreeMap;

use engine::{Session, Statement, Value};
use record::name;

use crate::new_stand;
use engine::conformance::Stand;
use transport::conformance::session::{Rows, ask, make, prepare};

/// By how much each counter rises while `work` is done.
fn risen(stand: &Stand, work: &mut dyn FnMut()) -> BTreeMap<String, u64> {
    let mut reader = stand.session();
    let (before, reading) = stand.node().counters(&mut *reader).expect("counters");
    work();
    let (after, _) = stand.node().counters(&mut *reader).expect("counters");
    assert_eq!(reading, 0, "a reading is no commit");
    after.into_iter().map(|(name, value)| (name.clone(), value - before[&name])).collect()
}

pub fn twenty_three_transactions_of_several_sessions_are_twenty_three(stand: &Stand) {
    let mut jobs: Vec<Box<dyn Session>> = (0..3).map(|_| stand.session()).collect();
    jobs[0].batch("create table commits (id bigint)").expect("create");
    let sql = "insert into commits select seq from seq_1_to_2 where seq <= ?";
    let inserts: Vec<Statement> = jobs.iter_mut().map(|job| prepare(&mut **job, sql)).collect();
    for round in 0..3 {
        let rise = risen(stand, &mut || {
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
        // 23 transactions and 46 + 5 statements inside of one.
        assert_eq!(rise["mariadb_handler_commit_count"], 23 + 46 + 5, "round {round}");
        assert_eq!(rise["mariadb_handler_rollback_count"], 5, "round {round}");
        // InnoDB's own count agrees: what was rolled back is in both of these.
        let (ended, undone) = (rise["mariadb_transaction_write_count"], rise["mariadb_transaction_rollback_count"]);
        assert_eq!((ended - undone, undone), (23, 5), "round {round}");
    }
    // A session that is gone has counted all the same.
    let rise = risen(stand, &mut || {
        let mut job = stand.session();
        let insert = prepare(&mut *job, sql);
        job.begin().expect("begin");
        job.execute(insert, &[Value::Int(2)]).expect("insert");
        job.commit().expect("commit");
    });
    assert_eq!(rise[name::COMMIT_COUNT], 1);
}

pub fn a_definition_is_one_commit(stand: &Stand) {
    let mut job = stand.session();
    make(stand, &mut *job, "defined");
    let rise = risen(stand, &mut || {
        job.begin().expect("begin");
        job.batch("truncate table defined").expect("truncate");
        job.commit().expect("commit");
        job.batch("create index defined_id on defined (id)").expect("create");
        job.batch("drop index defined_id on defined").expect("drop");
        assert_eq!(job.bulk("defined", &mut Rows::new(100, |id, sink| sink.decimal(id, 2))).expect("bulk"), 100);
    });
    assert_eq!(rise[name::COMMIT_COUNT], 4);
}

pub fn redo_and_physical_writes_are_counted(stand: &Stand) {
    let mut job = stand.session();
    make(stand, &mut *job, "redo");
    let rise = risen(stand, &mut || {
        for _ in 0..5 {
            job.bulk("redo", &mut Rows::new(20_000, |id, sink| sink.decimal(id, 2))).expect("bulk");
        }
    });
    // 100 000 rows of 13 bytes and what InnoDB adds to a row.
    let redo = rise[name::REDO_WRITE_BYTES];
    assert!((2_000_000..40_000_000).contains(&redo), "{redo}");
    let mut reader = stand.session();
    let rise = risen(stand, &mut || stand.node().settle(&mut *reader).expect("settle"));
    let (writes, bytes) = (rise[name::PHYSICAL_WRITE_COUNT], rise[name::PHYSICAL_WRITE_BYTES]);
    let pages = rise["mariadb_page_written_count"];
    assert!(pages > 100, "{pages} pages");
    assert!(writes > 0 && bytes >= pages * 16 * 1024, "{writes} writes of {bytes} bytes, {pages} pages");
    let shares = "select @@global.innodb_max_dirty_pages_pct, @@global.innodb_max_dirty_pages_pct_lwm";
    assert_eq!(ask(&mut *reader, shares), [[Value::Float(50.0), Value::Float(7.0)]], "settling puts them back");
}

pub fn settings_that_differ_are_shown_and_places_are_not(stand: &Stand) {
    let settings = stand.node().inventory().expect("inventory").settings;
    let find = |name: &str| settings.iter().find(|setting| setting.name == name);
    let asked = find("innodb_max_dirty_pages_pct").expect("asked for by the target");
    assert!(asked.value.starts_with("50") && asked.default.as_deref().is_some_and(|text| text.starts_with("90")));
    assert!(find("innodb_flush_log_at_trx_commit").is_some(), "important, though it is the default");
    assert!(find("max_heap_table_size").is_some(), "set by dbdyno");
    for name in ["socket", "datadir", "pid_file", "tmpdir", "ignore_db_dirs"] {
        assert!(find(name).is_none(), "{name}");
    }
}

pub fn what_is_switched_off_is_missing(stand: &Stand) {
    let mut reader = stand.session();
    let (counters, _) = stand.node().counters(&mut *reader).expect("counters");
    assert!(counters.contains_key("mariadb_transaction_write_count"), "switched on by dbdyno");
    for name in ["mariadb_data_file_read_count", "mariadb_row_read_count", name::REDO_SYNC_COUNT] {
        assert!(!counters.contains_key(name), "{name}");
    }
    let watched = new_stand("performance_schema=on&performance_schema_instrument=wait/io/file/%25%3Don");
    let mut reader = watched.session();
    let (counters, _) = watched.node().counters(&mut *reader).expect("counters");
    assert!(counters["mariadb_data_file_read_count"] > 0 && counters["mariadb_data_file_read_time_ns"] > 0);
    assert!(!counters.contains_key("mariadb_log_sync_count"), "MariaDB has no instrument for its log");
    instruments_that_are_on_are_waits(&watched);
}

fn instruments_that_are_on_are_waits(watched: &Stand) {
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
