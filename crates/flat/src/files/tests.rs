//! Files on disk: of equal size, complete, in order, and no others.

use std::fs;
use std::io::Read;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use std::path::{Path, PathBuf};

use super::*;
use crate::compression::Compression;
use crate::layout::Layout;
use crate::line_reader::LineReader;

const ROWS: u64 = 100_000;

fn files(directory: &Path, count: u32, format: FilesFormat, packing: &str, threads: usize) -> Files {
    Files {
        cards: Cards::new(5, ROWS),
        format,
        packing: packing.parse().unwrap(),
        destination: Destination::Directory { path: directory.to_owned(), files: count },
        threads,
        replace: false,
    }
}

fn write(files: &Files) -> FilesWritten {
    write_files(files, &AtomicBool::new(false), &|_| ()).unwrap()
}

/// All lines of `paths`, one file after the other.
fn lines(paths: &[PathBuf]) -> Vec<u8> {
    let mut all = Vec::new();
    for path in paths {
        let file = Box::new(fs::File::open(path).unwrap());
        let mut reader = LineReader::open(file, Compression::of_path(path), 1 << 20, &Layout::cards()).unwrap();
        while let Some(lines) = reader.next_in(Vec::new()).unwrap() {
            all.extend(lines.bytes);
        }
        assert_eq!(reader.input_bytes(), path.metadata().unwrap().len());
    }
    all
}

fn expected() -> Vec<u8> {
    let mut lines = Vec::new();
    Cards::new(5, ROWS).write(0..ROWS, &mut lines);
    lines
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        directory.read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn every_compression_has_the_same_lines_on_any_number_of_threads() {
    let expected = expected();
    for packing in ["plain", "gzip:1", "zstd:1", "lz4"] {
        let mut before: Option<(FilesWritten, Vec<Vec<u8>>)> = None;
        for threads in [1, 3] {
            let directory = tempfile::tempdir().unwrap();
            let written = write(&files(directory.path(), 2, FilesFormat::Bars, packing, threads));
            assert_eq!((written.rows, written.flat), (ROWS, Bytes(expected.len() as u64)));
            assert_eq!(written.crc32, crc32fast::hash(&expected), "{packing}");
            assert!(lines(&written.paths) == expected, "{packing}");
            let contents: Vec<Vec<u8>> = written.paths.iter().map(|path| fs::read(path).unwrap()).collect();
            assert_eq!(written.written.0, contents.iter().map(Vec::len).sum::<usize>() as u64);
            if let Some((before, same)) = &before {
                assert!(*same == contents, "{packing}: compressed bytes depend on the number of threads");
                assert_eq!((before.crc32, before.written), (written.crc32, written.written));
            }
            before = Some((written, contents));
        }
    }
}

#[test]
fn files_have_equal_size_and_are_numbered() {
    let directory = tempfile::tempdir().unwrap();
    let written = write(&files(directory.path(), 7, FilesFormat::Bars, "plain", 2));
    let expected_names: Vec<String> = (1..=7).map(|number| format!("cards-000{number}.tbl")).collect();
    assert_eq!(names(directory.path()), expected_names);
    let rows = written.paths.iter().map(|path| fs::read_to_string(path).unwrap().lines().count());
    let rows: Vec<usize> = rows.collect();
    assert_eq!(rows.iter().sum::<usize>(), ROWS as usize);
    assert!(rows.iter().max().unwrap() - rows.iter().min().unwrap() <= 1, "{rows:?}");
    assert!(lines(&written.paths) == expected());
}

#[test]
fn each_csv_file_has_a_header() {
    let directory = tempfile::tempdir().unwrap();
    let written = write(&files(directory.path(), 2, FilesFormat::Commas, "gzip", 2));
    assert!(written.paths[1].ends_with("cards-0002.csv.gz"));
    for path in &written.paths {
        let text = String::from_utf8(lines(std::slice::from_ref(path))).unwrap();
        let (first, rest) = text.split_once('\n').unwrap();
        assert_eq!(
            first,
            "card_no,card_type,mcc,purchase_amt,purchase_dt,merchant_code,merchant_city,merchant_state,merchant_zip"
        );
        assert_eq!(rest.lines().count() as u64, ROWS / 2);
        assert!(rest.lines().all(|line| line.split(',').count() == 9));
    }
    assert_eq!(written.crc32, crc32fast::hash(&lines(&written.paths)));
}

#[test]
fn a_parquet_file_has_the_rows_and_does_not_depend_on_the_number_of_threads() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::{Field, RowAccessor};
    for packing in ["plain", "gzip", "zstd", "lz4"] {
        let directory = tempfile::tempdir().unwrap();
        let mut files = files(directory.path(), 1, FilesFormat::Parquet, packing, 2);
        files.cards = Cards::new(5, 300_000);
        let written = write(&files);
        let reader = SerializedFileReader::new(fs::File::open(&written.paths[0]).unwrap()).unwrap();
        assert_eq!(reader.metadata().file_metadata().num_rows(), 300_000);
        assert_eq!(reader.metadata().num_row_groups(), 2);
        for (number, row) in reader.get_row_iter(None).unwrap().enumerate().step_by(997) {
            let (row, card) = (row.unwrap(), files.cards.card(number as u64));
            assert_eq!(row.get_long(0).unwrap() as u64, card.card_no);
            assert_eq!(row.get_string(1).unwrap(), card.card_type);
            assert_eq!(row.get_column_iter().nth(4).unwrap().1, &Field::Date(card.purchase_dt));
            assert_eq!(row.get_string(8).unwrap(), &format!("{:05}", card.merchant_zip));
        }
        assert!(written.written.0 < written.flat.0 / 2, "{written:?}");
        let first = fs::read(&written.paths[0]).unwrap();
        write(&Files { threads: 1, ..files });
        assert!(fs::read(&written.paths[0]).unwrap() == first, "{packing}");
    }
}

