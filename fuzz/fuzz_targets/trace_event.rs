//! Any bytes as events of the kernel, by its own descriptions of them or by others: latencies that can be.
//!
//! The first word of 16 bits says how long the pages behind it are; the rest is a description.

#![no_main]

use libfuzzer_sys::fuzz_target;
use trace::fuzz::{Described, is_format_kept, latencies};

/// Of Linux 6.18 on x86_64, as the tests of the crate have them.
const DESCRIBED: Described<'_> = Described {
    device: 254 << 20,
    formats: [
        include_str!("../../crates/trace/tests/fixture/block_rq_complete.format"),
        include_str!("../../crates/trace/tests/fixture/block_rq_requeue.format"),
        include_str!("../../crates/trace/tests/fixture/block_rq_issue.format"),
        include_str!("../../crates/trace/tests/fixture/block_rq_insert.format"),
    ],
    header_page: include_str!("../../crates/trace/tests/fixture/header_page.format"),
};

fuzz_target!(|bytes: &[u8]| {
    let Some(([low, high], rest)) = bytes.split_first_chunk() else { return };
    let length = usize::from(u16::from_le_bytes([*low, *high]));
    let (pages, rest) = rest.split_at(length.min(rest.len()));
    let text = String::from_utf8_lossy(rest);
    if text.is_empty() {
        return check(&DESCRIBED, pages);
    }
    // A line that is described twice lies where the first one says: the text comes first.
    let formats = DESCRIBED.formats.map(|format| format!("{text}\n{format}"));
    let header_page = format!("{text}\n{}", DESCRIBED.header_page);
    let formats = [&*formats[0], &*formats[1], &*formats[2], &*formats[3]];
    check(&Described { device: DESCRIBED.device, formats, header_page: &header_page }, pages);
    assert!(is_format_kept(&text));
});

fn check(described: &Described<'_>, pages: &[u8]) {
    for row in latencies(described, pages) {
        let found = &row.latency;
        let tail = [found.p90_ns, found.p99_ns, found.p999_ns].into_iter().flatten();
        let ascending: Vec<_> = [found.min_ns, found.p50_ns].into_iter().chain(tail).chain([found.max_ns]).collect();
        assert!(found.count > 0 && ascending.is_sorted(), "{row:?}");
    }
}
