//! Depth, numjobs, mixes, distributions.

use std::collections::BTreeSet;

use record::{Amount, Blocks, Bytes, Distribution, IoMode};

use super::{Check, Subject};
use crate::plan::blocks::with_slashes;
use crate::plan::engine::ENGINE_DEFAULT;

/// What every block is a multiple of on a device.
const SECTOR_BYTES: u64 = 512;

pub(crate) const CHECKS: &[Check] = &[
    depth_of_one,
    buffered_asynchronous,
    clones_of_one_region,
    mix_of_one_kind,
    map_of_a_distribution,
    shares_of_order,
    odd_split,
    unaligned_blocks,
    unaligned_offsets,
    paired_trims,
    coverage_of_sizes,
    ring_options,
];

fn depth_of_one(subject: &Subject<'_>) -> Option<String> {
    let depth = subject.options.number("iodepth").ok().flatten()?;
    let engine = subject.options.text("ioengine").unwrap_or(ENGINE_DEFAULT);
    (subject.job.mode == IoMode::Synchronous && depth > 1).then(|| {
        let setting = subject.setting("iodepth");
        format!("{setting} has no effect: {engine} does one I/O at a time; hint: ioengine=io_uring, or numjobs={depth}")
    })
}

fn buffered_asynchronous(subject: &Subject<'_>) -> Option<String> {
    let engine = subject.options.text("ioengine")?;
    (["libaio", "aio", "linuxaio"].contains(&engine) && !subject.job.direct && subject.job.depth > 1).then(|| {
        let setting = subject.setting("iodepth");
        format!("{setting} applies; in fio, libaio without direct=1 does one I/O at a time")
    })
}

fn clones_of_one_region(subject: &Subject<'_>) -> Option<String> {
    let job = subject.job;
    let shared = job.files.iter().all(|name| !name.contains("$jobnum"));
    let apart = job.offset_increment != Amount::Bytes(Bytes(0));
    (job.clones > 1 && shared && !apart && !subject.is_random() && job.mode != IoMode::Null).then(|| {
        let does = if subject.writes() { "write" } else { "read" };
        format!("all {} jobs of numjobs {does} the same blocks, which caches serve; hint: offset_increment", job.clones)
    })
}

fn mix_of_one_kind(subject: &Subject<'_>) -> Option<String> {
    let key = subject.options.later("rwmixread", "rwmixwrite")?;
    let word = subject.options.text("rw").unwrap_or("read").split(':').next().unwrap_or_default().to_owned();
    let mixed = ["rw", "readwrite", "randrw"].contains(&word.as_str());
    (!mixed).then(|| format!("{} has no effect: rw={word} is not a mix of reads and writes", subject.setting(key)))
}

fn map_of_a_distribution(subject: &Subject<'_>) -> Option<String> {
    let uniform = subject.job.distribution == Distribution::Uniform;
    (!uniform && subject.options.switch("norandommap") != Some(true)).then(|| {
        let setting = subject.setting("random_distribution");
        format!("{setting}: norandommap is implied")
    })
}

fn shares_of_order(subject: &Subject<'_>) -> Option<String> {
    let random = subject.options.text("rw").is_some_and(|word| word.starts_with("rand"));
    let key =
        ["percentage_random", "random_distribution"].into_iter().find(|key| subject.options.last(key).is_some())?;
    (!random).then(|| format!("{} has no effect: the job is sequential", subject.setting(key)))
}

/// Block sizes of the I/O of the job.
fn bounds(subject: &Subject<'_>) -> impl Iterator<Item = Bytes> {
    let job = subject.job;
    let kinds = [(job.mix.read, &job.read_blocks), (job.mix.write, &job.write_blocks)];
    let used = kinds.into_iter().filter(|(share, _)| share.0 > 0.0);
    used.flat_map(|(_, blocks)| <[Bytes; 2]>::from(crate::plan::blocks::bounds(blocks)))
}

/// A share after a colon is a block of as many bytes.
fn odd_split(subject: &Subject<'_>) -> Option<String> {
    let text = subject.options.text("bssplit")?;
    let job = subject.job;
    let sizes = [&job.read_blocks, &job.write_blocks, &job.trim_blocks].into_iter().flat_map(|blocks| match blocks {
        Blocks::Split(shares) => shares.iter().map(|share| share.size_bytes.0).collect(),
        Blocks::Range { .. } => Vec::new(),
    });
    let odd: BTreeSet<u64> = sizes.filter(|size| size % SECTOR_BYTES != 0).collect();
    let sizes = odd.iter().map(u64::to_string).collect::<Vec<_>>().join(" and ");
    let written = with_slashes(text).unwrap_or_else(|| "4k/30:16k/60".to_owned());
    (!odd.is_empty()).then(|| {
        let noun = if odd.len() == 1 { "a block" } else { "blocks" };
        let setting = subject.setting("bssplit");
        format!("{setting} has {noun} of {sizes} bytes; hint: a share follows a slash: {written}")
    })
}

fn unaligned_blocks(subject: &Subject<'_>) -> Option<String> {
    let odd = bounds(subject).find(|size| size.0 % 512 != 0)?;
    (subject.job.direct && subject.job.mode != IoMode::Null)
        .then(|| format!("blocks of {} bytes with direct=1 will fail: not a multiple of 512", odd.0))
}

fn unaligned_offsets(subject: &Subject<'_>) -> Option<String> {
    let align = subject.job.align_bytes.filter(|align| align.0 % 512 != 0)?;
    (subject.job.direct && subject.job.mode != IoMode::Null && subject.is_random()).then(|| {
        let setting = subject.setting("ba");
        format!("{setting} with direct=1 will fail: {} bytes are not a multiple of 512", align.0)
    })
}

fn paired_trims(subject: &Subject<'_>) -> Option<String> {
    let word = subject.options.text("rw").unwrap_or_default();
    (word.contains("trimwrite")).then(|| {
        format!("{}: trims and writes are of different blocks, not in pairs on the same", subject.setting("rw"))
    })
}

fn coverage_of_sizes(subject: &Subject<'_>) -> Option<String> {
    let mapped =
        subject.options.text("random_generator") == Some("lfsr") && subject.options.switch("norandommap") != Some(true);
    let sizes: BTreeSet<Bytes> = bounds(subject).collect();
    (mapped && sizes.len() > 1 && subject.is_random()).then(|| {
        format!("{}: with several block sizes, not every block is visited once", subject.setting("random_generator"))
    })
}

fn ring_options(subject: &Subject<'_>) -> Option<String> {
    let keys = ["hipri", "sqthread_poll", "sqthread_poll_cpu"];
    let key = keys
        .into_iter()
        .find(|key| subject.options.is_on(key) || subject.options.number(key).ok().flatten() > Some(0))?;
    (subject.job.mode != IoMode::Ring).then(|| format!("{} has no effect without io_uring", subject.setting(key)))
}
