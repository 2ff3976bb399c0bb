//! Counters of the server.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use engine::{Processes, Session, Statement, Value};
use record::name;

use crate::new_fixture;
use engine_kit::Fixture;
use engine_kit::session::{Rows, ask, make, prepare};

pub fn sessions_are_processes_of_the_server(fixture: &Fixture) {
    let mut session = fixture.session();
    let own = ask(&mut *session, "select pg_backend_pid()");
    assert_eq!(own, [[Value::Int(session.server_process().expect("a process").into())]]);
    let Processes::Local(postmaster) = fixture.node().processes() else { panic!("on this host") };
    let parent = std::fs::read_to_string(format!("/proc/{}/stat", session.server_process().unwrap())).unwrap();
    assert!(parent.contains(&format!(" {} ", postmaster[0])));
    let process = session.server_process().unwrap();
    drop(session);
    // The server ends it after the client has gone.
    let start = Instant::now();
    while std::path::Path::new(&format!("/proc/{process}/fd")).exists() {
        assert!(start.elapsed() < Duration::from_secs(10), "process {process} of the server is still there");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub fn twenty_three_transactions_of_several_sessions_are_twenty_three(fixture: &Fixture) {
    let mut reader = fixture.session();
    let mut jobs: Vec<_> = (0..3).map(|_| fixture.session()).collect();
    jobs[0].batch("create table commits (id int8)").expect("create");
    let sql = "insert into commits select generate_series(1, $1::int8)";
    let inserts: Vec<Statement> = jobs.iter_mut().map(|job| prepare(&mut **job, sql)).collect();
    for round in 0..3 {
        for job in &mut jobs {
            job.publish_counters().expect("publish");
        }
        let (before, reading) = fixture.node().counters(&mut *reader).expect("counters");
        let mut rolled_back = 0;
        for number in 0..23 {
            let (job, insert) = (&mut jobs[number % 3], inserts[number % 3]);
            job.begin().expect("begin");
            job.execute(insert, &[Value::Int(2)]).expect("insert");
            job.commit().expect("commit");
            if number % 5 == 0 {
                job.begin().expect("begin");
                job.rollback().expect("rollback");
                rolled_back += 1;
            }
        }
        let published: u64 = jobs.iter_mut().map(|job| job.publish_counters().expect("publish")).sum();
        let (after, _) = fixture.node().counters(&mut *reader).expect("counters");
        let increase = |name: &str| after[name] - before[name];
        assert_eq!(increase(name::COMMIT_COUNT) - reading - published, 23, "round {round}");
        assert_eq!(increase(name::ROLLBACK_COUNT), rolled_back, "round {round}");
        assert_eq!(increase("postgres_row_inserted_count"), 46, "round {round}");
        // Version 13 does not count them.
        if after.contains_key(name::REDO_SYNC_COUNT) {
            assert!(increase(name::REDO_SYNC_COUNT) >= 23, "no group commit: {}", increase(name::REDO_SYNC_COUNT));
        }
        // The next round starts with nothing unpublished.
        fixture.node().counters(&mut *reader).expect("counters");
    }
}

/// The counters when the checkpointer has published what it wrote, a moment after the checkpoint is done.
fn published(fixture: &Fixture, reader: &mut dyn Session) -> BTreeMap<String, u64> {
    let mut read = || fixture.node().counters(&mut *reader).expect("counters").0;
    let mut last = read();
    for _ in 0..20 {
        std::thread::sleep(Duration::from_millis(500));
        let next = read();
        if next[name::PHYSICAL_WRITE_BYTES] == last[name::PHYSICAL_WRITE_BYTES] {
            return next;
        }
        last = next;
    }
    last
}

pub fn redo_and_physical_writes_are_counted(fixture: &Fixture) {
    let mut reader = fixture.session();
    let mut job = fixture.session();
    make(fixture, &mut *job, "redo");
    fixture.node().settle(&mut *reader).expect("settle");
    let before = published(fixture, &mut *reader);
    job.bulk("redo", &mut Rows::new(100_000, |id, sink| sink.decimal(id, 2))).expect("bulk");
    job.publish_counters().expect("publish");
    let (after, _) = fixture.node().counters(&mut *reader).expect("counters");
    let size = match ask(&mut *reader, "select pg_relation_size('redo')").as_slice() {
        [row] => match row[0] {
            Value::Int(size) => size as u64,
            ref other => panic!("{other:?}"),
        },
        rows => panic!("{rows:?}"),
    };
    let redo = after[name::REDO_WRITE_BYTES] - before[name::REDO_WRITE_BYTES];
    assert!((size / 2..size * 3).contains(&redo), "{redo} bytes of redo for {size} bytes of table");
    fixture.node().settle(&mut *reader).expect("settle");
    // The checkpointer publishes a moment after the checkpoint is done.
    let start = Instant::now();
    let written = loop {
        let (last, _) = fixture.node().counters(&mut *reader).expect("counters");
        let written = last[name::PHYSICAL_WRITE_BYTES] - before[name::PHYSICAL_WRITE_BYTES];
        if written >= size || start.elapsed() > Duration::from_secs(5) {
            break written;
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    assert!((size..size * 4).contains(&written), "{written} bytes written for {size} bytes of table");
}

pub fn waits_are_counted_while_they_are_timed(fixture: &Fixture) {
    let mut reader = fixture.session();
    let mut job = fixture.session();
    job.batch("create table waits (id int8)").expect("create");
    let insert = prepare(&mut *job, "insert into waits values ($1::int8)");
    let (before, _) = fixture.node().counters(&mut *reader).expect("counters");
    let (start, commits) = (Instant::now(), 50);
    for number in 0..commits {
        job.execute(insert, &[Value::Int(number)]).expect("insert");
    }
    job.publish_counters().expect("publish");
    let (after, _) = fixture.node().counters(&mut *reader).expect("counters");
    let elapsed_ns = u64::try_from(start.elapsed().as_nanos()).expect("a short time");
    assert!(after.contains_key("postgres_wait_data_read_ns") && after.contains_key("postgres_wait_data_write_ns"));
    // Version 13 does not time WAL.
    for event in ["wal_sync", "wal_write"].into_iter().filter(|_| after.contains_key(name::REDO_SYNC_COUNT)) {
        let (time, count) = (format!("postgres_wait_{event}_ns"), format!("postgres_wait_{event}_count"));
        let (time_ns, count) = (after[&time] - before[&time], after[&count] - before[&count]);
        assert!(count >= commits as u64, "{count} times {event}: no group commit");
        // The WAL writer waits at most as long again.
        assert!((1..2 * elapsed_ns).contains(&time_ns), "{event} took {time_ns} ns of {elapsed_ns}");
    }
}

pub fn waits_that_are_not_timed_are_missing() {
    for (off, beginning) in [("track_wal_io_timing", "postgres_wait_wal_"), ("track_io_timing", "postgres_wait_data_")]
    {
        let fixture = new_fixture(&format!("{off}=off"));
        let (counters, _) = fixture.node().counters(&mut *fixture.session()).expect("counters");
        let waits: Vec<&String> = counters.keys().filter(|name| name.starts_with("postgres_wait_")).collect();
        assert!(!waits.is_empty() && !waits.iter().any(|name| name.starts_with(beginning)), "{off} is off: {waits:?}");
    }
}
