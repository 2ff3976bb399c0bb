//! What the server counts.

use std::time::{Duration, Instant};

use engine::{Processes, Statement, Value};
use record::name;

use crate::rows::{CENTS, Rows, make};
use crate::stand::{Stand, ask, prepare};

pub fn sessions_are_processes_of_the_server(stand: &Stand) {
    let mut session = stand.session();
    let own = ask(&mut *session, "select pg_backend_pid()");
    assert_eq!(own, [[Value::Int(session.server_process().expect("a process").into())]]);
    let Processes::Local(postmaster) = stand.node().processes() else { panic!("on this host") };
    let parent = std::fs::read_to_string(format!("/proc/{}/stat", session.server_process().unwrap())).unwrap();
    assert!(parent.contains(&format!(" {} ", postmaster[0])));
    let process = session.server_process().unwrap();
    drop(session);
    assert!(
        !std::path::Path::new(&format!("/proc/{process}/fd")).exists() || {
            std::thread::sleep(Duration::from_millis(200));
            !std::path::Path::new(&format!("/proc/{process}/fd")).exists()
        }
    );
}

pub fn twenty_three_transactions_of_several_sessions_are_twenty_three(stand: &Stand) {
    let mut reader = stand.session();
    let mut jobs: Vec<_> = (0..3).map(|_| stand.session()).collect();
    jobs[0].batch("create table commits (id int8)").expect("create");
    let sql = "insert into commits select generate_series(1, $1::int8)";
    let inserts: Vec<Statement> = jobs.iter_mut().map(|job| prepare(&mut **job, sql)).collect();
    for round in 0..3 {
        for job in &mut jobs {
            job.publish_counters().expect("publish");
        }
        let (before, reading) = stand.node().counters(&mut *reader).expect("counters");
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
        let (after, _) = stand.node().counters(&mut *reader).expect("counters");
        let rise = |name: &str| after[name] - before[name];
        assert_eq!(rise(name::COMMIT_COUNT) - reading - published, 23, "round {round}");
        assert_eq!(rise(name::ROLLBACK_COUNT), rolled_back, "round {round}");
        assert_eq!(rise("postgres_row_inserted_count"), 46, "round {round}");
        // Version 13 does not count them.
        if after.contains_key(name::REDO_SYNC_COUNT) {
            assert!(rise(name::REDO_SYNC_COUNT) >= 23, "each commit was alone: {}", rise(name::REDO_SYNC_COUNT));
        }
        // The next round begins with nothing outstanding.
        stand.node().counters(&mut *reader).expect("counters");
    }
}

pub fn redo_and_physical_writes_are_counted(stand: &Stand) {
    let mut reader = stand.session();
    let mut job = stand.session();
    make(&mut *job, "redo", CENTS);
    stand.node().settle(&mut *reader).expect("settle");
    let (before, _) = stand.node().counters(&mut *reader).expect("counters");
    job.bulk("redo", &mut Rows::new(CENTS, 100_000, |id, sink| sink.decimal(id, 2))).expect("bulk");
    job.publish_counters().expect("publish");
    let (after, _) = stand.node().counters(&mut *reader).expect("counters");
    let size = match ask(&mut *reader, "select pg_relation_size('redo')").as_slice() {
        [row] => match row[0] {
            Value::Int(size) => size as u64,
            ref other => panic!("{other:?}"),
        },
        rows => panic!("{rows:?}"),
    };
    let redo = after[name::REDO_WRITE_BYTES] - before[name::REDO_WRITE_BYTES];
    assert!((size / 2..size * 3).contains(&redo), "{redo} bytes of redo for {size} bytes of table");
    stand.node().settle(&mut *reader).expect("settle");
    // The checkpointer publishes at the end of its work, a moment after the checkpoint is done.
    let begun = Instant::now();
    let written = loop {
        let (last, _) = stand.node().counters(&mut *reader).expect("counters");
        let written = last[name::PHYSICAL_WRITE_BYTES] - before[name::PHYSICAL_WRITE_BYTES];
        if written >= size || begun.elapsed() > Duration::from_secs(5) {
            break written;
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    assert!((size..size * 4).contains(&written), "{written} bytes written for {size} bytes of table");
}
