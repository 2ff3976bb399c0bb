//! Files kept in the engine, in every form that it has.

use record::Bytes;

use super::fixture::Fixture;
use engine::{Error, Kind, ObjectAccess, ObjectExtent, ObjectForm, ObjectSession};

/// Bytes of a piece: no power of two, longer than a page.
const PIECE: usize = 20_003;

/// Pieces of a file.
const PIECES: u64 = 5;

/// What stands in piece `index` of file `number`: every value of a byte, and nothing that repeats from piece to piece.
fn piece(number: u32, index: u64) -> Vec<u8> {
    let first = u64::from(number) * 1_000_003 + index * 7_919;
    (0..PIECE as u64).map(|place| ((first + place) ^ (place >> 8)) as u8).collect()
}

/// A session of each form, with nothing kept yet.
fn each_form(fixture: &Fixture, look: impl Fn(&ObjectForm, &mut dyn ObjectSession)) {
    let forms = match fixture.engine.object_forms() {
        Ok(forms) => forms,
        Err(reason) => return assert!(!reason.is_empty() && !reason.ends_with('.'), "a clause that says why"),
    };
    assert!(!forms.is_empty());
    for form in forms {
        let opened = fixture.node().object_session(form);
        let mut objects = opened.unwrap_or_else(|error| panic!("a session for {}: {error:?}", form.name));
        objects.remove().unwrap_or_else(|error| panic!("remove what is not there of {}: {error:?}", form.name));
        objects.make().unwrap_or_else(|error| panic!("make {}: {error:?}", form.name));
        look(form, objects.as_mut());
        objects.remove().unwrap_or_else(|error| panic!("remove {}: {error:?}", form.name));
    }
}

fn length() -> Bytes {
    Bytes(PIECE as u64 * PIECES)
}

/// Writes the pieces of file `number` in a transaction that the caller ends.
fn write(objects: &mut dyn ObjectSession, number: u32) {
    objects.session().begin().expect("begin");
    objects.create(number, length()).unwrap_or_else(|error| panic!("create {number}: {error:?}"));
    for index in 0..PIECES {
        let content = piece(number, index);
        objects.write(index * PIECE as u64, &content).unwrap_or_else(|error| panic!("write {index}: {error:?}"));
    }
    objects.close().expect("close");
}

fn committed(objects: &mut dyn ObjectSession, number: u32) {
    write(objects, number);
    objects.session().commit().expect("commit");
}

/// One piece of file `number`, in a transaction of its own.
fn read(objects: &mut dyn ObjectSession, number: u32, index: u64) -> Result<Vec<u8>, Error> {
    objects.session().begin().expect("begin");
    let mut found = vec![0; PIECE];
    let outcome =
        objects.open(number, ObjectAccess::Read).and_then(|()| objects.read(index * PIECE as u64, &mut found));
    let _ = objects.close();
    let ended = if outcome.is_ok() { objects.session().commit() } else { objects.session().rollback() };
    ended.expect("the end of the transaction");
    outcome.map(|()| found)
}

fn extent(objects: &mut dyn ObjectSession) -> (u64, u64) {
    let ObjectExtent { count, size_bytes } = objects.extent().expect("the extent");
    (count, size_bytes.0)
}

/// What is written into two files is read back byte by byte, in any order and by another session, and the engine counts
/// as many bytes.
pub fn files_come_back_byte_by_byte(fixture: &Fixture) {
    each_form(fixture, |form, objects| {
        assert_eq!(extent(objects), (0, 0), "{}", form.name);
        assert!(objects.request_bytes_max() >= Bytes::MIB, "{}", form.name);
        [1, 7].into_iter().for_each(|number| committed(objects, number));
        assert_eq!(extent(objects), (2, 2 * length().0), "{}", form.name);
        let mut other = fixture.node().object_session(form).expect("another session");
        for (number, index) in [(7, 0), (1, 4), (1, 0), (7, 3), (1, 2)] {
            let right = piece(number, index);
            assert!(read(objects, number, index).expect("a piece") == right, "{} {number} {index}", form.name);
            assert!(read(other.as_mut(), number, index).expect("a piece") == right, "{} {number} {index}", form.name);
        }
        // A file that is committed piece by piece.
        objects.session().begin().expect("begin");
        objects.create(9, length()).expect("create");
        for index in 0..PIECES {
            objects.write(index * PIECE as u64, &piece(9, index)).expect("write");
            objects.close().expect("close");
            objects.session().commit().expect("commit");
            objects.session().begin().expect("begin");
            objects.open(9, ObjectAccess::Write).expect("open again");
        }
        objects.close().expect("close");
        objects.session().commit().expect("commit");
        let all = (0..PIECES).all(|index| read(objects, 9, index).expect("a piece") == piece(9, index));
        assert!(all && extent(objects) == (3, 3 * length().0), "{}", form.name);
    });
}

/// A file whose transaction was rolled back is not there, and one that is not there, or is too short, is an error.
pub fn what_was_not_committed_of_a_file_is_gone(fixture: &Fixture) {
    each_form(fixture, |form, objects| {
        committed(objects, 1);
        write(objects, 2);
        objects.session().rollback().expect("rollback");
        assert_eq!(extent(objects), (1, length().0), "{}", form.name);
        for (number, index) in [(2, 0), (1, PIECES)] {
            let error = read(objects, number, index).expect_err("nothing is there");
            assert_eq!(error.kind, Kind::Statement, "{} {number} {index}: {error}", form.name);
        }
        // The session lives on, and the number is free.
        committed(objects, 2);
        assert!(read(objects, 2, 1).expect("a piece") == piece(2, 1), "{}", form.name);
    });
}

/// What is removed is gone, and may be made again.
pub fn what_was_removed_of_files_is_gone(fixture: &Fixture) {
    each_form(fixture, |form, objects| {
        committed(objects, 1);
        for _ in 0..2 {
            objects.remove().expect("remove");
        }
        objects.make().expect("make again");
        objects.make().expect("make what is there");
        assert_eq!(extent(objects), (0, 0), "{}", form.name);
        committed(objects, 1);
        assert!(read(objects, 1, 0).expect("a piece") == piece(1, 0), "{}", form.name);
        assert_eq!(extent(objects), (1, length().0), "{}", form.name);
    });
}
