//! Bytes of flat file per second and thread: generated, parsed, and read from files of every compression.

use std::hint::black_box;
use std::io::Cursor;
use std::sync::atomic::AtomicBool;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dbdyno_flat::{
    Cards, Compression, Destination, Files, FilesFormat, Layout, LineReader, Lines, Packing, Parsed, Quote, Style,
    write_files,
};

/// About 1.2 MB of lines.
const ROWS: u64 = 1 << 14;
/// Rows of a file, about 10 MB.
const READ_ROWS: u64 = 8 * ROWS;

fn lines() -> Vec<u8> {
    let mut lines = Vec::new();
    Cards::new(42, ROWS).write(0..ROWS, &mut lines);
    lines
}

fn made(criterion: &mut Criterion) {
    let cards = Cards::new(42, u64::MAX);
    let mut group = criterion.benchmark_group("made");
    group.throughput(Throughput::Bytes(lines().len() as u64));
    for style in [Style::Bars, Style::Commas] {
        let mut into = Vec::new();
        let mut from = 0;
        group.bench_function(format!("{style:?}"), |bencher| {
            bencher.iter(|| {
                // Other rows each time, so that branch predictors cannot learn them.
                from += ROWS;
                into.clear();
                cards.write_as(style, from..from + ROWS, &mut into);
                black_box(&into);
            });
        });
    }
    group.finish();
}

fn parsed(criterion: &mut Criterion) {
    let lines = lines();
    let mut parsed = Parsed::default();
    let mut group = criterion.benchmark_group("parsed");
    group.throughput(Throughput::Bytes(lines.len() as u64));
    // The same lines, without quotes, also where a layout reads them.
    let quoted = Layout { quote: Quote::Read(b'"'), ..Layout::cards() };
    for (name, layout) in [("cards", Layout::cards()), ("cards by a layout with quotes", quoted)] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                parsed.parse(&layout, Lines { bytes: lines.clone(), first_line: 1, cut: false }, u64::MAX);
                assert_eq!(parsed.rows() as u64, ROWS);
            });
        });
    }
    group.finish();
}

/// The lines as a file with `compression`.
fn packed(compression: Compression) -> Vec<u8> {
    let path = std::env::temp_dir().join(format!("dbdyno-flat-speed-{}", std::process::id()));
    let files = Files {
        cards: Cards::new(42, READ_ROWS),
        format: FilesFormat::Bars,
        packing: Packing::of(compression),
        destination: Destination::File(path.clone()),
        threads: 2,
        replace: false,
    };
    write_files(&files, &AtomicBool::new(false), &|_| ()).expect("a file");
    let bytes = std::fs::read(&path).expect("the file");
    std::fs::remove_file(path).expect("the file");
    bytes
}

fn read(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("read");
    group.throughput(Throughput::Bytes(packed(Compression::Plain).len() as u64));
    for compression in Compression::ALL {
        let packed = packed(compression);
        group.bench_function(compression.name(), |bencher| {
            bencher.iter(|| {
                let input = Box::new(Cursor::new(packed.clone()));
                let mut reader = LineReader::open(input, compression, 1 << 20, &Layout::cards()).expect("a reader");
                let mut memory = Vec::new();
                while let Some(lines) = reader.next_in(memory).expect("lines") {
                    memory = black_box(lines).bytes;
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, made, parsed, read);
criterion_main!(benches);
