//! What a random load costs by the size of the memory and of its pages: rings of cache lines, each visited in a random order,
//! in pages of the base size and in huge pages.
//!
//! ```text
//! cargo run --release -p dbdyno-probe --example chase -- [MIB...]     64 256 512 1024 2048
//! ```
//!
//! A guest is told of a part of its host's caches: where the figures go on rising beyond 16 times the cache that it is told
//! of, that is not enough. The shared memory of servers has pages of the base size unless the host reserves others.

#![allow(clippy::print_stdout, reason = "its output")]

use std::hint::black_box;
use std::time::Instant;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustix::mm::{Advice, madvise};

/// A huge page; memory is aligned to it.
const HUGE_PAGE_BYTES: usize = 2 << 20;
const LOADS: usize = 20_000_000;

/// A cache line, with the index of the next one.
#[repr(align(64))]
#[derive(Clone, Copy)]
struct Line {
    next: u32,
}

fn main() {
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![64, 256, 512, 1024, 2048] } else { sizes };
    println!("{:>6} {:>12} {:>12}   ns per load", "MiB", "base pages", "huge pages");
    for mib in sizes {
        let [base, huge] =
            [Advice::LinuxNoHugepage, Advice::LinuxHugepage].map(|advice| ns_per_load(mib << 20, advice));
        println!("{mib:>6} {base:>12.1} {huge:>12.1}");
    }
}

/// Of a ring of so many bytes, in pages by `advice`.
fn ns_per_load(bytes: usize, advice: Advice) -> f64 {
    let count = bytes / size_of::<Line>();
    let order = order(count);
    let mut lines: Vec<Line> = Vec::with_capacity(count + HUGE_PAGE_BYTES / size_of::<Line>());
    let start = lines.as_mut_ptr().cast::<u8>();
    let skipped = start.align_offset(HUGE_PAGE_BYTES);
    // SAFETY: whole pages within the reserved memory, none of which was touched. A kernel that refuses it changes nothing.
    let _ = unsafe { madvise(start.add(skipped).cast(), bytes / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES, advice) };
    lines.resize(count + skipped / size_of::<Line>(), Line { next: 0 });
    let ring = &mut lines[skipped / size_of::<Line>()..];
    for (position, line) in order.iter().enumerate() {
        ring[*line as usize].next = order[(position + 1) % count];
    }
    drop(order);
    let begun = Instant::now();
    let end = (0..LOADS).fold(0, |at: u32, _| ring[at as usize].next);
    let elapsed = begun.elapsed();
    black_box(end);
    elapsed.as_nanos() as f64 / LOADS as f64
}

/// The indexes of `count` lines in a random order (Fisher and Yates).
fn order(count: usize) -> Vec<u32> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut order: Vec<u32> = (0..count as u32).collect();
    for last in (1..count).rev() {
        let drawn = ((u128::from(random.next_u64()) * (last as u128 + 1)) >> 64) as usize;
        order.swap(last, drawn);
    }
    order
}
