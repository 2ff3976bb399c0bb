//! Statements, their rows and their errors.

use engine::{Kind, Statement, Value};
use record::FailureKind;

use crate::numbers;
use engine_kit::Fixture;
use engine_kit::session::{ask, prepare, text};

pub fn results_of_every_type_are_read(fixture: &Fixture) {
    let mut session = fixture.session();
    let rows = ask(
        &mut *session,
        "select true, cast(-3 as signed), cast(18446744073709551615 as unsigned), 1.50, 0.00, 2.5e0, 'name', null, \
         cast('2026-11-21' as date), cast('2026-11-21 10:11:12' as datetime), cast('-26:00:01.5' as time(6)), \
         json_array(1, 2), cast('raw' as binary)",
    );
    let expected = [
        Value::Int(1),
        Value::Int(-3),
        Value::Decimal("18446744073709551615".into()),
        Value::Decimal("1.5".into()),
        Value::Decimal("0".into()),
        Value::Float(2.5),
        text("name"),
        Value::Null,
        text("2026-11-21"),
        text("2026-11-21 10:11:12"),
        text("-26:00:01.500000"),
        text("[1, 2]"),
        text("raw"),
    ];
    assert_eq!(rows, [expected]);
    session.batch("create table narrow (a tinyint, b smallint unsigned, c mediumint, d int, e float, f year)").unwrap();
    session.batch("insert into narrow values (-1, 65535, -8388608, -2147483648, 0.5, 2026)").unwrap();
    let expected =
        [Value::Int(-1), Value::Int(65_535), Value::Int(-8_388_608), Value::Int(i32::MIN.into()), Value::Float(0.5)];
    let rows = ask(&mut *session, "select * from narrow");
    assert_eq!(rows[0][..5], expected);
    assert_eq!(rows[0][5], Value::Int(2026));
}

pub fn rows_longer_than_any_buffer_arrive(fixture: &Fixture) {
    let mut session = fixture.session();
    let echo = prepare(&mut *session, "select repeat(?, 3000000), 7 from (select 1 union select 2 union select 3) n");
    let rows = session.query(echo, &[text("x")]).expect("query");
    assert_eq!(rows, vec![vec![text(&"x".repeat(3_000_000)), Value::Int(7)]; 3]);
    // A row beyond what one packet carries, and a bind.
    let mut other = fixture.session();
    other.batch("set global max_allowed_packet = 134217728").expect("set");
    let mut session = fixture.session();
    let long = "y".repeat(17_000_000);
    let length = prepare(&mut *session, "select char_length(?)");
    assert_eq!(session.query(length, &[text(&long)]).expect("a long bind"), [[Value::Int(17_000_000)]]);
    let repeat = prepare(&mut *session, "select repeat('z', 17000000), 8");
    let rows = session.query(repeat, &[]).expect("a long row");
    assert!(matches!(&rows[0][0], Value::Text(text) if text.len() == 17_000_000) && rows[0][1] == Value::Int(8));
    other.batch("set global max_allowed_packet = default").expect("set");
    let many = prepare(&mut *session, &format!("select seq, concat('row ', seq) from {}", numbers(300_000)));
    assert_eq!(session.execute(many, &[]).expect("execute"), 300_000);
}

pub fn rows_returned_are_told_from_rows_changed(fixture: &Fixture) {
    let mut session = fixture.session();
    session.batch("create table counted (id bigint)").expect("create");
    let cases = [
        ("insert into counted values (1), (2), (3), (4), (5), (6), (7), (8), (9)", 9),
        ("insert into counted values (10), (11)", 2),
        ("update counted set id = id where id <= 2", 2),
        ("select id from counted", 11),
        ("select id from counted where id < 0", 0),
        ("do 1", 0),
        ("create table counted_too (id bigint)", 0),
    ];
    for (sql, expected) in cases {
        let statement = prepare(&mut *session, sql);
        assert_eq!(session.execute(statement, &[]).expect(sql), expected, "{sql}");
    }
}

