//! Binds, results and errors of statements.

use engine::{Kind, Statement, Value};
use record::FailureKind;

use engine_kit::Fixture;
use engine_kit::session::{ask, prepare, text};

pub fn binds_go_where_they_fit(fixture: &Fixture) {
    let mut session = fixture.session();
    let cases = [
        ("select $1::int2", Value::Int(-32_768), Value::Int(-32_768)),
        ("select $1::int4", Value::Int(2_147_483_647), Value::Int(2_147_483_647)),
        ("select $1::bool", Value::Int(1), Value::Int(1)),
        ("select $1::float4", Value::Float(0.5), Value::Float(0.5)),
        ("select $1::float8", Value::Int(7), Value::Float(7.0)),
        ("select $1::numeric", Value::Int(-1200), Value::Decimal("-1200".into())),
        ("select $1::numeric", Value::Decimal("0.000012300".into()), Value::Decimal("0.0000123".into())),
        ("select $1::numeric", Value::Float(0.1), Value::Decimal("0.1".into())),
        ("select $1::bpchar(4)", text("ab"), text("ab  ")),
        ("select $1::date", text("2026-01-31"), text("2026-01-31")),
        ("select $1::date + 1", text("2026-01-31"), text("2026-02-01")),
        ("select $1::uuid", text("00000000-0000-0000-0000-00000000000a"), text("00000000-0000-0000-0000-00000000000a")),
        ("select $1::int8", Value::Null, Value::Null),
    ];
    for (sql, bind, expected) in cases {
        let statement = prepare(&mut *session, sql);
        let found = session.query(statement, std::slice::from_ref(&bind));
        assert_eq!(found.unwrap_or_else(|error| panic!("{sql}: {error:?}")), [[expected]], "{sql} of {bind:?}");
    }
    let misfits = [
        ("select $1::int2", Value::Int(40_000)),
        ("select $1::int4", Value::Int(1 << 40)),
        ("select $1::int8", text("5")),
        ("select $1::numeric", Value::Float(f64::NAN)),
    ];
    for (sql, bind) in misfits {
        let statement = prepare(&mut *session, sql);
        let error = session.execute(statement, &[bind]).expect_err(sql);
        assert_eq!(error.kind, Kind::Statement, "{sql}: {error:?}");
    }
    let two = prepare(&mut *session, "select $1::int8 + $2::int8");
    assert_eq!(session.execute(two, &[Value::Int(1)]).expect_err("a bind is missing").kind, Kind::Statement);
    assert_eq!(session.execute(Statement(9_999), &[]).expect_err("never prepared").kind, Kind::Statement);
    assert_eq!(session.query(two, &[Value::Int(1), Value::Int(2)]).expect("in step"), [[Value::Int(3)]]);
}

pub fn results_of_every_type_are_read(fixture: &Fixture) {
    let mut session = fixture.session();
    let rows = ask(
        &mut *session,
        "select true, false, 1::int2, 2::int4, 3::int8, 4::oid, 1.5::float4, 2.5::float8, \
         'NaN'::numeric, 12345678901234567890.5::numeric, 1e-20::numeric, 'name'::name, null::text, \
         interval '1 day', array[1, 2], '{\"a\": 1}'::jsonb",
    );
    let [row] = rows.as_slice() else { panic!("{rows:?}") };
    assert!(matches!(row[8], Value::Float(value) if value.is_nan()));
    let mut row = row.clone();
    row.remove(8);
    let expected = [
        Value::Int(1),
        Value::Int(0),
        Value::Int(1),
        Value::Int(2),
        Value::Int(3),
        Value::Int(4),
        Value::Float(1.5),
        Value::Float(2.5),
        Value::Decimal("12345678901234567890.5".into()),
        Value::Decimal("0.00000000000000000001".into()),
        text("name"),
        Value::Null,
        text("1 day"),
        text("{1,2}"),
        text("{\"a\": 1}"),
    ];
    assert_eq!(row, expected);
}

pub fn rows_longer_than_any_buffer_arrive(fixture: &Fixture) {
    let mut session = fixture.session();
    let long = "x".repeat(3_000_000);
    let echo = prepare(&mut *session, "select $1::text, 7 from generate_series(1, 3)");
    let rows = session.query(echo, &[text(&long)]).expect("query");
    assert_eq!(rows, vec![vec![text(&long), Value::Int(7)]; 3]);
    assert_eq!(session.execute(echo, &[text(&long)]).expect("execute"), 3);
    let many = prepare(&mut *session, "select i, 'row ' || i from generate_series(1, 300000) i");
    assert_eq!(session.execute(many, &[]).expect("execute"), 300_000);
}

