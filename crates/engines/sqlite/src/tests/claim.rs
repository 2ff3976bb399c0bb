//! What is ours and what is not.

use std::fs;

use super::*;

fn database(directory: &Path) -> std::path::PathBuf {
    fs::create_dir_all(directory.join("sqlite")).expect("a directory");
    directory.join("sqlite/dbdyno.db")
}

#[test]
fn a_file_of_somebody_else_is_refused_and_left_alone() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = database(directory.path());
    let other = rusqlite::Connection::open(&path).expect("open");
    other.execute_batch("pragma journal_mode = wal; create table theirs (id integer)").expect("create");
    drop(other);
    let theirs = fs::read(&path).expect("read");
    let nearly: Vec<u8> = [&theirs[..68], b"dbDy", &theirs[72..]].concat();
    for contents in [theirs, nearly, b"notes of somebody".to_vec(), vec![b'x'; 5000]] {
        fs::write(&path, &contents).expect("write");
        let node = open("sqlite", directory.path(), false).expect("open");
        let error = node.claim().expect_err("not ours");
        assert_eq!(error.kind, Kind::NotOurs, "{error:?}");
        assert!(node.connect().is_err(), "no session without a claim");
        node.close().expect("close");
        assert!(SQLITE.clean_up(directory.path()).expect("clean up").is_empty());
        assert_eq!(fs::read(&path).expect("still there"), contents);
        assert_eq!(fs::read_dir(path.parent().expect("sqlite")).expect("list").count(), 1, "and nothing beside it");
    }
}

#[test]
fn a_file_in_the_place_of_the_directory_is_not_ours_either() {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("sqlite"), "notes").expect("write");
    let node = open("sqlite", directory.path(), false).expect("open");
    assert_eq!(node.claim().expect_err("not ours").kind, Kind::NotOurs);
    node.close().expect("close");
    assert_eq!(fs::read_to_string(directory.path().join("sqlite")).expect("still there"), "notes");
}

#[test]
fn a_directory_that_cannot_be_written_is_a_matter_of_space() {
    // Not even root can create a directory there.
    let node = open("sqlite", Path::new("/proc/self"), false).expect("open");
    assert_eq!(node.claim().expect_err("no directory").kind, Kind::Space);
    let directory = tempfile::tempdir().expect("a directory");
    fs::create_dir_all(directory.path().join("sqlite/dbdyno.db")).expect("a directory in the place of the file");
    let node = open("sqlite", directory.path(), false).expect("open");
    assert_eq!(node.claim().expect_err("not a file").kind, Kind::NotOurs);
}

#[test]
fn an_orphan_is_removed_and_what_was_kept_is_not() {
    let crashed = tempfile::tempdir().expect("a directory");
    for keep in [false, true] {
        let directory = tempfile::tempdir().expect("a directory");
        let node = open("sqlite", directory.path(), keep).expect("open");
        node.claim().expect("claim");
        let mut session = node.connect().expect("connect");
        session.batch("create table t (id integer)").expect("create");
        // The files as a process that dies leaves them: nothing closed, the table in the log alone.
        let copy = database(crashed.path());
        let source = database(directory.path());
        fs::copy(&source, &copy).expect("copy the database");
        fs::copy(source.with_extension("db-wal"), copy.with_extension("db-wal")).expect("copy the log");
        let said = SQLITE.clean_up(crashed.path()).expect("clean up");
        assert_eq!(said.len(), usize::from(!keep), "{said:?}");
        assert_eq!(crashed.path().join("sqlite").exists(), keep);
        drop(session);
        node.close().expect("close");
    }
    let node = open("sqlite", crashed.path(), false).expect("open");
    node.claim().expect("take over");
    node.connect().expect("connect").batch("select id from t").expect("the log was played back");
    node.close().expect("close");
    assert!(!crashed.path().join("sqlite").exists());
}

#[test]
fn an_empty_file_is_nobodys() {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(database(directory.path()), "").expect("write");
    let node = open("sqlite", directory.path(), false).expect("open");
    node.claim().expect("claim");
    node.close().expect("close");
}

#[test]
fn a_kept_database_of_another_page_size_is_refused_only_where_a_size_is_asked_for() {
    let directory = tempfile::tempdir().expect("a directory");
    let claim = |target: &str, keep: bool| {
        let node = open(target, directory.path(), keep).expect("open");
        let claimed = node.claim();
        let page = claimed.is_ok().then(|| node.inventory().expect("inventory").block_bytes.expect("known").0);
        node.close().expect("close");
        (claimed, page)
    };
    assert_eq!(claim("sqlite?page_size=65536", true).1, Some(65536));
    let error = claim("sqlite?page_size=4096", true).0.expect_err("another size");
    assert_eq!(error.kind, Kind::Usage, "{error:?}");
    assert!(error.hint.is_some_and(|hint| hint.contains("page_size=65536")));
    assert_eq!(claim("sqlite?page_size=65536", true).1, Some(65536));
    assert_eq!(claim("sqlite", false).1, Some(65536), "the default asks for nothing");
}
