//! Sessions through the driver, with a double of a server: what is sent, and what its answers mean.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{
    Column, ColumnType, Engine, Error, Kind, Node, Result, RowSink, RowSource, Session, Target, Value, Workspace,
};
use record::FailureKind;

use super::double::{Answer, Brain, Field, Heard, LOGIN, start};
use crate::connect::Login;
use crate::session::OracleSession;

fn login(port: u16) -> Arc<Login> {
    let target: Target =
        format!("oracle://ann:s3cret@127.0.0.1:{port}/sales?connect_timeout=5").parse().expect("a target");
    Arc::new(Login::of(&target, &|_| None).expect("a login"))
}

/// A session, and what the double has heard since it was let in.
fn session(brain: Brain) -> (OracleSession, Heard) {
    let (port, heard) = start(brain);
    let session = OracleSession::start(&login(port), Some("DBDYNO")).unwrap_or_else(|error| panic!("{error:?}"));
    (session, heard)
}

/// What was heard since the last time.
fn take(heard: &Heard) -> Vec<String> {
    std::mem::take(&mut *heard.lock().expect("heard"))
}

fn ready(brain: Brain) -> (OracleSession, Heard) {
    let (session, heard) = session(brain);
    take(&heard);
    (session, heard)
}

fn refused(outcome: Result<OracleSession>) -> Error {
    outcome.err().expect("refused")
}

#[test]
fn a_wrong_password_is_told_with_its_number_and_never_shown() {
    let (port, _) = start(|text| if text == LOGIN { Answer::Refused(1017) } else { Answer::Done(0) });
    let error = refused(OracleSession::start(&login(port), None));
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Access, Some("ORA-01017")), "{error:?}");
    assert_eq!(error.message, format!("user ann is not let in at 127.0.0.1 port {port}: a reason"));
    assert!(error.hint.as_deref().is_some_and(|hint| hint.contains("check user and password")), "{error:?}");
    assert!(!format!("{error:?}").contains("s3cret"));
    let (port, _) = start(|text| if text == LOGIN { Answer::Refused(28000) } else { Answer::Done(0) });
    assert!(refused(OracleSession::start(&login(port), None)).hint.unwrap().contains("unlock"));
}

#[test]
fn a_session_begins_in_the_schema_and_knows_the_version() {
    let (session, heard) = session(|_| Answer::Done(0));
    let expected = [
        "alter session set nls_comp = binary",
        "alter session set nls_sort = binary",
        "alter session set nls_date_format = 'YYYY-MM-DD'",
        "alter session set current_schema = DBDYNO",
    ];
    assert_eq!(take(&heard), expected);
    assert_eq!(session.version().expect("a version"), (19, "19.3.0.0.0".to_owned()));
    assert!(session.canceller().is_some());
}

#[test]
fn a_change_commits_by_itself_and_a_transaction_at_its_end() {
    let (mut session, heard) = ready(|_| Answer::Done(3));
    let text = "update t set a = :1 where b = :2";
    let update = session.prepare(text).expect("prepare");
    assert_eq!(take(&heard), [format!("parse: {text}")]);
    let binds = [Value::Int(-7), Value::Text("x".into())];
    for _ in 0..2 {
        assert_eq!(session.execute(update, &binds).expect("update"), 3);
        assert_eq!(take(&heard), [text, "commit"]);
    }
    session.begin().expect("begin");
    session.execute(update, &binds).expect("update");
    session.execute(update, &binds).expect("update");
    session.commit().expect("commit");
    assert_eq!(take(&heard), [text, text, "commit"]);
    session.begin().expect("begin");
    session.execute(update, &binds).expect("update");
    session.rollback().expect("rollback");
    assert_eq!(take(&heard), [text, "rollback"]);
}

#[test]
fn an_answer_that_is_late_ends_the_session_within_the_limit() {
    let limit = Duration::from_millis(200);
    let late: Brain = |text| {
        if text.starts_with("update") {
            std::thread::sleep(Duration::from_secs(20));
        }
        Answer::Done(1)
    };
    let (mut session, _) = ready(late);
    let update = session.prepare("update t set a = 1").expect("prepare");
    session.limit_waits(Some(limit));
    let begin = Instant::now();
    let error = session.execute(update, &[]).expect_err("no answer");
    assert!(begin.elapsed() < 10 * limit, "after {:?}", begin.elapsed());
    assert_eq!(error.kind, Kind::Lost, "{error:?}");
    assert_eq!(session.execute(update, &[]).expect_err("it is gone").kind, Kind::Lost);
}

