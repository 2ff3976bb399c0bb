//! Loading rows.

use std::time::{Duration, Instant};

use engine::{Kind, Value};
use record::FailureKind;

use engine_kit::Fixture;
use engine_kit::session::{self, Rows, ask, make};

pub fn a_load_that_fails_ends_early(fixture: &Fixture) {
    let mut session = fixture.session();
    make(fixture, &mut *session, "early");
    // The first row does not fit numeric(8, 2); all rows would take minutes.
    let mut rows = Rows::new(200_000_000, |id, sink| sink.decimal(if id == 0 { 10_000_000_000 } else { id }, 2));
    let start = Instant::now();
    let error = session.bulk("early", &mut rows).expect_err("a numeric overflow");
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Step(FailureKind::Other), Some("22003")), "{error:?}");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert!(rows.next < 1_000_000, "{} rows were made", rows.next);
    let count = session.bulk("early", &mut Rows::new(50_000, |id, sink| sink.decimal(id * 25, 2)));
    assert_eq!(count.expect("bulk"), 50_000);
    let sums = ask(&mut *session, "select sum(id), sum(\"order\"), max(\"order\") from early");
    let sums_expected = ["1249975000", "312493750", "12499.75"].map(|sum| Value::Decimal(sum.into()));
    assert_eq!(sums, [sums_expected]);
}

pub fn a_load_may_be_part_of_a_transaction(fixture: &Fixture) {
    let mut session = fixture.session();
    make(fixture, &mut *session, "part");
    session.begin().expect("begin");
    assert_eq!(session.bulk("part", &mut Rows::new(10, |id, sink| sink.decimal(id, 0))).expect("bulk"), 10);
    session.rollback().expect("rollback");
    assert_eq!(ask(&mut *session, "select count(*) from part"), [[Value::Int(0)]]);
}

pub fn one_transaction_is_deferred_and_the_next_is_not(fixture: &Fixture) {
    let mut session = fixture.session();
    let setting = |session: &mut dyn engine::Session| ask(session, "select current_setting('synchronous_commit')");
    let before = setting(&mut *session);
    assert_ne!(before, [[Value::Text("off".into())]]);
    session.begin().expect("begin");
    assert!(session.defer_durability().expect("deferred"));
    assert_eq!(setting(&mut *session), [[Value::Text("off".into())]]);
    session.commit().expect("commit");
    assert_eq!(setting(&mut *session), before);
    assert_eq!(session.defer_durability().expect_err("no transaction").kind, Kind::Statement);
}

pub fn rows_that_do_not_match_their_columns_are_rejected(fixture: &Fixture) {
    let mut session = fixture.session();
    make(fixture, &mut *session, "word");
    let mut rows = Rows::new(100, |id, sink| if id == 50 { sink.text("fifty") } else { sink.decimal(id, 2) });
    let error = session.bulk("word", &mut rows).expect_err("text is no decimal");
    assert_eq!(error.kind, Kind::Statement);
    assert!(error.message.contains("field 2"), "{error}");
    assert_eq!(ask(&mut *session, "select count(*) from word"), [[Value::Int(0)]], "nothing was loaded");
}

pub fn notices_do_not_end_a_load(fixture: &Fixture) {
    let mut session = fixture.session();
    make(fixture, &mut *session, "noisy");
    session
        .batch(
            "create function speak() returns trigger language plpgsql as \
             $$ begin if new.id % 100 = 0 then raise notice 'row %', new.id; end if; return new; end $$; \
             create trigger speak before insert on noisy for each row execute function speak()",
        )
        .expect("create");
    let loaded = session.bulk("noisy", &mut Rows::new(50_000, |id, sink| sink.decimal(id, 2)));
    assert_eq!(loaded.expect("bulk"), 50_000);
    assert_eq!(ask(&mut *session, "select count(*) from noisy"), [[Value::Int(50_000)]]);
}

pub fn an_append_that_fails_names_its_row(fixture: &Fixture) {
    session::an_append_that_fails_names_its_row(fixture, "line 3");
}
