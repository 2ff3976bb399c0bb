//! The regions of the files of a job, clone by clone, and its block sizes.

use std::path::{Component, Path, PathBuf};

use probe::storage::Region;
use record::{Amount, Blocks, Bytes, IoJob, IoKind};

use crate::{Error, Result};

/// Memory of a lane besides the buffers of its I/Os: further buffers, so that written data do not repeat, and
/// histograms.
const LANE_BYTES: u64 = 6 << 20;
/// Buffers are multiples of this.
const PAGE_BYTES: u64 = 4096;

/// The names of the files of clone `clone`.
pub(crate) fn names(job: &IoJob, clone: u32) -> Vec<String> {
    job.files.iter().map(|name| name.replace("$jobnum", &clone.to_string())).collect()
}

pub(crate) fn uses(job: &IoJob, name: &str) -> bool {
    (0..job.clones).any(|clone| names(job, clone).iter().any(|file| file == name))
}

/// A relative path below our directory, without a way out of it.
pub(crate) fn own_name(path: &Path) -> PathBuf {
    path.components().filter(|part| matches!(part, Component::Normal(_))).collect()
}

/// The length of the file that clone `clone` needs.
pub(crate) fn wanted_size(job: &IoJob, clone: u32, name: &str) -> Result<Bytes> {
    if let Some(size) = job.file_size {
        return Ok(size);
    }
    let missing = || {
        Error::user(format!("job {}: file {name} has no size", job.name))
            .hint("give size or filesize (--size 1G), or name an existing file by --device")
    };
    let bytes = |amount: Amount| match amount {
        Amount::Bytes(bytes) => Ok(bytes.0),
        Amount::Share(share) if share.0 == 0.0 => Ok(0),
        Amount::Share(_) => Err(missing()),
    };
    let size = match job.size {
        Some(Amount::Bytes(size)) => size.0,
        _ => return Err(missing()),
    };
    let begin = bytes(job.offset)?.saturating_add(bytes(job.offset_increment)?.saturating_mul(u64::from(clone)));
    Ok(Bytes(begin.saturating_add(size)))
}

/// The part of a file of `size` that clone `clone` works on.
///
/// # Errors
/// Where there is none.
pub(crate) fn region(job: &IoJob, clone: u32, size: Bytes) -> Result<Region> {
    let align = job.align_bytes.map_or_else(|| smallest_block(job), |bytes| bytes.0).max(1);
    let bytes = |amount: Amount| match amount {
        Amount::Bytes(bytes) => bytes.0,
        // Shares of a file are aligned to blocks.
        Amount::Share(share) => (size.0 as f64 * share.0) as u64 / align * align,
    };
    let offset = bytes(job.offset).saturating_add(bytes(job.offset_increment).saturating_mul(u64::from(clone)));
    let rest = size.0.saturating_sub(offset);
    if rest == 0 {
        return Err(Error::user(format!(
            "job {}: offset {offset} is at or beyond the end ({} bytes)",
            job.name, size.0
        ))
        .hint("use a smaller offset or offset_increment, or a larger filesize"));
    }
    Ok(Region { offset, length: job.size.map_or(rest, bytes).min(rest) })
}

/// Bytes of all buffers of `job`.
pub(crate) fn buffer_bytes(job: &IoJob) -> u64 {
    let kinds = [job.mix.read, job.mix.write].iter().filter(|share| share.0 > 0.0).count() as u64;
    let each = largest_block(job).saturating_add(PAGE_BYTES);
    let lane = each.saturating_mul(u64::from(job.slots())).saturating_mul(kinds).saturating_add(LANE_BYTES);
    lane.saturating_mul(u64::from(job.clones))
}

/// The block sizes of one kind of I/O, smallest and largest of each part.
fn sizes_of(job: &IoJob, kind: IoKind) -> Vec<(u64, u64)> {
    let (blocks, share) = match kind {
        IoKind::Read => (&job.read_blocks, job.mix.read),
        IoKind::Trim => (&job.trim_blocks, job.mix.trim),
        IoKind::Write | IoKind::Sync | IoKind::Commit => (&job.write_blocks, job.mix.write),
    };
    match blocks {
        _ if share.0 <= 0.0 => Vec::new(),
        Blocks::Split(split) => split.iter().map(|one| (one.size_bytes.0, one.size_bytes.0)).collect(),
        Blocks::Range { min_bytes, max_bytes } => vec![(min_bytes.0, max_bytes.0)],
    }
}

pub(crate) fn sizes(job: &IoJob) -> impl Iterator<Item = (u64, u64)> + '_ {
    [IoKind::Read, IoKind::Write, IoKind::Trim].into_iter().flat_map(|kind| sizes_of(job, kind))
}

/// The smallest and the largest block of one kind of I/O; zeros where the job has none.
pub(crate) fn block_span(job: &IoJob, kind: IoKind) -> (Bytes, Bytes) {
    let sizes = sizes_of(job, kind);
    let smallest = sizes.iter().map(|(smallest, _)| *smallest).min().unwrap_or(0);
    let largest = sizes.iter().map(|(_, largest)| *largest).max().unwrap_or(0);
    (Bytes(smallest), Bytes(largest))
}

pub(crate) fn largest_block(job: &IoJob) -> u64 {
    sizes(job).map(|(_, largest)| largest).max().unwrap_or(0)
}

pub(crate) fn smallest_block(job: &IoJob) -> u64 {
    sizes(job).map(|(smallest, _)| smallest).min().unwrap_or(0)
}