#[test]
fn a_transaction_that_only_read_sends_nothing_at_its_end() {
    let (mut session, heard) = ready(|_| Answer::Row(vec![Field::Number(42, 0)]));
    let text = "select a from t where b = :1";
    let select = session.prepare(text).expect("prepare");
    session.begin().expect("begin");
    assert_eq!(session.execute(select, &[Value::Int(1)]).expect("select"), 1);
    assert_eq!(session.query(select, &[Value::Null]).expect("select"), [[Value::Int(42)]]);
    session.commit().expect("commit");
    assert_eq!(take(&heard), [format!("parse: {text}").as_str(), text, text]);
    let locking = session.prepare("select a from t for update").expect("prepare");
    session.begin().expect("begin");
    session.execute(locking, &[]).expect("select");
    session.rollback().expect("rollback");
    assert_eq!(take(&heard).last().map(String::as_str), Some("rollback"), "locks are given back");
}

#[test]
fn values_come_as_the_types_of_their_columns() {
    let cases: [(Brain, Value<'static>); 5] = [
        (|_| Answer::Row(vec![Field::Number(7, 0)]), Value::Int(7)),
        (|_| Answer::Row(vec![Field::Number(7, -127)]), Value::Int(7)),
        (|_| Answer::Row(vec![Field::Number(7, 2)]), Value::Decimal("7".into())),
        (|_| Answer::Row(vec![Field::Double(-0.25)]), Value::Float(-0.25)),
        (|_| Answer::Row(vec![Field::Text("it's")]), Value::Text("it's".into())),
    ];
    for (brain, expected) in cases {
        let (mut session, _) =
            session(|text| if text.starts_with("alter") { Answer::Done(0) } else { Answer::Done(1) });
        drop(session.ask("update t set a = 1"));
        let (mut session, _) = ready(brain);
        assert_eq!(session.ask("select a from dual").expect("a row"), [[expected]]);
    }
}

#[test]
fn what_the_server_refuses_is_a_failed_step_a_wrong_statement_or_the_end() {
    fn brain(text: &str) -> Answer {
        match text {
            text if text.contains("deadlock") => Answer::Refused(60),
            text if text.contains("twice") => Answer::Refused(1),
            text if text.contains("nowhere") => Answer::Refused(942),
            text if text.contains("killed") => Answer::Refused(28),
            text if text.contains("crash") => Answer::Gone,
            text if text.starts_with("create function") => Answer::Warning,
            _ => Answer::Done(1),
        }
    }
    let (mut session, heard) = ready(brain);
    let kinds = [
        ("update deadlock set a = 1", Kind::Step(FailureKind::Deadlock), "ORA-00060"),
        ("insert into twice values (1)", Kind::Step(FailureKind::Constraint), "ORA-00001"),
        ("delete from nowhere", Kind::Statement, "ORA-00942"),
    ];
    for (text, kind, code) in kinds {
        let error = session.batch(text).expect_err(text);
        assert_eq!((error.kind, error.code.as_deref(), error.message.as_str()), (kind, Some(code), "a reason"));
        assert_eq!(session.prepare(text).expect_err(text).kind, kind, "{text}");
    }
    session.begin().expect("begin");
    session.batch("update deadlock set a = 1").expect_err("a deadlock");
    take(&heard);
    session.rollback().expect("the session lives on");
    assert_eq!(take(&heard), ["rollback"], "what came before the deadlock is given back");
    let error = session.batch("create function f return number is begin retrun 1; end;").expect_err("a broken unit");
    assert_eq!(error.kind, Kind::Statement, "{error:?}");
    assert_eq!(session.batch("delete from killed").expect_err("killed").kind, Kind::Lost);
    assert_eq!(session.batch("delete from t").expect_err("lost before").kind, Kind::Lost);
    let (mut session, _) = ready(brain);
    let error = session.batch("delete from crash").expect_err("the connection is closed");
    assert_eq!(error.kind, Kind::Lost, "{error:?}");
}

#[test]
fn a_statement_that_is_prepared_again_is_parsed_again() {
    let (mut session, heard) = ready(|_| Answer::Done(0));
    let first = session.prepare("delete from t").expect("prepare");
    assert_eq!(session.prepare("delete from t;").expect("prepare"), first);
    assert_eq!(take(&heard), ["parse: delete from t"; 2]);
    session.prepare("drop table t").expect("prepare");
    assert_eq!(take(&heard), [""; 0], "parsing a definition would carry it out");
}

/// Rows of a number and a text.
struct Rows {
    columns: Vec<Column>,
    left: i64,
}

impl RowSource for Rows {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn next(&mut self, sink: &mut dyn RowSink) -> bool {
        self.left -= 1;
        if self.left >= 0 {
            sink.int(self.left);
            sink.text("note");
        }
        self.left >= 0
    }
}

#[test]
fn a_bulk_load_is_one_array_and_one_commit() {
    let column = |name: &str, kind| Column::new(name, kind);
    let columns = vec![column("id", ColumnType::Int), column("note", ColumnType::Text { size: 40 })];
    let insert = "insert /*+ append_values */ into \"T\" (\"ID\", \"NOTE\") values (:1, :2)";
    let (mut session, heard) =
        ready(|text| if text.contains("NOWHERE") { Answer::Refused(942) } else { Answer::Done(100) });
    let mut rows = Rows { columns: columns.clone(), left: 100 };
    assert_eq!(session.bulk("t", &mut rows).expect("bulk"), 100);
    assert_eq!(take(&heard), [insert, "commit"]);
    assert_eq!(session.bulk("t", &mut rows).expect("bulk of nothing"), 0);
    assert_eq!(take(&heard), [""; 0]);
    let error = session.bulk("nowhere", &mut Rows { columns, left: 1 }).expect_err("no such table");
    assert_eq!(error.kind, Kind::Statement);
    assert_eq!(take(&heard).last().map(String::as_str), Some("rollback"));
}

#[test]
fn what_is_appended_goes_the_ordinary_way_and_waits_for_the_commit() {
    let column = |name: &str, kind| Column::new(name, kind);
    let columns = vec![column("id", ColumnType::Int), column("note", ColumnType::Text { size: 40 })];
    let (mut session, heard) = ready(|_| Answer::Done(100));
    let error = session.append("t", &mut Rows { columns: columns.clone(), left: 100 }).expect_err("no transaction");
    assert_eq!(error.kind, Kind::Statement);
    session.begin().expect("begin");
    for _ in 0..2 {
        assert_eq!(session.append("t", &mut Rows { columns: columns.clone(), left: 100 }).expect("append"), 100);
    }
    session.commit().expect("commit");
    let insert = "insert into \"T\" (\"ID\", \"NOTE\") values (:1, :2)";
    assert_eq!(take(&heard), [insert, insert, "commit"]);
    assert!(session.sending_ns().is_some_and(|spent| spent > 0));
}

/// Opens a node of a double.
fn node(brain: Brain, keep: bool) -> (Box<dyn Node>, Heard) {
    let (port, heard) = start(brain);
    let target: Target =
        format!("oracle://ann:s3cret@127.0.0.1:{port}/sales?connect_timeout=5").parse().expect("a target");
    let workspace = Workspace { directory: std::env::temp_dir(), keep, cache_bytes: None, sessions_max: 4 };
    let node = crate::ORACLE.open(&target, &workspace).unwrap_or_else(|error| panic!("{error:?}"));
    take(&heard);
    (node, heard)
}

/// What a claim finds: users of that name, the comment of the mark, who asks, and objects of that one.
fn found(users: u8, mark: Field, who: &'static str, objects: u8) -> Answer {
    Answer::Row(vec![Field::Number(users, 0), mark, Field::Text(who), Field::Number(objects, 0)])
}

/// What was heard but settings and questions.
fn done(heard: &Heard) -> Vec<String> {
    take(heard)
        .into_iter()
        .filter(|text| !["select", "parse", "alter session"].iter().any(|begin| text.starts_with(begin)))
        .collect()
}

#[test]
fn a_schema_is_made_marked_held_and_removed() {
    fn brain(text: &str) -> Answer {
        match text {
            text if text.contains("all_users") => found(0, Field::Null, "ANN", 3),
            text if text.contains("database_properties") => Answer::Row(vec![Field::Text("USERS")]),
            _ => Answer::Done(0),
        }
    }
    let (node, heard) = node(brain, false);
    node.claim().expect("claim");
    node.claim().expect("claim again");
    let made = done(&heard);
    let begins =
        ["create user DBDYNO identified by", "create table DBDYNO.DBDYNO_MARK", "comment on table", "lock table"];
    assert_eq!(made.len(), begins.len(), "{made:?}");
    assert!(made.iter().zip(begins).all(|(text, begin)| text.starts_with(begin)), "{made:?}");
    assert!(made[0].contains("default tablespace \"USERS\"") && made[2].contains("dbdyno: the user"), "{made:?}");
    node.connect().expect("connect");
    assert!(take(&heard).contains(&"alter session set current_schema = DBDYNO".to_owned()));
    node.close().expect("close");
    assert_eq!(done(&heard), ["drop user DBDYNO cascade"]);
}

#[test]
fn a_schema_of_somebody_else_is_left_alone_and_one_in_use_is_not_taken() {
    fn somebodys(text: &str) -> Answer {
        if text.contains("all_users") { found(1, Field::Null, "ANN", 3) } else { Answer::Done(0) }
    }
    let (node, heard) = node(somebodys, false);
    let error = node.claim().expect_err("not ours");
    assert_eq!(error.kind, Kind::NotOurs, "{error:?}");
    node.close().expect("close");
    assert_eq!(done(&heard), [""; 0], "something was done to it");
    fn in_use(text: &str) -> Answer {
        match text {
            text if text.contains("all_users") => found(1, Field::Text("dbdyno: the user"), "ANN", 3),
            text if text.starts_with("lock") => Answer::Refused(54),
            _ => Answer::Done(0),
        }
    }
    let (node, heard) = self::node(in_use, false);
    let error = node.claim().expect_err("in use");
    assert!(error.kind == Kind::NotOurs && error.message.contains("in use by another dbdyno"), "{error:?}");
    node.close().expect("close");
    assert!(!done(&heard).iter().any(|text| text.starts_with("drop")), "the other one's schema was removed");
}

#[test]
fn an_own_schema_keeps_its_user_and_one_that_is_kept_keeps_everything() {
    fn own(text: &str) -> Answer {
        if text.contains("all_users") { found(1, Field::Null, "DBDYNO", 0) } else { Answer::Done(0) }
    }
    let (node, heard) = node(own, false);
    node.claim().expect("claim");
    node.close().expect("close");
    let all = done(&heard);
    assert!(all[1].contains("dbdyno: the tables") && all.iter().any(|text| text.contains("user_objects")), "{all:?}");
    assert!(!all.iter().any(|text| text.contains("drop user")), "{all:?}");
    let (node, heard) = self::node(own, true);
    node.claim().expect("claim");
    take(&heard);
    node.close().expect("close");
    assert_eq!(done(&heard), [""; 0]);
}

#[test]
fn who_may_not_make_a_user_is_told_what_is_needed() {
    fn brain(text: &str) -> Answer {
        match text {
            text if text.contains("all_users") => found(0, Field::Null, "ANN", 3),
            text if text.contains("database_properties") => Answer::Row(vec![Field::Text("USERS")]),
            text if text.starts_with("create user") || text.starts_with("alter system") => Answer::Refused(1031),
            _ => Answer::Done(0),
        }
    }
    let (node, _) = node(brain, false);
    let error = node.claim().expect_err("no privilege");
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Access, Some("ORA-01031")));
    assert!(error.hint.unwrap().contains("create user"));
    // A server is measured as it is where a checkpoint is not allowed.
    node.settle(&mut *node.connect().expect("connect")).expect("settle");
}

