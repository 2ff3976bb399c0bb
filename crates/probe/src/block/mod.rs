//! Storage without a database: what it gives below the measured directory. Each probe is a job of I/O past the page
//! cache, and all of them work on one file that was written before the first of them.

pub(crate) mod commit;
pub(crate) mod random_read;
pub(crate) mod random_read_deep;
pub(crate) mod random_write_deep;
pub(crate) mod sequential_read;
pub(crate) mod sequential_write;

use std::collections::BTreeMap;

use record::{Amount, Blocks, Bytes, IoJob, IoMix, IoOrder, Preset};

use crate::Context;
use crate::probe::named;

/// The file that all of them work on.
const FILE: &str = "region";
/// No more of the free space than one part in so many.
const FREE_DIVISOR: u64 = 10;
/// A smaller file proves nothing, not even that a probe works.
const REGION_BYTES_MIN: Bytes = Bytes::MIB.times(16);
/// A database reads and writes single blocks of this size, unless it is told otherwise.
const BLOCK_BYTES: Bytes = Bytes::KIB.times(8);
/// And scans in pieces of this size.
const PIECE_BYTES: Bytes = Bytes::KIB.times(256);
/// Blocks in flight per job, where many are.
const DEPTH: u32 = 32;
/// Bytes in flight of all jobs together, at most: buffers are memory.
const IN_FLIGHT_BYTES_MAX: Bytes = Bytes::MIB.times(256);
/// A part of the region that one job has for itself holds at least so many blocks; otherwise all work on all of it.
const PART_BLOCKS_MIN: u64 = 4;

/// What one probe does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub writes: bool,
    /// Anywhere in the region; otherwise from one end to the other of a part of it, one part per job.
    pub random: bool,
    pub block: Bytes,
    /// I/Os in flight per job.
    pub depth: u32,
}

/// Length of the file that `preset` asks for, or less: no more than a tenth of the `free` space. None where that is
/// not worth measuring. A multiple of 1 MiB.
pub fn region_bytes(preset: Preset, free: Bytes) -> Option<Bytes> {
    let wanted = match preset {
        Preset::Smoke => REGION_BYTES_MIN,
        Preset::Quick => Bytes::GIB,
        Preset::Standard => Bytes::GIB.times(8),
        Preset::Publish => Bytes::GIB.times(32),
    };
    let bytes = wanted.0.min(free.0 / FREE_DIVISOR) / Bytes::MIB.0 * Bytes::MIB.0;
    (bytes >= REGION_BYTES_MIN.0).then_some(Bytes(bytes))
}

/// The job of probe `code`: as fast as possible until the window is over.
pub(crate) fn job(context: &Context, code: &str, title: &str, access: &Access) -> IoJob {
    let part = part(context, access);
    IoJob {
        name: code.to_owned(),
        description: Some(title.to_owned()),
        clones: context.jobs.max(1),
        order: if access.random { IoOrder::RANDOM } else { IoOrder::SEQUENTIAL },
        mix: if access.writes { IoMix::WRITE } else { IoMix::READ },
        read_blocks: Blocks::all(access.block),
        write_blocks: Blocks::all(access.block),
        trim_blocks: Blocks::all(access.block),
        depth: depth(context, access),
        files: vec![FILE.to_owned()],
        file_size: Some(context.region_bytes),
        offset_increment: Amount::Bytes(part.unwrap_or_default()),
        size: part.map(Amount::Bytes),
        time_based: true,
        run_time: Some(context.window),
        ramp_time: context.warm_up,
        ..IoJob::default()
    }
}

/// The part of the region that each job has for itself; none where all of them work on all of it.
fn part(context: &Context, access: &Access) -> Option<Bytes> {
    let part = context.region_bytes.0 / u64::from(context.jobs.max(1)) / access.block.0 * access.block.0;
    (!access.random && part >= access.block.0 * PART_BLOCKS_MIN).then_some(Bytes(part))
}

/// I/Os in flight per job: fewer than asked for where all buffers together would take too much memory.
fn depth(context: &Context, access: &Access) -> u32 {
    let most = IN_FLIGHT_BYTES_MAX.0 / access.block.0 / u64::from(context.jobs.max(1));
    access.depth.min(u32::try_from(most).unwrap_or(u32::MAX)).max(1)
}

/// What a probe is run with.
pub(crate) fn parameters(context: &Context, access: &Access) -> BTreeMap<String, i64> {
    named(&[
        ("block_bytes", access.block.0),
        ("depth", u64::from(depth(context, access))),
        ("region_bytes", context.region_bytes.0),
    ])
}

#[cfg(test)]
mod tests;
