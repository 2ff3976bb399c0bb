//! Rows and lines that are appended inside a transaction, as in a resumable load.

use record::FailureKind;

use super::bulk::Rows;
use super::card::{self, Cards};
use super::fixture::{Fixture, insert, row};
use engine::{Kind, Processes, Result, Session, Table, Value};

/// Recreates `table`, and a table that records which batches of it are loaded.
fn make(fixture: &Fixture, session: &mut dyn Session, table: &Table) -> String {
    let progress = format!("{}_batch", table.name);
    fixture.create(session, table);
    let columns = table.columns[..1].to_vec();
    fixture.create(session, &Table { name: progress.clone(), columns, ..card::table("any") });
    progress
}

/// One batch of a load: `append` and the record of it, in one transaction.
fn batch(
    fixture: &Fixture,
    session: &mut dyn Session,
    progress: &str,
    append: impl FnOnce(&mut dyn Session) -> Result<u64>,
) -> Result<u64> {
    let note = fixture.prepare(session, &format!("insert into {progress} (card) values ({{1}})"));
    session.begin()?;
    let loaded = append(session).and_then(|count| session.execute(note, &[Value::Int(1)]).map(|_| count));
    match &loaded {
        Ok(_) => session.commit()?,
        Err(_) => session.rollback()?,
    }
    loaded
}

/// Appended rows are removed by a rollback and visible after a commit, together with the other changes of the
/// transaction; outside a transaction nothing is appended.
pub fn an_append_is_part_of_its_transaction(fixture: &Fixture) {
    let mut session = fixture.session();
    let progress = make(fixture, &mut *session, &card::table("kit_append"));
    let error = session.append("kit_append", &mut Cards::new(1..10)).expect_err("no transaction");
    assert_eq!(error.kind, Kind::Statement, "{error:?}");
    let note = fixture.prepare(&mut *session, &format!("insert into {progress} (card) values ({{1}})"));
    let load = |session: &mut dyn Session| {
        session.begin().expect("begin");
        assert_eq!(session.append("kit_append", &mut Cards::new(1..3_001)).expect("append"), 3_000);
        assert_eq!(session.append("kit_append", &mut Cards::new(3_001..5_001)).expect("append again"), 2_000);
        assert_eq!(session.append("kit_append", &mut Cards::new(1..1)).expect("append of nothing"), 0);
        assert_eq!(session.execute(note, &[Value::Int(1)]).expect("insert"), 1);
    };
    load(&mut *session);
    let mut other = fixture.session();
    assert_eq!(fixture.count(&mut *other, "kit_append"), 0, "others see nothing before the commit");
    session.rollback().expect("rollback");
    assert_eq!((fixture.count(&mut *session, "kit_append"), fixture.count(&mut *session, &progress)), (0, 0));
    load(&mut *session);
    session.commit().expect("commit");
    assert_eq!((fixture.count(&mut *other, "kit_append"), fixture.count(&mut *other, &progress)), (5_000, 1));
    let rows = fixture.query(&mut *other, "select card, amount, bought, city from kit_append order by card", &[]);
    assert_eq!(rows, card::rows(fixture, 1..5_001));
    let is_server = fixture.node().processes() != Processes::InProcess;
    assert_eq!(session.sending_ns().is_some_and(|spent| spent > 0), is_server);
    assert_eq!(other.sending_ns(), is_server.then_some(0), "sending time is per session");
}

/// An append with a duplicate key leaves nothing after the rollback, and the session remains usable.
pub fn an_append_that_fails_leaves_nothing_after_the_rollback(fixture: &Fixture) {
    let mut session = fixture.session();
    fixture.filled(&mut *session, "kit_append_failure", 3);
    session.begin().expect("begin");
    // The duplicate is last: the rows before it must be removed.
    let error = session.append("kit_append_failure", &mut Rows::new(-998, 1_000)).expect_err("a duplicate key");
    assert_eq!(error.kind, Kind::Step(FailureKind::Constraint), "{error:?}");
    session.rollback().expect("rollback");
    assert_eq!(fixture.count(&mut *session, "kit_append_failure"), 3);
    session.begin().expect("begin");
    assert_eq!(session.append("kit_append_failure", &mut Rows::new(10, 1_000)).expect("append"), 1_000);
    let insert = fixture.prepare(&mut *session, &insert("kit_append_failure"));
    assert_eq!(session.execute(insert, &row(5)).expect("insert beside it"), 1);
    session.commit().expect("commit");
    assert_eq!(fixture.count(&mut *session, "kit_append_failure"), 1_004);
}

