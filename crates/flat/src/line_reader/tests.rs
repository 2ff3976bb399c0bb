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
    let mut reader = LineReader::open(Box::new(input), compression, block_bytes, &Layout::cards())?;
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

/// The lines of `bytes`, and the reader at its end.
fn read_all(bytes: Vec<u8>, compression: Compression, layout: &Layout) -> io::Result<(Vec<u8>, LineReader)> {
    let mut reader = LineReader::open(Box::new(Cursor::new(bytes)), compression, 64, layout)?;
    let mut text = Vec::new();
    while let Some(lines) = reader.next_in(Vec::new())? {
        text.extend(lines.bytes);
    }
    Ok((text, reader))
}

#[test]
fn zeros_behind_the_last_gzip_member_are_padding() {
    let members = [packed(b"1|one\n", Compression::Gzip), packed(b"2|two\n", Compression::Gzip)].concat();
    for zeros in [1, 2, 508, 1_000_000] {
        let padded = [members.clone(), vec![0; zeros]].concat();
        let length = padded.len() as u64;
        let (text, reader) = read_all(padded, Compression::Gzip, &Layout::cards()).unwrap();
        assert_eq!(text, b"1|one\n2|two\n");
        assert_eq!((reader.padding_bytes(), reader.input_bytes()), (zeros as u64, length));
    }
    let (_, reader) = read_all(members, Compression::Gzip, &Layout::cards()).unwrap();
    assert_eq!(reader.padding_bytes(), 0);
}

#[test]
fn garbage_behind_the_last_gzip_member_is_named_with_its_place() {
    let member = packed(b"1|one\n2|two\n", Compression::Gzip);
    let start = member.len();
    let error = |rest: &[u8]| {
        let bytes = [member.as_slice(), rest].concat();
        read_all(bytes, Compression::Gzip, &Layout::cards()).err().unwrap().to_string()
    };
    for rest in [&b"junk"[..], b"x", b"\0\0x", b"\x1F\x8Ajunk", &[&[0; 9][..], &member].concat(), &[b'x'; 900_000]] {
        let noun = if rest.len() == 1 { "byte" } else { "bytes" };
        let expected =
            format!("{} {noun} of garbage behind the last gzip member, from byte {start} of the file on;", rest.len());
        let error = error(rest);
        assert!(error.starts_with(&expected) && error.contains(&format!("hint: `head -c {start}` keeps")), "{error}");
    }
    // The start of a member is no garbage.
    for cut in 1..member.len() {
        let error = error(&member[..cut]);
        let expected = format!("gzip data are truncated after {} bytes of the file", start + cut);
        assert!(error.starts_with(&expected), "{cut}: {error}");
    }
}

#[test]
fn a_byte_order_mark_is_taken_off_whatever_the_compression() {
    for compression in Compression::ALL {
        for (text, rest) in
            [(&b"\xEF\xBB\xBFa\nb\n"[..], &b"a\nb\n"[..]), (b"\xEF\xBB\xBF", b""), (b"\xEF\xBB\n", b"\xEF\xBB\n")]
        {
            let (found, reader) = read_all(packed(text, compression), compression, &Layout::cards()).unwrap();
            assert_eq!(
                (found.as_slice(), reader.has_byte_order_mark()),
                (rest, rest.len() < text.len()),
                "{compression}"
            );
        }
        let error = read_all(packed(b"1|one\r2|two\r", compression), compression, &Layout::cards()).err().unwrap();
        assert!(error.to_string().contains("no line feed, but 2 carriage returns"), "{error}");
        assert!(error.get_ref().is_some_and(|error| error.is::<crate::BeginningError>()));
        let error = read_all(packed(b"\xFF\xFE1\0\n\0", compression), compression, &Layout::cards()).err().unwrap();
        assert!(error.to_string().starts_with("it is UTF-16"), "{error}");
    }
}