#[test]
fn abilities_counters_and_settings_come_from_the_views_that_may_be_read() {
    fn brain(text: &str) -> Answer {
        match text {
            text if text.contains("v$option") => {
                Answer::Row(vec![Field::Text("Basic Compression"), Field::Text("TRUE")])
            }
            text if text.contains("v$sysstat") => {
                Answer::Row(vec![Field::Text("user commits"), Field::Number(23, -127)])
            }
            text if text.contains("v$system_event") => Answer::Refused(942),
            text if text.contains("v$sgainfo") => {
                Answer::Row(vec![Field::Text("Buffer Cache Size"), Field::Number(64, -127)])
            }
            text if text.contains("v$parameter") => {
                Answer::Row(vec![Field::Text("db_block_size"), Field::Text("8192")])
            }
            _ => Answer::Done(0),
        }
    }
    let (node, _) = node(brain, false);
    let caps = node.caps();
    assert!(caps.table_compression && !caps.parallel_query && caps.procedures);
    let (counters, own) = node.counters(&mut *node.connect().expect("connect")).expect("counters");
    assert_eq!((counters[record::name::COMMIT_COUNT], own), (23, 0));
    assert!(!counters.contains_key("oracle_wait_log_sync_count"), "a view that is not readable is missing");
    assert_eq!(counters["oracle_wait_log_sync_under_1us_count"], 0, "one that is readable counts from zero");
    let inventory = node.inventory().expect("inventory");
    assert_eq!((inventory.version.as_str(), inventory.durable), ("19.3.0.0.0", Some(true)));
    assert_eq!(inventory.cache_bytes, Some(record::Bytes(64)));
    assert_eq!(inventory.block_bytes, Some(record::Bytes(8192)));
    assert_eq!(inventory.location, record::Location::LocalTcp);
}
