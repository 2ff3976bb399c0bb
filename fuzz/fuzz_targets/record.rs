//! Any bytes as a record: what is read is written and read as the same, and without what was kept over time it is read too.

#![no_main]

use std::fs::File;
use std::io::{Seek, Write};

use libfuzzer_sys::fuzz_target;
use rustix::fs::{MemfdFlags, memfd_create};
use store::fuzz::{encode, read};

fuzz_target!(|bytes: &[u8]| {
    let record = read(&file_of(bytes), true).ok();
    let without_series = read(&file_of(bytes), false).ok();
    let Some(record) = record else { return };
    let numbers = |record: &record::Record| record.runs.iter().map(|run| run.number).collect::<Vec<u32>>();
    assert_eq!(without_series.as_ref().map(numbers), Some(numbers(&record)));
    let text = encode(&record).expect("what was read can be written");
    assert_eq!(read(&file_of(&text), true).expect("what was written can be read"), record);
});

fn file_of(bytes: &[u8]) -> File {
    let mut file = File::from(memfd_create("record", MemfdFlags::CLOEXEC).expect("a file in memory"));
    file.write_all(bytes).and_then(|()| file.rewind()).expect("written");
    file
}
