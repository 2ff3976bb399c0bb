//! Loading rows.

use engine::{Kind, Value};
use record::FailureKind;

use engine_kit::Fixture;
use engine_kit::session::{self, Rows, ask, make};

pub fn a_load_may_be_part_of_a_transaction(fixture: &Fixture) {
    let mut session = fixture.session();
    make(fixture, &mut *session, "part");
    session.begin().expect("begin");
    assert_eq!(session.bulk("part", &mut Rows::new(10, |id, sink| sink.decimal(id, 0))).expect("bulk"), 10);
    // One that fails takes only itself back.
    let problem = session.bulk("part", &mut Rows::new(10, |id, sink| sink.decimal(id * 10_000_000_000, 2)));
    assert!(problem.is_err());
    assert_eq!(ask(&mut *session, "select count(*) from part"), [[Value::Int(10)]]);
    session.rollback().expect("rollback");
    assert_eq!(ask(&mut *session, "select count(*) from part"), [[Value::Int(0)]]);
}

pub fn a_source_that_breaks_its_word_is_refused(fixture: &Fixture) {
    let mut session = fixture.session();
    make(fixture, &mut *session, "word");
    let mut rows = Rows::new(100, |id, sink| if id == 50 { sink.text("fifty") } else { sink.decimal(id, 2) });
    let error = session.bulk("word", &mut rows).expect_err("text is no decimal");
    assert_eq!(error.kind, Kind::Statement);
    assert!(error.message.contains("field 2"), "{error}");
    assert_eq!(ask(&mut *session, "select count(*) from word"), [[Value::Int(0)]], "nothing was loaded");
}

/// The server only warns.
pub fn what_does_not_fit_is_no_load(fixture: &Fixture) {
    let mut session = fixture.session();
    make(fixture, &mut *session, "early");
    let mut rows = Rows::new(100_000, |id, sink| sink.decimal(if id == 99_000 { 10_000_000_000 } else { id }, 2));
    let error = session.bulk("early", &mut rows).expect_err("a numeric overflow");
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Step(FailureKind::Other), Some("1264")), "{error:?}");
    assert_eq!(ask(&mut *session, "select count(*) from early"), [[Value::Int(0)]], "nothing was loaded");
    let count = session.bulk("early", &mut Rows::new(50_000, |id, sink| sink.decimal(id * 25, 2)));
    assert_eq!(count.expect("bulk"), 50_000);
    let sums = ask(&mut *session, "select sum(id), sum(`order`), max(`order`) from early");
    let sums_expected = ["1249975000", "312493750", "12499.75"].map(|sum| Value::Decimal(sum.into()));
    assert_eq!(sums, [sums_expected]);
}

pub fn lines_and_tables_in_parts_are_taken(fixture: &Fixture) {
    let caps = fixture.node().caps();
    assert!(caps.lines && caps.partitions && caps.table_compression, "{caps:?}");
}

pub fn an_append_that_fails_names_its_row(fixture: &Fixture) {
    session::an_append_that_fails_names_its_row(fixture, "row 3");
}