/// Lines are loaded exactly, whatever their fields contain; an engine that does not load lines returns an error.
pub fn lines_are_loaded_exactly(fixture: &Fixture) {
    let mut session = fixture.session();
    let progress = make(fixture, &mut *session, &card::table("kit_lines"));
    let mut append = |lines: &str, ends_with_separator| {
        let form = card::form(ends_with_separator);
        batch(fixture, &mut *session, &progress, |session| session.append_lines("kit_lines", &form, lines.as_bytes()))
    };
    if !fixture.node().caps().lines {
        assert_eq!(append("1|1|2010-01-01|x\n", false).expect_err("no lines").kind, Kind::Usage);
        return;
    }
    // More than one goes to the server at a time.
    let plain = card::lines(1..20_001, false);
    let ended = card::lines(20_001..40_001, true);
    // An engine may use another path for lines with a backslash.
    let (escaping, harmless): (Vec<&str>, Vec<&str>) =
        ended.split_inclusive('\n').partition(|line| line.contains('\\'));
    let unended = card::lines(40_001..40_003, true) + card::lines(40_003..40_004, true).trim_end_matches('\n');
    assert_eq!(append(&plain, false).expect("lines"), 20_000);
    assert_eq!(append(&escaping.concat(), true).expect("lines with a separator at their end"), escaping.len() as u64);
    assert_eq!(append(&harmless.concat(), true).expect("lines without a backslash"), harmless.len() as u64);
    assert_eq!(append(&unended, true).expect("a last line without an end"), 3);
    assert_eq!(append("", true).expect("no lines at all"), 0);
    let error = session.append_lines("kit_lines", &card::form(false), b"x").expect_err("no transaction");
    assert_eq!(error.kind, Kind::Statement, "{error:?}");
    assert_eq!(fixture.count(&mut *session, &progress), 5);
    let rows = fixture.query(&mut *session, "select card, amount, bought, city from kit_lines order by card", &[]);
    assert_eq!(rows.len(), 40_003);
    for (row, expected) in rows.into_iter().zip(card::rows(fixture, 1..40_004)) {
        assert_eq!(row, expected);
    }
}

/// An invalid line is an error, its batch is removed, and the session remains usable.
pub fn an_invalid_line_fails_its_batch_as_a_whole(fixture: &Fixture) {
    if !fixture.node().caps().lines {
        return;
    }
    let bad: [(&str, &[u8]); 17] = [
        ("an invalid integer", b"x|1.00|2010-01-04|a|"),
        ("an empty integer", b"|1.00|2010-01-04|a|"),
        ("an integer beyond 64 bits", b"9223372036854775808|1.00|2010-01-04|a|"),
        ("an invalid decimal", b"1|1.0.0|2010-01-04|a|"),
        ("a decimal beyond its digits", b"1|10000000.00|2010-01-04|a|"),
        ("an invalid month", b"1|1.00|2010-13-01|a|"),
        ("an invalid day", b"1|1.00|2010-02-29|a|"),
        ("a zero date", b"1|1.00|0000-00-00|a|"),
        ("an empty date", b"1|1.00||a|"),
        ("a text that is too long", b"1|1.00|2010-01-04|123456789012345678901|"),
        ("a text that is not UTF-8", b"1|1.00|2010-01-04|\xff\xfe|"),
        ("too few fields", b"1|1.00|2010-01-04|"),
        ("too many fields", b"1|1.00|2010-01-04|a|b|"),
        ("no separator at the end", b"1|1.00|2010-01-04|a"),
        ("an empty line", b""),
        ("the end mark of a text COPY", b"\\.|"),
        ("a carriage return", b"1|1.00|2010-01-04|a|\r"),
    ];
    let mut session = fixture.session();
    let progress = make(fixture, &mut *session, &card::table("kit_bad_lines"));
    let form = card::form(true);
    for (what, line) in bad {
        let (before, after) = (card::lines(1..4, true), card::lines(4..2_000, true));
        let lines = [before.as_bytes(), line, b"\n", after.as_bytes()].concat();
        let error =
            batch(fixture, &mut *session, &progress, |session| session.append_lines("kit_bad_lines", &form, &lines))
                .expect_err(what);
        assert!(matches!(error.kind, Kind::Step(_) | Kind::Statement), "{what}: {error:?}");
        assert_eq!(fixture.count(&mut *session, "kit_bad_lines"), 0, "{what}");
    }
    let lines = card::lines(1..101, true);
    let loaded = batch(fixture, &mut *session, &progress, |session| {
        session.append_lines("kit_bad_lines", &form, lines.as_bytes())
    });
    assert_eq!(loaded.expect("good lines"), 100);
    assert_eq!((fixture.count(&mut *session, "kit_bad_lines"), fixture.count(&mut *session, &progress)), (100, 1));
}
