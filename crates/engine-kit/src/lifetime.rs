//! Opening, claiming and closing nodes.

use super::fixture::{Directory, Fixture, open, row, table};
use engine::{Engine, Kind, Node, Processes, Session, Value};
use record::Bytes;

/// Sessions are opened, used concurrently and closed; later ones see the changes of earlier ones.
pub fn sessions_connect_and_reconnect(fixture: &Fixture) {
    let mut session = fixture.session();
    let table = table("kit_connect");
    fixture.make(&mut *session, &table);
    let insert = fixture.prepare(&mut *session, &super::fixture::insert("kit_connect"));
    session.execute(insert, &row(1)).expect("insert");
    drop(session);
    if !fixture.node().caps().answers {
        return;
    }
    for _ in 0..3 {
        let mut sessions: Vec<Box<dyn Session>> = (0..4).map(|_| fixture.session()).collect();
        for session in &mut sessions {
            assert_eq!(fixture.count(&mut **session, "kit_connect"), 1);
        }
    }
}

/// Claiming again keeps the contents.
pub fn claiming_twice_is_claiming_once(fixture: &Fixture) {
    let mut session = fixture.session();
    fixture.make(&mut *session, &table("kit_claim"));
    fixture.node().claim().expect("claim again");
    if fixture.node().caps().answers {
        assert_eq!(fixture.count(&mut *session, "kit_claim"), 0);
        assert_eq!(fixture.count(&mut *fixture.session(), "kit_claim"), 0);
    }
}

/// The inventory has version, settings and durability.
pub fn inventory_is_filled(fixture: &Fixture) {
    let inventory = fixture.node().inventory().expect("inventory");
    assert_eq!(inventory.name, fixture.engine.name());
    assert_eq!(inventory.title, fixture.engine.title());
    assert!(inventory.version.chars().any(|letter| letter.is_ascii_digit()), "version {}", inventory.version);
    assert!(inventory.nodes >= 1);
    assert!(inventory.durable.is_some(), "durability is known from the settings");
    assert!(!inventory.durability.is_empty());
    assert!(!inventory.settings.is_empty());
    let mut names: Vec<&str> = inventory.settings.iter().map(|setting| setting.name.as_str()).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "a setting is listed twice: {names:?}");
    let node = fixture.node();
    if let (true, Some(path)) =
        (fixture.target.local || node.processes() == Processes::InProcess, node.data_directory())
    {
        assert!(path.starts_with(fixture.directory()), "{} is outside the workspace", path.display());
        assert!(path.is_dir(), "{} is a directory", path.display());
    }
}

/// Settling changes no data, is possible at any time, and is seen in the state of the database.
pub fn a_node_settles(fixture: &Fixture) {
    let mut session = fixture.session();
    let node = fixture.node();
    if !node.caps().answers {
        return drop(node.settle(&mut *session).expect("settle"));
    }
    let mut other = fixture.session();
    let empty = node.state(&mut *other).expect("state");
    fixture.filled(&mut *session, "kit_settle", 100);
    let filled = node.state(&mut *other).expect("state");
    for _ in 0..2 {
        let steps = node.settle(&mut *other).expect("settle");
        assert!(!fixture.target.local || !steps.is_empty(), "a server of our own can be settled");
        assert_eq!(fixture.count(&mut *session, "kit_settle"), 100);
        assert_eq!(fixture.count(&mut *other, "kit_settle"), 100);
    }
    let settled = node.state(&mut *other).expect("state");
    if fixture.target.local {
        // Other tests on the same server make and drop tables meanwhile; its log only grows.
        assert!(filled.table_bytes.is_some_and(|bytes| bytes.0 > 0), "{filled:?}");
        assert!(empty.log_position_bytes < filled.log_position_bytes, "{empty:?} {filled:?}");
        assert!(filled.cached_bytes.is_some_and(|bytes| bytes.0 > 0), "{filled:?}");
        assert!(filled.log_since_checkpoint_bytes.is_some(), "{filled:?}");
    } else if node.processes() == Processes::InProcess {
        assert!(empty.table_bytes < settled.table_bytes, "{empty:?} {settled:?}");
        // A journal is no log.
        if let Some(filled) = filled.log_since_checkpoint_bytes {
            assert!(filled.0 > 0 && settled.log_since_checkpoint_bytes == Some(Bytes(0)), "{filled:?} {settled:?}");
        }
    }
}

