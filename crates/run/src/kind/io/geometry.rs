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

/// Keys of block sizes, the one that applies first.
pub(crate) const BLOCK_KEYS: &[&str] = &["bssplit", "bsrange", "bs"];
/// The region of a null job without a length, bytes.
const NULL_REGION_BYTES: u64 = 1 << 40;

/// The regions of clone `clone` of a job without I/O, one per name: as long as those of files would be.
pub(crate) fn null_regions(job: &IoJob, clone: u32) -> Result<Vec<Region>> {
    let one = |name: String| {
        let region = match (job.file_size, job.size) {
            (Some(size), _) => region(job, clone, size)?,
            (None, None) => Region { offset: 0, length: NULL_REGION_BYTES },
            (None, Some(Amount::Bytes(size))) => Region { offset: 0, length: size.0 },
            (None, Some(Amount::Share(_))) => return Err(share_of_nothing(job, "size", &name)),
        };
        check_fits(job, &name, region)?;
        Ok(region)
    };
    names(job, clone).into_iter().map(one).collect()
}

/// Checks that the blocks of `job` fit its region in the file `name`.
pub(crate) fn check_fits(job: &IoJob, name: &str, region: Region) -> Result<()> {
    let largest = largest_block(job);
    match region.length < largest {
        true => Err(Error::user(format!(
            "job {}: block size {largest} is larger than the region of {} bytes in {name}",
            job.name, region.length
        ))
        .hint("use a larger size, or smaller blocks")
        .about(&job.name, BLOCK_KEYS)),
        false => Ok(()),
    }
}

/// A length in per cent of a file that does not exist yet.
fn share_of_nothing(job: &IoJob, key: &'static str, name: &str) -> Error {
    let (keys, hint): (&'static [&'static str], &str) = match key {
        "size" => (&["size"], "give size in bytes (size=1g), or name a device or an existing file by filename"),
        "offset" => (&["offset"], "give offset in bytes, or the length of the file (filesize=1g)"),
        _ => (&["offset_increment"], "give offset_increment in bytes, or the length of the file (filesize=1g)"),
    };
    Error::user(format!(
        "job {}: {key} is a share of a device, of an existing file or of filesize, and {name} is a new file without filesize",
        job.name
    ))
    .hint(hint)
    .about(&job.name, keys)
}

/// The length of the file that clone `clone` needs.
pub(crate) fn wanted_size(job: &IoJob, clone: u32, name: &str) -> Result<Bytes> {
    if let Some(size) = job.file_size {
        return Ok(size);
    }
    let bytes = |amount: Amount, key| match amount {
        Amount::Bytes(bytes) => Ok(bytes.0),
        Amount::Share(share) if share.0 == 0.0 => Ok(0),
        Amount::Share(_) => Err(share_of_nothing(job, key, name)),
    };
    let size = match (job.size, job.io_bytes) {
        (Some(Amount::Bytes(size)), _) => size.0,
        (Some(Amount::Share(_)), _) => return Err(share_of_nothing(job, "size", name)),
        (None, Some(Amount::Share(_))) => {
            return Err(Error::user(format!(
                "job {}: io_size is a share of size, and file {name} has no size",
                job.name
            ))
            .hint("give size or filesize too (size=1g)")
            .about(&job.name, &["io_size"]));
        }
        (None, _) => {
            return Err(Error::user(format!("job {}: file {name} has no size", job.name))
                .hint("give size or filesize (--size 1G), or name an existing file by --device"));
        }
    };
    let increment = bytes(job.offset_increment, "offset_increment")?;
    let begin = bytes(job.offset, "offset")?.saturating_add(increment.saturating_mul(u64::from(clone)));
    Ok(Bytes(begin.saturating_add(size)))
}

/// The part of a file of `size` that clone `clone` works on.
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
        .hint("use a smaller offset or offset_increment, or a larger filesize")
        .about(&job.name, &["offset_increment", "offset"]));
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

#[cfg(test)]
mod tests {
    use record::{BlockShare, IoMix, Ratio};

    use super::*;

    fn job() -> IoJob {
        let blocks = Blocks::Split(vec![BlockShare { size_bytes: Bytes(4096), share: Ratio(1.0) }]);
        IoJob {
            name: "a".to_owned(),
            mix: IoMix::READ,
            files: vec!["a.$jobnum.0".to_owned(), "a.$jobnum.1".to_owned()],
            clones: 2,
            read_blocks: blocks,
            ..IoJob::default()
        }
    }

    #[test]
    fn regions_without_io_are_as_long_as_those_of_files() {
        let lengths =
            |job: &IoJob| -> Vec<u64> { null_regions(job, 1).unwrap().iter().map(|region| region.length).collect() };
        let sized = IoJob { size: Some(Amount::Bytes(Bytes(65_536))), ..job() };
        assert_eq!(lengths(&sized), [65_536; 2]);
        let halved = IoJob { size: Some(Amount::Share(Ratio(0.5))), file_size: Some(Bytes(65_536)), ..job() };
        assert_eq!(lengths(&halved), [32_768; 2]);
        assert_eq!(lengths(&job()), [NULL_REGION_BYTES; 2], "only the time ends it");
        let small = IoJob { size: Some(Amount::Bytes(Bytes(1_024))), ..job() };
        assert!(null_regions(&small, 0).unwrap_err().message.contains("block size 4096 is larger"));
    }

    #[test]
    fn a_share_of_a_new_file_is_about_its_key() {
        let keys = |job: &IoJob| wanted_size(job, 0, "a.0.0").unwrap_err().setting.map(|setting| setting.keys);
        let half = Amount::Share(Ratio(0.5));
        let sized = IoJob { size: Some(Amount::Bytes(Bytes(65_536))), ..job() };
        assert_eq!(keys(&IoJob { size: Some(half), ..job() }), Some(&["size"] as &[&str]));
        assert_eq!(keys(&IoJob { offset: half, ..sized.clone() }), Some(&["offset"] as &[&str]));
        assert_eq!(keys(&IoJob { offset_increment: half, ..sized.clone() }), Some(&["offset_increment"] as &[&str]));
        assert_eq!(keys(&IoJob { io_bytes: Some(half), ..job() }), Some(&["io_size"] as &[&str]));
        assert_eq!(keys(&job()), None);
        assert_eq!(wanted_size(&sized, 0, "a.0.0").unwrap(), Bytes(65_536));
    }
}
