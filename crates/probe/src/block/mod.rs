//! Storage probes: direct I/O in the measured directory, without a database. Each probe is an I/O job; all of them use
//! one file that is written before the first of them.

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

/// The file of all storage probes.
const FILE: &str = "region";
/// The file takes at most this fraction of the free space.
const FREE_DIVISOR: u64 = 10;
/// Minimum size of the file.
const REGION_BYTES_MIN: Bytes = Bytes::MIB.times(16);
/// Default block size of a database.
const BLOCK_BYTES: Bytes = Bytes::KIB.times(8);
/// I/O size of a scan.
const SCAN_BYTES: Bytes = Bytes::KIB.times(256);
/// Queue depth per job of the deep probes.
const DEPTH: u32 = 32;
/// Maximum of the bytes in flight of all jobs together, which are buffers in memory.
const IN_FLIGHT_BYTES_MAX: Bytes = Bytes::MIB.times(256);
/// Minimum blocks of the part of the file that one job uses alone; with fewer, all jobs use the whole file.
const PART_BLOCKS_MIN: u64 = 4;

/// The I/O pattern of a probe.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub writes: bool,
    /// Random over the whole file; otherwise sequential over a part of it, one part per job.
    pub random: bool,
    pub block: Bytes,
    /// I/Os in flight per job.
    pub depth: u32,
}

/// Size of the file for `preset`, limited to a tenth of the `free` space; a multiple of 1 MiB. None where that is below
/// the minimum.
pub fn region_bytes(preset: Preset, free: Bytes) -> Option<Bytes> {
    let target = match preset {
        Preset::Smoke => REGION_BYTES_MIN,
        Preset::Quick => Bytes::GIB,
        Preset::Standard | Preset::Soak => Bytes::GIB.times(8),
        Preset::Publish => Bytes::GIB.times(32),
    };
    let bytes = target.0.min(free.0 / FREE_DIVISOR) / Bytes::MIB.0 * Bytes::MIB.0;
    (bytes >= REGION_BYTES_MIN.0).then_some(Bytes(bytes))
}

/// The job of probe `code`: a closed loop until the end of the window.
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

/// Size of the part of the file that each job uses alone; none where all jobs use the whole file.
fn part(context: &Context, access: &Access) -> Option<Bytes> {
    let part = context.region_bytes.0 / u64::from(context.jobs.max(1)) / access.block.0 * access.block.0;
    (!access.random && part >= access.block.0 * PART_BLOCKS_MIN).then_some(Bytes(part))
}

/// Queue depth per job: less than requested where all buffers together take too much memory.
fn depth(context: &Context, access: &Access) -> u32 {
    let most = IN_FLIGHT_BYTES_MAX.0 / access.block.0 / u64::from(context.jobs.max(1));
    access.depth.min(u32::try_from(most).unwrap_or(u32::MAX)).max(1)
}

/// The parameters of a probe.
pub(crate) fn parameters(context: &Context, access: &Access) -> BTreeMap<String, i64> {
    named(&[
        ("block_bytes", access.block.0),
        ("depth", u64::from(depth(context, access))),
        ("region_bytes", context.region_bytes.0),
    ])
}

#[cfg(test)]
mod tests;
