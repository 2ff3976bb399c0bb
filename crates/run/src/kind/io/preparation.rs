//! Preparation of the files of a phase, and their state before its window.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::Arc;

use probe::storage::{Generations, Region, lay_out, sample};
use record::{Bytes, IoFile, IoJob, IoPhase, LoopFile, OpenSync};

use super::file_set::{FileSet, FileSetEntry};
use super::geometry::{names, null_regions, region, uses};
use super::permission::identity;
use crate::{Error, Event, Interrupt, Listener, Result};

/// The unit of written data if the jobs do not determine it.
const UNIT: Bytes = Bytes(4096);

/// Lays out the files of `phase` that are ours and do not exist yet.
pub(crate) fn make(
    file_set: &mut FileSet,
    phase: &IoPhase,
    writer: u64,
    interrupt: &Interrupt,
    listener: &dyn Listener,
) -> Result<()> {
    for name in file_names(phase) {
        let Some(file) = file_set.files.get_mut(&name).filter(|file| !file.made) else { continue };
        let path = file.path.clone();
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(|error| {
                Error::environment(format!("folder {} cannot be created: {error}", parent.display()))
            })?;
        }
        let progress = |done: Bytes| listener.on_event(&Event::Writing { file: &name, done, size: file.size });
        let unit = file.unit.unwrap_or(UNIT);
        lay_out(&path, file.size, file.layout, unit, writer, interrupt.flag(), &progress).map_err(|error| {
            if interrupt.is_raised() {
                return Error::interrupted();
            }
            Error::environment(format!("file {} cannot be created: {error}", path.display()))
                .hint("free some space, or give a smaller size or another --dir")
        })?;
        file.made = true;
    }
    Ok(())
}

/// The files of clone `clone` of `job`, opened as the job requires, with its region of each.
pub(crate) fn open(file_set: &FileSet, job: &IoJob, clone: u32) -> Result<(Vec<Arc<File>>, Vec<Region>)> {
    if job.mode == record::IoMode::Null {
        return Ok((Vec::new(), null_regions(job, clone)?));
    }
    let (mut files, mut regions) = (Vec::new(), Vec::new());
    for name in names(job, clone) {
        let Some(file) = file_set.file(&name) else { continue };
        files.push(Arc::new(open_one(file, job)?));
        regions.push(region(job, clone, file.size)?);
    }
    Ok((files, regions))
}

/// The generations of the files of clone `clone` of `job`, in the order of [`open`].
pub(crate) fn generations(file_set: &FileSet, job: &IoJob, clone: u32) -> Vec<Option<Arc<Generations>>> {
    let files = names(job, clone).into_iter().filter_map(|name| Some(file_set.file(&name)?.generations.clone()));
    files.collect()
}

fn open_one(file: &FileSetEntry, job: &IoJob) -> Result<File> {
    let mut flags = 0;
    if job.direct {
        flags |= libc::O_DIRECT;
    }
    flags |= match job.open_sync {
        OpenSync::Dsync => libc::O_DSYNC,
        OpenSync::Sync => libc::O_SYNC,
        OpenSync::None | OpenSync::WriteDsync => 0,
    };
    let writes = job.mix.changes_data();
    let shown = file.path.display();
    if writes && !file.writable {
        return Err(Error::user(format!("{shown} may not be written")).hint(format!("--destroy-data {shown}")));
    }
    let opened = OpenOptions::new().read(true).write(writes).custom_flags(flags).open(&file.path);
    let same = |opened: &File| opened.metadata().is_ok_and(|now| file.identity == Some(identity(&now)));
    if opened.as_ref().is_ok_and(|opened| file.found && !same(opened)) {
        return Err(Error::environment(format!("{shown} has been replaced since it was checked")).hint("start again"));
    }
    opened.map_err(|error| {
        let direct = if job.direct { " with O_DIRECT" } else { "" };
        Error::environment(format!("{} cannot be opened{direct}: {error}", file.path.display())).hint(
            if job.direct && error.raw_os_error() == Some(libc::EINVAL) {
                "this file system does not support direct I/O; use direct=0 (--buffered), and see the findings"
            } else {
                "name a file or device that may be opened"
            },
        )
    })
}

/// The state of the files of `phase`: extents and page cache.
pub(crate) fn inspect_files(file_set: &FileSet, phase: &IoPhase) -> Vec<IoFile> {
    let names = file_names(phase);
    let one = |name: &String| {
        let inspected = inspect(file_set.file(name)?, &regions(file_set, phase, name));
        let is_read = phase.jobs.iter().any(|job| job.mix.read.0 > 0.0 && uses(job, name));
        Some(IoFile { is_read: Some(is_read), ..inspected })
    };
    names.iter().filter_map(one).collect()
}

/// Bytes of holes and of unwritten extents of a file.
pub(crate) type Unwritten = (Option<Bytes>, Option<Bytes>);

/// The unwritten parts of those of `files` that had some, read again: the warm-up may have written them.
pub(crate) fn unwritten_now(file_set: &FileSet, phase: &IoPhase, files: &[IoFile]) -> Vec<(String, Unwritten)> {
    let had_some = |inspected: &&IoFile| {
        [inspected.hole_bytes, inspected.unwritten_bytes].into_iter().flatten().any(|bytes| bytes.0 > 0)
    };
    let had: Vec<&str> = files.iter().filter(had_some).map(|inspected| inspected.path.as_str()).collect();
    let again = |name: String| {
        let file = file_set.file(&name)?;
        let path = file.path.display().to_string();
        let open = File::open(&file.path).ok().filter(|_| had.contains(&path.as_str()))?;
        Some((path, unwritten(&open, &regions(file_set, phase, &name))))
    };
    file_names(phase).into_iter().filter_map(again).collect()
}

