//! Blocks of complete lines of any input.

use std::io::Cursor;

use proptest::prelude::*;

use super::*;
use crate::compression::{Compressor, Packing};

/// Returns reads of varying lengths, like a pipe.
struct ShortReads {
    bytes: Cursor<Vec<u8>>,
    lengths: Vec<usize>,
    turn: usize,
}

impl Read for ShortReads {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.lengths[self.turn % self.lengths.len()].min(into.len());
        self.turn += 1;
        self.bytes.read(&mut into[..length])
    }
}

fn blocks(input: impl Read + Send + 'static, compression: Compression, block_bytes: usize) -> io::Result<Vec<Lines>> {
    let mut reader = LineReader::open(Box::new(input), compression, block_bytes)?;
    let mut blocks = Vec::new();
    // Reused memory, longer and shorter than a block.
    while let Some(lines) = reader.next_in(vec![b'\n'; blocks.len() * block_bytes % 300])? {
        blocks.push(lines);
    }
    Ok(blocks)
}

fn of(text: &str, block_bytes: usize) -> Vec<(u64, String)> {
    let blocks = blocks(Cursor::new(text.to_owned().into_bytes()), Compression::Plain, block_bytes).unwrap();
    blocks.into_iter().map(|lines| (lines.first_line, String::from_utf8(lines.bytes).unwrap())).collect()
}

fn packed(text: &[u8], compression: Compression) -> Vec<u8> {
    Compressor::new(Packing::of(compression)).unwrap().compress(text).unwrap().to_vec()
}

#[test]
fn blocks_have_complete_lines_and_their_numbers() {
    let block = |line, text: &str| (line, text.to_owned());
    assert_eq!(of("a\nbb\nccc\n", 5), [block(1, "a\nbb\n"), block(3, "ccc\n")]);
    assert_eq!(of("a\nbb\nccc\n", 4), [block(1, "a\n"), block(2, "bb\n"), block(3, "ccc\n")]);
    assert_eq!(of("a\nbb\nccc\n", 1 << 20), [block(1, "a\nbb\nccc\n")]);
    assert_eq!(of("", 10), []);
    assert_eq!(of("\n\n", 10), [block(1, "\n\n")]);
}

#[test]
fn a_last_line_without_a_line_feed_gets_one() {
    assert_eq!(of("a\nb", 100), [(1, "a\n".to_owned()), (2, "b\n".to_owned())]);
    assert_eq!(of("b", 1), [(1, "b\n".to_owned())]);
}

#[test]
fn a_line_longer_than_a_block_extends_it() {
    let long = "x".repeat(5_000);
    let blocks = of(&format!("a\n{long}\nb\n{long}"), 16);
    let found: Vec<(u64, usize)> = blocks.iter().map(|(line, text)| (*line, text.len())).collect();
    // An extended block also contains what follows the long line.
    assert_eq!(found, [(1, 2), (2, 5_001 + 2), (4, 5_001)]);
}

#[test]
fn a_line_that_is_too_long_is_truncated_and_the_next_one_is_not_lost() {
    for block_bytes in [1 << 10, 3 << 20] {
        let mut text = b"a\n".to_vec();
        text.extend(std::iter::repeat_n(b'x', 3 * LINE_BYTES_MAX));
        text.extend(b"\nb\nc\n");
        let blocks = blocks(Cursor::new(text), Compression::Plain, block_bytes).unwrap();
        let lines: Vec<(u64, Vec<u8>)> = blocks
            .iter()
            .flat_map(|block| {
                let split =
                    block.bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).filter(|line| !line.is_empty());
                (block.first_line..).zip(split).collect::<Vec<_>>()
            })
            .collect();
        let found: Vec<(u64, u8, bool)> =
            lines.iter().map(|(number, line)| (*number, line[0], line.len() > LINE_BYTES_MAX)).collect();
        assert_eq!(found, [(1, b'a', false), (2, b'x', true), (3, b'b', false), (4, b'c', false)], "{block_bytes}");
        assert!(blocks.iter().any(|block| block.cut), "{block_bytes}");
    }
}

#[test]
fn concatenated_members_and_frames_are_read() {
    for compression in [Compression::Gzip, Compression::Zstd, Compression::Lz4] {
        let mut bytes = packed(b"a\nb", compression);
        bytes.extend(packed(b"", compression));
        bytes.extend(packed(b"c\nd\n", compression));
        let blocks = blocks(Cursor::new(bytes), compression, 100).unwrap();
        let text: Vec<u8> = blocks.into_iter().flat_map(|lines| lines.bytes).collect();
        assert_eq!(String::from_utf8(text).unwrap(), "a\nbc\nd\n", "{compression}");
    }
}

#[test]
fn errors_of_truncated_or_damaged_data_have_a_position() {
    let text: Vec<u8> =
        (0..20_000u32).flat_map(|number| format!("{}|\n", number.wrapping_mul(2_654_435_761)).into_bytes()).collect();
    for compression in [Compression::Gzip, Compression::Zstd, Compression::Lz4] {
        let whole = packed(&text, compression);
        let mut half = whole.clone();
        half.truncate(whole.len() / 2);
        let error = blocks(Cursor::new(half), compression, 1 << 12).unwrap_err();
        let expected =
            format!("{compression} data are truncated after {} bytes of the file, at or after line ", whole.len() / 2);
        assert!(error.to_string().starts_with(&expected), "{error}");
        let mut damaged = whole.clone();
        let middle = whole.len() / 2;
        damaged[middle..middle + 64].iter_mut().for_each(|byte| *byte ^= 0x55);
        let error = blocks(Cursor::new(damaged), compression, 1 << 12).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{compression} data are ")), "{error}");
        let nothing = blocks(Cursor::new(b"no archive at all, but text\n".to_vec()), compression, 1 << 12).unwrap_err();
        assert!(nothing.to_string().contains(" data are "), "{nothing}");
    }
}

#[test]
fn bytes_of_the_file_are_counted() {
    let text = b"1|2|\n".repeat(100_000);
    let bytes = packed(&text, Compression::Gzip);
    let length = bytes.len() as u64;
    let mut reader = LineReader::open(Box::new(Cursor::new(bytes)), Compression::Gzip, 1 << 16).unwrap();
    while reader.next_in(Vec::new()).unwrap().is_some() {}
    assert_eq!(reader.input_bytes(), length);
}

proptest! {
    #[test]
    fn blocks_do_not_depend_on_the_sizes_of_reads(
        text in "[ab\n]{0,200}",
        block_bytes in 1..40usize,
        lengths in proptest::collection::vec(1..20usize, 1..5),
        compression in prop::sample::select(Compression::ALL.to_vec()),
    ) {
        let at_once = blocks(Cursor::new(text.clone().into_bytes()), Compression::Plain, block_bytes).unwrap();
        let bytes = packed(text.as_bytes(), compression);
        let short_reads = ShortReads { bytes: Cursor::new(bytes), lengths, turn: 0 };
        prop_assert_eq!(&blocks(short_reads, compression, block_bytes).unwrap(), &at_once);
        let together: Vec<u8> = at_once.iter().flat_map(|lines| lines.bytes.clone()).collect();
        let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        prop_assert_eq!(String::from_utf8(together).unwrap(), text + end);
        let mut line = 1;
        for block in &at_once {
            prop_assert_eq!(block.first_line, line);
            line += block.bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        }
    }

    #[test]
    fn any_bytes_are_lines_or_an_error(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        compression in prop::sample::select(Compression::ALL.to_vec()),
    ) {
        let _ = blocks(Cursor::new(bytes), compression, 64);
    }
}