#[test]
fn a_stop_leaves_only_complete_files() {
    let directory = tempfile::tempdir().unwrap();
    let stop = AtomicBool::new(false);
    let calls = Mutex::new(0);
    let one = files(directory.path(), 3, FilesFormat::Bars, "plain", 1);
    // With one thread the third of three batches is written while two files are open.
    let stopped = write_files(&one, &stop, &|progress| {
        *calls.lock().unwrap() += 1;
        stop.store(progress.done.0 > progress.size.0 / 2, Ordering::Relaxed);
    });
    let Err(FilesError::Stopped { whole }) = stopped else { panic!("{stopped:?}") };
    assert_eq!(names(directory.path()).len(), whole);
    assert!(whole < 3 && *calls.lock().unwrap() > 0);
    assert!(names(directory.path()).iter().all(|name| name.ends_with(".tbl")));
}

#[test]
fn an_error_has_the_path() {
    let directory = tempfile::tempdir().unwrap();
    let absent = directory.path().join("absent");
    let failed = write_files(&files(&absent, 2, FilesFormat::Bars, "plain", 2), &AtomicBool::new(false), &|_| ());
    let message = failed.unwrap_err().to_string();
    assert!(message.contains("absent/cards-000") && message.contains("cannot be written: No such file"), "{message}");
}

#[test]
fn incomplete_files_of_others_are_not_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let mut files = files(directory.path(), 1, FilesFormat::Bars, "plain", 1);
    assert_eq!(files.existing(), None);
    let part = directory.path().join("cards-0001.tbl.part");
    fs::write(&part, "mine").unwrap();
    assert_eq!(files.existing(), Some(part.clone()));
    let Err(FilesError::Write { cause, .. }) = write_files(&files, &AtomicBool::new(false), &|_| ()) else { panic!() };
    assert_eq!((cause.kind(), fs::read(&part).unwrap()), (io::ErrorKind::AlreadyExists, b"mine".to_vec()));
    files.replace = true;
    write(&files);
    assert_eq!(names(directory.path()), ["cards-0001.tbl"]);
}

#[test]
fn a_full_device_is_an_error_of_that_kind() {
    for format in [FilesFormat::Bars, FilesFormat::Parquet] {
        let destination = Destination::File(PathBuf::from("/dev/full"));
        let files = Files { destination, ..files(Path::new("."), 1, format, "plain", 2) };
        let Err(FilesError::Write { path, cause }) = write_files(&files, &AtomicBool::new(false), &|_| ()) else {
            panic!("{format:?}")
        };
        assert_eq!((path, cause.kind()), (PathBuf::from("/dev/full"), io::ErrorKind::StorageFull), "{format:?}");
    }
}

#[test]
fn a_preview_is_near_the_written_size() {
    for (format, packing) in [
        (FilesFormat::Bars, "plain"),
        (FilesFormat::Bars, "gzip:1"),
        (FilesFormat::Commas, "zstd"),
        (FilesFormat::Parquet, "plain"),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let files = files(directory.path(), 1, format, packing, 2);
        let (preview, written) = (files.preview().unwrap(), write(&files));
        for (estimated, found) in [(preview.flat, written.flat), (preview.written, written.written)] {
            let share = estimated.0 as f64 / found.0 as f64;
            assert!((0.8..1.25).contains(&share), "{format:?} {packing}: {preview:?} {written:?}");
        }
    }
}

#[test]
fn a_pipe_is_written_in_place() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let reading = std::thread::spawn({
        let path = path.clone();
        move || {
            let mut bytes = Vec::new();
            fs::File::open(path).unwrap().read_to_end(&mut bytes).map(|_| bytes).unwrap()
        }
    });
    let files = Files {
        destination: Destination::File(path.clone()),
        ..files(directory.path(), 1, FilesFormat::Bars, "plain", 2)
    };
    assert_eq!(files.existing(), None);
    write(&files);
    assert!(reading.join().unwrap() == expected());
    assert_eq!(names(directory.path()), ["pipe"]);
}
