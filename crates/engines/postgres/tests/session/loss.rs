//! Lost sessions.

use std::time::Duration;

use engine::{Kind, Processes};

use crate::new_fixture;
use engine_kit::Fixture;
use engine_kit::session::{Rows, ask, make, prepare};

pub fn a_session_that_the_server_ends_is_lost(fixture: &Fixture) {
    let mut session = fixture.session();
    let mut other = fixture.session();
    let process = session.server_process().expect("a process");
    let one = prepare(&mut *session, "select 1");
    ask(&mut *other, &format!("select pg_terminate_backend({process})"));
    std::thread::sleep(Duration::from_millis(300));
    let error = session.execute(one, &[]).expect_err("terminated");
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Lost, Some("57P01")), "{error:?}");
    assert_eq!(session.execute(one, &[]).expect_err("still gone").kind, Kind::Lost);
    assert_eq!(session.begin().expect_err("still gone").kind, Kind::Lost);
    // During a load as well.
    let mut session = fixture.session();
    make(fixture, &mut *session, "ended");
    let process = session.server_process().expect("a process");
    let outcome = std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            ask(&mut *other, &format!("select pg_terminate_backend({process})"));
        });
        session.bulk("ended", &mut Rows::new(200_000_000, |_, sink| sink.decimal(1, 2)))
    });
    let error = outcome.expect_err("terminated");
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Lost, Some("57P01")), "{error:?}");
}

pub fn the_server_dying_loses_every_session() {
    let fixture = new_fixture("");
    let mut session = fixture.session();
    let sleep = prepare(&mut *session, "select pg_sleep(60)");
    let Processes::Local(postmaster) = fixture.node().processes() else { panic!("on this host") };
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            let pid = rustix::process::Pid::from_raw(postmaster[0] as i32).unwrap();
            rustix::process::kill_process(pid, rustix::process::Signal::QUIT).unwrap();
        });
        session.execute(sleep, &[])
    });
    let error = outcome.expect_err("the server is gone");
    assert_eq!(error.kind, Kind::Lost, "{error:?}");
    let error = fixture.node().connect().map(|_| ()).expect_err("the server is gone");
    assert_eq!(error.kind, Kind::Unreachable, "{error:?}");
}
