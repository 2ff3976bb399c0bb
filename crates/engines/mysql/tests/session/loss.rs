//! Sessions that end before they should.

use std::time::Duration;

use engine::{Kind, Processes, Value};

use engine_kit::Fixture;
use engine_kit::session::{ask, prepare};

pub fn a_session_that_the_server_ends_is_lost(fixture: &Fixture) {
    let (mut session, mut other) = (fixture.session(), fixture.session());
    let one = prepare(&mut *session, "select 1");
    let rows = ask(&mut *session, "select connection_id()");
    let Value::Int(connection) = rows[0][0] else { panic!("{rows:?}") };
    other.batch(&format!("kill connection {connection}")).expect("kill");
    std::thread::sleep(Duration::from_millis(300));
    let error = session.execute(one, &[]).expect_err("terminated");
    assert_eq!(error.kind, Kind::Lost, "{error:?}");
    assert_eq!(session.execute(one, &[]).expect_err("still gone").kind, Kind::Lost);
    assert_eq!(session.begin().expect_err("still gone").kind, Kind::Lost);
}

pub fn the_server_dying_loses_every_session(fixture: &Fixture) {
    let mut session = fixture.session();
    let sleep = prepare(&mut *session, "select sleep(60)");
    let Processes::Local(server) = fixture.node().processes() else { panic!("on this host") };
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            let pid = rustix::process::Pid::from_raw(server[0] as i32).unwrap();
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        });
        session.execute(sleep, &[])
    });
    let error = outcome.expect_err("the server is gone");
    assert_eq!(error.kind, Kind::Lost, "{error:?}");
    let error = fixture.node().connect().map(|_| ()).expect_err("nobody is there");
    assert_eq!(error.kind, Kind::Unreachable, "{error:?}");
}
