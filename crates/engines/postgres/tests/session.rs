//! What a session of PostgreSQL does beyond what every engine does alike.

use std::time::{Duration, Instant};

use dbdyno_engine_postgres::POSTGRES;
use engine::{
    Column, ColumnType, Dialect, Engine, Kind, Node, Processes, RowSink, RowSource, Session, Site, Statement, Target,
    Value,
};
use record::{FailureKind, name};
use tempfile::TempDir;

/// A throwaway server with a claimed schema; the directory is removed after it.
struct Stand {
    node: Option<Box<dyn Node>>,
    directory: TempDir,
}

impl Stand {
    fn new(parameters: &str) -> Stand {
        let directory = tempfile::Builder::new().prefix("dbdyno-session-").tempdir_in("/tmp").unwrap();
        let target: Target = format!("local:postgres?{parameters}").parse().unwrap();
        let site = Site { directory: directory.path().to_owned(), keep: false, cache_bytes: None, sessions_max: 8 };
        let node = POSTGRES.open(&target, &site).unwrap_or_else(|error| panic!("{error:?}"));
        node.claim().expect("claim");
        Stand { node: Some(node), directory }
    }

    fn node(&self) -> &dyn Node {
        self.node.as_deref().expect("open")
    }

    fn session(&self) -> Box<dyn Session> {
        self.node().connect().expect("connect")
    }
}

impl Drop for Stand {
    fn drop(&mut self) {
        let closed = self.node.take().map(Node::close);
        if !std::thread::panicking() {
            closed.expect("open").expect("close");
            assert_eq!(self.directory.path().read_dir().unwrap().count(), 0, "something is left");
        }
    }
}

fn prepare(session: &mut dyn Session, sql: &str) -> Statement {
    session.prepare(sql).unwrap_or_else(|error| panic!("{sql}: {error:?}"))
}

fn ask(session: &mut dyn Session, sql: &str) -> Vec<Vec<Value<'static>>> {
    let statement = prepare(session, sql);
    session.query(statement, &[]).unwrap_or_else(|error| panic!("{sql}: {error:?}"))
}

fn text(value: &str) -> Value<'static> {
    Value::Text(value.to_owned().into())
}

#[test]
fn a_session_does_what_it_promises() {
    // One server for all of these: starting one costs more than any of them.
    let stand = Stand::new("autovacuum=off");
    binds_go_where_they_fit(&stand);
    results_of_every_type_are_read(&stand);
    rows_longer_than_any_buffer_arrive(&stand);
    rows_returned_are_told_from_rows_changed(&stand);
    errors_leave_the_session_in_step(&stand);
    a_failed_transaction_cannot_be_committed(&stand);
    a_load_that_fails_ends_early(&stand);
    a_load_may_be_part_of_a_transaction(&stand);
    a_source_that_breaks_its_word_is_refused(&stand);
    notices_do_not_end_a_load(&stand);
    parallel_plans_get_the_threads_that_were_asked_for(&stand);
    single_blocks_are_read_by_the_index(&stand);
    sessions_are_processes_of_the_server(&stand);
    twenty_three_transactions_of_several_sessions_are_twenty_three(&stand);
    redo_and_physical_writes_are_counted(&stand);
    a_session_that_the_server_ends_is_lost(&stand);
}

