//! Any text as a job file: a plan or a refusal, never a panic.

#![no_main]

use std::io;

use fio::{JobFile, Surroundings, overrides, plan};
use libfuzzer_sys::fuzz_target;
use record::Bytes;

fuzz_target!(|text: &str| {
    let surroundings = Surroundings {
        variable: &|name| (!name.is_empty()).then(|| name.to_owned()),
        include: &|_| Err(io::Error::from(io::ErrorKind::NotFound)),
        content: &|_| Err(io::Error::from(io::ErrorKind::NotFound)),
        page_bytes: Bytes(4096),
        memory_bytes: Bytes::GIB,
        processors: 2,
    };
    // The first line is what the command line changes, the others are the file.
    let (changes, text) = text.split_once('\n').unwrap_or(("", text));
    let changes = overrides(changes, &surroundings).unwrap_or_default();
    if let Ok(file) = JobFile::parse("fuzz", text, &surroundings) {
        let _ = plan(&[file], &changes, &surroundings);
    }
});