#[test]
fn a_header_is_compared_however_short_the_reads_are() {
    for (names, is_same) in
        [("card_no", false), (&*String::from_utf8(Layout::cards_csv().header_line().unwrap()).unwrap(), true)]
    {
        for text in [names.to_owned(), format!("\u{FEFF}{names}")] {
            let reads = ShortReads { bytes: Cursor::new(text.into_bytes()), lengths: vec![1, 2], turn: 0 };
            let opened = LineReader::open(Box::new(reads), Compression::Plain, 64, &Layout::cards_csv());
            assert_eq!(opened.is_ok(), is_same, "{names}");
        }
    }
}

fn quoting() -> Layout {
    Layout { quote: crate::layout::Quote::Read(b'"'), separator: b',', ..Layout::cards() }
}

#[test]
fn line_feeds_within_quotes_end_no_line() {
    for block_bytes in 1..40 {
        let text = b"1,\"a\nb\"\n2,\"\"\"\n\"\n3,c\n4,\"d\n\ne\"";
        let mut reader =
            LineReader::open(Box::new(Cursor::new(text)), Compression::Plain, block_bytes, &quoting()).unwrap();
        let (mut all, mut starts) = (Vec::new(), Vec::new());
        while let Some(lines) = reader.next_in(Vec::new()).unwrap() {
            starts.push((lines.first_line, lines.bytes[0]));
            all.extend(lines.bytes);
        }
        assert_eq!(all, [&text[..], b"\n"].concat());
        let lines = [(1, b'1'), (3, b'2'), (5, b'3'), (6, b'4')];
        assert!(starts.iter().all(|start| lines.contains(start)), "{starts:?}");
        assert!(starts.len() > 1 || block_bytes > 8, "{block_bytes}: {starts:?}");
    }
}

#[test]
fn a_quote_that_is_not_closed_is_named_with_its_line() {
    let error = |text: &[u8]| read_all(text.to_vec(), Compression::Plain, &quoting()).err().unwrap().to_string();
    let begins = "the quote that opens in line 3 is not closed";
    let found = error(b"1,a\n\"2\n\",\"b\n3,c\n");
    assert!(found.starts_with(&format!("{begins} by the end of the file; hint: close it, or load")), "{found}");
    assert!(error(b"\"").starts_with("the quote that opens in line 1 is not closed by the end"));
    let long = [&b"1,a\n2,b\n\"c"[..], &b"x\n".repeat(1 << 20)].concat();
    let found = error(&long);
    assert!(found.starts_with(&format!("{begins} within {LINE_BYTES_MAX} bytes")), "{found}");
    let long = [&b"1,a\n"[..], &b"x".repeat(2 << 20), b"\n"].concat();
    assert_eq!(error(&long), format!("the row that begins in line 2 does not end within {LINE_BYTES_MAX} bytes"));
}

#[test]
fn bytes_of_the_file_are_counted() {
    let text = b"1|2|\n".repeat(100_000);
    let bytes = packed(&text, Compression::Gzip);
    let length = bytes.len() as u64;
    let mut reader =
        LineReader::open(Box::new(Cursor::new(bytes)), Compression::Gzip, 1 << 16, &Layout::cards()).unwrap();
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
    fn blocks_with_quotes_do_not_depend_on_the_sizes_of_reads(
        text in "[a,\"\n]{0,100}",
        block_bytes in 1..40usize,
        lengths in proptest::collection::vec(1..9usize, 1..5),
    ) {
        let blocks = |input: Box<dyn Read + Send>| {
            let mut reader = LineReader::open(input, Compression::Plain, block_bytes, &quoting()).unwrap();
            let mut blocks = Vec::new();
            loop {
                match reader.next_in(Vec::new()) {
                    Ok(Some(lines)) => blocks.push(lines),
                    Ok(None) => break (blocks, None),
                    Err(error) => break (blocks, Some(error.to_string())),
                }
            }
        };
        let at_once = blocks(Box::new(Cursor::new(text.clone().into_bytes())));
        let short = ShortReads { bytes: Cursor::new(text.into_bytes()), lengths, turn: 0 };
        prop_assert_eq!(&blocks(Box::new(short)), &at_once);
        let mut line = 1;
        for block in &at_once.0 {
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
