//! Several nodes of one database.

use std::process::Command;
use std::time::{Duration, Instant};

use super::fixture::{Fixture, insert, row};
use engine::{Kind, Node, Processes, Value};

/// Timeout for the remaining nodes to notice the loss of one.
const DETECTION_TIMEOUT: Duration = Duration::from_secs(60);

/// Commits of one node are visible on every node once it has caught up; there is more than one node.
pub fn every_node_reads_what_the_first_committed(fixture: &Fixture) {
    assert!(fixture.nodes().len() > 1, "a target of several nodes");
    let mut first = fixture.session();
    fixture.filled(first.as_mut(), "kit_nodes", 23);
    for node in &fixture.nodes()[1..] {
        let mut here = node.connect().expect("connect");
        node.catch_up(here.as_mut(), first.as_mut()).expect("catch up");
        let count = fixture.prepare(here.as_mut(), "select count(*) from kit_nodes");
        assert_eq!(here.query(count, &[]).expect("count"), [[Value::Int(23)]], "node {}", node.name());
        assert!(node.counters(here.as_mut()).is_ok_and(|(values, _)| !values.is_empty()), "node {}", node.name());
        node.settle(here.as_mut()).expect("settle");
    }
}

/// A node accepts writes according to `takes_writes`; otherwise it rejects them as a step or a statement, not as a
/// loss.
pub fn every_node_takes_writes_or_refuses_them(fixture: &Fixture) {
    let mut first = fixture.session();
    fixture.filled(first.as_mut(), "kit_writes", 0);
    for (node, id) in fixture.nodes().iter().zip(1..) {
        let mut here = node.connect().expect("connect");
        node.catch_up(here.as_mut(), first.as_mut()).expect("catch up");
        let written = here.prepare(&fixture.sql(&insert("kit_writes")));
        let written = written.and_then(|statement| here.execute(statement, &row(id)));
        match written {
            Ok(count) => assert!(node.takes_writes() && count == 1, "node {} took {count}", node.name()),
            Err(error) => {
                assert!(!node.takes_writes(), "node {}: {error:?}", node.name());
                assert!(matches!(error.kind, Kind::Step(_) | Kind::Statement), "node {}: {error:?}", node.name());
            }
        }
        let one = fixture.prepare(here.as_mut(), "select count(*) from kit_writes where id = 0");
        assert!(here.query(one, &[]).is_ok(), "the session of node {} remains usable", node.name());
    }
}

/// A killed node is lost, and the others respond. It uses its own fixture, which it breaks.
pub fn a_killed_node_is_lost_alone(engine: &'static dyn engine::Engine, target: &str) {
    let fixture = Fixture::open(engine, target);
    let mut first = fixture.session();
    fixture.filled(first.as_mut(), "kit_killed", 23);
    let killed = fixture.nodes().last().expect("nodes");
    let mut session = killed.connect().expect("connect");
    kill(killed.as_ref());
    let start = Instant::now();
    // The process of a session may outlive that of the server for a moment.
    let gone = loop {
        match session.batch("select 1") {
            Err(error) => break error,
            Ok(()) => assert!(start.elapsed() < DETECTION_TIMEOUT, "its server was killed"),
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(gone.kind, Kind::Lost, "{gone:?}");
    let refused = killed.connect().err().expect("nothing answers");
    assert!(matches!(refused.kind, Kind::Lost | Kind::Unreachable), "{refused:?}");
    let start = Instant::now();
    for node in &fixture.nodes()[..fixture.nodes().len() - 1] {
        let answers = || -> engine::Result<Vec<Vec<Value<'static>>>> {
            let mut here = node.connect()?;
            let count = here.prepare("select count(*) from kit_killed")?;
            here.query(count, &[])
        };
        // The remaining nodes may need to agree on a quorum first.
        let answer = loop {
            match answers() {
                Err(error) if start.elapsed() > DETECTION_TIMEOUT => panic!("node {}: {error:?}", node.name()),
                Err(_) => std::thread::sleep(Duration::from_millis(200)),
                Ok(answer) => break answer,
            }
        };
        assert_eq!(answer, [[Value::Int(23)]], "node {}", node.name());
    }
}

/// Kills the processes of a node that runs on this host.
fn kill(node: &dyn Node) {
    let Processes::Local(roots) = node.processes() else { panic!("node {} is not on this host", node.name()) };
    for root in roots {
        let killed = Command::new("kill").args(["-KILL", &root.to_string()]).status().expect("kill");
        assert!(killed.success(), "process {root} of node {} could not be killed", node.name());
    }
}
