//! Files stored in the engine, in every form that it has.

use record::Bytes;

use super::fixture::Fixture;
use engine::{Error, Kind, ObjectAccess, ObjectExtent, ObjectForm, ObjectSession};

/// Bytes of a chunk: not a power of two, longer than a page.
const CHUNK: usize = 20_003;

/// Chunks of a file.
const CHUNKS: u64 = 5;

/// Contents of chunk `index` of file `number`: all byte values, different in each chunk.
fn chunk(number: u32, index: u64) -> Vec<u8> {
    let first = u64::from(number) * 1_000_003 + index * 7_919;
    (0..CHUNK as u64).map(|offset| ((first + offset) ^ (offset >> 8)) as u8).collect()
}

/// Runs `test` on a session of each form, without objects.
fn each_form(fixture: &Fixture, test: impl Fn(&ObjectForm, &mut dyn ObjectSession)) {
    let forms = match fixture.engine.about().object_forms {
        Ok(forms) => forms,
        Err(reason) => return assert!(!reason.is_empty() && !reason.ends_with('.'), "a clause with the reason"),
    };
    assert!(!forms.is_empty());
    for form in forms {
        let opened = fixture.node().object_session(form);
        let mut objects = opened.unwrap_or_else(|error| panic!("a session for {}: {error:?}", form.name));
        objects.remove().unwrap_or_else(|error| panic!("remove what is not there of {}: {error:?}", form.name));
        objects.make().unwrap_or_else(|error| panic!("make {}: {error:?}", form.name));
        test(form, objects.as_mut());
        objects.remove().unwrap_or_else(|error| panic!("remove {}: {error:?}", form.name));
    }
}

fn length() -> Bytes {
    Bytes(CHUNK as u64 * CHUNKS)
}

/// Writes the chunks of file `number` in a transaction that the caller commits or rolls back.
fn write(objects: &mut dyn ObjectSession, number: u32) {
    objects.session().begin().expect("begin");
    objects.create(number, length()).unwrap_or_else(|error| panic!("create {number}: {error:?}"));
    for index in 0..CHUNKS {
        let content = chunk(number, index);
        objects.write(index * CHUNK as u64, &content).unwrap_or_else(|error| panic!("write {index}: {error:?}"));
    }
    objects.close().expect("close");
}

fn committed(objects: &mut dyn ObjectSession, number: u32) {
    write(objects, number);
    objects.session().commit().expect("commit");
}

/// One chunk of file `number`, in a transaction of its own.
fn read(objects: &mut dyn ObjectSession, number: u32, index: u64) -> Result<Vec<u8>, Error> {
    objects.session().begin().expect("begin");
    let mut found = vec![0; CHUNK];
    let outcome =
        objects.open(number, ObjectAccess::Read).and_then(|()| objects.read(index * CHUNK as u64, &mut found));
    let _ = objects.close();
    let ended = if outcome.is_ok() { objects.session().commit() } else { objects.session().rollback() };
    ended.expect("the end of the transaction");
    outcome.map(|()| found)
}

fn extent(objects: &mut dyn ObjectSession) -> (u64, u64) {
    let ObjectExtent { count, size_bytes } = objects.extent().expect("the extent");
    (count, size_bytes.0)
}

/// Two files are read back exactly, in any order and by another session, and the engine reports their size.
pub fn files_come_back_byte_by_byte(fixture: &Fixture) {
    each_form(fixture, |form, objects| {
        assert_eq!(extent(objects), (0, 0), "{}", form.name);
        assert!(objects.request_bytes_max() >= Bytes::MIB, "{}", form.name);
        [1, 7].into_iter().for_each(|number| committed(objects, number));
        assert_eq!(extent(objects), (2, 2 * length().0), "{}", form.name);
        let mut other = fixture.node().object_session(form).expect("another session");
        for (number, index) in [(7, 0), (1, 4), (1, 0), (7, 3), (1, 2)] {
            let right = chunk(number, index);
            assert!(read(objects, number, index).expect("a piece") == right, "{} {number} {index}", form.name);
            assert!(read(other.as_mut(), number, index).expect("a piece") == right, "{} {number} {index}", form.name);
        }
        // A file with a commit per chunk.
        objects.session().begin().expect("begin");
        objects.create(9, length()).expect("create");
        for index in 0..CHUNKS {
            objects.write(index * CHUNK as u64, &chunk(9, index)).expect("write");
            objects.close().expect("close");
            objects.session().commit().expect("commit");
            objects.session().begin().expect("begin");
            objects.open(9, ObjectAccess::Write).expect("open again");
        }
        objects.close().expect("close");
        objects.session().commit().expect("commit");
        let all = (0..CHUNKS).all(|index| read(objects, 9, index).expect("a piece") == chunk(9, index));
        assert!(all && extent(objects) == (3, 3 * length().0), "{}", form.name);
    });
}

/// After a rollback a file does not exist; reading a missing or too short file is an error.
pub fn a_file_that_was_not_committed_is_missing(fixture: &Fixture) {
    each_form(fixture, |form, objects| {
        committed(objects, 1);
        write(objects, 2);
        objects.session().rollback().expect("rollback");
        assert_eq!(extent(objects), (1, length().0), "{}", form.name);
        for (number, index) in [(2, 0), (1, CHUNKS)] {
            let error = read(objects, number, index).expect_err("nothing is there");
            assert_eq!(error.kind, Kind::Statement, "{} {number} {index}: {error}", form.name);
        }
        // The session remains usable, and the number is free.
        committed(objects, 2);
        assert!(read(objects, 2, 1).expect("a piece") == chunk(2, 1), "{}", form.name);
    });
}

/// Removed files do not exist, and may be created again.
pub fn removed_files_are_missing(fixture: &Fixture) {
    each_form(fixture, |form, objects| {
        committed(objects, 1);
        for _ in 0..2 {
            objects.remove().expect("remove");
        }
        objects.make().expect("make again");
        objects.make().expect("make what is there");
        assert_eq!(extent(objects), (0, 0), "{}", form.name);
        committed(objects, 1);
        assert!(read(objects, 1, 0).expect("a piece") == chunk(1, 0), "{}", form.name);
        assert_eq!(extent(objects), (1, length().0), "{}", form.name);
    });
}