/// The unwritten parts of `regions` in a file; absent where the file system does not report them.
fn unwritten(open: &File, regions: &[Region]) -> Unwritten {
    let mut sum: Unwritten = (None, None);
    for region in regions {
        if let Ok(Some(extents)) = host::extents(open, region.offset, region.length) {
            let add = |sum: &mut Option<Bytes>, bytes: Bytes| *sum = Some(Bytes(sum.unwrap_or_default().0 + bytes.0));
            add(&mut sum.0, extents.hole_bytes);
            add(&mut sum.1, extents.unwritten_bytes);
        }
    }
    sum
}

/// The regions of all clones of all jobs in the file `name`, merged.
pub(crate) fn regions(file_set: &FileSet, phase: &IoPhase, name: &str) -> Vec<Region> {
    let Some(file) = file_set.file(name) else { return Vec::new() };
    let mut regions: Vec<Region> = Vec::new();
    for job in &phase.jobs {
        for clone in 0..job.clones {
            if names(job, clone).iter().any(|one| one == name) {
                regions.extend(region(job, clone, file.size));
            }
        }
    }
    regions.sort_by_key(|region| region.offset);
    let mut merged: Vec<Region> = Vec::new();
    for region in regions {
        match merged.last_mut() {
            Some(last) if region.offset <= last.offset + last.length => {
                last.length = last.length.max(region.offset + region.length - last.offset);
            }
            _ => merged.push(region),
        }
    }
    merged
}

fn inspect(file: &FileSetEntry, regions: &[Region]) -> IoFile {
    let place = host::place(&file.path).ok();
    let mut inspected = IoFile {
        path: file.path.display().to_string(),
        size_bytes: file.size,
        region_bytes: Bytes(regions.iter().map(|region| region.length).sum()),
        found: file.found,
        is_device: file.is_device,
        file_system: place.as_ref().and_then(|place| Some(place.file_system.as_ref()?.kind.clone())),
        has_device: match &place {
            Some(place) => place.medium.has_device(),
            None => file.is_device.then_some(true),
        },
        memory_device: place.as_ref().and_then(memory_device),
        loop_file: place.as_ref().and_then(loop_file),
        is_counted_by_mount: place.as_ref().is_some_and(|place| place.medium == host::Medium::Nfs),
        ..IoFile::default()
    };
    let Ok(open) = File::open(&file.path) else { return inspected };
    (inspected.hole_bytes, inspected.unwritten_bytes) = unwritten(&open, regions);
    if let Some(file) = inspected.loop_file.as_ref().filter(|file| !file.is_direct) {
        // What the page cache holds of the device says nothing: it is read past it.
        let cached =
            File::open(&file.path).ok().and_then(|open| host::cached_share(&open, 0, open.metadata().ok()?.len()));
        inspected.cached = cached;
        return inspected;
    }
    let total = inspected.region_bytes.0.max(1) as f64;
    let mut cached = Some(0.0);
    for region in regions {
        let share = host::cached_share(&open, region.offset, region.length);
        cached = cached.zip(share).map(|(sum, share)| sum + share.0 * region.length as f64);
    }
    inspected.cached = cached.map(|sum| record::Ratio((sum / total).min(1.0)));
    inspected
}

/// The lowest device below, where all of it is in the memory of this host.
fn memory_device(place: &host::StorageLocation) -> Option<String> {
    let is_in_memory = place.medium == host::Medium::Memory;
    place.devices.iter().rev().find(|device| device.is_memory && is_in_memory).map(|device| device.name.clone())
}

/// The lowest loop device below with its file.
fn loop_file(place: &host::StorageLocation) -> Option<LoopFile> {
    let (device, path) = place.devices.iter().rev().find_map(|device| Some((device, device.backing_file.clone()?)))?;
    let of_file = host::place(std::path::Path::new(&path)).ok().and_then(|place| place.file_system);
    Some(LoopFile {
        device: device.name.clone(),
        path,
        file_system: of_file.map(|system| system.kind),
        is_direct: device.backing_is_direct.unwrap_or(false),
    })
}

/// Adds the compressibility of a sample of the files, taken after the run, when they hold what it wrote.
pub(crate) fn sample_content(file_set: &FileSet, phase: &IoPhase, seed: u64, files: &mut [IoFile]) {
    for name in file_names(phase) {
        let Some(file) = file_set.file(&name) else { continue };
        let shown = file.path.display().to_string();
        let regions = regions(file_set, phase, &name);
        if let Some(inspected) = files.iter_mut().find(|inspected| inspected.path == shown)
            && let Some(region) = regions.iter().max_by_key(|region| region.length)
            && let Ok(Some(sample)) =
                sample(&file.path, *region, !file.found && file.layout != record::Layout::Written, seed)
        {
            (inspected.compressed, inspected.repeated) = (Some(sample.compressed), Some(sample.repeated));
        }
    }
}

/// The names of all files of `phase`, each once.
pub(crate) fn file_names(phase: &IoPhase) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for job in &phase.jobs {
        for clone in 0..job.clones {
            all.extend(names(job, clone));
        }
    }
    all.sort();
    all.dedup();
    all
}

/// Opens every device that will be written exclusively, so that it cannot be mounted or used meanwhile.
pub(crate) fn lock_devices(file_set: &FileSet) -> Result<Vec<File>> {
    let written = file_set.files.values().filter(|file| file.is_device && file.writable);
    let locked = written.map(|file| {
        let opened = OpenOptions::new().read(true).write(true).custom_flags(libc::O_EXCL).open(&file.path);
        opened.map_err(|error| {
            Error::environment(format!("{} cannot be locked: {error}", file.path.display()))
                .hint("dbdyno writes only to unused devices")
        })
    });
    locked.collect()
}
