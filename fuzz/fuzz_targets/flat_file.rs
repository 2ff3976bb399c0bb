//! Any bytes as a layout and lines of it, compressed or not: every line is a row or a reject, or part of one where quotes
//! are read, never a panic.

#![no_main]

use std::io::Cursor;

use flat::{Compression, Layout, LineReader, Parsed};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &[u8], u16)| {
    let (text, bytes, block_bytes) = input;
    let layout = Layout::from_toml(text).unwrap_or_else(|_| Layout::cards());
    let compression = Compression::of_magic_number(bytes);
    let input = Box::new(Cursor::new(bytes.to_vec()));
    let Ok(mut reader) = LineReader::open(input, compression, usize::from(block_bytes), &layout) else { return };
    let mut parsed = Parsed::default();
    let mut memory = Vec::new();
    while let Ok(Some(lines)) = reader.next_in(memory) {
        let count = lines.bytes.iter().filter(|byte| **byte == b'\n').count();
        let header = usize::from(layout.has_header() && lines.first_line == 1);
        memory = parsed.parse(&layout, lines, u64::MAX);
        let found = parsed.rows() + parsed.rejects().len() + header;
        assert!(if layout.reads_quotes() { (1..=count).contains(&found) } else { found == count });
        let _ = parsed.sums();
    }
});