pub fn rows_returned_by_a_change_are_told_from_rows_changed(fixture: &Fixture) {
    let mut session = fixture.session();
    session.batch("create table told (id bigint)").expect("create");
    let insert = prepare(&mut *session, "insert into told values (10), (11) returning id");
    assert_eq!(session.execute(insert, &[]).expect("insert"), 2);
    assert_eq!(session.query(insert, &[]).expect("insert"), [[Value::Int(10)], [Value::Int(11)]]);
}

pub fn procedures_return_their_rows(fixture: &Fixture) {
    let mut session = fixture.session();
    session
        .batch("create procedure two(n bigint) begin select n, 'a'; select n + 1, 'b'; update counted set id = 0 where id = n; end")
        .expect("create");
    let call = prepare(&mut *session, "call two(?)");
    for n in [5, 6] {
        let rows = session.query(call, &[Value::Int(n)]).expect("call");
        assert_eq!(rows, [[Value::Int(n), text("a")], [Value::Int(n + 1), text("b")]]);
    }
    assert_eq!(session.execute(call, &[Value::Int(100)]).expect("call"), 2);
}

pub fn errors_leave_the_session_in_step(fixture: &Fixture) {
    let mut session = fixture.session();
    let add = prepare(&mut *session, "select cast(? as signed) + cast(? as signed)");
    assert_eq!(session.execute(add, &[Value::Int(1)]).expect_err("a bind is missing").kind, Kind::Statement);
    assert_eq!(session.execute(Statement(9_999), &[]).expect_err("never prepared").kind, Kind::Statement);
    // The error comes between rows.
    let few = "(select 1 as i union all select 2 union all select 3) few";
    let several = format!("select (select few.i from {few} where few.i < s.seq) from {}", numbers(9));
    let error = ask_error(&mut *session, &several);
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Step(FailureKind::Other), Some("1242")));
    // Nobody sends a file for these.
    let refused = session.batch("load data local infile '/etc/passwd' into table counted").expect_err("no file");
    assert_eq!(refused.kind, Kind::Statement, "{refused:?}");
    let second = session.batch("select 1; select no_such_function(1)").expect_err("the second");
    assert_eq!((second.kind, second.code.as_deref()), (Kind::Statement, Some("1305")));
    let mut holder = fixture.session();
    session
        .batch("set innodb_lock_wait_timeout = 1; create table held (id int primary key); insert into held values (1)")
        .unwrap();
    holder.begin().expect("begin");
    let hold = prepare(&mut *holder, "update held set id = 1");
    holder.execute(hold, &[]).expect("hold");
    let update = prepare(&mut *session, "update held set id = 1");
    let error = session.execute(update, &[]).expect_err("locked");
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Step(FailureKind::LockTimeout), Some("1205")));
    holder.rollback().expect("rollback");
    assert_eq!(session.query(add, &[Value::Int(1), Value::Int(2)]).expect("in step"), [[Value::Int(3)]]);
    assert_eq!(ask(&mut *session, "select 'in step'"), [[text("in step")]]);
}

fn ask_error(session: &mut dyn engine::Session, sql: &str) -> engine::Error {
    let statement = prepare(session, sql);
    session.query(statement, &[]).expect_err(sql)
}

/// Columns are described once; another session makes others of them.
pub fn a_table_that_changes_changes_its_rows(fixture: &Fixture) {
    let (mut session, mut other) = (fixture.session(), fixture.session());
    session.batch("create table changing (id bigint); insert into changing values (7)").expect("create");
    let select = prepare(&mut *session, "select * from changing");
    assert_eq!(session.query(select, &[]).expect("query"), [[Value::Int(7)]]);
    other.batch("alter table changing add column note varchar(9) default 'x', modify id double").expect("alter");
    assert_eq!(session.query(select, &[]).expect("query"), [[Value::Float(7.0), text("x")]]);
    assert_eq!(session.execute(select, &[]).expect("execute"), 1);
}
