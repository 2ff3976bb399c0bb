//! Cancellation of a statement from another thread.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use record::FailureKind;

use super::fixture::Fixture;
use engine::{Kind, Value};

/// Counts 900⁴ rows, which takes days on every engine; without a table, and with a recursion depth of at most 900.
const LONG: &str = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 900) \
                    select count(*) from n a, n b, n c, n d where a.i + b.i + c.i + d.i > 0";

/// From the call of `cancel` to the end of the statement.
const TIMEOUT: Duration = Duration::from_secs(2);

/// A long statement is cancelled within two seconds, and the session remains usable.
pub fn a_long_statement_is_cancelled_and_the_session_remains_usable(fixture: &Fixture) {
    let mut session = fixture.session();
    fixture.filled(&mut *session, "kit_cancel", 1);
    let canceller = session.canceller().expect("a session gives a canceller");
    for round in 0..2 {
        let long = fixture.prepare(&mut *session, LONG);
        let (ended, end) = mpsc::channel();
        // The session is moved to the thread and returned through the channel: if it were borrowed, a cancel without
        // effect would hang this test for days instead of failing it.
        std::thread::spawn(move || {
            let outcome = session.execute(long, &[]);
            let _ = ended.send((session, outcome));
        });
        std::thread::sleep(Duration::from_millis(200));
        let start = Instant::now();
        canceller.cancel().expect("cancel");
        let (returned, outcome) = end
            .recv_timeout(TIMEOUT)
            .unwrap_or_else(|_| panic!("round {round}: not cancelled after {:?}", start.elapsed()));
        session = returned;
        let error = outcome.expect_err("a statement that takes days is not done");
        assert_eq!(error.kind, Kind::Step(FailureKind::Cancelled), "{error:?}");
        let one = fixture.query(&mut *session, "select id from kit_cancel", &[]);
        assert_eq!(one, [[Value::Int(1)]], "the session remains usable");
    }
}

/// A canceller may be used after its session is closed, without effect on any session.
pub fn a_canceller_outlives_its_session(fixture: &Fixture) {
    let mut other = fixture.session();
    fixture.filled(&mut *other, "kit_outlived", 2);
    let session = fixture.session();
    let canceller = session.canceller().expect("a session gives a canceller");
    drop(session);
    // Whether that is an error is left to the engine.
    let _ = canceller.cancel();
    assert_eq!(fixture.count(&mut *other, "kit_outlived"), 2, "other sessions are not affected");
}
