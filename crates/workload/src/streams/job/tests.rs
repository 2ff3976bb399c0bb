use std::sync::atomic::AtomicBool;

use engine::Kind;
use record::FailureKind;

use super::super::content::Signature;
use super::super::{Comparing, FileSystemBackend, compare};
use super::*;

const SIGNATURE: Signature = Signature { seed: 42, stream: 1, generation: 1 };

const SHAPE: StreamShape =
    StreamShape { direction: StreamDirection::Write, request: Bytes(8192), requests: 5, requests_per_commit: 2 };

/// A folder for one test, removed when dropped.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("dbdyno-streams-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn backend(&self) -> Box<FileSystemBackend> {
        Box::new(FileSystemBackend::new(&self.0, false))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn content() -> Content {
    Content::new(SIGNATURE, SHAPE.request.0 as usize)
}

/// The kinds of all steps to the end, after the warm-up.
fn drive(job: &mut StreamJob) -> Vec<Step> {
    job.step(0).expect("the warm-up");
    job.finish().expect("the end of the warm-up");
    let mut kinds = Vec::new();
    loop {
        let done = job.step(0).expect("a step");
        if done.over {
            job.finish().expect("the end");
            return kinds;
        }
        let kind = [Step::Opening, Step::Request, Step::Commit][done.stream as usize];
        assert_eq!(done.operations, u64::from(kind == Step::Request));
        assert_eq!(done.transactions, u64::from(kind == Step::Commit));
        assert_eq!(done.bytes, if kind == Step::Request { SHAPE.request.0 } else { 0 });
        kinds.push(kind);
    }
}

#[test]
fn a_file_is_written_once_and_read_once_with_a_commit_behind_so_many_requests() {
    use Step::{Commit, Opening, Request};
    let folder = Folder::new("once");
    let expected = [Opening, Request, Request, Commit, Opening, Request, Request, Commit, Opening, Request, Commit];
    let mut writer = StreamJob::new(folder.backend(), content(), SHAPE, 1);
    assert_eq!(drive(&mut writer), expected);
    assert_eq!(writer.progress().committed(), 5);
    let files: Vec<u64> =
        std::fs::read_dir(&folder.0).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).collect();
    assert_eq!(files, [5 * 8192], "one file, and nothing of the warm-up");
    let shape = StreamShape { direction: StreamDirection::Read, ..SHAPE };
    let mut reader = StreamJob::new(folder.backend(), content(), shape, 1);
    assert_eq!(drive(&mut reader), expected);
    assert_eq!((reader.progress().committed(), reader.progress().wrong()), (5, 0));
}

#[test]
fn an_interrupted_transaction_is_committed() {
    let folder = Folder::new("cut");
    let whole = StreamShape { requests_per_commit: 5, ..SHAPE };
    let mut writer = StreamJob::new(folder.backend(), content(), whole, 1);
    writer.step(0).expect("the warm-up");
    writer.finish().expect("the end of the warm-up");
    for number in 0..3 {
        writer.step(number).expect("an opening and two requests");
    }
    assert_eq!(writer.progress().committed(), 0);
    writer.finish().expect("the end");
    assert_eq!(writer.progress().committed(), 2);
    assert_eq!(writer.publish_counters().expect("counters"), 1, "a commit outside of steps");
    let mut early = StreamJob::new(folder.backend(), content(), whole, 2);
    early.step(0).expect("the warm-up");
    early.finish().expect("the end of the warm-up");
    early.step(0).expect("an opening");
    early.finish().expect("the end");
    assert_eq!((early.progress().committed(), early.publish_counters().expect("counters")), (0, 0));
    assert!(!folder.0.join("file-2").exists(), "nothing came into it");
    let mut again = StreamJob::new(folder.backend(), content(), SHAPE, 3);
    again.step(0).expect("the warm-up");
    again.finish().expect("the end of the warm-up");
    for number in 0..5 {
        again.step(number).expect("an opening, two requests, a commit, an opening");
    }
    again.finish().expect("the end");
    assert_eq!((again.progress().committed(), again.publish_counters().expect("counters")), (2, 0));
    assert!(folder.0.join("file-3").exists(), "two requests came into it");
}

#[test]
fn a_byte_that_changed_is_found_and_so_is_a_page_that_was_moved() {
    let folder = Folder::new("changed");
    drive(&mut StreamJob::new(folder.backend(), content(), SHAPE, 1));
    let never = AtomicBool::new(false);
    let comparing = Comparing { request: SHAPE.request, requests: 5, stop: &never };
    let compared = || compare(folder.backend().as_mut(), &mut content(), 1, &comparing).expect("a comparison");
    let right = compared();
    assert!(right.equal && right.written_crc32c == right.read_crc32c && right.size_bytes == Bytes(5 * 8192));
    let path = folder.0.join("file-1");
    let bytes = std::fs::read(&path).unwrap();
    let mut other = bytes.clone();
    other[5_000] ^= 1;
    std::fs::write(&path, &other).unwrap();
    let wrong = compared();
    assert!(!wrong.equal && wrong.written_crc32c == right.written_crc32c && wrong.read_crc32c != right.read_crc32c);
    let mut moved = bytes.clone();
    moved.copy_within(0..4096, 3 * 4096);
    std::fs::write(&path, &moved).unwrap();
    let shape = StreamShape { direction: StreamDirection::Read, ..SHAPE };
    let mut reader = StreamJob::new(folder.backend(), content(), shape, 1);
    drive(&mut reader);
    assert_eq!(reader.progress().wrong(), 1);
    std::fs::write(&path, &bytes[..4 * 8192]).unwrap();
    assert!(compare(folder.backend().as_mut(), &mut content(), 1, &comparing).is_err(), "it is too short");
    let raised = AtomicBool::new(true);
    let error = compare(folder.backend().as_mut(), &mut content(), 1, &Comparing { stop: &raised, ..comparing });
    assert_eq!(error.expect_err("aborted").failure(), Some(FailureKind::Cancelled));
}

/// A backend that refuses every write after the first, and continues.
struct Refusing;

impl FileBackend for Refusing {
    fn begin(&mut self) -> Result<()> {
        Ok(())
    }
    fn create(&mut self, _number: u32, _size: Bytes) -> Result<()> {
        Ok(())
    }
    fn open(&mut self, _number: u32, _access: ObjectAccess) -> Result<()> {
        Ok(())
    }
    fn write(&mut self, at: u64, _content: &[u8]) -> Result<()> {
        match at {
            0 => Ok(()),
            _ => Err(Error::new(Kind::Step(FailureKind::LockTimeout), "no lock")),
        }
    }
    fn read(&mut self, _at: u64, _into: &mut [u8]) -> Result<()> {
        Ok(())
    }
    fn commit(&mut self) -> Result<()> {
        Ok(())
    }
    fn abort(&mut self) -> Result<()> {
        Ok(())
    }
}

#[test]
fn a_failed_step_is_counted_and_a_stream_that_only_fails_ends() {
    let mut job = StreamJob::new(Box::new(Refusing), content(), SHAPE, 1);
    job.step(0).expect("the warm-up");
    job.finish().expect("the end of the warm-up");
    let kinds: Vec<(u32, bool)> = (0..6)
        .map(|number| job.step(number).map(|done| (done.stream, done.failure.is_some())).expect("a step"))
        .collect();
    let again = [(0, false), (1, false), (1, true)];
    assert_eq!(kinds, [again, again].concat(), "it continues after the last commit");
    let broken = (0..1_000).find_map(|number| job.step(number).err()).expect("an end");
    assert!(broken.message.contains("stream 1 failed 100 times without a commit: no lock"), "{broken}");
}
