//! Results that are not those of the device: caches, compressible data.

use record::{BufferContent, Bytes, IoMode};

use super::{Check, Subject};
use crate::plan::region::length;

pub(crate) const CHECKS: &[Check] = &[length_unknown, buffered, buffered_device, shrinkable, latency_switched_off];

fn length_unknown(subject: &Subject<'_>) -> Option<String> {
    let job = subject.job;
    let own = job.files.iter().any(|name| !name.starts_with('/'));
    let known = length(job.size, job.file_size, job.offset).is_some();
    (own && !known && job.mode != IoMode::Null)
        .then(|| "the size of its files is unknown unless they exist; hint: size=1g".to_owned())
}

fn buffered(subject: &Subject<'_>) -> Option<String> {
    let job = subject.job;
    if job.direct || job.mode == IoMode::Null {
        return None;
    }
    let memory = subject.surroundings.memory_bytes;
    let region = length(job.size, job.file_size, job.offset).map(|each| all_files(subject, each));
    match region {
        Some(region) if region < memory => Some(format!(
            "without direct=1, a region of {} MiB fits the memory of {} MiB: the page cache is \
             measured, not the device",
            region.0 >> 20,
            memory.0 >> 20
        )),
        _ if subject.reads() => Some("without direct=1, reads may be served by the page cache".to_owned()),
        _ if super::durability::syncs(job) => None,
        _ => Some("without direct=1, writes end in the page cache".to_owned()),
    }
}

fn buffered_device(subject: &Subject<'_>) -> Option<String> {
    let device = subject.job.files.iter().find(|name| name.starts_with("/dev/"))?;
    (!subject.job.direct && subject.job.mode != IoMode::Null)
        .then(|| format!("{device} without direct=1 goes through the page cache: this is not a test of a device"))
}

/// Bytes of all files that the job uses.
fn all_files(subject: &Subject<'_>, each: Bytes) -> Bytes {
    let names = &subject.job.files;
    let own = names.iter().any(|name| name.contains("$jobnum"));
    let clones = if own { u64::from(subject.job.clones) } else { 1 };
    Bytes(each.0.saturating_mul(names.len() as u64).saturating_mul(clones))
}

fn shrinkable(subject: &Subject<'_>) -> Option<String> {
    if !subject.writes() {
        return None;
    }
    let key = match subject.job.content {
        BufferContent::Random => return None,
        BufferContent::Zero => "zero_buffers",
        BufferContent::Pattern(_) => "buffer_pattern",
        BufferContent::Compressible { .. } => "buffer_compress_percentage",
        BufferContent::Repeated { .. } => "dedupe_percentage",
    };
    Some(format!("{} writes data that a device can compress or deduplicate", subject.setting(key)))
}

fn latency_switched_off(subject: &Subject<'_>) -> Option<String> {
    let keys = ["gtod_reduce", "disable_lat", "disable_clat", "disable_slat"];
    let key = keys.into_iter().find(|key| subject.options.is_on(key))?;
    Some(format!("{} is not supported: latency is always recorded", subject.setting(key)))
}