/// Opens and claims a node in `directory`.
fn claimed(engine: &'static dyn Engine, target: &str, directory: &Directory, keep: bool) -> Box<dyn Node> {
    let node = open(engine, target, &directory.0, keep).unwrap_or_else(|error| panic!("open {target}: {error:?}"));
    node.claim().expect("claim");
    node
}

/// A node with one row in `kit_kept`.
fn filled(engine: &'static dyn Engine, target: &str, directory: &Directory, keep: bool) -> Box<dyn Node> {
    let node = claimed(engine, target, directory, keep);
    let mut session = node.connect().expect("connect");
    let table = table("kit_kept");
    let dialect = engine.dialect();
    for sql in [(dialect.drop)(&table.name), (dialect.create)(&table), (dialect.finish)(&table)].concat() {
        session.batch(&sql).unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    }
    session
        .batch("insert into kit_kept (id, whole, ratio, amount, note) values (1, 2, 0.5, 0.25, 'kept')")
        .expect("insert");
    drop(session);
    node
}

/// Whether the table of [`filled`] exists, with its row.
fn is_kept(node: &dyn Node) -> bool {
    let mut session = node.connect().expect("connect");
    let found = session.prepare("select note from kit_kept").and_then(|select| session.query(select, &[]));
    match found {
        Ok(rows) => rows == [[Value::Text("kept".into())]],
        Err(error) if error.kind == Kind::Statement => false,
        Err(error) => panic!("{error:?}"),
    }
}

/// Closing removes everything that dbdyno created: the directory is empty, and the next node finds no table.
pub fn closing_removes_everything(engine: &'static dyn Engine, target: &str) {
    let directory = Directory::new();
    let node = filled(engine, target, &directory, false);
    assert!(is_kept(&*node), "the row is there before");
    node.close().expect("close");
    assert_eq!(directory.contents(), [""; 0], "what is left after close");
    let node = claimed(engine, target, &directory, false);
    assert!(!is_kept(&*node), "a table outlived close");
    node.close().expect("close");
    assert_eq!(directory.contents(), [""; 0], "what is left after the second close");
}

/// A workspace with `keep` keeps the database; the next node reuses it, and removes it without `keep`.
pub fn a_kept_database_is_found_again(engine: &'static dyn Engine, target: &str) {
    let directory = Directory::new();
    filled(engine, target, &directory, true).close().expect("close and keep");
    for keep in [true, false] {
        let node = claimed(engine, target, &directory, keep);
        assert!(is_kept(&*node), "the kept row is gone");
        node.close().expect("close");
    }
    assert_eq!(directory.contents(), [""; 0], "what is left after the close that did not keep");
}

/// An unknown parameter is a usage error, and nothing is left behind.
pub fn an_unknown_parameter_is_refused_and_leaves_nothing(engine: &'static dyn Engine, target: &str) {
    let directory = Directory::new();
    let mark = if target.contains('?') { '&' } else { '?' };
    let target = format!("{target}{mark}no_such_parameter_anywhere=1");
    match open(engine, &target, &directory.0, false) {
        Err(error) => {
            assert_eq!(error.kind, Kind::Usage, "{error:?}");
            assert!(error.message.contains("no_such_parameter_anywhere"), "{error} does not name the parameter");
        }
        Ok(node) => {
            node.close().expect("close");
            panic!("{target} was accepted");
        }
    }
    assert_eq!(directory.contents(), [""; 0], "what is left after the refusal");
}

/// A statement is one round trip to a server, however many rows it has; an engine without one counts none.
pub fn round_trips_are_counted_or_absent(fixture: &Fixture) {
    let mut session = fixture.session();
    let table = table("kit_round_trips");
    fixture.make(&mut *session, &table);
    let insert = fixture.prepare(&mut *session, &super::fixture::insert("kit_round_trips"));
    let Some(before) = session.round_trip_count() else {
        assert_eq!(fixture.node().processes(), Processes::InProcess, "a session of a server counts its round trips");
        return;
    };
    assert!(before > 0, "there was a login, and a statement was prepared");
    for number in 0..7 {
        session.execute(insert, &row(number)).expect("insert");
    }
    assert_eq!(session.round_trip_count(), Some(before + 7));
}