pub fn rows_returned_and_changed_are_distinguished(fixture: &Fixture) {
    let mut session = fixture.session();
    session.batch("create table counted (id int8)").expect("create");
    let cases = [
        ("insert into counted select generate_series(1, 9)", 9),
        ("insert into counted select generate_series(1, 4) returning id", 4),
        ("update counted set id = id where id <= 2", 4),
        ("select from counted", 13),
        ("select id from counted where id < 0", 0),
        ("do $$ begin perform 1; end $$", 0),
        ("create table counted_too (id int8)", 0),
        ("", 0),
    ];
    for (sql, expected) in cases {
        let statement = prepare(&mut *session, sql);
        assert_eq!(session.execute(statement, &[]).expect(sql), expected, "{sql}");
    }
}

pub fn errors_leave_the_session_in_step(fixture: &Fixture) {
    let mut session = fixture.session();
    session.batch("create table deferred (id int8 primary key deferrable initially deferred)").expect("create");
    let insert = prepare(&mut *session, "insert into deferred values ($1)");
    session.execute(insert, &[Value::Int(1)]).expect("insert");
    // The error comes behind CommandComplete, at Sync or at the commit.
    let error = session.execute(insert, &[Value::Int(1)]).expect_err("a duplicate");
    assert_eq!(error.kind, Kind::Step(FailureKind::Constraint), "{error:?}");
    session.begin().expect("begin");
    session.execute(insert, &[Value::Int(1)]).expect("deferred");
    assert_eq!(session.commit().expect_err("a duplicate").kind, Kind::Step(FailureKind::Constraint));
    // The error comes between rows.
    let divide = prepare(&mut *session, "select 1 / (5 - i) from generate_series(1, 9) i");
    let error = session.query(divide, &[]).expect_err("a division by zero");
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Step(FailureKind::Other), Some("22012")));
    // Nobody sends rows for these.
    let copy = prepare(&mut *session, "copy deferred from stdin");
    assert_eq!(session.execute(copy, &[]).expect_err("no rows").kind, Kind::Statement);
    assert_eq!(session.batch("copy deferred from stdin").expect_err("no rows").kind, Kind::Statement);
    assert_eq!(session.batch("select 1; select 1 / 0").expect_err("the second").code.as_deref(), Some("22012"));
    assert_eq!(session.prepare("select \0").expect_err("a zero byte").kind, Kind::Statement);
    session.batch("do $$ begin raise notice 'a notice comes between'; end $$").expect("a notice");
    session.batch("set lock_timeout = '50ms'").expect("set");
    let mut holder = fixture.session();
    holder.begin().expect("begin");
    let lock = prepare(&mut *holder, "lock table deferred");
    holder.execute(lock, &[]).expect("lock");
    let error = session.execute(insert, &[Value::Int(2)]).expect_err("locked");
    assert_eq!(error.kind, Kind::Step(FailureKind::LockTimeout), "{error:?}");
    holder.rollback().expect("rollback");
    assert_eq!(ask(&mut *session, "select count(*) from deferred"), [[Value::Int(1)]]);
}

pub fn a_failed_transaction_cannot_be_committed(fixture: &Fixture) {
    let mut session = fixture.session();
    session.batch("create table lost (id int8)").expect("create");
    let insert = prepare(&mut *session, "insert into lost values (1 / $1::int8)");
    session.begin().expect("begin");
    session.execute(insert, &[Value::Int(1)]).expect("insert");
    session.execute(insert, &[Value::Int(0)]).expect_err("a division by zero");
    let error = session.commit().expect_err("nothing was committed");
    assert_eq!(error.kind, Kind::Step(FailureKind::Other), "{error:?}");
    assert_eq!(ask(&mut *session, "select count(*) from lost"), [[Value::Int(0)]]);
    // Serialization: two that read what the other writes.
    let mut other = fixture.session();
    for session in [&mut session, &mut other] {
        session.batch("set default_transaction_isolation = serializable").expect("set");
        session.begin().expect("begin");
        ask(&mut **session, "select count(*) from lost");
    }
    for session in [&mut session, &mut other] {
        let insert = prepare(&mut **session, "insert into lost values (5)");
        session.execute(insert, &[]).expect("insert");
    }
    session.commit().expect("the first wins");
    let error = other.commit().expect_err("the second loses");
    assert_eq!(error.kind, Kind::Step(FailureKind::Serialization), "{error:?}");
}
