//! Any bytes as a record: what is read is written and read as the same, and read run by run it is the same too.

#![no_main]

use std::fs::File;
use std::io::{Seek, Write};

use libfuzzer_sys::fuzz_target;
use rustix::fs::{MemfdFlags, memfd_create};
use store::fuzz::{decode, encode, gathered};

fuzz_target!(|bytes: &[u8]| {
    let record = decode(bytes).ok();
    let whole = gathered(&file_of(bytes), true);
    if let Some(whole) = &whole {
        assert_eq!(Some(whole), record.as_ref());
    }
    let without_series = gathered(&file_of(bytes), false);
    assert!(whole.is_none() || without_series.is_some());
    let Some(record) = record else { return };
    let text = encode(&record).expect("what was read can be written");
    assert_eq!(decode(&text).expect("what was written can be read"), record);
    assert_eq!(gathered(&file_of(&text), true).as_ref(), Some(&record));
});

fn file_of(bytes: &[u8]) -> File {
    let mut file = File::from(memfd_create("record", MemfdFlags::CLOEXEC).expect("a file in memory"));
    file.write_all(bytes).and_then(|()| file.rewind()).expect("written");
    file
}