fn binds_go_where_they_fit(stand: &Stand) {
    let mut session = stand.session();
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

fn results_of_every_type_are_read(stand: &Stand) {
    let mut session = stand.session();
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

fn rows_longer_than_any_buffer_arrive(stand: &Stand) {
    let mut session = stand.session();
    let long = "x".repeat(3_000_000);
    let echo = prepare(&mut *session, "select $1::text, 7 from generate_series(1, 3)");
    let rows = session.query(echo, &[text(&long)]).expect("query");
    assert_eq!(rows, vec![vec![text(&long), Value::Int(7)]; 3]);
    assert_eq!(session.execute(echo, &[text(&long)]).expect("execute"), 3);
    let many = prepare(&mut *session, "select i, 'row ' || i from generate_series(1, 300000) i");
    assert_eq!(session.execute(many, &[]).expect("execute"), 300_000);
}

fn rows_returned_are_told_from_rows_changed(stand: &Stand) {
    let mut session = stand.session();
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

fn errors_leave_the_session_in_step(stand: &Stand) {
    let mut session = stand.session();
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
    let mut holder = stand.session();
    holder.begin().expect("begin");
    let lock = prepare(&mut *holder, "lock table deferred");
    holder.execute(lock, &[]).expect("lock");
    let error = session.execute(insert, &[Value::Int(2)]).expect_err("locked");
    assert_eq!(error.kind, Kind::Step(FailureKind::LockTimeout), "{error:?}");
    holder.rollback().expect("rollback");
    assert_eq!(ask(&mut *session, "select count(*) from deferred"), [[Value::Int(1)]]);
}

fn a_failed_transaction_cannot_be_committed(stand: &Stand) {
    let mut session = stand.session();
    session.batch("create table lost (id int8)").expect("create");
    let insert = prepare(&mut *session, "insert into lost values (1 / $1::int8)");
    session.begin().expect("begin");
    session.execute(insert, &[Value::Int(1)]).expect("insert");
    session.execute(insert, &[Value::Int(0)]).expect_err("a division by zero");
    let error = session.commit().expect_err("nothing was committed");
    assert_eq!(error.kind, Kind::Step(FailureKind::Other), "{error:?}");
    assert_eq!(ask(&mut *session, "select count(*) from lost"), [[Value::Int(0)]]);
    // Serialization: two that read what the other writes.
    let mut other = stand.session();
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

/// Rows made by a function of their number.
struct Rows {
    columns: Vec<Column>,
    next: i64,
    end: i64,
    row: fn(i64, &mut dyn RowSink),
}

impl Rows {
    fn new(kind: ColumnType, end: i64, row: fn(i64, &mut dyn RowSink)) -> Rows {
        let column = |name: &str, kind| Column { name: name.to_owned(), kind };
        Rows { columns: vec![column("id", ColumnType::Int), column("order", kind)], next: 0, end, row }
    }
}

impl RowSource for Rows {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn next(&mut self, sink: &mut dyn RowSink) -> bool {
        if self.next == self.end {
            return false;
        }
        sink.int(self.next);
        (self.row)(self.next, sink);
        self.next += 1;
        true
    }
}

const CENTS: ColumnType = ColumnType::Decimal { precision: 8, scale: 2 };

/// Makes a table that fits [`Rows`].
fn make(session: &mut dyn Session, name: &str, kind: ColumnType) {
    let dialect: &Dialect = POSTGRES.dialect();
    let columns = Rows::new(kind, 0, |_, _| {}).columns;
    let table = engine::Table { name: name.to_owned(), columns, key: None, indexes: Vec::new(), compressed: false };
    for sql in (dialect.create)(&table) {
        session.batch(&sql).expect("create");
    }
}

fn a_load_that_fails_ends_early(stand: &Stand) {
    let mut session = stand.session();
    make(&mut *session, "early", CENTS);
    // The first row does not fit numeric(8, 2); there would be enough others for minutes.
    let mut rows = Rows::new(CENTS, 200_000_000, |id, sink| sink.decimal(if id == 0 { 10_000_000_000 } else { id }, 2));
    let begun = Instant::now();
    let error = session.bulk("early", &mut rows).expect_err("a numeric overflow");
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Step(FailureKind::Other), Some("22003")), "{error:?}");
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert!(rows.next < 1_000_000, "{} rows were made", rows.next);
    let count = session.bulk("early", &mut Rows::new(CENTS, 50_000, |id, sink| sink.decimal(id * 25, 2)));
    assert_eq!(count.expect("bulk"), 50_000);
    let sums = ask(&mut *session, "select sum(id), sum(\"order\"), max(\"order\") from early");
    let sums_expected = ["1249975000", "312493750", "12499.75"].map(|sum| Value::Decimal(sum.into()));
    assert_eq!(sums, [sums_expected]);
}

fn a_load_may_be_part_of_a_transaction(stand: &Stand) {
    let mut session = stand.session();
    make(&mut *session, "part", CENTS);
    session.begin().expect("begin");
    assert_eq!(session.bulk("part", &mut Rows::new(CENTS, 10, |id, sink| sink.decimal(id, 0))).expect("bulk"), 10);
    session.rollback().expect("rollback");
    assert_eq!(ask(&mut *session, "select count(*) from part"), [[Value::Int(0)]]);
}

fn a_source_that_breaks_its_word_is_refused(stand: &Stand) {
    let mut session = stand.session();
    make(&mut *session, "word", CENTS);
    let mut rows = Rows::new(CENTS, 100, |id, sink| if id == 50 { sink.text("fifty") } else { sink.decimal(id, 2) });
    let error = session.bulk("word", &mut rows).expect_err("text is no decimal");
    assert_eq!(error.kind, Kind::Statement);
    assert!(error.message.contains("field 2"), "{error}");
    assert_eq!(ask(&mut *session, "select count(*) from word"), [[Value::Int(0)]], "nothing was loaded");
}

fn notices_do_not_end_a_load(stand: &Stand) {
    let mut session = stand.session();
    make(&mut *session, "noisy", CENTS);
    session
        .batch(
            "create function speak() returns trigger language plpgsql as \
             $$ begin if new.id % 100 = 0 then raise notice 'row %', new.id; end if; return new; end $$; \
             create trigger speak before insert on noisy for each row execute function speak()",
        )
        .expect("create");
    let loaded = session.bulk("noisy", &mut Rows::new(CENTS, 50_000, |id, sink| sink.decimal(id, 2)));
    assert_eq!(loaded.expect("bulk"), 50_000);
    assert_eq!(ask(&mut *session, "select count(*) from noisy"), [[Value::Int(50_000)]]);
}

fn parallel_plans_get_the_threads_that_were_asked_for(stand: &Stand) {
    let mut session = stand.session();
    make(&mut *session, "wide", CENTS);
    session.bulk("wide", &mut Rows::new(CENTS, 20_000, |id, sink| sink.decimal(id, 2))).expect("bulk");
    session.batch("analyze wide").expect("analyze");
    for (threads, expected) in [(1, 0), (2, 1), (5, 4), (1, 0)] {
        for sql in (POSTGRES.dialect().threads)(threads) {
            session.batch(&sql).unwrap_or_else(|error| panic!("{sql}: {error:?}"));
        }
        let plan = plan(&mut *session, "select count(*), sum(\"order\") from wide");
        let planned = plan.lines().find_map(|line| line.trim().strip_prefix("Workers Planned: "));
        assert_eq!(planned.map_or(0, |workers| workers.parse().expect("a number")), expected, "{plan}");
    }
}

fn single_blocks_are_read_by_the_index(stand: &Stand) {
    let mut session = stand.session();
    session.batch("create index wide_id on wide (id)").expect("create index");
    let sql = "select \"order\" from wide where id between 5 and 15000";
    for statement in POSTGRES.dialect().single_block_reads {
        session.batch(statement).expect(statement);
    }
    let plan = plan(&mut *session, sql);
    assert!(plan.trim_start().starts_with("Index Scan using wide_id"), "{plan}");
}

fn plan(session: &mut dyn Session, sql: &str) -> String {
    let lines = ask(session, &format!("explain {sql}"));
    lines.iter().flatten().fold(String::new(), |plan, line| match line {
        Value::Text(line) => plan + line + "\n",
        other => panic!("{other:?}"),
    })
}

fn sessions_are_processes_of_the_server(stand: &Stand) {
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

fn twenty_three_transactions_of_several_sessions_are_twenty_three(stand: &Stand) {
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

fn redo_and_physical_writes_are_counted(stand: &Stand) {
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

fn a_session_that_the_server_ends_is_lost(stand: &Stand) {
    let mut session = stand.session();
    let mut other = stand.session();
    let process = session.server_process().expect("a process");
    let one = prepare(&mut *session, "select 1");
    ask(&mut *other, &format!("select pg_terminate_backend({process})"));
    std::thread::sleep(Duration::from_millis(300));
    let error = session.execute(one, &[]).expect_err("terminated");
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Lost, Some("57P01")), "{error:?}");
    assert_eq!(session.execute(one, &[]).expect_err("still gone").kind, Kind::Lost);
    assert_eq!(session.begin().expect_err("still gone").kind, Kind::Lost);
    // In mid-load as well, and in mid-statement by the death of the process.
    let mut session = stand.session();
    make(&mut *session, "ended", CENTS);
    let process = session.server_process().expect("a process");
    let outcome = std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            ask(&mut *other, &format!("select pg_terminate_backend({process})"));
        });
        session.bulk("ended", &mut Rows::new(CENTS, 200_000_000, |_, sink| sink.decimal(1, 2)))
    });
    let error = outcome.expect_err("terminated");
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Lost, Some("57P01")), "{error:?}");
}

#[test]
fn the_server_dying_loses_every_session() {
    let stand = Stand::new("");
    let mut session = stand.session();
    let sleep = prepare(&mut *session, "select pg_sleep(60)");
    let Processes::Local(postmaster) = stand.node().processes() else { panic!("on this host") };
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
    let error = stand.node().connect().map(|_| ()).expect_err("nobody is there");
    assert_eq!(error.kind, Kind::Unreachable, "{error:?}");
}
