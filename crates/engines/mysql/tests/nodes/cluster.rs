//! Three nodes of a Galera cluster that dbdyno has started.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use dbdyno_engine_mysql::MARIADB;
use engine::{Column, Kind, Node, RowSink, RowSource, Session, Statement, Value};
use engine_kit::Fixture;
use record::{FailureKind, name};

pub fn names_and_inventory(fixture: &Fixture) {
    let names: Vec<String> = fixture.nodes().iter().map(|node| node.name()).collect();
    assert_eq!(names, ["node1", "node2", "node3"]);
    let inventory = fixture.nodes()[1].inventory().expect("inventory");
    assert_eq!((inventory.nodes, inventory.durable), (3, Some(true)));
    assert!(inventory.durability.contains("certified by 3 nodes"), "{}", inventory.durability);
    for setting in inventory.settings {
        let is_place = setting.name.starts_with("wsrep_cluster_") || setting.name == "wsrep_provider";
        assert!(!is_place, "{} says where something is", setting.name);
    }
}

/// By how much a counter of each node rises while `work` is done by a session on each.
fn risen(fixture: &Fixture, names: &[&str], work: impl FnOnce(&mut [Box<dyn Session>])) -> Vec<Vec<u64>> {
    let sessions = || fixture.nodes().iter().map(|node| node.connect().expect("connect")).collect::<Vec<_>>();
    let (mut jobs, mut readers) = (sessions(), sessions());
    let mut read = |jobs: &mut [Box<dyn Session>]| -> Vec<BTreeMap<String, u64>> {
        let mut counters = Vec::new();
        for (node, (job, reader)) in fixture.nodes().iter().zip(jobs.iter_mut().zip(&mut readers)) {
            // What is still to be applied here would be counted later.
            node.catch_up(reader.as_mut(), fixture.session().as_mut()).expect("catch up");
            assert_eq!(job.publish_counters().expect("publish"), 0);
            counters.push(node.counters(reader.as_mut()).expect("counters").0);
        }
        counters
    };
    let before = read(&mut jobs);
    work(&mut jobs);
    let after = read(&mut jobs);
    let rise = |name: &&str| before.iter().zip(&after).map(|(before, after)| after[*name] - before[*name]).collect();
    names.iter().map(rise).collect()
}

pub fn twenty_three_commits_of_three_nodes_are_twenty_three(fixture: &Fixture) {
    let mut first = fixture.session();
    first.batch("create table commits (id bigint auto_increment primary key, number bigint)").expect("create");
    let sql = "insert into commits (number) select seq from seq_1_to_2 where seq <= ?";
    let names = [name::COMMIT_COUNT, "mariadb_replicated_transaction_count", "mariadb_received_transaction_count"];
    for round in 0..2 {
        let rise = risen(fixture, &names, |jobs| {
            let inserts: Vec<Statement> = jobs.iter_mut().map(|job| job.prepare(sql).expect("prepare")).collect();
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
        assert_eq!(rise, [[8, 8, 7], [8, 8, 7], [15, 15, 16]], "round {round}");
    }
    // Definitions and reads are commits of the node on which they were asked for.
    let rise = risen(fixture, &names[..1], |jobs| {
        jobs[1].batch("create index commits_number on commits (number)").expect("create");
        jobs[2].begin().expect("begin");
        jobs[2].batch("select count(*) from commits; select max(id) from commits").expect("select");
        jobs[2].commit().expect("commit");
    });
    assert_eq!(rise, [[0, 1, 1]]);
    // A session that is gone has counted all the same.
    let rise = risen(fixture, &names[..1], |_| {
        fixture.nodes()[2]
            .connect()
            .expect("connect")
            .batch("insert into commits (number) values (7)")
            .expect("insert");
    });
    assert_eq!(rise, [[0, 0, 1]]);
}

pub fn the_second_of_two_who_change_one_row_fails_as_a_counted_step(fixture: &Fixture) {
    let mut first = fixture.session();
    first
        .batch("create table conflicts (id int primary key, number int); insert into conflicts values (1, 0)")
        .unwrap();
    let mut jobs: Vec<Box<dyn Session>> = fixture.nodes().iter().map(|node| node.connect().expect("connect")).collect();
    fixture.nodes()[2].catch_up(jobs[2].as_mut(), first.as_mut()).expect("catch up");
    let sql = "update conflicts set number = number + 1 where id = 1";
    let updates: Vec<Statement> = jobs.iter_mut().map(|job| job.prepare(sql).expect("prepare")).collect();
    for job in [0, 2] {
        jobs[job].begin().expect("begin");
        assert_eq!(jobs[job].execute(updates[job], &[]).expect("update"), 1, "no node waits for a lock of another");
    }
    jobs[0].commit().expect("the first commits");
    let error = jobs[2].commit().expect_err("the second is too late");
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Step(FailureKind::Deadlock), Some("1213")), "{error:?}");
    fixture.nodes()[2].catch_up(jobs[2].as_mut(), first.as_mut()).expect("catch up");
    assert_eq!(jobs[2].execute(updates[2], &[]).expect("the session lives on"), 1);
    assert_eq!(fixture.query(jobs[2].as_mut(), "select number from conflicts", &[]), [[Value::Int(2)]]);
}

/// Rows of about a kilobyte.
struct Rows {
    columns: Vec<Column>,
    next: i64,
    end: i64,
    text: String,
}

impl RowSource for Rows {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn next(&mut self, sink: &mut dyn RowSink) -> bool {
        self.next += 1;
        if self.next <= self.end {
            sink.int(self.next);
            sink.text(&self.text);
        }
        self.next <= self.end
    }
}

pub fn a_load_larger_than_the_cache_of_replication_is_whole_on_every_node(fixture: &Fixture) {
    let mut first = fixture.session();
    first.batch("create table loaded (id bigint primary key, note varchar(1000))").expect("create");
    let column = |name: &str, kind| Column::new(name, kind);
    let columns = vec![column("id", engine::ColumnType::Int), column("note", engine::ColumnType::Text { size: 1000 })];
    let end = 50_000;
    let mut rows = Rows { columns, next: 0, end, text: "x".repeat(1000) };
    assert_eq!(first.bulk("loaded", &mut rows).expect("bulk"), end as u64);
    for node in fixture.nodes() {
        let mut here = node.connect().expect("connect");
        node.catch_up(here.as_mut(), first.as_mut()).expect("catch up");
        let rows = fixture.query(here.as_mut(), "select count(*), max(id) from loaded", &[]);
        assert_eq!(rows, [[Value::Int(end), Value::Int(end)]], "{}", node.name());
    }
    first.batch("drop table loaded").expect("drop");
}

/// Those that are left stall until they are sure that it is gone, and then go on; a node that is alone counts for none.
pub fn a_node_that_is_killed_costs_time_and_nothing_else() {
    let fixture = Fixture::open(&MARIADB, "local:mariadb?nodes=3");
    let mut first = fixture.session();
    first.batch("create table going (id int auto_increment primary key)").expect("create");
    let insert = first.prepare("insert into going values ()").expect("prepare");
    first.execute(insert, &[]).expect("insert");
    kill(fixture.nodes()[2].as_ref());
    let start = Instant::now();
    let mut count = 1;
    while start.elapsed() < Duration::from_secs(15) {
        match first.execute(insert, &[]) {
            Ok(_) => count += 1,
            Err(error) => assert!(error.failure().is_some(), "a step: {error:?}"),
        }
        if start.elapsed() > Duration::from_secs(8) && count > 3 {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(count > 3, "the two that are left go on");
    let mut second = fixture.nodes()[1].connect().expect("connect");
    fixture.nodes()[1].catch_up(second.as_mut(), first.as_mut()).expect("catch up");
    assert_eq!(fixture.count(second.as_mut(), "going"), count, "nothing that was acknowledged is lost");
    // Of two that are left one is no majority.
    kill(fixture.nodes()[1].as_ref());
    let start = Instant::now();
    let refused = loop {
        match first.execute(insert, &[]) {
            Ok(_) if start.elapsed() > Duration::from_secs(30) => panic!("a node alone goes on"),
            Ok(_) => std::thread::sleep(Duration::from_millis(10)),
            Err(error) => break error,
        }
    };
    assert!(refused.failure().is_some(), "a step, and no loss: {refused:?}");
}

fn kill(node: &dyn Node) {
    let engine::Processes::Local(roots) = node.processes() else { panic!("on this host") };
    let process = rustix::process::Pid::from_raw(roots[0] as i32).expect("a process");
    rustix::process::kill_process(process, rustix::process::Signal::KILL).expect("kill");
}
